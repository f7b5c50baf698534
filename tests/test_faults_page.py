"""docs/faults.md has the rows of the table of faults, with their results."""

import pytest

from dsgen import api
from tests.faults import __main__ as program
from tests.faults import page
from tests.faults.run import values
from tests.faults.table import CASES, ROWS


def test_the_page_is_made_of_the_results() -> None:
    """`make faults ARGS=--page` writes both; what a row must end with stands in the table alone."""
    assert page.RESULTS.read_text(encoding="utf-8") == page.as_json(page.read())
    assert page.PAGE.read_text(encoding="utf-8") == page.as_page(page.PAGE.read_text(encoding="utf-8"), page.read())


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
