#!/usr/bin/env python3
# dsgen/scripts/worker_end_ranks.py without its comments.








from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import NamedTuple

import shared_settings as settings
import shared_stacks as stacks

RANK = os.fsencode(settings.CONFIG / "rank.py")


class Process(NamedTuple):
  parent: int
  argv: list[bytes]


def processes(proc = Path("/proc")):

  by_id = {}
  for folder in proc.glob("[0-9]*"):
    try:

      parent = int((folder / "stat").read_text(errors="replace").rpartition(")")[2].split()[1])
      by_id[int(folder.name)] = Process(parent, (folder / "cmdline").read_bytes().split(b"\0"))
    except (OSError, IndexError, ValueError):
      continue
  return by_id


def chosen(all_processes, name):

  related = {pid for pid, process in all_processes.items() if RANK in process.argv}

  ranks = {pid for pid in related if RANK in all_processes[pid].argv[1:3]}
  launchers = related - ranks
  if name == "STACKS":
    return ranks
  if name == "TERM":
    return ranks | (launchers - {all_processes[pid].parent for pid in ranks})
  targets = launchers | ranks
  while True:
    more = {pid for pid, process in all_processes.items() if process.parent in targets} - targets
    if not more:
      return targets
    targets |= more


def main(name):
  all_processes = processes()
  targets = sorted(chosen(all_processes, name))
  if name == "STACKS" and not targets:
    stacks.ask(sorted(all_processes))
  number = signal.SIGUSR1 if name == "STACKS" else signal.Signals["SIG" + name]
  for pid in targets:
    try:
      os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
      continue
  return 0


if __name__ == "__main__":
  sys.exit(main(sys.argv[1]))
