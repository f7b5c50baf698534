"""Converts dicts of the API to the small objects of `facts`. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable

from dsgen.cluster.facts import JOB, ROLE, RUN, Condition, Container, Dict, Event, Job, Pod, seconds
from dsgen.cluster.labels import required
from dsgen.cluster.resources import requests

INDEX = "batch.kubernetes.io/job-completion-index"
KUEUE_QUEUE = "kueue.x-k8s.io/queue-name"
GANG_LABEL, GANG_ANNOTATION = "scheduling.x-k8s.io/pod-group", "scheduling.k8s.io/group-name"
"""The label of scheduler-plugins and the annotation of Volcano."""


def conditions(entries: Iterable[Dict] | None) -> dict[str, Condition]:
    """Conditions by type."""
    return {
        entry["type"]: Condition(
            entry["status"],
            entry.get("reason") or "",
            entry.get("message") or "",
            seconds(entry.get("lastTransitionTime")),
        )
        for entry in entries or []
    }


def job(item: Dict) -> Job:
    """Convert a Job."""
    meta, spec, status = item["metadata"], item["spec"], item.get("status", {})
    labels = meta.get("labels", {})
    pod = spec["template"]["spec"]
    role = spec["template"]["metadata"].get("labels", {}).get(ROLE, "")
    return Job(
        name=meta["name"],
        namespace=meta["namespace"],
        uid=meta["uid"],
        role=role,
        job=labels.get(JOB, ""),
        run=labels.get(RUN, ""),
        created=seconds(meta.get("creationTimestamp")) or 0,
        deleting=bool(meta.get("deletionTimestamp")),
        suspended=bool(spec.get("suspend")),
        suspended_by=_suspender(meta),
        parallelism=spec.get("parallelism", 1),
        completions=spec.get("completions"),
        active=status.get("active", 0),
        failed=status.get("failed", 0),
        queue=labels.get(KUEUE_QUEUE, ""),
        account=pod.get("serviceAccountName", ""),
        requests=requests(pod),
        conditions=conditions(status.get("conditions")),
        labels=labels,
        annotations=meta.get("annotations", {}),
        managers=tuple(entry.get("manager", "") for entry in meta.get("managedFields", [])),
    )


def _suspender(meta: Dict) -> str:
    """The field manager that last wrote spec.suspend; empty if only the API server did."""
    writers = [
        (entry.get("time", ""), entry.get("manager", ""))
        for entry in meta.get("managedFields", [])
        if "f:suspend" in entry.get("fieldsV1", {}).get("f:spec", {}) and not entry.get("subresource")
    ]
    return max(writers)[1] if writers else ""


def pod(item: Dict) -> Pod:
    """Convert a pod."""
    meta, spec, status = item["metadata"], item["spec"], item.get("status", {})
    labels, annotations = meta.get("labels", {}), meta.get("annotations", {})
    containers = tuple(_containers(spec, status))
    ends = [c.finished for c in containers if c.kind == "main" and c.finished]
    return Pod(
        name=meta["name"],
        uid=meta["uid"],
        role=labels.get(ROLE, ""),
        run=labels.get(RUN, ""),
        index=int(annotations.get(INDEX, 0)),
        node=spec.get("nodeName", ""),
        phase=status.get("phase", ""),
        reason=status.get("reason", ""),
        message=status.get("message", ""),
        deleting=bool(meta.get("deletionTimestamp")),
        scheduler=spec.get("schedulerName", ""),
        created=seconds(meta.get("creationTimestamp")) or 0,
        ended=max(ends) if ends and status.get("phase") in ("Succeeded", "Failed") else None,
        conditions=conditions(status.get("conditions")),
        containers=containers,
        requests=requests(spec),
        gang=labels.get(GANG_LABEL) or annotations.get(GANG_ANNOTATION, ""),
        required=required(spec),
    )


def _containers(spec: Dict, status: Dict) -> Iterable[Container]:
    said = {s["name"]: s for key in ("initContainerStatuses", "containerStatuses") for s in status.get(key, [])}
    kinds = [(c, "sidecar" if c.get("restartPolicy") else "init") for c in spec.get("initContainers", [])]
    for container, kind in [*kinds, *((c, "main") for c in spec["containers"])]:
        reported = said.get(container["name"], {})
        state = next(iter(reported.get("state", {})), "")
        detail = reported.get("state", {}).get(state) or {}
        yield Container(
            name=container["name"],
            kind=kind,
            image=container.get("image", ""),
            state=state,
            reason=detail.get("reason", ""),
            message=detail.get("message", ""),
            exit_code=detail.get("exitCode"),
            restarts=reported.get("restartCount", 0),
            ready=bool(reported.get("ready")),
            started=seconds(detail.get("startedAt")),
            finished=seconds(detail.get("finishedAt")),
        )


def event(item: Dict) -> Event:
    """Convert an event, of either API group."""
    about = item.get("involvedObject", {})
    series = item.get("series") or {}
    last = series.get("lastObservedTime") or item.get("lastTimestamp") or item.get("eventTime")
    return Event(
        kind=about.get("kind", ""),
        name=about.get("name", ""),
        uid=about.get("uid", ""),
        type=item.get("type", ""),
        reason=item.get("reason", ""),
        message=item.get("message", ""),
        last=seconds(last) or 0,
        count=series.get("count") or item.get("count") or 1,
    )
