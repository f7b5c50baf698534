"""A worker without ssh: it starts its own part of the training when the launcher orders it (worker/control.py).

The launcher may start a part again, until it announces the end of the run. If some workers cannot reach the launcher,
the record makes all workers start by themselves, and each exits with the code of its part.

The exit code is that of its part: after a failure, the Job controller ends the whole run (the Job's
podFailurePolicy); the Job completes after all parts have succeeded.
"""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from local.preloading import Preloading
from shared import exchange, hostfile, methods, output, processes, record, reports, settings
from shared.log import log
from shared.record import TRANSITIONS, choose_exit_code
from worker import end_ranks
from worker.control import ControlToRecord
from worker.errand import Errands, read_index
from worker.exit import CANNOT_WORK, DONE, FAILED, ORPHAN, Contact, WorkerExitError, compute_ranks_seconds

BEGUN = ("Starting", "Running")
LAUNCHER_STARTING = TRANSITIONS["begun"].reason  # of the record until the launcher has said where it listens
BY_RECORD = "record"  # of the record's "start"
LEASE = "_lease"  # of the record: renewed by the launcher of whichever run has its turn
# Renewed once a minute, and up to another minute on its way here: less than this would be no sign of anything.
ORPHAN_SECONDS = 300
# DeepSpeed's buffers on CPUs, 69 MB for each rank, named after user, master address and port, and never removed.
SHARED_MEMORY, BUFFERS = settings.ROOT / "dev/shm", "deepspeed_allreduce_buffer_{}_{}_*"
HOSTFILE = str(settings.RUN / "hostfile")  # of the attempt
TERM_SECONDS = 0.2  # between looks at processes that are no children of this one


