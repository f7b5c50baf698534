"""Lines of xpk: xpk workload create, with a command for each node of GPUs."""

from __future__ import annotations

import re
from collections.abc import Mapping

from dsgen.importers.chosen import read_script
from dsgen.importers.container_commands import make_runtime
from dsgen.importers.conversion import Conversion
from dsgen.importers.environment import write_value
from dsgen.importers.errors import ImportRefusedError
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
from dsgen.importers.jobset import RUNTIME
from dsgen.importers.launch import as_number
from dsgen.importers.scripts import lose_unread, write_script
from dsgen.importers.texts import Text
from dsgen.importers.world import World
from dsgen.reading.nodes import SourceText

CLUSTER = "it names a cluster of Google Cloud; kubectl, Argo CD or Flux chooses the cluster for dsgen"
DEVICES = re.compile(r"(?:h100-mega|h100|h200|b200|a100|l4|v100)[\w-]*?-(\d{1,2})$")


def convert(source: SourceText, conversion: Conversion) -> None:
    """One line. Raises ImportRefusedError for other commands, and for TPUs."""
    text, at = write_line(source, conversion, "xpk", ["workload create", "workload create-pathways"], TABLE)
    if "tpu-type" in conversion.flags:
        raise ImportRefusedError("the job runs on TPUs, for which DeepSpeed has no support", at)
    device = DEVICES.search(conversion.flags.get("device-type", Text()).chars)
    devices = int(device[1]) if device else None
    command = conversion.flags.get("command")
    conversion.is_container = True
    if command is None:
        conversion.draft.set_hole("training.python", "", "the line has no command")
        lose_unread(conversion, text)
        return
    script = read_script(conversion, command, make_runtime(conversion, RUNTIME))
    nodes = as_number(conversion.flags.get("num-nodes")) or as_number(conversion.flags.get("num-slices")) or 1
    write_script(conversion, script, World(nodes, None, devices, runs_ranks=False), command)
    lose_unread(conversion, text)


def _write_variable(conversion: Conversion, flag: Flag) -> None:
    name, _, value = flag.value.partition("=")
    write_value(conversion, name.chars, value, flag.words)


def _note_device(conversion: Conversion, flag: Flag) -> None:
    conversion.flags[flag.name] = flag.value
    map_flag(conversion, flag, "workers.slots")
    conversion.lose(flag.value, "it also chooses a type of machine", "set workers.nodeSelector", is_part=True)


BUILT = lose("xpk builds or mounts it itself", "set image, code.git or storage")
NOTHING, NO_SWITCH = lose("dsgen has no equivalent of it"), lose("dsgen has no equivalent of it", is_switch=True)
TABLE: Mapping[str, Row] = {
    "workload": Row(write_name),
    "docker-image": Row(write_image_flag),
    "command": note("training"),
    "num-nodes": note("workers.replicas"),
    "num-slices": note("workers.replicas"),
    "device-type": Row(_note_device),
    "tpu-type": note("workers.accelerator"),
    "env": Row(_write_variable),
    "priority": to("workers.priorityClassName"),
    "max-restarts": to("lifecycle.maxRestarts", as_count),
    "scheduler": to("workers.schedulerName"),
    "docker-name": drop("dsgen names its containers"),
    "termination-grace-period-seconds": to("lifecycle.terminationGracePeriodSeconds", as_count),
    **dict.fromkeys(("cluster", "project", "zone", "reservation", "location"), lose(CLUSTER)),
    **dict.fromkeys(("base-docker-image", "script-dir", "env-file", "storage"), BUILT),
    **dict.fromkeys(("debug-dump-gcs", "ttl-seconds-after-finished", "restart-on-exit-codes"), NOTHING),
    **dict.fromkeys(("spot", "on-demand", "enable-debug-logs", "deploy-stacktrace-sidecar", "dry-run"), NO_SWITCH),
}
"""The flags of xpk workload create."""
