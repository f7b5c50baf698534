# dsgen/scripts/launcher_workers.py without its comments.

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import subprocess
import time
from collections.abc import Callable, Iterator

from shared_output import Output

PROBES_AT_ONCE = 128
PROBE_SECONDS = 5
TICK_SECONDS = 0.5
POLL_SECONDS = 0.1
CONNECT_SECONDS = 5
COMMAND_SECONDS = 20
LOGINS_AT_ONCE = 128
LOGINS_A_SECOND = 20
TOUCH_CONTACT = "touch /run/dsgen/contact"


def missing(names, port, keep_waiting):





  loop = asyncio.new_event_loop()
  try:
    return loop.run_until_complete(_missing(names, port, keep_waiting))
  finally:
    loop.close()


async def _missing(names, port, keep_waiting) -> list[str]:
  gate = asyncio.Semaphore(PROBES_AT_ONCE)
  tasks = {name: asyncio.ensure_future(_until_banner(name, port, gate)) for name in names}
  try:
    while True:
      _, waiting = await asyncio.wait(list(tasks.values()), timeout=TICK_SECONDS)
      if not waiting or not keep_waiting():
        return [name for name, task in tasks.items() if not task.done()]
  finally:
    left = asyncio.all_tasks() - {asyncio.current_task()}
    for task in left:
      task.cancel()
    await asyncio.gather(*left, return_exceptions=True)


async def _until_banner(name, port, gate) -> None:
  delay = 0.2
  while True:
    async with gate:
      attempt = asyncio.ensure_future(_has_banner(name, port))
      await asyncio.wait([attempt], timeout=PROBE_SECONDS)
      if attempt.done() and attempt.result():
        return
      attempt.cancel()
    await asyncio.sleep(delay)
    delay = min(delay * 2, 3)


async def _has_banner(name, port) -> bool:
  try:
    reader, writer = await asyncio.open_connection(name, port)
  except OSError:
    return False
  try:
    return (await reader.readline()).startswith(b"SSH-")
  except (OSError, ValueError):
    return False
  finally:
    writer.close()


class Workers:


  def __init__(self, names, port, orphan_seconds):
    self.names = names
    self.chosen = names
    self.port = port
    self.children = set()
    self.contact_every = orphan_seconds / 4
    self.contacted_at = time.monotonic()
    self.contact = None

  def missing(self, keep_waiting):

    return missing(self.chosen, self.port, keep_waiting)

  def refusals(self, names, wait):




    if not names:
      return {}
    heard = Output(names, pdsh=True)
    words = {}
    seconds = COMMAND_SECONDS + len(names) // LOGINS_A_SECOND
    for line in self.listen(names, "true", seconds, wait, LOGINS_AT_ONCE).splitlines(keepends=True):
      heard.process_line(line)
      label, _, said = line.decode(errors="replace").strip().partition(": ")
      words.setdefault(label.partition(".")[0], said)
    ended = heard.ssh_ended.items()
    return {name: words.get(name.partition(".")[0], f"ssh exit code {code}") for name, code in ended}

  def everywhere(self, command, seconds, until = lambda: False):

    deadline = time.monotonic() + seconds
    with self._child(self._pdsh(command), errors=subprocess.DEVNULL) as process:
      while process.poll() is None and time.monotonic() < deadline and not until():
        time.sleep(POLL_SECONDS)

  def listen(
    self, names, command, seconds, wait, at_once = 0
  ):




    deadline, said = time.monotonic() + seconds, b""
    bounds = ["-R", "ssh", "-f", str(at_once or len(names)), "-t", str(CONNECT_SECONDS)]
    argv = ["pdsh", *bounds, "-w", ",".join(names), command]
    with self._child(argv, errors=subprocess.PIPE) as process:
      assert process.stderr is not None
      os.set_blocking(process.stderr.fileno(), False)
      while process.poll() is None and time.monotonic() < deadline:
        wait()
        said += process.stderr.read() or b""
        time.sleep(POLL_SECONDS)
      return said + (process.stderr.read() or b"")

  def met(self):

    token = secrets.token_hex(8)
    said = self.listen(self.chosen, ask_meeting(token), COMMAND_SECONDS, lambda: None).decode(errors="replace")
    return {line.partition(":")[0].partition(".")[0] for line in said.splitlines() if line.endswith(f": {token}")}

  def keep_contact(self):

    if self.contact and self.contact.poll() is not None:
      self.children.discard(self.contact.pid)
      self.contact = None
    if self.contact is None and time.monotonic() - self.contacted_at >= self.contact_every:
      self.contacted_at = time.monotonic()
      self.contact = self._start(self._pdsh(TOUCH_CONTACT), errors=subprocess.DEVNULL)

  def _pdsh(self, command):
    bounds = ["-R", "ssh", "-f", "256", "-t", str(CONNECT_SECONDS), "-u", str(COMMAND_SECONDS)]
    return ["pdsh", *bounds, "-w", ",".join(self.names), command]

  def _start(self, argv, errors):
    null = subprocess.DEVNULL
    process = subprocess.Popen(argv, stdin=null, stdout=null, stderr=errors, start_new_session=True)
    self.children.add(process.pid)
    return process

  @contextlib.contextmanager
  def _child(self, argv, errors):
    with self._start(argv, errors) as process:
      try:
        yield process
      finally:
        with contextlib.suppress(ProcessLookupError):
          os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        self.children.discard(process.pid)

  def reap(self):

    while True:
      try:
        child = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
      except ChildProcessError:
        return
      if child is None or child.si_pid in self.children:
        return
      os.waitpid(child.si_pid, 0)


def forget_meeting():

  return "rm -f $DSGEN_ROOT/run/dsgen/met"


def ask_meeting(token):

  return f"test ! -e $DSGEN_ROOT/run/dsgen/met || echo {token} >&2"


def announce_end(phase):

  return f"echo {phase} >/run/dsgen/over.new && mv /run/dsgen/over.new /run/dsgen/over"


def signal_ranks(name):

  return f"python3 -ESs /etc/dsgen/worker_end_ranks.py {name}"
