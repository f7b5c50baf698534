"""Reads jobs and runs from a cluster, with few list requests. Missing permissions are not an error."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeVar

from dsgen.cluster.facts import JOB, LEASE, RUN, Dict, Event, Facts, Job, Pod, parsed, seconds
from dsgen.cluster.parse import event, job, pod
from dsgen.errors import ApiError

T = TypeVar("T")
SETTINGS = "settings.json"
COMPONENT = "app.kubernetes.io/component"
"""The label with the purpose of an object; ConfigMaps of the component `scripts` are large, and not read."""
RECORD_SUFFIX = "-status"
FORBIDDEN, MISSING = 403, 404
PVC = "PersistentVolumeClaim"
KUEUE = "/apis/kueue.x-k8s.io"
GANGS = ("/apis/scheduling.volcano.sh/v1beta1", "/apis/scheduling.x-k8s.io/v1alpha1")


class Reader(Protocol):
    """The methods of `api.Cluster` that are used here."""

    def now(self) -> float: ...

    def get(self, path: str) -> dict[str, Any]: ...

    def items(self, path: str, **query: str) -> Iterator[dict[str, Any]]: ...


def path(kind: str, namespace: str = "", name: str = "") -> str:
    """The path of a resource, in one namespace or in all, or of one object."""
    group = "/apis/batch/v1" if kind == "jobs" else "/api/v1"
    inside = f"/namespaces/{namespace}" if namespace else ""
    return f"{group}{inside}/{kind}" + (f"/{name}" if name else "")


def jobs(reader: Reader, namespace: str, selector: str = JOB) -> list[Job]:
    """The Jobs of dsgen in a namespace, or in all namespaces."""
    return [job(item) for item in reader.items(path("jobs", namespace), labelSelector=selector)]


def records(reader: Reader, namespace: str, selector: str = JOB) -> dict[tuple[str, str], dict[str, str]]:
    """The data of all records, by namespace and job."""
    maps = reader.items(path("configmaps", namespace), labelSelector=f"{selector},{COMPONENT}=status")
    metas = ((entry["metadata"], entry.get("data") or {}) for entry in maps)
    return {
        (meta["namespace"], meta["labels"][JOB]): data
        for meta, data in metas
        if meta["name"] == meta["labels"][JOB] + RECORD_SUFFIX
    }


def runs(known_jobs: Iterable[Job], data: Dict) -> list[str]:
    """The ids of a job's runs, newest first: according to their Jobs, otherwise to their records."""
    began = {run: seconds(parsed(text).get("startTime")) or 0 for run, text in data.items() if run != LEASE}
    began |= {one.run: one.created for one in sorted(known_jobs, key=lambda one: -one.created)}
    return sorted(began, key=lambda run: (-began[run], run))


def with_record(facts: Facts, data: Dict | None) -> Facts:
    """The facts with the content of the record."""
    text = (data or {}).get(facts.run)
    facts.record_seen = data is not None
    facts.record, facts.record_bytes = parsed(text), len((text or "").encode())
    facts.lease = parsed((data or {}).get(LEASE))
    return facts


def with_jobs(facts: Facts, known_jobs: Iterable[Job]) -> Facts:
    """The facts with the two Jobs of the run."""
    of_run = {one.role: one for one in known_jobs if one.run == facts.run}
    facts.launcher, facts.worker = of_run.get("launcher"), of_run.get("worker")
    return facts


def run_facts(reader: Reader, namespace: str, name: str, run: str = "", thrifty: bool = False) -> Facts | None:
    """Jobs, pods, record, settings and events of a run, from four list requests; None for an unknown job or run.

    thrifty: list events only if the Jobs or pods have a problem that events may explain.

    Jobs are read first: if a Job has ended, the record, which is read later, contains the end.
    """
    selector = f"{JOB}={name}"
    known_jobs = jobs(reader, namespace, selector)
    pods = [pod(entry) for entry in reader.items(path("pods", namespace), labelSelector=selector)]
    config = f"{selector},{COMPONENT} in (status,config)"
    maps = {
        entry["metadata"]["name"]: entry for entry in reader.items(path("configmaps", namespace), labelSelector=config)
    }
    record = maps.get(name + RECORD_SUFFIX)
    data = (record or {}).get("data") or {}
    known = runs(known_jobs, data)
    if not known or (run and run not in known):
        return None
    facts = Facts(name, namespace, run or known[0], reader.now())
    facts.pods = [one for one in pods if one.run == facts.run]
    facts.settings = _settings(maps.values(), facts.run)
    with_record(with_jobs(facts, known_jobs), data if record else None)
    if not thrifty or _lacks_pods(facts):
        facts.events = visible(facts.hidden, "events", lambda: _events(reader, facts)) or []
    return facts


