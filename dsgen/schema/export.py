"""The forms in which the schema of the values is published: for the chart, for editors, and as docs/options.md."""

from __future__ import annotations

import copy
import json
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dsgen.language.functions import read_json
from dsgen.language.text import scalar
from dsgen.schema import (
    DEFINITION,
    KUBERNETES_FILE,
    TYPE_WORDS,
    Schema,
    find_kubernetes_type,
    is_always_there,
    is_record,
    list_types,
    load,
    resolve,
    walk_keys,
)

FREE, NULLS_IN_MAPS = f"{DEFINITION}withoutNull", "nullsInMaps"
FREE_MAP = {
    "type": ["string", "number", "boolean", "object", "array"],
    "additionalProperties": {"anyOf": [{"type": "null"}, {"$ref": f"{DEFINITION}{NULLS_IN_MAPS}"}]},
    "items": {"$ref": FREE},
}
"""Data of the user's choice, where null removes an entry of a map."""
WORDS = ("description", "examples", "default")
"""Keywords that no value violates."""
NAMED = ("properties", "definitions")
"""Keywords whose keys are names, not keywords."""
WIDTH = 120
"""The longest line of published files, if possible."""


def make_chart_schema() -> Schema:
    """The chart's values.schema.json.

    Every key with a default is `required` in the records that are always there: Helm merges the defaults before it
    checks, so such a key is missing only if the user set it to null. Maps are not required, because null removes all of
    their entries. Descriptions and defaults are in values.yaml. Definitions with the same content refer to one of them.
    """
    whole = _add_required(_allow_nulls(_copy_used()))
    whole["properties"]["enabled"] = {"const": True}  # of a parent chart, whose condition it may be; false would train
    whole["properties"]["runtime"]["properties"]["global"] = {}  # Helm creates it for the chart below
    shared: Schema = _publish(whole["definitions"], WORDS)
    chart: Schema = _publish(whole, WORDS, shared)
    texts = {name: json.dumps(part) for name, part in (shared | chart["definitions"]).items()}
    first = {text: name for name, text in reversed(texts.items())}
    twins = {name: {"$ref": f"{DEFINITION}{first[text]}"} for name, text in texts.items() if first[text] != name}
    return chart | {"definitions": shared | chart["definitions"] | twins}


def make_editor_schema() -> Schema:
    """The copy for editors, which see the user's file before any default is merged."""
    editors: Schema = _publish(_allow_nulls(_copy_used()))
    return editors


def _copy_used() -> Schema:
    """A copy of the schema without the definitions to which nothing refers, since its records are expanded."""
    schema = copy.deepcopy(load())
    definitions = schema.pop("definitions")
    used, waiting = {FREE.removeprefix(DEFINITION)}, [schema]
    while waiting:
        found = re.findall(f'"{DEFINITION}([^"]+)"', json.dumps(waiting.pop()))
        waiting += [definitions[name] for name in found if name not in used]
        used.update(found)
    return schema | {"definitions": {name: part for name, part in definitions.items() if name in used}}


def _add_required(schema: Schema) -> Schema:
    always = [key for key, part in schema["properties"].items() if "default" in part or is_always_there(part)]
    # Helm creates `global`, and a parent chart may set it to null.
    schema["required"] = [key for key in always if not isinstance(schema["properties"][key].get("default"), dict)]
    for part in schema["properties"].values():
        if is_always_there(part):
            _add_required(part)
    return schema


def _allow_nulls(schema: Schema) -> Schema:
    """The schema, changed: null is allowed for maps, their entries, and all below these (`nulls.place`)."""
    for key, part in schema["properties"].items():
        if is_always_there(part):
            _allow_nulls(part)
        elif isinstance(part.get("default"), dict):
            _allow_nulls_below(part)
            schema["properties"][key] = _allow_null(part)
    if "definitions" in schema:
        schema["definitions"][NULLS_IN_MAPS] = FREE_MAP
        for _, part in walk_keys():  # null removes a default, also one in an object of Kubernetes
            type_ = find_kubernetes_type(part)
            for key in part.get("default", ()) if type_ else ():
                fields = schema["definitions"][type_]["properties"]
                fields[key] = {"anyOf": [{"type": "null"}, fields[key]]}
    return schema


def _allow_nulls_below(part: Schema) -> None:
    """Allow null for all values of a map or a record, but not in lists and objects of Kubernetes."""
    if isinstance(part.get("additionalProperties"), dict):
        _allow_nulls_below(part["additionalProperties"])
        part["additionalProperties"] = _allow_null(part["additionalProperties"])
    for key, below in part.get("properties", {}).items():
        _allow_nulls_below(below)
        part["properties"][key] = _allow_null(below)


def _allow_null(part: Schema) -> Schema:
    """The same or null. Keywords such as `pattern` and `properties` only hold for other types."""
    part = copy.deepcopy(resolve(part))
    if "allOf" in part:
        (inner,), kinds = part.pop("allOf"), part.pop("type")
        if inner == {"$ref": FREE}:
            inner = {"type": kinds, "allOf": [{"$ref": f"{DEFINITION}{NULLS_IN_MAPS}"}]}
        return {**part, "anyOf": [{"type": "null"}, inner]}
    enum = {"enum": [*part["enum"], None]} if "enum" in part else {}
    return {**part, "type": [*dict.fromkeys((*list_types(part), "null"))], **enum}


