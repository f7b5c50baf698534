"""The record of a run: its transitions, form and greatest size. Pure functions; times in seconds since 1970.

The value of the run's key in ConfigMap `<name>-status`, one line of JSON:
    {"version": 1, "phase": "Failed", "reason": "TrainingFailed", "message": "...", "exitCode": 3,
     "startTime": "2026-01-01T00:00:00Z", "endTime": "2026-01-01T00:10:00Z", "worldSize": 2,
     "workers": {"replicas": 2, "slots": 1, "failed": 0}, "attempts": [ATTEMPT, ...], "totals": TOTALS}
exitCode is the training's own (128 + n for a signal). Absent facts are null. Of a run without ssh there is also
"launcher": "10.0.0.7:40001/NONCE", where its workers connect to, and "start": "record" where not all of them can do
that, so that each starts by itself. Of a run that says how far it is, there is
    "progress": {"step": 120, "total": 1000, "loss": 2.3, "time": "...", "eta": "...", "checkpoint": "...",
                 "secondsPerStep": 1.5, "memory": 65712345088}
of which each only where it is known: `time` is that of the step, `eta` the expected one of the last step, `checkpoint`
when the last one was written, `secondsPerStep` the average of this attempt after its first step, `memory` the most
bytes that any rank has said.
After launch.preflight.network there is "network": {"median": 812, "lowest": 640}, in MiB/s: of the workers that were
checked, and of the slowest one that trains.
ATTEMPT, one start of the training, or one lost launcher pod:
    {"startTime": "...", "endTime": "...", "reason": "TrainingFailed", "exitCode": 3, "host": "...", "rank": 1,
     "tail": ["...", ...], "counted": true, "workers": 3}
exitCode and what follows only where it is known: host, rank and tail (its last lines) are those of the rank that failed
first, or host alone that of a worker that was lost; `counted`: the loss of workers raised the worker Job's count of
failures; `workers`: how many trained, if these were not all.
TOTALS, over all attempts, also those that were cut to save room:
    {"attempts": 2, "failures": 0, "replacements": 1, "seconds": 610}
"""

from __future__ import annotations

import json
import time
from typing import Any, NamedTuple

from shared import settings
from shared.log import redact, redact_everywhere

VERSION = 1
LIMIT_BYTES = 16 * 1024
FAILURES = ("TrainingFailed", "Hung")  # reasons of attempts that lifecycle.maxRestarts counts
FIELDS = ("phase", "reason", "message", "exitCode", "worldSize", "launcher", "start", "progress", "network")
ENDS = ("Succeeded", "Failed", "Stopped")
# Exit codes of a container that is no result: SIGKILL, SIGTERM, and what a kubelet says of the pods of a node that was
# started again. The podFailurePolicy of both Jobs has the same.
LOST_POD = (137, 143, 255)
TRAINING = -1  # in the table: the launcher exits with the training's own code


class EventRow(NamedTuple):
    """The effect of an event. `exit` None: the launcher continues."""

    phase: str
    reason: str
    exit: int | None


