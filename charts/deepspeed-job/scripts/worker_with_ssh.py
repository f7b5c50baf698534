# dsgen/scripts/worker_with_ssh.py without its comments.

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import shared_exchange as exchange
import shared_key as keyfile
import shared_methods as methods
import shared_processes as processes
import shared_settings as settings
import shared_tcp as tcp
import worker_sshd as sshd
from shared_log import log
from worker_exit import (
  CANNOT_WORK,
  DONE,
  FAILED,
  FAILS,
  ORPHAN,
  SERVES,
  TERMINATED,
  WAITS,
  Contact,
  WorkerExit,
  ranks_seconds,
)

CONTACT = settings.RUN / "contact"
TERMINATING = settings.RUN / "terminating"
PRIVATE_KEY = settings.KEYS / keyfile.PRIVATE

GRACE_SECONDS = 10.0
LAST_WORD_SECONDS = 3.0
SSHD_STARTS, SSHD_STEADY_SECONDS, SSHD_DELAY_SECONDS = 5, 60.0, 1.0
SWEEP_SECONDS = 5.0


class SshServer:


  def __init__(self, run):
    self.run = run
    self.contact = Contact(last_session)
    self.command = []
    self.sshd = None
    self.state = WAITS
    self.failures, self.started, self.sweep = 0, float("-inf"), 0.0

  def prepare(self, tick):

    try:
      program = sshd.find_sshd()
      sshd.check_tools()
      user = sshd.other_user(self.run.ssh_user)
      if user is None:
        sshd.check_user()
      sshd.stage(self.wait_for_key(tick))
      if user:

        sshd.share_files(user, key=methods.of(self.run).whole)
      self.command = sshd.sshd_command(program)
    except sshd.UnusableImageError as error:
      raise WorkerExit(CANNOT_WORK, str(error)) from None
    except keyfile.BadKey as error:
      raise WorkerExit(CANNOT_WORK, f"secret {self.run.secret}: {error}") from None

  def wait_for_key(self, tick):

    if not keyfile.first_content([PRIVATE_KEY]):
      log(f"waiting for the ssh key in secret {self.run.secret}")
    while not (key := keyfile.first_content([PRIVATE_KEY])):
      tick()
    self.state = FAILS
    return key

  def step(self):

    if self.sshd is None and time.monotonic() - self.started > SSHD_DELAY_SECONDS:
      self.failures = 0 if time.monotonic() - self.started > SSHD_STEADY_SECONDS else self.failures + 1
      if self.failures > SSHD_STARTS:
        raise WorkerExit(FAILED, f"sshd ended {SSHD_STARTS} times in a row; its log is above")
      self.started, self.sshd = time.monotonic(), processes.spawn(self.command)
      log(f"sshd started on port {self.run.ssh_port}")
    if self.sshd is not None and self.state == FAILS and tcp.listening(self.run.ssh_port):
      self.state = SERVES
    if time.monotonic() > self.sweep:
      end_unsupervised(sessions())
      self.sweep = time.monotonic() + SWEEP_SECONDS

  def note_ended(self, ended):

    if self.sshd in ended:
      self.sshd, self.state = None, FAILS

  def check(self):

    limit = self.run.orphan_timeout_seconds
    if self.contact.age() > limit:
      raise WorkerExit(ORPHAN, f"no contact with a launcher for {limit} s: nobody needs this worker")

  def close(self, end):

    if end.code == TERMINATED:
      exchange.replace(TERMINATING, b"")
    elif end.code == DONE:
      wait_for_sessions(LAST_WORD_SECONDS)
    if self.sshd is not None:
      processes.send([self.sshd], signal.SIGTERM)
    end_sessions(ranks_seconds(self.run) if end.code == TERMINATED else GRACE_SECONDS)


def last_session():
  return CONTACT.stat().st_mtime_ns if CONTACT.exists() else 0


def sessions():




  table = processes.table()
  inside = {pid for pid in processes.below(os.getpid()) if pid in table and _has_session_variable(pid)}
  return [table[pid] for pid in sorted(inside) if table[pid].parent not in inside]


def _has_session_variable(pid):
  try:
    return b"\0SSH_CONNECTION=" in b"\0" + Path(f"/proc/{pid}/environ").read_bytes()
  except PermissionError:
    return not _name(pid).startswith("sshd")
  except OSError:
    return False


def _name(pid):
  try:
    return Path(f"/proc/{pid}/comm").read_text()
  except OSError:
    return "sshd"


def _is_supervisor(pid):
  try:
    return b"/worker_session." in Path(f"/proc/{pid}/cmdline").read_bytes()
  except OSError:
    return True


def end_unsupervised(tops):




  for top in tops:
    if top.parent == os.getpid() and not _is_supervisor(top.pid):
      processes.send([top.pid, *processes.below(top.pid)], signal.SIGKILL)


def wait_for_sessions(seconds):
  deadline = time.monotonic() + seconds
  while sessions() and time.monotonic() < deadline:
    time.sleep(0.1)
    processes.reap()


def end_sessions(seconds):

  processes.send([top.pid for top in sessions()], signal.SIGHUP)
  deadline = time.monotonic() + seconds
  while time.monotonic() < deadline:
    tops = sessions()
    if not tops:
      return
    end_unsupervised(tops)
    time.sleep(0.2)
    processes.reap()
  for _ in range(10):
    for top in sessions():
      processes.send([top.pid, *processes.below(top.pid)], signal.SIGKILL)
    time.sleep(0.2)
    processes.reap()
