"""Shared by workers with and without ssh: their exit, and the time since the last contact with the launcher."""

from __future__ import annotations

import time
from collections.abc import Callable

from shared import settings

DONE, FAILED, ORPHAN, CANNOT_WORK, TERMINATED = 0, 1, 75, 78, 143
RESERVED_SECONDS = 20  # of the grace period: what the ranks do not get


class WorkerExitError(Exception):
    """The worker must stop: exit code, reason for the log, and the phase of an ended run."""

    def __init__(self, code: int, reason: str, phase: str = "") -> None:
        super().__init__(reason)
        self.code, self.reason, self.phase = code, reason, phase


class Contact:
    """Measures the time since the last sign of the launcher. `sign` returns another value after each sign."""

    def __init__(self, sign: Callable[[], object]) -> None:
        self.sign = sign
        self.last, self.since = sign(), time.monotonic()

    def compute_age(self) -> float:
        """Seconds since the last sign, by the monotonic clock."""
        now = self.sign()
        if now != self.last:
            self.last, self.since = now, time.monotonic()
        return time.monotonic() - self.since


def compute_ranks_seconds(run: settings.Settings) -> int:
    """The part of the termination grace period that the ranks get."""
    return run.termination_grace_period_seconds - RESERVED_SECONDS
