"""The transitions of a run: event -> phase and reason in the record, and exit code of the launcher."""

from __future__ import annotations

from typing import Any, NamedTuple

ENDS = ("Succeeded", "Failed", "Stopped")
# Exit codes of a container that is no result: SIGKILL, SIGTERM, and what a kubelet says of the pods of a node that was
# started again. The podFailurePolicy of both Jobs has the same.
LOST_POD = (137, 143, 255)
TRAINING = -1  # in the table: the launcher exits with the training's own code


class Row(NamedTuple):
    """The effect of an event. `exit` None: the launcher continues."""

    phase: str
    reason: str
    exit: int | None


# The one table of transitions: event -> phase, reason, exit code of the launcher.
TRANSITIONS: dict[str, Row] = {
    "begun": Row("Pending", "LauncherStarting", None),
    "key": Row("Pending", "WaitingForKey", None),
    "turn": Row("Pending", "WaitingForTurn", None),
    "waiting": Row("Pending", "WaitingForWorkers", None),
    "queued": Row("Queued", "WorkersSuspended", None),
    "resizing": Row("Starting", "Resizing", None),
    "resize-refused": Row("Failed", "ResizeRefused", 1),
    "resize-failed": Row("Failed", "ResizeFailed", 1),
    "started": Row("Starting", "RanksStarting", None),
    "running": Row("Running", "", None),
    "restarting": Row("Restarting", "TrainingFailed", None),
    "hung-restarting": Row("Restarting", "Hung", None),
    "growing": Row("Restarting", "Growing", None),
    "workers-lost": Row("Pending", "WorkersLost", None),
    "succeeded": Row("Succeeded", "", 0),
    "failed": Row("Failed", "TrainingFailed", TRAINING),
    "hung": Row("Failed", "Hung", 1),
    "world-size": Row("Failed", "WorldSize", 1),
    "never-met": Row("Failed", "RanksNeverMet", 1),
    "lost-too-often": Row("Failed", "WorkersLost", 1),
    "workers-failed": Row("Failed", "WorkersFailed", 1),
    "unreachable": Row("Failed", "WorkersUnreachable", 69),
    "deadline": Row("Failed", "DeadlineExceeded", 1),
    "lease-lost": Row("Failed", "LeaseLost", 1),
    "no-record": Row("Failed", "RecordUnavailable", 1),
    "bad-key": Row("Failed", "BadKey", 78),
    "no-tool": Row("Failed", "ToolMissing", 78),
    "bug": Row("Failed", "InternalError", 1),
    "preflight": Row("Starting", "Preflight", None),
    "preflight-failed": Row("Failed", "Preflight", 1),
    "debug": Row("Running", "Debug", None),
    "debug-ended": Row("Succeeded", "Debug", 0),
    "debug-failed": Row("Failed", "Debug", TRAINING),
    "no-key-made": Row("Failed", "KeygenFailed", 78),
    # Written by the sidecar, when the launcher has ended without an end of the run, or was never started.
    "setup-failed": Row("Failed", "SetupFailed", 1),
    "code-failed": Row("Failed", "CodeFailed", 78),
    "terminated": Row("Pending", "LauncherTerminated", 143),
    "launcher-lost": Row("Pending", "LauncherLost", None),
    "last-launcher-lost": Row("Failed", "LauncherLost", None),
    "suspended": Row("Suspended", "JobSuspended", None),
    "stopped": Row("Stopped", "JobDeleted", None),
}


def exit_code(row: Row, training_code: int | None) -> int:
    """The exit code of a pod for an end. Those in LOST_POD would be a lost pod, so a training that ends so gives 1."""
    if row.exit != TRAINING:
        return 1 if row.exit is None else row.exit
    if training_code in (None, 0, *LOST_POD) or not 0 < int(training_code or 0) < 256:
        return 1
    return int(training_code or 1)


def exit_code_again(ended: dict[str, Any]) -> int:
    """The exit code of a launcher that is started after the end: the one that its predecessor had."""
    for row in TRANSITIONS.values():
        if row.exit is not None and (row.phase, row.reason) == (ended.get("phase"), ended.get("reason")):
            return exit_code(row, ended.get("exitCode"))
    return 0 if ended.get("phase") == "Succeeded" else exit_code(TRANSITIONS["failed"], ended.get("exitCode"))
