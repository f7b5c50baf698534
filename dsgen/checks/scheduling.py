"""Queues, gangs and topology: what a scheduler refuses, and what makes a Job wait forever."""

from __future__ import annotations

from typing import NamedTuple

from dsgen.checks.row import Check, Shared, quote_text

KUEUE = 'kueue_queue(values, "worker")'
QUEUE = ("if values.scheduling.queue", 'if values.scheduling.gang != "volcano"')
"""The same, as conditions on plain keys."""
TOPOLOGY = ("if values.scheduling.topology.required or values.scheduling.topology.preferred",)
USUAL = '["cpu", "memory"]'
COVER = "check spec.resourceGroups of the ClusterQueue, and excludeResourcePrefixes in Kueue's configuration"


class Queue(NamedTuple):
    """A queue of Kueue: its key, the tags around its rows, and who waits in it."""

    role: str
    key: str
    inside: tuple[str, ...]
    who: str

    @property
    def shared(self) -> tuple[Shared, ...]:
        """The helper for the rows of both queues."""
        words = "a pod that waits in a queue; `who` says that it waits"
        arguments = (("pod", f"values.{self.role}"), ("queue", f"values.{self.key}"), ("who", quote_text(self.who)))
        return (Shared(self.role, len(self.inside), "queue", words, arguments),)


OF_WORKERS = Queue("workers", "scheduling.queue", QUEUE, "the workers wait")
OF_LAUNCHER = Queue(
    "launcher", "scheduling.launcherQueue", ("if values.scheduling.launcherQueue",), "the launcher waits"
)


def _warn_of_uncovered(path: str, when: str = "", queue: Queue = OF_WORKERS) -> Check:
    """If the queue does not cover one of the resources, the Job waits forever."""
    return Check(
        id="DS306",
        path=f"{path}.<< key >>",
        when=f"not key in {USUAL}{when}",
        message=(
            f"{path}: the queue << values.{queue.key} | quote >> must cover << key | quote >>, or {queue.who} forever"
        ),
        hint=COVER,
        inside=(
            *queue.inside,
            f"for key, quantity in values.{path} | items",
        ),
        severity="warning",
        at_key=True,
        shared=queue.shared if path.startswith(f"{queue.role}.") else (),
    )


