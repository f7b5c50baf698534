"""The schema of the values: its records, types and defaults.

`values.json` is the source, and `kubernetes.json` has the objects of Kubernetes to which it refers. Definitions hold
what several records share: a key of a record may be a `$ref` with further keywords, which take precedence, and
`x-include` adds keys to a record; `x-launch-methods` stands for an enum of all launch methods. `load` expands them, and
keeps the name of the definition of a key as `x-definition`.

A record is an object with `properties` and no `default`; a map whose keys the user chooses has `additionalProperties`
with a schema; an object with neither is copied into a manifest, and `allOf` checks its fields. A key that may be null
has no default.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Iterator, Sequence
from typing import Any

from dsgen.language.functions import load_launch_methods, read_json

Schema = dict[str, Any]
SCHEMA_FILE, KUBERNETES_FILE = "schema/values.json", "schema/kubernetes.json"
DEFINITION = "#/definitions/"
TYPE_WORDS = {
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a map",
    "null": "null",
}
UNKNOWN_KEY = "DS101"


@functools.cache
def load() -> Schema:
    """The schema of values.json with the objects of kubernetes.json, its records expanded; shared, do not change it."""
    source = read_json(SCHEMA_FILE)
    definitions = source.pop("definitions") | read_json(KUBERNETES_FILE)["definitions"]
    return _expand(source, definitions) | {"definitions": definitions}


def _expand(part: Schema, definitions: Schema) -> Schema:
    """A key of dsgen with its reference and its included keys expanded; objects of Kubernetes keep their references."""
    whole = dict(part)
    if "$ref" in whole:
        name = whole.pop("$ref").removeprefix(DEFINITION)
        whole = definitions[name] | whole | {"x-definition": name}
    if whole.pop("x-launch-methods", False):
        whole["enum"] = [*load_launch_methods()]
    if "properties" in whole:
        included = definitions[whole.pop("x-include").removeprefix(DEFINITION)] if "x-include" in whole else {}
        keys = whole["properties"] | included.get("properties", {})
        whole["properties"] = {key: _expand(below, definitions) for key, below in keys.items()}
    below = whole.get("additionalProperties")
    if isinstance(below, dict) and "properties" in below:
        whole["additionalProperties"] = _expand(below, definitions)
    return whole


def copy_plain(data: Any) -> Any:
    """A new tree of plain data."""
    if isinstance(data, dict):
        return {key: copy_plain(value) for key, value in data.items()}
    return [copy_plain(item) for item in data] if isinstance(data, list) else data


MISSING = object()
"""What there is at a path without a value."""


def look_up(tree: Any, path: Sequence[str | int]) -> Any:
    """The value at a path of plain data, or MISSING."""
    for key in path:
        is_there = key in tree if isinstance(tree, dict) else isinstance(tree, list) and key in range(len(tree))
        if not is_there:
            return MISSING
        tree = tree[key]
    return tree


def put(tree: Any, path: Sequence[str | int], value: Any) -> Any:
    """A copy with another value at a path, which may be the end of a list; MISSING removes it, with the maps that
    become empty.
    """
    key: Any = path[0]
    copied: Any = copy.copy(tree) if isinstance(tree, dict | list) else {}
    below = put(look_up(copied, (key,)), path[1:], value) if path[1:] else value
    if below is MISSING or (value is MISSING and below == {}):
        copied.pop(key, None)
    elif isinstance(copied, list) and key == len(copied):
        copied.append(below)
    else:
        copied[key] = below
    return copied


def resolve(schema: Schema) -> Schema:
    """The schema itself, or the definition to which it refers."""
    while "$ref" in schema:
        schema = load()["definitions"][schema["$ref"].removeprefix(DEFINITION)]
    return schema


def is_record(schema: Schema) -> bool:
    """Whether it is a record of dsgen, with fixed keys that have defaults."""
    return "properties" in schema and schema["type"] == "object" and "default" not in schema


def is_nullable(schema: Schema) -> bool:
    """Whether the key may be null, which means the same as absent."""
    return "null" in list_types(schema)


def list_types(schema: Schema) -> list[str]:
    """The JSON types that a value may have; empty for any type."""
    names = schema.get("type", [])
    return [names] if isinstance(names, str) else names


def find_kubernetes_type(schema: Schema) -> str:
    """The type of the Kubernetes API that a part describes, such as Affinity; empty for a part of dsgen."""
    for part in (schema, *schema.get("allOf", ())):
        name = part.get("$ref", "").removeprefix(DEFINITION)
        if name:
            return str(name) if name[0].isupper() else find_kubernetes_type(load()["definitions"][name])
    return ""


def find_child(schema: Schema, key: str | int) -> Schema | None:
    """The schema under a key or an index; None if there is no such key, or if its value may be anything."""
    schema = resolve(schema)
    if isinstance(key, int):
        part = schema.get("items")
    else:
        part = schema.get("properties", {}).get(key, schema.get("additionalProperties"))
    if isinstance(part, dict):
        return resolve(part)
    inner = (find_child(one, key) for one in schema.get("allOf", ()))
    return next((one for one in inner if one is not None), None)


def list_keys(schema: Schema) -> list[str]:
    """The fixed keys of a record or a Kubernetes object, in their order."""
    parts = (schema, *schema.get("allOf", ()))
    return [key for part in parts for key in resolve(part).get("properties", ())]


def find_part(path: Sequence[str | int]) -> Schema | None:
    """The schema at a path of the values, such as ("workers", "slots"); None if there is no such path."""
    schema: Schema | None = load()
    for key in path:
        schema = find_child(schema, key) if schema is not None else None
    return schema


def make_defaults(schema: Schema | None = None) -> dict[str, Any]:
    """A new tree of the defaults in the chart's values.yaml. Nullable keys are absent."""
    record = load() if schema is None else schema
    values: dict[str, Any] = {}
    for key, part in record["properties"].items():
        if "default" in part:
            values[key] = copy_plain(part["default"])
        elif is_always_there(part):
            values[key] = make_defaults(part)
    return values


def make_empty_maps(schema: Schema | None = None) -> dict[str, Any]:
    """A tree of empty maps for the keys with a map as their default."""
    found: dict[str, Any] = {}
    for key, part in (load() if schema is None else schema)["properties"].items():
        if isinstance(part.get("default"), dict) and key != "global":  # Helm creates it
            found[key] = {}
        elif is_always_there(part) and (below := make_empty_maps(part)):
            found[key] = below
    return found


def is_always_there(schema: Schema) -> bool:
    """Whether it is a record that all values have; an optional record makes a choice by its presence."""
    return is_record(schema) and "x-optional" not in schema


def walk_keys(schema: Schema | None = None, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Schema]]:
    """Every key with its schema, in the order of values.json; `*` is a key that the user names."""
    record = resolve(load() if schema is None else schema)
    for key, part in record.get("properties", {}).items():
        yield (*path, key), part
        if is_record(part):
            yield from walk_keys(part, (*path, key))
        below = part.get("additionalProperties")
        if isinstance(below, dict) and is_record(resolve(below)):
            yield from walk_keys(below, (*path, key, "*"))
