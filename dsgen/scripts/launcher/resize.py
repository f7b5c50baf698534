"""training.deepspeed.resize: before an attempt, the first worker converts a checkpoint of another number of ranks.

worker/resize.py decides and converts. Here it is asked, its progress is recorded, and its result becomes the beginning
or the end of the attempt.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

from launcher.journal import LauncherState, SidecarState
from launcher.outcome import AttemptEnd, InterruptedRunError
from shared import settings
from shared.log import log
from shared.record import TRANSITIONS

# The path becomes an argument of programs that pass it through a shell, and pdsh expands a %.
SAFE_PATH = re.compile(r"(/[A-Za-z0-9._@+=:,-]+)+")


class CheckpointPreparation:
    """The preparation of the checkpoint for one attempt."""

    def __init__(
        self, configured: settings.Settings, journal: LauncherState, external: SidecarState, spent: float
    ) -> None:
        """`spent`: seconds of earlier attempts, for lifecycle.activeDeadlineSeconds."""
        self.configured, self.journal, self.external = configured, journal, external
        self.spent, self.started = spent, time.monotonic()
        self.configuration = ""
        self.begun = False

    def run(self, ask: Callable[[], dict[str, Any]], hosts: list[str]) -> AttemptEnd | None:
        """Ask the first worker. None: the attempt can begin, with `configuration` if that is set.

        `ask` returns the last report, {} if the worker was lost, and raises InterruptedRunError.
        """
        if not self.configured.resize_checkpoint:
            return None
        try:
            end = self.judge(ask())
        except InterruptedRunError as cut:
            end = AttemptEnd(cut.event, self.external.explain(cut.event), None)
        if end:
            self.journal.end_attempt(TRANSITIONS[end.event].reason, {"host": hosts[0].partition(".")[0]})
        return end

    def judge(self, report: dict[str, Any]) -> AttemptEnd | None:
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

    def check(self) -> None:
        """Raises InterruptedRunError."""
        event = self.external.find_event(self.spent + time.monotonic() - self.started)
        if event:
            raise InterruptedRunError(event)

    def hear(self, report: dict[str, Any]) -> None:
        """Record the progress."""
        if "result" not in report and "message" in report:
            self.begun = True
            self.journal.move("resizing", str(report["message"]))
