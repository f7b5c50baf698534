"""What the record says of a launcher that has gone without an end of the run, or never came."""

from __future__ import annotations

import time
from typing import Any

import exchange
import record
import settings

# Files that say why the launcher was never started, named after the event, and the container in whose volume each lies.
# The first line is the reason, the rest are the last lines of what failed. The launcher's own comes last, because the
# user's code can write it.
LEFT = {"no-key-made": "keygen", "code-failed": "code", "setup-failed": "launcher"}


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


def left() -> dict[str, Any]:
    """launcher.json in the place of a launcher that was never started, from what another container left; else {}."""
    for event, container in LEFT.items():
        words = exchange.words(settings.written_by(container) / event)
        if words is not None:
            row = record.TRANSITIONS[event]
            attempt = {"startTime": None, "endTime": record.stamp(time.time()), "reason": row.reason, "tail": words[1:]}
            said = {"phase": row.phase, "reason": row.reason, "message": " ".join(words[:1])}
            return {**said, "attempts": [attempt]}
    return {}


def after_loss(launcher: dict[str, Any], job: dict[str, Any] | None) -> dict[str, Any]:
    """launcher.json as it stands for the record once the launcher has gone without an end of the run."""
    row = record.TRANSITIONS[loss(launcher, job)]
    attempts = launcher.get("attempts", [])
    if not (launcher.get("terminated") and attempts):  # with SIGTERM the launcher has closed its attempt itself
        attempts = record.close(attempts, row.reason, record.stamp(time.time()))
    return dict(launcher, phase=row.phase, reason=row.reason, message="", attempts=attempts)
