"""Characters that values cannot contain: those with which the real Helm fails if a chart has a schema."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dsgen.reading.nodes import SourceText
from dsgen.reading.scalars import LONGEST_KEY, explain_key, explain_text
from dsgen.values import Override, load
from tests.helm import MAJORS, helm, run_helm
from tests.parity import dump, write_chart

PLANES = [0x10000 * plane + code for plane in range(1, 17) for code in (0, 1, 0xFFFD, 0xFFFE, 0xFFFF)]
CHARACTERS = [chr(code) for code in (*range(0xD800), *range(0xE000, 0x10000), *PLANES)]
# The ends of every range that is refused.
TEXTS = ("\x7f", "\x84", "\x86", "\x9f", "\ufffe", "\uffff")
KEYS = (*TEXTS, "\x85", "<<", "k" * (LONGEST_KEY - 1), "<" * 171, "\u2028" * 171, "\x01" * 171)
LONGEST = ("k" * 1000, "<" * 170, "\u2028" * 170, "\x01" * 170, "é" * 900)

majors = pytest.mark.parametrize("major", MAJORS)
Runner = Callable[[int, Any], int]


@pytest.fixture
def run(tmp_path: Path) -> Runner:
    """Gives these values to a chart with a schema; the exit code of Helm."""
    files = {
        "Chart.yaml": "apiVersion: v2\nname: texts\nversion: 1.0.0\n",
        "values.schema.json": '{"type": "object"}',
        "templates/empty.yaml": "",
    }
    chart = write_chart(tmp_path, files)

    def run(major: int, data: Any) -> int:
        (tmp_path / "v").write_text(f"data: {dump(data)}\n", encoding="utf-8")
        return run_helm(helm(major), "template", chart, "--values", tmp_path / "v").returncode

    return run


@majors
def test_both_majors_take_everything_else(major: int, run: Runner) -> None:
    texts = [char for char in CHARACTERS if not explain_text(char)]
    keys = [char for char in (*CHARACTERS, *LONGEST) if not explain_key(char)]

    assert len(CHARACTERS) - 34 == len(texts)
    assert len(CHARACTERS) - 35 + len(LONGEST) == len(keys)
    assert 0 == run(major, {"texts": texts, "keys": dict.fromkeys(keys, 1)})


@pytest.mark.parametrize("text", TEXTS)
def test_helm_3_stops_at_these_characters(text: str, run: Runner) -> None:
    assert explain_text(text)
    assert 1 == run(3, f"a{text}b")
    assert 0 == run(4, f"a{text}b")


@pytest.mark.parametrize("key", KEYS)
def test_helm_3_stops_at_these_keys(key: str, run: Runner) -> None:
    assert explain_key(key)
    assert 1 == run(3, {key: 1})


@pytest.mark.parametrize(
    ("text", "overrides"),
    [
        ('training: {args: ["\\x7f"]}', ()),
        ('global: {"\\x7f": 1}', ()),
        ("", [Override("--set", "training.args={a\x7f}")]),
        ("", [Override("--set-string", "global.<<=a")]),
        ("", [Override("--set-json", 'training.args=["\\u007f"]')]),
        ("", [Override("--set-json", 'training.args=["\\ud800"]')]),
        ("", [Override("--set", "training.args={\udcff}")]),
        ("", [Override("--set", f"global.{'k' * LONGEST_KEY}=1")]),
    ],
)
def test_it_is_refused_wherever_it_comes_from(text: str, overrides: list[Override]) -> None:
    problems = [one for one in load([SourceText("v.yaml", text)], overrides).diagnostics if one.id == "DS111"]

    assert [overrides[0].flag if overrides else "v.yaml"] == [one.position.file for one in problems if one.position]


@pytest.mark.parametrize("key", ["python", "args", "env", "setup", "exec"])
def test_a_program_gets_no_text_with_a_zero(key: str) -> None:
    text = {"args": '["a\\0"]', "exec": '["a\\0"]', "env": '{A: "a\\0"}'}.get(key, '"a\\0"')
    problems = load([SourceText("v.yaml", f"training: {{{key}: {text}}}\n")], []).diagnostics

    assert ["DS111"] == [one.id for one in problems if one.path[:2] == ("training", key)]


def test_a_file_may_hold_one() -> None:
    assert "DS111" not in {one.id for one in load([SourceText("v", 'training: {files: {a: "\\0"}}\n')], []).diagnostics}


LINE_ENDS = ("\x85", "\u2028", "\u2029", "\r")
"""Characters that end a line of YAML, while an editor, a diff or a terminal shows the text after them in the line."""


@pytest.mark.parametrize("end", LINE_ENDS)
@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("name: a  # mine{}launcher: {{}}\n", (1, 16)),
        ("# mine{}launcher: {{}}\n", (1, 7)),
        ("name: a{}launcher: {{}}\n", (1, 8)),
        ("a:  # b{}  c: 1\n", (1, 8)),
        ("training:\n  setup: |\n    echo{}launcher: {{}}\n", (3, 9)),
        ("training:\n  setup: |\n    echo{}    more\n", (3, 9)),
        ("training:\n  setup: |  # mine{}    more\n", (2, 19)),
        ("training:\n  setup: >-\n    echo{}    more\n", (3, 9)),
        ("a: [1,{} 2]\n", (1, 7)),
        ('"a": "b"{}c: 1\n', (1, 9)),
        ("a: 1\n{}b: 2\n", (2, 1)),
        ("a: 1\n---{}b: 2\n", None),
    ],
)
def test_a_line_end_that_nobody_sees_hides_no_key(text: str, at: tuple[int, int] | None, end: str) -> None:
    problems = load([SourceText("v.yaml", text.format(end))], []).diagnostics
    found = [(one.position.line, one.position.column) for one in problems if one.id == "DS002" and one.position]

    assert found == [at] if at else problems


@pytest.mark.parametrize("end", LINE_ENDS)
@pytest.mark.parametrize("text", ['"a{}b"', "'a{}b'", '["a", "b{}c"]', '{{"a{}b": 1}}', '"{}"'])
def test_it_stays_in_quotes(text: str, end: str) -> None:
    problems = load([SourceText("v.yaml", f"global: {{x: {text.format(end)}}}\n")], []).diagnostics

    assert [] == [one for one in problems if one.id == "DS002"]


@pytest.mark.parametrize("end", ["\r\n", "\n"])
def test_line_ends_of_files_are_no_such_characters(end: str) -> None:
    text = "# mine\nname: a\ntraining:\n  setup: |\n    a\n    b\n".replace("\n", end)

    assert "DS002" not in {one.id for one in load([SourceText("v.yaml", text)], []).diagnostics}
