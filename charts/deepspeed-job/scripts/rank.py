#!/usr/bin/env python3
# dsgen/scripts/rank.py without its comments.






from __future__ import annotations

import os
import sys

if not sys.flags.ignore_environment:
  os.execv(sys.executable, [sys.executable, "-ESs", __file__, *sys.argv[1:]])

import json
import select
import signal
import time
from collections.abc import Callable
from io import RawIOBase
from pathlib import Path
from typing import NamedTuple

import shared_methods as methods
import shared_processes as processes
import shared_reports as reports
import shared_settings as settings
import shared_stacks as stacks
from rank_watch import Watch
from shared_meeting import Meeting
from shared_output import Tail

TERMINATING = settings.RUN / "terminating"

OPENMPI = {
  "RANK": "OMPI_COMM_WORLD_RANK",
  "WORLD_SIZE": "OMPI_COMM_WORLD_SIZE",
  "LOCAL_RANK": "OMPI_COMM_WORLD_LOCAL_RANK",
  "LOCAL_SIZE": "OMPI_COMM_WORLD_LOCAL_SIZE",
  "LOCAL_WORLD_SIZE": "OMPI_COMM_WORLD_LOCAL_SIZE",
}
DRAIN_SECONDS = 2.0


class Place(NamedTuple):


  rank: int
  world: int
  local: int


def place(whole):

  os.environ.update({name: os.environ[source] for name, source in OPENMPI.items() if source in os.environ})
  if whole:
    return Place(int(os.environ["NODE_RANK"]), int(os.environ["NNODES"]), 0)
  return Place(*(int(os.environ[name]) for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK")))


def command(inserted, given):




  words = json.loads((settings.CONFIG / "command.json").read_text(encoding="utf-8"))
  arguments = list(words["arguments"])
  for first in range(0, len(given), 2):
    at = arguments.index(given[first]) if given[first] in arguments else len(arguments)
    arguments[at : at + 2] = given[first : first + 2]
  return [*words["program"], *inserted, *arguments]


def bind(local, slots):




  cores = sorted(os.sched_getaffinity(0))
  share = cores[local * len(cores) // slots : (local + 1) * len(cores) // slots]
  if share:
    os.sched_setaffinity(0, share)
    os.environ.setdefault("OMP_NUM_THREADS", str(len(share)))


class Rank:


  def __init__(
    self,
    argv,
    on_meeting,
    meeting,
    watch,
    copy = None,
  ):
    self.tail, self.copy, self.watch = Tail(), copy, watch
    self.meeting, self.on_meeting = meeting, on_meeting
    self.look_at = 0.0
    self.told_to_stop = False
    self.wake, wake_end = os.pipe()
    os.set_blocking(wake_end, False)
    signal.set_wakeup_fd(wake_end)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    self.output, output_end = os.pipe()
    self.pid = processes.spawn(argv, output=output_end, die_with_parent=True)
    os.close(output_end)
    for number in (signal.SIGTERM, signal.SIGINT):
      signal.signal(number, self.pass_on)
    signal.signal(signal.SIGUSR1, watch.on_signal)

  def pass_on(self, number, _):

    self.told_to_stop = True
    processes.send([self.pid], number)

  def wait(self):

    code, deadline, streams = None, float("inf"), [self.output, self.wake]
    while code is None or (self.output in streams and time.monotonic() < deadline):
      ready = select.select(streams, [], [], self.until_look() if code is None else 0.2)[0]
      if self.output in ready and not self.forward():
        streams.remove(self.output)
      if self.wake in ready:
        os.read(self.wake, 512)
      if code is None:
        code = processes.reap().get(self.pid)
        deadline = time.monotonic() + DRAIN_SECONDS
    self.watch.finish()
    return code

  def until_look(self):

    waits = [seconds for seconds in (self.look(), self.watch.look()) if seconds is not None]
    return min(waits) if waits else None

  def look(self):

    if self.meeting is None or self.meeting.seen:
      return None
    if time.monotonic() >= self.look_at:
      if self.meeting.look():
        self.on_meeting()
        return None
      self.look_at = time.monotonic() + self.meeting.interval
    return max(self.look_at - time.monotonic(), 0)

  def forward(self):

    data = os.read(self.output, 65536)
    self.tail.add(data)
    self.watch.forwarded(data)
    self.keep(data)
    left = data
    while left:
      try:
        left = left[os.write(1, left) :]
      except OSError:
        break
    return bool(data)

  def keep(self, data):

    try:
      while self.copy and data:
        data = data[self.copy.write(data) or 0 :]
    except OSError as error:
      self.copy = None
      complain(f"{error.strerror}; no further output is copied")


def complain(words):
  print(f"[dsgen] training.rankLogs: {words}", file=sys.stderr, flush=True)


def log_file(run, rank):

  if not run.rank_logs:
    return None
  try:
    Path(run.rank_logs).mkdir(parents=True, exist_ok=True)
    return Path(run.rank_logs, f"{run.run_name}-rank-{rank}.log").open("ab", buffering=0)
  except OSError as error:
    complain(f"{error.filename}: {error.strerror}; no output is copied")
    return None


def meeting(run, world):

  if world < 2 or not run.expect_world:
    return None
  master = os.environ.get("MASTER_ADDR", "").partition(".")[0]
  port = os.environ.get("MASTER_PORT", "")
  return Meeting(int(port) if port.isdigit() else run.master_port, at_master=master == methods.host(run))


def main(arguments):
  run = settings.load()
  method = methods.of(run)
  reporter = reports.Reporter(run)
  try:
    here = place(method.whole)
  except KeyError as missing:
    sys.stderr.write(f"[dsgen] {missing} is not set: {run.method} starts this program, once for every rank\n")
    return 1
  if TERMINATING.exists():
    return 128 + signal.SIGTERM
  reporter.say("rank", {"rank": here.rank, "worldSize": here.world, "localRank": here.local})
  if run.bind_cores and not method.whole:
    bind(here.local, run.slots)
  if run.hang_timeout_seconds:
    stacks.prepare(os.environ)
  inserted = [f"--local_rank={here.local}"] if run.local_rank and method.local_rank else []
  program = Rank(
    command(inserted, arguments),
    lambda: reporter.say("rank-met", {"rank": here.rank}),
    meeting(run, here.world),
    Watch(run, here.rank, reporter.say),
    log_file(run, here.rank),
  )
  code = program.wait()
  if not program.told_to_stop:
    tail = program.tail.lines() if code else []
    reporter.say("rank-end", {"rank": here.rank, "exitCode": code, "tail": tail})
  return code


if __name__ == "__main__":
  sys.exit(main(sys.argv[1:]))