def _lacks_pods(facts: Facts) -> bool:
    """Whether a Job has too few pods, or a pod has a node but no container; events explain both."""
    jobs = [one for one in (facts.launcher, facts.worker) if one and not (one.suspended or one.ended)]
    few = any(len([pod for pod in facts.pods_of(job.role) if not pod.gone]) < job.parallelism for job in jobs)
    return few or any(pod.node and not any(one.state for one in pod.containers) for pod in facts.pods)


def _settings(maps: Iterable[Dict], run: str) -> dict[str, Any]:
    of_run = (m for m in maps if m["metadata"]["labels"].get(RUN) == run)
    return next((parsed(m["data"][SETTINGS]) for m in of_run if SETTINGS in (m.get("data") or {})), {})


def _events(reader: Reader, facts: Facts) -> list[Event]:
    """Events of the run's objects, and of all claims, whose names do not contain the run."""
    mine = {facts.job, *(one.name for one in facts.pods)}
    prefix = f"{facts.job}-{facts.run}"
    all_events = (event(entry) for entry in reader.items(path("events", facts.namespace)))
    return [one for one in all_events if one.name in mine or one.name.startswith(prefix) or one.kind == PVC]


def surroundings(reader: Reader, facts: Facts, thrifty: bool = False) -> Facts:
    """Add what is around the run to the facts: claims, nodes, queue, gang. What may not be read is added to `hidden`.

    thrifty: list either nodes, if the scheduler mentions their sizes, labels or taints, or claims.
    """
    space, selector = facts.namespace, f"{JOB}={facts.job}"
    claims, of_nodes = path("persistentvolumeclaims", space), depends_on_nodes(facts.pods)
    if not (thrifty and of_nodes):
        facts.claims = visible(facts.hidden, "claims", lambda: [*reader.items(claims, labelSelector=selector)])
    if not thrifty or of_nodes:
        facts.nodes = nodes(reader, facts.hidden)
    if facts.worker and facts.worker.queue:
        facts.workloads = visible(facts.hidden, "Workloads of Kueue", lambda: _workloads(reader, facts))
    gangs = [item for group in GANGS for item in _gangs(reader, facts, group)]
    facts.gangs = gangs or None
    return facts


def depends_on_nodes(pods: Iterable[Pod]) -> bool:
    """Whether the sizes, labels or taints of nodes explain what the scheduler says about a pod."""
    said = (pod.conditions["PodScheduled"].message for pod in pods if "PodScheduled" in pod.conditions)
    words = ("Insufficient", "affinity/selector", "untolerated taint")
    return any(word in message for message in said for word in words)


def nodes(reader: Reader, hidden: list[str]) -> list[Dict] | None:
    """All nodes, without the parts that are not used."""
    return visible(hidden, "nodes", lambda: [_node(item) for item in reader.items(path("nodes"))])


def _node(node: Dict) -> Dict:
    """The part of a node that is used; its list of images is large."""
    status = {key: node["status"].get(key) for key in ("allocatable", "conditions")}
    metadata = {key: node["metadata"].get(key) for key in ("name", "labels")}
    return {"metadata": metadata, "spec": node["spec"], "status": status}


def kueue(reader: Reader) -> str:
    """The path of Kueue's API in the preferred version. Raises ApiError, with status 404 without Kueue."""
    return f"{KUEUE}/{reader.get(KUEUE)['preferredVersion']['version']}"


def _workloads(reader: Reader, facts: Facts) -> list[Dict]:
    uids = {one.uid for one in (facts.launcher, facts.worker) if one}
    workloads = [*reader.items(f"{kueue(reader)}/namespaces/{facts.namespace}/workloads")]
    owners = [(workload, owner) for workload in workloads for owner in workload["metadata"].get("ownerReferences", [])]
    facts.queued = {workload["metadata"]["uid"]: owner["name"] for workload, owner in owners}
    return [workload for workload, owner in owners if owner["uid"] in uids]


def _gangs(reader: Reader, facts: Facts, group: str) -> list[Dict]:
    """The PodGroups of the run in one API group; requested only if a pod names one."""
    if not any(one.gang for one in facts.workers):
        return []
    address = f"{group}/namespaces/{facts.namespace}/podgroups"
    selector = f"{JOB}={facts.job},{RUN}={facts.run}"
    return visible(facts.hidden, "PodGroups", lambda: list(reader.items(address, labelSelector=selector))) or []


def visible(hidden: list[str], what: str, ask: Callable[[], T]) -> T | None:
    """The result of `ask`; None if the cluster lacks the kind, or if it may not be read: then `hidden` gets `what`."""
    try:
        return ask()
    except ApiError as error:
        if error.status not in (FORBIDDEN, MISSING):
            raise
        if error.status == FORBIDDEN:
            hidden.append(what)
        return None
