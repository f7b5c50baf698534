"""What becomes of the options of sbatch and srun: one table."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from dsgen.importers.conversion import Conversion, as_dns_name
from dsgen.importers.environment import write_value
from dsgen.importers.images import write_image_of_cluster, write_mounts
from dsgen.importers.texts import Text, place_at

LOGS = "the log of the pods has the output; training.rankLogs also writes files"


SELECT = "set workers.nodeSelector to the labels of such nodes"


QUEUE = "set scheduling.queue, or workers.nodeSelector to the labels of its nodes"


BINDING = "it binds processes to cores"


STARTS = "dsgen starts the processes on all workers"


@dataclass
class Request:
    """What a script asks of Slurm, for each node unless the field says otherwise. None: it does not say."""

    nodes: int | None = None
    tasks: int | None = None
    all_tasks: int | None = None
    devices: int | None = None
    devices_of_task: int | None = None
    all_devices: int | None = None
    cpus_of_task: int | None = None
    memory_of_cpu: str = ""
    memory_of_device: str = ""
    resource: str = ""
    of_tasks: list[Text] = field(default_factory=list)
    of_devices: list[Text] = field(default_factory=list)
    """Options whose key depends on how the processes are started."""

    @property
    def implied_nodes(self) -> int | None:
        """The number of nodes if the script does not say it, and its other options leave no choice."""
        if 1 in (self.all_tasks, self.all_devices):
            return 1
        if self.all_tasks and self.tasks and self.all_tasks % self.tasks == 0:
            return self.all_tasks // self.tasks
        return None

    @property
    def tasks_of_node(self) -> int | None:
        """Processes that srun starts on each node."""
        if self.tasks is None and self.all_tasks and self.nodes and self.all_tasks % self.nodes == 0:
            return self.all_tasks // self.nodes
        return self.tasks

    @property
    def devices_of_node(self) -> int | None:
        """Devices of each node."""
        if self.devices is not None:
            return self.devices
        if self.devices_of_task is not None:
            return self.devices_of_task * (self.tasks_of_node or 1)
        if self.all_devices is not None and self.nodes and self.all_devices % self.nodes == 0:
            return self.all_devices // self.nodes
        return None


@dataclass
class Directive:
    """One option of sbatch or srun: its name without dashes, the words of it, and its value."""

    name: str
    words: list[Text]
    value: Text

    @property
    def whole(self) -> Text:
        """The option with its value, for reports."""
        return self.words[0]


Write = Callable[[Conversion, Request, Directive], None]
"""Writes one option into the values, or into the request."""


def drop(why: str) -> Write:
    """dsgen does it itself."""
    return lambda conversion, _, one: conversion.drop(one.whole, why)


def lose(why: str, hint: str = "") -> Write:
    """There is no equivalent."""
    return lambda conversion, _, one: conversion.lose(one.whole, why, hint)


def write_job_name(conversion: Conversion, _: Request, one: Directive) -> None:
    """The name of the job, as a DNS name."""
    name = as_dns_name(one.value.chars)
    if not name:
        conversion.lose(one.whole, "no name of a job can be made of it", "set name")
        return
    conversion.map(one.whole, conversion.draft.set("name", name))


def _as_whole(text: str) -> int | None:
    return int(text) if re.fullmatch("[0-9]{1,6}", text) else None


def write_nodes(conversion: Conversion, request: Request, one: Directive) -> None:
    """The number of workers."""
    least, _, most = one.value.chars.partition("-")
    request.nodes = _as_whole(most or least)
    if request.nodes:
        conversion.map(one.whole, "workers.replicas")
        if most:
            conversion.lose(one.whole, "a run shrinks after a loss only (workers.min)", is_part=True)
    else:
        conversion.lose(one.whole, "Slurm does not expand variables here, so the number of nodes is not known",
                        "set workers.replicas")  # fmt: skip


def write_count(attribute: str, to: str) -> Write:
    """A number that is a field of the request."""

    def write(conversion: Conversion, request: Request, one: Directive) -> None:
        count = _as_whole(one.value.chars)
        if count is None:
            conversion.lose(one.whole, "its value is no number", f"set {to}")
            return
        setattr(request, attribute, count)
        if to == "workers.slots":
            request.of_tasks.append(one.whole)
        else:
            conversion.map(one.whole, to)

    return write


NVIDIA = "nvidia.com/gpu"


RESOURCES = (
    (r"mi\d+\w*|amd|gfx\w+", "amd.com/gpu"),
    (r"gaudi\d*|hpu|hl\d+", "habana.ai/gaudi"),
    (r"(ascend|910|npu)\w*", "huawei.com/Ascend910"),
)
"""Types of devices that are not NVIDIA's."""


def write_gres(conversion: Conversion, request: Request, one: Directive) -> None:
    """Generic resources: GPUs, and others that are lost."""
    for part in one.value.chars.split(","):
        match = re.fullmatch(r"(?:gres[:/])?gpus?(?::([A-Za-z][\w.-]*))?(?:[:=](\d{1,4}))?(?:\(.*\))?", part)
        if not match:
            conversion.lose(one.whole, f"{part} is no device that dsgen can request", "set workers.resources.limits")
            continue
        request.devices = int(match[2] or 1)
        request.of_devices.append(one.whole)
        _write_device_type(conversion, request, one, match[1])


def write_devices(attribute: str) -> Write:
    """A number of GPUs, with or without a type."""

    def write(conversion: Conversion, request: Request, one: Directive) -> None:
        kind, _, count = one.value.chars.rpartition(":")
        number = _as_whole(count)
        if number is None:
            conversion.lose(one.whole, "its value is no number", "set workers.accelerator.count")
            return
        setattr(request, attribute, number)
        request.of_devices.append(one.whole)
        _write_device_type(conversion, request, one, kind)

    return write


