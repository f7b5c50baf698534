# dsgen/scripts/worker.py without its comments.









from __future__ import annotations

import signal

if __name__ == "__main__":

  signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM, signal.SIGINT))

import sys

import shared_exchange as exchange
import shared_methods as methods
import shared_processes as processes
import shared_record as record
import shared_settings as settings
from shared_log import last_words, log
from shared_transitions import ENDS
from worker_exit import CANNOT_WORK, DONE, FAILS, SERVES, TERMINATED, WAITS, WorkerExit
from worker_readiness import Readiness
from worker_with_ssh import SshServer
from worker_without_ssh import LocalTraining


TICK_SECONDS = {WAITS: 0.2, SERVES: 1.0, FAILS: 1.0}
WATCHED = (signal.SIGCHLD, signal.SIGIO, signal.SIGTERM, signal.SIGINT)
EVENTS = (signal.SIGCHLD, signal.SIGIO)
OVER = settings.RUN / "over"


def told_phase():

  told = exchange.content(OVER, limit=80)
  if told is None:
    return ""
  return next((phase for phase in ENDS if told.split()[:1] == [phase.encode()]), "over")


class Worker:


  def __init__(self, run, part):
    self.run = run
    self.part = part
    self.readiness = Readiness(run.readiness_port, run.workers)

  def live(self):

    phase = record.mounted_end(self.run.run)
    if phase:
      log(f"the record says that this run is over ({phase}): nothing to do")
      return DONE
    signal.pthread_sigmask(signal.SIG_BLOCK, WATCHED)
    processes.adopt_orphans()
    try:
      self.part.prepare(self.tick)
      while True:
        self.part.step()
        self.tick()
    except WorkerExit as end:
      return self.close(end)

  def tick(self):

    received = signal.sigtimedwait(WATCHED, TICK_SECONDS[self.part.state])
    if received and received.si_signo not in EVENTS:
      raise WorkerExit(TERMINATED, "told to stop by a signal")
    self.part.note_ended(processes.reap())
    for source, phase in (("launcher", told_phase()), ("record", record.mounted_end(self.run.run))):
      if phase:
        raise WorkerExit(DONE, f"the {source} says that the run is over ({phase})", phase)
    self.part.check()
    self.show_state()

  def show_state(self):

    try:
      if self.part.state == WAITS:
        self.readiness.change()
      elif self.part.state == SERVES:
        self.readiness.show()
      else:
        self.readiness.withdraw()
    except OSError as error:
      port = f"port {self.run.readiness_port} (workers.readinessPort): {error.strerror}"
      raise WorkerExit(CANNOT_WORK, port) from None

  def close(self, end):

    log(f"{end.reason}; exit code {end.code}")
    if end.code not in (DONE, TERMINATED):
      last_words(settings.TERMINATION_LOG, end.reason)
    self.readiness.withdraw()
    self.part.close(end)
    if end.code == DONE and self.keeps(end.phase):
      log("lifecycle.keepWorkers: this pod stays until it is deleted")
      while signal.sigwait(WATCHED) in EVENTS:
        processes.reap()
    return end.code

  def keeps(self, phase):
    keep = self.run.keep_workers
    return keep == "always" or (keep == "failed" and phase == "Failed")


def main():
  run = settings.load()
  part = SshServer(run) if methods.of(run).ssh else LocalTraining(run)
  return Worker(run, part).live()


if __name__ == "__main__":
  sys.exit(main())
