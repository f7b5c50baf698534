"""Checks values against the schema and words what is wrong for people.

jsonschema finds the errors; the table at the end says each kind in the user's words, with what is possible, at the
place of the key (an unknown one) or of the value.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dsgen import schema, suggestions
from dsgen.characters import uncarried_key, uncarried_text
from dsgen.diagnostics import Diagnostic, Position
from dsgen.nodes import Node, Path, kind, path_text

if TYPE_CHECKING:
    from jsonschema import Draft7Validator, ValidationError

TYPE_WORDS = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a map",
    "null": "null",
}
UNKNOWN_KEY, NO_VALUE = "DS101", "DS106"

Problem = tuple[Path, Diagnostic]
"""A diagnostic and the path of what is wrong: of the unknown key, of the value of the wrong type."""


@dataclass(frozen=True)
class _Finding:
    """One error of jsonschema with what is needed to word it."""

    error: ValidationError
    path: Path
    node: Node

    @property
    def name(self) -> str:
        return path_text(self.path) or "the file"

    @property
    def value(self) -> Any:
        """The part of the values that is wrong."""
        return self.error.instance

    @property
    def limit(self) -> Any:
        """The value of the schema's keyword that was violated."""
        return self.error.validator_value

    @property
    def rule(self) -> schema.Schema:
        """The part of the schema that was violated."""
        found = self.error.schema
        return found if isinstance(found, dict) else {}

    @property
    def known(self) -> list[str]:
        """The keys that may stand there."""
        return schema.keys(self.rule)

    def says(self, id_: str, message: str, hint: str = "") -> Problem:
        return self.path, Diagnostic(id_, message, self.node.position, path_text(self.path), hint)

    def says_of_key(self, id_: str, key: str, message: str, hint: str) -> Problem:
        child, path = self.node.child(key), (*self.path, key)
        at = (child.key if child else None) or self.node.position
        return path, Diagnostic(id_, message, at, path_text(path), hint)


def validate(root: Node, complete: bool = True) -> list[Problem]:
    """All errors of a tree of values, which holds what the user gave, without defaults; each with its path.

    complete: false when a part could not be read; then nothing is called missing.
    """
    found = [*_nulls(root), *_spellings(root), *_uncarried(root)]
    for error in _validator().iter_errors(root.data()):
        path = tuple(error.absolute_path)
        if error.instance is None or _is_broken(root, path):
            continue  # said already
        if error.validator == "required" and not complete:
            continue
        finding = _Finding(error, path, root.find(path)[0])
        word = _name if "propertyNames" in error.absolute_schema_path else WORDING[str(error.validator)]
        found.extend(word(finding))
    unknown = [(path[-1], problem.position) for path, problem in found if problem.id == UNKNOWN_KEY]
    return [(path, one) for path, one in found if one.id != NO_VALUE or not _stands_below(path, one.position, unknown)]


def _stands_below(path: Path, at: Position | None, unknown: Sequence[tuple[str | int, Position | None]]) -> bool:
    """Whether what a key without a value lacks is in the next line, not indented, where it is an unknown key."""
    rule = schema.type_at(path)
    return rule is not None and any(
        at and place and place.line == at.line + 1 and schema.child(rule, key) is not None for key, place in unknown
    )


@functools.cache
def _validator() -> Draft7Validator:
    from jsonschema import Draft7Validator, validators  # slow to import, and `dsgen --help` does without

    extended = validators.extend(Draft7Validator, {"pattern": _pattern_keyword})  # type: ignore[no-untyped-call] # stubs
    validator: Draft7Validator = extended(schema.load())
    return validator


def _pattern_keyword(_validator: Any, pattern: str, text: Any, _schema: Any) -> Iterator[ValidationError]:
    # Python's own `$` would accept a newline at the end.
    from jsonschema import ValidationError

    if isinstance(text, str) and not re.fullmatch(pattern, text, re.ASCII):
        yield ValidationError("does not match")


def _is_broken(root: Node, path: Path) -> bool:
    return any(root.find(path[:depth])[0].broken for depth in range(len(path) + 1))


# -- what jsonschema cannot say ---------------------------------------------------------------------------------------


def _nulls(root: Node) -> Iterator[Problem]:
    for path, node in root.walk():
        if node.value is not None or not path or path[0] == "global" or _is_broken(root, path):
            continue
        rule = schema.type_at(path)  # none below an unknown key, which is said already
        if rule is not None and not schema.takes_null(path):
            name = path_text(path)
            yield path, Diagnostic(NO_VALUE, f"{name} has no value", node.position, name, _no_value(rule))


def _no_value(rule: schema.Schema) -> str:
    default = rule.get("default")
    if isinstance(default, str | int) and default != "":
        return f"give it one, or remove the line to have the default, {shown(default)}"
    return "give it one, or remove the line"


def _spellings(root: Node) -> Iterator[Problem]:
    """A key that may be a text or an integer prints as it is read: `1e3` would be 1000, `010` would be 8."""
    for path, node in root.walk():
        rule = schema.type_at(path) if node.text else None
        if not rule or schema.types(rule) != ["string", "integer"] or isinstance(node.value, str | bool | None):
            continue
        if node.text != str(node.value):
            message = f"{path_text(path)}: {node.text} is read as the number {node.value}"
            yield path, Diagnostic("DS110", message, node.position, path_text(path), f'put it in quotes: "{node.text}"')


