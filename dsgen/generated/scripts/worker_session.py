# dsgen/scripts/worker_session.py without its comments.






from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import shared_methods as methods
import shared_processes as processes
import shared_reports as reports
import shared_settings as settings
import shared_stacks as stacks
from shared_meeting import Meeting
from shared_settings import RUN
from shared_tcp import Connection

WATCHED = (signal.SIGCHLD, signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
TERMINATING = RUN / "terminating"
CONTACT = RUN / "contact"
MET = RUN / "met"
GRACE_SECONDS = 10.0
LOST = 255


def sshd_is_there():

  try:
    return Path(f"/proc/{os.getppid()}/comm").read_text().startswith("sshd")
  except OSError:
    return False


def watch(command, connection, meeting):




  looks, next_look = 0, 0.0
  while True:
    received = signal.sigtimedwait(WATCHED, meeting.interval if meeting and not meeting.seen else 1)
    if meeting and meeting.look():
      MET.touch()
    code = processes.reap().get(command)
    if code is not None:
      return code
    if received and received.si_signo != signal.SIGCHLD:
      return None
    if time.monotonic() < next_look:
      continue
    if not sshd_is_there() or (looks % 5 == 0 and connection.stalled()):
      return None
    if looks % 10 == 0:
      CONTACT.touch()
    looks, next_look = looks + 1, time.monotonic() + 1


def main():
  command = os.environ.pop("SSH_ORIGINAL_COMMAND")
  signal.pthread_sigmask(signal.SIG_BLOCK, WATCHED)
  if TERMINATING.exists():
    return LOST
  processes.adopt_orphans()
  run = settings.load()
  if run.hang_timeout_seconds and methods.of(run).whole:
    stacks.prepare(os.environ)
  child = processes.spawn(["bash", "-c", command], new_session=True)

  meeting = Meeting(run.master_port, at_master=False) if methods.meets_in_sessions(run) else None
  code = watch(child, Connection(), meeting)

  processes.end(os.getpid(), child, float("inf") if TERMINATING.exists() else GRACE_SECONDS)
  if code is None or TERMINATING.exists():
    return LOST
  if methods.of(run).ranks:
    reports.Reporter(run).say("session-end", {"exitCode": code})
  return code


if __name__ == "__main__":
  sys.exit(main())
