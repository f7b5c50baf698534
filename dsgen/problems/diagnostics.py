"""What is wrong in the user's files, where, and what to do about it."""

from __future__ import annotations

from dsgen.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Literal

    Severity = Literal["error", "warning"]
else:
    Severity = str  # for modules that import it when they run

Path = tuple[str | int, ...]
"""Where something stands in values: keys of maps and indices of lists."""

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
"""Characters of a key that needs no quotes in a path."""


@dataclass(frozen=True)
class Position:
    """A place in a file, 1-based; a column counts characters. For `--set` the file is the flag's name, line is 1."""

    file: str
    line: int
    column: int

    def __init__(self, file: str, line: int, column: int) -> None:  # by hand: there are very many of them
        state = self.__dict__
        state["file"], state["line"], state["column"] = file, line, column


@dataclass(frozen=True)
class Diagnostic:
    """One problem.

    id: one of `kinds.KINDS`. path: the key that it is about, unknown or missing ones too; empty where it is about the
    file. hint: what to do, what is possible.
    """

    id: str
    message: str
    position: Position | None
    path: Path = ()
    hint: str = ""
    severity: Severity = "error"


def path_text(path: Sequence[str | int]) -> str:
    """A path as people write it: workers.tolerations[0].key, labels["example.com/team"]."""
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
    """Warnings alone do not stop anything."""
    return any(found.severity == "error" for found in diagnostics)


def ordered(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Sorted by file, line, column and id, without duplicates; those without a place come first."""
    return sorted(dict.fromkeys(diagnostics), key=_sort_key)


def _sort_key(found: Diagnostic) -> tuple[str, int, int, str, str, str]:
    place = found.position or Position("", 0, 0)
    return place.file, place.line, place.column, found.id, path_text(found.path), found.message
