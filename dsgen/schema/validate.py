"""Checks values against the schema and words what is wrong for people.

jsonschema finds the errors; `wording` says each kind in the user's words, with what is possible, at the place of the
key (an unknown one) or of the value.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from dsgen import schema
from dsgen.problems.diagnostics import Diagnostic, Position
from dsgen.reading.characters import uncarried_key, uncarried_text, unpassable_text
from dsgen.reading.nodes import Node, Path, path_text
from dsgen.schema.wording import TYPE_WORDS, UNKNOWN_KEY, WORDING, Finding, Problem, bad_name, shown

if TYPE_CHECKING:
    from jsonschema import Draft7Validator, ValidationError

__all__ = ["TYPE_WORDS", "UNKNOWN_KEY", "Problem", "shown", "validate"]

NO_VALUE = "DS106"
ANY_TEXT: tuple[Path, ...] = (("global",), ("training", "files"))
"""Where a text is content: of a parent chart, of a file."""


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
        finding = Finding(error, path, root.find(path)[0])
        word = bad_name if "propertyNames" in error.absolute_schema_path else WORDING[str(error.validator)]
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
            yield path, Diagnostic(NO_VALUE, f"{name} has no value", node.position, name, _no_value(rule, node))


def _no_value(rule: schema.Schema, node: Node) -> str:
    default = rule.get("default")
    if node.position.file.startswith("--set"):
        return f"give it one, or leave out {node.position.file}"
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
            is_text = re.fullmatch(rule.get("pattern", ".*"), node.text, re.ASCII)
            hint = f'put it in quotes: "{node.text}"' if is_text else f"it must be: {rule['x-pattern']}"
            yield path, Diagnostic("DS110", message, node.position, path_text(path), hint)


def _uncarried(root: Node) -> Iterator[Problem]:
    """What stops Helm 3 with an error that names no key, as soon as a chart has a schema."""
    for path, node in root.walk():
        name, key = path_text(path), path[-1] if path else ""
        if isinstance(key, str) and (reason := uncarried_key(key)):
            at = node.key or node.position
            yield path, Diagnostic("DS111", f"{name}: the key {reason}", at, name, "choose another key")
        if isinstance(node.value, str) and (reason := _uncarried_value(path, node.value)):
            yield path, Diagnostic("DS111", f"{name} {reason}", node.position, name, "leave it out")


def _uncarried_value(path: Path, text: str) -> str:
    return uncarried_text(text) or ("" if path[:1] in ANY_TEXT or path[:2] in ANY_TEXT else unpassable_text(text))