# The one table of transitions: event -> phase, reason, exit code of the launcher.
TRANSITIONS: dict[str, EventRow] = {
    "begun": EventRow("Pending", "LauncherStarting", None),
    "key": EventRow("Pending", "WaitingForKey", None),
    "turn": EventRow("Pending", "WaitingForTurn", None),
    "waiting": EventRow("Pending", "WaitingForWorkers", None),
    "queued": EventRow("Queued", "WorkersSuspended", None),
    "resizing": EventRow("Starting", "Resizing", None),
    "resize-refused": EventRow("Failed", "ResizeRefused", 1),
    "resize-failed": EventRow("Failed", "ResizeFailed", 1),
    "started": EventRow("Starting", "RanksStarting", None),
    "running": EventRow("Running", "", None),
    "restarting": EventRow("Restarting", "TrainingFailed", None),
    "hung-restarting": EventRow("Restarting", "Hung", None),
    "growing": EventRow("Restarting", "Growing", None),
    "workers-lost": EventRow("Pending", "WorkersLost", None),
    "succeeded": EventRow("Succeeded", "", 0),
    "failed": EventRow("Failed", "TrainingFailed", TRAINING),
    "hung": EventRow("Failed", "Hung", 1),
    "world-size": EventRow("Failed", "WorldSize", 1),
    "never-met": EventRow("Failed", "RanksNeverMet", 1),
    "lost-too-often": EventRow("Failed", "WorkersLost", 1),
    "workers-failed": EventRow("Failed", "WorkersFailed", 1),
    "unreachable": EventRow("Failed", "WorkersUnreachable", 69),
    "deadline": EventRow("Failed", "DeadlineExceeded", 1),
    "lease-lost": EventRow("Failed", "LeaseLost", 1),
    "no-record": EventRow("Failed", "RecordUnavailable", 1),
    "bad-key": EventRow("Failed", "BadKey", 78),
    "no-tool": EventRow("Failed", "ToolMissing", 78),
    "changed": EventRow("Failed", "RuntimeChanged", 78),
    "bug": EventRow("Failed", "InternalError", 1),
    "preflight": EventRow("Starting", "Preflight", None),
    "preflight-failed": EventRow("Failed", "Preflight", 1),
    "debug": EventRow("Running", "Debug", None),
    "debug-ended": EventRow("Succeeded", "Debug", 0),
    "debug-failed": EventRow("Failed", "Debug", TRAINING),
    "no-key-made": EventRow("Failed", "KeygenFailed", 78),
    # Written by the sidecar, when the launcher has ended without an end of the run, or was never started.
    "setup-failed": EventRow("Failed", "SetupFailed", 1),
    "code-failed": EventRow("Failed", "CodeFailed", 78),
    "terminated": EventRow("Pending", "LauncherTerminated", 143),
    "launcher-lost": EventRow("Pending", "LauncherLost", None),
    "last-launcher-lost": EventRow("Failed", "LauncherLost", None),
    "suspended": EventRow("Suspended", "JobSuspended", None),
    "stopped": EventRow("Stopped", "JobDeleted", None),
}


def choose_exit_code(row: EventRow, training_code: int | None) -> int:
    """The exit code of a pod for an end. Those in LOST_POD would be a lost pod, so a training that ends so gives 1."""
    if row.exit != TRAINING:
        return 1 if row.exit is None else row.exit
    code = training_code or 0
    return code if 0 < code < 256 and code not in LOST_POD else 1


def repeat_exit_code(ended: dict[str, Any]) -> int:
    """The exit code of a launcher that is started after the end: the one that its predecessor had."""
    for row in TRANSITIONS.values():
        if row.exit is not None and (row.phase, row.reason) == (ended.get("phase"), ended.get("reason")):
            return choose_exit_code(row, ended.get("exitCode"))
    return 0 if ended.get("phase") == "Succeeded" else choose_exit_code(TRANSITIONS["failed"], ended.get("exitCode"))


