"""Queues, gangs and topology: what a scheduler refuses, and what makes a Job wait forever."""

from __future__ import annotations

from typing import Any

from dsgen.checks.rule import CONTAINERS, Problem, Problems, Values, error, warning
from dsgen.generated import helpers
from dsgen.language.functions import get
from dsgen.language.text import quote
from dsgen.problems import KeyPath, path_text

USUAL = ("cpu", "memory")
COVER = "check spec.resourceGroups of the ClusterQueue, and excludeResourcePrefixes in Kueue's configuration"
HOSTNAME = "kubernetes.io/hostname"


def _find_queue(values: Values, path: KeyPath) -> str:
    """The queue of Kueue in which the pods of a path wait; "" without one."""
    return helpers.kueue_queue(values, "launcher" if path[0] == "launcher" else "worker")


@error(
    "DS300",
    "scheduling.launcherQueue",
    hint="give the launcher a queue with its own quota, or remove launcherQueue",
)
def refuse_same_queue(values: Values) -> Problems:
    if values.scheduling.launcherQueue and values.scheduling.launcherQueue == values.scheduling.queue:
        yield Problem(
            "scheduling.launcherQueue is the same queue as scheduling.queue; in it, two runs can block each other"
            " forever"
        )


@error(
    "DS302",
    "scheduling.priorityClass",
    hint="set scheduling.queue; for the priority of the pods, use workers.priorityClassName",
)
def refuse_priority_without_queue(values: Values) -> Problems:
    scheduling = values.scheduling
    if scheduling.priorityClass and not scheduling.queue and scheduling.gang != "volcano":
        yield Problem("scheduling.priorityClass is the priority in a queue, but scheduling.queue is not set")


@error("DS303", "scheduling.topology", hint="keep one of them")
def refuse_two_topologies(values: Values) -> Problems:
    if values.scheduling.topology.required and values.scheduling.topology.preferred:
        yield Problem("scheduling.topology: required and preferred are mutually exclusive")


@error("DS304", "workers.affinity", hint="keep one of them")
def refuse_second_affinity(values: Values) -> Problems:
    topology = values.scheduling.topology
    is_written = (topology.required or topology.preferred) and not helpers.kueue_queue(values, "worker")
    if is_written and "podAffinity" in values.workers.affinity:
        yield Problem("workers.affinity has a podAffinity, but dsgen writes one from scheduling.topology")


@error("DS305", "workers.spread", hint="keep one of them")
def refuse_spread_on_one_node(values: Values) -> Problems:
    workers = values.workers
    if values.scheduling.topology.required == HOSTNAME and workers.spread == "required" and workers.replicas > 1:
        yield Problem(
            "workers.spread puts every worker on its own node, but scheduling.topology.required puts all on one node"
        )


@error("DS305", "network.hostNetwork", hint="keep one of them")
def refuse_ports_of_one_node(values: Values) -> Problems:
    is_one_node = values.network.hostNetwork and values.scheduling.topology.required == HOSTNAME
    if is_one_node and int(helpers.worker_pods(values)) > 1:
        yield Problem(
            "network.hostNetwork: each worker needs the ports of its own node, but scheduling.topology.required puts"
            " all workers on one node"
        )


@error("DS311", "workers.excludeNodes", hint="remove it from one of them")
def refuse_excluded_node(values: Values) -> Problems:
    workers = values.workers
    if workers.excludeNodes and workers.nodeSelector[HOSTNAME] in workers.excludeNodes:
        yield Problem(
            "workers.excludeNodes has the node that workers.nodeSelector selects: the workers would wait forever"
        )


@warning(
    *("DS308", "workers.nodeSelector", "workers.affinity", "launcher.nodeSelector", "launcher.affinity"),
    hint="let the queue choose the nodes, or make sure that a ResourceFlavor has these labels",
)
def warn_of_ignored_labels(values: Values, path: KeyPath, labels: Any) -> Problems:
    if labels and _find_queue(values, path):
        yield Problem(
            f"{path_text(path)}: Kueue considers only labels of its flavors; with other labels the pods may hold quota"
            " while they wait for a node"
        )


@warning("DS307", "workers.tolerations", "launcher.tolerations", hint="remove them if the flavor has them")
def warn_of_other_tolerations(values: Values, path: KeyPath, tolerations: Any) -> Problems:
    if tolerations and _find_queue(values, path):
        queue = "the launcher's queue" if path[0] == "launcher" else "the queue"
        yield Problem(
            f"{path_text(path)}: the flavor of {queue} must have no tolerations, or exactly the same ones, all without"
            " tolerationSeconds"
        )


@warning(
    *("DS306", "workers.resources", "launcher.resources", "network.rdma"),
    *(f"{place}.resources" for place in CONTAINERS),
    hint=COVER,
    at_key=True,
)
def warn_of_uncovered(values: Values, path: KeyPath, part: Any) -> Problems:
    """If the queue does not cover one of the resources, the Job waits forever."""
    queue = _find_queue(values, path)
    if not queue:
        return
    who = "the launcher waits" if path[0] == "launcher" else "the workers wait"
    is_container = path[1] in ("initContainers", "sidecars")
    resources = get(part, "resources", {}) if is_container else part
    for kind in ("resources",) if path[0] == "network" else ("requests", "limits"):
        amounts = resources.get(kind) or {}
        for key in amounts:
            if key in USUAL or (kind == "limits" and key in (resources.get("requests") or {})):
                continue
            where = path_text(path[:2] if is_container else (*path, kind))
            must = f"the queue {quote(queue)} must cover {quote(key)}, or {who} forever"
            yield Problem(f"{where}: {must}", (*path, kind, key))


# Templates refuse these, too: condition and message are their helpers.
error("DS301", "scheduling.launcherQueue", hint="also set scheduling.queue, without gang: volcano")(
    helpers.queue_of_launcher_alone
)
error("DS309", "lifecycle.suspend", hint="remove it; to pause, set spec.active: false in the run's Workload")(
    helpers.suspended_in_queue
)
error("DS310", "workers.schedulerName", hint="set it to the gang scheduler, or remove it")(
    helpers.scheduler_without_gangs
)
