"""Checks values against the schema and words what is wrong for people.

`generated.schema` accepts valid values; in all others jsonschema finds the errors. `wording` says each kind in the
user's words, with what is possible, at the place of the key (an unknown one) or of the value.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from dsgen import schema
from dsgen.generated.schema import is_valid
from dsgen.problems.diagnostics import Diagnostic, Path, path_text
from dsgen.reading.characters import uncarried_key, uncarried_text, unpassable_text
from dsgen.reading.nodes import Node
from dsgen.schema.wording import TYPE_WORDS, UNKNOWN_KEY, VALUES, WORDING, About, Violation, bad_name, shown

if TYPE_CHECKING:
    from jsonschema import Draft7Validator, ValidationError

__all__ = ["TYPE_WORDS", "UNKNOWN_KEY", "About", "shown", "validate", "violations"]

NO_VALUE = "DS106"
GIVE = "give it one, or remove the line"
ANY_TEXT: tuple[Path, ...] = (("global",), ("training", "files"))
"""Where a text is content: of a parent chart, of a file."""


def validate(root: Node, complete: bool = True) -> list[Diagnostic]:
    """All errors of a tree of values, which holds what the user gave, without defaults.

    complete: false when a part could not be read; then nothing is called missing.
    """
    found = [*_nulls(root), *_spellings(root), *_uncarried(root)]
    data = root.data()
    accepted: bool = is_valid(data)  # type: ignore[no-untyped-call]  # generated without types
    found += () if accepted else _worded(validator(), root, complete, VALUES)
    unknown = [problem for problem in found if problem.id == UNKNOWN_KEY]
    return [problem for problem in found if problem.id != NO_VALUE or not _stands_below(problem, unknown)]


def violations(whole: schema.Schema, root: Node, complete: bool, about: About) -> list[Diagnostic]:
    """All errors of a tree under another schema than that of the values: one without references."""
    empty = (path for path, node in root.walk() if node.value is None and not _is_broken(root, path))
    found = [
        Diagnostic(NO_VALUE, f"{path_text(path)} has no value", root.find(path)[0].position, path, GIVE)
        for path in empty
    ]
    return found + list(_worded(_validator(whole), root, complete, about))


def _worded(rules: Draft7Validator, root: Node, complete: bool, about: About) -> Iterator[Diagnostic]:
    for error in rules.iter_errors(root.data()):
        path = tuple(error.absolute_path)
        if error.instance is None or _is_broken(root, path):
            continue  # said already
        if error.validator == "required" and not complete:
            continue
        violation = Violation(error, path, root.find(path)[0], about)
        word = bad_name if "propertyNames" in error.absolute_schema_path else WORDING[str(error.validator)]
        yield from word(violation)


def _stands_below(empty: Diagnostic, unknown: Sequence[Diagnostic]) -> bool:
    """Whether what a key without a value lacks is in the next line, not indented, where it is an unknown key."""
    rule, at = schema.type_at(empty.path), empty.position
    return rule is not None and any(
        at and other.position and other.position.line == at.line + 1 and schema.child(rule, other.path[-1]) is not None
        for other in unknown
    )


@functools.cache
def validator() -> Draft7Validator:
    """The whole schema as jsonschema understands it, which must agree with `is_valid`."""
    return _validator(schema.load())


def _validator(whole: schema.Schema) -> Draft7Validator:
    from jsonschema import Draft7Validator, validators  # slow to import, and valid values do without

    extended = validators.extend(Draft7Validator, {"pattern": _pattern_keyword, "required": _required_keyword})  # type: ignore[no-untyped-call] # stubs
    found: Draft7Validator = extended(whole)
    return found


def _pattern_keyword(_validator: Any, pattern: str, text: Any, _schema: Any) -> Iterator[ValidationError]:
    # Python's own `$` would accept a newline at the end.
    from jsonschema import ValidationError

    if isinstance(text, str) and not re.fullmatch(pattern, text, re.ASCII):
        yield ValidationError("does not match")


def _required_keyword(_validator: Any, required: Sequence[str], given: Any, _schema: Any) -> Iterator[ValidationError]:
    # One error for all missing keys, where jsonschema would say in its message alone which it is.
    from jsonschema import ValidationError

    if isinstance(given, dict) and not given.keys() >= set(required):
        yield ValidationError("keys are missing")


def _is_broken(root: Node, path: Path) -> bool:
    return any(root.find(path[:depth])[0].broken for depth in range(len(path) + 1))


# -- what jsonschema cannot say ---------------------------------------------------------------------------------------


def _nulls(root: Node) -> Iterator[Diagnostic]:
    for path, node in root.walk():
        if node.value is not None or not path or path[0] == "global" or _is_broken(root, path):
            continue
        rule = schema.type_at(path)  # none below an unknown key, which is said already
        if rule is not None and not schema.takes_null(path):
            yield Diagnostic(NO_VALUE, f"{path_text(path)} has no value", node.position, path, _no_value(rule, node))


def _no_value(rule: schema.Schema, node: Node) -> str:
    default = rule.get("default")
    if node.position.file.startswith("--set"):
        return f"give it one, or leave out {node.position.file}"
    if isinstance(default, str | int) and default != "":
        return f"give it one, or remove the line to have the default, {shown(default)}"
    return GIVE


def _spellings(root: Node) -> Iterator[Diagnostic]:
    """A key that may be a text or an integer prints as it is read: `1e3` would be 1000, `010` would be 8."""
    for path, node in root.walk():
        rule = schema.type_at(path) if node.text else None
        if not rule or schema.types(rule) != ["string", "integer"] or isinstance(node.value, str | bool | None):
            continue
        if node.text != str(node.value):
            message = f"{path_text(path)}: {node.text} is read as the number {node.value}"
            is_text = re.fullmatch(rule.get("pattern", ".*"), node.text, re.ASCII)
            hint = f'put it in quotes: "{node.text}"' if is_text else f"it must be: {rule['x-pattern']}"
            yield Diagnostic("DS110", message, node.position, path, hint)


def _uncarried(root: Node) -> Iterator[Diagnostic]:
    """What stops Helm 3 with an error that names no key, as soon as a chart has a schema."""
    for path, node in root.walk():
        name, key = path_text(path), path[-1] if path else ""
        if isinstance(key, str) and (reason := uncarried_key(key)):
            at = node.key or node.position
            yield Diagnostic("DS111", f"{name}: the key {reason}", at, path, "choose another key")
        if isinstance(node.value, str) and (reason := _uncarried_value(path, node.value)):
            yield Diagnostic("DS111", f"{name} {reason}", node.position, path, "leave it out")


def _uncarried_value(path: Path, text: str) -> str:
    return uncarried_text(text) or ("" if path[:1] in ANY_TEXT or path[:2] in ANY_TEXT else unpassable_text(text))
