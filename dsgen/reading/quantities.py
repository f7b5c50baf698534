"""Quantities of Kubernetes, such as `1500m` and `2Gi`, as numbers."""

from __future__ import annotations

from fractions import Fraction

SUFFIXES = {unit: Fraction(1000) ** power for power, unit in enumerate(" kMGTPE") if power}
SUFFIXES |= {f"{unit}i": Fraction(1024) ** power for power, unit in enumerate(" KMGTPE") if power}
SUFFIXES |= {unit: Fraction(1, 1000**power) for power, unit in enumerate(" mun") if power}


def amount(quantity: str | float) -> Fraction:
    """A quantity of Kubernetes as a number."""
    text = str(quantity)
    unit = text.lstrip("+-0123456789.")
    return Fraction(text.removesuffix(unit)) * SUFFIXES[unit] if unit in SUFFIXES else Fraction(text)
