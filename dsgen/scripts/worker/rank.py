"""Runs one rank of the user's program, and reports its place in the world and its end to the launcher.

The program that starts the ranks (deepspeed, mpirun, torchrun) starts this script instead of the user's program, so no
shell expands the arguments. The output of the program is written to standard output unchanged, and reports to standard
error, so that an unfinished line of output (a progress bar) is never joined with a report.
"""

from __future__ import annotations

import json
import os
import re
import select
import signal
import sys
import time
from collections.abc import Callable
from io import RawIOBase
from pathlib import Path
from typing import NamedTuple

from shared import methods, processes, reports, settings
from shared.log import Tail
from worker import stacks
from worker.rank_watch import RankWatch
from worker.rendezvous import Rendezvous

# The variables of the program -> the variables of Open MPI.
OPENMPI = {
    "RANK": "OMPI_COMM_WORLD_RANK",
    "WORLD_SIZE": "OMPI_COMM_WORLD_SIZE",
    "LOCAL_RANK": "OMPI_COMM_WORLD_LOCAL_RANK",
    "LOCAL_SIZE": "OMPI_COMM_WORLD_LOCAL_SIZE",
    "LOCAL_WORLD_SIZE": "OMPI_COMM_WORLD_LOCAL_SIZE",
}
DRAIN_SECONDS = 2.0  # to read the pipe after the program has ended; other processes may keep it open


class Place(NamedTuple):
    """The place of this rank in the world. With launch.command, the program of a worker is one rank."""

    rank: int
    world: int
    local: int


