"""A task of SkyPilot: nodes, accelerators, environment, setup and run."""

from __future__ import annotations

import re
from collections.abc import Mapping

from dsgen.importers.container_commands import account_for_words
from dsgen.importers.conversion import Conversion, is_placeholder
from dsgen.importers.documents import SourceDocument, format_scalar
from dsgen.importers.draft import SECRET_HOLE, make_secret_reference
from dsgen.importers.environment import set_missing, write_constant
from dsgen.importers.facts import JobSize
from dsgen.importers.fields import Field, Fields, Table, lose
from dsgen.importers.operators import map_replicas, read_number
from dsgen.importers.pods import write_name
from dsgen.importers.scripts import make_runtime, write_shell
from dsgen.importers.volumes import write_image

RUNTIME: Mapping[str, str] = {"SKYPILOT_NODE_RANK": "NODE_RANK", "SKYPILOT_NUM_NODES": "NNODES",
                              "SKYPILOT_NUM_GPUS_PER_NODE": "NPROC_PER_NODE", "SKYPILOT_NODE_IPS": "LIST",
                              "SKYPILOT_TASK_ID": "RUN"}  # fmt: skip
CLOUD = "SkyPilot chooses a cloud with it; a job of dsgen runs on one cluster"
FILES = "SkyPilot copies files to the nodes, dsgen mounts volumes"


def convert(document: SourceDocument, conversion: Conversion) -> None:
    """One task."""
    fields = Fields(conversion, document)
    task = fields.root
    task.apply(TABLE)
    conversion.is_container = True
    world = JobSize(read_number(task, "num_nodes") or None, None, _count_accelerators(task), runs_ranks=False)
    run, setup = task.find("run"), task.find("setup")
    if run and isinstance(run.data, str):
        start = len(conversion.ledger.entries)
        if write_shell(conversion, run.read_text(), make_runtime(conversion, RUNTIME), world):
            account_for_words([run], start)
        else:
            run.map("launch.command[2]")
    else:
        conversion.draft.set_hole("training.python", "", "the source runs nothing")
    if setup and isinstance(setup.data, str):
        _write_setup(setup)
    fields.finish()


def _write_setup(setup: Field) -> None:
    before, text = setup.draft.get("training.setup", "").strip("\n"), setup.text.strip("\n")
    own = [line.rstrip() for line in text.split("\n")]
    if re.search(r"(^|\s|;)cd\s", text):
        own = ["(", *own, ")"]  # it has a shell of its own, so the command does not start in its folder
    lines = [*own, *(before.split("\n") if before else [])]
    setup.map(setup.draft.set("training.setup", "\n".join(lines) + "\n"))
    setup.draft.add_comment("training.setup", "SkyPilot runs it once on each machine, dsgen at each start of a pod")


def _count_accelerators(task: Field) -> int | None:
    data = task.read("resources", "accelerators")
    if data is None:
        return None
    text = format_scalar(next(iter(data.values()), 1) if isinstance(data, dict) else data)
    if is_placeholder(text):
        return None
    match = re.fullmatch(r"(?:[\w.-]+:)?(\d{1,4})", text)
    return int(match[1]) if match else 1


def _write_variable(field: Field) -> None:
    name, draft = field.name, field.draft
    key = ("training", "env", name)
    if field.data is None and "envs" in field.path:
        field.map(set_missing(draft, name, f"{name} has no value in the source"))
    elif "secrets" in field.path:
        field.map(draft.set_hole(key, make_secret_reference(name), SECRET_HOLE))
    else:
        write_constant(field, key, field.text)


def _map_accelerator(field: Field) -> None:
    field.map("workers.slots")
    kind = field.text.partition(":")[0]
    if kind and not kind.isdigit():
        why, hint = f"it asks for devices of the type {kind}", "set workers.nodeSelector to the labels of such nodes"
        field.conversion.ledger.add("lost", kind, field.node.position, why, hint)


def _write_task_image(field: Field) -> None:
    kind, _, image = field.text.partition(":")
    if kind == "docker" and (key := write_image(field.conversion, image)):
        field.map(key)
    else:
        field.lose("it is an image of a virtual machine", "set image")


TABLE: Table = {
    "name": write_name,
    "num_nodes": map_replicas,
    "envs": {"*": _write_variable},
    "secrets": {"*": _write_variable},
    "run": {},
    "setup": {},
    "workdir": lose(FILES, "set code.git, or put the code into the image"),
    "file_mounts": lose(FILES, "set storage"),
    "volumes": lose("a volume of SkyPilot is no claim", "set storage"),
    "resources": {
        "accelerators": _map_accelerator,
        "image_id": _write_task_image,
        **dict.fromkeys(("cpus", "memory"), lose("SkyPilot chooses machines with it", "set workers.resources")),
        "*": lose(CLOUD),
    },
    "*": lose("SkyPilot uses it in its own control plane"),
}
