# dsgen/scripts/launcher_wait.py without its comments.

from __future__ import annotations

import time

import shared_settings as settings
from launcher_journal import External, Journal
from launcher_outcome import RunEnded
from launcher_workers import Workers
from shared_log import log

TICK_SECONDS = 0.5
ISOLATED_SECONDS = 180


class Interrupted(Exception):


  def __init__(self, event):
    super().__init__(event)
    self.event = event


class Clock:


  def __init__(self, limit):
    self.left = limit
    self.last = time.monotonic()

  def tick(self, running):

    now = time.monotonic()
    self.left -= (now - self.last) if running else 0
    self.last = now
    return self.left


class Wait:


  def __init__(self, configured, workers, journal, external):
    self.configured = configured
    self.workers = workers
    self.journal = journal
    self.external = external
    self.clock = self.new_clock()
    self.reason = ("waiting", "")
    self.failures_before = 0

  def new_clock(self):
    return Clock(self.configured.start_timeout_seconds)

  def check_isolation(self, seconds = ISOLATED_SECONDS):





    away = self.external.api_is_away()
    if away > seconds:
      log(f"neither the API (for {away:.0f} s) nor any worker can be reached from this pod: it counts as lost")
      raise RunEnded("terminated")

  def check(self):

    self.workers.reap()
    event = self.external.event()
    if event:
      raise Interrupted(event)

  def check_and_keep_contact(self):

    self.check()
    self.workers.keep_contact()

  def pause(self, seconds):

    until = time.monotonic() + seconds
    while time.monotonic() < until:
      self.check()
      time.sleep(min(TICK_SECONDS, max(until - time.monotonic(), 0)))

  def for_lease(self):

    clock = self.new_clock()
    while True:
      self.check_and_keep_contact()
      status = self.external.status()
      lease = status.get("lease")
      if lease == "held":
        return
      if clock.tick(not lease) <= 0:
        raise RunEnded("no-record", f"ConfigMap {self.configured.record} could not be read and written in time")
      if lease == "waiting":
        self.journal.move("turn", f"run {status.get('holder')} of this job has not ended")
      time.sleep(TICK_SECONDS)

  def time_left_for_workers(self):

    self.check_and_keep_contact()
    self.count_loss()
    suspended = bool(self.external.workers().get("suspended"))
    event, message = self.reason
    queued = ("queued", f"Job {self.configured.worker_job} is suspended")
    self.journal.move(*(queued if suspended else (event, message or "; ".join(self.external.problems()))))
    return self.clock.tick(not suspended) > 0

  def count_loss(self):

    if self.reason[0] != "workers-lost" or self.external.failures() <= self.failures_before:
      return
    if self.journal.count_loss():
      self.clock = self.new_clock()
    used, limit = self.totals()["replacements"], self.configured.worker_replacements
    if used > limit:
      raise RunEnded("lost-too-often", f"workers were lost {used} times, lifecycle.workerReplacements is {limit}")

  def totals(self):

    return self.journal.totals(self.external.earlier())

  def too_late(self, problem):

    limit = f"lifecycle.startTimeoutSeconds ({self.configured.start_timeout_seconds})"
    remedy = f"kubectl delete job -n {self.configured.namespace} {self.configured.worker_job}"
    said = "; ".join([f"{problem} within {limit}", *self.external.problems()])
    return f"{said}; to free the workers: {remedy}"
