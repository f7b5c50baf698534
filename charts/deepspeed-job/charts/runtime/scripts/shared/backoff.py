"""Delays between tries, which grow until they are long."""

from __future__ import annotations

GROWTH = 1.3


def lengthen(delay: float, first: float, longest: float) -> float:
    """The delay after the next try. `delay`: the one before it, 0 before the first."""
    return min(max(delay * GROWTH, first), longest)
