# dsgen/scripts/launcher_without_ssh.py without its comments.





from __future__ import annotations

import re
import time
from typing import Any

import shared_methods as methods
from launcher_ordered import OrderedAttempt
from launcher_orders import Orders
from launcher_outcome import AttemptEnd, RunEnded, deadline_message, never_met
from launcher_wait import Wait
from shared_log import log
from shared_transitions import TRANSITIONS

TICK_SECONDS = 0.1
CONNECT_SECONDS = 150
ISOLATED_SECONDS = 600

FAILED_POD = re.compile(r"Container worker for pod [^/ ]+/(\S+)-[^- ]+ failed with exit code (\d+)")


class WithoutSsh:


  def __init__(self, wait):
    self.wait = wait
    self.configured = wait.configured
    self.external = wait.external
    self.journal = wait.journal
    self.orders = Orders(wait.workers.names)
    self.output = self.orders.output
    self.whole = methods.of(self.configured).whole
    self.free = False
    self.number = 0

  def prepare(self):

    try:
      self.journal.said["launcher"] = self.orders.listen(str(self.external.status().get("offer") or ""))
    except OSError as error:
      log(f"this pod has no address to listen on: {error}")

  def wait_for_workers(self):

    wanted, ready_at = self.configured.workers, 0.0
    while self.free or len(self.orders.connected()) < wanted:
      ready = self.ready() >= wanted
      ready_at = (ready_at or time.monotonic()) if ready else 0.0
      if ready and (self.free or time.monotonic() - ready_at > CONNECT_SECONDS):
        break
      if not self.orders.connected():
        self.wait.check_isolation()
      if not self.wait.time_left_for_workers():
        said = f"{self.ready()} of {wanted} workers were ready, {len(self.orders.connected())} had connected"
        raise RunEnded("unreachable", self.wait.too_late(said))
      time.sleep(TICK_SECONDS)
    if len(self.orders.connected()) < wanted and not self.free:
      log("not all workers can connect to this pod: they start when the record says so, and nothing is restarted")
    self.free = len(self.orders.connected()) < wanted or any(m.free for m in self.orders.members.values())
    if self.free:
      self.journal.said["start"] = "record"

  def ready(self):

    job = self.external.workers()
    return 0 if job.get("suspended") else int(job.get("ready", 0))

  def start(self):
    pass

  def attempt(self):

    if self.free:
      return Attempt(self)
    at = {member.attempt for member in self.orders.members.values()}
    goes_on = not self.number and len(at) == 1 and 0 not in at
    self.number = max(self.number, *at) + (0 if goes_on else 1)
    return OrderedAttempt(self.wait, self.orders, self.reports(), self.number)

  def ended(self, event):

    begun = self.wait.totals()["attempts"] > 0
    return RunEnded(*self.verdict(event)[0]) if begun else RunEnded(event, self.external.explain(event))

  def verdict(self, event):

    if event == "succeeded":
      return AttemptEnd(event, "", 0), {"exitCode": 0}
    failure = self.failure() if event == "workers-failed" else {}
    if self.output.world_sizes - {self.reports()} and failure:
      sizes = ", ".join(map(str, sorted(self.output.world_sizes)))
      return AttemptEnd("world-size", f"world size reported: {sizes}; asked for: {self.reports()}", None), {}
    if event == "workers-failed" and "rank" not in failure and self.strangers():
      return AttemptEnd("never-met", never_met(self.strangers(), self.reports()), None), {}
    if failure:
      seen = [*self.external.problems(), f"worker {failure['host']} ended with exit code {failure['exitCode']}"]
      message = self.output.blame() if "rank" in failure else seen[0]
      return AttemptEnd("failed", message, failure["exitCode"]), failure
    message = (
      deadline_message(self.configured.active_deadline_seconds)
      if event == "deadline"
      else self.external.explain(event)
    )
    return AttemptEnd(event, message, None), {}

  def failure(self):

    match = FAILED_POD.search(self.external.explain("workers-failed"))
    by_job = {"host": match.group(1), "exitCode": int(match.group(2))} if match else {}
    return self.output.failure() or by_job

  def strangers(self):

    expected = self.configured.expect_world and self.reports() > 1
    ended = {end["rank"] for end in self.output.ends if not end["exitCode"]}
    return [rank for rank in self.output.strangers() if rank in ended] if expected else []

  def reports(self):

    return self.configured.workers * (1 if self.whole else self.configured.slots)

  def announce_end(self, phase):

    self.orders.tell(over=phase)


class Attempt:


  def __init__(self, side):
    self.side = side
    self.configured = side.configured
    self.external, self.journal = side.external, side.journal
    self.before = self.journal.totals(self.external.earlier())

  def run(self):

    self.journal.begin_attempt()
    self.journal.move("started")
    started = time.monotonic()
    while True:
      self.side.wait.workers.reap()
      self.side.wait.check_isolation(ISOLATED_SECONDS)
      event = self.external.event() or self.why_cut(time.monotonic() - started)
      if event:
        return self.close(event)
      if self.runs(time.monotonic() - started):
        self.journal.move("running", worldSize=self.world())
      time.sleep(TICK_SECONDS)

  def why_cut(self, seconds):

    limit = self.configured.active_deadline_seconds
    if 0 < limit < self.before["seconds"] + seconds:
      return "deadline"
    return "workers-lost" if self.external.workers().get("suspended") else ""

  def runs(self, seconds):

    return self.world_is_there() or seconds > self.configured.start_timeout_seconds

  def world_is_there(self):
    return len(self.side.output.ranks) == self.side.reports()

  def world(self):

    expected = self.side.reports()
    met = expected == 1 or len(self.side.output.met) == expected
    return expected if met and not self.side.whole else None

  def close(self, event):
    end, facts = self.side.verdict(event)
    if end.event == "succeeded":
      checked = self.configured.expect_world and not self.side.whole
      self.journal.said["worldSize"] = self.side.reports() if checked else self.world()
    self.journal.end_attempt(TRANSITIONS[end.event].reason or "Succeeded", facts)
    return end
