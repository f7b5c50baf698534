"""docs/faults.md has the rows of the table of faults, with their results."""

from dataclasses import replace
from pathlib import Path

import pytest

from dsgen import api
from tests.faults import __main__ as program
from tests.faults import page
from tests.faults.run import Seen, values, wrong
from tests.faults.table import CASES, ROWS, End

RECORD = {"phase": "Failed", "reason": "TrainingFailed", "message": "rank 1 | ended", "attempts": []}


def seen(seconds: float, *problems: str) -> Seen:
    return Seen("exception/pdsh", dict(RECORD), 1, seconds, list(problems))


def test_the_page_is_made_of_the_results() -> None:
    """`make faults ARGS=--page` writes both; what a row must end with stands in the table alone."""
    assert page.RESULTS.read_text(encoding="utf-8") == page.as_json(page.read())
    assert page.PAGE.read_text(encoding="utf-8") == page.as_page(page.PAGE.read_text(encoding="utf-8"), page.read())


def test_methods_with_the_same_end_share_a_row() -> None:
    rows = [line.split(" | ") for line in page.PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    shown = [f"{row.strip('|` ')}/{name.strip('`')}" for row, _, names, *_ in rows for name in names.split(", ")]

    assert sorted(CASES) == sorted(shown)
    assert len(rows) < len(CASES)


def test_trials_add_up_until_one_has_a_problem() -> None:
    results: page.Results = {}
    for one in (seen(7.6), seen(3.2), seen(5)):
        results = page.add(results, one)

    assert {"end": ["Failed TrainingFailed", "1"], "seconds": [3, 8], "message": "rank 1 / ended", "times": 3} == (
        results["exception/pdsh"]
    )
    assert {} == page.add(results, seen(1, "a pod is left"))
    assert results == page.add(results, replace(seen(1), case="killed/pdsh", problems=["left"]))


def test_a_case_that_must_end_in_another_way_now_begins_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "RESULTS", tmp_path / "results.json")
    results = page.add({}, seen(3))
    page.RESULTS.write_text(page.as_json({"exception/pdsh": {**results["exception/pdsh"], "end": ["Failed", "1"]}}))

    assert {} == page.read()


def test_of_a_run_that_went_on_the_attempts_are_shown() -> None:
    attempts = [{"reason": "WorkersLost", "host": "digits-1-worker-1"}, {"reason": "Succeeded"}]

    assert "WorkersLost digits-1-worker-1" == page.message({**RECORD, "message": "", "attempts": attempts})


@pytest.mark.parametrize(
    ("end", "problems"),
    [
        (End("Failed", "TrainingFailed", (1, 3)), 0),
        (End("Failed", "TrainingFailed", (1,), words=("rank 1",)), 0),
        (End("Failed", "TrainingFailed", (1,), words=("rank 0",)), 1),
        (End("Failed", "TrainingFailed", (1,), never=("rank 1",)), 1),
        (End("Failed", "TrainingFailed", (0,)), 1),
        (End("Failed", "TrainingFailed", (1,), attempts=2), 1),
        (End("Succeeded", "", (0,)), 2),
    ],
)
def test_another_end_is_a_problem(end: End, problems: int) -> None:
    assert problems == len(wrong(end, seen(1)))


def test_the_names_of_rows_and_methods_are_unique() -> None:
    assert len(CASES) == sum(len(row.methods) for row in ROWS)


def test_in_twelve_turns_each_row_that_can_be_run_comes_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "missing", lambda case: "a node" if case.row.needs == "power" else "")
    came: list[str] = []
    for turn in range(327, 339):
        monkeypatch.setattr("sys.argv", ["faults", "--turn", f"{turn}/12"])
        came += [case.name for case in program.chosen(program.options())]

    assert sorted(name for name, case in CASES.items() if case.row.needs != "power") == sorted(came)


@pytest.mark.parametrize("name", CASES)
def test_the_values_of_a_row_are_valid(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DSGEN_E2E_SECOND_NODE", "node-1")
    job = api.load(values(CASES[name], "registry.example.com/team/deepspeed:1"), name="digits", namespace="faults")

    assert [] == [problem.message for problem in api.validate(job) if problem.severity == "error"]
