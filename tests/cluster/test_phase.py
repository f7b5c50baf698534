"""The table of phases, row by row."""

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest

from dsgen.cluster.models import Condition, JobState, PodState, RunState, format_time
from dsgen.cluster.phase import (
    DEAD_SECONDS,
    ENDS,
    LIMIT_BYTES,
    PHASES,
    RECORD_VERSION,
    find_status,
    list_notes,
)
from dsgen.cluster.reasons import PHASES_OF, RECORDED

NOW = 1_800_000_000.0
FRESH, OLD = NOW - 30, NOW - 200
TRANSITIONS = Path(__file__).parent.parent.parent / "dsgen" / "scripts" / "shared/record.py"


def job(role: str, **other: Any) -> JobState:
    values: dict[str, Any] = dict.fromkeys((field.name for field in dataclasses.fields(JobState)), "")
    values |= {"name": f"cifar-1-{role}", "namespace": "training", "role": role, "job": "cifar", "run": "1"}
    values |= {"created": NOW - 600, "suspended": False, "parallelism": 2}
    values |= {"requests": {}, "conditions": {}, "marks": {}, "managers": ()}
    return JobState(**{**values, **other})


def pod(role: str, phase: str = "Running", **other: Any) -> PodState:
    values: dict[str, Any] = dict.fromkeys((field.name for field in dataclasses.fields(PodState)), "")
    values |= {"name": f"cifar-1-{role}-x", "role": role, "run": "1", "index": 0, "phase": phase, "deleting": False}
    values |= {"created": NOW - 500, "ended": None, "conditions": {}, "containers": (), "requests": {}}
    return PodState(**{**values, **other})


def state(phase: str = "", heard: float | None = FRESH, **other: Any) -> RunState:
    """A run with both Jobs and a live launcher, changed by `other`."""
    made = RunState("cifar", "training", "1", NOW)
    made.launcher, made.worker = job("launcher"), job("worker")
    made.pods = [pod("launcher")]
    if phase:
        made.record = {"version": 1, "phase": phase, "reason": "", "attempts": []}
        made.lease = {"run": "1", "time": format_time(heard)} if heard else {}
    return dataclasses.replace(made, **other)


def ended(role: str, condition: str, reason: str, **other: Any) -> JobState:
    return job(role, conditions={condition: Condition("True", reason, "said the Job", NOW - 5)}, **other)


def suspended(role: str, **other: Any) -> JobState:
    return job(role, suspended=True, conditions={"Suspended": Condition("True", "", "", NOW - 50)}, **other)


