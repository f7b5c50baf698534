"""Formulas are computed and shown from the same text, and totals are those of one moment."""

import pytest

from dsgen.estimate import formulas
from dsgen.estimate.formulas import (
    BACKWARD,
    HIGH,
    LOW,
    STEP,
    Item,
    compute_total,
    compute_value,
    insert_numbers,
    make_item,
)

SYMBOLS: formulas.Symbols = {"P": (7e9, 8e9), "D": 16, "w": 2}


def test_a_formula_is_computed_with_its_bounds() -> None:
    assert 2 * 7e9 / 16 == compute_value("w * P / D", SYMBOLS, LOW)
    assert 2 * 8e9 / 16 == compute_value("w * P / D", SYMBOLS, HIGH)
    assert 5 == compute_value("max(2, 1 + 2 * 2)", {})
    assert -1 == compute_value("min(2, 3) - 3", {})


def test_a_formula_is_shown_with_its_numbers() -> None:
    assert "2 * 7000000000 / 16" == insert_numbers("w * P / D", SYMBOLS, LOW)
    assert "min(3.12e+14, 0.5)" == insert_numbers("min(a, b)", {"a": 3.12e14, "b": 0.5})


@pytest.mark.parametrize("text", ["P ** 2", "open(P)", "P if P else D", "[P]", "P.real", "'P'"])
def test_nothing_but_arithmetic_is_a_formula(text: str) -> None:
    with pytest.raises((ValueError, KeyError)):
        compute_value(text, SYMBOLS)


def test_an_item_says_both_bounds() -> None:
    one = make_item("weights", "P / D", "w * P / D", SYMBOLS, "a source", [STEP])

    assert (7e9 / 16, 2 * 8e9 / 16) == (one.low, one.high)
    assert "P / D to w * P / D" == one.formula
    assert "7000000000 / 16 to 2 * 8000000000 / 16" == one.numbers


def held(name: str, low: float, high: float, *moments: str) -> Item:
    return Item(name, low, high, "", "", "", frozenset(moments))


def test_what_is_not_there_at_once_is_not_added() -> None:
    found = compute_total([held("a", 5, 9, BACKWARD), held("b", 7, 8, STEP), held("c", 1, 1, BACKWARD, STEP)])

    assert 10 == found.high
    assert BACKWARD == found.moment
    assert ["a", "c"] == [one.name for one in found.items]
    assert 8 == found.low, "the lower bound may be that of another moment"
