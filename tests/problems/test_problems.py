"""The order and the output of problems."""

import re

import pytest

from dsgen.problems import Diagnostic, Position, sort_problems
from dsgen.problems.framing import as_text


def at(line: int, column: int, file: str = "v.yaml") -> Position:
    return Position(file, line, column)


def test_the_text_has_place_frame_and_hint() -> None:
    problem = Diagnostic("DS101", "it is wrong", at(2, 3), hint="make it right")

    expected = "v.yaml:2:3: error: it is wrong [DS101]\n    b: 2\n      ^\n  hint: make it right\n"
    assert expected == as_text([problem], {"v.yaml": "a: 1\nb: 2\n"})


def test_a_problem_without_a_place_or_text_has_no_frame() -> None:
    problems = [Diagnostic("DS101", "nowhere", None), Diagnostic("DS101", "elsewhere", at(9, 1), severity="warning")]

    expected = "error: nowhere [DS101]\nv.yaml:9:1: warning: elsewhere [DS101]\n"
    assert expected == as_text(problems, {"v.yaml": "a: 1\n"})


def test_problems_are_sorted_and_told_once() -> None:
    first, second = Diagnostic("DS101", "a", at(2, 9)), Diagnostic("DS102", "b", at(10, 1))
    other = Diagnostic("DS101", "c", at(1, 1, "w.yaml"))

    assert [first, second, other] == sort_problems([other, second, first, second])


@pytest.mark.parametrize(
    ("line", "column", "caret"),
    [
        ("a: x", 4, "       ^"),
        ("größe: x", 8, "           ^"),
        ("日本: x", 5, "          ^"),  # wide characters take two columns
        ("e\u0301: x", 4, "      ^"),  # a combining accent takes none
        ("\ta: x", 2, "     ^"),
    ],
)
def test_the_caret_stands_under_the_place(line: str, column: int, caret: str) -> None:
    text = as_text([Diagnostic("DS101", "m", at(1, column))], {"v.yaml": line})

    assert caret == text.splitlines()[2]


def test_a_long_line_is_cut_around_the_place() -> None:
    line = "a: " + "x" * 1000 + "y" + "x" * 1000
    frame, caret = as_text([Diagnostic("DS101", "m", at(1, 1004))], {"v.yaml": line}).splitlines()[1:]

    assert ("y", 124) == (frame[caret.index("^")], len(frame))


def test_a_file_cannot_write_to_the_terminal() -> None:
    text = as_text([Diagnostic("DS101", "\x1b[2J", at(1, 1), hint="\u202e")], {"v.yaml": "a: \x1b]0;x\x07"})

    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202e]", text)
