"""Where it shows that a run is blocked: each place that is looked at, and what is said there. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from dsgen.cluster.facts import Container, Dict, Facts, Job, Pod, accelerators, true
from dsgen.cluster.parse import conditions
from dsgen.cluster.words import ENDS, Shown
from dsgen.reading.quantities import amount

PATIENCE_SECONDS = 60
"""What is in order for so long at the start of a healthy run is a cause only after it."""
DEFAULT_SCHEDULERS = ("", "default-scheduler")
EFFECTS = ("NoSchedule", "NoExecute")
"""Of taints that keep pods away."""
PREEMPTOR = re.compile(r"a workload \(UID: ([^,)]+)[^)]*\)")
"""How Kueue names the one for which another was preempted."""
ENDED_WELL = (0, 143)  # 143: told to end
Signs = Iterator["Sign"]


class Sign(NamedTuple):
    """Something that was seen: the place (see PLACES), the object that it is about, and the words there."""

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
    """Jobs that should be there, and are not."""
    for role, job, other in (("launcher", facts.launcher, facts.worker), ("worker", facts.worker, facts.launcher)):
        if job is None and other is not None:
            yield Sign("job", f"job {facts.job}-{facts.run}-{role}", f"missing {role}")


def _creation(facts: Facts, _: Shown) -> Signs:
    """Events of a Job that has fewer pods than it wants: the API server refused them."""
    for job, pods in _roles(facts):
        if len(pods) >= job.parallelism or job.suspended or job.ended:
            continue
        events = [event for event in facts.events if event.uid == job.uid and event.reason == "FailedCreate"]
        if events:
            yield Sign("creation", f"job {job.name}", max(events, key=lambda event: event.last).message)


def _queue(facts: Facts, _: Shown) -> Signs:
    """The Workload of a Job that waits in a queue of Kueue."""
    for job, _pods in _roles(facts):
        if not (job.queue and job.suspended) or "Workloads of Kueue" in facts.hidden:
            continue
        mine = [found for found in facts.workloads or [] if _owns(job, found)]
        if not mine:
            missing = "no Workload" if facts.workloads is not None else "no Kueue"
            if facts.now - job.created > PATIENCE_SECONDS / 4:
                yield Sign("queue", f"job {job.name}", f"{missing} {job.queue}")
        for found in mine:
            yield from (Sign("queue", f"job {job.name}", text) for text in _workload(found, job.queue, facts.queued))


def _owns(job: Job, workload: Dict) -> bool:
    return any(owner["uid"] == job.uid for owner in workload["metadata"].get("ownerReferences", []))


def _workload(found: Dict, queue: str, jobs: Mapping[str, str]) -> Iterator[str]:
    held = conditions(found.get("status", {}).get("conditions"))
    if found["spec"].get("active") is False:
        yield "inactive"
    for name in ("Evicted", "QuotaReserved"):
        condition = held.get(name)
        if condition and (condition.status == "True") == (name == "Evicted"):
            message = PREEMPTOR.sub(lambda m: f"job {jobs[m[1]]}" if m[1] in jobs else m[0], condition.message)
            yield f"{name} {condition.reason} in {queue}: {message}"


def _gang(facts: Facts, _: Shown) -> Signs:
    """The PodGroup, and schedulers that nobody runs."""
    there = {found["metadata"]["name"] for found in facts.gangs or []}
    named = {pod.gang for pod in facts.workers if pod.gang and not pod.node and not pod.gone}
    for name in sorted(named - there if "PodGroups" not in facts.hidden else ()):
        yield Sign("gang", f"podgroup {name}", f"no PodGroup {name}")
    for found in facts.gangs or []:
        name = found["metadata"]["name"]
        held = true(conditions(found.get("status", {}).get("conditions")))
        if "Unschedulable" in held:
            yield Sign("gang", f"podgroup {name}", f"Unschedulable {held['Unschedulable'].message}")
    for pod in facts.workers:
        waits = pod.phase == "Pending" and not pod.node and "PodScheduled" not in pod.conditions
        if waits and pod.scheduler not in DEFAULT_SCHEDULERS and facts.now - pod.created > PATIENCE_SECONDS / 4:
            yield Sign("gang", _about(pod), f"no scheduler {pod.scheduler}")


def _claims(facts: Facts, _: Shown) -> Signs:
    """Claims that have no volume, with the newest event of each."""
    for found in facts.claims or []:
        name = found["metadata"]["name"]
        if found.get("status", {}).get("phase") == "Pending":
            events = [event for event in facts.events if event.uid == found["metadata"]["uid"]]
            newest = max(events, key=lambda event: event.last, default=None)
            modes = ",".join(found["spec"].get("accessModes", []))
            text = f"{newest.reason}: {newest.message}" if newest else "no event"
            yield Sign("claim", f"claim {name}", f"{text} ({modes}, class {found['spec'].get('storageClassName')})")


def _scheduling(facts: Facts, _: Shown) -> Signs:
    """Pods that no node takes."""
    for _job, pods in _roles(facts):
        for pod in pods:
            found = pod.conditions.get("PodScheduled")
            if found and found.status == "False":
                yield Sign("scheduling", _about(pod), _with_sizes(found.reason, found.message, pod, facts.nodes))


def _with_sizes(reason: str, message: str, pod: Pod, nodes: Sequence[Dict] | None) -> str:
    """The scheduler's words, with the largest node before them where one resource is more than any node has."""
    for resource, asked in pod.requests.items():
        if f"Insufficient {resource}" not in message:
            continue
        sizes = [node["status"]["allocatable"].get(resource, "0") for node in nodes or []]
        largest = max(sizes, key=amount, default="")
        if largest and amount(largest) < amount(asked):
            return f"too large: {asked} {resource} of {largest}; {message}"
        return f"taken: {asked} {resource}; {message}"
    if "untolerated taint" in message and (taints := _taints(pod, nodes or [])):
        return f"untolerated taint {{{taints}}}"
    return f"{reason}: {message}"


