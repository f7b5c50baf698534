"""Lists what happened to a run, in order, from its record, Jobs, pods, queue and events. Pure functions.

The API server deletes events after an hour; the record, conditions and times of containers are kept longer.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from dsgen.cluster.facts import Facts, Job, Pod, seconds, stamp
from dsgen.cluster.parse import conditions
from dsgen.cluster.views import table
from dsgen.cluster.words import ENDS


class Happening(NamedTuple):
    """Something that happened: the time, the object, the reason and the message."""

    time: float
    about: str
    reason: str
    message: str
    times: int = 1


def happenings(facts: Facts) -> list[Happening]:
    """All happenings, oldest first. A state of an object is left out if there is an event for it."""
    events = [
        Happening(one.last, f"{one.kind.lower()}/{one.name}", one.reason, one.message, one.count)
        for one in facts.events
    ]
    said = {(one.about, one.reason) for one in events}
    states = (one for part in (_jobs, _workloads, _pods, _record) for one in part(facts))
    shown = [*(one for one in states if (one.about, one.reason) not in said), *events]
    return sorted(shown, key=lambda one: one.time)


def _record(facts: Facts) -> Iterator[Happening]:
    about, record = f"run/{facts.run}", facts.record
    attempts = record.get("attempts", [])
    first = record.get("totals", {}).get("attempts", len(attempts)) - len(attempts) + 1
    for number, attempt in enumerate(attempts, first):
        if (began := seconds(attempt.get("startTime"))) is not None:
            yield Happening(began, about, "AttemptStarted", f"attempt {number}")
        if (ended := seconds(attempt.get("endTime"))) is not None:
            code = attempt.get("exitCode")
            result = str(attempt.get("reason") or "ended") + ("" if code is None else f", exit code {code}")
            yield Happening(ended, about, "AttemptEnded", f"attempt {number}: {result}")
    end = seconds(record.get("endTime"))
    if end is not None and record.get("phase") in ENDS:
        said = (str(record.get(key) or "") for key in ("reason", "message"))
        yield Happening(end, about, record["phase"], ": ".join(word for word in said if word))


def _jobs(facts: Facts) -> Iterator[Happening]:
    for job in (facts.launcher, facts.worker):
        if job:
            about = f"job/{job.name}"
            yield Happening(job.created, about, "Created", f"for {job.parallelism} pod{'s' * (job.parallelism != 1)}")
            yield from _conditions(about, job)


def _conditions(about: str, job: Job) -> Iterator[Happening]:
    for name, condition in job.conditions.items():
        word = {"Suspended": "Resumed"}.get(name) if condition.status == "False" else name
        if word and condition.since is not None:
            yield Happening(condition.since, about, word, condition.message)


def _workloads(facts: Facts) -> Iterator[Happening]:
    for workload in facts.workloads or []:
        about = f"workload/{workload['metadata']['name']}"
        for name, condition in conditions(workload.get("status", {}).get("conditions")).items():
            if condition.since is not None:
                word = name if condition.status == "True" else f"Not{name}"
                yield Happening(condition.since, about, word, condition.message)


def _pods(facts: Facts) -> Iterator[Happening]:
    for pod in facts.pods:
        about = f"pod/{pod.name}"
        yield Happening(pod.created, about, "Created", "")
        if pod.scheduled is not None:
            yield Happening(pod.scheduled, about, "Scheduled", f"to {pod.node}")
        yield from _containers(about, pod)


def _containers(about: str, pod: Pod) -> Iterator[Happening]:
    for one in pod.containers:
        if one.started is not None and one.kind == "main":
            yield Happening(one.started, about, "Started", f"container {one.name}")
        if one.finished is not None:
            said = f"container {one.name}: {one.reason}, exit code {one.exit_code}"
            yield Happening(one.finished, about, "Ended", said + (f": {one.message}" if one.message else ""))


def as_table(entries: list[Happening]) -> str:
    """The list as a table."""
    rows = [
        (stamp(one.time) or "", one.about, one.reason, f"{one.message}{f' (x{one.times})' if one.times > 1 else ''}")
        for one in entries
    ]
    return table(("TIME", "OBJECT", "REASON", "MESSAGE"), rows)


def as_data(facts: Facts, entries: list[Happening]) -> dict[str, Any]:
    """The list as data for programs."""
    events = [
        {"time": stamp(one.time), "object": one.about, "reason": one.reason, "message": one.message, "count": one.times}
        for one in entries
    ]
    return {"version": 1, "job": facts.job, "namespace": facts.namespace, "run": facts.run, "events": events}
