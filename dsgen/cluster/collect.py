"""Asks a cluster for what is known of jobs and runs: few lists, and nothing that may not be read is an error."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeVar

from dsgen.cluster.facts import JOB, LEASE, RUN, Dict, Event, Facts, Job, Pod, parsed, seconds
from dsgen.cluster.parse import event, job, pod
from dsgen.errors import ApiError

T = TypeVar("T")
SETTINGS = "settings.json"
COMPONENT = "app.kubernetes.io/component"
"""What an object is for; the component `scripts` is large, and nobody looks at it here."""
RECORD_SUFFIX = "-status"
FORBIDDEN, MISSING = 403, 404
PVC = "PersistentVolumeClaim"
KUEUE = "/apis/kueue.x-k8s.io"
GANGS = ("/apis/scheduling.volcano.sh/v1beta1", "/apis/scheduling.x-k8s.io/v1alpha1")


class Reader(Protocol):
    """The part of the API that is used here."""

    def now(self) -> float: ...

    def get(self, path: str) -> dict[str, Any]: ...

    def items(self, path: str, **query: str) -> Iterator[dict[str, Any]]: ...


def path(kind: str, namespace: str = "", name: str = "") -> str:
    """The address of a kind of the API, of one namespace or of all, or of one object."""
    group = "/apis/batch/v1" if kind == "jobs" else "/api/v1"
    inside = f"/namespaces/{namespace}" if namespace else ""
    return f"{group}{inside}/{kind}" + (f"/{name}" if name else "")


def jobs(reader: Reader, namespace: str, selector: str = JOB) -> list[Job]:
    """The Jobs that belong to dsgen; without a namespace those of all."""
    return [job(found) for found in reader.items(path("jobs", namespace), labelSelector=selector)]


def records(reader: Reader, namespace: str, selector: str = JOB) -> dict[tuple[str, str], dict[str, str]]:
    """The data of all records, by namespace and job."""
    found = reader.items(path("configmaps", namespace), labelSelector=f"{selector},{COMPONENT}=status")
    metas = ((entry["metadata"], entry.get("data") or {}) for entry in found)
    return {
        (meta["namespace"], meta["labels"][JOB]): data
        for meta, data in metas
        if meta["name"] == meta["labels"][JOB] + RECORD_SUFFIX
    }


def runs(found: Iterable[Job], data: Dict) -> list[str]:
    """The ids of a job's runs, the newest first: by their Jobs, else by their records."""
    began = {run: seconds(parsed(text).get("startTime")) or 0 for run, text in data.items() if run != LEASE}
    began |= {one.run: one.created for one in sorted(found, key=lambda one: -one.created)}
    return sorted(began, key=lambda run: (-began[run], run))


def with_record(facts: Facts, data: Dict | None) -> Facts:
    """The facts with what the record says."""
    text = (data or {}).get(facts.run)
    facts.record_seen = data is not None
    facts.record, facts.record_bytes = parsed(text), len((text or "").encode())
    facts.lease = parsed((data or {}).get(LEASE))
    return facts


def with_jobs(facts: Facts, found: Iterable[Job]) -> Facts:
    """The facts with the two Jobs of the run."""
    of_run = {one.role: one for one in found if one.run == facts.run}
    facts.launcher, facts.worker = of_run.get("launcher"), of_run.get("worker")
    return facts


def run_facts(reader: Reader, namespace: str, name: str, run: str = "", thrifty: bool = False) -> Facts | None:
    """Jobs, pods, record, settings and events of a run, in four lists; None when there is no such job or run.

    thrifty: events are listed only where something is wrong that they may explain.

    The Jobs come first: a Job whose end is seen has its end in the record that is read after it.
    """
    selector = f"{JOB}={name}"
    found = jobs(reader, namespace, selector)
    pods = [pod(entry) for entry in reader.items(path("pods", namespace), labelSelector=selector)]
    config = f"{selector},{COMPONENT} in (status,config)"
    maps = {
        entry["metadata"]["name"]: entry for entry in reader.items(path("configmaps", namespace), labelSelector=config)
    }
    record = maps.get(name + RECORD_SUFFIX)
    data = (record or {}).get("data") or {}
    known = runs(found, data)
    if not known or (run and run not in known):
        return None
    facts = Facts(name, namespace, run or known[0], reader.now())
    facts.pods = [one for one in pods if one.run == facts.run]
    facts.settings = _settings(maps.values(), facts.run)
    with_record(with_jobs(facts, found), data if record else None)
    if not thrifty or _lacks_pods(facts):
        facts.events = visible(facts.hidden, "events", lambda: _events(reader, facts)) or []
    return facts


