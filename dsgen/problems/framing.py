"""Problems as text: each with the line of the file, a caret below the place, and the hint."""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from dsgen.problems import Diagnostic, sort_problems
from dsgen.problems.safe_text import escape_line, escape_text, redact, replace_in_place

COLORS = {"error": "\x1b[1;31m", "warning": "\x1b[1;33m", "place": "\x1b[1m", "caret": "\x1b[1;32m"}
RESET = "\x1b[0m"
FRAME_WIDTH = 120
"""Columns of a source line that are shown; longer lines are cut around the caret."""


def make_printable(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Like `sort_problems`, and without secrets in the texts; every form of output begins with this."""
    return [
        replace(one, message=redact(one.message), path=path, hint=redact(one.hint))
        for one in sort_problems(diagnostics)
        for path in [tuple(redact(key) if isinstance(key, str) else key for key in one.path)]
    ]


def as_text(diagnostics: Iterable[Diagnostic], sources: Mapping[str, str], color: bool = False) -> str:
    """`file:line:col: error: message [DS012]`, the line with a caret below the place, then the hint.

    sources: the text of each file, by its name in positions; without the text, the line is not shown.
    """
    lines = {name: _split_lines(text) for name, text in sources.items()}
    # Cached, because one long line may have many problems.
    shown = functools.lru_cache(maxsize=8)(redact)
    return "".join(_format_problem(problem, lines, shown, color) for problem in make_printable(diagnostics))


def _split_lines(text: str) -> list[str]:
    # Only the line ends of YAML: str.splitlines() also splits at form feeds and separators.
    for end in ("\r\n", "\r", "\x85", "\u2028", "\u2029"):
        text = text.replace(end, "\n")
    return text.split("\n")


def _format_problem(
    problem: Diagnostic, lines: Mapping[str, list[str]], shown: Callable[[str], str], color: bool
) -> str:
    place = problem.position
    where = f"{escape_line(place.file)}:{place.line}:{place.column}: " if place else ""
    severity = _paint(problem.severity, problem.severity, color)
    text = f"{_paint(where, 'place', color)}{severity}: {escape_text(problem.message)} [{problem.id}]\n"
    if place and place.line <= len(lines.get(place.file, ())):
        part, at = _cut(shown(lines[place.file][place.line - 1]), place.column - 1)
        part = replace_in_place(part)
        before = "".join(" " * _measure_width(char) for char in part[:at])
        text += f"    {part}\n    {before}{_paint('^', 'caret', color)}\n"
    if problem.hint:
        text += "".join(f"  hint: {escape_text(part)}\n" for part in problem.hint.split("\n"))
    return text


def _cut(text: str, at: int) -> tuple[str, int]:
    if len(text) <= FRAME_WIDTH:
        return text, at
    start = max(0, min(at - FRAME_WIDTH // 2, len(text) - FRAME_WIDTH))
    return text[start : start + FRAME_WIDTH], at - start


def _measure_width(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _paint(text: str, role: str, color: bool) -> str:
    return f"{COLORS[role]}{text}{RESET}" if color and text else text
