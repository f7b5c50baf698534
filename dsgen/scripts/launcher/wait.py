"""The waits of the launcher: what it checks meanwhile, and their time limits."""

from __future__ import annotations

import time

from launcher.journal import LauncherState, SidecarState
from launcher.outcome import InterruptedRunError, RunEndedError
from launcher.workers import Workers
from shared import record, settings
from shared.log import log

TICK_SECONDS = 0.1  # between looks at the files of the sidecar
ISOLATED_SECONDS = 180


class Clock:
    """Counts down the seconds of a limit while it is running."""

    def __init__(self, limit: float) -> None:
        self.left = limit
        self.last = time.monotonic()

    def tick(self, running: bool) -> float:
        """The remaining seconds. `running`: whether the time since the last tick counts."""
        now = time.monotonic()
        self.left -= (now - self.last) if running else 0
        self.last = now
        return self.left


class Wait:
    """All waits of the launcher. Each checks SIGTERM, the lease and the worker Job ten times a second."""

    def __init__(
        self, configured: settings.Settings, workers: Workers, journal: LauncherState, external: SidecarState
    ) -> None:
        self.configured = configured
        self.workers = workers
        self.journal = journal
        self.external = external
        self.clock = self.make_clock()
        self.reason = ("waiting", "")  # event and message of the wait for workers
        self.failures_before = 0  # the failures of the worker Job when the last attempt began

    def make_clock(self) -> Clock:
        return Clock(self.configured.start_timeout_seconds)

    def check_isolation(self, seconds: float = ISOLATED_SECONDS) -> None:
        """Raise RunEndedError if the API has been unreachable for too long, while no worker can be reached either.

        The launcher then counts itself as lost, so that another pod takes over: this one has no network and cannot
        write the record.
        """
        since = self.external.read_status().get("away")
        away = time.time() - since if isinstance(since, (int, float)) else 0.0
        if away > seconds:
            log(f"neither the API (for {away:.0f} s) nor any worker can be reached from this pod: it counts as lost")
            raise RunEndedError("terminated")

    def check(self, seconds: float = 0) -> None:
        """Reap processes. Raises InterruptedRunError after an external event. `seconds`: those of all attempts."""
        self.workers.reap()
        event = self.external.find_event(seconds)
        if event:
            raise InterruptedRunError(event)

    def pause(self, seconds: float) -> None:
        """Sleep, and check repeatedly."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.check()
            time.sleep(min(TICK_SECONDS, max(until - time.monotonic(), 0)))

    def wait_for_lease(self) -> None:
        """Wait until the sidecar holds the lease: without limit for another run, with a limit for the API."""
        clock = self.make_clock()
        while True:
            self.check()
            status = self.external.read_status()
            lease = status.get("lease")
            if lease == "held":
                return
            if clock.tick(not lease) <= 0:
                raise RunEndedError(
                    "no-record", f"ConfigMap {self.configured.record} could not be read and written in time"
                )
            if lease == "waiting":
                self.journal.move("turn", f"run {status.get('holder')} of this job has not ended")
            time.sleep(TICK_SECONDS)

    def has_time_for_workers(self) -> bool:
        """Whether there is time left to wait for workers. The time of a suspended Job does not count."""
        self.check()
        self.count_loss()
        suspended = bool(self.external.read_worker_job().get("suspended"))
        event, message = self.reason
        queued = ("queued", f"Job {self.configured.worker_job} is suspended")
        self.journal.move(*(queued if suspended else (event, message or "; ".join(self.external.list_problems()))))
        return self.clock.tick(not suspended) > 0

    def count_loss(self) -> None:
        """Count a loss of workers if the failures of the worker Job have increased since the attempt began."""
        if self.reason[0] != "workers-lost" or self.external.count_failures() <= self.failures_before:
            return
        if self.journal.count_loss():
            self.clock = self.make_clock()  # the Job controller needs time to replace them
        used, limit = self.compute_totals()["replacements"], self.configured.worker_replacements
        if used > limit:
            raise RunEndedError(
                "lost-too-often", f"workers were lost {used} times, lifecycle.workerReplacements is {limit}"
            )

    def compute_totals(self) -> dict[str, int]:
        """Sums over the attempts of all launcher pods of this run. An open one is counted, but not its time."""
        return record.compute_totals(self.journal.attempts, self.external.read_status().get("earlier"))

    def explain_too_late(self, problem: str) -> str:
        """The message for workers that were not ready in time: the limit, and how to free their nodes."""
        limit = f"lifecycle.startTimeoutSeconds ({self.configured.start_timeout_seconds})"
        remedy = f"kubectl delete job -n {self.configured.namespace} {self.configured.worker_job}"
        said = "; ".join([f"{problem} within {limit}", *self.external.list_problems()])
        return f"{said}; to free the workers: {remedy}"
