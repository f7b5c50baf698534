"""What both kinds of workers share: when they end and with which exit code, and what the record tells them."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import settings
from record import parse

DONE, FAILED, ORPHAN, CANNOT_WORK, TERMINATED = 0, 1, 75, 78, 143
RESERVED_SECONDS = 20  # of the grace period: what the ranks do not get


class End(Exception):  # noqa: N818  # the ordinary way out, not an error
    """The worker has to stop."""

    def __init__(self, code: int, reason: str, phase: str = "") -> None:
        super().__init__(reason)
        self.code, self.reason, self.phase = code, reason, phase


class Contact:
    """Time since the last sign of a launcher, by this process's own clock. `sign` gives another value for each."""

    def __init__(self, sign: Callable[[], object]) -> None:
        self.sign = sign
        self.last, self.since = sign(), time.monotonic()

    def age(self) -> float:
        now = self.sign()
        if now != self.last:
            self.last, self.since = now, time.monotonic()
        return time.monotonic() - self.since


def say(text: str) -> None:
    sys.stderr.write(f"[dsgen] {text}\n")
    sys.stderr.flush()


def record(run: str) -> dict[str, Any]:
    """What this pod sees of the run's record; {} before there is one."""
    try:
        return parse((settings.STATUS / run).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def end_phase(run: str) -> str:
    """The phase with which the record says that the run is over; else ""."""
    phase = record(run).get("phase")
    return phase if phase in settings.END_PHASES else ""


def ranks_seconds(run: settings.Settings) -> int:
    """What the ranks get of the grace period."""
    return run.termination_grace_period_seconds - RESERVED_SECONDS
