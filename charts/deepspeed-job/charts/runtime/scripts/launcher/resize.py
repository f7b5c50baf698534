"""training.deepspeed.resize: before an attempt, the first worker converts a checkpoint of another number of ranks.

worker/resize.py decides and converts. Here it is asked, its progress is recorded, and its result becomes the beginning
or the end of the attempt.
"""

from __future__ import annotations

import re
import time
from typing import Any

from launcher.outcome import AttemptEnd, InterruptedRunError
from launcher.wait import Wait
from shared.log import log
from shared.record import TRANSITIONS

TICK_SECONDS = 0.5  # between looks at what has no common event: the worker, the clock and the files of the sidecar
# The path becomes an argument of programs that pass it through a shell, and pdsh expands a %.
SAFE_PATH = re.compile(r"(/[A-Za-z0-9._@+=:,-]+)+")


class CheckpointPreparation:
    """The preparation of the checkpoint for one attempt."""

    def __init__(self, wait: Wait) -> None:
        self.wait = wait
        self.configuration = ""
        self.begun = False

    def run(self, attempt: int, ranks: int, host: str) -> AttemptEnd | None:
        """Let a worker prepare it. None: the attempt can begin, with `configuration` if that is set."""
        if not self.wait.configured.resize_checkpoint:
            return None
        try:
            end = self.find_end(self.ask(attempt, ranks, host))
        except InterruptedRunError as cut:
            end = AttemptEnd(cut.event, self.wait.external.explain(cut.event), None)
        if end:
            self.wait.journal.end_attempt(TRANSITIONS[end.event].reason, {"host": host})
        return end

    def ask(self, attempt: int, ranks: int, host: str) -> dict[str, Any]:
        """Order it, and wait for the last report; {} if the worker was lost. Raises InterruptedRunError."""
        control, begun = self.wait.workers.control, time.monotonic() - self.wait.compute_totals()["seconds"]
        first = control.members[host]
        life = first.life
        control.tell(resize={"attempt": attempt, "ranks": ranks, "host": host})
        while not (first.is_away() or first.life != life):
            self.wait.check(time.monotonic() - begun)
            if first.resize.get("attempt") == attempt:
                self.record_progress(first.resize)
                if "result" in first.resize:
                    return first.resize
            control.wait(TICK_SECONDS)
        return {}

    def find_end(self, report: dict[str, Any]) -> AttemptEnd | None:
        """What follows from the last report."""
        result, message = str(report.get("result", "")), str(report.get("message", ""))
        if message:
            log(message)
        if result == "nothing":
            return None
        if result == "ready" and SAFE_PATH.fullmatch(str(report.get("configuration"))):
            self.configuration = str(report["configuration"])
            return None
        if not result:
            return AttemptEnd("workers-lost", "lost: the worker that prepared the checkpoint", None)
        return AttemptEnd("resize-refused" if result == "refused" else "resize-failed", message, None)

    def record_progress(self, report: dict[str, Any]) -> None:
        if "result" not in report and "message" in report:
            self.begun = True
            self.wait.journal.move("resizing", str(report["message"]))
