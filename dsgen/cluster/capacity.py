"""Computes the capacity and the use of nodes, queues and pods from dicts of the API. Pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from dsgen.cluster.models import ACCELERATOR, JOB, RUN, parse_conditions
from dsgen.cluster.requirements import ApiObject, sum_memory_limit, sum_request, sum_requests
from dsgen.language.functions import parse_quantity

ENDED = ("Succeeded", "Failed")


class Devices(NamedTuple):
    """The accelerators of one resource on one node; `jobs` are the holders with the number of their pods."""

    node: str
    state: str
    resource: str
    total: int
    requested: int
    jobs: Mapping[str, int]

    @property
    def free(self) -> int:
        return self.total - self.requested


def list_devices(nodes: Iterable[ApiObject], pods: Iterable[ApiObject]) -> list[Devices]:
    """A row for each node and accelerator resource; a node without any has one row."""
    on_node: dict[str, list[ApiObject]] = {}
    for pod in pods:
        if pod.get("status", {}).get("phase") not in ENDED:
            on_node.setdefault(pod["spec"].get("nodeName", ""), []).append(pod)
    return [row for node in nodes for row in _list_node_devices(node, on_node.get(node["metadata"]["name"], []))]


def _list_node_devices(node: ApiObject, pods: Sequence[ApiObject]) -> Iterator[Devices]:
    name = node["metadata"]["name"]
    allocatable = node["status"].get("allocatable") or {}
    totals = {key: int(parse_quantity(text)) for key, text in allocatable.items() if ACCELERATOR.search(key)}
    for resource, total in totals.items():
        asked = ((_name_holder(pod), int(parse_quantity(sum_request(pod["spec"], resource)))) for pod in pods)
        holders = [(holder, count) for holder, count in asked if count]
        jobs = Counter(holder for holder, _ in holders)
        yield Devices(name, _describe_state(node), resource, total, sum(count for _, count in holders), dict(jobs))
    if not totals:
        yield Devices(name, _describe_state(node), "", 0, 0, {})


def _describe_state(node: ApiObject) -> str:
    ready = parse_conditions(node["status"].get("conditions")).get("Ready")
    word = "Ready" if ready and ready.status == "True" else "NotReady"
    return word + (",SchedulingDisabled" if node["spec"].get("unschedulable") else "")


def _name_holder(pod: ApiObject) -> str:
    """The name of the holder: job and run of dsgen, or the name of the pod."""
    metadata = pod["metadata"]
    labels = metadata.get("labels") or {}
    name = f"{labels[JOB]}:{labels[RUN]}" if JOB in labels and RUN in labels else metadata["name"]
    return f"{metadata['namespace']}/{name}"


def sum_devices(rows: Iterable[Devices]) -> dict[str, tuple[int, int]]:
    """Resource -> requested and total number."""
    by_resource: dict[str, tuple[int, int]] = {}
    for row in rows:
        if row.resource:
            requested, total = by_resource.get(row.resource, (0, 0))
            by_resource[row.resource] = requested + row.requested, total + row.total
    return by_resource


# Queues of Kueue


class Share(NamedTuple):
    """A resource of a flavor in a queue. `used`: by the LocalQueue; other numbers are those of its ClusterQueue."""

    queue: str
    cluster_queue: str
    flavor: str
    resource: str
    used: str
    used_by_all: str
    nominal: str
    borrowed: str
    admitted: int
    pending: int


def list_shares(local: Iterable[ApiObject], cluster_queues: Mapping[str, ApiObject]) -> Iterator[Share]:
    """A row for each queue, flavor and resource; columns of a ClusterQueue that cannot be read are empty."""
    for queue in local:
        status, metadata = queue.get("status", {}), queue["metadata"]
        behind = queue["spec"]["clusterQueue"]
        used = _collect_usage(status.get("flavorsUsage") or status.get("flavorUsage"))
        of_all = cluster_queues.get(behind, {})
        everybody = _collect_usage(of_all.get("status", {}).get("flavorsUsage"))
        nominal = _collect_quotas(of_all)
        counts = status.get("admittedWorkloads", 0), status.get("pendingWorkloads", 0)
        for key in sorted({*nominal, *used}) or [("", "")]:
            share = everybody.get(key, {})
            yield Share(
                f"{metadata['namespace']}/{metadata['name']}",
                behind,
                *key,
                used.get(key, {}).get("total", ""),
                share.get("total", ""),
                nominal.get(key, ""),
                share.get("borrowed", ""),
                *counts,
            )


def _collect_usage(flavors: Sequence[ApiObject] | None) -> dict[tuple[str, str], ApiObject]:
    return {(flavor["name"], one["name"]): one for flavor in flavors or [] for one in flavor.get("resources") or []}


def _collect_quotas(queue: ApiObject) -> dict[tuple[str, str], str]:
    return {
        (flavor["name"], resource["name"]): str(resource["nominalQuota"])
        for group in queue.get("spec", {}).get("resourceGroups") or []
        for flavor in group["flavors"]
        for resource in flavor["resources"]
    }


class QueuePosition(NamedTuple):
    """The place of a pending Workload in its queue, with the name of its Job."""

    queue: str
    position: int
    job: str
    priority: int


def list_places(queue: str, summary: ApiObject) -> Iterator[QueuePosition]:
    """The pending Workloads of a LocalQueue, from the visibility API."""
    for item in summary.get("items") or []:
        owners = [owner["name"] for owner in item["metadata"].get("ownerReferences") or []]
        name = next(iter(owners), item["metadata"]["name"])
        yield QueuePosition(queue, item.get("positionInLocalQueue", 0) + 1, name, item.get("priority", 0))


# Pods of a job


class Usage(NamedTuple):
    """Use, requests and limits of all containers of a pod; empty if unknown or not limited."""

    pod: str
    node: str
    cpu: str
    cpu_requested: str
    memory: str
    memory_limit: str
    devices: int


def list_usage(pods: Iterable[ApiObject], metrics: Mapping[str, ApiObject]) -> Iterator[Usage]:
    """A row for each pod that has a node and has not ended."""
    for pod in pods:
        spec = pod["spec"]
        if pod.get("status", {}).get("phase") in ENDED or not spec.get("nodeName"):
            continue
        name = pod["metadata"]["name"]
        used = [container["usage"] for container in metrics.get(name, {}).get("containers") or []]
        asked = sum_requests(spec)
        yield Usage(
            name,
            spec["nodeName"],
            f"{round(1000 * sum(parse_quantity(one['cpu']) for one in used))}m" if used else "",
            asked.get("cpu", ""),
            f"{round(sum(parse_quantity(one['memory']) for one in used) / 2**20)}Mi" if used else "",
            sum_memory_limit(spec),
            sum(int(parse_quantity(count)) for resource, count in asked.items() if ACCELERATOR.search(resource)),
        )
