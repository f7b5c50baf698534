"""What becomes of the fields of pods and containers that need more than a key."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from dsgen.importers.draft import SECRET_HOLE, make_secret_reference
from dsgen.importers.environment import (
    ADDRESS,
    ADDRESS_HINT,
    ADDRESS_WHY,
    COUNT_HINT,
    OWN,
    RANKS,
    find_other_count,
)
from dsgen.importers.facts import Role
from dsgen.importers.fields import Action, Fields, as_count, as_list, as_map, as_text, format_scalar, remove_nulls, to
from dsgen.importers.images import write_image
from dsgen.importers.ledger import Placeholder
from dsgen.importers.secrets import has_secret, is_secret
from dsgen.problems import KeyPath
from dsgen.reading.nodes import Node

RoleName = Literal["workers", "launcher"]


ITSELF = "dsgen writes it itself"


VARIABLE = re.compile(r"\$\((\w+)\)")


MESH = "sidecar.istio.io/inject"


@dataclass
class Pod:
    """A pod template whose fields are read: its main container, and what the origin still has to decide.

    path: of the template; container: of the main container. command: the nodes of command and args with their paths.
    devices: of each pod, None if it is not known. takes_others: it has variables of ConfigMaps or Secrets.
    """

    path: KeyPath
    role: RoleName
    container: KeyPath = ()
    command: list[tuple[KeyPath, Node]] = field(default_factory=list)
    has_command: bool = False
    devices: int | None = 0
    takes_others: bool = False
    facts: Role = field(default_factory=Role)


DEFAULT_ANNOTATIONS = {MESH: "false", "linkerd.io/inject": "disabled", "karpenter.sh/do-not-disrupt": "true"}


def write_pod_metadata(role: RoleName, key: str) -> Action:
    def convert_part(fields: Fields, path: KeyPath, node: Node) -> None:
        name, value = str(path[-1]), format_scalar(node.value)
        if isinstance(node.value, dict | list):
            fields.lose(path, node, "its value is no text")
        elif DEFAULT_ANNOTATIONS.get(name) == value:
            fields.drop(path, node, ITSELF)
        elif name.startswith(("training.kubeflow.org/", "kubeflow.org/", "pod-template-hash", "job-name")):
            fields.drop(path, node, "the operator sets it")
        elif name == "kueue.x-k8s.io/queue-name":
            fields.set(path, node, "scheduling.queue", value)
        else:
            fields.set(path, node, (role, key, name), value)

    return convert_part


def write_extra(key: str, own: Sequence[str]) -> Action:
    """Fields for which dsgen has no key are written unchanged."""

    def convert_part(fields: Fields, path: KeyPath, node: Node) -> None:
        if path[-1] in own:
            fields.lose(path, node, "it would break what dsgen writes")
        else:
            fields.set(path, node, (*key.split("."), str(path[-1])), remove_nulls(node.as_data()))

    return convert_part


def add_all(key: str) -> Action:
    def convert_part(fields: Fields, path: KeyPath, node: Node) -> None:
        for index, one in enumerate(node.value if isinstance(node.value, list) else ()):
            if one.as_data() in (fields.conversion.draft.get(key) or []):
                fields.drop((*path, index), one, "another container has it, too")
            else:
                fields.map((*path, index), one, fields.conversion.draft.add(key, one.as_data()), is_same=True)

    return convert_part


def write_container_image(is_worker: bool) -> Action:
    def convert_part(fields: Fields, path: KeyPath, node: Node) -> None:
        image, draft = format_scalar(node.value), fields.conversion.draft
        if not is_worker and draft.get("image"):
            missing = [hole.why for hole in draft.holes if hole.key == "image.repository"]
            if image == _format_image(draft.get("image")) or (missing and image and image in missing[0]):
                fields.drop(path, node, "the launcher has the image of the workers")
            else:
                fields.set(path, node, "launcher.image", image)
            return
        keys = write_image(fields.conversion, image)
        if keys:
            fields.map(path, node, keys[0])
        else:
            why = f"the source has {image or 'no image'} here: write the image"
            fields.map(path, node, draft.set_hole("image.repository", "", why))

    return convert_part


def _format_image(data: Mapping[str, Any]) -> str:
    tag = f":{data['tag']}" if data.get("tag") else ""
    digest = f"@{data['digest']}" if data.get("digest") else ""
    return f"{data.get('repository', '')}{tag}{digest}"


def write_variable(where: str) -> Action:
    """One variable of a container, for `training` or `launcher`."""

    def convert_part(fields: Fields, path: KeyPath, node: Node) -> None:
        named, value, origin = node.find_child("name"), node.find_child("value"), node.find_child("valueFrom")
        name = format_scalar(named.value) if named is not None else ""
        text = format_scalar(value.value) if value is not None else ""
        for other, child in (node.value if isinstance(node.value, dict) else {}).items():
            if other not in ("name", "value", "valueFrom"):
                fields.lose((*path, other), child, "a variable of a container has no such field")
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            fields.lose(path, node, "its name is no name of a variable")
        elif name == "MASTER_PORT" and (port := as_count(text)) and 1024 <= port <= 65535:
            fields.set(path, node, "launch.masterPort", port)
        elif OWN.fullmatch(name):
            fields.later.append(lambda: _report_own(fields, path, node, name, text))
        elif ADDRESS.fullmatch(name):
            fields.lose(path, node, ADDRESS_WHY, ADDRESS_HINT)
        elif origin is not None and isinstance(origin.value, dict):
            fields.map(path, node, fields.conversion.draft.set((where, "env", name), {"valueFrom": origin.as_data()}))
        else:
            _write_constant(fields, path, node, (where, "env", name), text)

    return convert_part


def _write_constant(fields: Fields, path: KeyPath, node: Node, key: tuple[str, ...], text: str) -> None:
    draft, name = fields.conversion.draft, key[-1]
    references = VARIABLE.findall(text)
    if is_secret(name, text):
        fields.map(path, node, draft.set_hole(key, make_secret_reference(name), SECRET_HOLE))
    elif any(OWN.fullmatch(one) for one in references):
        fields.lose(path, node, "it refers to a variable that dsgen sets when the process starts",
                    "compute it in training.setup, or read the variable in the program")  # fmt: skip
    elif draft.get(key) not in (None, text):
        fields.lose(path, node, f"workers and launcher have different values of {name}", "set it in training.setup")
    else:
        fields.set(path, node, key, text)


def _report_own(fields: Fields, path: KeyPath, node: Node, name: str, text: str) -> None:
    """A variable that dsgen sets itself, after the numbers of workers and slots are known."""
    if why := find_other_count(fields.conversion, name, text):
        fields.lose(path, node, why, COUNT_HINT)
    else:
        fields.drop(path, node, RANKS)


def write_folder(fields: Fields, path: KeyPath, node: Node) -> None:
    if not isinstance(node.value, str) or not node.value.startswith("/"):
        fields.lose(path, node, "it is no absolute path", "set training.workingDir")
    elif fields.conversion.draft.get("training.workingDir") not in (None, node.value):
        fields.lose(path, node, "workers and launcher start in different folders", "set training.workingDir")
    else:
        fields.set(path, node, "training.workingDir", node.value)


def write_main_context(role: RoleName) -> Action:
    def convert_part(fields: Fields, path: KeyPath, node: Node) -> None:
        data = as_map(node.as_data())
        if data is None:
            fields.lose(path, node, "its value is no map")
        else:
            fields.set(path, node, f"{role}.securityContext", data)

    return convert_part


GANG_SCHEDULERS = ("kai-scheduler", "runai-scheduler", "yunikorn", "scheduler-plugins-scheduler", "koord-scheduler")
NO_GANG = "this scheduler starts all pods of the job together or none, which dsgen does not ask of it"
NO_GANG_HINT = "set scheduling.gang if the cluster has Volcano or the coscheduling plugin"


def write_scheduler(role: RoleName) -> Action:
    def convert_part(fields: Fields, path: KeyPath, node: Node) -> None:
        if node.value in ("default-scheduler", "", None):
            fields.drop(path, node, "the cluster has a default")
        elif node.value == "volcano":
            fields.set(path, node, "scheduling.gang", "volcano")
        else:
            to(f"{role}.schedulerName", as_text)(fields, path, node)
            if node.value in GANG_SCHEDULERS and role == "workers":
                fields.conversion.ledger.lose(
                    fields.name_field(path), node.position, NO_GANG, NO_GANG_HINT, is_part=True
                )

    return convert_part


def write_service_account(role: RoleName) -> Action:
    def convert_part(fields: Fields, path: KeyPath, node: Node) -> None:
        if node.value in ("default", "", None):
            fields.drop(path, node, "the namespace has a default")
        elif role == "launcher":
            fields.lose(path, node, "the launcher has a ServiceAccount of its own", "see serviceAccount")
        else:
            to("workers.serviceAccountName", as_text)(fields, path, node)

    return convert_part


def write_grace_period(fields: Fields, path: KeyPath, node: Node) -> None:
    seconds = as_count(node.value)
    if seconds and seconds >= 30:
        fields.set(path, node, "lifecycle.terminationGracePeriodSeconds", min(seconds, 86400))
    else:
        fields.lose(path, node, "dsgen needs at least 30 seconds", "set lifecycle.terminationGracePeriodSeconds")


def write_host_network(fields: Fields, path: KeyPath, node: Node) -> None:
    if node.value is not True:
        fields.drop(path, node, "it is the default")
        return
    fields.set(path, node, "network.hostNetwork", True)
    fields.conversion.draft.set("network.policy", False)


def report_restart(fields: Fields, path: KeyPath, node: Node) -> None:
    """restartPolicy, unless an origin has decided it already."""
    if node.value == "Never":
        fields.drop(path, node, "a failed training does not restart unless lifecycle.maxRestarts allows it")
    elif fields.conversion.draft.get("lifecycle.maxRestarts"):
        fields.map(path, node, "lifecycle.maxRestarts")
    else:
        fields.lose(path, node, "the source does not say how often a failed training may restart",
                    "set lifecycle.maxRestarts if the program loads its own checkpoint")  # fmt: skip


def add_init_containers(role: RoleName) -> Action:
    def convert_part(fields: Fields, path: KeyPath, node: Node) -> None:
        for index, one in enumerate(node.value if isinstance(node.value, list) else ()):
            name = format_scalar((one.find_child("name") or one).value) if isinstance(one.value, dict) else ""
            if name == "kubectl-delivery" or ("wait" in name and "master" in name):
                fields.drop((*path, index), one, "dsgen does not need it: workers and launcher wait for each other")
            else:
                add_extra_container(f"{role}.initContainers")(fields, (*path, index), one)

    return convert_part


def add_sidecar(role: RoleName) -> Action:
    """A container beside the main one."""
    return add_extra_container(f"{role}.sidecars")


def add_extra_container(key: str) -> Action:
    """A container of the user, in this list of values."""

    def convert_part(fields: Fields, path: KeyPath, node: Node) -> None:
        data = remove_nulls(node.as_data())
        if not isinstance(data, dict):
            fields.lose(path, node, "it is no container")
            return
        names, draft = fields.conversion.volumes, fields.conversion.draft
        for mount in _list_maps(data.get("volumeMounts")):
            mount["name"] = names.get(str(mount.get("name")), mount.get("name"))
        secrets = []
        for index, one in enumerate(_list_maps(data.get("env"))):
            if is_secret(name := str(one.get("name")), str(one.get("value", ""))):
                del one["value"]
                one.update(make_secret_reference(name))
                secrets.append(index)
        words = [str(word) for name in ("command", "args") for word in as_list(data.get(name)) or ()]
        if has_secret([data, " ".join(words)]):
            fields.lose(path, node, "it holds a secret, which is not copied",
                        f"put the secret into a Secret, and write the container into {key}")  # fmt: skip
            return
        to = draft.add(key, data)
        draft.holes += [Placeholder(f"{to}.env[{index}].valueFrom.secretKeyRef", SECRET_HOLE) for index in secrets]
        fields.map(path, node, to, is_same=True)

    return convert_part


def _list_maps(items: object) -> list[dict[str, Any]]:
    """The maps of a list; none of anything else."""
    return [one for one in items if isinstance(one, dict)] if isinstance(items, list) else []
