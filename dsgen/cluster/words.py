"""The names of phases and reasons. A test compares those of the record with scripts/shared_transitions.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

VERSION = 1
LIMIT_BYTES = 16 * 1024
DEAD_SECONDS = 180
"""Seconds without a renewal of the lease after which the launcher counts as dead or disconnected."""

ENDS = ("Succeeded", "Failed", "Stopped")
ACTIVE = ("Starting", "Running", "Restarting")
"""The phases in which a launcher must be alive."""
PHASES = ("Pending", "Queued", *ACTIVE, "Suspended", *ENDS, "Unknown")
"""The record never contains Unknown: it is shown if the lease has not been renewed for too long."""


class Shown(NamedTuple):
    """What is shown for a run. `since`: the time of the last change, if known."""

    phase: str
    reason: str = ""
    message: str = ""
    since: float | None = None


def not_visible(kinds: Sequence[str]) -> list[str]:
    """A line with the kinds that cannot be read; no line if all can be read."""
    return [f"not visible to you: {', '.join(kinds)}"] if kinds else []
