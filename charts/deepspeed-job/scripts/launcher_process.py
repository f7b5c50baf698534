# dsgen/scripts/launcher_process.py without its comments.

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import threading
import time
from typing import Protocol

from shared_output import Output

LINE_BYTES = 1 << 16
DRAIN_SECONDS, IDLE_SECONDS, POLL_SECONDS = 60, 2, 0.1


class Ranks(Protocol):


  def code(self): ...
  def kill(self): ...
  def finish(self): ...
  def behind(self): ...
  def signalled(self): ...


class Process:


  def __init__(self, argv, env, output, children):

    self.output, self.children = output, children
    self.process = subprocess.Popen(
      argv,
      env=env,
      stdin=subprocess.DEVNULL,
      stdout=subprocess.PIPE,
      stderr=subprocess.STDOUT,
      start_new_session=True,
    )
    children.add(self.process.pid)
    self._pump = threading.Thread(target=self._forward, daemon=True)
    self._pump.start()

  def code(self):

    code = self.process.poll()
    return code if code is None or code >= 0 else 128 - code

  def signalled(self):

    return self.process.returncode < 0

  def kill(self):

    with contextlib.suppress(ProcessLookupError):
      os.killpg(self.process.pid, signal.SIGKILL)
    self.process.wait()
    self.children.discard(self.process.pid)

  def finish(self):

    until = time.monotonic() + DRAIN_SECONDS
    while self._pump.is_alive() and time.monotonic() < until:
      if not self.behind():
        self._pump.join(IDLE_SECONDS)
        if not self.behind():
          return
      self._pump.join(POLL_SECONDS)

  def behind(self):

    assert self.process.stdout is not None
    try:
      return bool(select.select([self.process.stdout], [], [], 0)[0]) and self._pump.is_alive()
    except (ValueError, OSError):
      return False

  def _forward(self):
    assert self.process.stdout is not None
    with self.process.stdout as lines:
      for line in iter(lambda: lines.readline(LINE_BYTES), b""):
        sys.stdout.buffer.write(self.output.process_line(line))
        sys.stdout.buffer.flush()
