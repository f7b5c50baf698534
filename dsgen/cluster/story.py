"""Computes the phase of a run from its facts, with one table: the first row whose condition is true applies.

The launcher pod writes the record, so the record is not up to date before this pod starts and after it is lost. Jobs,
pods and the age of the lease show when the record is outdated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from dsgen.cluster.facts import Facts, Job, seconds, stamp, true
from dsgen.cluster.words import ACTIVE, DEAD_SECONDS, ENDS, LIMIT_BYTES, VERSION, Shown, not_visible

KUEUE_MANAGER = "kueue"


class Row(NamedTuple):
    """A description, a condition on the facts, and the function that returns what is shown."""

    seen: str
    holds: Callable[[Facts], bool]
    shown: Callable[[Facts], Shown]


def state(facts: Facts) -> Shown:
    """The phase of a run, with its reason."""
    return next(row for row in TABLE if row.holds(facts)).shown(facts)


def notes(facts: Facts) -> Iterator[str]:
    """Remarks in addition to the phase."""
    worker = facts.worker
    if worker and facts.settings and worker.parallelism != facts.wanted:
        yield (
            f"the run was changed after it began: {worker.name} now has {worker.parallelism} workers, "
            f"but the run began with {facts.wanted}. Change run.id instead"
        )
    listed, counted = len(facts.record.get("attempts", [])), facts.record.get("totals", {}).get("attempts", 0)
    if counted > listed:
        limit = f"the record is at its limit of {LIMIT_BYTES // 1024} KiB"
        yield f"{limit}: {counted - listed} older attempts are counted in its totals, but not listed"
    yield from not_visible(facts.hidden)


# Conditions


def _phase(facts: Facts) -> str:
    return str(facts.record.get("phase", ""))


def _other_version(facts: Facts) -> bool:
    return bool(facts.record) and facts.record.get("version") != VERSION


def _jobs_are_gone(facts: Facts) -> bool:
    return facts.launcher is None and facts.worker is None


def _no_launcher_lives(facts: Facts) -> bool:
    return facts.launcher_pod is None or facts.launcher_pod.gone


def _is_silent(facts: Facts) -> bool:
    """Whether a launcher that should be alive has not renewed the lease for too long."""
    if _phase(facts) not in ACTIVE:
        return False
    heard = facts.heard
    return _no_launcher_lives(facts) if heard is None else facts.now - heard > DEAD_SECONDS


def _job_failed(facts: Facts) -> bool:
    return bool(facts.launcher and facts.launcher.ended == "Failed")


def _job_complete(facts: Facts) -> bool:
    return bool(facts.launcher and facts.launcher.ended == "Complete")


def _is_suspended(facts: Facts) -> bool:
    return bool(facts.launcher and facts.launcher.suspended)


def _is_queued(facts: Facts) -> bool:
    return bool(facts.worker and facts.worker.suspended)


def _was_just_admitted(facts: Facts) -> bool:
    return _phase(facts) == "Queued" or (_phase(facts) == "Suspended" and facts.launcher is not None)


def _waits_for_turn(facts: Facts) -> bool:
    holder = facts.lease.get("run")
    renewed = seconds(facts.lease.get("time"))
    fresh = renewed is not None and facts.now - renewed <= DEAD_SECONDS
    return not facts.record and bool(facts.launcher_pod) and bool(holder) and holder != facts.run and fresh


def _launcher_was_lost(facts: Facts) -> bool:
    return _phase(facts) in ACTIVE and _no_launcher_lives(facts)


# Results


def _as_recorded(facts: Facts) -> Shown:
    record = facts.record
    ended = seconds(record.get("endTime"))
    attempts = record.get("attempts") or [{}]
    latest = attempts[-1].get("startTime") if record.get("phase") in ACTIVE else attempts[-1].get("endTime")
    since = ended or seconds(latest) or seconds(record.get("startTime"))
    return Shown(_phase(facts), str(record.get("reason") or ""), str(record.get("message") or ""), since)


def _unknown_version(facts: Facts) -> Shown:
    message = f"its record has version {facts.record.get('version')}, but this dsgen reads version {VERSION}"
    return Shown("Unknown", "RecordVersion", message)


def _silent(facts: Facts) -> Shown:
    said = _as_recorded(facts)
    heard = facts.heard
    last = f"last heard from at {stamp(heard)}, " if heard else ""
    gone = ", and both its Jobs are gone" if _jobs_are_gone(facts) else ""
    return Shown("Unknown", "LauncherSilent", f"{last}when it was {said.phase}{gone}", heard or said.since)


def _ended_without_record(facts: Facts) -> Shown:
    assert facts.launcher
    condition = true(facts.launcher.conditions)[facts.launcher.ended]
    phase = "Failed" if facts.launcher.ended == "Failed" else "Unknown"
    message = f"{facts.launcher.name} is {facts.launcher.ended}, but the record contains no end: {condition.message}"
    return Shown(phase, condition.reason or "RecordUnavailable", message, condition.since)


def _gone(facts: Facts) -> Shown:
    said = _as_recorded(facts)
    message = f"both its Jobs are gone; its record says {said.phase or 'nothing'}"
    return Shown("Unknown", "JobsGone", message, said.since)


def _since_suspended(job: Job | None) -> float | None:
    condition = job.conditions.get("Suspended") if job else None
    return condition.since if condition else None


def _suspended(facts: Facts) -> Shown:
    by = facts.launcher.suspended_by if facts.launcher else ""
    message = f"lifecycle.suspend is true, or a user suspended it: by {by}" if by else "lifecycle.suspend is true"
    return Shown("Suspended", "JobSuspended", message, _since_suspended(facts.launcher))


def _queued(facts: Facts) -> Shown:
    worker = facts.worker
    assert worker
    since = _since_suspended(worker)
    if worker.queue:
        return Shown("Queued", "WorkersSuspended", f"in the queue {worker.queue}", since)
    by = f" by {worker.suspended_by}" if worker.suspended_by else ""
    return Shown("Queued", "WorkersSuspended", f"{worker.name} was suspended{by}, and it is in no queue", since)


def _admitted(facts: Facts) -> Shown:
    return Shown("Pending", "WaitingForWorkers", "the workers may start", _since_suspended(facts.worker))


def _waiting(facts: Facts) -> Shown:
    return Shown("Pending", "WaitingForTurn", f"run {facts.lease.get('run')} has not ended yet")


def _lost(facts: Facts) -> Shown:
    return Shown("Pending", "LauncherLost", "the launcher pod is gone, the next one goes on", facts.heard)


def _unstarted(facts: Facts) -> Shown:
    """The launcher pod, which writes the record, has not started."""
    created = facts.launcher.created if facts.launcher else None
    return Shown("Pending", "LauncherNotStarted", "the launcher has not started yet: dsgen why says more", created)


TABLE = (
    Row("a record that this dsgen does not read", _other_version, _unknown_version),
    Row("an end in the record", lambda facts: _phase(facts) in ENDS, _as_recorded),
    Row("a launcher said to be alive, silent for too long", _is_silent, _silent),
    Row("no Job", _jobs_are_gone, _gone),
    Row("the launcher Job failed, no end in the record", _job_failed, _ended_without_record),
    Row("the launcher Job is complete, no end in the record", _job_complete, _ended_without_record),
    Row("the launcher Job is suspended", _is_suspended, _suspended),
    Row("the worker Job is suspended", _is_queued, _queued),
    Row("the record says queued or suspended, the Jobs are not", _was_just_admitted, _admitted),
    Row("no record, another run has the lease", _waits_for_turn, _waiting),
    Row("no record", lambda facts: not facts.record, _unstarted),
    Row("a launcher said to be alive, its pod gone", _launcher_was_lost, _lost),
    Row("a record that goes on", lambda _: True, _as_recorded),
)
