"""The schema of the values: its records, types and defaults.

`values.json` is the one source; what is here only walks it. In the schema, a record is an object with `properties` and
no `default`; a map whose keys the user chooses has `additionalProperties` with a schema; an object with neither is
written into a manifest as it is, its fields checked through `allOf`. A key that may be null has no default.

What several records have is written once, as a definition: a key of a record may be a `$ref` with keywords beside it,
which win, and `x-include` gives a record more keys. Both are expanded when the file is read.
"""

from __future__ import annotations

import copy
import functools
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

SCHEMA_FILE = Path(__file__).with_name("values.json")
KUBERNETES_FILE = Path(__file__).with_name("kubernetes.json")
DEFINITION = "#/definitions/"

Schema = dict[str, Any]


@functools.cache
def load() -> Schema:
    """The schema of values.json with the objects of kubernetes.json, its records expanded; shared, do not change it."""
    loaded: Schema = json.loads(SCHEMA_FILE.read_bytes())
    definitions = loaded["definitions"] | _kubernetes()["definitions"]
    expanded = _expanded({key: part for key, part in loaded.items() if key != "definitions"}, definitions)
    return expanded | {"definitions": _reached(expanded, definitions)}


@functools.cache
def _kubernetes() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(KUBERNETES_FILE.read_bytes())
    return loaded


def kubernetes_version() -> str:
    """The version of Kubernetes whose objects are known, such as 1.34."""
    return str(_kubernetes()["version"]).rpartition(".")[0]


def _expanded(part: Schema, definitions: Schema) -> Schema:
    """A key of dsgen's own, with what it refers to and what it includes; Kubernetes' objects keep their references."""
    whole = dict(part)
    if "$ref" in whole:
        whole = definitions[whole.pop("$ref").removeprefix(DEFINITION)] | whole
    if "properties" in whole:
        included = definitions[whole.pop("x-include").removeprefix(DEFINITION)] if "x-include" in whole else {}
        keys = whole["properties"] | included.get("properties", {})
        whole["properties"] = {key: _expanded(below, definitions) for key, below in keys.items()}
    below = whole.get("additionalProperties")
    if isinstance(below, dict) and "properties" in below:
        whole["additionalProperties"] = _expanded(below, definitions)
    return whole


def _reached(part: Any, definitions: Schema) -> Schema:
    """The definitions that are referred to, in their own order."""
    found: set[str] = set()
    waiting = [part]
    while waiting:
        names = {name.removeprefix(DEFINITION) for name in _references(waiting.pop())} - found
        found |= names
        waiting += (definitions[name] for name in names)
    return {name: definition for name, definition in definitions.items() if name in found}


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if isinstance(part.get("$ref"), str):
            yield part["$ref"]
        part = list(part.values())
    if isinstance(part, list):
        for below in part:
            yield from _references(below)


def resolve(schema: Schema) -> Schema:
    """The schema itself, or the definition that it refers to."""
    while "$ref" in schema:
        schema = load()["definitions"][schema["$ref"].removeprefix(DEFINITION)]
    return schema


def is_record(schema: Schema) -> bool:
    """Whether it is one of dsgen's own records, with fixed keys that have defaults."""
    return "properties" in schema and schema["type"] == "object" and "default" not in schema


def is_nullable(schema: Schema) -> bool:
    """Whether the key may be null, which is the same as absent."""
    return "null" in types(schema)


def takes_null(path: Sequence[str | int]) -> bool:
    """Whether null may stand at a path: at a nullable key, and where it takes an entry out of a default map.

    Both majors of Helm drop such an entry before they look at the schema; elsewhere in a map they keep the null.
    """
    rule, above = type_at(path), type_at(path[:-1])
    default = above.get("default") if above else None
    return (rule is not None and is_nullable(rule)) or (isinstance(default, dict) and path[-1] in default)


def types(schema: Schema) -> list[str]:
    """The JSON types that a value may have; empty when any will do."""
    found = schema.get("type", [])
    return [found] if isinstance(found, str) else found


def kubernetes_type(schema: Schema) -> str:
    """The type of the Kubernetes API whose fields stand there, such as Affinity; empty for what is dsgen's own."""
    for part in (schema, *schema.get("allOf", ())):
        name = part.get("$ref", "").removeprefix(DEFINITION)
        if name:
            return str(name) if name[0].isupper() else kubernetes_type(load()["definitions"][name])
    return ""


def child(schema: Schema, key: str | int) -> Schema | None:
    """The schema of what stands under a key or an index, None when there is no such key or anything may stand there."""
    schema = resolve(schema)
    if isinstance(key, int):
        found = schema.get("items")
    else:
        found = schema.get("properties", {}).get(key, schema.get("additionalProperties"))
    if isinstance(found, dict):
        return resolve(found)
    inner = (child(part, key) for part in schema.get("allOf", ()))
    return next((part for part in inner if part is not None), None)


def keys(schema: Schema) -> list[str]:
    """The fixed keys of a record or of a Kubernetes object, in their order."""
    parts = (schema, *schema.get("allOf", ()))
    return [key for part in parts for key in resolve(part).get("properties", ())]


def type_at(path: Sequence[str | int]) -> Schema | None:
    """The schema at a path of the values, such as ("workers", "slots"); None when the path leads nowhere."""
    schema: Schema | None = load()
    for key in path:
        schema = child(schema, key) if schema is not None else None
    return schema


def defaults(schema: Schema | None = None) -> dict[str, Any]:
    """A new tree of defaults: what Helm has from the chart's values.yaml. Nullable keys are absent."""
    record = load() if schema is None else schema
    found: dict[str, Any] = {}
    for key, part in record["properties"].items():
        if "default" in part:
            found[key] = copy.deepcopy(part["default"])
        elif is_always_there(part):
            found[key] = defaults(part)
    return found


def is_always_there(schema: Schema) -> bool:
    """Whether it is a record that stands in every tree; an optional one is a choice by being there."""
    return is_record(schema) and "x-optional" not in schema


def fill(values: dict[str, Any]) -> dict[str, Any]:
    """A copy with the defaults that Helm cannot give: those below keys that the user names, such as storage.data."""
    filled: dict[str, Any] = _filled(load(), values)
    return filled


def _filled(schema: Schema, value: Any) -> Any:
    if not isinstance(value, dict):
        return copy.deepcopy(value)
    if is_record(schema):
        whole = {**defaults(schema), **value}
        return {key: _filled(schema["properties"].get(key, {}), part) for key, part in whole.items()}
    below = schema.get("additionalProperties")
    if isinstance(below, dict):
        return {key: _filled(resolve(below), part) for key, part in value.items()}
    return copy.deepcopy(value)


def records(schema: Schema | None = None, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Schema]]:
    """Every key with its schema, in the order of values.json; `*` stands for a key that the user names."""
    record = resolve(load() if schema is None else schema)
    for key, part in record.get("properties", {}).items():
        yield (*path, key), part
        if is_record(part):
            yield from records(part, (*path, key))
        below = part.get("additionalProperties")
        if isinstance(below, dict) and is_record(resolve(below)):
            yield from records(below, (*path, key, "*"))
