"""The launcher: waits for its turn and its workers, runs the training on them, and ends with the result of the run.

Process 1 of its container. Each wait looks every half second at what has happened outside: SIGTERM, the lease, the
worker Job.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import exchange
import keyfile
import record
import settings
import training
import workers
from journal import Journal, Outside
from training import log

TICK_SECONDS = 0.5
CONFIRM_SECONDS = 10


class Finish(Exception):  # noqa: N818  # the ordinary way out, not an error
    """The launcher ends. `event` is a row of record.TRANSITIONS, or "ended" for a run that had ended before."""

    def __init__(self, event: str, message: str = "", training_code: int | None = None) -> None:
        super().__init__(message)
        self.event = event
        self.message = message
        self.training_code = training_code


class Clock:
    """Seconds that are left of a limit. It stands still while it is not running."""

    def __init__(self, limit: float) -> None:
        self.left = limit
        self.last = time.monotonic()

    def tick(self, running: bool) -> float:
        now = time.monotonic()
        self.left -= (now - self.last) if running else 0
        self.last = now
        return self.left


class Launcher:
    """One launcher pod's way through the run."""

    def __init__(self, configured: settings.Settings, reached: workers.Workers) -> None:
        self.configured = configured
        self.reached = reached
        self.journal = Journal(settings.RUN / exchange.LAUNCHER)
        self.outside = Outside()
        self.clock = self.new_clock()
        self.waiting = ("waiting", "")  # why the workers are waited for
        self.failures_before = 0  # the worker Job's count when the last attempt began

    def run(self) -> int:
        """From the start to the end; the exit code."""
        try:
            self.prepare()
            while True:
                self.wait_for_workers()
                self.train()
        except Finish as finish:
            return self.end(finish)
        except Exception:  # a mistake in dsgen itself: the run ends, and is recorded, all the same
            print(traceback.format_exc(), file=sys.stderr, flush=True)
            return self.end(Finish("bug", traceback.format_exc().strip().splitlines()[-1]))

    def new_clock(self) -> Clock:
        return Clock(self.configured.start_timeout_seconds)

    def check(self) -> None:
        """Raises Finish when something outside has decided the run."""
        self.reached.reap()
        event = self.outside.event()
        if event:
            raise Finish(event, self.outside.explain(event))

    def pause(self, seconds: float) -> None:
        """Sleep, awake for what happens outside."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.check()
            time.sleep(min(TICK_SECONDS, max(until - time.monotonic(), 0)))

    # Before the training

    def prepare(self) -> None:
        missing = training.missing_tools()
        if missing:
            raise Finish("no-tool", f"the image has no {', '.join(missing)}: add it to the image or in training.setup")
        self.take_key()
        self.take_turn()
        self.clock = self.new_clock()

    def take_key(self) -> None:
        """Copy the private key, and make known_hosts from its public half: it is the host key of all workers, too."""
        private, clock = settings.RUN / "id", self.new_clock()
        while True:
            key = keyfile.first([settings.RUN / keyfile.PRIVATE, settings.KEYS / keyfile.PRIVATE])
            if key:
                break
            self.journal.move("key", f"Secret {self.configured.secret} holds no {keyfile.PRIVATE} yet")
            self.pause(TICK_SECONDS)
            if clock.tick(True) <= 0:
                raise Finish("bad-key", f"Secret {self.configured.secret} held no {keyfile.PRIVATE} in time")
        keyfile.leave(private, key)
        try:
            known = f"{keyfile.HOST_ALIAS} {keyfile.public_half(private)}\n"
        except keyfile.BadKey as problem:
            raise Finish("bad-key", f"Secret {self.configured.secret}: {problem}") from problem
        (settings.RUN / "known_hosts").write_text(known, encoding="ascii")

    def take_turn(self) -> None:
        """Wait until the sidecar holds the lease. Another run may take any time; an API that never answers may not."""
        clock = self.new_clock()
        while True:
            self.check()
            self.reached.visit()
            status = self.outside.status()
            lease = status.get("lease")
            if lease == "held":
                return
            if clock.tick(not lease) <= 0:
                raise Finish("no-record", f"ConfigMap {self.configured.record} could not be read and written in time")
            if lease == "waiting":
                self.journal.move("turn", f"run {status.get('holder')} of this job has not ended")
            time.sleep(TICK_SECONDS)

    def wait_for_workers(self) -> None:
        """Until each worker answers and lets the launcher in."""
        missing = self.reached.missing(self.still_waiting)
        if missing:
            raise Finish("unreachable", unreachable(self.configured, missing))
        refused = self.reached.login(self.still_waiting)
        while refused:
            if not self.still_waiting():
                raise Finish("unreachable", f"{self.reached.names[0]} refused the login: {refused}")
            time.sleep(TICK_SECONDS)
            refused = self.reached.login(self.still_waiting)
        if self.totals()["attempts"]:
            self.reached.everywhere(workers.signal_ranks("KILL"), workers.COMMAND_SECONDS)

    def still_waiting(self) -> bool:
        """Whether there is time left to wait for workers. The clock stands while their Job is suspended."""
        self.check()
        self.reached.visit()
        self.count_loss()
        suspended = bool(self.outside.workers().get("suspended"))
        queued = ("queued", f"Job {self.configured.worker_job} is suspended")
        self.journal.move(*(queued if suspended else self.waiting))
        return self.clock.tick(not suspended) > 0

    def count_loss(self) -> None:
        """A loss counts when the worker Job's failures have risen since the attempt began."""
        if self.waiting[0] != "workers-lost" or self.outside.failures() <= self.failures_before:
            return
        if self.journal.count_loss():
            self.clock = self.new_clock()  # the Job controller takes its time to replace them
        used, limit = self.totals()["replacements"], self.configured.worker_replacements
        if used > limit:
            raise Finish("lost-too-often", f"workers were lost {used} times, lifecycle.workerReplacements is {limit}")

    # The training

    def train(self) -> None:
        """One attempt; afterwards wait for workers again, restart, or raise Finish."""
        self.failures_before = self.outside.failures()
        attempt = training.Attempt(self.configured, self.reached, self.journal, self.outside)
        end = attempt.run()
        row = record.TRANSITIONS[end.event]
        if row.exit is not None:
            raise Finish(*end)
        log(f"{row.reason}: {end.message}")
        # An attempt that never was complete does not start the clock anew: what hinders it may last for ever.
        if attempt.world_is_there() or end.event == "restarting":
            self.clock = self.new_clock()
        self.waiting = ("workers-lost", end.message) if end.event == "workers-lost" else ("waiting", "")
        self.journal.move(end.event, end.message)
        if end.event == "restarting":
            self.pause(self.configured.restart_delay_seconds)
            self.clock = self.new_clock()

    def totals(self) -> dict[str, Any]:
        return self.journal.totals(self.outside.earlier())

    # The end

    def end(self, finish: Finish) -> int:
        """Record the end, tell the workers, and return the exit code."""
        row = record.TRANSITIONS.get(finish.event)
        if row is None:
            ended = self.outside.status().get("ended") or {}
            log(f"the run has ended before: {ended.get('phase')}; choose another run.id to train again")
            return record.exit_code_again(ended)
        code = record.exit_code(row, finish.training_code)
        words = record.summary({"phase": row.phase, "reason": row.reason, "message": finish.message})
        log(f"{words}; exit {code}")
        with contextlib.suppress(OSError):
            settings.TERMINATION_LOG.write_text(words, encoding="utf-8")
        if finish.event == "terminated":
            self.journal.terminate()
            return code
        self.journal.move(finish.event, finish.message, exitCode=finish.training_code)
        if finish.event != "workers-failed" and (settings.RUN / "known_hosts").exists():
            self.reached.everywhere(workers.say_over(row.phase), workers.COMMAND_SECONDS)
        self.wait_for_sidecar()
        return code

    def wait_for_sidecar(self) -> None:
        until = time.monotonic() + CONFIRM_SECONDS
        while time.monotonic() < until and not self.outside.terminated:
            if self.outside.status().get("recorded", 0) >= self.journal.sequence:
                return
            time.sleep(0.2)


def unreachable(configured: settings.Settings, missing: list[str]) -> str:
    """Which workers are missing, and how to free the nodes of those that hang."""
    named = " ".join(missing[:10]) + (f" and {len(missing) - 10} more" if len(missing) > 10 else "")
    remedy = f"kubectl delete job -n {configured.namespace} {configured.worker_job}"
    limit = f"lifecycle.startTimeoutSeconds ({configured.start_timeout_seconds})"
    return f"not reachable within {limit}: {named}; free what they hold: {remedy}"


def main() -> int:
    configured = settings.load()
    names = workers.hosts(Path(training.HOSTFILE))
    launcher = Launcher(configured, workers.Workers(names, configured.ssh_port, configured.orphan_timeout_seconds))
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, launcher.outside.on_signal)
    return launcher.run()


if __name__ == "__main__":
    # Not sys.exit: a name lookup that hangs in a thread must not hold up the end.
    exit_code = main()
    sys.stdout.flush()
    os._exit(exit_code)
