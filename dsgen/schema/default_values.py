"""What the values of the user become with those of the chart, as in Helm: missing keys are filled, and nulls remove.

In Helm, null replaces a value, and in the end removes a default of the chart; a null that remains is an error of the
chart's schema. dsgen's chart accepts and removes such a null where it can: for a map, for its entries, and below these.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dsgen.problems import Diagnostic, KeyPath, path_text
from dsgen.reading.nodes import Node
from dsgen.schema import (
    Schema,
    copy_plain,
    find_child,
    find_part,
    is_always_there,
    is_nullable,
    is_record,
    load,
    make_defaults,
    resolve,
)


@functools.cache
def load_defaults() -> dict[str, Any]:
    """All defaults; shared, do not change them."""
    return make_defaults()


def fill(values: Mapping[str, Any]) -> dict[str, Any]:
    """A copy with all defaults, also those that Helm cannot merge: below keys that the user names."""
    filled: dict[str, Any] = _fill(load(), load_defaults(), values)
    return filled


def _fill(part: Schema, missing: Any, value: Any) -> Any:
    """The value of a part. missing: its defaults, if those of the record above have them."""
    each = part.get("additionalProperties")
    if isinstance(value, dict) and is_record(part):
        keys, defaults = part["properties"], missing or make_defaults(part)
        return {key: _fill(keys.get(key, {}), defaults.get(key), one) for key, one in {**defaults, **value}.items()}
    if isinstance(value, dict) and isinstance(each, dict):
        return {key: _fill(resolve(each), None, one) for key, one in value.items()}
    return copy_plain(value)


NO_VALUE = "DS106"
GIVE = "give it a value, or remove the line"
MAP, ENTRY, FIELD, OTHER = "map", "entry", "field of Kubernetes", "other"
"""A map with entries of the user's choice; a value below such a map; the same, of a Kubernetes object; all others."""


def classify_place(path: Sequence[str | int]) -> str:
    """The kind of a place in the values: MAP, ENTRY, FIELD or OTHER. Places in lists are OTHER."""
    rule, found, below = load(), OTHER, ""
    for key in path:
        part = find_child(rule, key)
        if part is None or isinstance(key, int):
            return OTHER
        if below:
            found = below
        elif not is_always_there(part):
            found, below = MAP if isinstance(part.get("default"), dict) else OTHER, ENTRY
        if _is_of_kubernetes(rule.get("properties", {}).get(key, rule.get("additionalProperties"))):
            below = FIELD
        rule = part
    return found


def _is_of_kubernetes(part: Any) -> bool:
    """Whether the keys of a part are those of a definition: of an object of Kubernetes, or of a part of one."""
    references = [part, *part.get("allOf", ())] if isinstance(part, dict) else []
    return any("$ref" in reference and "properties" in resolve(reference) for reference in references)


def takes_null(path: Sequence[str | int], node: Node) -> bool:
    """Whether null has a meaning of its own: at a nullable key, and where it removes defaults.

    Both majors of Helm remove defaults before they check the schema.
    """
    rule, above = find_part(path), find_part(path[:-1])
    default = above.get("default") if above else None
    if (rule is not None and is_nullable(rule)) or (isinstance(default, dict) and path[-1] in default):
        return True
    return node.removes is not None and rule is not None and classify_place(path) == MAP and bool(rule["default"])


def remove_nulls(root: Node) -> tuple[Node, list[Diagnostic]]:
    """The values without the nulls that remove something, and a warning for each that would, but finds nothing.

    A null in the first of the merged values stays, as do nulls with a meaning of their own.
    """
    removed: set[KeyPath] = set()
    idle: list[Diagnostic] = []
    for path, node in _find_nulls(root):
        found = OTHER if takes_null(path, node) else classify_place(path)
        if found == OTHER or (found == FIELD and not node.removes):
            continue
        removed.add(path)
        if not node.removes:
            message = f"{path_text(path)} has no value, and there is none that null could remove"
            idle.append(Diagnostic(NO_VALUE, message, node.position, path, GIVE, severity="warning"))
    return (root.copy_without(removed) if removed else root), idle


def _find_nulls(node: Node, path: KeyPath = ()) -> Iterator[tuple[KeyPath, Node]]:
    """The nulls that were merged over other values."""
    if isinstance(node.value, dict):
        for key, below in node.value.items():
            if below.value is None and below.removes is not None and not below.broken:
                yield (*path, key), below
            elif isinstance(below.value, dict):
                yield from _find_nulls(below, (*path, key))
