"""worker/resize.py as a child of the first worker without ssh, which the launcher orders."""

from __future__ import annotations

import json
import os
import signal
from typing import Any

from shared import exchange, methods, processes, settings
from shared.log import log

FILE = settings.RUN / "resize"


class Resizing:
    """The preparation of the checkpoint for an attempt."""

    def __init__(self, run: settings.Settings) -> None:
        self.host = methods.format_worker_name(run)
        self.attempt, self.pid = 0, -1
        self.token, self.report = "", {}  # type: str, dict[str, Any]

    def obey(self, order: dict[str, Any]) -> None:
        """Start it if the launcher orders it for a later attempt."""
        asked = order.get("resize") or {}
        attempt = int(asked.get("attempt", 0))
        if asked.get("host") != self.host or attempt <= self.attempt:
            return
        if self.pid > 0:  # the launcher had lost this worker for a while
            processes.send([self.pid, *processes.list_descendants(self.pid)], signal.SIGKILL)
        self.attempt, self.token, self.report = attempt, os.urandom(16).hex(), {}
        exchange.replace(FILE, b"")
        argv = ["python3", "-ESs", str(settings.SCRIPTS / "worker/resize.py"), self.token, str(int(asked["ranks"]))]
        log(f"attempt {attempt}: looking at the checkpoint")
        with FILE.open("ab") as file:
            self.pid = processes.spawn(argv, output=file.fileno())

    def note_ended(self, ended: dict[int, int]) -> None:
        """These processes have ended; without a report, the preparation has failed."""
        if self.pid not in ended:
            return
        if "result" not in self.read_report():
            code = ended[self.pid]
            self.report = {"result": "failed", "message": f"worker/resize.py ended with exit code {code}"}
        self.pid = -1

    def read_report(self) -> dict[str, Any]:
        """The last report, with the attempt; {} if there is nothing to do."""
        if not self.attempt:
            return {}
        if "result" not in self.report:
            mark = f"{self.token} dsgen-resize "
            text = (exchange.read_content(FILE) or b"").decode("utf-8", "replace")
            reports = [line[len(mark) :] for line in text.splitlines() if line.startswith(mark)]
            self.report = dict(json.loads(reports[-1])) if reports else {}
        return {"attempt": self.attempt, **self.report}
