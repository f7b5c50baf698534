"""Lines of the HyperPod CLI: hyp create hyp-pytorch-job."""

from __future__ import annotations

import json
from collections.abc import Mapping

from dsgen.importers.command_lines import understand
from dsgen.importers.conversion import Conversion, as_dns_name
from dsgen.importers.environment import write_value
from dsgen.importers.files import Files
from dsgen.importers.flag_lines import (
    Flag,
    Row,
    as_count,
    drop,
    lose,
    map_flag,
    note,
    to,
    write_image_flag,
    write_line,
    write_name,
)
from dsgen.importers.launch import as_number, write_launch
from dsgen.importers.scripts import lose_unread
from dsgen.importers.texts import Text, place_at
from dsgen.importers.world import World
from dsgen.reading.nodes import SourceText


def convert(source: SourceText, conversion: Conversion) -> None:
    """One line. Raises ImportRefusedError for other commands."""
    text, _ = write_line(source, conversion, "hyp", ["create hyp-pytorch-job"], TABLE)
    facts = conversion.flags
    conversion.is_container = True
    devices = as_number(facts.get("accelerators")) or as_number(facts.get("tasks-per-node"))
    world = World(
        as_number(facts.get("node-count")) or 1, as_number(facts.get("tasks-per-node")), devices, runs_ranks=False
    )
    command = [*_split_items(facts.get("command")), *_split_items(facts.get("args"))]
    if not command:
        conversion.draft.set_hole("training.python", "", "the line has no command")
        lose_unread(conversion, text)
        return
    write_launch(conversion, understand(command, conversion.atlas), world, Files())
    lose_unread(conversion, text)


def _split_items(text: Text | None) -> list[Text]:
    """The words of `[python, train.py]`, with or without quotes."""
    if text is None:
        return []
    inner = text.strip()
    try:
        found = json.loads(inner.chars)
    except ValueError:
        found = None
    if isinstance(found, list):
        return [place_at(str(one), inner) for one in found]
    words = inner[1:-1] if inner.chars.startswith("[") else inner
    parts = list[Text]()
    while words:
        part, _, words = words.partition(",")
        parts.append(part.strip())
    return [place_at(part.chars.strip("'\""), part) for part in parts if part]


def _write_environment(conversion: Conversion, flag: Flag) -> None:
    """--environment '{"A": "1"}'."""
    try:
        data = json.loads(flag.value.chars)
    except ValueError:
        data = None
    if not isinstance(data, dict):
        for word in flag.words:
            conversion.lose(word, "it is no map of variables", "set training.env")
        return
    for name, value in data.items():
        write_value(conversion, str(name), place_at(str(value), flag.value), [flag.value], is_part=True)
    map_flag(conversion, flag, "training.env")


def _write_selector(conversion: Conversion, flag: Flag) -> None:
    """--label-selector '{"accelerator": "nvidia"}'."""
    try:
        data = json.loads(flag.value.chars)
    except ValueError:
        data = None
    if isinstance(data, dict) and data and all(isinstance(one, str) for one in data.values()):
        map_flag(conversion, flag, conversion.draft.set("workers.nodeSelector", data))
        return
    for word in flag.words:
        conversion.lose(word, "it is no map of labels", "set workers.nodeSelector")


def _write_scheduler(conversion: Conversion, flag: Flag) -> None:
    """--scheduler-type: Kueue admits the job, and is no scheduler of pods."""
    if flag.value.chars.lower() != "kueue":
        map_flag(conversion, flag, conversion.draft.set("workers.schedulerName", flag.value.chars))
        return
    for word in flag.words:
        conversion.drop(word, "scheduling.queue is a queue of Kueue")


def _write_volume(conversion: Conversion, flag: Flag) -> None:
    """--volume name=data,type=pvc,mount_path=/data,claim_name=x."""
    data = dict(part.partition("=")[::2] for part in flag.value.chars.split(","))
    name, path = as_dns_name(data.get("name", ""), 20), data.get("mount_path", "")
    source: dict[str, object] = {}
    if data.get("type") == "pvc" and data.get("claim_name"):
        source = {"existingClaim": data["claim_name"]}
    elif data.get("type") == "hostPath" and data.get("path"):
        source = {"hostPath": {"path": data["path"]}}
    if not name or not path.startswith("/") or not source:
        for word in flag.words:
            conversion.lose(word, "dsgen has no volume of this kind", "set storage")
        return
    map_flag(conversion, flag, conversion.draft.set(("storage", name), {"mountPath": path, **source}))


TABLE: Mapping[str, Row] = {
    "job-name": Row(write_name),
    "namespace": to("namespace"),
    "version": drop("it is a flag of the command line itself"),
    "image": Row(write_image_flag),
    "pull-policy": to("image.pullPolicy"),
    "command": note("training"),
    "args": note("training.args"),
    "environment": Row(_write_environment),
    "node-count": note("workers.replicas"),
    "tasks-per-node": note("workers.slots"),
    "accelerators": note("workers.accelerator.count"),
    "accelerators-limit": drop("requests and limits of devices are equal"),
    "vcpu": to("workers.resources.requests.cpu"),
    "memory": to("workers.resources.requests.memory", lambda text: f"{text}Gi" if text.isdigit() else text or None),
    "vcpu-limit": to("workers.resources.limits.cpu"),
    "memory-limit": to("workers.resources.limits.memory", lambda text: f"{text}Gi" if text.isdigit() else text or None),
    "queue-name": to("scheduling.queue"),
    "priority": to("scheduling.priorityClass"),
    "service-account-name": to("workers.serviceAccountName"),
    "scheduler-type": Row(_write_scheduler),
    "preferred-topology": to("scheduling.topology.preferred"),
    "required-topology": to("scheduling.topology.required"),
    "max-retry": to("lifecycle.maxRestarts", as_count),
    "volume": Row(_write_volume),
    "instance-type": lose("it is a type of machine of AWS", "set workers.nodeSelector"),
    **dict.fromkeys(("label-selector", "node-selector"), Row(_write_selector)),
    "deep-health-check-passed-nodes-only": lose("it belongs to the control plane of HyperPod"),
    "debug": drop("it is a flag of the command line itself", is_switch=True),
}  # fmt: skip
"""The flags of hyp create hyp-pytorch-job."""
