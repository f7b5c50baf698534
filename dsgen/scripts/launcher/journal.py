"""The launcher's side of the files that it shares with the sidecar: writes launcher.json, and reads status.json."""

from __future__ import annotations

import time
from pathlib import Path
from types import FrameType
from typing import Any

from shared import exchange, record, settings
from shared.record import TRANSITIONS

TAILS = 16  # attempts whose last lines are kept; a record has room for fewer, and the sidecar reads up to a limit


class LauncherState:
    """The state of this launcher pod, as written to launcher.json (see shared/exchange.py)."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.sequence = 0
        self.attempts: list[dict[str, Any]] = []
        self.said: dict[str, Any] = {"exitCode": None, "worldSize": None, "terminated": False}
        self.note = ""  # the message of the record if there is no other

    def move(self, event: str, message: str = "", **facts: Any) -> None:
        """Apply an event of TRANSITIONS to the run; `facts` are exitCode and worldSize."""
        row = TRANSITIONS[event]
        said = dict(self.said, phase=row.phase, reason=row.reason, message=message or self.note, **facts)
        if said != self.said:
            self.said = said
            self.write()

    def begin_attempt(self, **facts: int) -> None:
        """Open an attempt; `facts` are workers, if not all train."""
        for old in self.attempts[: 1 - TAILS]:
            old.pop("tail", None)
        self.attempts.append({"startTime": record.format_time(time.time()), **facts})

    def end_attempt(self, reason: str, facts: dict[str, Any]) -> None:
        """Close the open attempt; `facts` are exitCode, host, rank and tail, if known."""
        self.attempts[-1].update({"endTime": record.format_time(time.time()), "reason": reason, **facts})

    def count_loss(self) -> bool:
        """Mark the last attempt: it lost workers, and the worker Job counts that. False if it was marked before."""
        if not self.attempts or self.attempts[-1].get("counted"):
            return False
        self.attempts[-1]["counted"] = True
        self.write()
        return True

    def terminate(self) -> None:
        """Note that SIGTERM has ended the launcher; the sidecar determines the cause."""
        self.said["terminated"] = True
        self.write()

    def write(self) -> None:
        self.sequence += 1
        exchange.write(self.path, {"sequence": self.sequence, **self.said, "attempts": self.attempts})


class SidecarState:
    """External events: SIGTERM, what the sidecar writes to status.json, and lifecycle.activeDeadlineSeconds."""

    def __init__(self, limit: int = 0, own_end: bool = False) -> None:
        self.terminated = False
        self.limit = limit
        self.own_end = own_end  # of the workers: without an announcement, when the training has succeeded

    def note_signal(self, _number: int, _frame: FrameType | None) -> None:
        self.terminated = True

    def read_status(self) -> dict[str, Any]:
        return exchange.read(settings.locate_volume("status") / exchange.STATUS)

    def find_event(self, seconds: float = 0) -> str:
        """The external event that ends the present step of the launcher, or "". `seconds`: those of all attempts.

        A row of TRANSITIONS, or "ended" for a run that had ended before this launcher.
        """
        status = self.read_status()
        known = not status.get("ended") and status.get("known")  # the workers of a run that had ended are complete
        state = (status.get("workers") or {}).get("state", "active") if known else "active"
        events = (
            ("terminated", self.terminated),
            ("ended", status.get("ended")),
            ("changed", status.get("changed")),
            ("lease-lost", status.get("lease") == "lost"),
            ("succeeded", self.own_end and state == "complete"),
            ("workers-failed", state != "active"),
            ("deadline", 0 < self.limit < seconds),
        )
        return next((event for event, holds in events if holds), "")

    def count_failures(self) -> int:
        """The number of failed pods of the worker Job."""
        return int(self.read_worker_job().get("failed", 0))

    def read_worker_job(self) -> dict[str, Any]:
        return dict(self.read_status().get("workers") or {})

    def explain(self, event: str) -> str:
        """The message of an external event."""
        if event == "deadline":
            return f"the training ran longer than lifecycle.activeDeadlineSeconds ({self.limit})"
        if event == "changed":
            return str(self.read_status()["changed"])
        if event == "lease-lost":
            return f"run {self.read_status().get('holder')} of this job has taken over"
        if event != "workers-failed":
            return ""
        return "; ".join([*self.list_problems(), str(self.read_worker_job().get("message", ""))])

    def list_problems(self) -> list[str]:
        """Why the pods of the workers do not run, as lines."""
        return [str(problem) for problem in self.read_worker_job().get("problems", [])]
