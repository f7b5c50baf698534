"""A task of SkyPilot: nodes, accelerators, environment, setup and run."""

from __future__ import annotations

import re
from collections.abc import Mapping

from dsgen.importers.chosen import read_script
from dsgen.importers.container_commands import account, runtime_of
from dsgen.importers.conversion import Conversion
from dsgen.importers.documents import Document
from dsgen.importers.draft import SECRET_HOLE, secret_reference
from dsgen.importers.equal_pods import count, number_at
from dsgen.importers.fields import Fields, Table, as_whole, lose, written
from dsgen.importers.images import write_image
from dsgen.importers.objects import name as write_name
from dsgen.importers.scripts import write_script
from dsgen.importers.secrets import is_secret
from dsgen.importers.world import World
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


def convert(document: Document, conversion: Conversion) -> None:
    """One task."""
    fields = Fields(conversion, document)
    devices = _accelerators(fields)
    fields.apply(_table())
    nodes = number_at(fields, "num_nodes")
    conversion.is_container = True
    run = fields.child("run")
    world = World(nodes or None, None, devices, runs_ranks=False)
    if run is not None and isinstance(run.value, str):
        _run(fields, run, world)
    else:
        conversion.draft.hole("training.python", "", "the source runs nothing")
    setup = fields.child("setup")
    if setup is not None and isinstance(setup.value, str):
        _setup(fields, setup)
    if not conversion.draft.get("image.repository"):
        conversion.draft.hole(
            "image.repository", "", "SkyPilot starts machines with an image of its own: write an image"
        )
    fields.finish()


def _run(fields: Fields, node: Node, world: World) -> None:
    conversion = fields.conversion
    start = len(conversion.ledger.entries)
    text = fields.text(node)
    script = read_script(conversion, text, runtime_of(conversion, RUNTIME))
    write_script(conversion, script, world, text)
    account(fields, [(("run",), node)], start)


def _setup(fields: Fields, node: Node) -> None:
    draft = fields.conversion.draft
    before = draft.get("training.setup", "").strip("\n")
    text = written(node.value).strip("\n")
    own = [line.rstrip() for line in text.split("\n")]
    if re.search(r"(^|\s|;)cd\s", text):
        own = ["(", *own, ")"]  # it has a shell of its own, so the command does not start in its folder
    lines = [*own, *(before.split("\n") if before else [])]
    fields.map(("setup",), node, draft.set("training.setup", "\n".join(lines) + "\n"))
    draft.comment("training.setup", "SkyPilot runs it once on each machine, dsgen at each start of a pod")


def _accelerators(fields: Fields) -> int | None:
    node = fields.child("resources", "accelerators")
    if node is None:
        return None
    data = node.data()
    text = written(next(iter(data.items()), ("", 1))[1] if isinstance(data, dict) else data)
    match = re.fullmatch(r"(?:[\w.-]+:)?(\d{1,4})", text)
    return int(match[1]) if match else 1


def _table() -> Table:
    return {
        "name": write_name,
        "num_nodes": count,
        "envs": {"*": _variable},
        "secrets": {"*": _secret},
        "run": {},
        "setup": {},
        "workdir": lose(FILES, "set code.git, or put the code into the image"),
        "file_mounts": lose(FILES, "set storage"),
        "volumes": lose("a volume of SkyPilot is no claim", "set storage"),
        "resources": {
            "accelerators": _accelerator,
            "image_id": _image,
            "cpus": _amount("cpu"),
            "memory": _amount("memory"),
            "*": lose(CLOUD),
        },
        "*": lose("SkyPilot uses it in its own control plane"),
    }


def _variable(fields: Fields, path: KeyPath, node: Node) -> None:
    draft, key = fields.conversion.draft, ("training", "env", str(path[-1]))
    if node.value is None:
        fields.map(path, node, draft.hole(key, {}, f"{path[-1]} has no value in the source: write it"))
    elif is_secret(str(path[-1]), written(node.value)):
        fields.map(path, node, draft.hole(key, secret_reference(str(path[-1])), SECRET_HOLE))
    else:
        fields.set(path, node, key, written(node.value))


def _secret(fields: Fields, path: KeyPath, node: Node) -> None:
    key = ("training", "env", str(path[-1]))
    fields.map(path, node, fields.conversion.draft.hole(key, secret_reference(str(path[-1])), SECRET_HOLE))


def _accelerator(fields: Fields, path: KeyPath, node: Node) -> None:
    fields.map(path, node, "workers.slots")
    text = written(node.value) if not isinstance(node.value, dict | list) else ""
    kind = text.partition(":")[0]
    if kind and not kind.isdigit():
        ledger = fields.conversion.ledger
        ledger.lose(kind, node.position, f"it asks for devices of the type {kind}",
                    "set workers.nodeSelector to the labels of such nodes", is_part=True)  # fmt: skip


def _image(fields: Fields, path: KeyPath, node: Node) -> None:
    text = written(node.value)
    keys = write_image(fields.conversion, text) if text.startswith("docker:") else []
    if keys or (text.startswith("docker:") and (keys := write_image(fields.conversion, text.removeprefix("docker:")))):
        fields.map(path, node, keys[0])
    else:
        fields.lose(path, node, "it is an image of a virtual machine", "set image")


def _amount(name: str) -> Table:
    def action(fields: Fields, path: KeyPath, node: Node) -> None:
        text = written(node.value).rstrip("+x")
        unit = "Gi" if name == "memory" and text.isdigit() else ""
        if as_whole(text) and "x" not in written(node.value):
            fields.set(path, node, ("workers", "resources", "requests", name), f"{text}{unit}")
        else:
            fields.lose(path, node, "its value is no amount of Kubernetes", f"set workers.resources.requests.{name}")

    return action
