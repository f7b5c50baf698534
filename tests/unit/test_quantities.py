"""Quantities as numbers, and those that rows can compare."""

from fractions import Fraction

import pytest

from dsgen.checks import quantities
from dsgen.language.environment import environment


@pytest.mark.parametrize(
    ("quantity", "expected"),
    [
        ("1.5Gi", Fraction(3 * 1024**3, 2)),
        ("500m", Fraction(1, 2)),
        ("3u", Fraction(3, 10**6)),
        ("7n", Fraction(7, 10**9)),
        ("2e3", 2000),
        ("1E", 10**18),
        ("+.5", Fraction(1, 2)),
        ("1.", 1),
        (1.5, Fraction(3, 2)),
        (1e22, 10**22),
    ],
)
def test_a_quantity_is_a_number(quantity: str | float, expected: Fraction) -> None:
    assert expected == quantities.amount(quantity)


@pytest.mark.parametrize("number", ["1", "9" * 6, "9" * 9, "9" * 10, "9" * 18, "9" * 19, "1.5", "0.5"])
@pytest.mark.parametrize("unit", ["", "m", *"kMGTPE", *(f"{one}i" for one in "KMGTPE")])
def test_what_rows_compare_is_known_exactly(number: str, unit: str) -> None:
    told = int(environment().helpers["whole_bytes"](f"{number}{unit}"))

    assert (quantities.amount(f"{number}{unit}") if quantities.is_compared(f"{number}{unit}") else 0) == told