NO_JOBS = {"launcher": None, "worker": None, "pods": []}
ROWS = {
    "a record of a later version": (state(record={"version": 2, "phase": "Running"}), "Unknown", "RecordVersion"),
    "an end, all there": (state("Succeeded"), "Succeeded", ""),
    "an end, its Jobs gone": (state("Failed", **NO_JOBS), "Failed", ""),
    "an end, its lease old": (state("Stopped", heard=OLD), "Stopped", ""),
    "an end, the launcher Job failed": (
        state("Succeeded", launcher=ended("launcher", "Failed", "PodFailurePolicy")), "Succeeded", ""),
    "running": (state("Running"), "Running", ""),
    "running, the lease old": (state("Running", heard=OLD), "Unknown", "LauncherSilent"),
    "running, the lease old, its Jobs gone": (state("Running", heard=OLD, **NO_JOBS), "Unknown", "LauncherSilent"),
    "running, no lease and no launcher pod": (state("Running", heard=None, pods=[]), "Unknown", "LauncherSilent"),
    "running, the launcher pod gone": (state("Running", pods=[]), "Pending", "LauncherLost"),
    "running, the launcher pod ended": (state("Running", pods=[pod("launcher", "Failed")]), "Pending", "LauncherLost"),
    "running, its Jobs gone": (state("Running", **NO_JOBS), "Unknown", "JobsGone"),
    "waiting, the lease old": (state("Pending", heard=OLD), "Pending", ""),
    "no record, its Jobs gone": (state(**NO_JOBS), "Unknown", "JobsGone"),
    "no record, the launcher Job failed": (
        state(launcher=ended("launcher", "Failed", "BackoffLimitExceeded")), "Failed", "BackoffLimitExceeded"),
    "no record, the launcher Job is complete": (
        state(launcher=ended("launcher", "Complete", "CompletionsReached")), "Unknown", "CompletionsReached"),
    "no record, the launcher pod is there": (state(), "Pending", "LauncherNotStarted"),
    "no record, no launcher pod": (state(pods=[]), "Pending", "LauncherNotStarted"),
    "both Jobs suspended": (
        state(launcher=suspended("launcher"), worker=suspended("worker")), "Suspended", "JobSuspended"),
    "running, just suspended": (state("Running", launcher=suspended("launcher")), "Suspended", "JobSuspended"),
    "the worker Job in a queue": (state(worker=suspended("worker", queue="gpus")), "Queued", "WorkersSuspended"),
    "running, just preempted": (
        state("Running", worker=suspended("worker", queue="gpus")), "Queued", "WorkersSuspended"),
    "queued, just admitted": (state("Queued"), "Pending", "WaitingForWorkers"),
    "suspended, just resumed": (state("Suspended"), "Pending", "WaitingForWorkers"),
    "another run has the turn": (state(lease={"run": "0", "time": format_time(FRESH)}), "Pending", "WaitingForTurn"),
    "another run is dead": (state(lease={"run": "0", "time": format_time(OLD)}), "Pending", "LauncherNotStarted"),
    "restarting": (state("Restarting"), "Restarting", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_the_phase_is_the_truth(name: str) -> None:
    seen, phase, reason = ROWS[name]

    assert (phase, reason) == find_status(seen)[:2]


def test_every_status_is_tested() -> None:
    written = set(re.findall(r'RunStatus\("\w+", "(\w+)"', Path(find_status.__code__.co_filename).read_text()))

    assert len(written) > 5
    assert written <= {reason for _, _, reason in ROWS.values()}


@pytest.mark.parametrize(("by", "words"), [("kueue", "in the queue gpus"), ("", "in the queue gpus")])
def test_a_queued_run_names_its_queue(by: str, words: str) -> None:
    seen = state(worker=suspended("worker", queue="gpus", suspended_by=by))

    assert words in find_status(seen).message


def test_who_suspended_a_run_is_named() -> None:
    assert "by kubectl-patch" in find_status(state(worker=suspended("worker", suspended_by="kubectl-patch"))).message
    shown = find_status(state(launcher=suspended("launcher", suspended_by="kubectl-patch")))
    assert "by kubectl-patch" in shown.message


def test_a_silent_run_says_when_it_was_last_heard_of() -> None:
    shown = find_status(state("Running", heard=OLD))

    assert f"last heard from at {format_time(OLD)}, when it was Running" == shown.message
    assert OLD == shown.since


def test_a_changed_run_is_noted() -> None:
    changed = state("Running", settings={"workers": 4, "spares": 1})

    assert ["the run was changed after it began"] == [note.partition(":")[0] for note in list_notes(changed)]
    assert [] == list(list_notes(state("Running", settings={"workers": 1, "spares": 1})))


def test_attempts_that_are_not_listed_any_more_are_noted() -> None:
    record = {"version": 1, "phase": "Running", "attempts": [{}], "totals": {"attempts": 40}}

    assert [
        "the record is at its limit of 16 KiB: 39 older attempts are counted in its totals, but not listed"
    ] == list(list_notes(state(record=record)))


def test_what_may_not_be_read_is_noted() -> None:
    assert ["not visible to you: nodes, claims"] == list(list_notes(state(hidden=["nodes", "claims"])))


# ---- the words of the record ----


def test_the_words_are_those_of_the_record() -> None:
    text = TRANSITIONS.read_text()
    rows = re.findall(r'Row\("(\w+)", "(\w*)"', text)
    ends = re.search(r"ENDS = \((.*)\)", text)
    recorded: dict[str, set[str]] = {}
    for phase, reason in rows:
        if reason:
            recorded.setdefault(reason, set()).add(phase)

    assert len(rows) > 20
    assert recorded == {reason: {*PHASES_OF.get(reason, ("Failed",))} for reason in RECORDED}
    assert {phase for phase, _ in rows} == set(PHASES) - {"Unknown"}
    assert ends
    assert list(ENDS) == re.findall(r'"(\w+)"', ends[1])
    record = TRANSITIONS.with_name("record.py").read_text()
    assert f"VERSION = {RECORD_VERSION}\n" in record
    assert "LIMIT_BYTES = 16 * 1024\n" in record
    assert LIMIT_BYTES == 16 * 1024


def test_a_lease_dies_as_for_the_launchers() -> None:
    assert f"DEAD_SECONDS = {DEAD_SECONDS}\n" in (TRANSITIONS.parents[1] / "status" / "lease.py").read_text()
