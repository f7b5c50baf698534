"""A task of SkyPilot: nodes, accelerators, environment, setup and run."""

from __future__ import annotations

import re
from collections.abc import Mapping

from dsgen.importers.container_commands import account_for_words, make_runtime
from dsgen.importers.conversion import Conversion
from dsgen.importers.documents import SourceDocument
from dsgen.importers.draft import SECRET_HOLE, make_secret_reference
from dsgen.importers.facts import JobSize
from dsgen.importers.fields import Fields, Table, as_whole, format_scalar, lose
from dsgen.importers.images import write_image
from dsgen.importers.objects import write_name
from dsgen.importers.pods import map_replicas, read_number
from dsgen.importers.scripts import write_script
from dsgen.importers.secrets import is_secret
from dsgen.importers.statements import read_script
from dsgen.problems import KeyPath
from dsgen.reading.nodes import Node

KEYS = frozenset(("resources", "num_nodes", "run", "setup", "envs", "file_mounts", "workdir"))
RUNTIME: Mapping[str, str] = {
    "SKYPILOT_NODE_RANK": "NODE_RANK",
    "SKYPILOT_NUM_NODES": "NNODES",
    "SKYPILOT_NUM_GPUS_PER_NODE": "NPROC_PER_NODE",
    "SKYPILOT_NODE_IPS": "MASTER_ADDR",
    "SKYPILOT_TASK_ID": "RUN",
}
CLOUD = "SkyPilot chooses a cloud with it; a job of dsgen runs on one cluster"
FILES = "SkyPilot copies files to the nodes, dsgen mounts volumes"


def convert(document: SourceDocument, conversion: Conversion) -> None:
    """One task."""
    fields = Fields(conversion, document)
    devices = _count_accelerators(fields)
    fields.apply(_make_table())
    nodes = read_number(fields, "num_nodes")
    conversion.is_container = True
    run = fields.find_node("run")
    world = JobSize(nodes or None, None, devices, runs_ranks=False)
    if run is not None and isinstance(run.value, str):
        _write_run(fields, run, world)
    else:
        conversion.draft.set_hole("training.python", "", "the source runs nothing")
    setup = fields.find_node("setup")
    if setup is not None and isinstance(setup.value, str):
        _write_setup(fields, setup)
    if not conversion.draft.get("image.repository"):
        conversion.draft.set_hole(
            "image.repository", "", "SkyPilot starts machines with an image of its own: write an image"
        )
    fields.finish()


def _write_run(fields: Fields, node: Node, world: JobSize) -> None:
    conversion = fields.conversion
    start = len(conversion.ledger.entries)
    text = fields.read_text(node)
    script = read_script(conversion, text, make_runtime(conversion, RUNTIME))
    write_script(conversion, script, world, text)
    account_for_words(fields, [(("run",), node)], start)


def _write_setup(fields: Fields, node: Node) -> None:
    draft = fields.conversion.draft
    before = draft.get("training.setup", "").strip("\n")
    text = format_scalar(node.value).strip("\n")
    own = [line.rstrip() for line in text.split("\n")]
    if re.search(r"(^|\s|;)cd\s", text):
        own = ["(", *own, ")"]  # it has a shell of its own, so the command does not start in its folder
    lines = [*own, *(before.split("\n") if before else [])]
    fields.map(("setup",), node, draft.set("training.setup", "\n".join(lines) + "\n"))
    draft.add_comment("training.setup", "SkyPilot runs it once on each machine, dsgen at each start of a pod")


def _count_accelerators(fields: Fields) -> int | None:
    node = fields.find_node("resources", "accelerators")
    if node is None:
        return None
    data = node.as_data()
    text = format_scalar(next(iter(data.items()), ("", 1))[1] if isinstance(data, dict) else data)
    match = re.fullmatch(r"(?:[\w.-]+:)?(\d{1,4})", text)
    return int(match[1]) if match else 1


def _make_table() -> Table:
    return {
        "name": write_name,
        "num_nodes": map_replicas,
        "envs": {"*": _write_variable},
        "secrets": {"*": _write_secret},
        "run": {},
        "setup": {},
        "workdir": lose(FILES, "set code.git, or put the code into the image"),
        "file_mounts": lose(FILES, "set storage"),
        "volumes": lose("a volume of SkyPilot is no claim", "set storage"),
        "resources": {
            "accelerators": _map_accelerator,
            "image_id": _write_task_image,
            "cpus": _write_amount("cpu"),
            "memory": _write_amount("memory"),
            "*": lose(CLOUD),
        },
        "*": lose("SkyPilot uses it in its own control plane"),
    }


def _write_variable(fields: Fields, path: KeyPath, node: Node) -> None:
    draft, key = fields.conversion.draft, ("training", "env", str(path[-1]))
    if node.value is None:
        fields.map(path, node, draft.set_hole(key, {}, f"{path[-1]} has no value in the source: write it"))
    elif is_secret(str(path[-1]), format_scalar(node.value)):
        fields.map(path, node, draft.set_hole(key, make_secret_reference(str(path[-1])), SECRET_HOLE))
    else:
        fields.set(path, node, key, format_scalar(node.value))


def _write_secret(fields: Fields, path: KeyPath, node: Node) -> None:
    key = ("training", "env", str(path[-1]))
    fields.map(path, node, fields.conversion.draft.set_hole(key, make_secret_reference(str(path[-1])), SECRET_HOLE))


def _map_accelerator(fields: Fields, path: KeyPath, node: Node) -> None:
    fields.map(path, node, "workers.slots")
    text = format_scalar(node.value) if not isinstance(node.value, dict | list) else ""
    kind = text.partition(":")[0]
    if kind and not kind.isdigit():
        ledger = fields.conversion.ledger
        ledger.lose(kind, node.position, f"it asks for devices of the type {kind}",
                    "set workers.nodeSelector to the labels of such nodes", is_part=True)  # fmt: skip


def _write_task_image(fields: Fields, path: KeyPath, node: Node) -> None:
    text = format_scalar(node.value)
    keys = write_image(fields.conversion, text) if text.startswith("docker:") else []
    if keys or (text.startswith("docker:") and (keys := write_image(fields.conversion, text.removeprefix("docker:")))):
        fields.map(path, node, keys[0])
    else:
        fields.lose(path, node, "it is an image of a virtual machine", "set image")


def _write_amount(name: str) -> Table:
    def convert_part(fields: Fields, path: KeyPath, node: Node) -> None:
        text = format_scalar(node.value).rstrip("+x")
        unit = "Gi" if name == "memory" and text.isdigit() else ""
        if as_whole(text) and "x" not in format_scalar(node.value):
            fields.set(path, node, ("workers", "resources", "requests", name), f"{text}{unit}")
        else:
            fields.lose(path, node, "its value is no amount of Kubernetes", f"set workers.resources.requests.{name}")

    return convert_part
