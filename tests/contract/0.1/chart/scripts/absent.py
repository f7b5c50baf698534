"""What the record says of a launcher that has gone without an end of the run, or never came."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import record

# Files in /run/dsgen that say why the launcher was never started, named after the event that this is. The first line is
# the reason, the rest are the last lines of what failed.
LEFT = ("code-failed", "setup-failed")


def loss(launcher: dict[str, Any], job: dict[str, Any] | None) -> str:
    """What it means (an event of record.TRANSITIONS) that a launcher has gone without an end of the run.

    `job`: its Job, None when that is gone, too.
    """
    if job is None or job.get("metadata", {}).get("deletionTimestamp"):
        return "stopped"
    if job.get("spec", {}).get("suspend"):
        return "suspended"
    if job.get("status", {}).get("failed", 0) >= job.get("spec", {}).get("backoffLimit", 6):
        return "last-launcher-lost"
    return "terminated" if launcher.get("terminated") else "launcher-lost"


def left(folder: Path) -> dict[str, Any]:
    """launcher.json in the place of a launcher that was never started, from what start.sh or code.sh left; else {}."""
    event = next((event for event in LEFT if (folder / event).exists()), "")
    if not event:
        return {}
    row, words = record.TRANSITIONS[event], (folder / event).read_text(errors="replace").splitlines()
    attempt = {"startTime": None, "endTime": record.stamp(time.time()), "reason": row.reason, "tail": words[1:]}
    said = {"phase": row.phase, "reason": row.reason, "message": " ".join(words[:1])}
    return {**said, "attempts": [attempt]}


def after_loss(launcher: dict[str, Any], job: dict[str, Any] | None) -> dict[str, Any]:
    """launcher.json as it stands for the record once the launcher has gone without an end of the run."""
    row = record.TRANSITIONS[loss(launcher, job)]
    attempts = launcher.get("attempts", [])
    if not (launcher.get("terminated") and attempts):  # with SIGTERM the launcher has closed its attempt itself
        attempts = record.close(attempts, row.reason, record.stamp(time.time()))
    return dict(launcher, phase=row.phase, reason=row.reason, message="", attempts=attempts)
