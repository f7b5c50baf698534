"""The launcher's side of workers without ssh: they train by themselves, and it keeps the record and watches their Job.

They read in the record when to begin and that the run is over. Their Job completes when each has done its part, and
fails with the first that fails.
"""

from __future__ import annotations

import contextlib
import re
import time
from typing import TYPE_CHECKING, Any

import methods
import record
import reports
from outcome import End, Finish
from output import Output
from training import late

if TYPE_CHECKING:
    from launcher import Launcher

TICK_SECONDS = 0.5
# What the Job controller says of the pod that its podFailurePolicy ended the Job for.
FAILED_POD = re.compile(r"Container worker for pod [^/ ]+/(\S+)-[^- ]+ failed with exit code (\d+)")


class Apart:
    """What the launcher does with its workers, in the order of the methods."""

    def __init__(self, launcher: Launcher) -> None:
        self.launcher = launcher
        self.configured = launcher.configured
        self.output = Output(launcher.reached.names)
        self.whole = methods.of(self.configured).whole

    def prepare(self) -> None:
        """Take reports of the ranks. Without an address the record will have fewer words."""
        with contextlib.suppress(OSError):
            self.launcher.journal.said["launcher"] = reports.listen(self.output.take, self.output.nonce)

    def visit(self) -> None:
        """They see the lease being renewed."""

    def wait(self) -> None:
        """Until each worker is ready, or was and is done: a launcher that was lost has not stopped them."""
        wanted = self.configured.workers
        while self.ready() < wanted:
            if not self.launcher.still_waiting():
                said = f"{self.ready()} of {wanted} workers were ready"
                raise Finish("unreachable", self.launcher.too_late(said))
            time.sleep(TICK_SECONDS)

    def ready(self) -> int:
        """How many are ready or done. Those that a Job still counts when it is suspended are on their way out."""
        job = self.launcher.outside.workers()
        return 0 if job.get("suspended") else int(job.get("ready", 0))

    def start(self) -> None:
        """The launcher starts nothing."""

    def attempt(self) -> Attempt:
        return Attempt(self)

    def finish(self, event: str) -> Finish:
        """The end of the run that something outside has decided."""
        begun = self.launcher.totals()["attempts"] > 0
        return Finish(*self.verdict(event)[0]) if begun else Finish(event, self.launcher.outside.explain(event))

    def verdict(self, event: str) -> tuple[End, dict[str, Any]]:
        """What the event means for the training, and what is known of it for the record."""
        if event == "succeeded":
            return End(event, "", 0), {"exitCode": 0}
        failure = self.failure() if event == "workers-failed" else {}
        if self.output.world_sizes - {self.reports()} and failure:
            sizes = ", ".join(map(str, sorted(self.output.world_sizes)))
            return End("world-size", f"world size reported: {sizes}; asked for: {self.reports()}", None), {}
        if failure:
            who = f"rank {failure['rank']} on" if "rank" in failure else "worker"
            message = f"{who} {failure['host']} ended with exit code {failure['exitCode']}"
            return End("failed", message, failure["exitCode"]), failure
        message = late(self.configured) if event == "deadline" else self.launcher.outside.explain(event)
        return End(event, message, None), {}

    def failure(self) -> dict[str, Any]:
        """Who failed first: by its own report, else by that of the Job controller, which may have seen another."""
        found = FAILED_POD.search(self.launcher.outside.explain("workers-failed"))
        told = {"host": found.group(1), "exitCode": int(found.group(2))} if found else {}
        return dict(self.output.first_failure or told)

    def reports(self) -> int:
        """How many ranks are to report: where the user's command is all of a worker, that is one."""
        return self.configured.workers * (1 if self.whole else self.configured.slots)

    def say_over(self, phase: str) -> None:
        """They read it in the record."""


class Attempt:
    """The training from the moment when it may begin, as far as the launcher sees it."""

    def __init__(self, side: Apart) -> None:
        self.side = side
        self.configured = side.configured
        self.outside, self.journal = side.launcher.outside, side.launcher.journal
        self.before = self.journal.totals(self.outside.earlier())

    def run(self) -> End:
        """Watch until something decides the run, or takes the workers away. What the workers do goes on meanwhile."""
        self.journal.begin_attempt()
        self.journal.move("started")
        started = time.monotonic()
        while True:
            self.side.launcher.reached.reap()
            event = self.outside.event() or self.why_cut(time.monotonic() - started)
            if event:
                return self.close(event)
            if self.runs(time.monotonic() - started):
                self.journal.move("running", worldSize=self.world())
            time.sleep(TICK_SECONDS)

    def why_cut(self, seconds: float) -> str:
        """The event that ends an attempt of so many seconds."""
        limit = self.configured.active_deadline_seconds
        if 0 < limit < self.before["seconds"] + seconds:
            return "deadline"
        return "workers-lost" if self.outside.workers().get("suspended") else ""

    def runs(self, seconds: float) -> bool:
        """Whether all ranks have reported, or it is too late to expect it: a network may let no report through."""
        return self.world_is_there() or seconds > self.configured.start_timeout_seconds

    def world_is_there(self) -> bool:
        return len(self.side.output.ranks) == self.side.reports()

    def world(self) -> int | None:
        """The size of the world, where the ranks say it themselves. Each worker checks it."""
        return None if self.side.whole else self.side.reports()

    def close(self, event: str) -> End:
        end, facts = self.side.verdict(event)
        if end.event == "succeeded":
            self.journal.said["worldSize"] = self.world()
        self.journal.end_attempt(record.TRANSITIONS[end.event].reason or "Succeeded", facts)
        return end
