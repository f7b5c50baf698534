"""Published figures lie in the computed ranges; those that do not are shown, with the reason."""

import math

import pytest

from dsgen.estimate.published import compute_rows
from dsgen.estimate.references import Comparison

ROWS = compute_rows()


def named(row: Comparison) -> str:
    return f"{row.reference.case}, {row.reference.what}"


@pytest.mark.parametrize("row", ROWS, ids=named)
def test_a_published_figure_is_in_the_range(row: Comparison) -> None:
    reference = row.reference

    assert row.agrees, f"{reference.published} {reference.unit}, computed {row.low:.4g} to {row.high:.4g}"


@pytest.mark.parametrize("row", [row for row in ROWS if row.reference.kind == "fits"], ids=named)
def test_nothing_that_runs_is_called_too_large(row: Comparison) -> None:
    assert row.low <= (row.reference.published or 0)


@pytest.mark.parametrize("row", ROWS, ids=named)
def test_a_row_says_where_it_is_from(row: Comparison) -> None:
    assert row.reference.source
    assert row.low <= row.high
    assert row.reference.published
    assert row.reference.note or row.reference.kind != "shown"


def test_there_are_many_rows_and_few_that_are_only_shown() -> None:
    kinds = [row.reference.kind for row in ROWS]

    assert len(kinds) >= 60
    assert kinds.count("shown") <= 8
    assert kinds.count("fits") + kinds.count("does not fit") >= 15


def test_runs_with_complete_inputs_have_an_upper_bound() -> None:
    assert [] == [named(row) for row in ROWS if row.reference.kind == "value" and math.isinf(row.high)]