def _write_device_type(conversion: Conversion, request: Request, one: Directive, kind: str | None) -> None:
    if not kind:
        return
    for pattern, resource in RESOURCES:
        if re.fullmatch(pattern, kind.lower()):
            request.resource = resource
            return
    conversion.lose(one.whole, f"it asks for devices of the type {kind}", SELECT, is_part=True)


def _parse_memory(text: str) -> str | None:
    """A quantity of Kubernetes for an amount of memory of Slurm, whose units are powers of 1024; None if it is none."""
    match = re.fullmatch(r"(\d{1,9})(?:\.\d+)?([KMGT]?)B?", text.upper())
    return f"{match[1]}{match[2] or 'M'}i" if match and int(match[1]) else None


def write_node_memory(conversion: Conversion, _: Request, one: Directive) -> None:
    """Memory of a node."""
    amount = _parse_memory(one.value.chars)
    if amount is None:
        conversion.lose(one.whole, "it asks for all memory of a node", "set workers.resources.requests.memory")
        return
    conversion.draft.set("workers.resources.requests.memory", amount)
    conversion.map(one.whole, conversion.draft.set("workers.resources.limits.memory", amount))


def write_memory_each(attribute: str) -> Write:
    """Memory of a CPU or a GPU."""

    def write(conversion: Conversion, request: Request, one: Directive) -> None:
        amount = _parse_memory(one.value.chars)
        if amount is None:
            conversion.lose(one.whole, "its value is no amount of memory", "set workers.resources.requests.memory")
            return
        setattr(request, attribute, amount)
        conversion.map(one.whole, "workers.resources.requests.memory")

    return write


def parse_time(text: str) -> int | None:
    """A time of Slurm: minutes, minutes:seconds, hours:minutes:seconds, days-hours[:minutes[:seconds]]."""
    match = re.fullmatch(r"(?:(\d{1,4})-)?(\d{1,6})(?::(\d{1,4}))?(?::(\d{1,4}))?", text)
    if not match:
        return None
    days, first, second, third = (int(part) if part else 0 for part in match.groups())
    if match[1]:
        return ((days * 24 + first) * 60 + second) * 60 + third
    if match[4]:
        return (first * 60 + second) * 60 + third
    return first * 60 + second


def write_time_limit(conversion: Conversion, _: Request, one: Directive) -> None:
    """The time limit."""
    limit = parse_time(one.value.chars)
    if not limit:
        conversion.lose(one.whole, "its value is no time", "set lifecycle.activeDeadlineSeconds")
        return
    key = "lifecycle.activeDeadlineSeconds"
    conversion.draft.add_comment(key, f"--time={one.value.chars}")
    conversion.map(one.whole, conversion.draft.set(key, min(limit, 315360000)))


def write_exclusive(conversion: Conversion, _: Request, one: Directive) -> None:
    """Nodes of its own."""
    conversion.map(one.whole, conversion.draft.set("workers.spread", "required"))


def write_excluded_nodes(conversion: Conversion, _: Request, one: Directive) -> None:
    """Nodes that must not be used."""
    names = one.value.chars.split(",")
    if not all(re.fullmatch(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?", name) for name in names):
        conversion.lose(one.whole, "it names nodes of the old cluster", "set workers.excludeNodes")
        return
    conversion.map(one.whole, conversion.draft.set("workers.excludeNodes", names))


def write_folder(conversion: Conversion, _: Request, one: Directive) -> None:
    """The working directory."""
    if re.fullmatch(r"(/[^/:\n]+)+", one.value.chars):
        conversion.map(one.whole, conversion.draft.set("training.workingDir", one.value.chars))
    else:
        conversion.drop(one.whole, "the working directory of the image takes its place")


def write_signal(conversion: Conversion, _: Request, one: Directive) -> None:
    """A signal before the end."""
    match = re.fullmatch(r"(?:[BR]:)?(\w+)@(\d{1,5})", one.value.chars)
    if match and 30 <= int(match[2]) + 20 <= 86400:
        key = "lifecycle.terminationGracePeriodSeconds"
        conversion.map(one.whole, conversion.draft.set(key, int(match[2]) + 20))
        if match[1].upper() not in ("TERM", "SIGTERM", "15"):
            conversion.lose(one.whole, f"a pod that must end gets SIGTERM, not {match[1]}",
                            "let the program write its checkpoint at SIGTERM", is_part=True)  # fmt: skip
    else:
        conversion.lose(one.whole, "a pod that must end gets SIGTERM", "set lifecycle.terminationGracePeriodSeconds")


def write_exported_variables(conversion: Conversion, _: Request, one: Directive) -> None:
    """Environment variables."""
    rest = [part for part in one.value.chars.split(",") if part not in ("ALL", "NONE", "NIL", "")]
    for part in rest:
        name, has_value, value = part.partition("=")
        if has_value:
            write_value(conversion, name, place_at(value, one.value), [one.whole])
        else:
            conversion.lose(one.whole, f"the value of {name} is not in the source", f"set training.env.{name}")
    if not rest:
        conversion.drop(one.whole, "a pod has only the environment of its image and of training.env")


def write_pyxis_image(conversion: Conversion, _: Request, one: Directive) -> None:
    """An image of pyxis."""
    write_image_of_cluster(conversion, one.value)


def write_pyxis_mounts(conversion: Conversion, _: Request, one: Directive) -> None:
    """Mounts of pyxis."""
    write_mounts(conversion, one.value)
