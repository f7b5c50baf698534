"""Finds why a run does not continue. Pure functions.

The symptoms are in the conditions, events and states of its objects; the rules of `reasons` know their causes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from dsgen.cluster.models import (
    SCRIPTS,
    Container,
    JobState,
    PodState,
    RunState,
    count_accelerators,
    parse_conditions,
    parse_time,
    select_true_conditions,
)
from dsgen.cluster.phase import ENDS, RunStatus, find_status
from dsgen.cluster.reasons import GENERAL, RULES, CauseRule
from dsgen.cluster.requirements import ApiObject, find_missing, select_nodes
from dsgen.language.functions import parse_quantity

PAGE = "docs/causes.md"
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
ENDED_WELL = (0, 143)  # 143: ended by SIGTERM
CANNOT_START = ("StartError", "ContainerCannotRun")
"""Of a container that never ran. A sidecar that ended otherwise is started again, and is no problem."""
UNEXPLAINED = ("", "LauncherNotStarted", "WaitingForWorkers", "WorkersLost")
"""Reasons of Pending that are less specific than the first cause."""
Symptoms = Iterator["Symptom"]


class Cause(NamedTuple):
    """A cause, with the first object that has it, and the number of other objects."""

    reason: str
    message: str
    about: str
    more: int
    keys: tuple[str, ...]
    detail: str

    @property
    def link(self) -> str:
        return f"{PAGE}#{self.reason.lower()}"


class Symptom(NamedTuple):
    """A sign of a problem: the object, and the text there."""

    about: str
    text: str


def diagnose(state: RunState) -> tuple[RunStatus, list[Cause]]:
    """Phase and causes of a run. A phase without a specific reason gets the reason of its first cause."""
    status = find_status(state)
    causes = find_causes(state, status)
    if status.phase == "Pending" and status.reason in UNEXPLAINED and causes:
        status = status._replace(reason=causes[0].reason, message=causes[0].message)
    return status, causes


def find_causes(state: RunState, shown: RunStatus) -> list[Cause]:
    """The causes of a run in this phase, root causes first, without duplicates."""
    found: dict[CauseRule, list[Cause]] = {}
    for place in ENDED if shown.phase in ENDS else PLACES:
        for symptom in PLACES[place](state, shown):
            for rule in RULES[place]:
                if match := re.search(rule.pattern, symptom.text):
                    parts = {key: value or "" for key, value in match.groupdict().items()}
                    message = " ".join(rule.message.format(**symptom._asdict(), **parts).split()).rstrip(":. ")
                    cause = Cause(rule.reason, message, symptom.about, 0, rule.keys, symptom.text)
                    found.setdefault(rule, []).append(cause)
                    break
    causes = [
        found[rule][0]._replace(more=len({one.about for one in found[rule]}) - 1)
        for rules in RULES.values()
        for rule in rules
        if rule in found
    ]
    specific = [cause for cause in causes if cause.reason not in GENERAL]
    return specific or causes


def _list_roles(state: RunState) -> Iterator[tuple[JobState, list[PodState]]]:
    for job, pods in ((state.launcher, state.list_pods("launcher")), (state.worker, state.workers)):
        if job:
            yield job, [pod for pod in pods if not pod.gone]


def _format_about(pod: PodState, container: Container | None = None) -> str:
    return f"pod {pod.name}" + (f", container {container.name}" if container and container.name != pod.role else "")


def _find_lost_scripts(state: RunState, _: RunStatus) -> Symptoms:
    """Shared scripts that do not exist: pods cannot start, except on a node that still has them."""
    if state.lost_scripts:
        name = SCRIPTS.sub("", state.lost_scripts[0])
        command = f"dsgen runtime -n {state.namespace} --name {name} | kubectl apply --server-side -f -"
        yield Symptom(f"run {state.run}", f"{', '.join(state.lost_scripts)}: {command}")


def _find_missing_jobs(state: RunState, _: RunStatus) -> Symptoms:
    for role, job, other in (("launcher", state.launcher, state.worker), ("worker", state.worker, state.launcher)):
        if job is None and other is not None:
            yield Symptom(f"job {state.job}-{state.run}-{role}", f"missing {role}")


def _find_refused_pods(state: RunState, _: RunStatus) -> Symptoms:
    """Events of a Job with too few pods, because the API server refuses them."""
    for job, pods in _list_roles(state):
        if len(pods) >= job.parallelism or job.suspended or job.ended:
            continue
        events = [event for event in state.events if event.uid == job.uid and event.reason == "FailedCreate"]
        if events:
            yield Symptom(f"job {job.name}", max(events, key=lambda event: event.last).message)


def _find_queue_states(state: RunState, _: RunStatus) -> Symptoms:
    """The state of the Workload of a Job in a queue of Kueue."""
    for job, _pods in _list_roles(state):
        if not (job.queue and job.suspended) or "Workloads of Kueue" in state.hidden:
            continue
        owned = ((one, one["metadata"].get("ownerReferences", [])) for one in state.workloads or [])
        mine = [workload for workload, owners in owned if any(owner["uid"] == job.uid for owner in owners)]
        if not mine:
            missing = "no Workload" if state.workloads is not None else "no Kueue"
            if state.now - job.created > PATIENCE_SECONDS / 4:
                yield Symptom(f"job {job.name}", f"{missing} {job.queue}")
        for workload in mine:
            yield from (
                Symptom(f"job {job.name}", text) for text in _describe_workload(workload, job.queue, state.queued)
            )


def _describe_workload(workload: ApiObject, queue: str, jobs: Mapping[str, str]) -> Iterator[str]:
    held = parse_conditions(workload.get("status", {}).get("conditions"))
    if workload["spec"].get("active") is False:
        yield "inactive"
    for name in ("Evicted", "QuotaReserved"):
        condition = held.get(name)
        if condition and (condition.status == "True") == (name == "Evicted"):
            message = PREEMPTOR.sub(lambda m: f"job {jobs[m[1]]}" if m[1] in jobs else m[0], condition.message)
            yield f"{name} {condition.reason} in {queue}: {message}"


def _find_gang_states(state: RunState, _: RunStatus) -> Symptoms:
    """The state of the PodGroup, and schedulers that are not running."""
    there = {gang["metadata"]["name"] for gang in state.gangs or []}
    named = {pod.gang for pod in state.workers if pod.gang and not pod.node and not pod.gone}
    for name in sorted(named - there if "PodGroups" not in state.hidden else ()):
        yield Symptom(f"podgroup {name}", f"no PodGroup {name}")
    for gang in state.gangs or []:
        name = gang["metadata"]["name"]
        held = select_true_conditions(parse_conditions(gang.get("status", {}).get("conditions")))
        if "Unschedulable" in held:
            yield Symptom(f"podgroup {name}", f"Unschedulable {held['Unschedulable'].message}")
    for pod in state.workers:
        waits = pod.phase == "Pending" and not pod.node and "PodScheduled" not in pod.conditions
        if waits and pod.scheduler not in DEFAULT_SCHEDULERS and state.now - pod.created > PATIENCE_SECONDS / 4:
            yield Symptom(_format_about(pod), f"no scheduler {pod.scheduler}")


def _find_pending_claims(state: RunState, _: RunStatus) -> Symptoms:
    """Claims without a volume, with their newest events."""
    for claim in state.claims or []:
        name = claim["metadata"]["name"]
        age = state.now - (parse_time(claim["metadata"].get("creationTimestamp")) or 0)
        if claim.get("status", {}).get("phase") == "Pending":
            events = [event for event in state.events if event.uid == claim["metadata"]["uid"]]
            newest = max(events, key=lambda event: event.last, default=None)
            if age <= PROVISIONING_SECONDS and (newest.reason if newest else "") in PROVISIONING:
                continue
            modes = ",".join(claim["spec"].get("accessModes", []))
            text = f"{newest.reason}: {newest.message}" if newest else "no event"
            yield Symptom(f"claim {name}", f"{text} ({modes}, class {claim['spec'].get('storageClassName')})")


def _find_unscheduled_pods(state: RunState, _: RunStatus) -> Symptoms:
    """Pods that cannot be scheduled."""
    for _job, pods in _list_roles(state):
        for pod in pods:
            condition = pod.conditions.get("PodScheduled")
            if condition and condition.status == "False":
                if UNBOUND in condition.message and state.now - pod.created <= PROVISIONING_SECONDS:
                    continue
                yield Symptom(_format_about(pod), _explain(condition.reason, condition.message, pod, state.nodes))


def _explain(reason: str, message: str, pod: PodState, nodes: Sequence[ApiObject] | None) -> str:
    """The message of the scheduler, or what explains it: the size of the largest node, missing labels, taints."""
    for resource, asked in pod.requests.items():
        if f"Insufficient {resource}" not in message:
            continue
        sizes = [node["status"]["allocatable"].get(resource, "0") for node in nodes or []]
        largest = max(sizes, key=parse_quantity, default="")
        if largest and parse_quantity(largest) < parse_quantity(asked):
            return f"too large: {asked} {resource} of {largest}; {message}"
        return f"taken: {asked} {resource}; {message}"
    if "affinity/selector" in message and (lacks := find_missing(pod.required, nodes or [])):
        return f"no label {lacks.wanted}; {lacks.there or 'each is on some node, but not all on one'}"
    if "untolerated taint" in message and (taints := _describe_taints(pod, nodes or [])):
        return f"untolerated taint {{{taints}}}"
    return f"{reason}: {message}"


def _describe_taints(pod: PodState, nodes: Sequence[ApiObject]) -> str:
    """The taints of the nodes with the labels that a pod selects; empty if one of these nodes has no taint."""
    fitting = select_nodes(pod.required, nodes)
    by_node = [[taint for taint in node["spec"].get("taints") or [] if taint["effect"] in EFFECTS] for node in fitting]
    every = sorted({f"{one['key']}:{one['effect']}" for taints in by_node for one in taints})
    return ", ".join(every) if all(by_node) else ""


def _find_waiting_containers(state: RunState, _: RunStatus) -> Symptoms:
    """Containers that the kubelet cannot start: image, configuration, program."""
    for _job, pods in _list_roles(state):
        for pod in pods:
            for container in pod.containers:
                if container.state == "waiting" and container.reason not in ("ContainerCreating", "PodInitializing"):
                    about = f"{_format_about(pod, container)}, image {container.image}"
                    yield Symptom(about, f"{container.reason}: {container.message}")


def _find_mount_events(state: RunState, _: RunStatus) -> Symptoms:
    """Events of pods that have a node, but no container yet."""
    reasons = ("FailedMount", "FailedAttachVolume", "FailedCreatePodSandBox", "FailedMapVolume")
    for _job, pods in _list_roles(state):
        for pod in pods:
            begun = any(container.state in ("running", "terminated") for container in pod.containers)
            events = [event for event in state.events if event.uid == pod.uid and event.reason in reasons]
            newest = max(events, key=lambda event: event.last, default=None)
            if pod.node and not begun and newest and not any(name in newest.message for name in state.lost_scripts):
                yield Symptom(_format_about(pod), f"{newest.reason}: {newest.message}")


def _find_failed_exits(state: RunState, _: RunStatus) -> Symptoms:
    """Containers of the newest pods that ended with an error, and all containers that were killed for their memory."""
    newest = {pod.uid for pod in [*state.workers, *state.list_pods("launcher")]}
    for pod in state.pods:
        for container in pod.containers:
            code = container.exit_code
            is_restarted = container.kind == "sidecar" and container.reason not in CANNOT_START
            if is_restarted or code is None or code in ENDED_WELL:
                continue
            if pod.uid in newest or container.reason == "OOMKilled":
                word = "init" if container.kind == "init" else pod.role
                yield Symptom(_format_about(pod, container), f"{word} {container.reason} {code} {container.message}")


def _find_unready_nodes(state: RunState, _: RunStatus) -> Symptoms:
    """Nodes of the run that are not ready."""
    lost = {
        node["metadata"]["name"]
        for node in state.nodes or []
        if any(c["type"] == "Ready" and c["status"] != "True" for c in node["status"]["conditions"] or [])
    }
    for pod in state.pods:
        target = pod.conditions.get("DisruptionTarget")
        tainted = pod.deleting and target and target.reason == "DeletionByTaintManager"
        if not pod.gone and pod.node and (pod.node in lost or tainted or pod.reason == "NodeLost"):
            yield Symptom(f"node {pod.node}", f"NotReady {pod.role}")


def _find_long_waits(state: RunState, shown: RunStatus) -> Symptoms:
    """Long waits: for the key, for the launcher to reach running workers, for the ranks to connect."""
    waited = state.now - (shown.since or state.now)
    secret = state.settings.get("secret", "")
    # A key of the user exists or not; a generated key reaches the kubelet within a minute.
    if shown.reason == "WaitingForKey" and waited > PATIENCE_SECONDS * (2 if secret == f"{state.job}-ssh" else 1 / 4):
        yield Symptom(f"secret {secret}", "key")
    if waited < 2 * PATIENCE_SECONDS:
        return
    if shown.reason == "RanksStarting" or _is_unconnected(state, shown):
        yield Symptom(f"run {state.run}", f"ranks {int(waited)}")
    if shown.reason == "WaitingForWorkers" and state.workers and all(pod.up for pod in state.workers):
        yield Symptom(f"job {state.job}-{state.run}-launcher", f"{len(state.workers)} workers")


def _is_unconnected(state: RunState, shown: RunStatus) -> bool:
    """Whether the ranks run without connections between them, as far as the launcher sees them."""
    settings = state.settings
    seen = settings.get("autotuning", "none") == "none" and not state.runs_command
    expected = seen and settings.get("expectWorld") and not shown.reason
    return bool(expected) and shown.phase == "Running" and state.record.get("worldSize") is None


def _find_held_devices(state: RunState, shown: RunStatus) -> Symptoms:
    """Running workers that hold devices without a running launcher."""
    up = [pod for pod in state.workers if pod.up]
    launcher, job = state.launcher_pod, state.launcher
    if not up or shown.phase != "Pending" or (launcher and launcher.up) or not job:
        return
    if state.now - max(job.created, max(pod.created for pod in up)) > PATIENCE_SECONDS:
        devices = sum(sum(count_accelerators(pod.requests).values()) for pod in up)
        yield Symptom(f"job {job.name}", f"{len(up)} {devices}")


PLACES: Mapping[str, Callable[[RunState, RunStatus], Symptoms]] = {
    "scripts": _find_lost_scripts,
    "job": _find_missing_jobs,
    "creation": _find_refused_pods,
    "queue": _find_queue_states,
    "gang": _find_gang_states,
    "claim": _find_pending_claims,
    "scheduling": _find_unscheduled_pods,
    "container": _find_waiting_containers,
    "mount": _find_mount_events,
    "exit": _find_failed_exits,
    "node": _find_unready_nodes,
    "phase": lambda _, shown: iter([Symptom("", f"{shown.phase} {shown.reason} {shown.message}")]),
    "wait": _find_long_waits,
    "held": _find_held_devices,
}
ENDED = ("exit", "phase")
"""The places that say something after the end of a run."""
