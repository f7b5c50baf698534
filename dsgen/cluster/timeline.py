"""Lists what happened to a run, in order, from its record, Jobs, pods, queue and events. Pure functions.

The API server deletes events after an hour; the record, conditions and times of containers are kept longer.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from dsgen.cluster.format_text import format_table
from dsgen.cluster.models import JobState, PodState, RunState, format_time, parse_conditions, parse_time
from dsgen.cluster.phase import ENDS


class TimelineEntry(NamedTuple):
    """Something that happened: the time, the object, the reason and the message."""

    time: float
    about: str
    reason: str
    message: str
    times: int = 1


def list_entries(state: RunState) -> list[TimelineEntry]:
    """All happenings, oldest first. A state of an object is left out if there is an event for it."""
    events = [
        TimelineEntry(one.last, f"{one.kind.lower()}/{one.name}", one.reason, one.message, one.count)
        for one in state.events
    ]
    said = {(one.about, one.reason) for one in events}
    states = (one for part in (_jobs, _workloads, _pods, _record) for one in part(state))
    shown = [*(one for one in states if (one.about, one.reason) not in said), *events]
    return sorted(shown, key=lambda one: one.time)


def _record(state: RunState) -> Iterator[TimelineEntry]:
    about, record = f"run/{state.run}", state.record
    attempts = record.get("attempts", [])
    first = record.get("totals", {}).get("attempts", len(attempts)) - len(attempts) + 1
    for number, attempt in enumerate(attempts, first):
        if (began := parse_time(attempt.get("startTime"))) is not None:
            fewer = f" with {attempt['workers']} workers" if "workers" in attempt else ""
            yield TimelineEntry(began, about, "AttemptStarted", f"attempt {number}{fewer}")
        if (ended := parse_time(attempt.get("endTime"))) is not None:
            code = attempt.get("exitCode")
            result = str(attempt.get("reason") or "ended") + ("" if code is None else f", exit code {code}")
            yield TimelineEntry(ended, about, "AttemptEnded", f"attempt {number}: {result}")
    end = parse_time(record.get("endTime"))
    if end is not None and record.get("phase") in ENDS:
        said = (str(record.get(key) or "") for key in ("reason", "message"))
        yield TimelineEntry(end, about, record["phase"], ": ".join(word for word in said if word))


def _jobs(state: RunState) -> Iterator[TimelineEntry]:
    for job in (state.launcher, state.worker):
        if job:
            about = f"job/{job.name}"
            yield TimelineEntry(
                job.created, about, "Created", f"for {job.parallelism} pod{'s' * (job.parallelism != 1)}"
            )
            yield from _conditions(about, job)


def _conditions(about: str, job: JobState) -> Iterator[TimelineEntry]:
    for name, condition in job.conditions.items():
        word = {"Suspended": "Resumed"}.get(name) if condition.status == "False" else name
        if word and condition.since is not None:
            yield TimelineEntry(condition.since, about, word, condition.message)


def _workloads(state: RunState) -> Iterator[TimelineEntry]:
    for workload in state.workloads or []:
        about = f"workload/{workload['metadata']['name']}"
        for name, condition in parse_conditions(workload.get("status", {}).get("conditions")).items():
            if condition.since is not None:
                word = name if condition.status == "True" else f"Not{name}"
                yield TimelineEntry(condition.since, about, word, condition.message)


def _pods(state: RunState) -> Iterator[TimelineEntry]:
    for pod in state.pods:
        about = f"pod/{pod.name}"
        yield TimelineEntry(pod.created, about, "Created", "")
        if pod.scheduled is not None:
            yield TimelineEntry(pod.scheduled, about, "Scheduled", f"to {pod.node}")
        yield from _containers(about, pod)


def _containers(about: str, pod: PodState) -> Iterator[TimelineEntry]:
    for one in pod.containers:
        if one.started is not None and one.kind == "main":
            yield TimelineEntry(one.started, about, "Started", f"container {one.name}")
        if one.finished is not None:
            said = f"container {one.name}: {one.reason}, exit code {one.exit_code}"
            yield TimelineEntry(one.finished, about, "Ended", said + (f": {one.message}" if one.message else ""))


def format_timeline(entries: list[TimelineEntry]) -> str:
    """The list as a table."""
    rows = [
        (
            format_time(one.time) or "",
            one.about,
            one.reason,
            f"{one.message}{f' (x{one.times})' if one.times > 1 else ''}",
        )
        for one in entries
    ]
    return format_table(("TIME", "OBJECT", "REASON", "MESSAGE"), rows)


def report_timeline(state: RunState, entries: list[TimelineEntry]) -> dict[str, Any]:
    """The list as data for programs."""
    events = [
        {
            "time": format_time(one.time),
            "object": one.about,
            "reason": one.reason,
            "message": one.message,
            "count": one.times,
        }
        for one in entries
    ]
    return {"version": 1, "job": state.job, "namespace": state.namespace, "run": state.run, "events": events}
