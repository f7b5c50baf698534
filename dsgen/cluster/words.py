"""The words of phases and reasons. Those of the record are those of its transitions; a test holds both equal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

VERSION = 1
LIMIT_BYTES = 16 * 1024
DEAD_SECONDS = 180
"""A lease that has not changed for so long belongs to a launcher that is dead, or cut off."""

ENDS = ("Succeeded", "Failed", "Stopped")
ACTIVE = ("Starting", "Running", "Restarting")
"""Phases in which a launcher must be alive."""
PHASES = ("Pending", "Queued", *ACTIVE, "Suspended", *ENDS, "Unknown")
"""Unknown is no word of the record: it is what is left when nothing has been heard of a run for too long."""


class Shown(NamedTuple):
    """What is shown of a run. `since` is when it became so, where that is known."""

    phase: str
    reason: str = ""
    message: str = ""
    since: float | None = None


def not_visible(kinds: Sequence[str]) -> list[str]:
    """A line for what may not be read; none where everything may."""
    return [f"not visible to you: {', '.join(kinds)}"] if kinds else []
