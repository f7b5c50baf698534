"""The options of sbatch and srun: one table of what becomes of each. Their form is that of scripts/slurm/rules.json."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dsgen.importers.conversion import as_dns_name
from dsgen.importers.environment import write_value
from dsgen.importers.fields import Action, Option, Row, as_whole, drop, lose, make_rows, to
from dsgen.importers.texts import Text, place_at
from dsgen.importers.volumes import write_image_of_cluster, write_mounts
from dsgen.scripts.slurm.rules import read_options

STARTS = "dsgen starts the processes on all workers"
SELECT = "set workers.nodeSelector to the labels of such nodes"
QUEUE = "set scheduling.queue, or workers.nodeSelector to the labels of its nodes"
UNKNOWN = "dsgen knows no equivalent of this option of Slurm"
OWN_DEVICES = (
    "each task sees only its own devices, numbered from 0, and a process of a run sees all of its worker",
    "let the program choose its device by its rank on the node, as in torch.cuda.set_device",
)
NEXT = "\0"
"""Stands for the word behind an option."""
RESOURCES = (
    (r"mi\d+\w*|amd|gfx\w+", "amd.com/gpu"),
    (r"gaudi\d*|hpu|hl\d+", "habana.ai/gaudi"),
    (r"(ascend|910|npu)\w*", "huawei.com/Ascend910"),
)
"""Types of devices that are not NVIDIA's."""


@dataclass
class Request:
    """What a script asks of Slurm, for each node unless the field says otherwise. None: it does not say.

    of_tasks and of_devices: options whose key depends on how the processes are started.
    """

    nodes: int | None = None
    tasks: int | None = None
    all_tasks: int | None = None
    devices: int | None = None
    devices_of_task: int | None = None
    tasks_of_device: int | None = None
    all_devices: int | None = None
    cpus_of_task: int | None = None
    hosts: str = ""
    export: str = ""
    memory_of_cpu: str = ""
    memory_of_device: str = ""
    resource: str = ""
    bind: str = ""
    of_tasks: list[Option] = field(default_factory=list)
    of_devices: list[Option] = field(default_factory=list)

    @property
    def implied_nodes(self) -> int | None:
        """The number of nodes if the script does not say it: one, if its other options allow that."""
        if self.all_tasks and self.tasks and self.all_tasks % self.tasks == 0:
            return self.all_tasks // self.tasks
        return None if self.hosts and 1 not in (self.all_tasks, self.all_devices) else 1

    @property
    def tasks_of_node(self) -> int | None:
        """Processes that srun starts on each node."""
        if (self.tasks, self.all_tasks) == (None, None) and self.tasks_of_device and self.devices_of_node:
            return self.devices_of_node * self.tasks_of_device
        if self.tasks is None and self.all_tasks and self.nodes and self.all_tasks % self.nodes == 0:
            return self.all_tasks // self.nodes
        return self.tasks

    @property
    def devices_of_node(self) -> int | None:
        """Devices of each node."""
        if self.devices is not None:
            return self.devices
        if self.devices_of_task is not None:
            return self.devices_of_task * (1 if self.tasks_of_device else self.tasks_of_node or 1)
        if self.all_devices is not None and self.nodes and self.all_devices % self.nodes == 0:
            return self.all_devices // self.nodes
        return None


@dataclass(frozen=True)
class SlurmOption(Option):
    """An option of sbatch or srun; reports name it without a value in the next word."""

    request: Request

    @property
    def text(self) -> str:
        """Its value as a text."""
        return self.value.chars


def write_options(
    request: Request, conversion: Any, words: Sequence[Text], ignored: Sequence[str] = (), why: str = STARTS
) -> None:
    """Write options into the values or the request. ignored: those that are dropped, and why."""
    rest = list(words)
    while rest:
        word = rest.pop(0)
        found, _ = read_options([word.chars, NEXT])
        if not found:
            conversion.lose(word, "it belongs to no option")
        for _, name, value, is_known in found:
            values = [word[len(word.chars) - len(value) :]]
            if value == NEXT:
                values, rest = rest[:1], rest[1:]
            while not is_known and "=" not in word.chars and rest and not rest[0].chars.startswith("-"):
                values = [rest.pop(0)]
            if name in ignored:
                conversion.drop(word, why)
            else:
                action = OPTIONS.get(name) or (OTHERS if is_known else lose(UNKNOWN))
                action(SlurmOption(conversion, name, [word], values, request))


