# dsgen/scripts/worker_exit.py without its comments.

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable

import shared_settings as settings

DONE, FAILED, ORPHAN, CANNOT_WORK, TERMINATED = 0, 1, 75, 78, 143

READY = settings.RUN / "ready"
RESERVED_SECONDS = 20


def withdraw_ready() -> None:

  with contextlib.suppress(OSError):
    READY.unlink()


class WorkerExit(Exception):


  def __init__(self, code: int, reason: str, phase: str = "") -> None:
    super().__init__(reason)
    self.code, self.reason, self.phase = code, reason, phase


class Contact:


  def __init__(self, sign: Callable[[], object]) -> None:
    self.sign = sign
    self.last, self.since = sign(), time.monotonic()

  def age(self) -> float:

    now = self.sign()
    if now != self.last:
      self.last, self.since = now, time.monotonic()
    return time.monotonic() - self.since


def ranks_seconds(run: settings.Settings) -> int:

  return run.termination_grace_period_seconds - RESERVED_SECONDS
