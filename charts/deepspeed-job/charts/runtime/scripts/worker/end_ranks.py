"""Signals the ranks on a worker: TERM asks them to end, and KILL ends all processes of the training.

STACKS makes the programs write their stacks to their output.

TERM is sent to the supervisor of each rank (worker/rank.py), which passes it to the user's program. DeepSpeed's
launcher and torchrun would give a checkpoint only 30 seconds, not the grace period, so they get the signal only if
they have no rank. KILL is sent to all of them and all their descendants.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from shared import processes, settings
from worker import stacks

RANK = os.fsencode(settings.SCRIPTS / "worker/rank.py")


class ProcessCommand(NamedTuple):
    parent: int
    argv: list[bytes]


def list_processes() -> dict[int, ProcessCommand]:
    """All processes by id, except those that end meanwhile."""
    by_id: dict[int, ProcessCommand] = {}
    for pid, process in processes.list_processes().items():
        with contextlib.suppress(OSError):
            by_id[pid] = ProcessCommand(process.parent, Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0"))
    return by_id


def choose_targets(all_processes: dict[int, ProcessCommand], name: str, forked: Iterable[int] = ()) -> set[int]:
    """The targets of the signal. Programs are recognised by a whole argument, because shells only contain it.

    `forked`: supervisors of ranks that are children of the caller, and have its arguments.
    """
    related = {pid for pid, process in all_processes.items() if RANK in process.argv}
    # It is the second or third argument of Python; for those that start it, it comes later.
    ranks = {pid for pid in related if RANK in all_processes[pid].argv[1:4]}
    launchers = related - ranks
    ranks |= all_processes.keys() & set(forked)
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


def main(name: str, forked: Iterable[int] = ()) -> int:
    all_processes = list_processes()
    targets = sorted(choose_targets(all_processes, name, forked))
    if name == "STACKS" and not targets:  # what a command of the user's has started
        stacks.ask(sorted(all_processes))
    number = signal.SIGUSR1 if name == "STACKS" else signal.Signals["SIG" + name]
    processes.send(targets, number)
    return 0
