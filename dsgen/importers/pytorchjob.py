"""PyTorchJob (kubeflow.org/v1): equal pods that an operator numbers, with torchrun or with one process each."""

from __future__ import annotations

from collections.abc import Mapping

from dsgen.importers.container_commands import runtime_of, write_command
from dsgen.importers.conversion import Conversion
from dsgen.importers.documents import Document
from dsgen.importers.fields import (
    Action,
    Fields,
    Table,
    as_count,
    as_text,
    as_whole,
    drop,
    lose,
    to,
)
from dsgen.importers.objects import HEAD, minimum, suspend, ttl
from dsgen.importers.pods import read_pod
from dsgen.importers.world import World
from dsgen.problems.diagnostics import Path
from dsgen.reading.nodes import Node

REPLICAS = ("spec", "pytorchReplicaSpecs")
RUNTIME: Mapping[str, str] = {
    "RANK": "NODE_RANK",
    "WORLD_SIZE": "NNODES",
    "MASTER_ADDR": "MASTER_ADDR",
    "MASTER_PORT": "MASTER_PORT",
    "PET_NNODES": "NNODES",
    "PET_NODE_RANK": "NODE_RANK",
    "PET_NPROC_PER_NODE": "NPROC_PER_NODE",
    "PET_MASTER_ADDR": "MASTER_ADDR",
    "PET_MASTER_PORT": "MASTER_PORT",
}
"""What the operator sets in each pod: RANK and WORLD_SIZE count pods."""
ELASTIC = "a run of dsgen has a fixed number of workers"
SAME = "it is the same as in the other pods"


def convert(document: Document, conversion: Conversion) -> None:
    """One PyTorchJob."""
    fields = Fields(conversion, document)
    roles = [role for role in ("Worker", "Master") if fields.child(*REPLICAS, role) is not None]
    nodes = sum(_replicas(fields, role) for role in roles)
    main = next(iter(roles), "Worker")
    fields.apply({**HEAD, "spec": _spec(nodes)})
    for role in roles:
        fields.apply(
            {"restartPolicy": _restart(main), "replicas": _count}, (*REPLICAS, role), fields.child(*REPLICAS, role)
        )
    if len(roles) == 2:
        same_templates(fields, (*REPLICAS, "Worker", "template"), (*REPLICAS, "Master", "template"))
    pod = read_pod(fields, (*REPLICAS, main, "template"), "workers", ("pytorch",))
    slots = _slots(fields, pod.devices)
    world = World(nodes=nodes or None, slots=slots, devices=pod.devices, runs_ranks=pod.devices <= 1)
    write_command(fields, pod, world, runtime_of(conversion, RUNTIME))
    conversion.facts.workers = pod.facts
    fields.finish()


def _replicas(fields: Fields, role: str) -> int:
    node = fields.child(*REPLICAS, role, "replicas")
    return 1 if node is None else as_whole(node.value) or 0


def _slots(fields: Fields, devices: int) -> int | None:
    """nprocPerNode: a number, or one process for each device."""
    node = fields.child("spec", "nprocPerNode")
    if node is None:
        return None
    return as_count(node.value) or (devices or None)


def _spec(nodes: int) -> Table:
    return {
        "nprocPerNode": _nproc,
        "pytorchReplicaSpecs": {},
        "elasticPolicy": {
            "maxRestarts": to("lifecycle.maxRestarts", lambda data: min(as_whole(data) or 0, 1000) or None),
            "nProcPerNode": drop("the command line or nprocPerNode says it"),
            **dict.fromkeys(("rdzvBackend", "rdzvHost", "rdzvPort", "rdzvId", "standalone"), drop(
                "dsgen gives every process its rank and the address of worker 0")),
            "rdzvConf": lose("dsgen has its own rendezvous", "set lifecycle.startTimeoutSeconds"),
            "*": lose(ELASTIC),
        },
        "runPolicy": {
            "activeDeadlineSeconds": to("lifecycle.activeDeadlineSeconds", as_count),
            "backoffLimit": _backoff,
            "suspend": suspend,
            "ttlSecondsAfterFinished": ttl,
            "cleanPodPolicy": drop("workers end with the run, and their pods stay until the run is deleted"),
            "managedBy": lose("dsgen has no equivalent of it"),
            "schedulingPolicy": scheduling(nodes),
        },
    }  # fmt: skip


