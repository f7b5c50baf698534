# dsgen/scripts/shared_processes.py without its comments.

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import NamedTuple

try:
  import ctypes
except ImportError:
  ctypes = None


SET_PDEATHSIG = 1
SET_CHILD_SUBREAPER = 36


class Process(NamedTuple):


  pid: int
  parent: int
  session: int
  state: str


def prctl(option, argument):

  if ctypes is not None:
    ctypes.CDLL(None).prctl(option, argument, 0, 0, 0)


def adopt_orphans():

  prctl(SET_CHILD_SUBREAPER, 1)


def spawn(
  argv, *, output = None, new_session = False, die_with_parent = False
):




  parent = os.getpid()
  pid = os.fork()
  if pid:
    return pid
  try:
    if new_session:
      os.setsid()
    if output is not None:
      os.dup2(output, 1)
      os.dup2(output, 2)
    _default_signals()
    if die_with_parent:
      prctl(SET_PDEATHSIG, signal.SIGKILL)
      if os.getppid() != parent:
        os._exit(128 + signal.SIGKILL)
    os.execvp(argv[0], argv)
  except OSError as error:
    os.write(2, cannot_execute(argv[0], error).encode(errors="surrogateescape"))
    os._exit(127 if isinstance(error, FileNotFoundError) else 126)
  finally:
    os._exit(126)


def _default_signals():

  for name in (signal.SIGPIPE, signal.SIGXFSZ):
    signal.signal(name, signal.SIG_DFL)
  signal.pthread_sigmask(signal.SIG_SETMASK, [])


def cannot_execute(program, error):

  hint = {
    FileNotFoundError: "no such file in the image, in PATH or on a volume",
    PermissionError: "it is a directory or is not executable (chmod +x)",
  }.get(type(error), "")
  if isinstance(error, FileNotFoundError) and Path(program).exists():
    hint = "the interpreter named in its first line is not in the image"
  if not hint:
    hint = "it is no program for this machine, or a script without a first line like #!/bin/bash"
  return f"[dsgen] cannot execute {program!r}: {error.strerror}: {hint}\n"


def reap():

  ended = {}
  while True:
    try:
      pid, status = os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
      return ended
    if pid == 0:
      return ended
    ended[pid] = 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def table():

  living = {}
  for entry in os.scandir("/proc"):
    if entry.name.isdigit():
      try:

        fields = Path(entry.path, "stat").read_bytes().rpartition(b")")[2].split()
      except OSError:
        continue
      process = Process(int(entry.name), int(fields[1]), int(fields[3]), fields[0].decode())
      if process.state not in ("Z", "X"):
        living[process.pid] = process
  return living


def below(root, session = None):

  processes = table().values()
  children = {}
  for process in processes:
    children.setdefault(process.parent, []).append(process.pid)
  descendants = {process.pid for process in processes if process.session == session}
  parents = [root]
  while parents:
    born = children.get(parents.pop(), [])
    descendants.update(born)
    parents.extend(born)
  return sorted(descendants - {root})


def send(pids, number):

  for pid in pids:
    try:
      os.kill(pid, number)
    except ProcessLookupError:
      continue


def end(root, session, seconds):




  told = set()
  term_until = time.monotonic() + seconds
  while time.monotonic() < term_until:
    left = below(root, session)
    if not left:
      return
    send([pid for pid in left if pid not in told], signal.SIGTERM)
    told.update(left)
    time.sleep(0.1)
    reap()
  kill_until = time.monotonic() + 30
  while time.monotonic() < kill_until:
    left = below(root, session)
    if not left:
      return
    send(left, signal.SIGKILL)
    time.sleep(0.1)
    reap()
