"""Reads jobs and runs from a cluster, with few list requests. Missing permissions are not an error."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from dsgen.catalogue import KINDS
from dsgen.cluster.models import (
    JOB,
    LEASE,
    LEASE_FORM,
    RECORD_FORM,
    RUN,
    SETTINGS_FORM,
    Event,
    JobState,
    PodState,
    RunState,
    parse_event,
    parse_job,
    parse_pod,
    parse_time,
    read_map,
)
from dsgen.cluster.requirements import ApiObject
from dsgen.errors import ApiError

if TYPE_CHECKING:
    from dsgen.cluster.client import Cluster

T = TypeVar("T")
SETTINGS = "settings.json"
COMPONENT = "app.kubernetes.io/component"
"""The label with the purpose of an object; ConfigMaps of the component `scripts` are large, and not read."""
RECORD_SUFFIX = "-status"
METADATA = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
"""Asks for a list without the content of its objects."""
FORBIDDEN, MISSING = 403, 404
PVC = "PersistentVolumeClaim"
METRICS = "/apis/metrics.k8s.io/v1beta1"
KUEUE = "/apis/kueue.x-k8s.io"
GANGS = [kind.api for kind in KINDS if kind.name == "PodGroup"]


def make_api_path(kind: str, namespace: str = "", name: str = "") -> str:
    """The path of a resource, in one namespace or in all, or of one object."""
    group = "/apis/batch/v1" if kind == "jobs" else "/api/v1"
    inside = f"/namespaces/{namespace}" if namespace else ""
    return f"{group}{inside}/{kind}" + (f"/{name}" if name else "")


def list_jobs(cluster: Cluster, namespace: str, selector: str = JOB) -> list[JobState]:
    """The Jobs of dsgen in a namespace, or in all namespaces."""
    return [parse_job(item) for item in cluster.list_items(make_api_path("jobs", namespace), labelSelector=selector)]


def list_records(cluster: Cluster, namespace: str, selector: str = JOB) -> dict[tuple[str, str], dict[str, str]]:
    """The data of all records, by namespace and job."""
    maps = cluster.list_items(make_api_path("configmaps", namespace), labelSelector=f"{selector},{COMPONENT}=status")
    metas = ((entry["metadata"], entry.get("data") or {}) for entry in maps)
    return {
        (meta["namespace"], meta["labels"][JOB]): data
        for meta, data in metas
        if meta["name"] == meta["labels"][JOB] + RECORD_SUFFIX
    }


def list_runs(known_jobs: Iterable[JobState], data: ApiObject) -> list[str]:
    """The ids of a job's runs, newest first: according to their Jobs, otherwise to their records."""
    began = {run: parse_time(read_map(text, {})[0].get("startTime")) or 0 for run, text in data.items() if run != LEASE}
    began |= {one.run: one.created for one in sorted(known_jobs, key=lambda one: -one.created)}
    return sorted(began, key=lambda run: (-began[run], run))


def add_record(state: RunState, data: ApiObject | None) -> RunState:
    """The facts with the content of the record."""
    state.record, state.malformed = read_map((data or {}).get(state.run), RECORD_FORM)
    state.lease, _ = read_map((data or {}).get(LEASE), LEASE_FORM)
    return state


def add_jobs(state: RunState, known_jobs: Iterable[JobState]) -> RunState:
    """The facts with the two Jobs of the run."""
    of_run = {job.role: job for job in known_jobs if job.run == state.run}
    state.launcher, state.worker = of_run.get("launcher"), of_run.get("worker")
    return state


def read_run(cluster: Cluster, namespace: str, name: str, run: str = "", thrifty: bool = False) -> RunState | None:
    """Jobs, pods, record, settings and events of a run, from four list requests; None for an unknown job or run.

    thrifty: list events only if the Jobs or pods have a problem that events may explain.

    Jobs are read first: if a Job has ended, the record, which is read later, contains the end.
    """
    selector = f"{JOB}={name}"
    known_jobs = list_jobs(cluster, namespace, selector)
    pods = [parse_pod(entry) for entry in cluster.list_items(make_api_path("pods", namespace), labelSelector=selector)]
    config = f"{selector},{COMPONENT} in (status,config)"
    maps = {
        entry["metadata"]["name"]: entry
        for entry in cluster.list_items(make_api_path("configmaps", namespace), labelSelector=config)
    }
    record = maps.get(name + RECORD_SUFFIX)
    data = (record or {}).get("data") or {}
    known = list_runs(known_jobs, data)
    if not known or (run and run not in known):
        return None
    state = RunState(name, namespace, run or known[0], cluster.now())
    state.pods = [pod for pod in pods if pod.run == state.run]
    state.settings = _find_settings(maps.values(), state.run)
    add_record(add_jobs(state, known_jobs), data if record else None)
    if needed := [name for one in (state.launcher, state.worker) if one and not one.ended for name in one.scripts]:
        there = list_scripts(cluster, namespace)
        state.lost_scripts = sorted(set(needed).difference(there))
    if not thrifty or _lacks_pods(state):
        state.events = read_visible(state.hidden, "events", lambda: _list_events(cluster, state)) or []
    return state


def list_scripts(cluster: Cluster, namespace: str) -> list[str]:
    """The names of the ConfigMaps with scripts, which are large: only their metadata is read."""
    asked = {"labelSelector": f"{COMPONENT} in (runtime,scripts)", "accept": METADATA}
    return [item["metadata"]["name"] for item in cluster.list_items(make_api_path("configmaps", namespace), **asked)]


