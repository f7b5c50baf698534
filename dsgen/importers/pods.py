"""Pod templates: the fields of pods and containers, shared by all kinds of objects, and jobs of equal pods."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from dsgen.checks.pods import CONTAINER_FIELDS, POD_FIELDS
from dsgen.importers import pod_fields as of
from dsgen.importers.container_commands import make_runtime, write_command
from dsgen.importers.facts import PLACES, Fact, JobSize, Role, describe_volume
from dsgen.importers.fields import (
    Action,
    Fields,
    Table,
    as_count,
    as_list,
    as_map,
    as_text,
    as_texts,
    as_whole,
    drop,
    format_scalar,
    lose,
    to,
)
from dsgen.importers.pod_fields import ITSELF, Pod, RoleName
from dsgen.importers.volumes import write_volumes
from dsgen.problems import KeyPath
from dsgen.reading.nodes import Node

DEVICES = re.compile(
    r"[a-z0-9.-]+/(gpu|pgpu|mig-[\w.]+|gaudi|Ascend\w+|neuron\w*|mlu\w*|dcu\w*|vgpu|gpu\.shared|npu|tpu|i915|xe|vcuda-core"
    r"|MLU|Ascend910\w*)"
)
RDMA = re.compile(
    r"rdma/.+|vpc\.amazonaws\.com/efa|[a-z0-9.-]+/(roce\w*|hca\w*|ib\w*|mlnx\w*|sriov\w*|mellanox\w*)|.*_mellanox"
)
EFA = re.compile(r"vpc\.amazonaws\.com/efa")
"""Its driver needs no IPC_LOCK, and dsgen adds none."""


def write_resources(role: RoleName, pod: Pod) -> Action:
    """Requests and limits: devices, networks, and the rest."""

    def convert_part(fields: Fields, path: KeyPath, node: Node) -> None:
        for kind in ("requests", "limits"):
            amounts = node.find_child(kind)
            for name, one in (amounts.value if amounts is not None and isinstance(amounts.value, dict) else {}).items():
                _write_amount(fields, (*path, kind, name), one, role, pod)
        if (claims := node.find_child("claims")) is not None:
            to(f"{role}.resources.claims", as_list)(fields, (*path, "claims"), claims)

    return convert_part


def _write_amount(fields: Fields, path: KeyPath, node: Node, role: RoleName, pod: Pod) -> None:
    kind, name = str(path[-2]), str(path[-1])
    value = (
        node.value
        if isinstance(node.value, int | float) and not isinstance(node.value, bool)
        else format_scalar(node.value)
    )
    draft = fields.conversion.draft
    if DEVICES.fullmatch(name):
        count = as_whole(node.value if node.value is not None else 1)
        if count is None:
            pod.devices = None if role == "workers" else 0
            fields.lose(path, node, "its value is no whole number", "set workers.slots to the number of devices")
        elif role == "launcher":
            fields.lose(path, node, "the launcher of dsgen needs no device") if count else fields.drop(
                path, node, ITSELF
            )
        else:
            pod.devices = count
            draft.set("workers.accelerator.resource", name)
            fields.map(path, node, "workers.accelerator.count")
    elif RDMA.fullmatch(name) and role == "workers" and as_whole(node.value) is not None:
        fields.set(path, node, ("network", "rdma", "resources", name), as_whole(node.value))
        if not EFA.fullmatch(name):
            draft.set("network.rdma.ipcLock", "omit")  # the source says which capabilities its containers have
    elif isinstance(node.value, dict | list) or node.value is None:
        fields.lose(path, node, "its value is no amount")
    else:
        text = value if isinstance(value, str) else format_scalar(value)
        fields.set(path, node, (role, "resources", kind, name), text)


PROBES = "dsgen has probes of its own"
NO_LAUNCHER_KEY = "the launcher of dsgen only starts the processes"


def read_pod(
    fields: Fields, path: KeyPath, role: RoleName, names: Sequence[str] = (), instead: Mapping[str, Table] | None = None
) -> Pod:
    """Fill the values from a pod template at a path (the map with `spec`), all but the command.

    names: of the main container, in order of preference; otherwise the first container is it. instead: what becomes of
    fields of the main container that something else replaces.
    """
    pod = Pod(path, role)
    main = _find_main(fields, (*path, "spec", "containers"), names)
    pod.container = (*path, "spec", "containers", main)
    pod.facts = _read_facts(fields, pod)
    pod.takes_others = fields.find_node(*pod.container, "envFrom") is not None
    node = fields.find_node(*path)
    if node is None:
        return pod
    write_volumes(fields, (*path, "spec"), main, role)
    fields.apply({"metadata": _make_metadata_table(role), "spec": _make_pod_table(role)}, path, node)
    _write_containers(fields, pod, main, instead or {})
    return pod


def _find_main(fields: Fields, path: KeyPath, names: Sequence[str]) -> int:
    node = fields.find_node(*path)
    items = node.value if node is not None and isinstance(node.value, list) else []
    found = [str((one.find_child("name") or Node("", one.position)).value) for one in items]
    return next((found.index(name) for name in names if name in found), 0)


def _make_metadata_table(role: RoleName) -> Table:
    return {
        "labels": {"*": of.write_pod_metadata(role, "podLabels")},
        "annotations": {"*": of.write_pod_metadata(role, "podAnnotations")},
        **dict.fromkeys(("name", "namespace", "generateName", "creationTimestamp"), drop(ITSELF)),
    }


def _make_pod_table(role: RoleName) -> Table:
    """The fields of a pod."""
    worker = role == "workers"
    table: dict[str, Table] = {
        "containers": {},
        "volumes": {},
        "initContainers": of.add_init_containers(role),
        "nodeSelector": to(f"{role}.nodeSelector", as_texts),
        "affinity": to(f"{role}.affinity", as_map),
        "tolerations": to(f"{role}.tolerations", as_list),
        "topologySpreadConstraints": to(f"{role}.topologySpreadConstraints", as_list),
        "schedulerName": of.write_scheduler(role),
        "priorityClassName": to(f"{role}.priorityClassName", as_text),
        "serviceAccountName": of.write_service_account(role),
        "serviceAccount": of.write_service_account(role),
        "imagePullSecrets": to("image.pullSecrets", as_list),
        "terminationGracePeriodSeconds": of.write_grace_period,
        "securityContext": to("security.podSecurityContext", as_map),
        "hostNetwork": of.write_host_network if worker else lose(NO_LAUNCHER_KEY),
        "dnsPolicy": drop(ITSELF),
        "restartPolicy": of.report_restart,
        "activeDeadlineSeconds": to("lifecycle.activeDeadlineSeconds", as_count),
        **dict.fromkeys(("hostname", "subdomain", "enableServiceLinks", "automountServiceAccountToken"), drop(ITSELF)),
        "setHostnameAsFQDN": drop(ITSELF),
        "*": of.write_extra(f"{role}.extraPodSpec", POD_FIELDS),
    }
    return table


def _make_container_table(role: RoleName, pod: Pod) -> Table:
    """The fields of the main container."""
    worker = role == "workers"
    return {
        "name": drop(ITSELF),
        "image": of.write_container_image(worker),
        "imagePullPolicy": to("image.pullPolicy", as_text) if worker else drop(ITSELF),
        "command": {},
        "args": {},
        "env": {"*": of.write_variable("training")} if worker else {},  # a launcher passes on a part of it
        "envFrom": of.add_all("training.envFrom"),
        "resources": write_resources(role, pod),
        "volumeMounts": {},
        "workingDir": of.write_folder,
        "securityContext": of.write_main_context(role),
        "ports": drop("the pods of a run reach all ports of each other"),
        **dict.fromkeys(("livenessProbe", "readinessProbe", "startupProbe"), drop(PROBES)),
        **dict.fromkeys(("terminationMessagePath", "terminationMessagePolicy"), drop(ITSELF)),
        "*": of.write_extra(f"{role}.extraContainerSpec", CONTAINER_FIELDS),
    }


def _write_containers(fields: Fields, pod: Pod, main: int, instead: Mapping[str, Table]) -> None:
    """The main container, and the others as sidecars."""
    path = (*pod.path, "spec", "containers")
    node = fields.find_node(*path)
    for index, one in enumerate(node.value if node is not None and isinstance(node.value, list) else ()):
        here = (*path, index)
        if index != main:
            fields.apply(of.add_sidecar(pod.role), here, one)
            continue
        if not {"command", "args"} & instead.keys():
            pod.command, pod.has_command = read_container_command(fields, here)
        table = _make_container_table(pod.role, pod)
        fields.apply({**table, **instead} if isinstance(table, Mapping) else table, here, one)


def read_container_command(fields: Fields, path: KeyPath) -> tuple[list[tuple[KeyPath, Node]], bool]:
    """The words of `command` and `args` of a container with their paths, and whether there is a command."""
    words: list[tuple[KeyPath, Node]] = []
    has_command = False
    for key in ("command", "args"):
        node = fields.find_node(*path, key)
        for number, word in enumerate(node.value if node is not None and isinstance(node.value, list) else ()):
            if not isinstance(word.value, dict | list):
                words.append(((*path, key, number), word))
        has_command |= key == "command" and bool(words)
    return words, has_command


def _read_facts(fields: Fields, pod: Pod) -> Role:
    spec, main = fields.find_node(*pod.path, "spec"), fields.find_node(*pod.container)
    data = spec.as_data() if spec is not None and isinstance(spec.value, dict) else {}
    container = main.as_data() if main is not None and isinstance(main.value, dict) else {}
    role = read_container_facts(fields, pod.container)
    volumes = {format_scalar(one.get("name")): one for one in _list_items(data.get("volumes")) if isinstance(one, dict)}
    for index, mount in enumerate(_list_items(container.get("volumeMounts"))):
        if isinstance(mount, dict):
            volume = volumes.get(format_scalar(mount.get("name")), {})
            path = format_scalar(mount.get("mountPath")).rstrip("/")
            role.mounts[path] = Fact(
                describe_volume(volume), fields.name_field((*pod.container, "volumeMounts", index))
            )
    for key in PLACES:
        if data.get(key):
            role.placement[key] = Fact(data[key], fields.name_field((*pod.path, "spec", key)))
    return role


def read_container_facts(fields: Fields, path: KeyPath, amounts: str = "resources") -> Role:
    """What a container says, for the comparison. amounts: the field that has requests and limits."""
    node = fields.find_node(*path)
    data = node.as_data() if node is not None and isinstance(node.value, dict) else {}

    def make_fact(value: Any, *below: str | int) -> Fact:
        return Fact(value, fields.name_field((*path, *below)))

    role = Role(image=make_fact(format_scalar(data.get("image")), "image") if data.get("image") else None)
    for index, one in enumerate(_list_items(data.get("env"))):
        if isinstance(one, dict):
            role.env[format_scalar(one.get("name"))] = make_fact(
                one.get("valueFrom") or format_scalar(one.get("value")), "env", index
            )
    given = data.get(amounts)
    for kind, known in (("requests", role.requests), ("limits", role.limits)):
        found = given.get(kind) if isinstance(given, dict) else None
        for name, value in (found if isinstance(found, dict) else {}).items():
            known[name] = make_fact(value, amounts, kind, name)
    return role


def _list_items(data: Any) -> list[Any]:
    return data if isinstance(data, list) else []


SAME = "it is the same as in the other pods"


def write_pods(
    fields: Fields,
    template: KeyPath,
    nodes: int | None,
    runtime: Mapping[str, str],
    names: Sequence[str] = (),
    slots: int | None = None,
    runs_ranks: bool = True,
    is_set_by_pods: bool = False,
) -> Pod:
    """Fill the values from a pod template whose pods all run the same command, and account for it.

    nodes: the number of pods, None if it is not known. runtime: what the operator sets in each pod. names: of the main
    container. slots: processes in each pod, None if the command or the devices say it. runs_ranks: a program without a
    launcher is one rank in each pod, as in PyTorchJob. is_set_by_pods: no operator sets the variables of runtime.
    """
    pod = read_pod(fields, template, "workers", names)
    world = JobSize(nodes or None, slots, pod.devices, runs_ranks=runs_ranks and pod.devices in (0, 1))
    fields.conversion.facts.workers = pod.facts
    write_command(fields, pod, world, make_runtime(fields.conversion, runtime), is_set_by_pods=is_set_by_pods)
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
