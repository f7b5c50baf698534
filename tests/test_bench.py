"""The benchmark runs whole processes alternately, and detects a command with another result."""

import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from bench import __main__ as bench
from tools import pictures

QUICK = [sys.executable, "-ISc", "pass"]
HEAVY = [sys.executable, "-ISc", "b = b'x' * 50_000_000"]


@pytest.mark.parametrize(("times", "expected"), [(1, bench.Cost(0.5, 0.25, 2)), (10, bench.Cost(0.05, 0.025, 2))])
def test_ratios_are_ours_divided_by_theirs_pair_by_pair(
    times: int, expected: bench.Cost, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where theirs stands for more, it is multiplied, but for the memory."""
    costs = iter([bench.Cost(9, 9, 9), bench.Cost(9, 9, 9), *[bench.Cost(1, 1, 4), bench.Cost(2, 4, 2)] * 2])
    monkeypatch.setattr(bench, "cost", lambda *_: next(costs))

    assert [expected] * 2 == bench.ratios(bench.Case("x", [QUICK], [HEAVY], times=times), 2, str)


def test_a_command_gets_the_processors_that_it_may_use() -> None:
    count = "import os, sys; sys.exit(len(os.sched_getaffinity(0)))"

    bench.cost([[sys.executable, "-ISc", count]], 1, processors=1)


def test_of_processes_of_one_side_the_largest_counts() -> None:
    small, large = bench.cost([QUICK], 0), bench.cost([QUICK, HEAVY, QUICK], 0)

    assert 2 * small.memory < large.memory < 2 * bench.cost([HEAVY], 0).memory
    assert min(*small, *large) > 0


@pytest.mark.parametrize(("text", "expected"), [("raise SystemExit(1)", 0), ("pass", 1)])
def test_another_exit_code_ends_it(text: str, expected: int) -> None:
    with pytest.raises(SystemExit, match=r"^exit"):
        bench.cost([[sys.executable, "-ISc", text]], expected)


def test_a_median_beyond_its_limit_fails() -> None:
    case = bench.Case("x", [], [], limits=bench.Cost(2, 0.5, 1))
    costs = [bench.Cost(1, 0.4, 1), bench.Cost(1, 0.6, 1), bench.Cost(9, 0.7, 1)]

    assert ["x: cpu 0.6, at most 0.5"] == bench.exceeded(case, costs)


def test_every_case_ends_as_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "DSGEN", (sys.executable, "-m", "dsgen"))  # not the one that `make bench` installs
    monkeypatch.setattr(bench, "PYTHON", sys.executable)
    monkeypatch.setattr(bench, "FILES", 100)
    for case in bench.cases(tmp_path):
        bench.verify(case)


def test_the_picture_has_the_rows_that_compare_with_helm() -> None:
    page = bench.PAGE.read_text(encoding="utf-8")
    ratios = {each.what: each.ratio for each in pictures.figures(page)}
    root = ElementTree.fromstring(pictures.benchmark(page))
    words = ["".join(each.itertext()) for each in root.iter("{http://www.w3.org/2000/svg}text")]
    bars = [each for each in root.iter("{http://www.w3.org/2000/svg}rect") if each.attrib["class"] == "bar"]
    axis = {each.text: float(each.attrib["x"]) for each in root.iter("{http://www.w3.org/2000/svg}text")}

    assert pictures.WORDS.keys() <= ratios.keys()
    assert set(pictures.WORDS.values()) <= set(words)
    assert {"0 %", "50 %", "100 %", "helm template"} <= set(words)
    assert any("CPU time in percent of helm template" in word for word in words)
    shown = [ratios[what] for what in ratios if what in pictures.WORDS]
    lengths = [float(bar.attrib["width"]) / (axis["100 %"] - axis["0 %"]) for bar in bars]
    assert shown == pytest.approx(lengths, abs=0.01)
    assert {axis["0 %"]} == {float(bar.attrib["x"]) for bar in bars}