def _uncarried(root: Node) -> Iterator[Problem]:
    """What stops Helm 3 with an error that names no key, as soon as a chart has a schema."""
    for path, node in root.walk():
        name, key = path_text(path), path[-1] if path else ""
        if isinstance(key, str) and (reason := uncarried_key(key)):
            at = node.key or node.position
            yield path, Diagnostic("DS111", f"{name}: the key {reason}", at, name, "choose another key")
        if isinstance(node.value, str) and (reason := uncarried_text(node.value)):
            yield path, Diagnostic("DS111", f"{name} {reason}", node.position, name, "leave it out")


# -- the wording, by the schema's keyword -----------------------------------------------------------------------------


def _unknown_keys(found: _Finding) -> Iterator[Problem]:
    for key in found.value:
        if key not in found.known and not uncarried_key(key):  # that is said already
            where = path_text(found.path) or "a values file"
            message = f'"{key}" is not a key of {where}'
            yield found.says_of_key(UNKNOWN_KEY, key, message, suggestions.for_key(key, found.path, found.rule))


def _wrong_type(found: _Finding) -> Iterator[Problem]:
    wanted = [found.limit] if isinstance(found.limit, str) else list(found.limit)
    words = " or ".join(TYPE_WORDS[name] for name in wanted if name != "null")
    yield found.says("DS102", f"{found.name} must be {words}, not {_is(found.value, wanted)}", _repair(found, wanted))


def _is(value: Any, wanted: Sequence[str]) -> str:
    if isinstance(value, float) and "integer" in wanted:
        return shown(value)
    return kind(value) if isinstance(value, dict | list) else f"{kind(value)} ({shown(value)})"


def shown(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return str(value)
    short = value if len(value) <= 60 else value[:57] + "..."
    return '"' + short.replace("\n", "\\n") + '"'


def _repair(found: _Finding, wanted: Sequence[str]) -> str:
    value = found.value
    if "string" in wanted:
        return _as_text(found)
    if isinstance(value, str) and {"integer", "number"} & set(wanted) and re.fullmatch("[0-9]+", value):
        return f"write it without quotes: {value}"
    if isinstance(value, str) and "boolean" in wanted and value.lower() in ("true", "false", "yes", "no"):
        return "write true or false, without quotes"
    if "array" in wanted:
        return f"write it as a list: [{shown(value)}]" if not isinstance(value, dict) else "begin each item with -"
    return suggestions.possible(found.known) if "object" in wanted else ""


def _as_text(found: _Finding) -> str:
    """What to do about something that should be a text."""
    text = found.node.text or shown(found.value)
    if "enum" in found.rule:
        return suggestions.possible(found.rule["enum"])
    if "pattern" in found.rule and not re.fullmatch(found.rule["pattern"], text):
        return _pattern_words(found)
    if found.node.position.file == "--set":
        return "--set-string makes a text of it"
    return f'put it in quotes: "{text}"' if isinstance(found.value, int | float) else ""


def _not_in_enum(found: _Finding) -> Iterator[Problem]:
    if type(found.value) is not str:
        return  # its type is wrong, which is said already
    close, possible = suggestions.closest(found.value, found.limit), suggestions.possible(found.limit)
    hint = f"did you mean {close}? {possible[:1].upper()}{possible[1:]}".rstrip() if close else possible
    yield found.says("DS103", f"{found.name} cannot be {shown(found.value)}", hint)


def _wrong_pattern(found: _Finding) -> Iterator[Problem]:
    yield found.says("DS104", f"{found.name} cannot be {shown(found.value)}", _pattern_words(found))


def _pattern_words(found: _Finding) -> str:
    return f"it must be: {found.rule['x-pattern']}"


def _out_of_range(found: _Finding) -> Iterator[Problem]:
    side = "at least" if found.error.validator == "minimum" else "at most"
    yield found.says("DS105", f"{found.name} must be {side} {found.limit}, not {shown(found.value)}")


def _empty(found: _Finding) -> Iterator[Problem]:
    yield found.says("DS108", f"{found.name} must not be empty")


def _too_many(found: _Finding) -> Iterator[Problem]:
    yield found.says("DS108", f"{found.name} takes one of its keys, not {len(found.value)}")


def _missing(found: _Finding) -> Iterator[Problem]:
    if any(key not in found.known for key in found.value):
        return  # most likely it is there, misspelt
    for key in found.limit:
        if key not in found.value and found.error.message.startswith(repr(key)):
            yield found.says("DS107", f'{found.name} needs the key "{key}"')


def _one_of(found: _Finding) -> Iterator[Problem]:
    choices = [key for branch in found.limit for key in branch["required"]]
    if isinstance(found.value, dict) and set(found.value) <= set(found.known):
        yield found.says("DS108", f"{found.name} needs exactly one of {' and '.join(choices)}")


def _name(found: _Finding) -> Iterator[Problem]:
    """A key that the user chose, in `storage` or `labels`; its place is that key."""
    key = str(found.value)
    message = f'"{key}" cannot be a name in {found.name}'
    yield found.says_of_key("DS109", key, message, _pattern_words(found))


WORDING: dict[str, Callable[[_Finding], Iterator[Problem]]] = {
    "additionalProperties": _unknown_keys,
    "type": _wrong_type,
    "enum": _not_in_enum,
    "pattern": _wrong_pattern,
    "minimum": _out_of_range,
    "maximum": _out_of_range,
    "minLength": _empty,
    "minItems": _empty,
    "minProperties": _empty,
    "maxProperties": _too_many,
    "required": _missing,
    "oneOf": _one_of,
}
