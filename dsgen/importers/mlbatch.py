"""Settings of the pytorchjob-generator of MLBatch: some thirty flat keys."""

from __future__ import annotations

import re
import shlex

from dsgen.importers.conversion import Conversion
from dsgen.importers.documents import Document
from dsgen.importers.fields import Fields, Table, as_count, as_list, as_text, as_whole, drop, format_scalar, lose, to
from dsgen.importers.launch import write_counts
from dsgen.importers.objects import write_name
from dsgen.importers.pod_fields import write_container_image, write_grace_period, write_variable
from dsgen.importers.world import World
from dsgen.problems import KeyPath
from dsgen.reading.nodes import Node

KEYS = frozenset(("jobName", "containerImage", "numPods", "numGpusPerPod", "mainProgram", "setupCommands"))
TORCHRUN = "the generator starts the program by torchrun on each GPU"
WRAPPER = "the controller of the AppWrapper uses it; dsgen waits and restarts by lifecycle"


def convert(document: Document, conversion: Conversion) -> None:
    """One settings file."""
    fields = Fields(conversion, document)
    fields.apply(_make_table())
    draft = conversion.draft
    pods = fields.find_node("numPods")
    gpus = fields.find_node("numGpusPerPod")
    nodes = as_count(pods.value) if pods is not None else 1
    devices = (as_whole(gpus.value) or 0) if gpus is not None else 0
    draft.set("launch.method", "torchrun")
    write_counts(conversion, nodes, devices or 1, World(devices=devices))
    conversion.facts.replicas, conversion.facts.slots = nodes or 0, devices or 1
    if not draft.get("training.python") and not draft.get("training.exec"):
        draft.set_hole(
            "training.python", "", "the setup commands of the source start the program by themselves: write its script"
        )
    setup = draft.get("training.setup")
    if setup:
        draft.set("training.setup", "\n".join(setup) + "\n" if isinstance(setup, list) else setup)
    fields.finish()


def _make_table() -> Table:
    return {
        "jobName": write_name,
        "namespace": to("namespace", as_text),
        "queueName": to("scheduling.queue", as_text),
        "priority": to("scheduling.priorityClass", as_text),
        "numPods": _map_number("workers.replicas"),
        "numGpusPerPod": _map_number("workers.slots"),
        "numCpusPerPod": _write_amount("cpu"),
        "totalMemoryPerPod": _write_amount("memory"),
        "limitCpusPerPod": _write_limit("cpu"),
        "limitMemoryPerPod": _write_limit("memory"),
        "limitGpusPerPod": drop("requests and limits of devices are equal"),
        "numRoceGdr": _write_roce,
        "containerImage": write_container_image(is_worker=True),
        "imagePullPolicy": to("image.pullPolicy", as_text),
        "imagePullSecrets": to("image.pullSecrets", as_list),
        "environmentVariables": {"*": _write_variable},
        "sshGitCloneConfig": {
            "secretName": to("code.git.secretName", as_text),
            "sshCmd": lose("dsgen clones with a command of its own", "set code.git.knownHosts"),
            "configMapName": lose("dsgen knows hosts by their lines", "set code.git.knownHosts"),
            "configMapMountPath": drop("dsgen clones with a command of its own"),
            "secretMountPath": drop("dsgen clones with a command of its own"),
        },
        "setupCommands": {"*": _write_setup},
        "mainProgram": _write_program,
        "volumes": {"*": _write_volume},
        "hostIgnoreList": to("workers.excludeNodes", as_list),
        "nodeAffinity": drop("a queue chooses the nodes"),
        "schedulerName": to("workers.schedulerName", as_text),
        "serviceAccountName": to("workers.serviceAccountName", as_text),
        "restartPolicy": _report_restart,
        "terminationGracePeriodSeconds": write_grace_period,
        "ncclGdrEnvConfigMap": _add_env_from,
        "ncclGdrTopologyConfigMap": lose("dsgen mounts ConfigMaps by storage", "set storage"),
        "topologyFileConfigMap": lose("dsgen mounts ConfigMaps by storage", "set storage"),
        "mountNVMe": lose("dsgen mounts volumes by storage", "set storage"),
        "initContainers": to("workers.initContainers", as_list),
        "labels": {"*": _write_label},
        "annotations": lose("dsgen has annotations of all objects", "set annotations"),
        "customLabels": lose("dsgen has labels of all objects", "set labels"),
        "multiNicNetworkName": lose("dsgen attaches networks by their names", "set network.rdma.networks"),
        "roceGdrResName": drop("network.rdma.resources has the name"),
        "bypassCoscheduler": drop("dsgen has no gang unless scheduling.gang asks for one"),
        "*": lose(WRAPPER),
    }


