"""What is wrong in the user's files, where, and what to do about it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning"]
Path = tuple[str | int, ...]
"""Where something stands in values: keys of maps and indices of lists."""

COLORS = {"error": "\x1b[1;31m", "warning": "\x1b[1;33m", "place": "\x1b[1m", "caret": "\x1b[1;32m"}
RESET = "\x1b[0m"
FRAME_WIDTH = 120
"""Columns of a source line that a frame shows; longer lines are cut around the caret."""


@dataclass(frozen=True)
class Position:
    """A place in a file, 1-based; a column counts characters. For `--set` the file is the flag's name, line is 1."""

    file: str
    line: int
    column: int


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
        elif re.fullmatch("[A-Za-z0-9_-]+", key):
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


def as_text(diagnostics: Iterable[Diagnostic], sources: Mapping[str, str], color: bool = False) -> str:
    """`file:line:col: error: message [DS012]`, the line with a caret under the place, then the hint.

    sources: the text of each file by the name that positions use; a file that is not there gets no frame.
    """
    lines = {name: _lines(text) for name, text in sources.items()}
    return "".join(_one(found, lines, color) for found in ordered(diagnostics))


def _lines(text: str) -> list[str]:
    # Only what YAML's reader counts as a line end: str.splitlines() also splits at form feeds and separators.
    for end in ("\r\n", "\r", "\x85", "\u2028", "\u2029"):
        text = text.replace(end, "\n")
    return text.split("\n")


def _one(found: Diagnostic, lines: Mapping[str, list[str]], color: bool) -> str:
    place = found.position
    where = f"{visible(place.file)}:{place.line}:{place.column}: " if place else ""
    severity = _paint(found.severity, found.severity, color)
    text = f"{_paint(where, 'place', color)}{severity}: {visible(found.message)} [{found.id}]\n"
    if place and place.line <= len(lines.get(place.file, ())):
        text += _frame(lines[place.file][place.line - 1], place.column, color)
    if found.hint:
        text += "".join(f"  hint: {visible(line)}\n" for line in found.hint.split("\n"))
    return text


def _frame(line: str, column: int, color: bool) -> str:
    shown, at = _cut(line, column - 1)
    before = "".join(" " * _width(char) for char in visible(shown[:at]))
    return f"    {visible(shown)}\n    {before}{_paint('^', 'caret', color)}\n"


def _cut(line: str, at: int) -> tuple[str, int]:
    if len(line) <= FRAME_WIDTH:
        return line, at
    start = max(0, min(at - FRAME_WIDTH // 2, len(line) - FRAME_WIDTH))
    return line[start : start + FRAME_WIDTH], at - start


def visible(text: str) -> str:
    """The text with control characters replaced, so that a file cannot write escape sequences to the terminal."""
    return "".join(_visible_char(char) for char in text)


def _visible_char(char: str) -> str:
    if char == "\t":
        return " "
    return char if char.isprintable() else "\ufffd"


def _width(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _paint(text: str, role: str, color: bool) -> str:
    return f"{COLORS[role]}{text}{RESET}" if color and text else text
