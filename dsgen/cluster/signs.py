"""Collects the signs that a run is blocked, from conditions, events and states of its objects. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from dsgen.cluster.facts import Container, Dict, Facts, Job, Pod, accelerators, seconds, true
from dsgen.cluster.labels import missing, selected
from dsgen.cluster.parse import conditions
from dsgen.cluster.words import ENDS, Shown
from dsgen.reading.quantities import amount

PATIENCE_SECONDS = 60
"""Seconds after which a normal wait at the start of a run becomes a sign of a problem."""
PROVISIONING_SECONDS = 15
"""Seconds in which the volume of a new claim is normally created."""
PROVISIONING = ("", "ExternalProvisioning", "Provisioning", "WaitForFirstConsumer", "WaitForPodScheduled")
"""Reasons of the newest event of a claim, "" without one, while its volume is being created."""
UNBOUND = "unbound immediate"
"""What the scheduler says about a pod whose claim has no volume."""
DEFAULT_SCHEDULERS = ("", "default-scheduler")
EFFECTS = ("NoSchedule", "NoExecute")
"""The effects of taints that keep pods off a node."""
PREEMPTOR = re.compile(r"a workload \(UID: ([^,()]+)(?:,[^()]*)?\)")
"""How Kueue names the Workload for which it preempted another one."""
CONNECTIONS_SEEN = ("pdsh", "openmpi", "torchrun", "deepspeed-no-ssh")
"""The launch methods that start rank.py for each rank, which reports when its rank is connected with others."""
ENDED_WELL = (0, 143)  # 143: ended by SIGTERM
Signs = Iterator["Sign"]


class Sign(NamedTuple):
    """A sign of a problem: the place (see PLACES), the object, and the text there."""

    place: str
    about: str
    text: str


def seen(facts: Facts, shown: Shown) -> Signs:
    """All signs of a run that is in this phase."""
    for look in ENDED if shown.phase in ENDS else PLACES:
        yield from look(facts, shown)


def _roles(facts: Facts) -> Iterator[tuple[Job, list[Pod]]]:
    for job, pods in ((facts.launcher, facts.pods_of("launcher")), (facts.worker, facts.workers)):
        if job:
            yield job, [pod for pod in pods if not pod.gone]


def _about(pod: Pod, container: Container | None = None) -> str:
    return f"pod {pod.name}" + (f", container {container.name}" if container and container.name != pod.role else "")


def _jobs(facts: Facts, _: Shown) -> Signs:
    """Missing Jobs."""
    for role, job, other in (("launcher", facts.launcher, facts.worker), ("worker", facts.worker, facts.launcher)):
        if job is None and other is not None:
            yield Sign("job", f"job {facts.job}-{facts.run}-{role}", f"missing {role}")


def _creation(facts: Facts, _: Shown) -> Signs:
    """Events of a Job with too few pods, because the API server refuses them."""
    for job, pods in _roles(facts):
        if len(pods) >= job.parallelism or job.suspended or job.ended:
            continue
        events = [event for event in facts.events if event.uid == job.uid and event.reason == "FailedCreate"]
        if events:
            yield Sign("creation", f"job {job.name}", max(events, key=lambda event: event.last).message)


def _queue(facts: Facts, _: Shown) -> Signs:
    """The state of the Workload of a Job in a queue of Kueue."""
    for job, _pods in _roles(facts):
        if not (job.queue and job.suspended) or "Workloads of Kueue" in facts.hidden:
            continue
        mine = [workload for workload in facts.workloads or [] if _owns(job, workload)]
        if not mine:
            missing = "no Workload" if facts.workloads is not None else "no Kueue"
            if facts.now - job.created > PATIENCE_SECONDS / 4:
                yield Sign("queue", f"job {job.name}", f"{missing} {job.queue}")
        for workload in mine:
            yield from (Sign("queue", f"job {job.name}", text) for text in _workload(workload, job.queue, facts.queued))


def _owns(job: Job, workload: Dict) -> bool:
    return any(owner["uid"] == job.uid for owner in workload["metadata"].get("ownerReferences", []))


def _workload(workload: Dict, queue: str, jobs: Mapping[str, str]) -> Iterator[str]:
    held = conditions(workload.get("status", {}).get("conditions"))
    if workload["spec"].get("active") is False:
        yield "inactive"
    for name in ("Evicted", "QuotaReserved"):
        condition = held.get(name)
        if condition and (condition.status == "True") == (name == "Evicted"):
            message = PREEMPTOR.sub(lambda m: f"job {jobs[m[1]]}" if m[1] in jobs else m[0], condition.message)
            yield f"{name} {condition.reason} in {queue}: {message}"


def _gang(facts: Facts, _: Shown) -> Signs:
    """The state of the PodGroup, and schedulers that are not running."""
    there = {gang["metadata"]["name"] for gang in facts.gangs or []}
    named = {pod.gang for pod in facts.workers if pod.gang and not pod.node and not pod.gone}
    for name in sorted(named - there if "PodGroups" not in facts.hidden else ()):
        yield Sign("gang", f"podgroup {name}", f"no PodGroup {name}")
    for gang in facts.gangs or []:
        name = gang["metadata"]["name"]
        held = true(conditions(gang.get("status", {}).get("conditions")))
        if "Unschedulable" in held:
            yield Sign("gang", f"podgroup {name}", f"Unschedulable {held['Unschedulable'].message}")
    for pod in facts.workers:
        waits = pod.phase == "Pending" and not pod.node and "PodScheduled" not in pod.conditions
        if waits and pod.scheduler not in DEFAULT_SCHEDULERS and facts.now - pod.created > PATIENCE_SECONDS / 4:
            yield Sign("gang", _about(pod), f"no scheduler {pod.scheduler}")


def _claims(facts: Facts, _: Shown) -> Signs:
    """Claims without a volume, with their newest events."""
    for claim in facts.claims or []:
        name = claim["metadata"]["name"]
        age = facts.now - (seconds(claim["metadata"].get("creationTimestamp")) or 0)
        if claim.get("status", {}).get("phase") == "Pending":
            events = [event for event in facts.events if event.uid == claim["metadata"]["uid"]]
            newest = max(events, key=lambda event: event.last, default=None)
            if age <= PROVISIONING_SECONDS and (newest.reason if newest else "") in PROVISIONING:
                continue
            modes = ",".join(claim["spec"].get("accessModes", []))
            text = f"{newest.reason}: {newest.message}" if newest else "no event"
            yield Sign("claim", f"claim {name}", f"{text} ({modes}, class {claim['spec'].get('storageClassName')})")


def _scheduling(facts: Facts, _: Shown) -> Signs:
    """Pods that cannot be scheduled."""
    for _job, pods in _roles(facts):
        for pod in pods:
            condition = pod.conditions.get("PodScheduled")
            if condition and condition.status == "False":
                if UNBOUND in condition.message and facts.now - pod.created <= PROVISIONING_SECONDS:
                    continue
                yield Sign("scheduling", _about(pod), _explained(condition.reason, condition.message, pod, facts.nodes))


def _explained(reason: str, message: str, pod: Pod, nodes: Sequence[Dict] | None) -> str:
    """The message of the scheduler, or what explains it: the size of the largest node, missing labels, taints."""
    for resource, asked in pod.requests.items():
        if f"Insufficient {resource}" not in message:
            continue
        sizes = [node["status"]["allocatable"].get(resource, "0") for node in nodes or []]
        largest = max(sizes, key=amount, default="")
        if largest and amount(largest) < amount(asked):
            return f"too large: {asked} {resource} of {largest}; {message}"
        return f"taken: {asked} {resource}; {message}"
    if "affinity/selector" in message and (lacks := missing(pod.required, nodes or [])):
        return f"no label {lacks.wanted}; {lacks.there or 'each is on some node, but not all on one'}"
    if "untolerated taint" in message and (taints := _taints(pod, nodes or [])):
        return f"untolerated taint {{{taints}}}"
    return f"{reason}: {message}"


def _taints(pod: Pod, nodes: Sequence[Dict]) -> str:
    """The taints of the nodes with the labels that a pod selects; empty if one of these nodes has no taint."""
    fitting = selected(pod.required, nodes)
    by_node = [[one for one in node["spec"].get("taints") or [] if one["effect"] in EFFECTS] for node in fitting]
    return (
        ", ".join(sorted({f"{one['key']}:{one['effect']}" for taints in by_node for one in taints}))
        if all(by_node)
        else ""
    )


def _waiting(facts: Facts, _: Shown) -> Signs:
    """Containers that the kubelet cannot start: image, configuration, program."""
    for _job, pods in _roles(facts):
        for pod in pods:
            for container in pod.containers:
                if container.state == "waiting" and container.reason not in ("ContainerCreating", "PodInitializing"):
                    about = f"{_about(pod, container)}, image {container.image}"
                    yield Sign("container", about, f"{container.reason}: {container.message}")


def _mounts(facts: Facts, _: Shown) -> Signs:
    """Events of pods that have a node, but no container yet."""
    reasons = ("FailedMount", "FailedAttachVolume", "FailedCreatePodSandBox", "FailedMapVolume")
    for _job, pods in _roles(facts):
        for pod in pods:
            begun = any(container.state in ("running", "terminated") for container in pod.containers)
            events = [event for event in facts.events if event.uid == pod.uid and event.reason in reasons]
            if pod.node and not begun and events:
                newest = max(events, key=lambda event: event.last)
                yield Sign("mount", _about(pod), f"{newest.reason}: {newest.message}")


def _exits(facts: Facts, _: Shown) -> Signs:
    """Containers of the newest pods that ended with an error, and all containers that were killed for their memory."""
    newest = {pod.uid for pod in [*facts.workers, *facts.pods_of("launcher")]}
    for pod in facts.pods:
        for container in pod.containers:
            code = container.exit_code
            if container.kind == "sidecar" or code is None or code in ENDED_WELL:
                continue
            if pod.uid in newest or container.reason == "OOMKilled":
                word = "init" if container.kind == "init" else pod.role
                yield Sign("exit", _about(pod, container), f"{word} {container.reason} {code} {container.message}")


def _nodes(facts: Facts, _: Shown) -> Signs:
    """Nodes of the run that are not ready."""
    lost = {
        node["metadata"]["name"]
        for node in facts.nodes or []
        if any(c["type"] == "Ready" and c["status"] != "True" for c in node["status"]["conditions"] or [])
    }
    for pod in facts.pods:
        target = pod.conditions.get("DisruptionTarget")
        tainted = pod.deleting and target and target.reason == "DeletionByTaintManager"
        if not pod.gone and pod.node and (pod.node in lost or tainted or pod.reason == "NodeLost"):
            yield Sign("node", f"node {pod.node}", f"NotReady {pod.role}")


def _said(_: Facts, shown: Shown) -> Signs:
    """The phase of the run."""
    yield Sign("phase", "", f"{shown.phase} {shown.reason} {shown.message}")


def _long_waits(facts: Facts, shown: Shown) -> Signs:
    """Long waits: for the key, for the launcher to reach running workers, for the ranks to connect."""
    waited = facts.now - (shown.since or facts.now)
    secret = facts.settings.get("secret", "")
    # A key of the user exists or not; a generated key reaches the kubelet within a minute.
    if shown.reason == "WaitingForKey" and waited > PATIENCE_SECONDS * (2 if secret == f"{facts.job}-ssh" else 1 / 4):
        yield Sign("wait", f"secret {secret}", "key")
    if waited < 2 * PATIENCE_SECONDS:
        return
    if shown.reason == "RanksStarting" or _unconnected(facts, shown):
        yield Sign("wait", f"run {facts.run}", f"ranks {int(waited)}")
    if shown.reason == "WaitingForWorkers" and facts.workers and all(pod.up for pod in facts.workers):
        yield Sign("wait", f"job {facts.job}-{facts.run}-launcher", f"{len(facts.workers)} workers")


def _unconnected(facts: Facts, shown: Shown) -> bool:
    """Whether the ranks run without connections between them, as far as the launcher sees them."""
    settings = facts.settings
    seen = settings.get("method") in CONNECTIONS_SEEN and settings.get("autotuning") == "none"
    expected = seen and settings.get("expectWorld") and not shown.reason
    return bool(expected) and shown.phase == "Running" and facts.record.get("worldSize") is None


def _held(facts: Facts, shown: Shown) -> Signs:
    """Running workers that hold devices without a running launcher."""
    up = [pod for pod in facts.workers if pod.up]
    launcher, job = facts.launcher_pod, facts.launcher
    if not up or shown.phase != "Pending" or (launcher and launcher.up) or not job:
        return
    if facts.now - max(job.created, max(pod.created for pod in up)) > PATIENCE_SECONDS:
        devices = sum(sum(accelerators(pod.requests).values()) for pod in up)
        yield Sign("held", f"job {job.name}", f"{len(up)} {devices}")


PLACES: tuple[Callable[[Facts, Shown], Signs], ...] = (
    *(_jobs, _creation, _queue, _gang, _claims, _scheduling, _waiting, _mounts, _exits, _nodes),
    *(_said, _long_waits, _held),
)
"""The sources of signs while a run has not ended."""
ENDED = (_exits, _said)
"""The sources of signs after the end of a run."""
