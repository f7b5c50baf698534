# dsgen/scripts/shared_transitions.py without its comments.

from __future__ import annotations

from typing import Any, NamedTuple

ENDS = ("Succeeded", "Failed", "Stopped")


LOST_POD = (137, 143, 255)
TRAINING = -1


class Row(NamedTuple):


  phase: str
  reason: str
  exit: int | None



TRANSITIONS = {
  "begun": Row("Pending", "LauncherStarting", None),
  "key": Row("Pending", "WaitingForKey", None),
  "turn": Row("Pending", "WaitingForTurn", None),
  "waiting": Row("Pending", "WaitingForWorkers", None),
  "queued": Row("Queued", "WorkersSuspended", None),
  "started": Row("Starting", "RanksStarting", None),
  "running": Row("Running", "", None),
  "restarting": Row("Restarting", "TrainingFailed", None),
  "hung-restarting": Row("Restarting", "Hung", None),
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
  "setup-failed": Row("Failed", "SetupFailed", 1),
  "code-failed": Row("Failed", "CodeFailed", 78),
  "terminated": Row("Pending", "LauncherTerminated", 143),
  "launcher-lost": Row("Pending", "LauncherLost", None),
  "last-launcher-lost": Row("Failed", "LauncherLost", None),
  "suspended": Row("Suspended", "JobSuspended", None),
  "stopped": Row("Stopped", "JobDeleted", None),
}


def exit_code(row, training_code):

  if row.exit != TRAINING:
    return 1 if row.exit is None else row.exit
  if training_code in (None, 0, *LOST_POD) or not 0 < int(training_code or 0) < 256:
    return 1
  return int(training_code or 1)


def exit_code_again(ended):

  for row in TRANSITIONS.values():
    if row.exit is not None and (row.phase, row.reason) == (ended.get("phase"), ended.get("reason")):
      return exit_code(row, ended.get("exitCode"))
  return 0 if ended.get("phase") == "Succeeded" else exit_code(TRANSITIONS["failed"], ended.get("exitCode"))
