"""Quantities of Kubernetes, such as `1500m` and `2Gi`, as numbers."""

from __future__ import annotations

import re
from fractions import Fraction

SUFFIXES: dict[str, tuple[int, int]] = {unit: (1000**power, 1) for power, unit in enumerate(" kMGTPE") if power}
SUFFIXES |= {f"{unit}i": (1024**power, 1) for power, unit in enumerate(" KMGTPE") if power}
SUFFIXES |= {unit: (1, 1000**power) for power, unit in enumerate(" mun") if power}
"""Suffix -> factor and divisor."""


def parse_quantity(quantity: str | float) -> Fraction:
    """A quantity of Kubernetes as a number. Raises ValueError for a text without a number."""
    text = str(quantity)
    unit = text.lstrip("+-0123456789.")
    if unit not in SUFFIXES:
        return Fraction(text)
    return Fraction(text.removesuffix(unit)) * Fraction(*SUFFIXES[unit])


MOST_GIBIBYTES = 1024
"""Up to this number, a size without a unit is most likely in Gi, above it in Mi."""


def suggest_memory(quantity: str | float) -> str:
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


UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
"""Seconds of the units in which other tools write times."""


def parse_duration(text: str) -> int:
    """A time such as 3d, 1h30m, 90 min, 12:30:00 or 3-00:00:00 (Slurm) in seconds; 0 for any other text."""
    slurm = re.fullmatch(r"(?:(\d{1,4})-)?(\d{1,4}):(\d\d)(?::(\d\d))?", text.strip())
    if slurm:
        days, hours, minutes, rest = (int(part or 0) for part in slurm.groups())
        return ((days * 24 + hours) * 60 + minutes) * 60 + rest
    part = r"(\d{1,9}) *(s|m|h|d|w|secs?|seconds?|mins?|minutes?|hours?|days?|weeks?)"
    if not re.fullmatch(f"({part} *)+", text.strip().lower()):
        return 0
    return sum(int(number) * UNITS[unit[0]] for number, unit in re.findall(part, text.lower()))
