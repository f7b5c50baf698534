"""The outputs of dsgen for comparison: flat manifests from Python and Jinja2, and the objects of the chart in Helm."""

import atexit
import base64
import difflib
import functools
import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml

from dsgen import values
from dsgen.catalogue import TEMPLATES
from dsgen.compiler import make_chart_files
from dsgen.compiler.chart import conditions
from dsgen.compiler.programs import find_refused_ids
from dsgen.generated import manifests
from dsgen.language.environment import make_environment
from dsgen.language.functions import SHIPPED
from dsgen.language.text import quote
from dsgen.render import render
from dsgen.values import Release
from tests.helm import helm, helm_template, run_helm

RELEASE = Release("rel", "space")
INVARIANTS = find_refused_ids()
"""The ids of the rules by which templates refuse values."""
IN_CHART = INVARIANTS | conditions.IDS
Objects = dict[str, str]  # kind/namespace/name -> the object as JSON


def write_chart(folder: Path, files: Mapping[str, str]) -> Path:
    """A chart's files in a folder."""
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return folder


@functools.cache
def bare_chart() -> Path:
    """The chart with dsgen's own defaults, written once for all tests, and removed when they have ended."""
    folder = tempfile.TemporaryDirectory(prefix="dsgen-chart-")
    atexit.register(folder.cleanup)
    return write_chart(Path(folder.name), make_chart_files())


def objects(text: str) -> Objects:
    """The objects of a stream of manifests. Their JSON tells 1, 1.0, "1" and true apart."""
    by_name = {}
    for document in re.split(r"^---$", text, flags=re.MULTILINE):
        key, content = _object(document.strip())
        assert not key or key not in by_name, f"{key} twice"
        by_name[key] = content
    by_name.pop("", None)
    return by_name


@functools.lru_cache(4096)
def _object(document: str) -> tuple[str, str]:
    """Key and JSON of one document, both empty for none; three outputs in turn have the same text, as a rule."""
    content = yaml.load(document, yaml.CSafeLoader)
    if not content:
        return "", ""
    meta = content["metadata"]
    return f"{content['kind']}/{meta.get('namespace', '')}/{meta['name']}", json.dumps(content, sort_keys=True)


def documents(text: str) -> list[Any]:
    """The documents of a stream, read by C: the scripts of a run are long."""
    return list(yaml.load_all(text, yaml.CSafeLoader))


def parsed(document: str) -> Any:
    """The object of one manifest, for tests that look at many: read by C, and read once."""
    return json.loads(_object(document)[1])


def load(text: str) -> dict[str, Any]:
    """The complete values of a values file without errors."""
    loaded = values.load([values.SourceText("values.yaml", text)])
    assert loaded.values, loaded.diagnostics
    return loaded.data


def problems(text: str) -> list[str]:
    """What the rules say about a values file, as far as a chart can say it too."""
    loaded = values.load([values.SourceText("values.yaml", text)])
    reported = values.check(loaded, RELEASE)
    errors = (problem for problem in reported if problem.severity == "error" and problem.id in IN_CHART)
    return sorted({_unescaped(f"{problem.message} [{problem.id}]") for problem in errors})


def _unescaped(line: str) -> str:
    """Quoted characters that have no meaning yet stand as they are in dsgen's messages and as escapes in Helm's."""
    codes = r"\\(?:u([0-9a-f]{4})|U(00(?:0[0-9a-f]|10)[0-9a-f]{4}))"
    return re.sub(codes, lambda code: chr(int(code[1] or code[2], 16)), line)


@functools.lru_cache(1000)
def flat_objects(text: str) -> Objects:
    """What dsgen makes of a values file; made once for both majors, and for the tests of one process."""
    return objects("---\n".join(document.text for document in render(load(text), RELEASE)))


def jinja_difference(text: str) -> str:
    """Where Jinja2 makes another text of a values file than the generated Python; empty where they are the same."""
    data, names = load(text), {"name": RELEASE.name, "namespace": RELEASE.namespace}
    for template in TEMPLATES:
        jinja = make_environment().get_template(template.path).render(values=data, release=names)
        python = manifests.TEMPLATES[template.path](data, names)
        if jinja != python:
            lines = difflib.unified_diff(jinja.split("\n"), python.split("\n"), "Jinja2", "Python", lineterm="")
            return "\n".join([template.path, *lines])
    return ""


def helm_objects(major: int, chart: Path, *arguments: str | Path) -> Objects:
    """What Helm makes of a chart; AssertionError with Helm's message when it fails."""
    result = helm_run(major, chart, *arguments)
    assert result.returncode == 0, result.stderr
    return objects(result.stdout)


def helm_installed(major: int, chart: Path) -> Objects:
    """What Helm makes of the chart of one job, as the release that its values name."""
    data = yaml.load((chart / "values.yaml").read_text(), yaml.CSafeLoader)
    names = [data["name"] or RELEASE.name, "--namespace", data["namespace"] or RELEASE.namespace]
    return objects(helm_template(helm(major), chart, "--name-template", *names))


def helm_run(major: int, chart: Path, *arguments: str | Path) -> Any:
    """`helm template` with the release of these tests."""
    return run_helm(helm(major), "template", RELEASE.name, chart, "--namespace", RELEASE.namespace, *arguments)