def _warn_of_uncovered_in_containers(queue: Queue) -> Check:
    """The same for containers of the user."""
    role = queue.role
    return Check(
        id="DS306",
        path=f"{role}.<< kind >>[container].resources.<< amounts >>.<< key >>",
        when=(
            f'not key in {USUAL} and (amounts == "requests" or not key in get(container, "resources", "requests",'
            f" {{}}))"
        ),
        message=(
            f"{role}.<< kind >>: the queue << values.{queue.key} | quote >> must cover << key | quote >>,"
            f" or {queue.who} forever"
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
        shared=queue.shared,
    )


def _warn_of_ignored_labels(path: str, queue: Queue = OF_WORKERS) -> Check:
    return Check(
        id="DS308",
        path=path,
        when=f"values.{path}",
        message=(
            f"{path}: Kueue considers only labels of its flavors; with other labels the pods may hold quota while they"
            " wait for a node"
        ),
        hint="let the queue choose the nodes, or make sure that a ResourceFlavor has these labels",
        inside=queue.inside,
        severity="warning",
        shared=queue.shared,
    )


ROWS = (
    Check(
        id="DS300",
        path="scheduling.launcherQueue",
        when="values.scheduling.launcherQueue == values.scheduling.queue",
        message=(
            "scheduling.launcherQueue is the same queue as scheduling.queue; in it, two runs can block each other"
            " forever"
        ),
        hint="give the launcher a queue with its own quota, or remove launcherQueue",
        inside=("if values.scheduling.launcherQueue",),
    ),
    Check(
        id="DS301",
        path="scheduling.launcherQueue",
        when=f"not {KUEUE}",
        message="scheduling.launcherQueue is a queue of Kueue, but the workers have no such queue",
        hint="also set scheduling.queue, without gang: volcano",
        inside=("if values.scheduling.launcherQueue",),
    ),
    Check(
        id="DS302",
        path="scheduling.priorityClass",
        when='not values.scheduling.queue and values.scheduling.gang != "volcano"',
        message="scheduling.priorityClass is the priority in a queue, but scheduling.queue is not set",
        hint="set scheduling.queue; for the priority of the pods, use workers.priorityClassName",
        inside=("if values.scheduling.priorityClass",),
    ),
    Check(
        id="DS303",
        path="scheduling.topology",
        when="values.scheduling.topology.required and values.scheduling.topology.preferred",
        message="scheduling.topology: required and preferred are mutually exclusive",
        hint="keep one of them",
        inside=TOPOLOGY,
    ),
    Check(
        id="DS304",
        path="workers.affinity",
        when=f'not {KUEUE} and "podAffinity" in values.workers.affinity',
        message="workers.affinity has a podAffinity, but dsgen writes one from scheduling.topology",
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
        message=(
            "workers.spread puts every worker on its own node, but scheduling.topology.required puts all on one node"
        ),
        hint="keep one of them",
        inside=TOPOLOGY,
    ),
    Check(
        id="DS311",
        path="workers.excludeNodes",
        when='get(values.workers.nodeSelector, "kubernetes.io/hostname", "") in values.workers.excludeNodes',
        message=("workers.excludeNodes has the node that workers.nodeSelector selects: the workers would wait forever"),
        hint="remove it from one of them",
        inside=(
            "if values.workers.excludeNodes",
            'if "kubernetes.io/hostname" in values.workers.nodeSelector',
        ),
    ),
    Check(
        id="DS309",
        path="lifecycle.suspend",
        when="values.lifecycle.suspend is not none",
        message="lifecycle.suspend: with scheduling.queue, only Kueue suspends and resumes the workers",
        hint="remove it; to pause, set spec.active: false in the run's Workload",
        inside=QUEUE,
    ),
    _warn_of_ignored_labels("workers.nodeSelector"),
    _warn_of_ignored_labels("workers.affinity"),
    _warn_of_ignored_labels("launcher.nodeSelector", OF_LAUNCHER),
    _warn_of_ignored_labels("launcher.affinity", OF_LAUNCHER),
    Check(
        id="DS307",
        path="workers.tolerations",
        when="values.workers.tolerations",
        message=(
            "workers.tolerations: the flavor of the queue must have no tolerations, or exactly the same ones, all"
            " without tolerationSeconds"
        ),
        hint="remove them if the flavor has them",
        inside=QUEUE,
        severity="warning",
    ),
    Check(
        id="DS307",
        path="launcher.tolerations",
        when="values.launcher.tolerations",
        message=(
            "launcher.tolerations: the flavor of the launcher's queue must have no tolerations, or exactly the same"
            " ones, all without tolerationSeconds"
        ),
        hint="remove them if the flavor has them",
        inside=("if values.scheduling.launcherQueue",),
        severity="warning",
    ),
    _warn_of_uncovered("workers.resources.requests"),
    _warn_of_uncovered("network.rdma.resources"),
    _warn_of_uncovered("workers.resources.limits", " and not key in values.workers.resources.requests"),
    _warn_of_uncovered("launcher.resources.requests", "", OF_LAUNCHER),
    _warn_of_uncovered("launcher.resources.limits", " and not key in values.launcher.resources.requests", OF_LAUNCHER),
    _warn_of_uncovered_in_containers(OF_WORKERS),
    _warn_of_uncovered_in_containers(OF_LAUNCHER),
    Check(
        id="DS310",
        path="workers.schedulerName",
        when='values.scheduling.gang != "none" and values.workers.schedulerName == "default-scheduler"',
        message=(
            "workers.schedulerName: the default scheduler does not support scheduling.gang:"
            " << values.scheduling.gang >>"
        ),
        hint="set it to the gang scheduler, or remove it",
        inside=("if values.workers.schedulerName",),
    ),
    Check(
        id="DS305",
        path="network.hostNetwork",
        when='values.scheduling.topology.required == "kubernetes.io/hostname" and worker_pods(values) | int > 1',
        message=(
            "network.hostNetwork: each worker needs the ports of its own node, but scheduling.topology.required puts"
            " all workers on one node"
        ),
        hint="keep one of them",
        inside=("if values.network.hostNetwork",),
    ),
)
