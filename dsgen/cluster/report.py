"""Reports about a run as data, whose forms have a version: its status, its causes, and what happened. Pure functions.

In addition to dsgen's own fields, the report of `dsgen status -o json` has fields for scripts that were written for
operators: `conditions` and `phase`, and `tasks` and `aggregate`, as in a DeepSpeedJob of T9k.
schemas/status.schema.json is its schema.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, TypedDict

from dsgen.cluster.diagnosis import Cause
from dsgen.cluster.models import (
    PodState,
    RunState,
    count_accelerators,
    format_time,
    parse_conditions,
    parse_time,
)
from dsgen.cluster.phase import ACTIVE, DEAD_SECONDS, ENDS, RunStatus, list_notes, name_manager

SHAPE = 1
SCHEMA = "schemas/status.schema.json"
WELL = (None, "", "Succeeded", "Debug", "Growing")
"""Reasons of attempts that have not failed."""
NETWORK = ("median", "lowest")
COUNTED = ("creating", "pending", "running", "succeeded", "failed", "deleted", "unknown")
FAILURE = ("startTime", "reason", "exitCode", "host", "rank", "tail")


class RunReport(TypedDict):
    """The keys with which every report about a run begins."""

    version: int
    job: str
    namespace: str
    run: str
    phase: str
    reason: str


class Report(RunReport):
    """The state of one run, as data; schemas/status.schema.json describes each key."""

    message: str
    since: str | None
    startTime: str | None
    endTime: str | None
    exitCode: int | None
    worldSize: int | None
    progress: dict[str, Any] | None
    network: dict[str, Any] | None
    managedBy: str
    workers: dict[str, int]
    accelerators: dict[str, int]
    acceleratorHours: float
    acceleratorHoursWaiting: float
    attempts: list[dict[str, Any]]
    totals: dict[str, Any]
    firstFailure: dict[str, Any] | None
    lease: dict[str, Any] | None
    claims: list[dict[str, Any]] | None
    conditions: list[dict[str, Any]]
    tasks: list[dict[str, Any]]
    aggregate: dict[str, int]
    notes: list[str]


class CausesReport(RunReport):
    """The causes of a run, root causes first, as data. Keys as in `Report`."""

    notes: list[str]
    causes: list[dict[str, Any]]


def _make_head(state: RunState, shown: RunStatus) -> RunReport:
    return {
        "version": SHAPE,
        "job": state.job,
        "namespace": state.namespace,
        "run": state.run,
        "phase": shown.phase,
        "reason": shown.reason,
    }


def report_causes(state: RunState, shown: RunStatus, causes: Iterable[Cause]) -> CausesReport:
    """The causes of a run, as data for programs."""
    return {
        **_make_head(state, shown),
        "notes": list(list_notes(state)),
        "causes": [{**cause._asdict(), "keys": [*cause.keys], "link": cause.link} for cause in causes],
    }


def make_report(state: RunState, shown: RunStatus) -> Report:
    record, measured = state.record, state.record.get("network") or {}
    began, (held, waited) = _find_beginning(state), count_hours(state)
    counts = Counter(_choose_count(pod) for pod in state.pods)
    failed = [attempt for attempt in record.get("attempts", []) if attempt.get("tail") or "host" in attempt]
    return {
        **_make_head(state, shown),
        "message": shown.message,
        "since": format_time(shown.since),
        "startTime": format_time(began),
        "endTime": record.get("endTime"),
        "exitCode": record.get("exitCode"),
        "worldSize": record.get("worldSize"),
        "progress": record.get("progress"),
        # More is added from the values of the job.
        "network": {key: measured[key] for key in NETWORK} if measured.keys() >= {*NETWORK} else None,
        "managedBy": name_manager(state.launcher or state.worker),
        "workers": {
            "wanted": state.wanted,
            "running": sum(pod.up for pod in state.workers),
            "ready": sum(pod.ready and not pod.gone for pod in state.workers),
        },
        "accelerators": {name: count * state.wanted for name, count in _count_devices(state).items()},
        "acceleratorHours": held,
        "acceleratorHoursWaiting": waited,
        "attempts": record.get("attempts", []),
        "totals": record.get("totals", {"attempts": 0, "failures": 0, "replacements": 0, "seconds": 0}),
        "firstFailure": {key: failed[-1].get(key) for key in FAILURE} if failed else None,
        "lease": _report_lease(state),
        "claims": _report_claims(state),
        "conditions": _report_conditions(state, shown),
        "tasks": [_report_task(state, role) for role in ("launcher", "worker")],
        "aggregate": {word: counts[word] for word in COUNTED},
        "notes": list(list_notes(state)),
    }


def measure_duration(state: RunState) -> float | None:
    """Seconds from the start of the run to its end, or until now."""
    began = _find_beginning(state)
    return None if began is None else max((parse_time(state.record.get("endTime")) or state.now) - began, 0)


def count_hours(state: RunState) -> tuple[float, float]:
    """Accelerator hours of the run, and how many of them passed while no attempt was running.

    A pod holds its devices from the time at which it is scheduled. If the pods are deleted, only attempts count.
    """
    attempts = [(start, parse_time(one.get("endTime")) or state.now) for one, start in _list_starts(state)]
    held = waited = 0.0
    for pod in state.pods:
        devices = sum(count_accelerators(pod.requests).values())
        if pod.role == "worker" and pod.scheduled and devices:
            end = max(pod.ended or state.now, pod.scheduled)
            trained = sum(max(min(end, last) - max(pod.scheduled, first), 0) for first, last in attempts)
            held += devices * (end - pod.scheduled)
            waited += devices * max(end - pod.scheduled - trained, 0)
    each = sum(_count_devices(state).values())
    missing = (
        (state.wanted - one["workers"]) * ((parse_time(one.get("endTime")) or start) - start)
        for one, start in _list_starts(state)
        if "workers" in one
    )
    recorded: float = (state.record.get("totals", {}).get("seconds", 0) * state.wanted - sum(missing)) * each
    return round((waited + max(held - waited, recorded)) / 3600, 2), round(waited / 3600, 2)


def _list_starts(state: RunState) -> Iterator[tuple[Any, float]]:
    for attempt in state.record.get("attempts", []):
        if (start := parse_time(attempt.get("startTime"))) is not None:
            yield attempt, start


def _count_devices(state: RunState) -> dict[str, int]:
    """The accelerators of one worker."""
    requests = state.worker.requests if state.worker else next((pod.requests for pod in state.workers), {})
    return count_accelerators(requests)


def _find_beginning(state: RunState) -> float | None:
    job = state.launcher or state.worker
    return parse_time(state.record.get("startTime")) or (job.created if job else None)


def _report_lease(state: RunState) -> dict[str, Any] | None:
    if not state.lease:
        return None
    renewed = parse_time(state.lease.get("time"))
    alive = renewed is not None and state.now - renewed <= DEAD_SECONDS
    return {"holder": state.lease.get("run"), "renewed": state.lease.get("time"), "alive": alive}


def _report_claims(state: RunState) -> list[dict[str, Any]] | None:
    if state.claims is None:
        return None
    return [
        {"name": claim["metadata"]["name"], "phase": claim.get("status", {}).get("phase", "Unknown")}
        for claim in state.claims
    ]


def _report_conditions(state: RunState, shown: RunStatus) -> list[dict[str, Any]]:
    """The state of the run as conditions, each with the time of its last change, if known."""
    ended = parse_time(state.record.get("endTime"))
    attempts = [parse_time(a.get("startTime")) for a in state.record.get("attempts", [])]
    trained = [moment for moment in attempts if moment]
    created = state.launcher.created if state.launcher else None
    failures = [a for a in state.record.get("attempts", []) if a.get("reason") not in WELL]
    lost = parse_time(failures[-1].get("endTime")) if failures else None
    rows = (
        ("Initialized", bool(state.pods or state.record), created),
        ("Running", shown.phase in ACTIVE, ended if ended else trained[-1] if trained else shown.since),
        ("ReplicaFailure", bool(failures) or any(pod.phase == "Failed" for pod in state.workers), lost or ended),
        ("Completed", shown.phase == "Succeeded", ended),
        ("Failed", shown.phase == "Failed", ended or shown.since),
    )
    return [
        {
            "type": name,
            "status": "Unknown" if shown.phase == "Unknown" and name == "Running" else str(holds),
            "reason": shown.reason if holds else "",
            "message": shown.message if holds else "",
            "lastTransitionTime": format_time(moment or created),
        }
        for name, holds, moment in rows
    ]


def _report_task(state: RunState, role: str) -> dict[str, Any]:
    pods = state.list_pods(role)
    lost = sum(pod.role == role for pod in state.pods) - len(pods)
    return {"type": role, "restartCount": lost, "status": [report_pod(pod) for pod in pods]}


def report_pod(pod: PodState) -> dict[str, Any]:
    """The report of a pod: name, uid, phase and the states of its containers."""
    why = next((c for c in pod.containers if c.reason not in ("", "Completed", "PodInitializing")), None)
    condition = pod.conditions.get("PodScheduled")
    unscheduled = condition.reason if condition and condition.status == "False" else ""
    return {
        "name": pod.name,
        "uid": pod.uid,
        "phase": pod.phase or "Unknown",
        "index": pod.index,
        "node": pod.node,
        "ready": pod.ready,
        "deleting": pod.deleting,
        "restarts": pod.restarts,
        "reason": pod.reason or (why.reason if why else unscheduled),
        "containers": [
            {
                "name": container.name,
                "state": container.state or "unknown",
                "reason": container.reason,
                "exitCode": container.exit_code,
                "restarts": container.restarts,
            }
            for container in pod.containers
        ],
    }


def _choose_count(pod: PodState) -> str:
    if pod.deleting:
        return "deleted"
    if pod.phase == "Pending":
        return "creating" if pod.node else "pending"
    word = pod.phase.lower()
    return word if word in COUNTED else "unknown"


# -- what happened --------------------------------------------------------------------------------------------------


class TimelineEntry(NamedTuple):
    """Something that happened: the time, the object, the reason and the message."""

    time: float
    about: str
    reason: str
    message: str
    times: int = 1


def report_timeline(state: RunState, entries: list[TimelineEntry]) -> dict[str, Any]:
    """The list as data for programs."""
    keys = ("time", "object", "reason", "message", "count")
    events = [dict(zip(keys, (format_time(entry.time), *entry[1:]), strict=True)) for entry in entries]
    return {"version": 1, "job": state.job, "namespace": state.namespace, "run": state.run, "events": events}


def list_entries(state: RunState) -> list[TimelineEntry]:
    """All happenings, oldest first. A state of an object is left out if there is an event for it.

    The API server deletes events after an hour; the record, conditions and times of containers are kept longer.
    """
    events = [
        TimelineEntry(event.last, f"{event.kind.lower()}/{event.name}", event.reason, event.message, event.count)
        for event in state.events
    ]
    said = {(one.about, one.reason) for one in events}
    states = (
        one
        for part in (_list_job_entries, _list_workload_entries, _list_pod_entries, _list_attempts)
        for one in part(state)
    )
    shown = [*(one for one in states if (one.about, one.reason) not in said), *events]
    return sorted(shown, key=lambda one: one.time)


def _list_attempts(state: RunState) -> Iterator[TimelineEntry]:
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


def _list_job_entries(state: RunState) -> Iterator[TimelineEntry]:
    for job in (state.launcher, state.worker):
        if job:
            about = f"job/{job.name}"
            yield TimelineEntry(
                job.created, about, "Created", f"for {job.parallelism} pod{'s' * (job.parallelism != 1)}"
            )
            for name, condition in job.conditions.items():
                word = {"Suspended": "Resumed"}.get(name) if condition.status == "False" else name
                if word and condition.since is not None:
                    yield TimelineEntry(condition.since, about, word, condition.message)


def _list_workload_entries(state: RunState) -> Iterator[TimelineEntry]:
    for workload in state.workloads or []:
        about = f"workload/{workload['metadata']['name']}"
        for name, condition in parse_conditions(workload.get("status", {}).get("conditions")).items():
            if condition.since is not None:
                word = name if condition.status == "True" else f"Not{name}"
                yield TimelineEntry(condition.since, about, word, condition.message)


def _list_pod_entries(state: RunState) -> Iterator[TimelineEntry]:
    for pod in state.pods:
        about = f"pod/{pod.name}"
        yield TimelineEntry(pod.created, about, "Created", "")
        if pod.scheduled is not None:
            yield TimelineEntry(pod.scheduled, about, "Scheduled", f"to {pod.node}")
        for one in pod.containers:
            if one.started is not None and one.kind == "main":
                yield TimelineEntry(one.started, about, "Started", f"container {one.name}")
            if one.finished is not None:
                said = f"container {one.name}: {one.reason}, exit code {one.exit_code}"
                yield TimelineEntry(one.finished, about, "Ended", said + (f": {one.message}" if one.message else ""))
