"""Words for what is wrong with a value or a key, by the keyword of the schema that was violated, and how to mend it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from dsgen import schema
from dsgen.problems.diagnostics import Diagnostic, Path, path_text
from dsgen.problems.redaction import redacted
from dsgen.reading.characters import uncarried_key
from dsgen.reading.nodes import Node, kind
from dsgen.reading.scalars import resolve
from dsgen.schema import suggestions

if TYPE_CHECKING:
    from jsonschema import ValidationError

TYPE_WORDS = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a map",
    "null": "null",
}
UNKNOWN_KEY = "DS101"


class About(NamedTuple):
    """What a schema is about. file: "a values file"; hint: what may be meant by an unknown key."""

    file: str
    hint: Callable[[str, Path, schema.Schema], str]


VALUES = About("a values file", suggestions.for_key)


@dataclass(frozen=True)
class Violation:
    """One violation of the schema, as jsonschema found it, with what is needed to word it."""

    error: ValidationError
    path: Path
    node: Node
    about: About

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

    def says(self, id_: str, message: str, hint: str = "") -> Diagnostic:
        return Diagnostic(id_, message, self.node.position, self.path, hint)

    def says_of_key(self, id_: str, key: str, message: str, hint: str) -> Diagnostic:
        child = self.node.child(key)
        at = (child.key if child else None) or self.node.position
        return Diagnostic(id_, message, at, (*self.path, key), hint)


def _unknown_keys(found: Violation) -> Iterator[Diagnostic]:
    for key in found.value:
        if key not in found.known and not uncarried_key(key):  # that is said already
            where = path_text(found.path) or found.about.file
            message = f'"{key}" is not a key of {where}'
            yield found.says_of_key(UNKNOWN_KEY, key, message, found.about.hint(key, found.path, found.rule))


def _wrong_type(found: Violation) -> Iterator[Diagnostic]:
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
    text = redacted(value)  # before it is cut: half of an address no longer looks like one
    short = text if len(text) <= 60 else text[:57] + "..."
    return '"' + short.replace("\n", "\\n") + '"'


def _repair(found: Violation, wanted: Sequence[str]) -> str:
    value = found.value
    if "string" in wanted:
        return _as_text(found)
    if isinstance(value, str) and {"integer", "number"} & set(wanted) and re.fullmatch("[0-9]+", value):
        is_set = found.node.position.file == "--set-string"
        return "--set reads it as a number" if is_set else f"write it without quotes: {value}"
    if isinstance(value, str) and "boolean" in wanted and value.lower() in ("true", "false", "yes", "no"):
        return "write true or false, without quotes"
    if "array" in wanted:
        return _as_list(found)
    if found.path == ("training", "env") and isinstance(value, list):
        return 'write each variable as a line, NAME: "text", without name and value'
    return suggestions.possible(found.known) if "object" in wanted else ""


def _as_list(found: Violation) -> str:
    """What to do about something that should be a list; a text with blanks is most likely a command line."""
    value, items = found.value, schema.types(schema.child(found.rule, 0) or {})
    if isinstance(value, dict) or (items and kind(value) == "a text" and "string" not in items):
        return "begin each item with -"
    words = _words(value) if isinstance(value, str) else [shown(value)]
    if found.node.position.file.startswith("--set"):
        return f"write it as a list: {{{','.join(words)}}}"
    each = ", one item for each argument" if len(words) > 1 else ""
    return f"write it as a list{each}: [{', '.join(words)}]"


def _words(text: str) -> list[str]:
    """The words of a command line as YAML items, as a shell splits it; the whole text where it has no end."""
    try:
        words = shlex.split(text)
    except ValueError:
        words = [text]
    return [word if _is_plain(word) else shown(word) for word in words or [text]]


def _is_plain(word: str) -> bool:
    """Whether a word is the same text without quotes."""
    return re.fullmatch("[A-Za-z0-9_./=+-]+", word) is not None and resolve(word) == word


def _as_text(found: Violation) -> str:
    """What to do about something that should be a text."""
    text = found.node.text or shown(found.value)
    if "enum" in found.rule:
        return suggestions.possible(found.rule["enum"])
    if "pattern" in found.rule and not re.fullmatch(found.rule["pattern"], text):
        return _pattern_words(found)
    if found.node.position.file == "--set":
        return "--set-string makes a text of it"
    return f'put it in quotes: "{text}"' if isinstance(found.value, int | float) else ""


def _not_in_enum(found: Violation) -> Iterator[Diagnostic]:
    if type(found.value) is not str:
        return  # its type is wrong, which is said already
    hint = suggestions.among(found.value, found.limit)
    yield found.says("DS103", f"{found.name} cannot be {shown(found.value)}", hint)


def _wrong_pattern(found: Violation) -> Iterator[Diagnostic]:
    yield found.says("DS104", f"{found.name} cannot be {shown(found.value)}", _pattern_words(found))


def _pattern_words(found: Violation) -> str:
    return f"it must be: {found.rule['x-pattern']}"


def _out_of_range(found: Violation) -> Iterator[Diagnostic]:
    side = "at least" if found.error.validator == "minimum" else "at most"
    yield found.says("DS105", f"{found.name} must be {side} {found.limit}, not {shown(found.value)}")


def _empty(found: Violation) -> Iterator[Diagnostic]:
    yield found.says("DS108", f"{found.name} must not be empty")


def _too_many(found: Violation) -> Iterator[Diagnostic]:
    yield found.says("DS108", f"{found.name} takes one of its keys, not {len(found.value)}")


def _missing(found: Violation) -> Iterator[Diagnostic]:
    if any(key not in found.known for key in found.value):
        return  # most likely it is there, misspelt
    for key in found.limit:
        if key not in found.value:
            message = f'{found.name} needs the key "{key}"'
            yield Diagnostic("DS107", message, found.node.position, (*found.path, key))


def _one_of(found: Violation) -> Iterator[Diagnostic]:
    choices = [key for branch in found.limit for key in branch["required"]]
    if isinstance(found.value, dict) and set(found.value) <= set(found.known):
        yield found.says("DS108", f"{found.name} needs exactly one of {' and '.join(choices)}")


def bad_name(found: Violation) -> Iterator[Diagnostic]:
    """A key that the user chose, in `storage` or `labels`; its place is that key."""
    key = str(found.value)
    message = f'"{key}" cannot be a name in {found.name}'
    yield found.says_of_key("DS109", key, message, _pattern_words(found))


WORDING: dict[str, Callable[[Violation], Iterator[Diagnostic]]] = {
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
