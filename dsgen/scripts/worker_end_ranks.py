#!/usr/bin/env python3
"""On a worker: end what is left of a training. With TERM the ranks are asked to end, with KILL everything ends.

With STACKS nothing ends: the programs write their stacks to their output.

TERM goes to each rank.py, which hands it to the user's program: by DeepSpeed's launcher or torchrun a checkpoint would
have 30 seconds, not the grace period. So those get it only where they have no rank. KILL goes to all of them and to all
that they have started.
"""

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


def processes(proc: Path = Path("/proc")) -> dict[int, Process]:
    """All processes by id. One that ends meanwhile is left out."""
    by_id: dict[int, Process] = {}
    for folder in proc.glob("[0-9]*"):
        try:
            # The name in parentheses may hold blanks and parentheses; the parent is the second field behind it.
            parent = int((folder / "stat").read_text(errors="replace").rpartition(")")[2].split()[1])
            by_id[int(folder.name)] = Process(parent, (folder / "cmdline").read_bytes().split(b"\0"))
        except (OSError, IndexError, ValueError):
            continue
    return by_id


def chosen(all_processes: dict[int, Process], name: str) -> set[int]:
    """Whom signal `name` goes to. Programs are known by a whole argument: that of a shell only contains it."""
    related = {pid for pid, process in all_processes.items() if RANK in process.argv}
    # Python's program is its first or second argument; for those that start it, it comes later.
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


def main(name: str) -> int:
    all_processes = processes()
    targets = sorted(chosen(all_processes, name))
    if name == "STACKS" and not targets:  # what a command of the user's has started
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