EMPTY = "#"
"""Stands for each script in a batch."""


def without_scripts(files: Mapping[str, str]) -> dict[str, str]:
    """A chart whose scripts, two thirds of its text and the same for all values, are empty."""
    return {path: EMPTY if path.startswith("charts/runtime/scripts/") else text for path, text in files.items()}


def batch_objects(major: int, folder: Path, texts: Sequence[str]) -> list[Objects]:
    """What Helm makes of many values files at once; AssertionError with Helm's message when it fails.

    Scripts, which are the same in every chart, and a schema in each of them would take two thirds of Helm's time: the
    scripts are empty, and the schema is that of the parent's values.
    """
    files = without_scripts(make_chart_files())
    schema = json.loads(files.pop("values.schema.json"))
    above = {"$schema": schema["$schema"], "definitions": schema.pop("definitions")}
    schema_of_all = json.dumps({**above, "patternProperties": {r"^c\d{4}$": schema}})
    result = batch_run(major, folder, texts, files, {"values.schema.json": schema_of_all})
    assert result.returncode == 0, result.stderr[:2000]
    by_alias: dict[str, list[str]] = {f"c{number:04}": [] for number in range(len(texts))}
    parts = re.split(r"^---\n# Source: parent/charts/(\w+)/\S+\n", result.stdout, flags=re.MULTILINE)
    for alias, document in zip(parts[1::2], parts[2::2], strict=True):
        by_alias[alias].append(document)
    return [with_scripts(objects("\n---\n".join(documents))) for documents in by_alias.values()]


def with_scripts(things: Objects) -> Objects:
    """The objects with the text of each script in place of EMPTY."""
    filled = {}
    for key in things:
        if key.startswith("ConfigMap/") and "-scripts-" in key:
            content = json.loads(things[key])
            folder = key.split("-scripts-")[1].partition("-")[0]
            assert {EMPTY} == {text.strip() for text in content["data"].values()}
            for name, text in content["data"].items():
                content["data"][name] = text.replace(EMPTY, SHIPPED.texts[f"scripts/{folder}/{name}"].rstrip("\n"))
            filled[key] = json.dumps(content, sort_keys=True)
    return {**things, **filled}


def batch_run(
    major: int,
    folder: Path,
    texts: Sequence[str],
    files: Mapping[str, str],
    above: Mapping[str, str] = MappingProxyType({}),
) -> Any:
    """`helm template` of a parent chart that has the chart as often as there are values files, as c0000, c0001, ...

    `above`: more files of the parent.
    """
    aliases = [f"c{number:04}" for number in range(len(texts))]
    dependencies = [{"name": "deepspeed-job", "version": "*", "alias": alias} for alias in aliases]
    parent = {"apiVersion": "v2", "name": "parent", "version": "1.0.0", "dependencies": dependencies}
    write_chart(folder, {**above, "Chart.yaml": json.dumps(parent)})
    write_chart(folder / "charts/deepspeed-job", files)
    entries = (f"{alias}: {text}" for alias, text in zip(aliases, texts, strict=True))
    file = folder / "values-of-all.yaml"
    file.write_text("\n".join(entries), encoding="utf-8")
    return helm_run(major, folder, "--values", file)


def batch_comments(output: str) -> dict[int, str]:
    """Number of the chart -> what its one template printed in base64, with a dot behind it, as a comment."""
    encoded = re.findall(r"^# Source: parent/charts/c(\d{4})/\S+\n# (\S*)[.]$", output, flags=re.MULTILINE)
    return {int(number): base64.b64decode(text).decode() for number, text in encoded}


_REFUSED = re.compile(r"^ *# refused (\S+)$", re.MULTILINE)


def telling_chart() -> dict[str, str]:
    """The chart without scripts, which prints why it refuses values, as comments, and does not fail."""
    path = "templates/_refuse.tpl"
    files = without_scripts(make_chart_files())
    return {**files, path: re.sub(r"\{\{- fail (.*) \}\}", r"\n# refused {{ \1 | b64enc }}", files[path])}


def find_refusal(message: str) -> str:
    """The message of an invariant in what Helm prints when it fails; "" without one."""
    found = re.search(r"^Error: .*?\): (\S.* \[DS\d+\])$", message, re.MULTILINE)
    return _unescaped(found[1]) if found else ""


def batch_refusals(output: str) -> dict[int, list[str]]:
    """Number of the chart -> why it refuses its values, of the output of `batch_run` of telling charts."""
    parts = re.split(r"^# Source: parent/charts/c(\d{4})/\S+\n", output, flags=re.MULTILINE)
    found: dict[int, set[str]] = {}
    for number, text in zip(parts[1::2], parts[2::2], strict=True):
        messages = (_unescaped(base64.b64decode(one).decode()) for one in _REFUSED.findall(text))
        found.setdefault(int(number), set()).update(messages)
    return {number: sorted(messages) for number, messages in found.items()}


def dump(value: Any) -> str:
    """Values as one line of YAML in which every string is escaped."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quote(key)}: {dump(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(dump, value)) + "]"
    if isinstance(value, str):
        return quote(value)
    return repr(value) if isinstance(value, float) else json.dumps(value)
