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

import shared_debug as debug
import shared_exchange as exchange
import shared_hostfile as hostfile
import shared_methods as methods
import shared_output as output
import shared_processes as processes
import shared_record as record
import shared_reports as reports
import shared_settings as settings
import worker_end_ranks as endranks
from shared_log import log
from shared_transitions import TRANSITIONS, exit_code
from worker_exit import CANNOT_WORK, DONE, FAILED, ORPHAN, READY, Contact, WorkerExit, ranks_seconds

BEGUN = ("Starting", "Running")
LEASE = "_lease"  # of the record: renewed by the launcher of whichever run has its turn
# Renewed once a minute, and up to another minute on its way here: less than this would be no sign of anything.
ORPHAN_SECONDS = 300
TERM_SECONDS = 0.2
STACKS_SECONDS = 3  # for programs that hang to write their stacks


class LocalTraining:
    """This worker's part of the training."""

    def __init__(self, run: settings.Settings) -> None:
        self.run = run
        self.method = methods.of(run)
        self.slots = 1 if self.method.whole else run.slots  # ranks of this worker, as far as it knows them
        self.world = self.slots * run.workers
        self.hosts = hostfile.hosts(settings.CONFIG / "hostfile")
        self.output = output.Output(self.hosts)
        self.contact = Contact(self.launcher_sign)
        self.pid: int | None = None
        self.read = 0  # bytes of the file of reports
        self.idle = False  # lifecycle.debug: a person starts it by hand

    def prepare(self, _tick: Callable[[], None]) -> None:
        missing = methods.missing_tools(self.method)
        if missing:
            names = ", ".join(missing)
            raise WorkerExit(CANNOT_WORK, f"the image has no {names}: add it to the image or in training.setup")
        exchange.replace(reports.FILE, b"")  # setup may have put anything there
        exchange.replace(READY, b"")
        log("ready; the launcher says in the record when the run begins")

    def step(self) -> None:
        """Start when the run has begun; read what the ranks report."""
        if self.pid is None and not self.idle and record.mounted(self.run.run).get("phase") in BEGUN:
            self.start()
        self.read_reports()

    def start(self) -> None:
        start = methods.Start(self.run, self.hosts, int(os.environ.get("JOB_COMPLETION_INDEX", "0")))
        argv = self.method.command(start)
        if self.run.debug:
            self.idle = True
            log(debug.write_script(argv, self.method.environment(start)))
            return
        log(f"starting: {' '.join(argv)}")
        os.environ.update(self.method.environment(start), **{reports.NONCE: self.output.nonce.decode()})
        self.pid = processes.spawn(argv)
        del os.environ[reports.NONCE]

    def read_reports(self) -> None:
        """Take what the ranks of this worker have reported. A world of another size ends it."""
        for line in self.new_reports():
            sys.stderr.buffer.write(self.output.process_line(line))
        sys.stderr.flush()
        wrong = self.output.world_sizes - {self.world}
        if wrong:
            raise WorkerExit(FAILED, f"a rank reported a world of {max(wrong)}, {self.world} was asked for")

    def new_reports(self) -> list[bytes]:
        lines = (exchange.content(reports.FILE, start=self.read) or b"").splitlines(keepends=True)
        self.read += sum(map(len, lines))
        return lines

    def note_ended(self, ended: dict[int, int]) -> None:
        """These processes have ended, maybe this worker's part among them."""
        if self.pid in ended:
            self.read_reports()
            raise self.verdict(ended[self.pid])

    def verdict(self, code: int) -> WorkerExit:
        """The end of this worker, its own program having ended with `code`."""
        ranks = len(self.output.ranks)
        if code == 0 and ranks < self.slots:
            return WorkerExit(FAILED, f"{ranks} of {self.slots} ranks of this worker started")
        strangers = self.output.strangers() if self.run.expect_world and self.world > 1 else []
        if code == 0 and strangers:
            named = ", ".join(map(str, strangers))
            return WorkerExit(FAILED, f"ranks that never connected with the others: {named} (launch.expectWorld)")
        if code == 0:
            return WorkerExit(DONE, "the training has ended here")
        failure = self.output.failure() or {"exitCode": code}
        who = f"rank {failure['rank']}" if "rank" in failure else "the training"
        words = [f"{who} ended with exit code {failure['exitCode']}", *failure.get("tail", [])]
        return WorkerExit(exit_code(TRANSITIONS["failed"], failure["exitCode"]), "\n".join(words))

    def check(self) -> None:
        """Raises WorkerExit when nobody needs this worker. One that trains ends with the training."""
        limit = max(self.run.orphan_timeout_seconds, ORPHAN_SECONDS)
        if self.pid is None and self.contact.age() > limit:
            raise WorkerExit(ORPHAN, f"no sign of a launcher for {limit} s: nobody needs this worker")

    def launcher_sign(self) -> object:
        return record.mounted(LEASE), record.mounted(self.run.run)

    def close(self, end: WorkerExit) -> None:
        """Ask the ranks to end, in the time that they have, and end what is left.

        torchrun and deepspeed would give them no more than thirty seconds: they are asked when no rank is left.
        """
        if end.phase == "Failed" and record.mounted(self.run.run).get("reason") == TRANSITIONS["hung"].reason:
            endranks.main("STACKS")
            time.sleep(STACKS_SECONDS)
        settings.RUN.joinpath("terminating").touch()
        told: set[int] = set()
        until = time.monotonic() + ranks_seconds(self.run)
        while self.pid and time.monotonic() < until:
            left = endranks.chosen(endranks.processes(), "TERM")
            if not left:
                break
            processes.send(sorted(left - told), signal.SIGTERM)
            told |= left
            time.sleep(TERM_SECONDS)
            processes.reap()
        processes.end(os.getpid(), None, 0)
