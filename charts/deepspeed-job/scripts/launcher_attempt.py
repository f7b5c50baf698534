# dsgen/scripts/launcher_attempt.py without its comments.

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from typing import Any

import launcher_outcome as outcome
import launcher_workers as workers
import shared_hostfile as hostfile
import shared_methods as methods
import shared_reports as reports
import shared_settings as settings
from launcher_journal import External, Journal
from launcher_outcome import AttemptEnd
from launcher_process import Process, Ranks
from launcher_progress import Progress, hang_message, recorded, report
from shared_log import log
from shared_output import Output
from shared_progress import Source
from shared_transitions import TRANSITIONS

TICK_SECONDS = 0.5
FOLLOW_SECONDS = 20
RESERVED_SECONDS = 20
KILL_SECONDS = 5
PROBE_SECONDS = 6
KILLED = 128 + signal.SIGKILL
STACKS_SECONDS = 20


class Attempt:


  def __init__(
    self, configured, reached, journal, external
  ):
    self.configured = configured
    self.workers = reached
    self.journal = journal
    self.external = external
    self.method = methods.of(configured)
    used = hostfile.active(reached.chosen, configured.slots, hostfile.options(configured.deepspeed_args))
    self.hosts = list(used)
    self.progress = Progress(configured)
    self.progress.source = Source(configured, files=True) if self.method.whole else None
    self.heard = Output([] if self.method.whole else self.hosts, pdsh=self.method.pdsh, progress=self.progress)

    self.output = self.heard if self.method.ranks else Output([])
    self.world = sum(used.values()) if self.method.ranks else 0
    self.before = journal.totals(external.earlier())
    self.cut_message = self.hang = ""
    self.alone = []

  def run(self):

    self.journal.begin_attempt()
    self.journal.move("started")
    process = self.launch()
    try:
      cut = self.watch(process)
      if cut:
        self.heard.ending = True
        self.end_ranks(process)
      lost = self.gone(process, cut)
    finally:
      process.kill()
    process.finish()
    if self.output.unclosed() and cut != "terminated":
      self.signal("KILL", KILL_SECONDS)
    code = process.code() or (KILLED if not cut and self.starter_died(process) else 0)
    return self.judge(code, cut, lost)

  def launch(self):

    start = self.start()
    if methods.meets_in_sessions(self.configured):
      self.workers.everywhere(workers.forget_meeting(), workers.COMMAND_SECONDS)
    environment = self.method.environment(start)
    if not self.method.whole:
      environment[reports.NONCE] = self.heard.nonce.decode()
    return Process(self.method.command(start), environment, self.heard, self.workers.children)

  def signal(self, name, seconds, until = lambda: False):

    self.workers.everywhere(workers.signal_ranks(name), seconds, until)

  def start(self):

    path = methods.HOSTFILE
    if self.configured.spares:
      path = hostfile.write(settings.RUN / "hostfile", self.workers.chosen, self.configured.slots)
    return methods.Start(self.configured, self.hosts, hostfile=path)

  def watch(self, process):

    started, wrong_since = time.monotonic(), 0.0
    while process.code() is None:
      self.workers.reap()
      if self.configured.spares:
        self.workers.keep_contact()
      now = time.monotonic()
      wrong_since = wrong_since or (now if self.output.any_failed() else 0.0)
      cut = self.why_cut(now - started, now - wrong_since if wrong_since else 0)
      if cut and not (cut == "world-size" and process.behind()):
        if cut == "hung":
          self.ask_for_stacks(process)
        self.cut_message = self.message(cut, None, [])
        return cut
      if self.world_is_there():
        report(self.progress, self.journal, self.met_world())
      time.sleep(TICK_SECONDS)
    return ""

  def ask_for_stacks(self, process):

    self.hang = self.progress.hang()
    log(f"the training hangs: {self.hang}; the stacks of all ranks:")

    def done():
      return process.code() is not None or len(self.progress.stacks) >= max(self.world, 1)

    self.signal("STACKS", STACKS_SECONDS, done)
    until = time.monotonic() + STACKS_SECONDS
    while self.world and not done() and time.monotonic() < until:
      time.sleep(TICK_SECONDS)

  def why_cut(self, seconds, wrong_seconds):

    limit, start = self.configured.active_deadline_seconds, self.configured.start_timeout_seconds
    reasons = (
      (self.external.event(), True),
      ("deadline", 0 < limit < self.before["seconds"] + seconds),
      ("world-size", self.world_is_wrong() or (seconds > start and not self.world_is_there())),
      ("follow", wrong_seconds > FOLLOW_SECONDS),
      ("hung", bool(self.progress.hang())),
    )
    return next((event for event, holds in reasons if event and holds), "")

  def end_ranks(self, process):

    patience = max(self.configured.termination_grace_period_seconds - RESERVED_SECONDS, 10)
    for name, seconds in (("TERM", patience), ("KILL", KILL_SECONDS)):
      if process.code() is None:
        log(f"ending the ranks with SIG{name}")
        until = time.monotonic() + seconds
        self.signal(name, seconds, lambda: process.code() is not None)
        while process.code() is None and time.monotonic() < until:
          time.sleep(TICK_SECONDS)

  def gone(self, process, cut):

    code = process.code()
    if code is None:
      return self.output.lost()
    process.finish()
    if process.signalled():
      self.heard.failures = [end for end in self.heard.failures if "rank" in end]
    if self.output.any_started():
      return [] if self.starter_died(process) else self.output.unclosed()
    if cut or code == 0:
      return []
    until = time.monotonic() + PROBE_SECONDS
    return self.workers.missing(lambda: time.monotonic() < until)

  def starter_died(self, process):

    code = process.code() or 0
    signalled = code == 0 or code >= 128 if self.method.pdsh else process.signalled()
    return signalled and self.output.any_started() and not self.output.closed and not self.output.ssh_ended

  def judge(self, code, cut, lost):

    failed = self.heard.failure().get("exitCode", 0)
    if not code and not self.method.ranks:
      code = failed
    training_code = failed or code
    if not code and not cut and methods.meets_in_sessions(self.configured):
      met = self.workers.met()
      self.alone = [host for host in self.hosts if host.partition(".")[0] not in met]
    event = outcome.decide(self.facts(code, training_code, cut, bool(lost)))
    known = training_code if event in ("succeeded", "failed", "restarting") else None
    facts = self.failure(event, cut, lost)
    if known is not None:
      facts["exitCode"] = known
    self.journal.end_attempt(TRANSITIONS[event].reason or "Succeeded", facts)
    self.journal.said.update(worldSize=self.met_world(), **recorded(self.progress))
    message = (event in (cut, f"{cut}-restarting") and self.cut_message) or self.message(event, known, lost)
    return AttemptEnd(event, message, known)

  def failure(self, event, cut, lost):

    failed = {} if cut in outcome.CUTS else self.heard.failure()
    if cut == "hung":
      return {key: fact for key, fact in self.progress.suspect().items() if key != "why"}
    return {"host": lost[0]} if event == "workers-lost" and failed.get("host") not in lost else failed

  def facts(self, code, training_code, cut, lost):
    return outcome.Facts(
      code=code,
      training_code=training_code,
      cut=cut,
      lost=lost,
      hosts=len(self.output.hosts),
      closed=len(self.output.closed),
      expected_ranks=self.world,
      ranks=len(self.output.ranks),
      strangers=len(self.strangers()) + len(self.alone),
      world_is_wrong=self.world_is_wrong(),
      restarts=self.before["failures"],
      max_restarts=self.configured.max_restarts,
      restart_exit_codes=tuple(self.configured.restart_exit_codes),
    )

  def message(self, event, code, lost):

    if event in ("failed", "restarting"):
      return self.heard.blame() if self.heard.failure() else f"the training ended with exit code {code}"
    if event in ("hung", "hung-restarting"):
      return hang_message(self.hang, self.progress.suspect())
    if event == "never-met" and self.alone:
      return f"no process met another worker's on {' '.join(self.alone[:10])} (launch.expectWorld)"
    if event == "never-met":
      return outcome.never_met(self.strangers(), self.world)
    if event == "workers-lost":
      return f"lost: {' '.join(lost[:10])}"
    if event == "world-size":
      sizes = ", ".join(str(size) for size in sorted(self.output.world_sizes)) or "none"
      return f"{len(self.output.ranks)} of {self.world} ranks started; world size reported: {sizes}"
    if event == "deadline":
      return outcome.deadline_message(self.configured.active_deadline_seconds)
    return self.external.explain(event)

  def strangers(self):

    return self.output.strangers() if self.configured.expect_world and self.world > 1 else []

  def met_world(self):

    met = self.world == 1 or len(self.output.met) == self.world
    return self.world if met and self.world_is_there() and self.world else None

  def world_is_there(self):
    return len(self.output.ranks) == self.world and self.output.world_sizes == {self.world} - {0}

  def world_is_wrong(self):
    return bool(self.output.world_sizes - {self.world})
