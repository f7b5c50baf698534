"""The reasons that a record and `dsgen why` can give, explained. docs/running.md has the first table too."""

from __future__ import annotations

import re
from typing import NamedTuple

from dsgen.cluster.known import TABLE


class Reason(NamedTuple):
    """The phases in which the record has a reason, and what it says."""

    phases: tuple[str, ...]
    text: str


RECORDED = {
    "LauncherStarting": Reason(
        ("Pending",), "the launcher's container is about to start, or runs `training.setup`: its log says more"
    ),
    "RanksStarting": Reason(("Starting",), "the training was started, and not all ranks have said so yet"),
    "WaitingForKey": Reason(("Pending",), "the Secret has no key yet"),
    "WaitingForTurn": Reason(
        ("Pending",), "an earlier run of the job is still ending; two runs never train at the same time"
    ),
    "WaitingForWorkers": Reason(("Pending",), "not all workers answer yet: `kubectl get pods` says why"),
    "WorkersSuspended": Reason(
        ("Queued",), "the worker Job is suspended, by you or by a queue; the clock stands still"
    ),
    "CodeFailed": Reason(
        ("Failed",),
        "`code.git` could not be cloned; the message says why, such as a wrong key or a commit that is not there",
    ),
    "Preflight": Reason(
        (
            "Starting",
            "Failed",
        ),
        "workers are exchanging data in pairs (`launch.preflight.network`). Failed: workers get no data "
        "through, which the message names, and there are not enough spares",
    ),
    "Debug": Reason(
        (
            "Running",
            "Succeeded",
            "Failed",
        ),
        "`lifecycle.debug`: everything is up, no training is started; then the end of the debug command",
    ),
    "TrainingFailed": Reason(
        (
            "Restarting",
            "Failed",
        ),
        "your program ended with another code than 0: the `tail` of the attempt has its last lines",
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
        (
            "Pending",
            "Failed",
        ),
        "a worker went away (eviction, a lost node); the launcher waits for its replacement. Failed: it "
        "happened more than `lifecycle.workerReplacements` times",
    ),
    "WorkersFailed": Reason(
        ("Failed",), "the worker Job failed: the log of its pods, and `kubectl describe job cifar-1-worker`"
    ),
    "WorkersUnreachable": Reason(("Failed",), "not all workers answered in time; the message names them"),
    "RanksNeverMet": Reason(
        ("Failed",),
        "your program ended with 0, but its ranks were never seen connected with each other: each has trained alone. "
        "Does it call `deepspeed.init_distributed()`, and with the variables that it was given? A program that needs "
        "no world says so with `launch.expectWorld: false`",
    ),
    "WorldSize": Reason(
        ("Failed",),
        "fewer ranks joined than were asked for, or each saw a world of its own: does the program call "
        "`deepspeed.init_distributed()`?",
    ),
    "DeadlineExceeded": Reason(("Failed",), "`lifecycle.activeDeadlineSeconds`"),
    "LauncherTerminated": Reason(("Pending",), "the launcher pod was drained or stopped; the next one goes on"),
    "LauncherLost": Reason(
        (
            "Pending",
            "Failed",
        ),
        "the launcher pod was lost; the next one goes on. Failed: it was the last that the Job allows",
    ),
    "JobSuspended": Reason(("Suspended",), "`lifecycle.suspend`"),
    "JobDeleted": Reason(("Stopped",), "somebody deleted the launcher Job, or pruned the run"),
    "KeygenFailed": Reason(("Failed",), "the key could not be made; the message says why"),
    "BadKey": Reason(("Failed",), "the key is not one; the message says why"),
    "SetupFailed": Reason(("Failed",), "`training.setup` failed in the launcher; the message has its last lines"),
    "ToolMissing": Reason(("Failed",), "the image lacks a program that is needed: [image.md](image.md)"),
    "LeaseLost": Reason(("Failed",), "another run took the job's turn while the API was away"),
    "RecordUnavailable": Reason(
        ("Failed",), "the sidecar cannot read or write the record: are ServiceAccount, Role and ConfigMap there?"
    ),
    "InternalError": Reason(("Failed",), "a mistake in dsgen: please report it with the log of the launcher"),
}
"""Every reason of scripts/shared_transitions.py, in the order of a run's life; a test holds both equal."""


def known() -> list[str]:
    """All reasons."""
    return list(dict.fromkeys([*RECORDED, *(row.reason for row in TABLE)]))


def explained(reason: str) -> list[str]:
    """What a known reason means, in lines."""
    lines = [reason, ""]
    if found := RECORDED.get(reason):
        lines += [f"In the record, {' or '.join(found.phases)}: {found.text}"]
    rows = [row for row in TABLE if row.reason == reason]
    lines += [f"From dsgen why: {in_capitals(row.sentence)}" for row in rows]
    keys = dict.fromkeys(key for row in rows for key in row.keys)
    return [*lines, *([f"In the values file: {', '.join(keys)}"] if keys else [])]


def in_capitals(sentence: str) -> str:
    """A sentence of the table with capitals in the places of names and figures."""
    words = {"about": "OBJECT", "text": "MESSAGE"}
    return re.sub(r"\{(\w+)\}", lambda found: words.get(found[1], found[1].upper()), sentence).rstrip(":. ")
