"""What workers with and without ssh share: the way they exit, and how they notice that the launcher is gone."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable

import shared_settings as settings

DONE, FAILED, ORPHAN, CANNOT_WORK, TERMINATED = 0, 1, 75, 78, 143
# The readiness probe looks for this file: a program of its own would start some hundred times in an hour.
READY = settings.RUN / "ready"
RESERVED_SECONDS = 20  # of the grace period: what the ranks do not get


def withdraw_ready() -> None:
    """The pod is ready no more."""
    with contextlib.suppress(OSError):
        READY.unlink()


class WorkerExit(Exception):  # noqa: N818  # the ordinary way out, not an error
    """The worker has to stop: exit code, the reason for the log, and the phase of the run where it has ended."""

    def __init__(self, code: int, reason: str, phase: str = "") -> None:
        super().__init__(reason)
        self.code, self.reason, self.phase = code, reason, phase


class Contact:
    """Measures the time since the last sign of the launcher. `sign` returns another value after each sign."""

    def __init__(self, sign: Callable[[], object]) -> None:
        self.sign = sign
        self.last, self.since = sign(), time.monotonic()

    def age(self) -> float:
        """Seconds since the last sign, by this process's own clock."""
        now = self.sign()
        if now != self.last:
            self.last, self.since = now, time.monotonic()
        return time.monotonic() - self.since


def ranks_seconds(run: settings.Settings) -> int:
    """The part of the termination grace period that the ranks get."""
    return run.termination_grace_period_seconds - RESERVED_SECONDS