def format_time(seconds: float) -> str:
    """RFC 3339 in UTC, whole seconds."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def parse_time(text: str | None) -> float | None:
    """The reverse of format_time; None for an invalid text."""
    import calendar  # as time.strptime does, which a worker does not need for its start

    try:
        return float(calendar.timegm(time.strptime(text or "", "%Y-%m-%dT%H:%M:%SZ")))
    except ValueError:
        return None


def parse(text: str | None) -> dict[str, Any]:
    """Parse a record; {} if the text is missing or invalid."""
    try:
        content = json.loads(text or "", parse_constant=int)  # which refuses NaN and infinities
    except (ValueError, RecursionError):  # RecursionError: nested too deeply
        return {}
    return content if isinstance(content, dict) else {}


def read_mounted(run: str) -> dict[str, Any]:
    """The run's record from the mounted ConfigMap; {} before there is one."""
    try:
        return parse((settings.STATUS / run).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def read_mounted_end(run: str) -> str:
    """The phase in the mounted record if the run has ended; else ""."""
    phase = read_mounted(run).get("phase")
    return phase if phase in ENDS else ""


def close(attempts: list[dict[str, Any]], reason: str, end: str) -> list[dict[str, Any]]:
    """Attempts of a lost launcher pod: the open one is closed; without an open one, the lost pod is added."""
    if attempts and not attempts[-1].get("endTime"):
        start = attempts[-1].get("startTime") or ""
        return [*attempts[:-1], dict(attempts[-1], endTime=max(start, end), reason=reason)]
    if attempts and attempts[-1].get("reason") == reason:
        return attempts
    return [*attempts, {"startTime": None, "endTime": end, "reason": reason}]


def take_over(recorded: dict[str, Any], end: str) -> dict[str, Any]:
    """The record of an earlier launcher pod, prepared for the next pod.

    `end`: when that pod was last known to be alive. After an orderly end (see TRANSITIONS), attempts are closed.
    """
    orderly = {TRANSITIONS[event].reason for event in ("terminated", "launcher-lost", "suspended")}
    if not recorded or recorded.get("reason") in orderly:
        return recorded
    attempts = recorded.get("attempts", [])
    closed = close(attempts, TRANSITIONS["launcher-lost"].reason, end)
    before = dict(recorded.get("totals") or {})
    changed = closed[-1:] if closed != attempts else []
    if len(closed) == len(attempts):
        before["attempts"] = before.get("attempts", 0) - len(changed)
    return dict(recorded, attempts=closed, totals=compute_totals(changed, before))


def compute_totals(attempts: list[dict[str, Any]], before: dict[str, Any] | None = None) -> dict[str, Any]:
    """Sums over attempts, added to earlier sums."""
    base = before or {}
    times = [(parse_time(a.get("startTime")), parse_time(a.get("endTime"))) for a in attempts]
    spent = sum(end - start for start, end in times if start and end)
    return {
        "attempts": base.get("attempts", 0) + len(attempts),
        "failures": base.get("failures", 0) + sum(a.get("reason") in FAILURES for a in attempts),
        "replacements": base.get("replacements", 0) + sum(bool(a.get("counted")) for a in attempts),
        "seconds": int(base.get("seconds", 0) + spent),
    }


def compose(
    earlier: dict[str, Any], launcher: dict[str, Any], workers: dict[str, Any], start: float, end: float
) -> dict[str, Any]:
    """The run's record: the record of earlier pods, updated with launcher.json of this pod.

    `earlier`: the record that was found, its attempts closed, or {}; `launcher`: launcher.json or {};
    `workers`: {"replicas", "slots", "failed"}; `start` and `end`: the run's, used where they are due and not known yet.
    """
    row = TRANSITIONS["begun"]
    said = {"phase": row.phase, "reason": row.reason, "message": "", "exitCode": None, "worldSize": None}
    said.update({field: launcher[field] for field in FIELDS if field in launcher})
    attempts = launcher.get("attempts", [])
    return {
        "version": VERSION,
        **said,
        "startTime": earlier.get("startTime") or format_time(start),
        "endTime": format_time(end) if said["phase"] in ENDS else None,
        "workers": workers,
        "attempts": earlier.get("attempts", []) + attempts,
        "totals": compute_totals(attempts, earlier.get("totals")),
    }


def format_line(record: dict[str, Any], limit: int = LIMIT_BYTES) -> str:
    """One line of JSON of at most `limit` bytes: old tails are removed first, then old attempts, then the message."""
    record = redact_everywhere(record)
    room = limit - _count_bytes(dict(record, attempts=[]))
    whole = dict(record, attempts=_fit_attempts(record.get("attempts", []), room))
    excess = _count_bytes(whole) - limit
    if excess > 0:
        whole["message"] = str(whole.get("message", ""))[: -excess - 3] + "..."
    return _format_json(whole)


def _fit_attempts(attempts: list[dict[str, Any]], room: int) -> list[dict[str, Any]]:
    """The attempts that fit into so many bytes, at least the last one."""
    kept = list(attempts)
    excess = sum(map(_count_bytes, kept)) + len(kept) - 1 - room  # with commas
    for position, attempt in enumerate(attempts):
        if excess > 0:
            kept[position] = {key: value for key, value in attempt.items() if key != "tail"}
            excess -= _count_bytes(attempt) - _count_bytes(kept[position])
    while excess > 0 and len(kept) > 1:
        excess -= _count_bytes(kept.pop(0)) + 1
    return kept


def list_dropped_runs(data: dict[str, str], run: str, history: int) -> list[str]:
    """Keys of the oldest ended runs beyond `history` runs; not the present run, and not runs that have not ended."""
    runs = {key: parse(text) for key, text in data.items() if not key.startswith("_") and key != run}
    ended = sorted((r.get("endTime") or "", key) for key, r in runs.items() if r.get("phase") in ENDS)
    surplus = len(runs) + 1 - max(history, 1)
    return [key for _, key in ended[: max(surplus, 0)]]


def describe(record: dict[str, Any]) -> str:
    """The record in one sentence, for the termination message."""
    words = [str(record.get("phase", ""))]
    words += [str(record[key]) for key in ("reason", "message") if record.get(key)]
    return redact(": ".join(words))


def _format_json(content: dict[str, Any]) -> str:
    # Not escaped to ASCII, which would need six bytes per character for text in other scripts.
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def _count_bytes(content: dict[str, Any]) -> int:
    return len(_format_json(content).encode("utf-8", "replace"))
