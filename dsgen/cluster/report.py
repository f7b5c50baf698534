"""The report of `dsgen status -o json`, whose form has a version. Pure functions.

In addition to dsgen's own fields, it has fields for scripts that were written for operators: `conditions` and `phase`,
and `tasks` and `aggregate`, as in a DeepSpeedJob of T9k. schemas/status.schema.json is its schema.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dsgen.cluster import delivery, story
from dsgen.cluster.facts import Facts, Pod, accelerators, seconds, stamp
from dsgen.cluster.words import ACTIVE, DEAD_SECONDS, Shown

SHAPE = 1
SCHEMA = "schemas/status.schema.json"
COUNTED = ("creating", "pending", "running", "succeeded", "failed", "deleted", "unknown")


def report(facts: Facts, shown: Shown) -> dict[str, Any]:
    """The report of one run."""
    record = facts.record
    began, (held, waited) = _began(facts), hours(facts)
    return {
        "version": SHAPE,
        "job": facts.job,
        "namespace": facts.namespace,
        "run": facts.run,
        "phase": shown.phase,
        "reason": shown.reason,
        "message": shown.message,
        "since": stamp(shown.since),
        "startTime": stamp(began),
        "endTime": record.get("endTime"),
        "exitCode": record.get("exitCode"),
        "worldSize": record.get("worldSize"),
        "progress": record.get("progress"),
        "managedBy": delivery.manager(facts.launcher or facts.worker),
        "workers": workers(facts),
        "accelerators": {name: count * facts.wanted for name, count in _devices(facts).items()},
        "acceleratorHours": held,
        "acceleratorHoursWaiting": waited,
        "attempts": record.get("attempts", []),
        "totals": record.get("totals", {"attempts": 0, "failures": 0, "replacements": 0, "seconds": 0}),
        "firstFailure": _first_failure(facts),
        "lease": _lease(facts),
        "claims": _claims(facts),
        "conditions": _conditions(facts, shown),
        "tasks": [_task(facts, role) for role in ("launcher", "worker")],
        "aggregate": _aggregate(facts.pods),
        "notes": list(story.notes(facts)),
    }


def workers(facts: Facts) -> dict[str, int]:
    """The wanted number of workers, and the numbers of workers by state."""
    present = facts.workers
    return {
        "wanted": facts.wanted,
        "running": sum(pod.up for pod in present),
        "ready": sum(pod.ready and not pod.gone for pod in present),
    }


def duration(facts: Facts) -> float | None:
    """Seconds from the start of the run to its end, or until now."""
    began = _began(facts)
    return None if began is None else max((seconds(facts.record.get("endTime")) or facts.now) - began, 0)


def hours(facts: Facts) -> tuple[float, float]:
    """Accelerator hours of the run, and those in which no attempt was running.

    A pod holds its devices from the time at which it is scheduled. If the pods are deleted, only attempts count.
    """
    attempts = [(start, seconds(one.get("endTime")) or facts.now) for one, start in _started(facts)]
    held = waited = 0.0
    for pod in facts.pods:
        devices = sum(accelerators(pod.requests).values())
        if pod.role == "worker" and pod.scheduled and devices:
            end = max(pod.ended or facts.now, pod.scheduled)
            trained = sum(max(min(end, last) - max(pod.scheduled, first), 0) for first, last in attempts)
            held += devices * (end - pod.scheduled)
            waited += devices * max(end - pod.scheduled - trained, 0)
    each = sum(_devices(facts).values())
    recorded: float = facts.record.get("totals", {}).get("seconds", 0) * each * facts.wanted
    return round((waited + max(held - waited, recorded)) / 3600, 2), round(waited / 3600, 2)


def _started(facts: Facts) -> Iterator[tuple[Any, float]]:
    for attempt in facts.record.get("attempts", []):
        if (start := seconds(attempt.get("startTime"))) is not None:
            yield attempt, start


def _devices(facts: Facts) -> dict[str, int]:
    """The accelerators of one worker."""
    requests = facts.worker.requests if facts.worker else next((pod.requests for pod in facts.workers), {})
    return accelerators(requests)


def _began(facts: Facts) -> float | None:
    job = facts.launcher or facts.worker
    return seconds(facts.record.get("startTime")) or (job.created if job else None)


def _first_failure(facts: Facts) -> dict[str, Any] | None:
    """Host, rank and last lines of the first failure in the newest failed attempt."""
    failed = [attempt for attempt in facts.record.get("attempts", []) if attempt.get("tail") or "host" in attempt]
    keys = ("startTime", "reason", "exitCode", "host", "rank", "tail")
    return {key: failed[-1].get(key) for key in keys} if failed else None


def _lease(facts: Facts) -> dict[str, Any] | None:
    if not facts.lease:
        return None
    renewed = seconds(facts.lease.get("time"))
    alive = renewed is not None and facts.now - renewed <= DEAD_SECONDS
    return {"holder": facts.lease.get("run"), "renewed": facts.lease.get("time"), "alive": alive}


def _claims(facts: Facts) -> list[dict[str, Any]] | None:
    if facts.claims is None:
        return None
    return [
        {"name": claim["metadata"]["name"], "phase": claim.get("status", {}).get("phase", "Unknown")}
        for claim in facts.claims
    ]


def _conditions(facts: Facts, shown: Shown) -> list[dict[str, Any]]:
    """The state of the run as conditions, each with the time of its last change, if known."""
    ended = seconds(facts.record.get("endTime"))
    attempts = [seconds(a.get("startTime")) for a in facts.record.get("attempts", [])]
    trained = [moment for moment in attempts if moment]
    created = facts.launcher.created if facts.launcher else None
    failures = [a for a in facts.record.get("attempts", []) if a.get("reason") not in (None, "", "Succeeded", "Debug")]
    lost = seconds(failures[-1].get("endTime")) if failures else None
    rows = (
        ("Initialized", bool(facts.pods or facts.record), created),
        ("Running", shown.phase in ACTIVE, ended if ended else trained[-1] if trained else shown.since),
        ("ReplicaFailure", bool(failures) or any(pod.phase == "Failed" for pod in facts.workers), lost or ended),
        ("Completed", shown.phase == "Succeeded", ended),
        ("Failed", shown.phase == "Failed", ended or shown.since),
    )
    return [
        {
            "type": name,
            "status": "Unknown" if shown.phase == "Unknown" and name == "Running" else str(holds),
            "reason": shown.reason if holds else "",
            "message": shown.message if holds else "",
            "lastTransitionTime": stamp(moment or created),
        }
        for name, holds, moment in rows
    ]


def _task(facts: Facts, role: str) -> dict[str, Any]:
    pods = facts.pods_of(role)
    lost = sum(pod.role == role for pod in facts.pods) - len(pods)
    return {"type": role, "restartCount": lost, "status": [pod_report(pod) for pod in pods]}


def pod_report(pod: Pod) -> dict[str, Any]:
    """The report of a pod: name, uid, phase and the states of its containers."""
    why = next((c for c in pod.containers if c.reason not in ("", "Completed", "PodInitializing")), None)
    return {
        "name": pod.name,
        "uid": pod.uid,
        "phase": pod.phase or "Unknown",
        "index": pod.index,
        "node": pod.node,
        "ready": pod.ready,
        "deleting": pod.deleting,
        "restarts": pod.restarts,
        "reason": pod.reason or (why.reason if why else _unscheduled(pod)),
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


def _unscheduled(pod: Pod) -> str:
    condition = pod.conditions.get("PodScheduled")
    return condition.reason if condition and condition.status == "False" else ""


def _aggregate(pods: list[Pod]) -> dict[str, int]:
    counts = dict.fromkeys(COUNTED, 0)
    for pod in pods:
        counts[_counted_as(pod)] += 1
    return counts


def _counted_as(pod: Pod) -> str:
    if pod.deleting:
        return "deleted"
    if pod.phase == "Pending":
        return "creating" if pod.node else "pending"
    word = pod.phase.lower()
    return word if word in COUNTED else "unknown"
