"""Bytes, seconds and counts as people read them, and sizes and speeds as they write them: 80Gi, 400Gbit, 5G."""

from __future__ import annotations

import re

from dsgen.language.functions import UNITS, parse_quantity

SIZES = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))
TIMES = ((86400, "days"), (3600, "h"), (60, "min"))
COUNTS = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))
BITS = ((1e12, "Tbit/s"), (1e9, "Gbit/s"), (1e6, "Mbit/s"))
LONGEST = {"days": 3, "h": 2, "min": 2}
"""A time has a unit from so many of it on."""


def format_size(number: float) -> str:
    """Bytes: 31.5 GiB, 525 MiB."""
    for unit, name in SIZES:
        if number * 1024 >= unit * 1000:
            return f"{format_digits(number / unit)} {name}"
    return f"{number:.0f}" if number < 1 else f"{number:.0f} B"


def format_seconds(number: float) -> str:
    """A time: 0.45 s, 12.3 s, 95 min, 30 h."""
    for unit, name in TIMES:
        if number >= unit * LONGEST[name]:
            return f"{format_digits(number / unit)} {name}"
    return f"{format_digits(number)} s"


def format_bandwidth(number: float) -> str:
    """Bits a second: 400 Gbit/s."""
    unit, name = next((each for each in BITS if number >= each[0]), BITS[-1])
    return f"{format_digits(number / unit)} {name}"


def format_count(number: float) -> str:
    """A number of parameters, tokens or hours: 8.03 billion, 41.9 million, 63,500."""
    for unit, name in COUNTS:
        if number >= unit:
            return f"{format_digits(number / unit)} {name}"
    return format_digits(number)


def format_digits(number: float) -> str:
    """A number with three digits, and with separators if it is large."""
    if number >= 1000:
        return f"{float(f'{number:.3g}'):,.0f}"
    return f"{float(f'{number:.3g}'):g}"


def format_range(low: str, high: str) -> str:
    """A range, or one number if both are the same: 12.1 to 31 GiB."""
    if low == high:
        return low
    unit = f" {high.partition(' ')[2]}"
    return f"{low.removesuffix(unit) if len(unit) > 1 else low} to {high}"


BIT_RATE = re.compile(r"([0-9]+(?:\.[0-9]+)?)(k|M|G|T)?bit(?:/s)?")
FACTORS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
QUANTITY = re.compile(rf"[0-9]+(?:\.[0-9]+)?({'|'.join(UNITS)})?")


class UnitError(ValueError):
    """A size or speed that cannot be read; the text says what is possible."""


def parse_bytes(text: str | float) -> float:
    """Bytes, or bytes a second: a quantity of Kubernetes such as 80Gi or 5G. Raises UnitError."""
    if isinstance(text, int | float) and 0 <= text < float("inf"):
        return float(text)
    written = str(text)
    if not QUANTITY.fullmatch(written):
        raise UnitError(f"{written!r} is not a size; write it as in Kubernetes, such as 80Gi or 500G")
    return float(parse_quantity(written))


def parse_bandwidth(text: str | float) -> float:
    """The speed of a network: 400Gbit, 10Gbit/s, or a number of bits a second. Raises UnitError."""
    if isinstance(text, int | float) and 0 <= text < float("inf"):
        return float(text)
    written = str(text)
    if found := BIT_RATE.fullmatch(written):
        return float(found[1]) * FACTORS[found[2] or ""]
    raise UnitError(f"{written!r} is not the speed of a network; write it in bits a second, such as 400Gbit")
