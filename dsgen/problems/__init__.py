"""A problem in the user's files: the message, the place and the hint."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

Severity = Literal["error", "warning"]

KeyPath = tuple[str | int, ...]
"""The path of a value: keys of maps and indices of lists."""

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
"""A key of these characters needs no quotes in a path."""


class Position(NamedTuple):
    """A place in a file; line and column begin at 1, and columns count characters.

    For `--set` and similar flags, the file is the name of the flag, and the line its number among equal flags.
    """

    file: str
    line: int
    column: int


@dataclass(frozen=True)
class Diagnostic:
    """One problem.

    id: a key of `dsgen.reports.RULES`. path: the path of the value, also of an unknown or missing one; empty if the
    problem concerns the whole file. hint: what to do, or what is possible.
    """

    id: str
    message: str
    position: Position | None
    path: KeyPath = ()
    hint: str = ""
    severity: Severity = "error"


def path_text(path: Sequence[str | int]) -> str:
    """A path as text: workers.tolerations[0].key, labels["example.com/team"]."""
    text = ""
    for key in path:
        if isinstance(key, int):
            text += f"[{key}]"
        elif _PLAIN.issuperset(key) and key:
            text += f".{key}" if text else key
        else:
            text += f'["{key}"]'
    return text


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether one of the problems is an error; warnings alone do not stop a command."""
    return any(problem.severity == "error" for problem in diagnostics)


def sort_problems(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Sorted by file, line, column and id, without duplicates; problems without a place come first."""
    return sorted(
        dict.fromkeys(diagnostics),
        key=lambda one: (one.position or Position("", 0, 0), one.id, path_text(one.path), one.message),
    )
