"""The benchmark: it runs whole processes in turn, and notices a command that does something else than was meant."""

import sys
from pathlib import Path

import pytest

from bench import __main__ as bench

QUICK = [sys.executable, "-ISc", "pass"]
SLOW = [sys.executable, "-ISc", "import time; time.sleep(0.3); b = b'x' * 50_000_000"]


def test_ratios_are_ours_divided_by_theirs_pair_by_pair() -> None:
    found = bench.ratios(bench.Case("x", [QUICK], [SLOW]), 2, str)

    assert 2 == len(found)
    assert all(one.wall < 0.9 and one.memory < 0.6 for one in found), found


def test_processes_of_one_side_are_added_up() -> None:
    one, three = bench.cost([SLOW], 0), bench.cost([SLOW, SLOW, SLOW], 0)

    assert three.wall > 0.9  # three times what each sleeps
    assert three.memory < 2 * one.memory


@pytest.mark.parametrize(("text", "expected"), [("raise SystemExit(1)", 0), ("pass", 1)])
def test_another_exit_code_ends_it(text: str, expected: int) -> None:
    with pytest.raises(SystemExit, match=r"^exit"):
        bench.cost([[sys.executable, "-ISc", text]], expected)


def test_a_row_has_the_median_and_the_extremes() -> None:
    found = [bench.Cost(0.5, 1, 2), bench.Cost(0.25, 1, 3), bench.Cost(1, 1, 4)]

    assert "| x | 0.50 (0.25 to 1.00) | 1.00 (1.00 to 1.00) | 3.00 (2.00 to 4.00) |\n" == bench.row(
        bench.Case("x", [], []), found
    )


def test_every_case_ends_as_it_says(tmp_path: Path) -> None:
    for case in bench.cases(tmp_path):
        bench.verify(case)


def test_the_page_has_a_place_for_the_figures() -> None:
    assert 1 == len(bench.BETWEEN.findall(bench.PAGE.read_text(encoding="utf-8")))
