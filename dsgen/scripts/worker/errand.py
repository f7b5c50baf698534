"""Programs of dsgen that the launcher orders, as children of the worker.

Each reports in lines on standard error that begin with its token: `TOKEN dsgen-NAME {...}`.
"""

from __future__ import annotations

import json
import os
import pwd
import signal
from collections.abc import Callable
from typing import Any

from shared import exchange, methods, processes, settings
from shared.log import log


class Errand:
    """The last run of worker/NAME.py.

    `last_key`: what only its last report has; `explain_end`: the last report of one that has ended without, from its
    exit code; `key`: how launcher and worker call this run, with each report; `user`: runs it, instead of root.
    """

    def __init__(self, name: str, last_key: str, explain_end: Callable[[int], dict[str, Any]]) -> None:
        self.name, self.last_key, self.explain_end = name, last_key, explain_end
        self.user: pwd.struct_passwd | None = None
        self.file = settings.RUN / f"{name}-reports"
        self.pid, self.token = -1, ""
        self.key: dict[str, Any] = {}
        self.report: dict[str, Any] = {}

    def begin(self, key: dict[str, Any], token: str, *words: str) -> None:
        """Start it with these arguments, instead of one that still runs: the launcher had lost this worker."""
        if self.pid > 0:
            processes.send([self.pid, *processes.list_descendants(self.pid)], signal.SIGKILL)
        self.key, self.token, self.report = key, token, {}
        exchange.replace(self.file, b"")
        argv = [*settings.make_program(f"worker/{self.name}.py"), *words]
        with self.file.open("ab") as file:
            self.pid = processes.spawn(argv, output=file.fileno(), user=self.user)

    def note_ended(self, ended: dict[int, int]) -> None:
        """These processes have ended."""
        if self.pid in ended:
            if self.last_key not in self.read_report():
                self.report = self.explain_end(ended[self.pid])
            self.pid = -1

    def read_report(self) -> dict[str, Any]:
        """The newest report, with the key; {} if there is none."""
        if self.token and self.last_key not in self.report:
            mark = f"{self.token} dsgen-{self.name} "
            text = (exchange.read_content(self.file) or b"").decode("utf-8", "replace")
            reports = [line[len(mark) :] for line in text.splitlines() if line.startswith(mark)]
            self.report = dict(json.loads(reports[-1])) if reports else {}
        return {**self.key, **self.report} if self.report else {}


class Errands:
    """The check of the network, and the preparation of the checkpoint. `prepare`: called before a check."""

    def __init__(self, run: settings.Settings, prepare: Callable[[], None] = lambda: None) -> None:
        self.run, self.prepare = run, prepare
        self.preflight = Errand("preflight", "index", lambda _: {"index": read_index(), "problem": "it has ended"})
        failed = "worker/resize.py ended with exit code"
        self.resize = Errand("resize", "result", lambda code: {"result": "failed", "message": f"{failed} {code}"})

    def obey(self, order: dict[str, Any]) -> None:
        """Begin what the order asks for and is not begun."""
        check = [str(word) for word in order.get("check", [])]
        if check and self.preflight.token != check[3]:
            self.prepare()
            self.preflight.begin({"token": check[3]}, check[3], *check)
        self.obey_resize(**(order.get("resize") or {}))

    def obey_resize(self, attempt: int = 0, ranks: int = 0, host: str = "") -> None:
        """Prepare the checkpoint for a later attempt, if this worker is to do so."""
        if host == methods.format_worker_name(self.run) and attempt > self.resize.key.get("attempt", 0):
            log(f"attempt {attempt}: looking at the checkpoint")
            token = os.urandom(16).hex()
            self.resize.begin({"attempt": attempt}, token, token, str(ranks))

    def note_ended(self, ended: dict[int, int]) -> None:
        """These processes have ended."""
        self.preflight.note_ended(ended)
        self.resize.note_ended(ended)

    def read_reports(self) -> dict[str, Any]:
        """The reports, as parts of what the worker says of itself."""
        found = {"checked": self.preflight.read_report(), "resize": self.resize.read_report()}
        return {key: report for key, report in found.items() if report}


def read_index() -> int:
    """The number of this worker: its line in the hostfile."""
    return int(os.environ.get("JOB_COMPLETION_INDEX", "0"))
