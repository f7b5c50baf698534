"""A worker without ssh: it starts its own part of the training when the record says that the run has begun.

Its exit code is that of its part: the Job controller ends the whole run when it is a failure (the Job's
podFailurePolicy), and completes the Job when every worker's part has ended well.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

import debug
import endranks
import exchange
import hostfile
import life
import methods
import output
import processes
import record
import reports
import settings
from life import CANNOT_WORK, DONE, FAILED, ORPHAN, Contact, End, say

BEGUN = ("Starting", "Running")
LEASE = "_lease"  # of the record: renewed by the launcher of whichever run has its turn
# Renewed once a minute, and up to another minute on its way here: less than this would be no sign of anything.
ORPHAN_SECONDS = 300
READY = settings.RUN / "ready"
TERM_SECONDS = 0.2


class Program:
    """This worker's part of the training."""

    def __init__(self, run: settings.Settings) -> None:
        self.run = run
        self.method = methods.of(run)
        self.hosts = hostfile.hosts(settings.CONFIG / "hostfile")
        self.output = output.Output(self.hosts)
        self.contact = Contact(self.launcher_sign)
        self.pid: int | None = None
        self.read = 0  # bytes of the file of reports
        self.idle = False  # lifecycle.debug: a person starts it by hand

    def ready(self) -> bool:
        return READY.exists()

    def prepare(self, _tick: Callable[[], None]) -> None:
        missing = methods.missing_tools(self.method)
        if missing:
            names = ", ".join(missing)
            raise End(CANNOT_WORK, f"the image has no {names}: add it to the image or in training.setup")
        exchange.replace(reports.FILE, b"")  # setup may have put anything there
        READY.touch()
        say("ready; the launcher says in the record when the run begins")

    def step(self) -> None:
        """Start when the run has begun; read what the ranks report."""
        if self.pid is None and not self.idle and life.record(self.run.run).get("phase") in BEGUN:
            self.start()
        self.learn()

    def start(self) -> None:
        start = methods.Start(self.run, self.hosts, int(os.environ.get("JOB_COMPLETION_INDEX", "0")))
        argv = self.method.command(start)
        if self.run.debug:
            self.idle = True
            say(debug.leave(argv, self.method.environment(start)))
            return
        say(f"starting: {' '.join(argv)}")
        os.environ.update(self.method.environment(start), **{reports.NONCE: self.output.nonce.decode()})
        self.pid = processes.spawn(argv)
        del os.environ[reports.NONCE]

    def learn(self) -> None:
        """Take what the ranks of this worker have reported. A world of another size ends it."""
        for line in self.new_reports():
            sys.stderr.buffer.write(self.output.take(line))
        sys.stderr.flush()
        world = self.run.workers * (1 if self.method.whole else self.run.slots)
        wrong = self.output.world_sizes - {world}
        if wrong:
            raise End(FAILED, f"a rank reported a world of {max(wrong)}, {world} was asked for")

    def new_reports(self) -> list[bytes]:
        lines = (exchange.content(reports.FILE, start=self.read) or b"").splitlines(keepends=True)
        self.read += sum(map(len, lines))
        return lines

    def bury(self, ended: dict[int, int]) -> None:
        """These processes have ended, maybe this worker's part among them."""
        if self.pid in ended:
            self.learn()
            raise self.verdict(ended[self.pid])

    def verdict(self, code: int) -> End:
        """The end of this worker, its own program having ended with `code`."""
        ranks, slots = len(self.output.ranks), 1 if self.method.whole else self.run.slots
        if code == 0 and ranks < slots:
            return End(FAILED, f"{ranks} of {slots} ranks of this worker started")
        if code == 0:
            return End(DONE, "the training has ended here")
        failure: dict[str, Any] = self.output.first_failure or {"exitCode": code}
        who = f"rank {failure['rank']}" if "rank" in failure else "the training"
        words = [f"{who} ended with exit code {failure['exitCode']}", *failure.get("tail", [])]
        # 137 and 143 would be a lost pod, which is replaced.
        return End(record.exit_code(record.TRANSITIONS["failed"], failure["exitCode"]), "\n".join(words))

    def check(self) -> None:
        """Raises End when nobody needs this worker. One that trains ends with the training."""
        limit = max(self.run.orphan_timeout_seconds, ORPHAN_SECONDS)
        if self.pid is None and self.contact.age() > limit:
            raise End(ORPHAN, f"no sign of a launcher for {limit} s: nobody needs this worker")

    def launcher_sign(self) -> object:
        return life.record(LEASE), life.record(self.run.run)

    def close(self, _end: End) -> None:
        """Ask the ranks to end, in the time that they have, and end what is left.

        torchrun and deepspeed would give them no more than thirty seconds: they are asked when no rank is left.
        """
        settings.RUN.joinpath("terminating").touch()
        told: set[int] = set()
        until = time.monotonic() + life.ranks_seconds(self.run)
        while self.pid and time.monotonic() < until:
            left = endranks.chosen(endranks.processes(), "TERM")
            if not left:
                break
            processes.send(sorted(left - told), signal.SIGTERM)
            told |= left
            time.sleep(TERM_SECONDS)
            processes.reap()
        processes.end(os.getpid(), None, 0)
