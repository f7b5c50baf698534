"""training.deepspeed.resize: before an attempt, the first worker converts a checkpoint of another number of ranks.

worker/resize.py decides and converts. Here it is asked, its progress is recorded, and its result becomes the beginning
or the end of the attempt.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable
from typing import Any

from launcher import outcome
from launcher.journal import External, Journal
from launcher.outcome import AttemptEnd
from launcher.workers import Workers
from shared import settings
from shared.log import log
from shared.output import Output
from shared.record import TRANSITIONS

# The path becomes an argument of programs that pass it through a shell, and pdsh expands a %.
SAFE_PATH = re.compile(r"(/[A-Za-z0-9._@+=:,-]+)+")
REPORT = r"^[A-Za-z0-9.-]+: {} dsgen-resize (\{{.*\}})\n"  # a whole line: the label of pdsh, the token
LOST = 255  # ssh's exit code for a lost connection


class CutError(Exception):
    """An event ends the run meanwhile."""

    def __init__(self, event: str) -> None:
        super().__init__(event)
        self.event = event


class Conversion:
    """The preparation of the checkpoint for one attempt."""

    def __init__(self, configured: settings.Settings, journal: Journal, external: External, spent: float) -> None:
        """`spent`: seconds of earlier attempts, for lifecycle.activeDeadlineSeconds."""
        self.configured, self.journal, self.external = configured, journal, external
        self.spent, self.started = spent, time.monotonic()
        self.configuration = ""
        self.begun = False

    def run(self, ask: Callable[[], dict[str, Any]], hosts: list[str]) -> AttemptEnd | None:
        """Ask the first worker. None: the attempt can begin, with `configuration` if that is set.

        `ask` returns the last report, {} if the worker was lost, and raises CutError.
        """
        if not self.configured.resize_checkpoint:
            return None
        try:
            end = self.judge(ask())
        except CutError as cut:
            limit = self.configured.active_deadline_seconds
            deadline = cut.event == "deadline"
            words = outcome.explain_deadline(limit) if deadline else self.external.explain(cut.event)
            end = AttemptEnd(cut.event, words, None)
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
        """Raises CutError."""
        seconds, limit = self.spent + time.monotonic() - self.started, self.configured.active_deadline_seconds
        event = self.external.find_event() or ("deadline" if 0 < limit < seconds else "")
        if event:
            raise CutError(event)

    def hear(self, report: dict[str, Any]) -> None:
        """Record the progress."""
        if "result" not in report and "message" in report:
            self.begun = True
            self.journal.move("resizing", str(report["message"]))


def resize_over_ssh(workers: Workers, host: str, ranks: int, conversion: Conversion) -> dict[str, Any]:
    """The last report of worker/resize.py on this worker; {} if the worker was lost."""
    token, heard = os.urandom(16).hex(), Output([host], pdsh=True)
    reports: list[dict[str, Any]] = []
    line = re.compile(REPORT.format(token), re.MULTILINE)

    def wait() -> None:
        workers.reap()
        workers.keep_contact()  # the others have no session
        conversion.check()

    def hear(said: bytes) -> None:
        for text in line.findall(said.decode(errors="replace"))[len(reports) :]:
            reports.append(json.loads(text))
            conversion.hear(reports[-1])

    command = f'python3 -ESs "$DSGEN_ROOT/etc/dsgen/worker/resize.py" {token} {ranks}'
    said = workers.listen([host], command, float("inf"), wait, hear=hear)
    hear(said)
    if reports and "result" in reports[-1]:
        return reports[-1]
    for text in said.splitlines(keepends=True):
        heard.parse_line(text)
    code = heard.ssh_ended.get(host, LOST)
    return {} if code == LOST else {"result": "failed", "message": f"worker/resize.py ended with exit code {code}"}