def _set_nodes(one: SlurmOption) -> None:
    least, _, most = one.text.partition("-")
    one.request.nodes = as_whole(most or least)
    if not one.request.nodes:
        one.lose("Slurm does not expand variables here, so the number of nodes is not known", "set workers.replicas")
        return
    one.map("workers.replicas")
    if most:
        one.conversion.lose(one.words[0], "a run shrinks after a loss only (workers.min)")


def _note(attribute: str, key: str, why: str = "its value is no number") -> Action:
    """A number, or an amount of memory, that is a field of the request; those of tasks are reported later."""

    def write(one: SlurmOption) -> None:
        found = as_whole(one.text) if "memory" not in attribute else _parse_memory(one.text)
        if found is None:
            one.lose(why, f"set {key}")
            return
        setattr(one.request, attribute, found)
        if key == "workers.slots":
            one.request.of_tasks.append(one)
        else:
            one.map(key)

    return write


def _note_resources(one: SlurmOption) -> None:
    """Generic resources: GPUs, and others that are lost."""
    for part in one.text.split(","):
        if match := re.fullmatch(r"(?:gres[:/])?gpus?(?:[:=](.*?))?(?:\(.*\))?", part):
            _set_devices(one, "devices", match[1] or "1")
        else:
            one.lose(f"{part} is no device that dsgen can request", "set workers.resources.limits")


def _set_devices(one: SlurmOption, attribute: str, text: str) -> None:
    """A number of GPUs, a type, or both."""
    match = re.fullmatch(r"(?=.)(?:([A-Za-z][\w.-]*)(?:[:=](?=\d)|$))?(\d{1,9})?", text)
    if match is None:
        one.lose("its value is no number", "set workers.accelerator.count")
        return
    setattr(one.request, attribute, int(match[2] or 1))
    one.request.of_devices.append(one)
    kind = match[1]
    resource = next((found for pattern, found in RESOURCES if kind and re.fullmatch(pattern, kind.lower())), "")
    if resource:
        one.request.resource = resource
    elif kind:
        one.conversion.lose(one.words[0], f"it asks for devices of the type {kind}", SELECT)


def _parse_memory(text: str | None) -> str | None:
    """A quantity of Kubernetes for an amount of memory of Slurm, whose units are powers of 1024; None if it is none."""
    match = re.fullmatch(r"(\d{1,9})(?:\.\d+)?([KMGT]?)B?", (text or "").upper())
    return f"{match[1]}{match[2] or 'M'}i" if match and int(match[1]) else None


def _parse_time(text: str | None) -> int | None:
    """A time of Slurm: minutes, minutes:seconds, hours:minutes:seconds, days-hours[:minutes[:seconds]]."""
    match = re.fullmatch(r"(?:(\d{1,4})-)?(\d{1,6})(?::(\d{1,4}))?(?::(\d{1,4}))?", text or "")
    if not match:
        return None
    days, first, second, third = (int(part) if part else 0 for part in match.groups())
    has_hours = match[1] or match[4]
    seconds = ((days * 24 + first) * 60 + second) * 60 + third if has_hours else first * 60 + second
    return min(seconds, 315360000) or None


