"""Jobs of equal pods: what PyTorchJob, JobSet, ElasticJob and others have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dsgen.importers.container_commands import make_runtime, write_command
from dsgen.importers.fields import Fields, as_whole
from dsgen.importers.pod_fields import Pod
from dsgen.importers.pods import read_pod
from dsgen.importers.world import World
from dsgen.problems import KeyPath
from dsgen.reading.nodes import Node

SAME = "it is the same as in the other pods"


def write_pods(
    fields: Fields,
    template: KeyPath,
    nodes: int | None,
    runtime: Mapping[str, str],
    names: Sequence[str] = (),
    slots: int | None = None,
    runs_ranks: bool = True,
) -> Pod:
    """Fill the values from a pod template whose pods all run the same command, and account for it.

    nodes: the number of pods, None if it is not known. runtime: what the operator sets in each pod. names: of the main
    container. slots: processes in each pod, None if the command or the devices say it. runs_ranks: a program without a
    launcher is one rank in each pod, as in PyTorchJob.
    """
    pod = read_pod(fields, template, "workers", names)
    world = World(nodes or None, slots, pod.devices, runs_ranks=runs_ranks and pod.devices <= 1)
    fields.conversion.facts.workers = pod.facts
    write_command(fields, pod, world, make_runtime(fields.conversion, runtime))
    return pod


def compare_templates(fields: Fields, kept: KeyPath, other: KeyPath, holder: Fields | None = None) -> None:
    """Drop the fields of another template that are the same, and name those that differ with both lines.

    kept, other: the paths of the templates. holder: the object with the kept one, if that is another object.
    """
    holder = holder or fields
    first, second = holder.find_node(*kept), fields.find_node(*other)
    if first is None or second is None:
        return
    for place, node in second.walk(other):
        if isinstance(node.value, dict | list):
            continue
        twin = holder.find_node(*kept, *place[len(other) :])
        is_name = len(place) == len(other) + 4 and place[-3:-1] == ("containers", place[-2]) and place[-1] == "name"
        if is_name or (twin is not None and twin.as_data() == node.as_data()):
            fields.drop(place, node, SAME)
        else:
            where = f"line {twin.position.line}" if twin is not None else "none"
            fields.lose(place, node, f"it differs from the other pods of the job ({where}), and all workers are equal",
                        "see whether the workers need it")  # fmt: skip


def read_number(fields: Fields, *path: str | int, default: int = 1) -> int:
    """A whole number at a path; the default if there is none, 0 if it is no number."""
    node = fields.find_node(*path)
    return default if node is None else as_whole(node.value) or 0


def map_replicas(fields: Fields, path: KeyPath, node: Node) -> None:
    """A number of pods."""
    if as_whole(node.value) is None:
        fields.lose(path, node, "its value is no number of pods", "set workers.replicas")
    else:
        fields.map(path, node, "workers.replicas")


def map_slots(fields: Fields, path: KeyPath, node: Node) -> None:
    """A number of processes in each pod, or a word for one on each device."""
    if node.value in ("gpu", "auto", "cpu") or as_whole(node.value):
        fields.map(path, node, "workers.slots")
    else:
        fields.lose(path, node, "its value is no number of processes", "set workers.slots")