def _lacks_pods(state: RunState) -> bool:
    """Whether a Job has too few pods, or a pod has a node but no container; events explain both."""
    jobs = [one for one in (state.launcher, state.worker) if one and not (one.suspended or one.ended)]
    few = any(len([pod for pod in state.list_pods(job.role) if not pod.gone]) < job.parallelism for job in jobs)
    return few or any(pod.node and not any(container.state for container in pod.containers) for pod in state.pods)


def _find_settings(maps: Iterable[ApiObject], run: str) -> dict[str, Any]:
    of_run = (m for m in maps if m["metadata"]["labels"].get(RUN) == run)
    return next(
        (read_map(m["data"][SETTINGS], SETTINGS_FORM)[0] for m in of_run if SETTINGS in (m.get("data") or {})), {}
    )


def _list_events(cluster: Cluster, state: RunState) -> list[Event]:
    """Events of the run's objects, and of all claims, whose names do not contain the run."""
    mine = {state.job, *(pod.name for pod in state.pods)}
    prefix = f"{state.job}-{state.run}"
    all_events = (parse_event(entry) for entry in cluster.list_items(make_api_path("events", state.namespace)))
    return [event for event in all_events if event.name in mine or event.name.startswith(prefix) or event.kind == PVC]


def add_surroundings(cluster: Cluster, state: RunState, thrifty: bool = False) -> RunState:
    """Add what is around the run to the facts: claims, nodes, queue, gang. What may not be read is added to `hidden`.

    thrifty: list either nodes, if the scheduler mentions their sizes, labels or taints, or claims.
    """
    space, selector = state.namespace, f"{JOB}={state.job}"
    claims, of_nodes = make_api_path("persistentvolumeclaims", space), depends_on_nodes(state.pods)
    if not (thrifty and of_nodes):
        state.claims = read_visible(
            state.hidden, "claims", lambda: [*cluster.list_items(claims, labelSelector=selector)]
        )
    if not thrifty or of_nodes:
        state.nodes = list_nodes(cluster, state.hidden)
    if state.worker and state.worker.queue:
        state.workloads = read_visible(state.hidden, "Workloads of Kueue", lambda: _list_workloads(cluster, state))
    gangs = [item for group in GANGS for item in _list_gangs(cluster, state, group)]
    state.gangs = gangs or None
    return state


def depends_on_nodes(pods: Iterable[PodState]) -> bool:
    """Whether the sizes, labels or taints of nodes explain what the scheduler says about a pod."""
    said = (pod.conditions["PodScheduled"].message for pod in pods if "PodScheduled" in pod.conditions)
    words = ("Insufficient", "affinity/selector", "untolerated taint")
    return any(word in message for message in said for word in words)


def list_nodes(cluster: Cluster, hidden: list[str]) -> list[ApiObject] | None:
    """All nodes, without the parts that are not used."""
    return read_visible(
        hidden, "nodes", lambda: [_reduce_node(item) for item in cluster.list_items(make_api_path("nodes"))]
    )


def _reduce_node(node: ApiObject) -> ApiObject:
    """The part of a node that is used; its list of images is large."""
    status = {key: node["status"].get(key) for key in ("allocatable", "conditions")}
    metadata = {key: node["metadata"].get(key) for key in ("name", "labels")}
    return {"metadata": metadata, "spec": node["spec"], "status": status}


def find_kueue(cluster: Cluster) -> str:
    """The path of Kueue's API in the preferred version. Raises ApiError, with status 404 without Kueue."""
    return f"{KUEUE}/{cluster.get(KUEUE)['preferredVersion']['version']}"


def _list_workloads(cluster: Cluster, state: RunState) -> list[ApiObject]:
    uids = {one.uid for one in (state.launcher, state.worker) if one}
    workloads = [*cluster.list_items(f"{find_kueue(cluster)}/namespaces/{state.namespace}/workloads")]
    owners = [(workload, owner) for workload in workloads for owner in workload["metadata"].get("ownerReferences", [])]
    state.queued = {workload["metadata"]["uid"]: owner["name"] for workload, owner in owners}
    return [workload for workload, owner in owners if owner["uid"] in uids]


def _list_gangs(cluster: Cluster, state: RunState, group: str) -> list[ApiObject]:
    """The PodGroups of the run in one API group; requested only if a pod names one."""
    if not any(worker.gang for worker in state.workers):
        return []
    address, selector = f"{group}/namespaces/{state.namespace}/podgroups", f"{JOB}={state.job},{RUN}={state.run}"
    found = read_visible(state.hidden, "PodGroups", lambda: [*cluster.list_items(address, labelSelector=selector)])
    return [*(found or ())]


def read_visible(hidden: list[str], what: str, ask: Callable[[], T]) -> T | None:
    """The result of `ask`; None if the cluster lacks the kind, or if it may not be read: then `hidden` gets `what`."""
    try:
        return ask()
    except ApiError as error:
        if error.status not in (FORBIDDEN, MISSING):
            raise
        if error.status == FORBIDDEN:
            hidden.append(what)
        return None


def read_metrics(cluster: Cluster, namespace: str, selector: str, hidden: list[str]) -> Sequence[ApiObject] | None:
    """What the pods of a selector use at present; None if the cluster has no metrics API, or if it may not be read."""
    address = f"{METRICS}/namespaces/{namespace}/pods"
    return read_visible(hidden, "metrics of pods", lambda: [*cluster.list_items(address, labelSelector=selector)])
