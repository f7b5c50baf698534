"""The launcher: waits for its turn and its workers, sees the training through, and ends with the result of the run.

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
from typing import Any

import debug
import exchange
import hostfile
import methods
import record
import settings
import workers
from apart import Apart
from journal import Journal, Outside
from outcome import Finish
from overssh import OverSsh
from training import log

TICK_SECONDS = 0.5
CONFIRM_SECONDS = 10


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
        ssh = methods.of(configured).ssh
        self.outside = Outside(own_end=not ssh)
        self.side = OverSsh(self) if ssh else Apart(self)
        self.clock = self.new_clock()
        self.waiting = ("waiting", "")  # why the workers are waited for
        self.failures_before = 0  # the worker Job's count when the last attempt began

    def run(self) -> int:
        """From the start to the end; the exit code."""
        try:
            self.side.prepare()
            self.take_turn()
            self.clock = self.new_clock()
            while True:
                self.side.wait()
                if self.configured.debug:
                    raise self.debug()
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
            raise self.side.finish(event)

    def pause(self, seconds: float) -> None:
        """Sleep, awake for what happens outside."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.check()
            time.sleep(min(TICK_SECONDS, max(until - time.monotonic(), 0)))

    # Before the training

    def take_turn(self) -> None:
        """Wait until the sidecar holds the lease. Another run may take any time; an API that never answers may not."""
        clock = self.new_clock()
        while True:
            self.check()
            self.side.visit()
            status = self.outside.status()
            lease = status.get("lease")
            if lease == "held":
                return
            if clock.tick(not lease) <= 0:
                raise Finish("no-record", f"ConfigMap {self.configured.record} could not be read and written in time")
            if lease == "waiting":
                self.journal.move("turn", f"run {status.get('holder')} of this job has not ended")
            time.sleep(TICK_SECONDS)

    def still_waiting(self) -> bool:
        """Whether there is time left to wait for workers. The clock stands while their Job is suspended."""
        self.check()
        self.side.visit()
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
        attempt = self.side.attempt()
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

    def too_late(self, words: str) -> str:
        """`words` with what the limit is, and how to free the nodes of workers that hang."""
        limit = f"lifecycle.startTimeoutSeconds ({self.configured.start_timeout_seconds})"
        remedy = f"kubectl delete job -n {self.configured.namespace} {self.configured.worker_job}"
        return f"{words} within {limit}; free what they hold: {remedy}"

    def debug(self) -> Finish:
        """lifecycle.debug in the place of the training: idle, or run the command that was given, until it ends."""
        self.journal.move("debug")
        debug.say_how(self.configured, self.side.start())

        def wait() -> None:
            self.check()
            self.side.visit()

        limit = self.configured.active_deadline_seconds
        return Finish(*debug.hold(self.configured.debug_command, limit, wait, self.reached.children))

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
        if finish.event != "workers-failed":
            self.side.say_over(row.phase)
        self.wait_for_sidecar()
        return code

    def wait_for_sidecar(self) -> None:
        until = time.monotonic() + CONFIRM_SECONDS
        while time.monotonic() < until and not self.outside.terminated:
            if self.outside.status().get("recorded", 0) >= self.journal.sequence:
                return
            time.sleep(0.2)


def main() -> int:
    configured = settings.load()
    names = hostfile.hosts(settings.CONFIG / "hostfile")
    launcher = Launcher(configured, workers.Workers(names, configured.ssh_port, configured.orphan_timeout_seconds))
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, launcher.outside.on_signal)
    return launcher.run()


if __name__ == "__main__":
    # Not sys.exit: a name lookup that hangs in a thread must not hold up the end.
    exit_code = main()
    sys.stdout.flush()
    os._exit(exit_code)