class LocalTraining:
    """This worker's part of the training."""

    def __init__(self, run: settings.Settings) -> None:
        self.run = run
        self.method = methods.choose_method(run)
        self.supervise: Callable[[], int] | None = None  # of the one rank that this worker starts itself, as its child
        self.slots = 1 if self.method.whole else run.slots  # ranks of this worker, as far as it knows them
        self.world = self.slots * run.workers
        self.hosts = hostfile.read_hosts(settings.CONFIG / "hostfile")
        self.control = ControlToRecord(run)
        self.serve = None  # nobody connects to this worker but the readiness probe
        self.contact = Contact(lambda: (record.read_mounted(LEASE), record.read_mounted(run.run)))
        self.own = set(processes.list_descendants(os.getpid()))  # what training.setup has left running
        self.attempt, self.pid, self.code = 0, -1, -1  # code: with which this worker's part has ended
        self.ended = False
        self.free = False  # started by the record, without orders
        self.signalled = ""
        self.preloading = Preloading()
        self.reset_output()
        self.errands = Errands(run, self.end_all)
        self.idle = False  # lifecycle.debug: a person starts it by hand
        self.state = "waits"  # until the record names the launcher

    def reset_output(self) -> None:
        """Forget the reports of the ranks."""
        exchange.replace(reports.FILE, b"")  # setup may have put anything there
        self.output = output.Output(self.hosts)
        self.read = 0  # bytes of the file of reports
        self.reported: list[str] = []

    def prepare(self, _tick: Callable[[], None]) -> None:
        missing = methods.explain_missing_tools(self.method)
        if missing:
            raise WorkerExitError(CANNOT_WORK, missing)
        log("waiting for the launcher to start the run")
        self.preload()

    def preload(self) -> None:
        """Load the program that starts the ranks. An order for another command than this one starts it anew."""
        if self.method.whole:
            from worker import rank

            self.supervise = functools.partial(rank.main, [])
        if self.method.module and not self.run.debug and read_index() < self.run.workers:
            start = methods.Start(self.run, self.hosts[: self.run.workers], read_index(), HOSTFILE)
            os.environ.update(self.method.environment(start))
            self.preloading.begin(self.method.module, self.method.command(start))

    def step(self) -> None:
        """Execute the orders of the launcher, and send it the reports of the ranks."""
        recorded = record.read_mounted(self.run.run)
        known = recorded.get("launcher") or recorded.get("reason", LAUNCHER_STARTING) != LAUNCHER_STARTING
        if self.state == "waits" and known:
            self.state = "serves"
        begun = recorded.get("phase") in BEGUN and not self.attempt and not self.idle
        if begun and (recorded.get("start") == BY_RECORD or self.run.debug):
            self.free = True
            if read_index() >= self.run.workers:
                raise WorkerExitError(DONE, "this spare is not needed: workers start when the record says so")
            self.start(1, list(range(self.run.workers)))
        beats = self.read_reports()
        order = self.control.exchange(self.collect_facts(), self.reported, beats)
        if not self.free:
            self.obey(order)

    def collect_facts(self) -> dict[str, Any]:
        code = self.code if self.ended else None
        own = {"attempt": self.attempt, "code": code, "free": self.free, "signal": self.signalled}
        return {**own, **self.errands.read_reports()}

    def obey(self, order: dict[str, Any]) -> None:
        """Do what is not done yet. Raises WorkerExitError when the run is over."""
        attempt, signalled = int(order.get("attempt", 0)), str(order.get("signal", ""))
        if order.get("over"):
            phase = str(order["over"])
            end = self.make_end(self.code) if self.ended else WorkerExitError(FAILED, "")
            code = DONE if phase == "Succeeded" else end.code or FAILED
            raise WorkerExitError(code, end.reason or f"the launcher says that the run is over ({phase})", phase)
        self.errands.obey(order)
        if attempt > self.attempt:
            self.end_all()
            places = order.get("hosts") or list(range(len(self.hosts)))
            self.start(attempt, places, str(order.get("configuration", "")))
        elif attempt == self.attempt and signalled != self.signalled:
            self.signalled = signalled
            if signalled == "KILL":
                self.end_all()
            elif signalled:
                end_ranks.main(signalled, self.list_forked())

    def start(self, attempt: int, places: list[int], configuration: str = "") -> None:
        """Start this worker's part of an attempt; no process of an earlier one is left.

        `places`: the workers that train, as indices into the hostfile.
        """
        hosts = [self.hosts[place] for place in places]
        # Each attempt has a port of its own, so the buffers of earlier ones would add up.
        for path in SHARED_MEMORY.glob(BUFFERS.format(os.getuid(), hosts[0])):
            with contextlib.suppress(OSError):
                path.unlink()
        self.attempt, self.ended, self.signalled = attempt, False, ""
        self.reset_output()
        hostfile.write(Path(HOSTFILE), hosts, self.run.slots)
        start = methods.Start(self.run, hosts, places.index(read_index()), HOSTFILE, attempt, configuration)
        argv = self.method.command(start)
        if self.run.debug:
            from shared import debug  # and with it subprocess

            self.idle = True
            log(debug.write_script(argv, self.method.environment(start)))
            return
        log(f"starting: {' '.join(argv)}")
        self.pid = self.preloading.take(argv, self.output.nonce)
        if self.pid < 0:
            environment = self.method.environment(start)
            os.environ.update(environment, **{reports.NONCE: self.output.nonce.decode()})
            self.pid = processes.fork(self.supervise) if self.supervise else processes.spawn(argv)
            del os.environ[reports.NONCE]

    def list_forked(self) -> list[int]:
        """The supervisor of the rank, if it is a child of this process without a program of its own."""
        return [self.pid] if self.supervise and not self.ended else []

    def end_all(self) -> None:
        """Kill what is left of the attempt, but not what training.setup has started, or what waits for an attempt."""

        def list_left() -> set[int]:
            kept = {pid for own in {*self.own, self.preloading.pid} for pid in (own, *processes.list_descendants(own))}
            return set(processes.list_descendants(os.getpid())) - kept

        processes.kill(list_left, lambda: self.note_ended(processes.reap()))

    def read_reports(self) -> list[str]:
        """Take what the ranks of this worker have reported; the beats among it. A world of another size ends it."""
        beats: list[str] = []
        lines = (exchange.read_content(reports.FILE, start=self.read) or b"").splitlines(keepends=True)
        self.read += sum(map(len, lines))
        for line in lines:
            sys.stderr.buffer.write(self.output.parse_line(line))
            text = line.partition(self.output.nonce + b" ")[2].decode("utf-8", "replace").rstrip("\n")
            (beats if text.startswith(reports.BEAT) else self.reported).append(text)
        sys.stderr.flush()
        wrong = self.output.world_sizes - {self.world}
        if wrong and self.free:
            raise WorkerExitError(FAILED, f"a rank reported a world of {max(wrong)}, {self.world} was asked for")
        return beats

    def note_ended(self, ended: dict[int, int]) -> None:
        """These processes have ended, maybe this worker's part among them."""
        self.errands.note_ended(ended)
        self.preloading.note_ended(ended)
        if self.pid in ended and not self.ended:
            self.read_reports()
            self.ended, self.code = True, ended[self.pid]
            if self.code == 0 and self.output.list_ranks_without_end():
                self.code = 128 + signal.SIGKILL  # deepspeed exits with 0 after a signal ended launch.py
            if self.free:
                raise self.make_end(self.code)
            log(f"attempt {self.attempt} has ended here with exit code {self.code}")

    def make_end(self, code: int) -> WorkerExitError:
        """The end of this worker, its own program having ended with `code`."""
        ranks = len(self.output.ranks)
        if code == 0 and ranks < self.slots:
            return WorkerExitError(FAILED, f"{ranks} of {self.slots} ranks of this worker started")
        strangers = self.output.list_strangers() if self.run.expect_world and self.world > 1 else []
        if code == 0 and strangers:
            named = ", ".join(map(str, strangers))
            return WorkerExitError(FAILED, f"ranks that never connected with the others: {named} (launch.expectWorld)")
        if code == 0:
            return WorkerExitError(DONE, "the training has ended here")
        failure = self.output.find_failure() or {"exitCode": code}
        who = f"rank {failure['rank']}" if "rank" in failure else "the training"
        words = [f"{who} ended with exit code {failure['exitCode']}", *failure.get("tail", [])]
        return WorkerExitError(choose_exit_code(TRANSITIONS["failed"], failure["exitCode"]), "\n".join(words))

    def choose_tick_seconds(self) -> float:
        """The seconds until the next step, if no signal comes. With a connection, the launcher's orders are signals."""
        return 1.0 if self.control.connection or self.attempt else self.control.delay

    def check(self) -> None:
        """Raises WorkerExitError when nobody needs this worker. One that trains goes on without a launcher."""
        limit = max(self.run.orphan_timeout_seconds, ORPHAN_SECONDS)
        if (self.attempt and not self.ended and not self.idle) or self.contact.compute_age() <= limit:
            return
        if self.ended:
            raise self.make_end(self.code)
        raise WorkerExitError(ORPHAN, f"no sign of a launcher for {limit} s: nobody needs this worker")

    def close(self, _end: WorkerExitError) -> None:
        """Ask the ranks to end, in the time that they have, and end what is left.

        torchrun and deepspeed would give them no more than thirty seconds: they are asked when no rank is left.
        """
        settings.TERMINATING.touch()
        asked: set[int] = set()
        until = time.monotonic() + compute_ranks_seconds(self.run)
        while self.pid > 0 and time.monotonic() < until:
            self.control.exchange(self.collect_facts(), self.reported, [])
            left = end_ranks.choose_targets(end_ranks.list_processes(), "TERM", self.list_forked())
            if not left:
                break
            processes.send(sorted(left - asked), signal.SIGTERM)
            asked |= left
            time.sleep(TERM_SECONDS)
            processes.reap()
        processes.end(os.getpid(), None, 0)
        self.control.leave(self.collect_facts())
