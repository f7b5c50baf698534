"""A complete Helm chart: compiled templates, values with their schema, scripts, metadata."""

import base64
import functools
import json
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dsgen import __version__, schema
from dsgen.compiler.go import make_go_templates
from dsgen.compiler.go.pipelines import CHART_NAME
from dsgen.compiler.programs import make_program, read
from dsgen.editing import format_flow, write_values
from dsgen.language.functions import SHIPPED
from dsgen.language.text import quote, scalar
from dsgen.schema import export

WIDTH = 120


def format_values_file(values: Mapping[str, Any] | None = None) -> str:
    """The text of values.yaml: these values (a complete tree), or the schema's defaults."""
    root = schema.load()
    tree = schema.make_defaults() if values is None else values
    head = [f"# {line}" for line in _wrap(root["description"], 0)]
    return "\n".join([*head, *_format_record(root, tree, "", is_top=True)]) + "\n"


def _format_record(record: Mapping[str, Any], tree: Mapping[str, Any], pad: str, is_top: bool = False) -> Iterator[str]:
    """The lines of a record's keys, in the schema's order."""
    for key, part in record["properties"].items():
        if is_top:
            yield ""
        yield from (f"{pad}# {line}" for line in _wrap(_describe(schema.resolve(part)), len(pad)))
        yield from (f"{pad}# {line}".rstrip() for line in _describe_records(key, part, tree.get(key)))
        if key not in tree:
            yield f"{pad}# {key}:"
        elif schema.is_always_there(part):
            yield f"{pad}{key}:" if tree[key] else f"{pad}{key}: {{}}  # to set a key of it, remove the braces"
            yield from _format_record(part, tree[key], pad + "  ")
        else:
            yield from _format_entry(key, _shorten(part, tree[key]), pad)


def _describe(part: Mapping[str, Any]) -> str:
    options = [scalar(option) for option in part.get("enum", ()) if option != ""]
    return str(part.get("description", "")) + (f" One of: {', '.join(options)}." if options else "")


def _wrap(text: str, indent: int) -> list[str]:
    return textwrap.wrap(text, WIDTH - indent - 2, break_long_words=False, break_on_hyphens=False)


def _describe_records(key: str, part: Mapping[str, Any], given: Any) -> Iterator[str]:
    """For a map of records with names of the user: an example, and the keys of each record."""
    entry = part.get("additionalProperties")
    record = schema.resolve(dict(entry)) if isinstance(entry, Mapping) else {}
    if not schema.is_record(record):
        return
    rows = {".".join(path): _describe_key(each) for path, each in schema.walk_keys(record)}
    width = max(map(len, rows)) + 2
    yield from ("", "Example:" if given else f"Example, to replace the line `{key}: {{}}`:", "")
    yield from _format_entry(key, part["examples"][0], "")
    yield from ("", *_wrap(f"{record['description']} Its keys:", 0), "")
    for path, text in rows.items():
        first, *more = _wrap(text, width + 2)
        yield f"  {path:{width}}{first}"
        yield from (" " * (width + 2) + line for line in more)


def _describe_key(part: Mapping[str, Any]) -> str:
    """The description of a key, with its default or an example."""
    text = _describe(part)
    if part.get("default") not in (None, "", {}):
        return f"{text} Default: {format_flow(part['default'])}."
    return f"{text} For example {format_flow(part['examples'][0])}." if "examples" in part else text


def _shorten(part: Mapping[str, Any], value: Any) -> Any:
    """The value without the defaults of records whose names the user chooses, because the templates add those."""
    entry = part.get("additionalProperties")
    if not isinstance(entry, Mapping) or not isinstance(value, Mapping):
        return value
    record = schema.resolve(dict(entry))
    return {key: _remove_defaults(record, item) for key, item in value.items()} if schema.is_record(record) else value


def _remove_defaults(record: Mapping[str, Any], value: Mapping[str, Any]) -> dict[str, Any]:
    kept = {}
    for key, item in value.items():
        part = record["properties"].get(key, {})
        if schema.is_record(part) and isinstance(item, Mapping):
            kept[key] = _remove_defaults(part, item)
        elif "default" not in part or item != part["default"]:
            kept[key] = item
    return kept


def _format_entry(key: str, value: Any, pad: str) -> Iterator[str]:
    """The lines of `key: value`."""
    if (value and isinstance(value, dict | list)) or "\n" in str(value):
        lines = write_values({key: value}, lambda _: "", {}, is_short=False).splitlines()
    else:
        lines = [f"{key}: {json.dumps(value) if isinstance(value, dict | list) else _format_scalar(value)}"]
    return (pad + line if line else "" for line in lines)


@functools.lru_cache(maxsize=1000, typed=True)  # most are defaults, which are in every chart
def _format_scalar(value: str | float | None) -> str:
    return format_flow(value)


