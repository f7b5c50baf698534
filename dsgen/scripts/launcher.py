"""The launcher: waits for its turn and its workers, runs the training on them, and ends with the result of the run.

Process 1 of its container. Each wait looks every half second at what has happened outside: SIGTERM, the lease, the
worker Job.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import exchange
import keyfile
import outcome
import record
import settings
import training
import workers
from journal import Journal
from output import Output, first_code

TICK_SECONDS = 0.5
FOLLOW_SECONDS = 20  # once one host has failed, the others end by themselves in this time, or are ended
SIDECAR_SECONDS = 20  # of the grace period that the ranks do not get: 10 of them are the sidecar's
KILL_SECONDS = 5
CONFIRM_SECONDS = 10
PROBE_SECONDS = 6


class Finish(Exception):  # noqa: N818  # the ordinary way out, not an error
    """The launcher ends. `event` is a row of record.TRANSITIONS, or "ended" for a run that had ended before."""

    def __init__(self, event: str, message: str = "", training_code: int | None = None) -> None:
        super().__init__(message)
        self.event = event
        self.message = message
        self.training_code = training_code


class Clock:
    """Time that is left of a limit. It stands still while it is not running."""

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

    def __init__(self, configured: settings.Settings, hosts: list[str], journal: Journal) -> None:
        self.configured = configured
        self.hosts = hosts
        self.journal = journal
        self.terminated = False
        self.children: set[int] = set()
        self.clock = Clock(configured.start_timeout_seconds)
        self.waiting = ("waiting", "")  # why the workers are waited for
        self.failed_before = 0  # the worker Job's count of failures when the last attempt began

    def run(self) -> int:
        """From the start to the end; the exit code."""
        try:
            self.prepare()
            while True:
                self.wait_for_workers()
                self.go_on(*self.train())
        except Finish as finish:
            return self.end(finish)
        except Exception:
            print(traceback.format_exc(), file=sys.stderr, flush=True)
            return self.end(Finish("bug", traceback.format_exc().strip().splitlines()[-1]))

    def on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self.terminated = True

    # What happens outside

    def status(self) -> dict[str, Any]:
        return exchange.read(settings.RUN / exchange.STATUS)

    def check(self) -> dict[str, Any]:
        """status.json. Raises Finish when something outside has decided the run."""
        reap(self.children)
        status = self.status()
        if self.terminated:
            raise Finish("terminated")
        if status.get("ended"):
            raise Finish("ended")
        event = outcome.outside(status)
        if event:
            raise Finish(event, explain(event, status))
        return status

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
        self.clock = Clock(self.configured.start_timeout_seconds)

    def take_key(self) -> None:
        """Copy the private key, and make known_hosts from its public half: it is the host key of all workers, too."""
        private, clock = settings.RUN / "id", Clock(self.configured.start_timeout_seconds)
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
            raise Finish("bad-key", str(problem)) from problem
        (settings.RUN / "known_hosts").write_text(known, encoding="ascii")

    def take_turn(self) -> None:
        """Wait until the sidecar holds the lease. Another run may take any time; an API that never answers may not."""
        clock, next_visit = Clock(self.configured.start_timeout_seconds), 0.0
        while True:
            status = self.check()
            lease = status.get("lease")
            if lease == "held":
                return
            if lease == "waiting":
                self.journal.move("turn", f"run {status.get('holder')} of this job has not ended")
            elif clock.tick(not lease) <= 0:
                raise Finish("no-record", f"ConfigMap {self.configured.record} could not be read and written in time")
            if lease == "waiting" and time.monotonic() >= next_visit:
                # A login each, so that the waiting workers do not take themselves for orphans.
                self.everywhere("true", workers.COMMAND_SECONDS)
                next_visit = time.monotonic() + self.configured.orphan_timeout_seconds / 4
            time.sleep(TICK_SECONDS)

    def wait_for_workers(self) -> None:
        """Until each worker answers and lets the launcher in."""
        missing = workers.missing(self.hosts, self.configured.ssh_port, self.still_waiting)
        if missing:
            raise Finish("unreachable", unreachable(self.configured, missing))
        self.log_in()
        if self.journal.totals(self.earlier())["attempts"]:
            self.everywhere(workers.signal_ranks("KILL"), workers.COMMAND_SECONDS)

    def still_waiting(self) -> bool:
        """Whether there is time left to wait for workers. The clock stands while their Job is suspended."""
        status = self.check()
        self.count_loss(status)
        suspended = bool((status.get("workers") or {}).get("suspended"))
        self.journal.move(
            *(("queued", f"Job {self.configured.worker_job} is suspended") if suspended else self.waiting)
        )
        return self.clock.tick(not suspended) > 0

    def count_loss(self, status: dict[str, Any]) -> None:
        """A loss counts when the worker Job's failures have risen since the attempt began."""
        if self.waiting[0] != "workers-lost" or failures(status) <= self.failed_before:
            return
        self.journal.count_loss()
        used, limit = self.journal.totals(self.earlier())["replacements"], self.configured.worker_replacements
        if used > limit:
            raise Finish("lost-too-often", f"workers were lost {used} times, lifecycle.workerReplacements is {limit}")

    def log_in(self) -> None:
        """One real login, tried until it works or the time is over."""
        while True:
            with self.child(workers.login(self.hosts[0])) as process:
                while process.poll() is None:
                    self.still_waiting()
                    time.sleep(0.1)
                if process.returncode == 0:
                    return
                said = process.stderr.read().decode(errors="replace").strip() if process.stderr else ""
            if not self.still_waiting():
                raise Finish("unreachable", f"{self.hosts[0]} refused the login: {said}")
            time.sleep(TICK_SECONDS)

    # The training

    def train(self) -> tuple[str, str, int | None]:
        """One attempt: the event that its end is, a message, the training's exit code."""
        self.failed_before = failures(self.status())
        output = Output(self.hosts)
        self.journal.begin_attempt()
        self.journal.move("started")
        run = training.Training(
            training.command(self.configured, self.hosts), training.environment(settings.RUN), output
        )
        self.children.add(run.process.pid)
        try:
            cut = self.watch(run)
            if cut:
                self.end_ranks(run)
            lost = output.lost() if run.code() is None else self.gone(run, cut)
        finally:
            run.kill()
            self.children.discard(run.process.pid)
        run.finish()
        return self.judge(run, cut, lost)

    def watch(self, run: training.Training) -> str:
        """Until the training has ended; the reason to end it before, else ""."""
        started, wrong_since = time.monotonic(), 0.0
        before = self.journal.totals(self.earlier())["seconds"]
        while run.code() is None:
            reap(self.children)
            now = time.monotonic()
            wrong_since = wrong_since or (now if run.output.went_wrong() else 0.0)
            cut = self.why_cut(run.output, before, now - started, now - wrong_since if wrong_since else 0)
            if cut:
                return cut
            if self.world_is_there(run.output):
                self.journal.move("running", worldSize=self.world())
            time.sleep(TICK_SECONDS)
        return ""

    def why_cut(self, output: Output, before: float, seconds: float, wrong_seconds: float) -> str:
        """The first reason that holds. `before`: seconds of the earlier attempts; `seconds`: of this one."""
        limit, start = self.configured.active_deadline_seconds, self.configured.start_timeout_seconds
        reasons = (
            ("terminated", self.terminated),
            (outcome.outside(self.status()), True),
            ("deadline", 0 < limit < before + seconds),
            ("world-size", self.world_is_wrong(output) or (seconds > start and not self.world_is_there(output))),
            ("follow", wrong_seconds > FOLLOW_SECONDS),
        )
        return next((event for event, holds in reasons if event and holds), "")

    def end_ranks(self, run: training.Training) -> None:
        """Ask the ranks to end, then make them, within the grace period. The sessions stay: what they say counts."""
        patience = max(self.configured.termination_grace_period_seconds - SIDECAR_SECONDS, 10)
        for name, seconds in (("TERM", patience), ("KILL", KILL_SECONDS)):
            if run.code() is None:
                log(f"ending the ranks with SIG{name}")
                self.everywhere(workers.signal_ranks(name), seconds, run)

    def gone(self, run: training.Training, cut: str) -> list[str]:
        """Hosts whose workers are gone, after the training's process has ended by itself."""
        output, code = run.output, run.code() or 0
        run.finish()
        if output.began():
            died = code >= 128 and not output.closed and not output.ssh_ended  # pdsh itself, not its hosts
            return [] if died else output.unclosed()
        if cut or code == 0:
            return []
        until = time.monotonic() + PROBE_SECONDS
        return workers.missing(self.hosts, self.configured.ssh_port, lambda: time.monotonic() < until)

    def judge(self, run: training.Training, cut: str, lost: list[str]) -> tuple[str, str, int | None]:
        """Close the attempt in the journal, and name the event."""
        output, code = run.output, run.code() or 0
        training_code = first_code(output, code)
        event = outcome.decide(self.facts(output, code, training_code, cut, bool(lost)))
        known = training_code if event in ("succeeded", "failed", "restarting") else None
        # A rank that failed because it was ended says nothing about the training.
        facts = {} if cut in outcome.CUTS else dict(output.first_failure or {})
        if known is not None:
            facts["exitCode"] = known
        self.journal.end_attempt(record.TRANSITIONS[event].reason or "Succeeded", facts)
        if self.world_is_there(output):
            self.clock = Clock(self.configured.start_timeout_seconds)
        if len(output.world_sizes) == 1:
            self.journal.said["worldSize"] = max(output.world_sizes)
        if event != "succeeded" and len(output.closed) < len(self.hosts) and event != "terminated":
            self.everywhere(workers.signal_ranks("KILL"), KILL_SECONDS)
        return event, self.words(event, output, known, lost), known

    def facts(self, output: Output, code: int, training_code: int, cut: str, lost: bool) -> outcome.Facts:
        return outcome.Facts(
            code=code,
            training_code=training_code,
            cut=cut,
            lost=lost,
            hosts=len(self.hosts),
            closed=len(output.closed),
            expected_ranks=self.world(),
            ranks=len(output.ranks),
            world_is_wrong=self.world_is_wrong(output),
            restarts=self.journal.totals(self.earlier())["failures"],
            max_restarts=self.configured.max_restarts,
            restart_exit_codes=tuple(self.configured.restart_exit_codes),
        )

    def words(self, event: str, output: Output, code: int | None, lost: list[str]) -> str:
        """The message of the record for the end of an attempt."""
        if event in ("failed", "restarting"):
            first = output.first_failure
            who = f"rank {first['rank']} on {first['host']}" if first else "the training"
            return f"{who} ended with exit code {code}"
        if event == "workers-lost":
            return f"lost: {' '.join(lost[:10])}"
        if event == "world-size":
            sizes = ", ".join(str(size) for size in sorted(output.world_sizes)) or "none"
            return f"{len(output.ranks)} of {self.world()} ranks started; world size reported: {sizes}"
        return explain(event, self.status(), self.configured.active_deadline_seconds)

    def go_on(self, event: str, message: str, code: int | None) -> None:
        """After an attempt: wait for workers again, restart, or end."""
        if record.TRANSITIONS[event].exit is not None:
            raise Finish(event, message, code)
        self.waiting = (event, message) if event == "workers-lost" else ("waiting", "")
        self.journal.move(event, message)
        log(f"{record.TRANSITIONS[event].reason}: {message}")
        if event == "restarting":
            self.pause(self.configured.restart_delay_seconds)
            self.clock = Clock(self.configured.start_timeout_seconds)

    def world(self) -> int:
        return self.configured.workers * self.configured.slots

    def world_is_there(self, output: Output) -> bool:
        return len(output.ranks) == self.world() and output.world_sizes == {self.world()}

    def world_is_wrong(self, output: Output) -> bool:
        return bool(output.world_sizes - {self.world()})

    def earlier(self) -> dict[str, Any]:
        return dict(self.status().get("earlier") or {})

    # The end

    def end(self, finish: Finish) -> int:
        """Record the end, tell the workers, and return the exit code."""
        row = record.TRANSITIONS.get(finish.event)
        if row is None:
            ended = self.status().get("ended") or {}
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
            self.everywhere(workers.say_over(row.phase), workers.COMMAND_SECONDS)
        self.wait_for_sidecar()
        return code

    def wait_for_sidecar(self) -> None:
        until = time.monotonic() + CONFIRM_SECONDS
        while time.monotonic() < until and not self.terminated:
            if self.status().get("recorded", 0) >= self.journal.sequence:
                return
            time.sleep(0.2)

    # Helpers

    def everywhere(self, command: str, seconds: float, run: training.Training | None = None) -> None:
        """A command on all workers, for at most `seconds`; with `run`, until that training has ended."""
        until = time.monotonic() + seconds
        with self.child(workers.everywhere(self.hosts, command)) as process:
            while time.monotonic() < until:
                if (run or process) and (process.poll() is not None if run is None else run.code() is not None):
                    return
                time.sleep(0.1)

    @contextlib.contextmanager
    def child(self, process: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
        """A helper process, known to the reaper while it runs and ended with the block."""
        self.children.add(process.pid)
        try:
            yield process
        finally:
            workers.end(process)
            self.children.discard(process.pid)


def reap(own: set[int]) -> None:
    """Bury what was handed to process 1, but not the launcher's own children: their exit codes are waited for."""
    while True:
        try:
            found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return
        if found is None or found.si_pid in own:
            return
        os.waitpid(found.si_pid, 0)


def failures(status: dict[str, Any]) -> int:
    return int((status.get("workers") or {}).get("failed", 0))


def unreachable(configured: settings.Settings, missing: list[str]) -> str:
    """Which workers are missing, and how to free the nodes of those that hang."""
    named = " ".join(missing[:10]) + (f" and {len(missing) - 10} more" if len(missing) > 10 else "")
    remedy = f"kubectl delete job -n {configured.namespace} {configured.worker_job}"
    limit = f"lifecycle.startTimeoutSeconds ({configured.start_timeout_seconds})"
    return f"not reachable within {limit}: {named}; free what they hold: {remedy}"


def explain(event: str, status: dict[str, Any], deadline: int = 0) -> str:
    """The message of an end that came from outside."""
    return {
        "lease-lost": f"run {status.get('holder')} of this job has taken over",
        "workers-failed": str((status.get("workers") or {}).get("message", "")),
        "deadline": f"the training ran longer than lifecycle.activeDeadlineSeconds ({deadline})",
    }.get(event, "")


def log(text: str) -> None:
    sys.stdout.buffer.write(f"[dsgen] {text}\n".encode())
    sys.stdout.buffer.flush()


def main() -> int:
    configured = settings.load()
    journal = Journal(settings.RUN / exchange.LAUNCHER)
    launcher = Launcher(configured, workers.hosts(Path(training.HOSTFILE)), journal)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, launcher.on_signal)
    return launcher.run()


if __name__ == "__main__":
    # Not sys.exit: a name lookup that hangs in a thread must not hold up the end.
    exit_code = main()
    sys.stdout.flush()
    os._exit(exit_code)
