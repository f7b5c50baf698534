#!/usr/bin/env python3
"""Run one rank of the user's program, and report its place in the world and its end to the launcher.

DeepSpeed starts this on the workers instead of the program, whose arguments so pass through no shell. Reports go to
standard error, one line in one write; all that the program prints goes unchanged to standard output, so that an
unfinished line of it (a progress bar) is never glued to a report.
"""

from __future__ import annotations

import os
import sys

if not sys.flags.ignore_environment:  # PYTHONPATH is the program's: its json.py must not become ours
    os.execv(sys.executable, [sys.executable, "-ESs", __file__, *sys.argv[1:]])

import json
import select
import signal
import time
from typing import Any

import processes
import settings

TAIL_LINES, TAIL_BYTES = 20, 4096
DRAIN_SECONDS = 2.0  # for what is still in the pipe when the program has ended; others may hold it open


def report(kind: str, facts: dict[str, Any]) -> None:
    """One line for the launcher. Nobody may listen any more: that is not this rank's failure."""
    try:
        os.write(2, f"{kind} {json.dumps(facts)}\n".encode())
    except OSError:
        return


def command(run: settings.Settings, local_rank: str) -> list[str]:
    """The argument list of this rank: program, `--local_rank` where it is asked for, arguments."""
    words = json.loads((settings.CONFIG / "command.json").read_text(encoding="utf-8"))
    inserted = [f"--local_rank={local_rank}"] if run.local_rank else []
    return [*words["program"], *inserted, *words["arguments"]]


class Tail:
    """The end of a stream of bytes."""

    def __init__(self) -> None:
        self.kept = b""

    def add(self, data: bytes) -> None:
        self.kept = (self.kept + data)[-TAIL_BYTES:]

    def lines(self) -> list[str]:
        """At most TAIL_LINES lines; of a line that was overwritten with carriage returns the last state."""
        lines = self.kept.decode(errors="replace").split("\n")
        return [line.rstrip("\r").rpartition("\r")[2] for line in lines if line.strip()][-TAIL_LINES:]


class Rank:
    """The user's program as a child with its output in one pipe."""

    def __init__(self, argv: list[str]) -> None:
        self.tail = Tail()
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

    def pass_on(self, number: int, _: object) -> None:
        """A signal to this process is one to the program."""
        self.told_to_stop = True
        processes.send([self.pid], number)

    def wait(self) -> int:
        """Pass the output on until the program has ended; its exit code."""
        code, deadline, streams = None, float("inf"), [self.output, self.wake]
        while code is None or (self.output in streams and time.monotonic() < deadline):
            ready = select.select(streams, [], [], None if code is None else 0.2)[0]
            if self.output in ready and not self.forward():
                streams.remove(self.output)
            if self.wake in ready:
                os.read(self.wake, 512)
            if code is None:
                code = processes.reap().get(self.pid)
                deadline = time.monotonic() + DRAIN_SECONDS
        return code

    def forward(self) -> bool:
        """Pass on what has been printed; False at the end of the stream."""
        data = os.read(self.output, 65536)
        self.tail.add(data)
        left = data
        while left:
            try:
                left = left[os.write(1, left) :]
            except OSError:  # the connection is gone; the session's supervisor ends this rank in its own order
                break
        return bool(data)


def main() -> int:
    try:
        rank, world_size, local_rank = (os.environ[name] for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK"))
    except KeyError as missing:
        sys.stderr.write(f"[dsgen] {missing} is not set: this program is started by deepspeed, once for every rank\n")
        return 1
    report("dsgen-rank", {"rank": int(rank), "worldSize": int(world_size), "localRank": int(local_rank)})
    program = Rank(command(settings.load(), local_rank))
    code = program.wait()
    if code and not program.told_to_stop:  # a rank that is stopped because of another one is not the one that failed
        report("dsgen-rank-failed", {"rank": int(rank), "exitCode": code, "tail": program.tail.lines()})
    return code


if __name__ == "__main__":
    sys.exit(main())
