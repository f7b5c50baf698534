"""Queues, gangs and topology: what a scheduler refuses, or waits for without a word."""

from __future__ import annotations

from dataclasses import dataclass

from dsgen.checks.row import Check

KUEUE = 'kueue_queue(values, "worker")'
QUEUE = ("if values.scheduling.queue", 'if values.scheduling.gang != "volcano"')
"""The same as conditions on plain keys, which are evaluated without a template."""
TOPOLOGY = ("if values.scheduling.topology.required or values.scheduling.topology.preferred",)
USUAL = '["cpu", "memory"]'
COVER = "look at spec.resourceGroups of the ClusterQueue, or at excludeResourcePrefixes of Kueue's configuration"


@dataclass(frozen=True)
class Queue:
    """A queue of Kueue's: its key, what stands around its rows, and who waits in it."""

    key: str
    inside: tuple[str, ...]
    who: str


OF_WORKERS = Queue("scheduling.queue", QUEUE, "the workers wait")
OF_LAUNCHER = Queue("scheduling.launcherQueue", ("if values.scheduling.launcherQueue",), "the launcher waits")


def _uncovered(path: str, when: str = "", queue: Queue = OF_WORKERS) -> Check:
    """One resource that the queue does not count, and the Job waits for ever."""
    return Check(
        id="DS306",
        path=f"{path}.<< key >>",
        when=f"not key in {USUAL}{when}",
        message=(
            f"{path}: the queue << values.{queue.key} | quote >> must cover << key | quote >>, or {queue.who} for ever"
        ),
        hint=COVER,
        inside=(
            *queue.inside,
            f"for key, quantity in values.{path} | items",
        ),
        severity="warning",
        at_key=True,
    )


def _uncovered_in_containers(role: str, queue: Queue) -> Check:
    """The same for the user's containers."""
    return Check(
        id="DS306",
        path=f"{role}.<< kind >>[container].resources.<< amounts >>.<< key >>",
        when=(
            f'not key in {USUAL} and (amounts == "requests" or not key in get(container, "resources", "requests",'
            f" {{}}))"
        ),
        message=(
            f"{role}.<< kind >>: the queue << values.{queue.key} | quote >> must cover << key | quote >>, or"
            f" {queue.who}"
            " for ever"
        ),
        hint=COVER,
        inside=(
            *queue.inside,
            'for kind in ["initContainers", "sidecars"]',
            f"for container in values.{role}[kind]",
            'for amounts in ["requests", "limits"]',
            'for key, quantity in get(container, "resources", amounts, {}) | items',
        ),
        severity="warning",
        at_key=True,
    )


def _by_flavors(path: str, queue: Queue = OF_WORKERS) -> Check:
    return Check(
        id="DS308",
        path=path,
        when=f"values.{path}",
        message=(
            f"{path}: Kueue looks only at labels that its flavors have; by any other the pods may wait while they"
            " hold the"
            " quota"
        ),
        hint="let the queue choose the nodes, or make sure that a ResourceFlavor has these labels",
        inside=queue.inside,
        severity="warning",
    )


ROWS = (
    Check(
        id="DS300",
        path="scheduling.launcherQueue",
        when="values.scheduling.launcherQueue == values.scheduling.queue",
        message="scheduling.launcherQueue is the workers' queue, in which two runs can block each other for ever",
        hint="give the launcher a queue with a quota of its own, or leave launcherQueue out",
        inside=("if values.scheduling.launcherQueue",),
    ),
    Check(
        id="DS301",
        path="scheduling.launcherQueue",
        when=f"not {KUEUE}",
        message="scheduling.launcherQueue is a queue of Kueue's, and the workers have none",
        hint="set scheduling.queue too, without gang: volcano",
        inside=("if values.scheduling.launcherQueue",),
    ),
    Check(
        id="DS302",
        path="scheduling.priorityClass",
        when='not values.scheduling.queue and values.scheduling.gang != "volcano"',
        message="scheduling.priorityClass is for a queue, and there is none",
        hint="set scheduling.queue; the priority of the pods is workers.priorityClassName",
        inside=("if values.scheduling.priorityClass",),
    ),
    Check(
        id="DS303",
        path="scheduling.topology",
        when="values.scheduling.topology.required and values.scheduling.topology.preferred",
        message="scheduling.topology: required and preferred exclude one another",
        hint="keep one of them",
        inside=TOPOLOGY,
    ),
    Check(
        id="DS304",
        path="workers.affinity",
        when=f'not {KUEUE} and "podAffinity" in values.workers.affinity',
        message="workers.affinity has a podAffinity, which scheduling.topology writes",
        hint="keep one of them",
        inside=TOPOLOGY,
    ),
    Check(
        id="DS305",
        path="workers.spread",
        when=(
            'values.scheduling.topology.required == "kubernetes.io/hostname" and values.workers.spread == "required"'
            " and values.workers.replicas > 1"
        ),
        message="workers.spread wants every worker on a node of its own, scheduling.topology.required all on one",
        hint="keep one of them",
        inside=TOPOLOGY,
    ),
    Check(
        id="DS309",
        path="lifecycle.suspend",
        when="values.lifecycle.suspend is not none",
        message="lifecycle.suspend: with scheduling.queue, Kueue alone suspends the workers and resumes them",
        hint="remove it; to pause, set spec.active: false in the run's Workload",
        inside=QUEUE,
    ),
    _by_flavors("workers.nodeSelector"),
    _by_flavors("workers.affinity"),
    _by_flavors("launcher.nodeSelector", OF_LAUNCHER),
    _by_flavors("launcher.affinity", OF_LAUNCHER),
    Check(
        id="DS307",
        path="workers.tolerations",
        when="values.workers.tolerations",
        message=(
            "workers.tolerations: the flavor of the queue must have no tolerations of its own, or exactly these and"
            " none"
            " with tolerationSeconds"
        ),
        hint="leave them out where the flavor has them",
        inside=QUEUE,
        severity="warning",
    ),
    Check(
        id="DS307",
        path="launcher.tolerations",
        when="values.launcher.tolerations",
        message=(
            "launcher.tolerations: the flavor of the launcher's queue must have no tolerations of its own, or"
            " exactly these"
            " and none with tolerationSeconds"
        ),
        hint="leave them out where the flavor has them",
        inside=("if values.scheduling.launcherQueue",),
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
        id="DS310",
        path="workers.schedulerName",
        when='values.scheduling.gang != "none" and values.workers.schedulerName == "default-scheduler"',
        message=(
            "workers.schedulerName: the default scheduler does not know scheduling.gang << values.scheduling.gang >>"
        ),
        hint="name the scheduler that does, or leave it out",
        inside=("if values.workers.schedulerName",),
    ),
)