def _lacks_pods(facts: Facts) -> bool:
    """Whether a Job has too few pods, or a pod has a node and no container: events say why."""
    jobs = [one for one in (facts.launcher, facts.worker) if one and not (one.suspended or one.ended)]
    few = any(len([pod for pod in facts.pods_of(job.role) if not pod.gone]) < job.parallelism for job in jobs)
    return few or any(pod.node and not any(one.state for one in pod.containers) for pod in facts.pods)


def _settings(maps: Iterable[Dict], run: str) -> dict[str, Any]:
    of_run = (m for m in maps if m["metadata"]["labels"].get(RUN) == run)
    return next((parsed(m["data"][SETTINGS]) for m in of_run if SETTINGS in (m.get("data") or {})), {})


def _events(reader: Reader, facts: Facts) -> list[Event]:
    """Events of the run's objects; those of claims carry no name of the run, so all claims' are kept."""
    mine = {facts.job, *(one.name for one in facts.pods)}
    prefix = f"{facts.job}-{facts.run}"
    found = (event(entry) for entry in reader.items(path("events", facts.namespace)))
    return [one for one in found if one.name in mine or one.name.startswith(prefix) or one.kind == PVC]


def surroundings(reader: Reader, facts: Facts, thrifty: bool = False) -> Facts:
    """The facts with what is around the run: claims, nodes, queue, gang. What may not be read is `hidden`.

    thrifty: nodes are listed only where the scheduler speaks of their sizes or taints, and then no claims.
    """
    space, selector = facts.namespace, f"{JOB}={facts.job}"
    claims, of_nodes = path("persistentvolumeclaims", space), depends_on_nodes(facts.pods)
    if not (thrifty and of_nodes):
        facts.claims = visible(facts.hidden, "claims", lambda: [*reader.items(claims, labelSelector=selector)])
    if not thrifty or of_nodes:
        facts.nodes = nodes(reader, facts.hidden)
    if facts.worker and facts.worker.queue:
        facts.workloads = visible(facts.hidden, "Workloads of Kueue", lambda: _workloads(reader, facts))
    gangs = [found for group in GANGS for found in _gangs(reader, facts, group)]
    facts.gangs = gangs or None
    return facts


def depends_on_nodes(pods: Iterable[Pod]) -> bool:
    """Whether the scheduler says something of a pod that the sizes or taints of nodes explain."""
    said = (pod.conditions["PodScheduled"].message for pod in pods if "PodScheduled" in pod.conditions)
    return any("Insufficient" in message or "untolerated taint" in message for message in said)


def nodes(reader: Reader, hidden: list[str]) -> list[Dict] | None:
    """All nodes, as far as they are looked at."""
    return visible(hidden, "nodes", lambda: [_node(found) for found in reader.items(path("nodes"))])


def _node(found: Dict) -> Dict:
    """The part of a node that is looked at; its list of images is large."""
    status = {key: found["status"].get(key) for key in ("allocatable", "conditions")}
    metadata = {key: found["metadata"].get(key) for key in ("name", "labels")}
    return {"metadata": metadata, "spec": found["spec"], "status": status}


def kueue(reader: Reader) -> str:
    """The address of Kueue's API in the version that the cluster prefers. Raises ApiError, 404 without Kueue."""
    return f"{KUEUE}/{reader.get(KUEUE)['preferredVersion']['version']}"


def _workloads(reader: Reader, facts: Facts) -> list[Dict]:
    uids = {one.uid for one in (facts.launcher, facts.worker) if one}
    found = [*reader.items(f"{kueue(reader)}/namespaces/{facts.namespace}/workloads")]
    owners = [(workload, owner) for workload in found for owner in workload["metadata"].get("ownerReferences", [])]
    facts.queued = {workload["metadata"]["uid"]: owner["name"] for workload, owner in owners}
    return [workload for workload, owner in owners if owner["uid"] in uids]


def _gangs(reader: Reader, facts: Facts, group: str) -> list[Dict]:
    """The run's PodGroup of one group; asked for only where a pod names one."""
    if not any(one.gang for one in facts.workers):
        return []
    address = f"{group}/namespaces/{facts.namespace}/podgroups"
    selector = f"{JOB}={facts.job},{RUN}={facts.run}"
    return visible(facts.hidden, "PodGroups", lambda: list(reader.items(address, labelSelector=selector))) or []


def visible(hidden: list[str], what: str, ask: Callable[[], T]) -> T | None:
    """The answer; None where it may not be had, which is noted in `hidden`, or where the cluster has no such kind."""
    try:
        return ask()
    except ApiError as error:
        if error.status not in (FORBIDDEN, MISSING):
            raise
        if error.status == FORBIDDEN:
            hidden.append(what)
        return None