def scheduling(nodes: int) -> Table:
    """schedulingPolicy of an operator."""
    return {
        "queue": _queue,
        "priorityClass": _priority,
        "minAvailable": minimum(nodes),
        "scheduleTimeoutSeconds": to("lifecycle.startTimeoutSeconds", as_count),
        "minResources": drop("the scheduler adds up the requests of the pods"),
    }


def _queue(fields: Fields, path: Path, node: Node) -> None:
    draft = fields.conversion.draft
    if not draft.get("scheduling.queue"):
        draft.set("scheduling.gang", "volcano")
    to("scheduling.queue", as_text)(fields, path, node)


def _priority(fields: Fields, path: Path, node: Node) -> None:
    if fields.conversion.draft.get("scheduling.queue") or fields.child(*path[:-1], "queue") is not None:
        to("scheduling.priorityClass", as_text)(fields, path, node)
    else:
        to("workers.priorityClassName", as_text)(fields, path, node)


def _nproc(fields: Fields, path: Path, node: Node) -> None:
    if node.value in ("gpu", "auto", "cpu") or as_count(node.value):
        fields.map(path, node, "workers.slots")
    else:
        fields.lose(path, node, "its value is no number of processes", "set workers.slots")


def _count(fields: Fields, path: Path, node: Node) -> None:
    if as_whole(node.value) is None:
        fields.lose(path, node, "its value is no number of pods", "set workers.replicas")
    else:
        fields.map(path, node, "workers.replicas")


def _backoff(fields: Fields, path: Path, node: Node) -> None:
    number = as_whole(node.value)
    if number == 0:
        fields.drop(path, node, "a failed training does not restart unless lifecycle.maxRestarts allows it")
    else:
        to("lifecycle.maxRestarts", lambda data: min(as_whole(data) or 0, 1000) or None)(fields, path, node)


def _restart(main: str) -> Action:
    """restartPolicy of a role; that of the others is the same as that of the main one."""

    def action(fields: Fields, path: Path, node: Node) -> None:
        twin = fields.child(*REPLICAS, main, "restartPolicy")
        if path[-2] != main and twin is not None and twin.value == node.value:
            fields.drop(path, node, SAME)
        else:
            restart(fields, path, node)

    return action


def restart(fields: Fields, path: Path, node: Node) -> None:
    """restartPolicy: whether a failed training restarts."""
    draft = fields.conversion.draft
    if node.value == "Never":
        fields.drop(path, node, "a failed training does not restart unless lifecycle.maxRestarts allows it")
    elif draft.get("lifecycle.maxRestarts") and node.value in ("OnFailure", "Always"):
        fields.map(path, node, "lifecycle.maxRestarts")
    elif node.value == "ExitCode":
        fields.lose(path, node, "the operator restarts pods that end with a code above 127",
                    "set lifecycle.maxRestarts and lifecycle.restartExitCodes")  # fmt: skip
    else:
        fields.lose(path, node, "the source does not say how often a failed training may restart",
                    "set lifecycle.maxRestarts if the program loads its own checkpoint")  # fmt: skip


def same_templates(fields: Fields, kept: Path, other: Path) -> None:
    """Drop the fields of another template that are the same, and name those that differ with both lines."""
    first, second = fields.child(*kept), fields.child(*other)
    if first is None or second is None:
        return
    for place, node in second.walk(other):
        if isinstance(node.value, dict | list):
            continue
        twin = fields.child(*kept, *place[len(other) :])
        if twin is not None and twin.data() == node.data():
            fields.drop(place, node, SAME)
        else:
            where = f"line {twin.position.line}" if twin is not None else "none"
            fields.lose(place, node, f"it differs from the other pods of the job ({where}), and all workers are equal",
                        "see whether the workers need it")  # fmt: skip
