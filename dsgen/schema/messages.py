"""Messages and hints for violations of the schema, by the keyword that was violated."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from dsgen import schema
from dsgen.language.functions import parse_duration
from dsgen.language.text import format_item, format_value, scalar
from dsgen.problems import Diagnostic, KeyPath, path_text
from dsgen.reading.nodes import Node, name_type
from dsgen.reading.scalars import LONGEST_INTEGER, explain_key
from dsgen.schema import foreign, suggestions


class About(NamedTuple):
    """The kind of file that a schema describes: its name for messages, and the function that hints at unknown keys."""

    file: str
    hint: Callable[[str, KeyPath, schema.Schema], str]


LONGEST_LINE = 10_000
"""Characters of a command line that a hint writes as a list."""
VALUES = About("a values file", suggestions.suggest_key)


class Violation(NamedTuple):
    """One violated keyword of the schema, with its place.

    limit: the value of the keyword. value: the wrong value; of a wrong name, the name. rule: the part of the schema
    that contains the keyword.
    """

    node: Node
    about: About
    path: KeyPath
    keyword: str
    limit: Any
    value: Any
    rule: Any

    @property
    def name(self) -> str:
        return path_text(self.path) or "the file"

    @property
    def known(self) -> list[str]:
        """The keys that are possible there."""
        return schema.list_keys(self.rule)

    def make_problem(self, id_: str, message: str, hint: str = "") -> Diagnostic:
        return Diagnostic(id_, message, self.node.position, self.path, _find_unseen(self.value) or hint)

    def report_key(self, id_: str, key: str, message: str, hint: str) -> Diagnostic:
        child = self.node.find_child(key)
        at = (child.key if child else None) or self.node.position
        return Diagnostic(id_, message, at, (*self.path, key), _find_unseen(key) or hint)


def _find_unseen(value: Any) -> str:
    """A hint for a text with a character that looks like a space, such as the no-break space, or like nothing."""
    if not isinstance(value, str) or value.isascii():
        return ""
    import unicodedata  # imported late: only problems need it

    kinds = {"Zs": "write an ordinary space for", "Cf": "remove"}
    found = ((kinds[kind], char) for char in value if char != " " and (kind := unicodedata.category(char)) in kinds)
    return next((f"{what} the {unicodedata.name(char, '').lower()}, U+{ord(char):04X}" for what, char in found), "")


def _report_unknown_keys(violation: Violation) -> Iterator[Diagnostic]:
    for key in violation.value:
        if key not in violation.known and not explain_key(key):  # reported as DS111
            where = path_text(violation.path) or violation.about.file
            message = f'"{key}" is not a key of {where}'
            hint = violation.about.hint(key, violation.path, violation.rule)
            yield violation.report_key(schema.UNKNOWN_KEY, key, message, hint)


def _report_wrong_type(violation: Violation) -> Iterator[Diagnostic]:
    wanted = [violation.limit] if isinstance(violation.limit, str) else list(violation.limit)
    words = " or ".join(schema.TYPE_WORDS[name] for name in wanted if name != "null")
    message = f"{violation.name} must be {words}, not {_describe_value(violation.value, wanted)}"
    yield violation.make_problem("DS102", message, _suggest_repair(violation, wanted))


def _describe_value(value: Any, wanted: Sequence[str]) -> str:
    if isinstance(value, float) and "integer" in wanted:
        return format_value(value)
    return name_type(value) if isinstance(value, dict | list) else f"{name_type(value)} ({format_value(value)})"


def _suggest_repair(violation: Violation, wanted: Sequence[str]) -> str:
    value, path = violation.value, violation.path
    if text := foreign.hint_for_value(path, value):
        return text
    if "string" in wanted:
        return _suggest_text(violation)
    if isinstance(value, str) and {"integer", "number"} & set(wanted) and value.isdecimal() and value.isascii():
        if len(value) > LONGEST_INTEGER:
            return "it is too large for a number"
        is_set = violation.node.position.file == "--set-string"
        return "use --set, which reads it as a number" if is_set else f"write it without quotes: {value}"
    is_time = isinstance(value, str) and "integer" in wanted and str(path[-1]).endswith("Seconds")
    if is_time and (time := parse_duration(value)):
        return f"write it in seconds: {time}"
    if isinstance(value, str) and "boolean" in wanted and value.lower() in ("true", "false", "yes", "no"):
        return "write true or false, without quotes"
    if "array" in wanted:
        return _suggest_list(violation)
    return suggestions.list_possible(violation.known, "keys") if "object" in wanted else ""


COMMANDS: tuple[KeyPath, ...] = (("training", "exec"), ("launch", "command"), ("lifecycle", "debug", "command"))
"""Keys whose list begins with a program; it may be a shell."""


def _suggest_list(violation: Violation) -> str:
    """A hint for a value that should be a list; a string with spaces is most likely a command line."""
    value, item = violation.value, schema.find_child(violation.rule, 0) or {}
    items = schema.list_types(item)
    if isinstance(value, str) and "name" in schema.list_keys(item) and " " not in value:
        return f"write it as a list: [{{name: {format_item(value)}}}]"
    is_text = isinstance(value, str)
    if isinstance(value, dict) or (is_text and (len(value) > LONGEST_LINE or (items and "string" not in items))):
        return "write it as a list: begin each item with -"
    from dsgen.schema import commands  # imported late: only problems need it

    is_set = violation.node.position.file.startswith("--set")
    if isinstance(value, str) and violation.path in COMMANDS and commands.needs_shell(value):
        where = f"in a file, write {violation.name}" if is_set else "write it as a list, with a shell"
        return f"{where}: {commands.format_command(value)}"
    words = commands.split_words(value) if isinstance(value, str) else [format_value(value)]
    if is_set:
        return f"write it as a list: {{{','.join(map(format_item, words))}}}"
    each = ", one item for each argument" if len(words) > 1 else ""
    return f"write it as a list{each}: {commands.format_list(words)}"


def _suggest_text(violation: Violation) -> str:
    """A hint for a value that should be a string."""
    text = violation.node.text or format_value(violation.value)
    if "enum" in violation.rule:
        return suggestions.list_possible(violation.rule["enum"])
    if "pattern" in violation.rule and not re.fullmatch(violation.rule["pattern"], text):
        return _explain_pattern(violation)
    if violation.node.position.file == "--set":
        return "use --set-string, which makes it a string"
    if isinstance(violation.value, dict | list) and isinstance(violation.path[-1], int):
        argument = json.dumps(violation.value, ensure_ascii=False)
        return f"put it in quotes: {format_item(argument)}"
    return f'put it in quotes: "{text}"' if isinstance(violation.value, int | float) else ""


def _report_not_in_enum(violation: Violation) -> Iterator[Diagnostic]:
    if type(violation.value) is not str:
        return  # reported as a wrong type
    hint = suggestions.suggest_among(violation.value, [*map(scalar, violation.limit)])
    hint = hint or violation.rule.get("x-otherwise", "")
    yield violation.make_problem("DS103", f"{violation.name} cannot be {format_value(violation.value)}", hint)


def _report_wrong_pattern(violation: Violation) -> Iterator[Diagnostic]:
    message = f"{violation.name} cannot be {format_value(violation.value)}"
    yield violation.make_problem("DS104", message, _explain_pattern(violation))


def _explain_pattern(violation: Violation) -> str:
    expected, text = f"expected: {violation.rule['x-pattern']}", str(violation.value)
    first, _, rest = re.sub("[_.]", "-", text.lower()).partition("-")
    # Of names such as 7b-sft, with the digits at the end or after a word.
    named = (f"{rest}-{first}", f"job-{text.lower()}") if violation.path == ("name",) else ()
    for candidate in (*_correct(text), *named):
        if re.fullmatch(violation.rule["pattern"], candidate, re.ASCII):
            return f"{suggestions.did_you_mean(candidate)} {expected[:1].upper()}{expected[1:]}"
    return expected


def _correct(text: str) -> Iterator[str]:
    """Quantities in the spelling of other tools, and names in which invalid characters are replaced or removed."""
    if quantity := re.fullmatch(r"([0-9.]+) *([kKmMgGtT])(i?)[bB]?", text):
        yield f"{quantity[1]}{quantity[2].upper()}i"
    elif number := re.fullmatch(r"([0-9.]+) *(cores?|cpus?|vcpus?)", text, re.IGNORECASE):
        yield number[1]
    if text.startswith("-") or re.fullmatch("[0-9]*[.][0-9]*", text):
        return  # an option or a number, not a name
    yield text.lower()
    yield re.sub("[_.]", "-", text.lower())
    yield re.sub("[-.]", "_", text)
    yield re.sub("[-_.]", "", text.lower())


def _report_out_of_range(violation: Violation) -> Iterator[Diagnostic]:
    side = "at least" if violation.keyword == "minimum" else "at most"
    unit = violation.path[:1] == ("estimate",) and "x-pattern" in violation.rule
    hint = f"expected: {violation.rule['x-pattern']}" if unit else ""
    message = f"{violation.name} must be {side} {violation.limit}, not {format_value(violation.value)}"
    yield violation.make_problem("DS105", message, hint)


def _report_wrong_number(violation: Violation) -> Iterator[Diagnostic]:
    is_most = violation.keyword == "maxProperties"
    what = f"takes only one of its keys, not {len(violation.value)}" if is_most else "must not be empty"
    yield violation.make_problem("DS108", f"{violation.name} {what}")


def _report_missing(violation: Violation) -> Iterator[Diagnostic]:
    if any(key not in violation.known for key in violation.value):
        return  # most likely a misspelt key, which is reported
    for key in violation.limit:
        if key not in violation.value:
            message = f'{violation.name} needs the key "{key}"'
            yield Diagnostic("DS107", message, violation.node.position, (*violation.path, key))


def _report_one_of(violation: Violation) -> Iterator[Diagnostic]:
    choices = [key for branch in violation.limit for key in branch["required"]]
    if isinstance(violation.value, dict) and set(violation.value) <= set(violation.known):
        yield violation.make_problem("DS108", f"{violation.name} needs exactly one of {' and '.join(choices)}")


def report_name(violation: Violation) -> Iterator[Diagnostic]:
    """A name that the user chose, such as a key of `storage` or `labels`."""
    key = str(violation.value)
    message = f'"{key}" is not a valid name in {violation.name}'
    yield violation.report_key("DS109", key, message, _explain_pattern(violation))


WORDING: dict[str, Callable[[Violation], Iterator[Diagnostic]]] = {
    "additionalProperties": _report_unknown_keys,
    "type": _report_wrong_type,
    "enum": _report_not_in_enum,
    "pattern": _report_wrong_pattern,
    **dict.fromkeys(("minimum", "maximum"), _report_out_of_range),
    **dict.fromkeys(("minLength", "minItems", "minProperties", "maxProperties"), _report_wrong_number),
    "required": _report_missing,
    "oneOf": _report_one_of,
}
