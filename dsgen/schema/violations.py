"""Finds the keywords of a schema that a value violates, each with its path.

It supports the keywords that the schemas of dsgen use, as defined by Draft 7, except that a pattern must match the
whole text, and that `required` reports all missing keys at once. tests/schema/test_violations.py compares it with
jsonschema.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from dsgen.problems import KeyPath
from dsgen.schema import Schema, resolve

Below = Callable[[Any, Any, Schema, KeyPath], Iterator["KeywordViolation"]]

TYPES: dict[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "integer": lambda value: type(value) is int or (isinstance(value, float) and value.is_integer()),
}
"""Type of JSON Schema -> whether a value has it: 1.0 is an integer, true is not."""


class KeywordViolation(NamedTuple):
    """A violated keyword with its value (`limit`), in the part of the schema (`rule`) for the value at a path.

    is_name: the value is a key of the map at the path.
    """

    keyword: str
    limit: Any
    value: Any
    rule: Schema
    path: KeyPath
    is_name: bool = False


def find_violations(rule: Any, value: Any, path: KeyPath = ()) -> Iterator[KeywordViolation]:
    """All violated keywords, also those in parts of the value."""
    if isinstance(rule, bool):
        return  # `additionalProperties` itself reports what is not allowed
    rule = resolve(rule)
    for keyword, limit in rule.items():
        if keyword in BELOW:
            yield from BELOW[keyword](limit, value, rule, path)
        elif keyword in VIOLATED and VIOLATED[keyword](limit, value, rule):
            yield KeywordViolation(keyword, limit, value, rule, path)


def has_type(name: str, value: Any) -> bool:
    """Whether a value has a type of JSON Schema."""
    return TYPES[name](value)


def _matches_none(limit: str | list[str], value: Any) -> bool:
    return not any(has_type(name, value) for name in ([limit] if isinstance(limit, str) else limit))


def _is_other(limit: list[Any], value: Any) -> bool:
    return not any(value == one and isinstance(value, bool) == isinstance(one, bool) for one in limit)


def _is_spelled_otherwise(pattern: str, text: Any) -> bool:
    return isinstance(text, str) and re.fullmatch(pattern, text, re.ASCII) is None


def _list_other_keys(value: Any, rule: Schema) -> list[str]:
    return [key for key in value if key not in rule.get("properties", {})] if isinstance(value, dict) else []


def _lacks_single_match(limit: list[Schema], value: Any) -> bool:
    return sum(next(find_violations(one, value), None) is None for one in limit) != 1


VIOLATED: dict[str, Callable[[Any, Any, Schema], bool]] = {
    "type": lambda limit, value, _: _matches_none(limit, value),
    "enum": lambda limit, value, _: _is_other(limit, value),
    "pattern": lambda limit, value, _: _is_spelled_otherwise(limit, value),
    "minimum": lambda limit, value, _: has_type("number", value) and value < limit,
    "maximum": lambda limit, value, _: has_type("number", value) and value > limit,
    "minLength": lambda limit, value, _: isinstance(value, str) and len(value) < limit,
    "minItems": lambda limit, value, _: isinstance(value, list) and len(value) < limit,
    "minProperties": lambda limit, value, _: isinstance(value, dict) and len(value) < limit,
    "maxProperties": lambda limit, value, _: isinstance(value, dict) and len(value) > limit,
    "required": lambda limit, value, _: isinstance(value, dict) and not value.keys() >= {*limit},
    "oneOf": lambda limit, value, _: _lacks_single_match(limit, value),
}
"""Keyword -> whether the value violates it."""


def _check_properties(limit: Any, value: Any, _: Schema, path: KeyPath) -> Iterator[KeywordViolation]:
    for key, rule in limit.items() if isinstance(value, dict) else ():
        if key in value:
            yield from find_violations(rule, value[key], (*path, key))


def _check_additional(limit: Any, value: Any, rule: Schema, path: KeyPath) -> Iterator[KeywordViolation]:
    others = _list_other_keys(value, rule)
    if limit is False and others:
        yield KeywordViolation("additionalProperties", limit, value, rule, path)
    for key in others:
        yield from find_violations(limit, value[key], (*path, key))


def _check_names(limit: Any, value: Any, _: Schema, path: KeyPath) -> Iterator[KeywordViolation]:
    for key in value if isinstance(value, dict) else ():
        for one in find_violations(limit, key, path):
            yield one._replace(is_name=True)


def _check_items(limit: Any, value: Any, _: Schema, path: KeyPath) -> Iterator[KeywordViolation]:
    for index, item in enumerate(value if isinstance(value, list) else ()):
        yield from find_violations(limit, item, (*path, index))


def _check_all(limit: Any, value: Any, _: Schema, path: KeyPath) -> Iterator[KeywordViolation]:
    for rule in limit:
        yield from find_violations(rule, value, path)


BELOW: dict[str, Below] = {
    "properties": _check_properties,
    "additionalProperties": _check_additional,
    "propertyNames": _check_names,
    "items": _check_items,
    "allOf": _check_all,
}
"""Keyword -> the violations in parts of the value, or of the schema."""
