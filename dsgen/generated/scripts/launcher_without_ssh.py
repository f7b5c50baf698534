# Generated from dsgen/scripts/launcher_without_ssh.py, which has the comments.





from __future__ import annotations

import contextlib
import re
import time
from typing import Any

import shared_methods as methods
import shared_reports as reports
from launcher_attempt import deadline_message, never_met
from launcher_outcome import AttemptEnd, RunEnded
from launcher_progress import Progress, hang_message, report, told
from launcher_wait import Wait
from shared_output import Output
from shared_transitions import TRANSITIONS

TICK_SECONDS = 0.5
ISOLATED_SECONDS = 600

FAILED_POD = re.compile(r"Container worker for pod [^/ ]+/(\S+)-[^- ]+ failed with exit code (\d+)")


class WithoutSsh:


    def __init__(self, wait: Wait) -> None:
        self.wait = wait
        self.configured = wait.configured
        self.external = wait.external
        self.journal = wait.journal
        self.output = Output(wait.workers.names)
        self.whole = methods.of(self.configured).whole

    def prepare(self) -> None:

        with contextlib.suppress(OSError):
            self.journal.said["launcher"] = reports.listen(self.output.process_line, self.output.nonce)

    def wait_for_workers(self) -> None:

        wanted = self.configured.workers
        while self.ready() < wanted:
            if not self.wait.time_left_for_workers():
                said = f"{self.ready()} of {wanted} workers were ready"
                raise RunEnded("unreachable", self.wait.too_late(said))
            time.sleep(TICK_SECONDS)

    def ready(self) -> int:

        job = self.external.workers()
        return 0 if job.get("suspended") else int(job.get("ready", 0))

    def start(self) -> None:
        pass

    def attempt(self) -> Attempt:
        return Attempt(self)

    def ended(self, event: str) -> RunEnded:

        begun = self.wait.totals()["attempts"] > 0
        return RunEnded(*self.verdict(event)[0]) if begun else RunEnded(event, self.external.explain(event))

    def verdict(self, event: str) -> tuple[AttemptEnd, dict[str, Any]]:

        if event == "succeeded":
            return AttemptEnd(event, "", 0), {"exitCode": 0}
        failure = self.failure() if event == "workers-failed" else {}
        if self.output.world_sizes - {self.reports()} and failure:
            sizes = ", ".join(map(str, sorted(self.output.world_sizes)))
            return AttemptEnd("world-size", f"world size reported: {sizes}; asked for: {self.reports()}", None), {}
        if event == "workers-failed" and "rank" not in failure and self.strangers():
            return AttemptEnd("never-met", never_met(self.strangers(), self.reports()), None), {}
        if failure:
            seen = [*self.external.problems(), f"worker {failure['host']} ended with exit code {failure['exitCode']}"]
            message = self.output.blame() if "rank" in failure else seen[0]
            return AttemptEnd("failed", message, failure["exitCode"]), failure
        message = deadline_message(self.configured) if event == "deadline" else self.external.explain(event)
        return AttemptEnd(event, message, None), {}

    def failure(self) -> dict[str, Any]:

        found = FAILED_POD.search(self.external.explain("workers-failed"))
        told = {"host": found.group(1), "exitCode": int(found.group(2))} if found else {}
        return self.output.failure() or told

    def strangers(self) -> list[int]:

        expected = self.configured.expect_world and self.reports() > 1
        ended = {end["rank"] for end in self.output.ends if not end["exitCode"]}
        return [rank for rank in self.output.strangers() if rank in ended] if expected else []

    def reports(self) -> int:

        return self.configured.workers * (1 if self.whole else self.configured.slots)

    def announce_end(self, phase: str) -> None:
        pass


class Attempt:


    def __init__(self, side: WithoutSsh) -> None:
        self.side = side
        self.configured = side.configured
        self.external, self.journal = side.external, side.journal
        self.before = self.journal.totals(self.external.earlier())
        self.progress = side.output.progress = Progress(side.configured)

    def run(self) -> AttemptEnd:

        self.journal.begin_attempt()
        self.journal.move("started")
        started = time.monotonic()
        while True:
            self.side.wait.workers.reap()
            self.side.wait.check_isolation(ISOLATED_SECONDS)
            event = self.external.event() or self.why_cut(time.monotonic() - started)
            if event:
                return self.close(event)
            if self.runs(time.monotonic() - started):
                report(self.progress, self.journal, self.world())
            time.sleep(TICK_SECONDS)

    def why_cut(self, seconds: float) -> str:

        limit = self.configured.active_deadline_seconds
        if 0 < limit < self.before["seconds"] + seconds:
            return "deadline"
        if self.progress.hang():
            return "hung"
        return "workers-lost" if self.external.workers().get("suspended") else ""

    def runs(self, seconds: float) -> bool:

        return self.world_is_there() or seconds > self.configured.start_timeout_seconds

    def world_is_there(self) -> bool:
        return len(self.side.output.ranks) == self.side.reports()

    def world(self) -> int | None:

        expected = self.side.reports()
        met = expected == 1 or len(self.side.output.met) == expected
        return expected if met and not self.side.whole else None

    def close(self, event: str) -> AttemptEnd:
        end, facts = self.side.verdict(event)
        if event == "hung":
            suspect = self.progress.suspect()
            end = AttemptEnd(event, hang_message(self.progress.hang(), suspect), None)
        self.journal.said.update(told(self.progress))
        if end.event == "succeeded":
            checked = self.configured.expect_world and not self.side.whole
            self.journal.said["worldSize"] = self.side.reports() if checked else self.world()
        self.journal.end_attempt(TRANSITIONS[end.event].reason or "Succeeded", facts)
        return end