def _as_hosts(text: str | None) -> list[str] | None:
    names = (text or "").split(",")
    return names if all(re.fullmatch(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?", name) for name in names) else None


def _set_folder(one: SlurmOption) -> None:
    if re.fullmatch(r"(/[^/:\n]+)+", one.text):
        one.set("training.workingDir", one.text)
    elif one.text in ("", ".", "./"):
        one.drop("the working directory of the image takes its place")
    else:
        one.map(one.draft.set_hole("training.workingDir", one.text, NOT_ABSOLUTE))


def _set_signal(one: SlurmOption) -> None:
    key, match = "lifecycle.terminationGracePeriodSeconds", re.fullmatch(r"(?:[BR]:)?(\w+)@(\d{1,5})", one.text)
    if not match or not 30 <= int(match[2]) + 20 <= 86400:
        one.lose("a pod that must end gets SIGTERM", f"set {key}")
        return
    one.set(key, int(match[2]) + 20)
    if match[1].upper() not in ("TERM", "SIGTERM", "15"):
        why = f"a pod that must end gets SIGTERM, not {match[1]}"
        one.conversion.lose(one.words[0], why, "let the program write its checkpoint at SIGTERM")


def _bind_devices(one: SlurmOption) -> None:
    one.request.bind = one.text
    if one.text == "none":
        one.drop("a process sees all devices of its worker")
    else:
        one.lose(*OWN_DEVICES)


def _lose_hosts(one: SlurmOption) -> None:
    one.request.hosts = one.text
    one.lose("it names nodes of the old cluster", SELECT)


def _set_variables(one: SlurmOption) -> None:
    parts = [part.upper() if part.upper() in ("ALL", "NONE", "NIL") else part for part in one.text.split(",") if part]
    one.request.export = ",".join(parts)
    rest = [part for part in parts if part not in ("ALL", "NONE", "NIL") and ("=" in part or "ALL" not in parts)]
    for part in rest:
        name, has_value, value = part.partition("=")
        if has_value:
            write_value(one, name, place_at(value, one.value))
        else:
            one.lose(f"the value of {name} is not in the source", f"set training.env.{name}")
    if not rest:
        one.drop("a pod has only the environment of its image and of training.env")


NOT_ABSOLUTE = "write the absolute path of this folder in the image or on a volume"
LOGS = "the log of the pods has the output; training.rankLogs also writes files"
MEMORY = ("workers.resources.requests.memory", "its value is no amount of memory")
OTHERS = drop(STARTS)
OPTIONS: Mapping[str, Action] = {
    "job-name": to("name", lambda text: as_dns_name(text or "") or None, why="no name of a job can be made of it"),
    "nodes": _set_nodes,
    "ntasks-per-node": _note("tasks", "workers.slots"),
    "ntasks": _note("all_tasks", "workers.slots"),
    "ntasks-per-gpu": _note("tasks_of_device", "workers.slots"),
    "cpus-per-task": _note("cpus_of_task", "workers.resources.requests.cpu"),
    "cpus-per-gpu": lose("dsgen requests CPUs for a whole worker", "set workers.resources.requests.cpu"),
    "gres": _note_resources,
    "gpus-per-node": lambda one: _set_devices(one, "devices", one.text),
    "gpus-per-task": lambda one: _set_devices(one, "devices_of_task", one.text),
    "gpus": lambda one: _set_devices(one, "all_devices", one.text),
    "mem": to("workers.resources.limits.memory", _parse_memory, why="it asks for all memory of a node"),
    "mem-per-cpu": _note("memory_of_cpu", *MEMORY),
    "mem-per-gpu": _note("memory_of_device", *MEMORY),
    "time": to("lifecycle.activeDeadlineSeconds", _parse_time, why="its value is no time"),
    "exclusive": lambda one: one.set("workers.spread", "required"),
    "exclude": to("workers.excludeNodes", _as_hosts, why="it names nodes of the old cluster"),
    **make_rows("chdir container-workdir", Row(_set_folder)),
    "signal": _set_signal,
    "export": _set_variables,
    "container-image": lambda one: write_image_of_cluster(one.conversion, one.value),
    "container-mounts": lambda one: write_mounts(one.conversion, one.value),
    **make_rows("partition account qos reservation clusters wckey", lose("it is a name of the old cluster", QUEUE)),
    **make_rows("nodelist nodefile", Row(_lose_hosts)),
    **make_rows("constraint prefer tmp mincpus licenses contiguous", lose("it asks for a kind of node", SELECT)),
    "switches": lose("it asks for nodes that are close to each other", "set scheduling.topology"),
    **make_rows("output error open-mode input label unbuffered quiet verbose", drop(LOGS)),
    **make_rows(
        "hint cpu-bind mem-bind distribution threads-per-core ntasks-per-core ntasks-per-socket"
        " sockets-per-node cores-per-socket core-spec extra-node-info gpus-per-socket accel-bind gres-flags",
        lose("it binds processes to cores", "set training.deepspeed.bindCores"),
    ),
    "gpu-bind": _bind_devices,
    **make_rows("mail-type mail-user", lose("dsgen sends no mail", "set status.webhook")),
    "array": lose("a job of dsgen is one training", "make a values file for each, or a matrix in dsgen.yaml"),
    "dependency": lose("a job of dsgen waits for no other",
                       "let a workflow engine apply the jobs one after the other"),
    "requeue": drop("a worker that is evicted is replaced, and the training starts again"),
    "no-requeue": drop("a run that has ended does not train again"),
    "wait-all-nodes": drop("the launcher waits for all workers"),
    **make_rows("wait kill-on-bad-exit no-kill", drop("if a rank fails, all ranks end")),
    "time-min": lose(UNKNOWN),
    **make_rows("get-user-env parsable ignore-pbs", OTHERS),
}  # fmt: skip
