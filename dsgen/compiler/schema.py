"""Reads the schema of the values from its source, values.json and kubernetes.json, with its records expanded.

Definitions hold what several records share: a key of a record may be a `$ref` with further keywords, which take
precedence, and `x-include` adds keys to a record.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dsgen.schema import DEFINITION, KUBERNETES_FILE, SCHEMA_FILE, Schema


def expanded_schema() -> Schema:
    """The schema of values.json, with the objects of kubernetes.json to which it refers as its definitions."""
    source, kubernetes = _read(SCHEMA_FILE), _read(KUBERNETES_FILE)
    definitions = source.pop("definitions") | kubernetes["definitions"]
    expanded = _expand(source, definitions)
    return expanded | {"definitions": _find_reached(expanded, definitions)}


def kubernetes_version() -> str:
    """The version of Kubernetes from which kubernetes.json was made, such as 1.34."""
    return str(_read(KUBERNETES_FILE)["version"]).rpartition(".")[0]


def _read(path: str) -> Schema:
    loaded: Schema = json.loads(Path(path).read_bytes())
    return loaded


def _expand(part: Schema, definitions: Schema) -> Schema:
    """A key of dsgen with its reference and its included keys expanded; objects of Kubernetes keep their references."""
    whole = dict(part)
    if "$ref" in whole:
        whole = definitions[whole.pop("$ref").removeprefix(DEFINITION)] | whole
    if "properties" in whole:
        included = definitions[whole.pop("x-include").removeprefix(DEFINITION)] if "x-include" in whole else {}
        keys = whole["properties"] | included.get("properties", {})
        whole["properties"] = {key: _expand(below, definitions) for key, below in keys.items()}
    below = whole.get("additionalProperties")
    if isinstance(below, dict) and "properties" in below:
        whole["additionalProperties"] = _expand(below, definitions)
    return whole


def _find_reached(part: Any, definitions: Schema) -> Schema:
    """The definitions to which a part refers, directly or through others, in their order."""
    reached: set[str] = set()
    waiting = [part]
    while waiting:
        names = {name.removeprefix(DEFINITION) for name in _references(waiting.pop())} - reached
        reached |= names
        waiting += (definitions[name] for name in names)
    return {name: definition for name, definition in definitions.items() if name in reached}


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if isinstance(part.get("$ref"), str):
            yield part["$ref"]
        part = list(part.values())
    if isinstance(part, list):
        for below in part:
            yield from _references(below)
