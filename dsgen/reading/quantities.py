"""Quantities of Kubernetes, such as `1500m` and `2Gi`, as numbers."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fractions import Fraction

SUFFIXES = {unit: (1000**power, 1) for power, unit in enumerate(" kMGTPE") if power}
SUFFIXES |= {f"{unit}i": (1024**power, 1) for power, unit in enumerate(" KMGTPE") if power}
SUFFIXES |= {unit: (1, 1000**power) for power, unit in enumerate(" mun") if power}
"""Suffix -> factor and divisor."""


def amount(quantity: str | float) -> Fraction:
    """A quantity of Kubernetes as a number."""
    from fractions import Fraction  # imported late: for many jobs no quantities are compared

    text = str(quantity)
    unit = text.lstrip("+-0123456789.")
    if unit not in SUFFIXES:
        return Fraction(text)
    return Fraction(text.removesuffix(unit)) * Fraction(*SUFFIXES[unit])


MOST_GIBIBYTES = 1024
"""Up to this number, a size without a unit is most likely in Gi, above it in Mi."""


def memory_meant(quantity: str | float) -> str:
    """A hint with the unit that was meant by a size below 1Mi; empty if nothing suggests one."""
    text = str(quantity)
    number = text.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    unit = text.removeprefix(number)
    if unit == "m":
        return f"did you mean {number}Mi? The unit m is a thousandth of a byte"
    if unit or not number:
        return ""
    unit = "Gi" if float(number) <= MOST_GIBIBYTES else "Mi"
    return f"did you mean {number}{unit}? A number without a unit is in bytes"
