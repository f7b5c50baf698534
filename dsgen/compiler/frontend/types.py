"""The types of expressions in templates, derived from the schema of the values.

kind      meaning
str       any text from the values: printed with `quote`, `json` or `yaml`
word      text that needs no quotes: an enum, a pattern of plain characters, a helper made of those
int, bool
union     a text or a number (or an object), distinguished by `is string`
any       an object that is copied unchanged
map       keys that the user chooses, values of one type
list
record    the fixed keys of the schema, with defaults
json      JSON text; `item` is the type that was converted
block     lines of YAML, which are alone on their line
file      the path of a file of the package, from `files.glob`
release, files, null
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from dsgen.errors import DsgenError


@dataclass(frozen=True)
class Type:
    """One type. Frozen and comparable, so that the signatures of helpers can be compared."""

    kind: str
    item: "Type | None" = None  # of list and map; of json, the type that was converted
    key: "Type | None" = None  # of map
    fields: tuple[tuple[str, "Type"], ...] = ()  # of record
    options: tuple[str, ...] = ()  # the possible texts of a word; the other types of a union
    default: str | None = None  # JSON text of the default, if the values may lack the key
    nullable: bool = False  # may be absent: compare with none first
    stored: bool = False  # a number from the values: an integer, in Helm as a float

    def find_field(self, name: str) -> "Type | None":
        """The type of a record's key."""
        return dict(self.fields).get(name)


STR, WORD, INT, BOOL, ANY, NULL, BLOCK, FILE = (
    Type(kind) for kind in ("str", "word", "int", "bool", "any", "null", "block", "file")
)
TEXTS = frozenset({"str", "word"})

_QUANTIFIER = re.compile(r"\{[0-9,]*\}")
_CLASS = re.compile(r"\[([^]]+)\]")
_PLAIN = re.compile(r"[A-Za-z0-9_:/@-]*")


def is_plain_pattern(pattern: str) -> bool:
    """Whether every match consists of letters, digits and `._:/@-` only, so that it needs no quotes in YAML.

    False for every pattern with a wildcard, a negated class or a backslash.
    """
    rest = _QUANTIFIER.sub("", pattern)
    inside = "".join(_CLASS.findall(rest))
    outside = _CLASS.sub("", rest)
    is_anchored = pattern.startswith("^") and pattern.endswith("$")
    return (
        is_anchored
        and "." not in outside
        and all(_PLAIN.fullmatch(text) for text in (inside.replace(".", ""), re.sub(r"[()|*+?^$]", "", outside)))
    )


class SchemaTypes:
    """The types of the keys of a schema."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._definitions = schema.get("definitions", {})
        self.values = self._make_type(schema, below_user_key=False)

    def _resolve(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """The schema with its reference expanded; its own keywords take precedence."""
        merged: dict[str, Any] = {}
        references = [schema] if "$ref" in schema else [part for part in schema.get("allOf", ()) if "$ref" in part]
        for part in references:
            merged |= self._resolve(self._definitions[part["$ref"].rpartition("/")[2]])
        return merged | {key: value for key, value in schema.items() if key not in ("$ref", "allOf")}

    def _make_type(self, schema: Mapping[str, Any], below_user_key: bool) -> Type:
        schema = self._resolve(schema)
        names = schema.get("type", ())
        names = [names] if isinstance(names, str) else list(names)
        kinds = [name for name in names if name != "null"]
        type_ = (
            self._make_type_of_kind(schema, kinds[0], below_user_key) if len(kinds) == 1 else _make_union(schema, kinds)
        )
        if below_user_key and "default" in schema and type_.kind != "record":
            return replace(type_, default=json.dumps(schema["default"]))
        is_absent = "null" in names or below_user_key or bool(schema.get("x-optional"))
        return replace(type_, nullable=True) if is_absent else type_

    def _make_type_of_kind(self, schema: Mapping[str, Any], kind: str, below_user_key: bool) -> Type:
        match kind:
            case "string":
                options = tuple(schema.get("enum", ()))
                return Type("word", options=options) if _is_word(schema) else STR
            case "integer":
                return replace(INT, stored=True)
            case "boolean":
                return BOOL
            case "array":
                return Type("list", item=self._make_item(schema.get("items")))
            case "object":
                return self._make_object(schema, below_user_key)
        return ANY

    def _make_field(self, name: str, schema: Mapping[str, Any], below_user_key: bool) -> Type:
        type_ = self._make_type(schema, below_user_key)
        if type_.kind == "record" and below_user_key and not schema.get("x-optional"):
            raise DsgenError(f"schema: the record {name!r} is below a key that the user chooses; it must be x-optional")
        return type_

    def _make_item(self, schema: Mapping[str, Any] | None) -> Type:
        return replace(self._make_type(schema, below_user_key=True), nullable=False) if schema else ANY

    def _make_object(self, schema: Mapping[str, Any], below_user_key: bool) -> Type:
        if "properties" in schema and _has_defaults(schema):
            below = below_user_key or bool(schema.get("x-optional"))
            return Type(
                "record", fields=tuple((k, self._make_field(k, v, below)) for k, v in schema["properties"].items())
            )
        if isinstance(schema.get("additionalProperties"), Mapping) and "properties" not in schema:
            keys = WORD if _is_word(self._resolve(schema.get("propertyNames", {}))) else STR
            return Type("map", item=self._make_item(schema["additionalProperties"]), key=keys)
        return ANY


def _is_word(schema: Mapping[str, Any]) -> bool:
    return "enum" in schema or is_plain_pattern(schema.get("pattern", ""))


def _make_union(schema: Mapping[str, Any], kinds: list[str]) -> Type:
    if set(kinds) <= {"string", "integer", "number", "object"} and "string" in kinds:
        others = tuple(kind for kind in kinds if kind != "string")
        return Type("union", item=WORD if _is_word(schema) else STR, options=others)
    return ANY


def _has_defaults(schema: Mapping[str, Any]) -> bool:
    """Whether dsgen has defaults here; an object without defaults is copied unchanged."""
    parts = schema.get("properties", {}).values()
    return any("default" in part or "null" in part.get("type", ()) or _has_defaults(part) for part in parts)


def widen(type_: Type) -> Type:
    """The type of a value after `set`: without default and options, and a number is always an integer."""
    return replace(type_, default=None, options=type_.options if type_.kind == "union" else (), stored=False)


def join_types(left: Type, right: Type) -> Type:
    """The type of a value that has one of two types."""
    if left == right:
        return left
    if "null" in (left.kind, right.kind):
        return replace(right if left.kind == "null" else left, nullable=True)
    nullable = left.nullable or right.nullable
    if {left.kind, right.kind} <= TEXTS:
        return Type("str" if "str" in (left.kind, right.kind) else "word", nullable=nullable)
    if left.kind != right.kind:
        return replace(ANY, nullable=nullable)
    if left.kind == "list" and left.item and right.item:
        empty = [one for one in (left, right) if one.item == EMPTY]
        item = join_types(left.item, right.item) if not empty else (right if empty[0] is left else left).item
        return Type("list", item=item, nullable=nullable)
    return replace(left, nullable=nullable, stored=left.stored or right.stored)


EMPTY = Type("empty")  # the item type of an empty list


def is_harmless(type_: Type | None) -> bool:
    """Whether the JSON of such a value contains no text from the values, so that it needs no quotes."""
    if type_ is None:
        return False
    if type_.kind == "union":
        return type_.item == WORD and "object" not in type_.options
    return type_.kind in ("int", "bool", "word", "empty") or (type_.kind == "list" and is_harmless(type_.item))
