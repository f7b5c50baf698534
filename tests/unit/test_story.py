"""The table of phases, row by row."""

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest

from dsgen.cluster import story, words
from dsgen.cluster.facts import Condition, Facts, Job, Pod, stamp
from dsgen.cluster.reasons import RECORDED

NOW = 1_800_000_000.0
FRESH, OLD = NOW - 30, NOW - 200
TRANSITIONS = Path(__file__).parent.parent.parent / "dsgen" / "scripts" / "shared_transitions.py"


def job(role: str, **other: Any) -> Job:
    values: dict[str, Any] = dict.fromkeys((field.name for field in dataclasses.fields(Job)), "")
    values |= {"name": f"cifar-1-{role}", "namespace": "training", "role": role, "job": "cifar", "run": "1"}
    values |= {"created": NOW - 600, "deleting": False, "suspended": False, "parallelism": 2, "active": 2, "failed": 0}
    values |= {"requests": {}, "conditions": {}, "labels": {}, "annotations": {}, "managers": (), "completions": 2}
    return Job(**{**values, **other})


def pod(role: str, phase: str = "Running", **other: Any) -> Pod:
    values: dict[str, Any] = dict.fromkeys((field.name for field in dataclasses.fields(Pod)), "")
    values |= {"name": f"cifar-1-{role}-x", "role": role, "run": "1", "index": 0, "phase": phase, "deleting": False}
    values |= {"created": NOW - 500, "ended": None, "conditions": {}, "containers": (), "requests": {}}
    return Pod(**{**values, **other})


def facts(phase: str = "", heard: float | None = FRESH, **other: Any) -> Facts:
    """A run with both Jobs and a live launcher, changed by `other`."""
    made = Facts("cifar", "training", "1", NOW)
    made.launcher, made.worker = job("launcher"), job("worker")
    made.pods = [pod("launcher")]
    if phase:
        made.record = {"version": 1, "phase": phase, "reason": "", "attempts": []}
        made.lease = {"run": "1", "time": stamp(heard)} if heard else {}
    return dataclasses.replace(made, **other)


def ended(role: str, condition: str, reason: str, **other: Any) -> Job:
    return job(role, conditions={condition: Condition("True", reason, "said the Job", NOW - 5)}, **other)


def suspended(role: str, **other: Any) -> Job:
    return job(role, suspended=True, conditions={"Suspended": Condition("True", "", "", NOW - 50)}, **other)


