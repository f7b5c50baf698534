"""Queues, gangs and topology: what a scheduler refuses, or waits for without a word."""

from __future__ import annotations

from dsgen.checks.row import Check

KUEUE = 'values.scheduling.queue and values.scheduling.gang != "volcano"'
QUEUE = ("scheduling.queue",)
TOPOLOGY = ("scheduling.topology.required", "scheduling.topology.preferred")
USUAL = '["cpu", "memory"]'


def _uncovered(path: str) -> Check:
    """One resource that the queue does not count, and the Job waits for ever."""
    return Check(
        "DS306",
        f"{path}.<< key >>",
        f"{KUEUE} and not key in {USUAL}",
        f"{path}: the queue << values.scheduling.queue | quote >> must cover << key | quote >>, or the workers wait for"
        " ever",
        "look at spec.resourceGroups of the ClusterQueue, or at excludeResourcePrefixes of Kueue's configuration",
        (f"key, quantity in values.{path} | items",),
        QUEUE,
        "warning",
        at_key=True,
    )


def _by_flavors(path: str) -> Check:
    return Check(
        "DS308",
        path,
        f"{KUEUE} and values.{path}",
        f"{path}: Kueue looks only at labels that its flavors have; by any other the pods may wait while they hold the"
        " quota",
        "let the queue choose the nodes, or make sure that a ResourceFlavor has these labels",
        given=QUEUE,
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
        f"not ({KUEUE})",
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
        f'not ({KUEUE}) and "podAffinity" in values.workers.affinity',
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
        f"{KUEUE} and values.lifecycle.suspend is not none",
        "lifecycle.suspend: with scheduling.queue, Kueue alone suspends the workers and resumes them",
        "remove it; to pause, set spec.active: false in the run's Workload",
        given=QUEUE,
    ),
    _by_flavors("workers.nodeSelector"),
    _by_flavors("workers.affinity"),
    Check(
        "DS307",
        "workers.tolerations",
        f"{KUEUE} and values.workers.tolerations",
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
    Check(
        "DS306",
        "workers.resources.limits.<< key >>",
        f"{KUEUE} and not key in {USUAL} and not key in values.workers.resources.requests",
        "workers.resources.limits: the queue << values.scheduling.queue | quote >> must cover << key | quote >>, or the"
        " workers wait for ever",
        "look at spec.resourceGroups of the ClusterQueue, or at excludeResourcePrefixes of Kueue's configuration",
        ("key, quantity in values.workers.resources.limits | items",),
        QUEUE,
        "warning",
        at_key=True,
    ),
    Check(
        "DS310",
        "workers.schedulerName",
        'values.scheduling.gang != "none" and values.workers.schedulerName == "default-scheduler"',
        "workers.schedulerName: the default scheduler does not know scheduling.gang << values.scheduling.gang >>",
        "name the scheduler that does, or leave it out",
        given=("workers.schedulerName",),
    ),
)