def _taints(pod: Pod, nodes: Sequence[Dict]) -> str:
    """The taints of the nodes that have the labels which a pod selects; empty where one of these has none."""
    fitting = [node for node in nodes if pod.selector.items() <= (node["metadata"].get("labels") or {}).items()]
    found = [[one for one in node["spec"].get("taints") or [] if one["effect"] in EFFECTS] for node in fitting]
    return (
        ", ".join(sorted({f"{one['key']}:{one['effect']}" for taints in found for one in taints})) if all(found) else ""
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
    """Events of pods that have a node and no container yet."""
    reasons = ("FailedMount", "FailedAttachVolume", "FailedCreatePodSandBox", "FailedMapVolume")
    for _job, pods in _roles(facts):
        for pod in pods:
            begun = any(container.state in ("running", "terminated") for container in pod.containers)
            events = [event for event in facts.events if event.uid == pod.uid and event.reason in reasons]
            if pod.node and not begun and events:
                newest = max(events, key=lambda event: event.last)
                yield Sign("mount", _about(pod), f"{newest.reason}: {newest.message}")


def _exits(facts: Facts, _: Shown) -> Signs:
    """Containers that ended with an error, of the newest pods; and any that was killed for its memory."""
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
    """Nodes of the run that do not answer any more."""
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
    """What the record, or its silence, says by itself."""
    yield Sign("phase", "", f"{shown.phase} {shown.reason} {shown.message}")


def _long_waits(facts: Facts, shown: Shown) -> Signs:
    """Waiting that is in order at first: for the key, for workers that are all up, for the ranks to meet."""
    waited = facts.now - (shown.since or facts.now)
    secret = facts.settings.get("secret", "")
    # A key of the user's is there or not; one that is made takes the kubelets a minute.
    if shown.reason == "WaitingForKey" and waited > PATIENCE_SECONDS * (2 if secret == f"{facts.job}-ssh" else 1 / 4):
        yield Sign("wait", f"secret {secret}", "key")
    if waited < 2 * PATIENCE_SECONDS:
        return
    if shown.reason == "RanksStarting":
        yield Sign("wait", f"run {facts.run}", f"ranks {int(waited)}")
    if shown.reason == "WaitingForWorkers" and facts.workers and all(pod.up for pod in facts.workers):
        yield Sign("wait", f"job {facts.job}-{facts.run}-launcher", f"{len(facts.workers)} workers")


def _held(facts: Facts, shown: Shown) -> Signs:
    """Workers that are up, with their devices, while no launcher is."""
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
"""Where is looked while a run goes on."""
ENDED = (_exits, _said)
"""Where is looked once it has ended."""
