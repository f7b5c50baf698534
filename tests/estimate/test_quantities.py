"""Sizes, times and numbers are written as people read them."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsgen.estimate.quantities import (
    format_bandwidth,
    format_count,
    format_digits,
    format_range,
    format_seconds,
    format_size,
)


@pytest.mark.parametrize(
    ("format_", "texts"),
    [
        (format_size, {0: "0", 0.2: "0", 3: "3 B", 2048: "2 KiB", 525 * 2**20: "525 MiB", 31.46 * 2**30: "31.5 GiB"}),
        (format_size, {1000 * 2**20: "0.977 GiB", 1.5 * 2**40: "1.5 TiB", 2**60: "1,050,000 TiB"}),
        (format_seconds, {0.0451: "0.0451 s", 12.34: "12.3 s", 119: "119 s", 120: "2 min", 5700: "95 min"}),
        (format_seconds, {108000: "30 h", 86400 * 3.55: "3.55 days"}),
        (format_count, {32: "32", 63456: "63,500", 8030261248: "8.03 billion", 41943040: "41.9 million"}),
        (format_count, {2e12: "2 trillion"}),
        (format_bandwidth, {4e11: "400 Gbit/s", 28.8e12: "28.8 Tbit/s", 1e6: "1 Mbit/s"}),
    ],
)
def test_numbers_have_three_digits_and_a_unit(format_: Callable[[float], str], texts: dict[float, str]) -> None:
    assert texts == {number: format_(number) for number in texts}


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        ("12.1 GiB", "31 GiB", "12.1 to 31 GiB"),
        ("525 MiB", "2 GiB", "525 MiB to 2 GiB"),
        ("3 s", "3 s", "3 s"),
        ("0", "3 GiB", "0 to 3 GiB"),
        ("5", "7", "5 to 7"),
        ("1 GiB", "unknown", "1 GiB to unknown"),
    ],
)
def test_ranges_name_the_unit_once(low: str, high: str, text: str) -> None:
    assert text == format_range(low, high)


@given(st.floats(0.001, 1e15))
def test_no_number_loses_more_than_its_third_digit(number: float) -> None:
    assert float(format_digits(number).replace(",", "")) == pytest.approx(number, rel=0.0051)
