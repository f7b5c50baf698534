# dsgen/scripts/launcher_journal.py without its comments.

from __future__ import annotations

import time
from pathlib import Path
from types import FrameType
from typing import Any

import launcher_outcome as outcome
import shared_exchange as exchange
import shared_record as record
import shared_settings as settings
from shared_transitions import TRANSITIONS

TAILS = 16


class Journal:


  def __init__(self, path):
    self.path = path
    self.sequence = 0
    self.attempts = []
    self.said = {"exitCode": None, "worldSize": None, "terminated": False}
    self.note = ""

  def move(self, event, message = "", **facts):

    row = TRANSITIONS[event]
    said = dict(self.said, phase=row.phase, reason=row.reason, message=message or self.note, **facts)
    if said != self.said:
      self.said = said
      self.write()

  def begin_attempt(self):
    for old in self.attempts[: 1 - TAILS]:
      old.pop("tail", None)
    self.attempts.append({"startTime": record.stamp(time.time())})

  def end_attempt(self, reason, facts):

    self.attempts[-1].update({"endTime": record.stamp(time.time()), "reason": reason, **facts})

  def count_loss(self):

    if not self.attempts or self.attempts[-1].get("counted"):
      return False
    self.attempts[-1]["counted"] = True
    self.write()
    return True

  def terminate(self):

    self.said["terminated"] = True
    self.write()

  def totals(self, earlier):

    return record.totals(self.attempts, earlier)

  def write(self):
    self.sequence += 1
    exchange.write(self.path, {"sequence": self.sequence, **self.said, "attempts": self.attempts})


class External:


  def __init__(self, own_end = False):
    self.terminated = False
    self.own_end = own_end

  def on_signal(self, _number, _frame):
    self.terminated = True

  def status(self):
    return exchange.read(settings.written_by("status") / exchange.STATUS)

  def event(self):

    return "terminated" if self.terminated else outcome.external_event(self.status(), self.own_end)

  def earlier(self):

    return dict(self.status().get("earlier") or {})

  def failures(self):

    return int(self.workers().get("failed", 0))

  def workers(self):
    return dict(self.status().get("workers") or {})

  def explain(self, event):

    if event == "lease-lost":
      return f"run {self.status().get('holder')} of this job has taken over"
    if event != "workers-failed":
      return ""
    return "; ".join([*self.problems(), str(self.workers().get("message", ""))])

  def api_is_away(self):

    since = self.status().get("away")
    return max(time.time() - since, 0.0) if isinstance(since, (int, float)) else 0.0

  def problems(self):

    return [str(problem) for problem in self.workers().get("problems", [])]
