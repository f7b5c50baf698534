# dsgen/scripts/launcher.py without its comments.




from __future__ import annotations

import signal

if __name__ == "__main__":

  signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM, signal.SIGINT))

import os
import sys
import time
import traceback

import launcher_workers as workers
import shared_debug as debug
import shared_exchange as exchange
import shared_hostfile as hostfile
import shared_methods as methods
import shared_record as record
import shared_settings as settings
from launcher_journal import External, Journal
from launcher_outcome import RunEnded
from launcher_wait import Interrupted, Wait
from launcher_with_ssh import WithSsh
from launcher_without_ssh import WithoutSsh
from shared_log import last_words, log
from shared_transitions import TRANSITIONS, exit_code, exit_code_again

CONFIRM_SECONDS = 900
SAY_SECONDS = 10


class Launcher:


  def __init__(self, configured, reached):
    self.configured = configured
    self.workers = reached
    self.journal = Journal(settings.RUN / exchange.LAUNCHER)
    ssh = methods.of(configured).ssh
    self.external = External(own_end=not ssh)
    self.wait = Wait(configured, reached, self.journal, self.external)
    self.side = WithSsh(self.wait) if ssh else WithoutSsh(self.wait)

  def run(self):

    try:
      self.side.prepare()
      self.wait.for_lease()
      self.wait.clock = self.wait.new_clock()
      while True:
        self.side.wait_for_workers()
        if self.configured.debug:
          raise self.debug()
        self.train()
    except Interrupted as interrupted:
      return self.end(self.side.ended(interrupted.event))
    except RunEnded as ended:
      return self.end(ended)
    except Exception:
      print(traceback.format_exc(), file=sys.stderr, flush=True)
      return self.end(RunEnded("bug", traceback.format_exc().strip().splitlines()[-1]))

  def train(self):

    self.wait.failures_before = self.external.failures()
    attempt = self.side.attempt()
    end = attempt.run()
    row = TRANSITIONS[end.event]
    if row.exit is not None:
      raise RunEnded(*end)
    log(f"{row.reason}: {end.message}")

    restarts = row.phase == "Restarting"
    if attempt.world_is_there() or restarts:
      self.wait.clock = self.wait.new_clock()
    self.wait.reason = ("workers-lost", end.message) if end.event == "workers-lost" else ("waiting", "")
    self.journal.move(end.event, end.message)
    if restarts:
      self.wait.pause(self.configured.restart_delay_seconds)
      self.wait.clock = self.wait.new_clock()

  def debug(self):

    self.journal.move("debug")
    debug.print_instructions(self.configured, self.side.start())
    limit = self.configured.active_deadline_seconds
    check = self.wait.check_and_keep_contact
    return RunEnded(*debug.run_or_idle(self.configured.debug_command, limit, check, self.workers.children))

  def end(self, ended):

    row = TRANSITIONS.get(ended.event)
    if row is None:
      before = self.external.status().get("ended") or {}
      log(f"the run has already ended: {before.get('phase')}; choose another run.id to train again")
      return exit_code_again(before)
    code = exit_code(row, ended.training_code)
    words = record.summary({"phase": row.phase, "reason": row.reason, "message": ended.message})
    log(f"{words}; exit {code}")
    last_words(settings.TERMINATION_LOG, words)
    if ended.event == "terminated":
      self.journal.terminate()
      return code
    self.journal.move(ended.event, ended.message, exitCode=ended.training_code)
    if ended.event != "workers-failed":
      self.side.announce_end(row.phase)
    if ended.event != "no-record":
      self.wait_for_sidecar()
    return code

  def wait_for_sidecar(self):

    begun, said = time.monotonic(), False
    while time.monotonic() - begun < CONFIRM_SECONDS and not self.external.terminated:
      if self.external.status().get("recorded", 0) >= self.journal.sequence:
        return
      if not said and time.monotonic() - begun > SAY_SECONDS:
        said = True
        log(f"the end is not in the record yet; waiting for it for up to {CONFIRM_SECONDS} s")
      time.sleep(0.2)


def main():
  configured = settings.load()
  names = hostfile.hosts(settings.CONFIG / "hostfile")

  contact = configured.orphan_timeout_seconds if methods.of(configured).ssh else float("inf")
  launcher = Launcher(configured, workers.Workers(names, configured.ssh_port, contact))
  for number in (signal.SIGTERM, signal.SIGINT):
    signal.signal(number, launcher.external.on_signal)
  signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGTERM, signal.SIGINT))
  return launcher.run()


if __name__ == "__main__":

  result = main()
  sys.stdout.flush()
  os._exit(result)