def _publish(part: Any, left_out: Sequence[str] = (), shared: Schema | None = None) -> Any:
    """A part without the keywords that only dsgen knows, and without others.

    `shared`: definitions, to which those are added that this part refers to instead of repeating them.
    """
    if isinstance(part, list):
        return [_publish(one, left_out, shared) for one in part]
    if not isinstance(part, Mapping):
        return part
    kept = {key: one for key, one in part.items() if not key.startswith("x-") and key not in left_out}
    published = {
        key: {name: _publish(below, left_out, shared) for name, below in one.items()}
        if key in NAMED
        else _publish(one, left_out, shared)
        for key, one in kept.items()
    }
    name = part.get("x-definition")
    if name and shared is not None and shared.setdefault(name, published) == published:
        return {"$ref": f"{DEFINITION}{name}"}
    return published


def as_json(part: Any) -> str:
    """The text of a file with this schema; what fits on one line is on one line."""
    return f"{_format_json(part, '', 0)}\n"


def _format_json(part: Any, margin: str, used: int) -> str:
    """JSON that starts after `used` characters of its line; further lines start with `margin`."""
    line = json.dumps(part, ensure_ascii=False)
    if not part or not isinstance(part, dict | list) or used + len(line) < WIDTH:
        return line
    below = f"{margin} "
    if isinstance(part, list):
        if all(isinstance(one, str) and " " not in one for one in part):
            words = textwrap.fill(line[1:-1], WIDTH - len(below), break_long_words=False, break_on_hyphens=False)
            return f"[\n{textwrap.indent(words, below)}\n{margin}]"
        return "[\n" + ",\n".join(below + _format_json(one, below, len(below)) for one in part) + f"\n{margin}]"
    keys = [(f"{below}{json.dumps(key, ensure_ascii=False)}: ", one) for key, one in part.items()]
    return "{\n" + ",\n".join(key + _format_json(one, below, len(key)) for key, one in keys) + f"\n{margin}}}"


HEAD = """\
# Options

This page lists all keys of a values file. The chart's `values.yaml` has the same keys. Only `image.repository` and one
of `training.python`, `training.module` and `training.exec` (or `launch.command`) are required, and `name` and
`namespace` for flat manifests. All other keys have defaults.
`NAME` is a name that you choose. A type with a link is a type of the Kubernetes API. Its fields are checked, but not
listed here; `dsgen explain workers.affinity`, for example, lists them. This page is generated from
`dsgen/schema/values.json`.
"""
REFERENCE = "https://kubernetes.io/docs/reference/generated/kubernetes-api/v{version}/#{name}-v1-core"
TYPES = {name: words.removeprefix("a ") for name, words in TYPE_WORDS.items()}


def format_options_page() -> str:
    """The text of docs/options.md: a section with a table for every key at the top."""
    sections = (_format_section(key, part) for key, part in load()["properties"].items())
    return HEAD + "".join(sections) + "\n" + "".join(_list_links())


def _format_section(key: str, part: Schema) -> str:
    rows: list[tuple[tuple[str, ...], Schema]] = [] if is_record(part) else [((key,), part)]
    rows += [((key, *path), below) for path, below in _list_keys(part)]
    text = f"\n## {key}\n\n"
    if is_record(part):
        text += f"{part['description']}\n\n"
    return text + "| key | type | default | meaning |\n|---|---|---|---|\n" + "".join(_format_row(*row) for row in rows)


def _list_keys(part: Schema) -> Iterator[tuple[tuple[str, ...], Schema]]:
    """The keys below one, without the records in between."""
    below = part.get("additionalProperties")
    record = resolve(below) if isinstance(below, dict) else {}
    named = [(("NAME", *path), one) for path, one in walk_keys(record)] if is_record(record) else []
    for path, one in (*(walk_keys(part) if is_record(part) else ()), *named):
        if not is_always_there(one):
            yield tuple("NAME" if key == "*" else key for key in path), one


def _format_row(path: tuple[str, ...], part: Schema) -> str:
    default = f"`{json.dumps(part['default'], ensure_ascii=False)}`" if "default" in part else "absent"
    meaning, least = part["description"], f" At least {part['minimum']}." if part.get("minimum", 0) > 0 else ""
    meaning += f" Form: {part['x-pattern']}." if "x-pattern" in part else least
    examples = [f"`{json.dumps(example, ensure_ascii=False)}`" for example in part.get("examples", ())]
    meaning += f" For example {' or '.join(examples)}." if examples else ""
    cells = (f"`{'.'.join(path)}`", _describe_type(part), default, meaning)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def _describe_type(part: Schema) -> str:
    item = find_kubernetes_type(part.get("items", {}))
    if name := item or find_kubernetes_type(part):
        return f"list of [{name}]" if item else f"[{name}]"
    if "enum" in part:
        return ", ".join(f"`{scalar(word)}`" if word != "" else '`""`' for word in part["enum"])
    words = " or ".join(TYPES[name] for name in list_types(part) if name != "null")
    items = list_types(resolve(part["items"])) if "items" in part else []
    return f"{words} of {TYPES[items[0]]}s" if items and items[0] == "string" else words


def _list_links() -> Iterator[str]:
    """Link definitions of Markdown for the types of the Kubernetes API."""
    every = (part for _, top in walk_keys() for part in (top, top.get("items", {})))
    version = read_json(KUBERNETES_FILE)["version"].rpartition(".")[0]  # such as 1.34
    for name in sorted({find_kubernetes_type(part) for part in every} - {""}):
        yield f"[{name}]: {REFERENCE.format(version=version, name=name.lower())}\n"
