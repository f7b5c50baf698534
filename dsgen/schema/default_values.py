"""Fills values with defaults, by rules that are generated from the schema.

Rules of a record have its `defaults`, unless those of the record above hold them, and, `below` keys, the rules of
records in it. Rules of a map whose keys the user chooses have, for `each` of its values, the rules of that.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dsgen.generated.defaults import RULES as GENERATED

RULES: Mapping[str, Any] = GENERATED


def defaults() -> dict[str, Any]:
    """All defaults; shared, do not change them."""
    rules: dict[str, Any] = RULES["defaults"]
    return rules


def fill(values: Mapping[str, Any]) -> dict[str, Any]:
    """A copy with all defaults, also those that Helm cannot merge: below keys that the user names."""
    return _fill(RULES, defaults(), values)


def _fill(rules: Mapping[str, Any], missing: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    below = rules["below"]
    whole = {**missing, **values}
    return {key: _part(below.get(key), missing.get(key), value) for key, value in whole.items()}


def _part(rules: Mapping[str, Any] | None, missing: Any, value: Any) -> Any:
    if not rules or not isinstance(value, dict):
        return _copy(value)
    if "each" in rules:
        each = rules["each"]
        return {key: _part(each, None, part) for key, part in value.items()}
    return _fill(rules, rules.get("defaults", missing), value)


def _copy(data: Any) -> Any:
    """A new tree of plain data."""
    if isinstance(data, dict):
        return {key: _copy(value) for key, value in data.items()}
    return [_copy(item) for item in data] if isinstance(data, list) else data
