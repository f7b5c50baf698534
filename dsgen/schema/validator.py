"""Finds the keywords of a schema that a value violates, with jsonschema, as Helm's validator finds them.

Imported late: jsonschema takes as long as all other modules of a command.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from jsonschema import Draft7Validator, ValidationError
from jsonschema.validators import extend

from dsgen.schema import Schema


def find_violations(whole: Schema, value: Any) -> list[ValidationError]:
    """All violated keywords, also those in parts of the value, in the order of the schema and of the value."""
    return list(_Validator(whole).iter_errors(value))


def _check_pattern(_: Any, pattern: str, text: Any, __: Schema) -> Iterator[ValidationError]:
    # For Python, $ is also the place before a newline at the end, and \w has the letters of all languages.
    if isinstance(text, str) and not re.fullmatch(pattern, text, re.ASCII):
        yield ValidationError("does not match")


def _check_required(_: Any, keys: list[str], value: Any, __: Schema) -> Iterator[ValidationError]:
    # All missing keys are one violation.
    if isinstance(value, dict) and not value.keys() >= {*keys}:
        yield ValidationError("lacks keys")


def _check_other_keys(validator: Any, part: Any, value: Any, rule: Schema) -> Iterator[ValidationError]:
    # jsonschema visits them in the order of a set, which differs between two runs.
    others = [key for key in value if key not in rule.get("properties", {})] if isinstance(value, dict) else []
    if part is False and others:
        yield ValidationError("has other keys")
    for key in others if isinstance(part, dict) else ():
        yield from validator.descend(value[key], part, path=key)


_Validator = extend(  # type: ignore[no-untyped-call] # its stubs lack types
    Draft7Validator,
    {"additionalProperties": _check_other_keys, "pattern": _check_pattern, "required": _check_required},
)
