"""Conditions of the chart's schema on several keys, from the tables of the rules: sources that exclude each other, keys
of a launch method, and fields that the templates write.
"""

import itertools
from collections.abc import Iterator, Sequence

from dsgen import schema
from dsgen.checks.launch import COMMANDS, METHODS, USES
from dsgen.checks.pods import CONTAINER_FIELDS, POD_FIELDS
from dsgen.checks.rule import ROLES
from dsgen.checks.storage import SOURCES
from dsgen.schema import Schema

IDS = {"DS203", "DS210", "DS211", "DS221", "DS232", "DS233", *(f"DS27{one}" for one in (0, 1, 2, 3, 4, 5))}
"""The rules that a chart has as conditions of its schema."""
A_TEXT, A_LIST, A_MAP = (
    {"type": kind, f"min{what}": 1}
    for kind, what in (("string", "Length"), ("array", "Items"), ("object", "Properties"))
)


def list_conditions() -> Iterator[Schema]:
    """The conditions, which all hold for the values of a chart."""
    programs = {"training.python": A_TEXT, "training.module": A_TEXT, "training.exec": A_LIST}
    several = {"anyOf": [_at(dict(two)) for two in itertools.combinations(programs.items(), 2)]}
    yield {"if": _has_method(COMMANDS), "then": _at({"launch.command": A_LIST}), "else": {"not": several}}
    unused: dict[tuple[str, ...], dict[str, Schema]] = {}
    for key, use in USES.items():
        default = (schema.find_part(tuple(key.split("."))) or {})["default"]
        unused.setdefault(tuple(use.methods), {})[key] = {"const": default}
    for methods, parts in unused.items():
        yield {"if": _has_method(methods), "else": _at(parts)}
    two = {"properties": {"config": A_MAP, "configFile": A_TEXT}, "required": ["config", "configFile"]}
    yield _at({"training.deepspeed": {"not": two}})
    given = [
        {"required": [one], "properties": {one: A_TEXT if one == SOURCES[0] else {"type": "object"}}} for one in SOURCES
    ]
    yield _at({"storage": {"additionalProperties": {"if": {"type": "object"}, "then": {"oneOf": given}}}})
    own = {"extraPodSpec": POD_FIELDS, "extraContainerSpec": CONTAINER_FIELDS}
    refused = {key: {"propertyNames": {"not": {"enum": [*fields]}}} for key, fields in own.items()}
    yield {"patternProperties": {f"^({'|'.join(ROLES)})$": {"properties": refused}}}


def _has_method(methods: Sequence[str]) -> Schema:
    return _at({"launch.method": {"enum": [one for one in METHODS if one in methods]}})


def _at(parts: Schema) -> Schema:
    """A condition on the values of keys."""
    whole: Schema = {}
    for key, part in parts.items():
        whole = schema.put(whole, f"properties.{key.replace('.', '.properties.')}".split("."), part)
    return whole