def _write_variable(fields: Fields, path: KeyPath, node: Node) -> None:
    """A variable with a value, or from a Secret or a ConfigMap."""
    named = node.find_child("name") if isinstance(node.value, dict) else None
    for kind, reference in (("secret", "secretKeyRef"), ("configmap", "configMapKeyRef")):
        child = node.find_child(kind) if isinstance(node.value, dict) else None
        if named is not None and child is not None and isinstance(child.value, dict):
            key = ("training", "env", format_scalar(named.value))
            fields.map(path, node, fields.conversion.draft.set(key, {"valueFrom": {reference: child.as_data()}}))
            return
    write_variable(fields, path, node)


def _map_number(key: str) -> Table:
    def act(fields: Fields, path: KeyPath, node: Node) -> None:
        if as_whole(node.value) is None:
            fields.lose(path, node, "its value is no whole number", f"set {key}")
        else:
            fields.map(path, node, key)

    return act


def _write_amount(name: str) -> Table:
    """The request, which is also the limit unless another one is set."""

    def act(fields: Fields, path: KeyPath, node: Node) -> None:
        draft = fields.conversion.draft
        draft.set(("workers", "resources", "limits", name), format_scalar(node.value))
        fields.set(path, node, ("workers", "resources", "requests", name), format_scalar(node.value))

    return act


def _write_limit(name: str) -> Table:
    def act(fields: Fields, path: KeyPath, node: Node) -> None:
        fields.set(path, node, ("workers", "resources", "limits", name), format_scalar(node.value))

    return act


def _write_roce(fields: Fields, path: KeyPath, node: Node) -> None:
    if as_whole(node.value):
        fields.set(path, node, ("network", "rdma", "resources", "nvidia.com/roce_gdr"), as_whole(node.value))
    else:
        fields.drop(path, node, "it is the default")


def _write_setup(fields: Fields, path: KeyPath, node: Node) -> None:
    line = format_scalar(node.value)
    if re.search(r"\btorchrun\b", line):
        fields.lose(path, node, TORCHRUN, "write the program into training.python")
        return
    before = fields.conversion.draft.get("training.setup") or []
    fields.conversion.draft.set("training.setup", [*before, line])
    fields.map(path, node, "training.setup")


def _write_program(fields: Fields, path: KeyPath, node: Node) -> None:
    """A script with its arguments."""
    try:
        words = shlex.split(format_scalar(node.value))
    except ValueError:
        words = []
    if not words:
        fields.lose(path, node, "it names no program", "set training.python")
        return
    draft = fields.conversion.draft
    fields.map(path, node, draft.set("training.python", words[0]))
    for word in words[1:]:
        draft.add("training.args", word)
    fields.conversion.facts.command = ["python3", *words]


def _write_volume(fields: Fields, path: KeyPath, node: Node) -> None:
    data = node.as_data() if isinstance(node.value, dict) else {}
    name = re.sub(r"[^a-z0-9-]", "-", str(data.get("name") or data.get("claimName") or "").lower())[:20].strip("-")
    if not name or not str(data.get("mountPath", "")).startswith("/"):
        fields.lose(path, node, "it has no name or no path", "set storage")
        return
    entry = {
        "mountPath": str(data["mountPath"]).rstrip("/"),
        "mountIn": "workers",
        "existingClaim": data.get("claimName", ""),
    }
    fields.map(path, node, fields.conversion.draft.set(("storage", name), entry))


def _report_restart(fields: Fields, path: KeyPath, node: Node) -> None:
    if node.value == "Never":
        fields.drop(path, node, "a failed training does not restart unless lifecycle.maxRestarts allows it")
    else:
        fields.lose(
            path, node, "the source does not say how often a failed training may restart", "set lifecycle.maxRestarts"
        )


def _add_env_from(fields: Fields, path: KeyPath, node: Node) -> None:
    fields.conversion.draft.add("training.envFrom", {"configMapRef": {"name": format_scalar(node.value)}})
    fields.map(path, node, "training.envFrom")


def _write_label(fields: Fields, path: KeyPath, node: Node) -> None:
    fields.set(path, node, ("labels", str(path[-1])), format_scalar(node.value))
