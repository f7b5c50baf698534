"""Published figures lie in the computed ranges; those that do not are shown, with the reason."""

import math

import pytest

from tests.estimate.references import Reference, compute_rows

ROWS = compute_rows()


def named(row: Reference) -> str:
    return f"{row.case}, {row.what}"


@pytest.mark.parametrize("row", ROWS, ids=named)
def test_a_published_figure_is_in_the_range(row: Reference) -> None:
    assert row.agrees, f"{row.published} {row.unit}, computed {row.low:.4g} to {row.high:.4g}"


@pytest.mark.parametrize("row", ROWS, ids=named)
def test_a_row_says_where_it_is_from(row: Reference) -> None:
    assert row.source
    assert row.low <= row.high
    assert row.published
    assert row.note or row.kind != "shown"


def test_there_are_many_rows_and_few_that_are_only_shown() -> None:
    kinds = [row.kind for row in ROWS]

    assert len(kinds) >= 60
    assert kinds.count("shown") <= 8
    assert kinds.count("fits") + kinds.count("does not fit") >= 15


def test_runs_with_complete_inputs_have_an_upper_bound() -> None:
    assert [] == [named(row) for row in ROWS if row.kind == "value" and math.isinf(row.high)]
