"""Checks values against the schema.

jsonschema finds the violated keywords as Helm's validator finds them, and `messages` turns each into a message with a
hint, at the place of the key (if it is unknown) or of the value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from jsonschema import Draft7Validator, ValidationError
from jsonschema.validators import extend

from dsgen import schema
from dsgen.language.text import format_value
from dsgen.problems import Diagnostic, KeyPath, path_text
from dsgen.reading.nodes import Node
from dsgen.reading.scalars import explain_argument, explain_key, explain_text
from dsgen.schema.default_values import GIVE, NO_VALUE, takes_null

if TYPE_CHECKING:
    from dsgen.schema.messages import About

TOO_MUCH = "DS011"
MOST_PROBLEMS = 1000
"""Problems of one kind that are reported for one job; hints for a million keys would take hours."""
ANY_TEXT: tuple[KeyPath, ...] = (("global",), ("training", "files"))
"""Keys whose texts may contain any character: values of a parent chart, contents of files."""


def validate(root: Node, complete: bool = True) -> list[Diagnostic]:
    """All errors of the user's values, without defaults.

    complete: false if a part could not be read; then missing keys are not reported.
    """
    violations = find_violations(schema.load(), root.as_data())
    if violations:
        from dsgen.schema import foreign  # imported late: only problems need it

        if problem := foreign.find_foreign_file(root):
            return [problem]
    worded = _describe_violations(violations, root, complete)
    groups = (_find_nulls(root), _find_spellings(root), _find_uncarried(root), worded)
    problems = [problem for group in groups for problem in limit_problems(group)]
    unknown = [problem for problem in problems if problem.id == schema.UNKNOWN_KEY]
    return [problem for problem in problems if problem.id != NO_VALUE or not _is_not_indented(problem, unknown)]


def find_schema_problems(whole: schema.Schema, root: Node, complete: bool, about: About) -> list[Diagnostic]:
    """All errors of a tree under another schema than that of the values: one without references."""
    empty = (path for path, node in root.walk() if node.value is None and not _is_broken(root, path))
    nulls = [
        Diagnostic(NO_VALUE, f"{path_text(path)} has no value", root.find(path)[0].position, path, GIVE)
        for path in empty
    ]
    return nulls + list(_describe_violations(find_violations(whole, root.as_data()), root, complete, about))


def limit_problems(problems: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """The first of the problems; if some are left out, the last one says that there are more."""
    for number, problem in enumerate(problems):
        if number == MOST_PROBLEMS:
            message = f"there are more than {MOST_PROBLEMS} problems like the one above; the others are not listed"
            yield Diagnostic(TOO_MUCH, message, problem.position, problem.path)
            return
        yield problem


def _describe_violations(
    violations: Sequence[ValidationError], root: Node, complete: bool, about: About | None = None
) -> Iterator[Diagnostic]:
    """about: the kind of the file, a values file if none is given."""
    if not violations:
        return
    from dsgen.schema.messages import VALUES, WORDING, Violation, report_name  # imported late: only problems need it

    for one in violations:
        path, keyword = tuple(one.absolute_path), str(one.validator)
        found = (path, keyword, one.validator_value, one.instance, one.schema)
        violation = Violation(root.find(path)[0], about or VALUES, *found)
        if violation.value is None or _is_broken(root, violation.path):
            continue  # reported by _find_nulls or the reader
        if violation.keyword == "required" and not complete:
            continue
        is_item = violation.keyword == "type" and schema.list_types(violation.rule) == ["string"]
        if is_item and (problem := _report_split_item(root, violation.path)):
            yield problem
            continue
        word = report_name if "propertyNames" in one.absolute_schema_path else WORDING[violation.keyword]
        yield from word(violation)


def _report_split_item(root: Node, path: KeyPath) -> Diagnostic | None:
    """A problem for an item and its neighbours, if there is nothing but a comma between them; else None.

    The other items become broken, so that no other problem is reported for them.
    """
    above, at = root.find(path[:-1])[0].value, path[-1]
    if not isinstance(above, list) or not isinstance(at, int):
        return None
    first, end = at, at + 1
    while first > 0 and _is_next(above[first - 1], above[first]):
        first -= 1
    while end < len(above) and _is_next(above[end - 1], above[end]):
        end += 1
    parts = [node.text for node in above[first:end]]
    if len(parts) == 1 or first == 0 or any(part.startswith("-") and not part[1:2].isdigit() for part in parts):
        return None  # the list is written without spaces
    for node in above[first:end]:
        node.broken = True
    text = ",".join(parts)
    message = f"{path_text(path[:-1])}: {text} without quotes is {len(parts)} items, not one argument"
    return Diagnostic("DS102", message, above[first].position, (*path[:-1], first), f'write it as one item: "{text}"')


def _is_next(node: Node, following: Node) -> bool:
    """Whether both are plain scalars with only a comma between them."""
    here, there = node.position, following.position
    adjacent = (here.file, here.line, here.column + len(node.text) + 1) == (there.file, there.line, there.column)
    return bool(node.text and following.text) and adjacent


def _is_not_indented(empty: Diagnostic, unknown: Sequence[Diagnostic]) -> bool:
    """Whether the value of a key is in the next line, but not indented, so that it is reported as an unknown key."""
    rule, at = schema.find_part(empty.path), empty.position
    return rule is not None and any(
        at
        and other.position
        and other.position.line == at.line + 1
        and schema.find_child(rule, other.path[-1]) is not None
        for other in unknown
    )


def _is_broken(root: Node, path: KeyPath) -> bool:
    return any(root.find(path[:depth])[0].broken for depth in range(len(path) + 1))


# -- what a schema cannot express -------------------------------------------------------------------------------------


def _find_nulls(root: Node) -> Iterator[Diagnostic]:
    for path, node in root.walk():
        if node.value is not None or not path or path[0] == "global" or _is_broken(root, path):
            continue
        rule = schema.find_part(path)  # None below an unknown key, which is reported itself
        if rule is not None and not takes_null(path, node):
            hint = _suggest_value(rule, node, path)
            yield Diagnostic(NO_VALUE, f"{path_text(path)} has no value", node.position, path, hint)


def _suggest_value(rule: schema.Schema, node: Node, path: KeyPath) -> str:
    default = rule.get("default")
    if path[:2] == ("training", "env"):
        return f'for an empty text, write {path_text(path[2:])}: ""; otherwise remove the line'
    if node.position.file.startswith("--set"):
        return f"give it a value, or remove {node.position.file}"
    if node.removes and "default" in rule:
        return f"null cannot remove this key; write the default, {format_value(default)}, to override the other value"
    if isinstance(default, str | int) and default != "":
        return f"give it a value, or remove the line to use the default, {format_value(default)}"
    return GIVE


def _find_spellings(root: Node) -> Iterator[Diagnostic]:
    """Keys that may be a text or an integer, and would change: `1e3` is read as 1000, `010` as 8."""
    for path, node in root.walk():
        if not node.text or isinstance(node.value, str | bool | None) or node.text == str(node.value):
            continue
        rule = schema.find_part(path)
        if rule and schema.list_types(rule) == ["string", "integer"]:
            message = f"{path_text(path)}: {node.text} is read as the number {node.value}"
            is_text = re.fullmatch(rule.get("pattern", ".*"), node.text, re.ASCII)
            hint = f'put it in quotes: "{node.text}"' if is_text else f"expected: {rule['x-pattern']}"
            yield Diagnostic("DS110", message, node.position, path, hint)


def _find_uncarried(root: Node) -> Iterator[Diagnostic]:
    """Characters and keys on which Helm 3 fails with an error that names no key, if a chart has a schema."""
    for path, node in root.walk():
        key = path[-1] if path else ""
        if isinstance(key, str) and (reason := explain_key(key)):
            at = node.key or node.position
            yield Diagnostic("DS111", f"{path_text(path)}: the key {reason}", at, path, "choose another key")
        if isinstance(node.value, str):
            is_free = path[:1] in ANY_TEXT or path[:2] in ANY_TEXT
            if reason := explain_text(node.value) or ("" if is_free else explain_argument(node.value)):
                yield Diagnostic("DS111", f"{path_text(path)} {reason}", node.position, path, "remove it")


# -- jsonschema -------------------------------------------------------------------------------------------------------


def find_violations(whole: schema.Schema, value: Any) -> list[ValidationError]:
    """All violated keywords, also those in parts of the value, in the order of the schema and of the value."""
    return list(_Validator(whole).iter_errors(value))


def _check_pattern(_: Any, pattern: str, text: Any, __: schema.Schema) -> Iterator[ValidationError]:
    # For Python, $ is also the place before a newline at the end, and \w has the letters of all languages.
    if isinstance(text, str) and not re.fullmatch(pattern, text, re.ASCII):
        yield ValidationError("does not match")


def _check_required(_: Any, keys: list[str], value: Any, __: schema.Schema) -> Iterator[ValidationError]:
    # All missing keys are one violation.
    if isinstance(value, dict) and not value.keys() >= {*keys}:
        yield ValidationError("lacks keys")


def _check_other_keys(validator: Any, part: Any, value: Any, rule: schema.Schema) -> Iterator[ValidationError]:
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