def read_place(method: methods.Method) -> Place:
    """The place from the variables of the launch method; KeyError if one is missing."""
    os.environ.update({name: os.environ[source] for name, source in OPENMPI.items() if source in os.environ})
    if method.whole:
        node, count, *_ = methods.PLACE_OF_SCRIPT if method.runner else methods.PLACE_OF_COMMAND
        return Place(int(os.environ[node]), int(os.environ[count]), 0)
    return Place(*(int(os.environ[name]) for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK")))


def make_command(run: settings.Settings, inserted: list[str], given: list[str]) -> list[str]:
    """The argument list of this rank: program, `--local_rank` if enabled, arguments.

    `given`: pairs of an option and its value with which DeepSpeed's autotuner replaces those of the user; or the option
    CONFIGURATION, whose value replaces the path of the user's configuration wherever it is.
    """
    words = json.loads((settings.CONFIG / "command.json").read_text(encoding="utf-8"))
    arguments = list(words["arguments"])
    if given[:1] == [methods.CONFIGURATION]:
        path, given = given[1], given[2:]
        user_path = re.compile(f"(^|=){re.escape(run.resize_config)}$")
        arguments = [user_path.sub(lambda match: match.group(1) + path, word) for word in arguments]
    for first in range(0, len(given), 2):
        at = arguments.index(given[first]) if given[first] in arguments else len(arguments)
        arguments[at : at + 2] = given[first : first + 2]
    runner = methods.choose_method(run).runner
    program = settings.make_program(runner) if runner else []
    return [*program, *words["program"], *inserted, *arguments]


def bind(local: int, slots: int) -> None:
    """Bind this rank to its contiguous share of the cores, and set OMP_NUM_THREADS unless the user has set it.

    deepspeed does not pass --bind_cores_to_rank to the workers over pdsh.
    """
    cores = sorted(os.sched_getaffinity(0))
    share = cores[local * len(cores) // slots : (local + 1) * len(cores) // slots]
    if share:
        os.sched_setaffinity(0, share)
        os.environ.setdefault("OMP_NUM_THREADS", str(len(share)))


class Rank:
    """The user's program as a child process, with its output in one pipe."""

    def __init__(
        self,
        argv: list[str],
        on_meeting: Callable[[], None],
        meeting: Rendezvous | None,
        watch: RankWatch,
        copy: RawIOBase | None = None,
    ) -> None:
        self.tail, self.copy, self.watch = Tail(), copy, watch
        self.meeting, self.on_meeting = meeting, on_meeting
        self.told_to_stop = False
        self.wake = processes.open_wakeup_pipe()
        self.output, output_end = os.pipe()
        self.pid = processes.spawn(argv, output=output_end, die_with_parent=True)
        os.close(output_end)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self.pass_on)
        signal.signal(signal.SIGUSR1, watch.note_signal)

    def pass_on(self, number: int, _: object) -> None:
        """Pass a signal on to the program."""
        self.told_to_stop = True
        processes.send([self.pid], number)

    def wait(self) -> int:
        """Pass the output on until the program has ended; returns its exit code."""
        code, deadline, streams = None, float("inf"), [self.output, self.wake]
        while code is None or (self.output in streams and time.monotonic() < deadline):
            ready = select.select(streams, [], [], self.make_due_checks() if code is None else 0.2)[0]
            if self.output in ready and not self.forward():
                streams.remove(self.output)
            if self.wake in ready:
                os.read(self.wake, 512)
            if code is None:
                code = processes.reap().get(self.pid)
                deadline = time.monotonic() + DRAIN_SECONDS
        self.watch.finish()
        return code

    def make_due_checks(self) -> float | None:
        """Make the checks that are due; seconds until the next one, None for never."""
        if self.meeting and self.meeting.look():
            self.on_meeting()
        until_look = max(self.meeting.due - time.monotonic(), 0) if self.meeting and not self.meeting.seen else None
        return min((seconds for seconds in (until_look, self.watch.look()) if seconds is not None), default=None)

    def forward(self) -> bool:
        """Pass on output; False at the end of the stream."""
        data = os.read(self.output, 65536)
        self.tail.add(data)
        self.watch.note_output(data)
        self.keep(data)
        left = data
        while left:
            try:
                left = left[os.write(1, left) :]
            except OSError:  # the connection is lost; the supervisor of the session ends this rank
                break
        return bool(data)

    def keep(self, data: bytes) -> None:
        """Write a copy of the output; a full disk ends the copy, not the training."""
        try:
            while self.copy and data:
                data = data[self.copy.write(data) or 0 :]
        except OSError as error:
            self.copy = None
            complain(f"{error.strerror}; no further output is copied")


def complain(words: str) -> None:
    print(f"[dsgen] training.rankLogs: {words}", file=sys.stderr, flush=True)  # Python 3.8 would keep it to the end


def open_log_file(run: settings.Settings, rank: int) -> RawIOBase | None:
    """The file for a copy of the output. A restart appends to it."""
    if not run.rank_logs:
        return None
    try:
        Path(run.rank_logs).mkdir(parents=True, exist_ok=True)
        return Path(run.rank_logs, f"{run.run_name}-rank-{rank}.log").open("ab", buffering=0)
    except OSError as error:
        complain(f"{error.filename}: {error.strerror}; no output is copied")
        return None


def make_rendezvous(run: settings.Settings, world: int) -> Rendezvous | None:
    """The check for connections; None for a world of one rank, and without expectWorld."""
    if world < 2 or not run.expect_world:
        return None
    master = os.environ.get("MASTER_ADDR", "").partition(".")[0]
    port = os.environ.get("MASTER_PORT", "")
    return Rendezvous(
        int(port) if port.isdigit() else run.master_port, at_master=master == methods.format_worker_name(run)
    )


def main(arguments: list[str]) -> int:
    run = settings.load()
    method = methods.choose_method(run)
    reporter = reports.Reporter(run)
    try:
        here = read_place(method)
    except KeyError as missing:
        sys.stderr.write(f"[dsgen] {missing} is not set: {run.method} starts this program, once for every rank\n")
        return 1
    if settings.TERMINATING.exists():  # torchrun restarts ranks that have ended
        return 128 + signal.SIGTERM
    reporter.send("rank", {"rank": here.rank, "worldSize": here.world, "localRank": here.local})
    if run.bind_cores and not method.whole:
        bind(here.local, run.slots)
    if run.hang_timeout_seconds:
        stacks.prepare(os.environ)
    inserted = [f"--local_rank={here.local}"] if run.local_rank and method.local_rank else []
    program = Rank(
        make_command(run, inserted, arguments),
        lambda: reporter.send("rank-met", {"rank": here.rank}),
        make_rendezvous(run, here.world),
        RankWatch(run, here.rank, reporter.send),
        open_log_file(run, here.rank),
    )
    code = program.wait()
    if not program.told_to_stop:  # a rank that was stopped because of another one has not failed itself
        tail = program.tail.list_lines() if code else []
        reporter.send("rank-end", {"rank": here.rank, "exitCode": code, "tail": tail})
    return code
