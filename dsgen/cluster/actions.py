"""Stops, suspends and deletes runs, and says before what will be changed."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from dsgen.catalogue import KINDS, Kind
from dsgen.cluster.models import JOB, RUN, RunState, count_accelerators, format_time
from dsgen.cluster.phase import ENDS, RECORD_VERSION, Owner, find_owner
from dsgen.cluster.reader import MISSING, RECORD_SUFFIX, list_scripts, make_api_path, read_visible
from dsgen.errors import ApiError, RevertedError

if TYPE_CHECKING:
    from dsgen.cluster.client import Cluster
    from dsgen.cluster.runs import RunRef

PATIENCE_SECONDS = 600
"""How long a stopped run may take to end."""
*OTHERS, CLAIMS = KINDS


class ObjectRef(NamedTuple):
    """One object in the cluster, such as job/cifar-1-worker."""

    path: str
    title: str


def refuse_reverted(state: RunState, what: str) -> None:
    """Raise RevertedError if a tool would undo the change. what: see `explain_refusal`."""
    job = state.launcher or state.worker
    if reason := explain_refusal(find_owner(job.marks if job else {}), what):
        raise RevertedError(reason)


def explain_refusal(owned: tuple[Owner, str] | None, what: str) -> str:
    """Why a tool would undo a change in the cluster, and what to do instead; empty if no tool would.

    owned: the tool that applies the objects, and its name there. what: the change of the values, as text; empty for a
    removal.
    """
    if not owned:
        return ""
    tool, name = owned
    instead = (tool.change if what else tool.removal).format(what=what, name=name)
    return f"{tool.title} {name} applies this job and would undo the change. Instead, {instead}; or use --force"


def describe_freed(state: RunState) -> str:
    """The accelerators that become free, as text."""
    freed: Counter[str] = Counter()
    for pod in state.workers:
        freed.update(count_accelerators(pod.requests) if not pod.gone and pod.node else {})
    return ", ".join(f"{count} {name}" for name, count in freed.items())


def list_run_jobs(state: RunState) -> list[ObjectRef]:
    run_jobs = [one for one in (state.launcher, state.worker) if one]
    return [ObjectRef(make_api_path("jobs", job.namespace, job.name), f"job/{job.name}") for job in run_jobs]


def list_objects(cluster: Cluster, state: RunState, whole: bool, volumes: bool) -> list[ObjectRef]:
    """The objects of the run, or of the whole job, except those of unknown kinds and those that cannot be listed."""
    selected = list_labelled(cluster, state.namespace, f"{JOB}={state.job}" + ("" if whole else f",{RUN}={state.run}"))
    if volumes:
        selected += _list(cluster, state.namespace, CLAIMS, f"{JOB}={state.job}")
    return selected


def list_labelled(cluster: Cluster, namespace: str, selector: str) -> list[ObjectRef]:
    """The objects with these labels, without claims."""
    return [one for kind in OTHERS for one in _list(cluster, namespace, kind, selector)]


def list_unused_scripts(cluster: Cluster, namespace: str, kept: Iterable[str]) -> list[ObjectRef]:
    """The ConfigMaps with scripts of whose digest no Job names one. kept: digests that are needed in any case."""
    jobs = json.dumps([item["spec"] for item in cluster.list_items(make_api_path("jobs", namespace))])
    names = list_scripts(cluster, namespace)
    digests = {digest for name in names if f'-{(digest := name.rpartition("-")[2])}"' not in jobs}.difference(kept)
    unused = [name for name in names if name.rpartition("-")[2] in digests]
    return [ObjectRef(make_api_path("configmaps", namespace, name), f"configmap/{name}") for name in unused]


def _list(cluster: Cluster, namespace: str, kind: Kind, selector: str) -> list[ObjectRef]:
    address = f"{kind.api}/namespaces/{namespace}/{kind.plural}"
    found = read_visible([], kind.plural, lambda: [*cluster.list_items(address, labelSelector=selector)])
    names = [item["metadata"]["name"] for item in found or ()]
    return [ObjectRef(f"{address}/{name}", f"{kind.name.lower()}/{name}") for name in names]


def make_stopped_record(state: RunState) -> dict[str, Any]:
    """The change of the record for a stopped run without a launcher that could write it."""
    now = format_time(state.now)
    start = state.record.get("startTime") or now
    said = {"phase": "Stopped", "reason": "JobDeleted", "message": "by dsgen stop", "startTime": start, "endTime": now}
    empty: dict[str, Any] = {"version": RECORD_VERSION, "exitCode": None, "worldSize": None, "attempts": []}
    return {"data": {state.run: json.dumps({**empty, **state.record, **said}, ensure_ascii=False)}}


def stop_run(ref: RunRef, state: RunState) -> RunState | None:
    """Delete the launcher Job of a run, and wait for the end of all pods; the last state, None if some still run.

    Without a launcher, which would write the end of the run to the record, it is written here.
    """
    ref = replace(ref, run=state.run)
    for job in list_run_jobs(state)[:1]:
        ref.cluster.delete(job.path)
    for now in ref.watch_states(time.monotonic() + PATIENCE_SECONDS):
        if now.launcher or any(not pod.gone for pod in now.list_pods("launcher")):
            continue
        if not has_ended(now):
            path = make_api_path("configmaps", ref.namespace, ref.job + RECORD_SUFFIX)
            ref.cluster.patch(path, make_stopped_record(now))
        elif all(pod.gone or not pod.node for pod in now.workers):
            return now
    return None


def list_suspended_jobs(state: RunState, on: bool) -> list[ObjectRef]:
    """The Jobs to suspend or resume, that of the launcher first: otherwise it would treat its workers as lost."""
    jobs = list_run_jobs(state)
    is_queued = state.worker is not None and bool(state.worker.queue)
    return jobs[:1] if is_queued and not on else jobs  # the queue resumes the worker Job


def suspend_jobs(cluster: Cluster, jobs: Iterable[ObjectRef], on: bool) -> None:
    """Set spec.suspend of Jobs."""
    for job in jobs:
        cluster.patch(job.path, {"spec": {"suspend": on}})


def has_ended(state: RunState) -> bool:
    """Whether the run has ended, according to the record."""
    return state.record.get("phase") in ENDS


def delete_objects(cluster: Cluster, objects: Iterable[ObjectRef]) -> None:
    """Delete objects; an object that does not exist any more is not an error."""
    for one in objects:
        try:
            cluster.delete(one.path)
        except ApiError as error:
            if error.status != MISSING:
                raise


def format_objects(objects: Iterable[ObjectRef]) -> str:
    """The objects as lines of text."""
    return "".join(f"  {one.title}\n" for one in objects)
