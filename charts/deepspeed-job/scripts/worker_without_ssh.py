# Generated from dsgen/scripts/worker_without_ssh.py, which has the comments.





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
LEASE = "_lease"

ORPHAN_SECONDS = 300
TERM_SECONDS = 0.2
STACKS_SECONDS = 3


class LocalTraining:


    def __init__(self, run: settings.Settings) -> None:
        self.run = run
        self.method = methods.of(run)
        self.slots = 1 if self.method.whole else run.slots
        self.world = self.slots * run.workers
        self.hosts = hostfile.hosts(settings.CONFIG / "hostfile")
        self.output = output.Output(self.hosts)
        self.contact = Contact(self.launcher_sign)
        self.pid: int | None = None
        self.read = 0
        self.idle = False

    def prepare(self, _tick: Callable[[], None]) -> None:
        missing = methods.missing_tools(self.method)
        if missing:
            names = ", ".join(missing)
            raise WorkerExit(CANNOT_WORK, f"the image has no {names}: add it to the image or in training.setup")
        exchange.replace(reports.FILE, b"")
        exchange.replace(READY, b"")
        log("ready; the launcher says in the record when the run begins")

    def step(self) -> None:

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

        if self.pid in ended:
            self.read_reports()
            raise self.verdict(ended[self.pid])

    def verdict(self, code: int) -> WorkerExit:

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

        limit = max(self.run.orphan_timeout_seconds, ORPHAN_SECONDS)
        if self.pid is None and self.contact.age() > limit:
            raise WorkerExit(ORPHAN, f"no sign of a launcher for {limit} s: nobody needs this worker")

    def launcher_sign(self) -> object:
        return record.mounted(LEASE), record.mounted(self.run.run)

    def close(self, end: WorkerExit) -> None:




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