STATIC = Path(__file__).with_name("static")
RELEASE = Path(__file__).with_name("release.yaml")
VALUES = Path(__file__).with_name("values.yaml")
FIRST = Path("templates/values/rendered-first")
"""The folder whose templates Helm renders first."""
BELOW = "charts/runtime"
SHARED = {"properties": {"create": {"const": False}}}
"""Of a chart without the scripts."""
ICON = Path(__file__).with_name("icon.svg")
DESCRIPTION = "One distributed DeepSpeed training job with workers, launcher, storage and a record of its runs"


def make_chart_files(values: Mapping[str, Any] | None = None, name: str = "deepspeed-job") -> dict[str, str]:
    """The text of every file of the chart, by its path.

    `values`: the complete values of a job, which become the chart's defaults; without them, those of the schema.
    `name`: the name of the chart, with which the names of its defines begin.
    The result depends only on the arguments.
    """
    from dsgen.compiler.chart.conditions import list_conditions  # imported late: it needs what the compiler writes

    templates = {
        **{path.relative_to(STATIC).as_posix(): read(path) for path in STATIC.rglob("*") if path.is_file()},
        **{f"templates/{path}": text for path, text in compile_templates().items()},
    }
    templates[(FIRST / VALUES.name).as_posix()] = read(VALUES).replace(
        "<MAPS>", export.as_json(schema.make_empty_maps()).rstrip()
    )
    if values and (values["name"] or values["namespace"]):
        templates[(FIRST / RELEASE.name).as_posix()] = read(RELEASE)
    is_complete = not values or values["runtime"]["create"]
    conditions = [*list_conditions(), *([] if is_complete else [{"properties": {"runtime": SHARED}}])]
    files = {
        "Chart.yaml": format_chart_yaml(name) + (format_dependency("  condition: runtime.create\n") * is_complete),
        "values.yaml": format_values_file(values),
        "values.schema.json": export.as_json(export.make_chart_schema() | {"allOf": conditions}),
        **{path: text.replace(CHART_NAME, name) for path, text in templates.items()},
        **(make_scripts_chart() if is_complete else {}),
    }
    return dict(sorted(files.items()))


def make_runtime_chart(name: str) -> dict[str, str]:
    """The chart of the scripts that the jobs of a namespace share; name: runtime.name."""
    needed = ("templates/scripts/", "templates/_metadata.", "templates/_names.")
    templates = {f"templates/{path}": text for path, text in compile_templates().items()}
    description = "Scripts that the training jobs of a namespace share"
    return {
        "Chart.yaml": format_chart_yaml(name).replace(DESCRIPTION, description) + format_dependency(),
        "values.yaml": f"runtime: {{create: false, name: {quote(name)}}}\n",
        ".helmignore": read(STATIC / ".helmignore"),  # dsgen's index would be a tenth of a release
        **{path: text.replace(CHART_NAME, name) for path, text in templates.items() if path.startswith(needed)},
        **make_scripts_chart(),
    }


def make_scripts_chart() -> dict[str, str]:
    """The files of the chart below another one, by their paths there: Helm does not store them in each release."""
    head = f"apiVersion: v2\nname: runtime\ndescription: Scripts of dsgen\nversion: {__version__}\n"
    return {f"{BELOW}/Chart.yaml": head, **{f"{BELOW}/{path}": SHIPPED.texts[path] for path in make_program().files}}


@functools.cache
def compile_templates() -> dict[str, str]:
    """dsgen's templates as Go templates, with a placeholder for the name of the chart."""
    return {path: _read_below(text) for path, text in make_go_templates(make_program()).items()}


def _read_below(text: str) -> str:
    """A template that reads files, which are in the chart below; nothing if this one is off."""
    if ".Files." not in text:
        return text
    return "{{- if .Subcharts.runtime }}\n" + text.replace(".Files.", ".Subcharts.runtime.Files.") + "{{- end }}\n"


def format_dependency(condition: str = "") -> str:
    """The end of the Chart.yaml of a chart with the scripts below it."""
    return f'dependencies:\n- name: runtime\n  version: "{__version__}"\n{condition}'


def format_chart_yaml(name: str) -> str:
    """Chart.yaml; the version of the chart is that of dsgen."""
    return f"""\
apiVersion: v2
name: {quote(name)}
description: {DESCRIPTION}
type: application
version: {__version__}
appVersion: {quote(__version__)}
kubeVersion: ">=1.29.0-0"
# the pages of DeepSpeed, because this chart has none
home: https://www.deepspeed.ai
sources:
  - https://github.com/deepspeedai/DeepSpeed
icon: data:image/svg+xml;base64,{base64.b64encode(ICON.read_bytes()).decode()}
keywords:
  - deepspeed
  - pytorch
  - distributed-training
  - gpu
  - batch
annotations:
  artifacthub.io/category: ai-machine-learning
  artifacthub.io/license: Apache-2.0
  artifacthub.io/operator: "false"
"""
