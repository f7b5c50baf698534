# dsgen/scripts/worker_exit.py without its comments.

from __future__ import annotations

import time
from collections.abc import Callable

import shared_settings as settings

DONE, FAILED, ORPHAN, CANNOT_WORK, TERMINATED = 0, 1, 75, 78, 143

WAITS, SERVES, FAILS = "waits", "serves", "fails"
RESERVED_SECONDS = 20


class WorkerExit(Exception):


  def __init__(self, code, reason, phase = ""):
    super().__init__(reason)
    self.code, self.reason, self.phase = code, reason, phase


class Contact:


  def __init__(self, sign):
    self.sign = sign
    self.last, self.since = sign(), time.monotonic()

  def age(self):

    now = self.sign()
    if now != self.last:
      self.last, self.since = now, time.monotonic()
    return time.monotonic() - self.since


def ranks_seconds(run):

  return run.termination_grace_period_seconds - RESERVED_SECONDS
