"""Queues, gangs and topology: what a scheduler refuses, or waits for without a word."""

from __future__ import annotations

from dataclasses import dataclass

from dsgen.checks.row import Check

KUEUE = 'kueue_queue(values, "worker")'
QUEUE = ("scheduling.queue", 'scheduling.gang != "volcano"')
"""The same as conditions on plain keys."""
TOPOLOGY = ("scheduling.topology.required or scheduling.topology.preferred",)
USUAL = '["cpu", "memory"]'
COVER = "look at spec.resourceGroups of the ClusterQueue, or at excludeResourcePrefixes of Kueue's configuration"


@dataclass(frozen=True)
class Queue:
    """A queue of Kueue's: its key, when it is one, and who waits in it."""

    key: str
    given: tuple[str, ...]
    who: str


OF_WORKERS = Queue("scheduling.queue", QUEUE, "the workers wait")
OF_LAUNCHER = Queue("scheduling.launcherQueue", ("scheduling.launcherQueue",), "the launcher waits")


def _uncovered(path: str, when: str = "", queue: Queue = OF_WORKERS) -> Check:
    """One resource that the queue does not count, and the Job waits for ever."""
    return Check(
        "DS306",
        f"{path}.<< key >>",
        f"not key in {USUAL}{when}",
        f"{path}: the queue << values.{queue.key} | quote >> must cover << key | quote >>, or {queue.who} for ever",
        COVER,
        (f"for key, quantity in values.{path} | items",),
        queue.given,
        "warning",
        at_key=True,
    )


def _uncovered_in_containers(role: str, queue: Queue) -> Check:
    """The same for the user's containers."""
    return Check(
        "DS306",
        f"{role}.<< kind >>[container].resources.<< amounts >>.<< key >>",
        f'not key in {USUAL} and (amounts == "requests" or not key in get(container, "resources", "requests", {{}}))',
        f"{role}.<< kind >>: the queue << values.{queue.key} | quote >> must cover << key | quote >>, or {queue.who}"
        " for ever",
        COVER,
        (
            'for kind in ["initContainers", "sidecars"]',
            f"for container in values.{role}[kind]",
            'for amounts in ["requests", "limits"]',
            'for key, quantity in get(container, "resources", amounts, {}) | items',
        ),
        queue.given,
        "warning",
        at_key=True,
    )


def _by_flavors(path: str, queue: Queue = OF_WORKERS) -> Check:
    return Check(
        "DS308",
        path,
        f"values.{path}",
        f"{path}: Kueue looks only at labels that its flavors have; by any other the pods may wait while they hold the"
        " quota",
        "let the queue choose the nodes, or make sure that a ResourceFlavor has these labels",
        given=queue.given,
        severity="warning",
    )


ROWS = (
    Check(
        "DS300",
        "scheduling.launcherQueue",
        "values.scheduling.launcherQueue == values.scheduling.queue",
        "scheduling.launcherQueue is the workers' queue, in which two runs can block each other for ever",
        "give the launcher a queue with a quota of its own, or leave launcherQueue out",
        given=("scheduling.launcherQueue",),
    ),
    Check(
        "DS301",
        "scheduling.launcherQueue",
        f"not {KUEUE}",
        "scheduling.launcherQueue is a queue of Kueue's, and the workers have none",
        "set scheduling.queue too, without gang: volcano",
        given=("scheduling.launcherQueue",),
    ),
    Check(
        "DS302",
        "scheduling.priorityClass",
        'not values.scheduling.queue and values.scheduling.gang != "volcano"',
        "scheduling.priorityClass is for a queue, and there is none",
        "set scheduling.queue; the priority of the pods is workers.priorityClassName",
        given=("scheduling.priorityClass",),
    ),
    Check(
        "DS303",
        "scheduling.topology",
        "values.scheduling.topology.required and values.scheduling.topology.preferred",
        "scheduling.topology: required and preferred exclude one another",
        "keep one of them",
        given=TOPOLOGY,
    ),
    Check(
        "DS304",
        "workers.affinity",
        f'not {KUEUE} and "podAffinity" in values.workers.affinity',
        "workers.affinity has a podAffinity, which scheduling.topology writes",
        "keep one of them",
        given=TOPOLOGY,
    ),
    Check(
        "DS305",
        "workers.spread",
        'values.scheduling.topology.required == "kubernetes.io/hostname" and values.workers.spread == "required"'
        " and values.workers.replicas > 1",
        "workers.spread wants every worker on a node of its own, scheduling.topology.required all on one",
        "keep one of them",
        given=TOPOLOGY,
    ),
    Check(
        "DS309",
        "lifecycle.suspend",
        "values.lifecycle.suspend is not none",
        "lifecycle.suspend: with scheduling.queue, Kueue alone suspends the workers and resumes them",
        "remove it; to pause, set spec.active: false in the run's Workload",
        given=QUEUE,
    ),
    _by_flavors("workers.nodeSelector"),
    _by_flavors("workers.affinity"),
    _by_flavors("launcher.nodeSelector", OF_LAUNCHER),
    _by_flavors("launcher.affinity", OF_LAUNCHER),
    Check(
        "DS307",
        "workers.tolerations",
        "values.workers.tolerations",
        "workers.tolerations: the flavor of the queue must have no tolerations of its own, or exactly these and none"
        " with tolerationSeconds",
        "leave them out where the flavor has them",
        given=QUEUE,
        severity="warning",
    ),
    Check(
        "DS307",
        "launcher.tolerations",
        "values.launcher.tolerations",
        "launcher.tolerations: the flavor of the launcher's queue must have no tolerations of its own, or exactly these"
        " and none with tolerationSeconds",
        "leave them out where the flavor has them",
        given=("scheduling.launcherQueue",),
        severity="warning",
    ),
    _uncovered("workers.resources.requests"),
    _uncovered("network.rdma.resources"),
    _uncovered("workers.resources.limits", " and not key in values.workers.resources.requests"),
    _uncovered("launcher.resources.requests", "", OF_LAUNCHER),
    _uncovered("launcher.resources.limits", " and not key in values.launcher.resources.requests", OF_LAUNCHER),
    _uncovered_in_containers("workers", OF_WORKERS),
    _uncovered_in_containers("launcher", OF_LAUNCHER),
    Check(
        "DS310",
        "workers.schedulerName",
        'values.scheduling.gang != "none" and values.workers.schedulerName == "default-scheduler"',
        "workers.schedulerName: the default scheduler does not know scheduling.gang << values.scheduling.gang >>",
        "name the scheduler that does, or leave it out",
        given=("workers.schedulerName",),
    ),
)
