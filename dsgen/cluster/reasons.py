"""Explains the reasons in records and in the output of `dsgen why`. docs/running.md also contains the first table."""

from __future__ import annotations

import re
from typing import NamedTuple

from dsgen.cluster.cause_rules import RULES


class Reason(NamedTuple):
    """The phases in which the record has a reason, and what it says."""

    phases: tuple[str, ...]
    text: str


RECORDED = {
    "LauncherStarting": Reason(
        ("Pending",), "the launcher container is starting or runs `training.setup`; see its log"
    ),
    "RanksStarting": Reason(("Starting",), "the training has been started; not all ranks have reported yet"),
    "WaitingForKey": Reason(("Pending",), "the Secret does not contain the ssh key yet"),
    "WaitingForTurn": Reason(
        ("Pending",), "an earlier run of the job has not ended yet; two runs never train at the same time"
    ),
    "WaitingForWorkers": Reason(("Pending",), "not all workers answer yet; `dsgen why` shows the cause"),
    "WorkersSuspended": Reason(
        ("Queued",), "a queue or a user has suspended the worker Job; this time does not count towards any timeout"
    ),
    "CodeFailed": Reason(
        ("Failed",),
        "`code.git` could not be cloned; the message has the cause, such as a wrong key or a missing commit",
    ),
    "Preflight": Reason(
        ("Starting", "Failed"),
        "the workers test the network in pairs (`launch.preflight.network`). Failed: the message names workers that "
        "cannot exchange data, and there are not enough spares to replace them",
    ),
    "Resizing": Reason(
        ("Starting",),
        "the first worker converts the newest checkpoint, which another number of ranks has saved "
        "(`training.deepspeed.resize`); the message says how much it has written",
    ),
    "ResizeRefused": Reason(
        ("Failed",),
        "the newest checkpoint would not be continued as it was saved, so nothing was started; the message has the "
        "cause. Train with the earlier number of workers, or see [changing-workers.md](changing-workers.md)",
    ),
    "ResizeFailed": Reason(
        ("Failed",),
        "the conversion of the newest checkpoint failed; the message has its last line. The checkpoint is unchanged",
    ),
    "Debug": Reason(
        ("Running", "Succeeded", "Failed"),
        "`lifecycle.debug` is enabled: all pods run, but no training is started. After the end: the result of the "
        "debug command",
    ),
    "TrainingFailed": Reason(
        ("Restarting", "Failed"),
        "the training program ended with a nonzero exit code; `tail` of the attempt has the last lines of its output",
    ),
    "Hung": Reason(
        (
            "Restarting",
            "Failed",
        ),
        "the training printed nothing, or reached no new step, for `lifecycle.hangTimeoutSeconds`; the message names "
        "the rank that the others seem to wait for, and the log has the stacks of all ranks",
    ),
    "WorkersLost": Reason(
        ("Pending", "Failed"),
        "a worker pod was lost, for example evicted or on a lost node; the launcher waits for its replacement, with "
        "`workers.min` for at most `lifecycle.resizeAfterSeconds`. Failed: more pods were lost than "
        "`lifecycle.workerReplacements` allows",
    ),
    "Growing": Reason(
        ("Restarting",),
        "an attempt of fewer workers (`workers.min`) has ended after a checkpoint, because all workers answer again",
    ),
    "WorkersFailed": Reason(
        ("Failed",), "the worker Job failed; see the logs of its pods and `kubectl describe job cifar-1-worker`"
    ),
    "WorkersUnreachable": Reason(("Failed",), "some workers did not answer in time; the message names them"),
    "RanksNeverMet": Reason(
        ("Failed",),
        "the training program ended with 0, but its ranks never connected to each other, so each trained alone. Check "
        "that it calls `deepspeed.init_distributed()` and does not change the variables that dsgen sets. For a program "
        "that needs no process group, set `launch.expectWorld: false`",
    ),
    "WorldSize": Reason(
        ("Failed",),
        "the process group has fewer ranks than the values ask for; check that the program calls "
        "`deepspeed.init_distributed()`",
    ),
    "DeadlineExceeded": Reason(("Failed",), "the run took longer than `lifecycle.activeDeadlineSeconds`"),
    "LauncherTerminated": Reason(("Pending",), "the launcher pod was stopped or its node drained; a new pod continues"),
    "LauncherLost": Reason(
        ("Pending", "Failed"),
        "the launcher pod was lost; a new pod continues. Failed: the Job does not allow another pod",
    ),
    "JobSuspended": Reason(("Suspended",), "`lifecycle.suspend` is true, or a user has suspended the launcher Job"),
    "JobDeleted": Reason(("Stopped",), "the launcher Job was deleted, by a user or because the run was pruned"),
    "KeygenFailed": Reason(("Failed",), "the ssh key could not be generated; the message has the cause"),
    "BadKey": Reason(("Failed",), "the Secret does not contain a valid key; the message has the details"),
    "SetupFailed": Reason(
        ("Failed",), "`training.setup` failed in the launcher; the message has the last lines of its output"
    ),
    "ToolMissing": Reason(("Failed",), "the image lacks a required program; see [image.md](image.md)"),
    "LeaseLost": Reason(("Failed",), "another run took over the lease of the job while the API could not be reached"),
    "RecordUnavailable": Reason(
        ("Failed",),
        "the sidecar cannot read or write the record; check that the ServiceAccount, Role and ConfigMap exist",
    ),
    "InternalError": Reason(("Failed",), "an error in dsgen; please report it with the log of the launcher"),
}
"""The reasons of scripts/shared/transitions.py, in the order of a run; a test compares both."""


PLACEHOLDERS = "Words in capitals are placeholders for names and numbers."


def list_reasons() -> list[str]:
    """All reasons."""
    return list(dict.fromkeys([*RECORDED, *(rule.reason for rule in RULES)]))


def explain_reason(reason: str) -> list[str]:
    """The explanation of a known reason, as lines."""
    lines = [reason, ""]
    if recorded := RECORDED.get(reason):
        lines += [f"In the record, with the phase {' or '.join(recorded.phases)}: {recorded.text}"]
    rules = [rule for rule in RULES if rule.reason == reason]
    lines += [f"From dsgen why: {in_capitals(rule.message)}" for rule in rules]
    keys = dict.fromkeys(key for rule in rules for key in rule.keys)
    if keys:
        lines += [f"In the values file: {', '.join(keys)}"]
    return [*lines, *([PLACEHOLDERS] if any("{" in rule.message for rule in rules) else [])]


def in_capitals(sentence: str) -> str:
    """A sentence of the table, with its placeholders in capitals."""
    words = {"about": "OBJECT", "text": "MESSAGE"}
    return re.sub(r"\{(\w+)\}", lambda match: words.get(match[1], match[1].upper()), sentence).rstrip(":. ")