NO_JOBS = {"launcher": None, "worker": None, "pods": []}
ROWS = {
    "a record of a later version": (facts(record={"version": 2, "phase": "Running"}), "Unknown", "RecordVersion"),
    "an end, all there": (facts("Succeeded"), "Succeeded", ""),
    "an end, its Jobs gone": (facts("Failed", **NO_JOBS), "Failed", ""),
    "an end, its lease old": (facts("Stopped", heard=OLD), "Stopped", ""),
    "an end, the launcher Job failed": (
        facts("Succeeded", launcher=ended("launcher", "Failed", "PodFailurePolicy")), "Succeeded", ""),
    "running": (facts("Running"), "Running", ""),
    "running, the lease old": (facts("Running", heard=OLD), "Unknown", "LauncherSilent"),
    "running, the lease old, its Jobs gone": (facts("Running", heard=OLD, **NO_JOBS), "Unknown", "LauncherSilent"),
    "running, no lease and no launcher pod": (facts("Running", heard=None, pods=[]), "Unknown", "LauncherSilent"),
    "running, the launcher pod gone": (facts("Running", pods=[]), "Pending", "LauncherLost"),
    "running, the launcher pod ended": (facts("Running", pods=[pod("launcher", "Failed")]), "Pending", "LauncherLost"),
    "running, its Jobs gone": (facts("Running", **NO_JOBS), "Unknown", "JobsGone"),
    "waiting, the lease old": (facts("Pending", heard=OLD), "Pending", ""),
    "no record, its Jobs gone": (facts(**NO_JOBS), "Unknown", "JobsGone"),
    "no record, the launcher Job failed": (
        facts(launcher=ended("launcher", "Failed", "BackoffLimitExceeded")), "Failed", "BackoffLimitExceeded"),
    "no record, the launcher Job is complete": (
        facts(launcher=ended("launcher", "Complete", "CompletionsReached")), "Unknown", "CompletionsReached"),
    "no record, the launcher pod is there": (facts(), "Pending", "LauncherNotStarted"),
    "no record, no launcher pod": (facts(pods=[]), "Pending", "LauncherNotStarted"),
    "both Jobs suspended": (
        facts(launcher=suspended("launcher"), worker=suspended("worker")), "Suspended", "JobSuspended"),
    "running, just suspended": (facts("Running", launcher=suspended("launcher")), "Suspended", "JobSuspended"),
    "the worker Job in a queue": (facts(worker=suspended("worker", queue="gpus")), "Queued", "WorkersSuspended"),
    "running, just preempted": (
        facts("Running", worker=suspended("worker", queue="gpus")), "Queued", "WorkersSuspended"),
    "queued, just admitted": (facts("Queued"), "Pending", "WaitingForWorkers"),
    "suspended, just resumed": (facts("Suspended"), "Pending", "WaitingForWorkers"),
    "another run has the turn": (facts(lease={"run": "0", "time": stamp(FRESH)}), "Pending", "WaitingForTurn"),
    "another run is dead": (facts(lease={"run": "0", "time": stamp(OLD)}), "Pending", "LauncherNotStarted"),
    "restarting": (facts("Restarting"), "Restarting", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_the_phase_is_the_truth(name: str) -> None:
    seen, phase, reason = ROWS[name]

    assert (phase, reason) == story.state(seen)[:2]


def test_every_row_of_the_table_is_tested() -> None:
    first = {next(row.seen for row in story.TABLE if row.holds(seen)) for seen, _, _ in ROWS.values()}

    assert {row.seen for row in story.TABLE} == first


@pytest.mark.parametrize(("by", "words"), [("kueue", "in the queue gpus"), ("", "in the queue gpus")])
def test_a_queued_run_names_its_queue(by: str, words: str) -> None:
    seen = facts(worker=suspended("worker", queue="gpus", suspended_by=by))

    assert words in story.state(seen).message


def test_who_suspended_a_run_is_named() -> None:
    assert "by kubectl-patch" in story.state(facts(worker=suspended("worker", suspended_by="kubectl-patch"))).message
    shown = story.state(facts(launcher=suspended("launcher", suspended_by="kubectl-patch")))
    assert "by kubectl-patch" in shown.message


def test_a_silent_run_says_when_it_was_last_heard_of() -> None:
    shown = story.state(facts("Running", heard=OLD))

    assert f"last heard from at {stamp(OLD)}, when it was Running" == shown.message
    assert OLD == shown.since


def test_a_changed_run_is_noted() -> None:
    changed = facts("Running", settings={"workers": 4, "spares": 1})

    assert ["the run was changed after it began"] == [note.partition(":")[0] for note in story.notes(changed)]
    assert [] == list(story.notes(facts("Running", settings={"workers": 1, "spares": 1})))


def test_attempts_that_are_not_listed_any_more_are_noted() -> None:
    record = {"version": 1, "phase": "Running", "attempts": [{}], "totals": {"attempts": 40}}

    assert [
        "the record is at its limit of 16 KiB: 39 older attempts are counted in its totals, but not listed"
    ] == list(story.notes(facts(record=record)))


def test_what_may_not_be_read_is_noted() -> None:
    assert ["not visible to you: nodes, claims"] == list(story.notes(facts(hidden=["nodes", "claims"])))


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
    assert recorded == {reason: set(explained.phases) for reason, explained in RECORDED.items()}
    assert {phase for phase, _ in rows} == set(words.PHASES) - {"Unknown"}
    assert ends
    assert list(words.ENDS) == re.findall(r'"(\w+)"', ends[1])
    record = TRANSITIONS.with_name("shared_record.py").read_text()
    assert f"VERSION = {words.VERSION}\n" in record
    assert "LIMIT_BYTES = 16 * 1024\n" in record
    assert words.LIMIT_BYTES == 16 * 1024


def test_a_lease_dies_as_for_the_launchers() -> None:
    assert f"DEAD_SECONDS = {words.DEAD_SECONDS}\n" in TRANSITIONS.with_name("status_lease.py").read_text()
