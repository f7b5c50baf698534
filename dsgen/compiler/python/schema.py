"""Converts the schema of the values to Python: a predicate for every part."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from dsgen.compiler.python.functions import STEP

HEAD = '''\
"""Whether values are valid: a function for each part of the schema.

Written by `make generate` from dsgen/schema/values.json and kubernetes.json; changes are lost.
"""

import re


def anything(value):
    return True


def nothing(value):
    return False


def is_object(value):
    return isinstance(value, dict)


def is_array(value):
    return isinstance(value, list)


def is_string(value):
    return isinstance(value, str)


def is_boolean(value):
    return isinstance(value, bool)


def is_null(value):
    return value is None


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_integer(value):
    """As in Draft 7: 1.0 is an integer, true is not."""
    return value.is_integer() if isinstance(value, float) else is_number(value)


def matches(pattern, text):
    return re.fullmatch(pattern, text, re.ASCII) is not None


def fields(keys, others, value):
    """Whether each value is accepted by the function of its key, or by `others`."""
    return all(keys.get(key, others)(part) for key, part in value.items())
'''

TYPES = ("object", "array", "string", "boolean", "null", "number", "integer")
ASIDE = frozenset({"type", "$schema", "definitions", "title", "description", "default", "examples"})
"""Keywords without a condition of their own: annotations, in addition to `x-` ones, and those that others include."""

LIMITS = {
    "pattern": ("string", "matches({!r}, value)"),
    "minLength": ("string", "len(value) >= {!r}"),
    "minimum": ("number", "not value < {!r}"),
    "maximum": ("number", "not value > {!r}"),
    "minItems": ("array", "len(value) >= {!r}"),
    "minProperties": ("object", "len(value) >= {!r}"),
    "maxProperties": ("object", "len(value) <= {!r}"),
    "required": ("object", "all(key in value for key in {!r})"),
}
"""Keyword -> the type that it applies to, and its condition. A NaN is neither too small nor too large."""

Schema = Mapping[str, Any]


def schema_module(schema: Schema) -> str:
    """The module with `is_valid(values)` for this schema. Raises ValueError for an unknown keyword."""
    writer = _Writer(schema.get("definitions", {}))
    root = writer.function("valid", schema)
    assert root == "is_valid"
    writer.write_definitions()
    return "\n\n".join([HEAD, *writer.functions, "\n".join(writer.tables)]) + "\n"


class _Writer:
    """Collects the functions, and the tables of keys, which follow them in the module."""

    def __init__(self, definitions: Mapping[str, Schema]) -> None:
        self.functions: list[str] = []
        self.tables: list[str] = []
        self._definitions, self._names = definitions, {f"is_{one}" for one in TYPES}
        self._references = {f"#/definitions/{name}": self._name(name) for name in definitions}

    def write_definitions(self) -> None:
        for reference, name in self._references.items():
            self._write(name, self._definitions[reference.removeprefix("#/definitions/")])

    def function(self, words: str, schema: Schema | bool) -> str:
        """The name of the function for a part of the schema; writes the function at its first use."""
        if isinstance(schema, bool):
            return "anything" if schema else "nothing"
        if "$ref" in schema:
            return self._references[schema["$ref"]]  # Draft 7 ignores keywords beside $ref
        types = _types(schema)
        if not _said(schema) and len(types) < 2:
            return f"is_{types[0]}" if types else "anything"
        name = self._name(words)
        self._write(name, schema)
        return name

    def _name(self, words: str) -> str:
        plain = "is_" + re.sub("[^A-Za-z0-9]+", "_", words)
        name, number = plain, 1
        while name in self._names:
            number += 1
            name = f"{plain}_{number}"
        self._names.add(name)
        return name

    def _write(self, name: str, schema: Schema) -> None:
        first, *others = self._conditions(name, schema)
        lines = [f"return {first}"]
        if others:
            lines = ["return (", f"{STEP}{first}", *(f"{STEP}and {one}" for one in others), ")"]
        self.functions.append("\n".join([f"def {name}(value):", *(f"{STEP}{line}" for line in lines)]) + "\n")

    def _conditions(self, name: str, schema: Schema) -> list[str]:
        if "$ref" in schema:
            return [f"{self._references[schema['$ref']]}(value)"]
        types, words = _types(schema), name.removeprefix("is_")
        conditions = [_has_type(types)] if types else []
        for keyword in _said(schema):
            if keyword in LIMITS:
                type_, condition = LIMITS[keyword]
                conditions.append(_guarded(type_, types, condition.format(schema[keyword])))
            elif keyword in STRUCTURE:
                type_, write = STRUCTURE[keyword]
                condition = write(self, words, schema)
                conditions.append(_guarded(type_, types, condition) if type_ else condition)
            else:
                raise ValueError(f"{name}: the keyword {keyword} is not known")
        return conditions

    def _enum(self, words: str, schema: Schema) -> str:
        if not all(isinstance(one, str) for one in schema["enum"]):
            raise ValueError(f"is_{words}: only strings are known in an enum")
        return f"value in {schema['enum']!r}"

    def _fields(self, words: str, schema: Schema) -> str:
        others = self.function(f"{words}_other", schema.get("additionalProperties", True))
        keys = [
            f"{STEP}{key!r}: {self.function(f'{words}_{key}' if words != 'valid' else key, part)},"
            for key, part in schema.get("properties", {}).items()
        ]
        table = f"KEYS_{words}"
        if not keys:
            return f"all(map({others}, value.values()))"
        self.tables += [f"{table} = {{", *keys, "}"]
        return f"fields({table}, {others}, value)"

    def _items(self, words: str, schema: Schema) -> str:
        return f"all(map({self.function(f'{words}_item', schema['items'])}, value))"

    def _property_names(self, words: str, schema: Schema) -> str:
        return f"all(map({self.function(f'{words}_name', schema['propertyNames'])}, value))"

    def _all(self, words: str, schema: Schema) -> str:
        return " and ".join(f"{self.function(f'{words}_part', part)}(value)" for part in schema["allOf"])

    def _one(self, words: str, schema: Schema) -> str:
        parts = [f"{self.function(f'{words}_choice', part)}(value)" for part in schema["oneOf"]]
        return f"[{', '.join(parts)}].count(True) == 1"


STRUCTURE: dict[str, tuple[str, Callable[[_Writer, str, Schema], str]]] = {
    "enum": ("", _Writer._enum),
    "properties": ("object", _Writer._fields),
    "additionalProperties": ("object", _Writer._fields),
    "propertyNames": ("object", _Writer._property_names),
    "items": ("array", _Writer._items),
    "allOf": ("", _Writer._all),
    "oneOf": ("", _Writer._one),
}
"""Keyword -> the only type that it applies to, or None, and the function that writes its condition."""


def _said(schema: Schema) -> list[str]:
    """The keywords that need more than a test of the type; `properties` includes `additionalProperties`."""
    apart = ASIDE | ({"additionalProperties"} if "properties" in schema else set())
    return [keyword for keyword in schema if keyword not in apart and not keyword.startswith("x-")]


def _types(schema: Schema) -> list[str]:
    types = schema.get("type", [])
    return [types] if isinstance(types, str) else list(types)


def _has_type(types: list[str]) -> str:
    tests = " or ".join(f"is_{one}(value)" for one in types)
    return f"({tests})" if len(types) > 1 else tests


def _guarded(wanted: str, types: list[str], condition: str) -> str:
    """A condition that holds for all values of other types, as each keyword of a schema does."""
    if types == [wanted] or (wanted, types) == ("number", ["integer"]):
        return condition
    return f"(not is_{wanted}(value) or {condition})"
