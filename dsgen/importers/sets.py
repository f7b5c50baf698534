"""Hand-written jobs: StatefulSets, Deployments, Jobs and Pods, with the Services, ConfigMaps and Secrets beside them.

The objects are told apart by their roles: pods with sshd are workers, the pod that runs deepspeed or mpirun is the
launcher, and pods that run torchrun or another launcher are workers without ssh.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dsgen.importers.container_commands import make_runtime, write_command
from dsgen.importers.conversion import Conversion
from dsgen.importers.documents import SourceDocument
from dsgen.importers.environment import OWN
from dsgen.importers.errors import ImportRefusedError
from dsgen.importers.facts import JobSize
from dsgen.importers.fields import Fields, Table, as_whole, drop, format_scalar, lose
from dsgen.importers.jobset import JOB_TABLE
from dsgen.importers.jobset import RUNTIME as JOB_RUNTIME
from dsgen.importers.kinds import choose_workers, lose_other, rank_words, refuse_servers
from dsgen.importers.mpijob import drop_sshd, write_expected_world
from dsgen.importers.objects import CONTROLLER, HEAD
from dsgen.importers.pods import compare_templates, read_pod
from dsgen.importers.texts import Text
from dsgen.problems import KeyPath

KINDS = (("StatefulSet", "apps"), ("Deployment", "apps"), ("ReplicaSet", "apps"), ("DaemonSet", "apps"),
         ("Job", "batch"), ("Pod", ""))  # fmt: skip
RUNTIME: Mapping[str, str] = {**JOB_RUNTIME, "HOSTNAME": "NODE_RANK", "POD_NAME": "NODE_RANK", "POD_INDEX": "NODE_RANK",
                              "RDZV_HOST": "MASTER_ADDR"}  # fmt: skip
WITH_SSH = re.compile(r"(^|[\s/;&])(mpirun|mpiexec|deepspeed|horovodrun)\s")
SERVICE = "dsgen has a headless Service of its own"
HOSTFILE = "dsgen writes the hostfile"
KEY = "dsgen generates the ssh key in the cluster"
RBAC = "dsgen has the permissions that it needs"
REPLICATED: Table = {
    "replicas": drop("workers.replicas"),
    "template": {},
    **dict.fromkeys(("selector", "serviceName", "podManagementPolicy", "updateStrategy", "strategy",
                     "revisionHistoryLimit", "minReadySeconds", "progressDeadlineSeconds", "ordinals",
                     "persistentVolumeClaimRetentionPolicy"), drop(CONTROLLER)),
    "volumeClaimTemplates": lose("a claim for each worker", "set storage.NAME.ephemeral, or one claim for all workers"),
    "paused": drop(CONTROLLER),
}  # fmt: skip


@dataclass
class PodSet:
    """One object with pods. template: the path of its pods; count: how many; text: of its commands."""

    fields: Fields
    template: KeyPath
    count: int
    text: str

    @property
    def starts_ranks(self) -> bool:
        """Whether it starts ranks on other pods."""
        return WITH_SSH.search(f" {self.text} ") is not None

    @property
    def rank(self) -> int:
        """How surely it trains."""
        return rank_words(self.text.split())


@dataclass
class SharedFiles:
    """Objects beside the pods: files of ConfigMaps by their name, and slots of a hostfile by host."""

    files: dict[str, dict[str, Text]] = field(default_factory=dict)
    slots: list[int] = field(default_factory=list)
    maps: list[Fields] = field(default_factory=list)


def convert(document: SourceDocument, conversion: Conversion) -> None:
    """All hand-written objects of a file, which are one job. Raises ImportRefusedError if they are not."""
    sets = [_make_set(Fields(conversion, one)) for one in conversion.others if (one.kind, one.group) in KINDS]
    sets = sets or [_make_set(Fields(conversion, document))]
    beside = _read_beside(conversion)
    conversion.used.update(id(one.fields.document) for one in sets)
    launcher = next((one for one in sets if one.starts_ranks and len(sets) > 1), None)
    workers = [one for one in sets if one is not launcher]
    trains = [one for one in workers if launcher is None and one.rank > 0]
    if launcher is None and trains:
        kinds = [(one.fields.document.name, one.fields.document.root) for one in trains]
        refuse_servers([(one.fields.document.name, one.fields.document.position) for one in workers])
        workers = [trains[index] for index in choose_workers(kinds, document.position)]
    for one in (launcher, *workers):
        if one is not None:
            _apply_head(one)
    if launcher is not None:
        _write_with_launcher(conversion, launcher, workers, beside)
    else:
        _write_peers(conversion, workers, beside, document)
    for one in sets:
        if one not in workers and one is not launcher:
            lose_other(one.fields, (), one.fields.document.root)
        one.fields.finish()


def _make_set(fields: Fields) -> PodSet:
    is_pod = fields.document.kind == "Pod"
    template: KeyPath = () if is_pod else ("spec", "template")
    counts = [fields.find_node("spec", key) for key in ("replicas", "completions", "parallelism")]
    numbers = [as_whole(node.value) or 0 for node in counts if node is not None]
    found = (node for path, node in fields.document.root.walk() if {"command", "args"} & set(path))
    text = " ".join(format_scalar(node.value) for node in found if not isinstance(node.value, dict | list))
    return PodSet(fields, template, max(numbers, default=1), text)


def _apply_head(one: PodSet) -> None:
    kind = one.fields.document.kind
    spec: Table = {} if kind == "Pod" else JOB_TABLE if kind == "Job" else REPLICATED
    one.fields.apply({**HEAD, **({"spec": spec} if spec else {})})


def _forget_selected(conversion: Conversion, one: PodSet) -> None:
    """Labels of the pods by which only the set and its Service find them."""
    selected = one.fields.find_node("spec", "selector", "matchLabels")
    spec = one.fields.find_node(*one.template, "spec")
    names = {path[-1] for path, _ in spec.walk() if "labelSelector" in path} if spec is not None else set()
    for name in selected.value if selected is not None and isinstance(selected.value, dict) else ():
        if name not in names:
            conversion.forget(("workers", "podLabels", name), "the pods of a run have labels of their own for this")


def _write_with_launcher(
    conversion: Conversion, launcher: PodSet, workers: Sequence[PodSet], beside: SharedFiles
) -> None:
    """Workers with sshd, and a pod that starts the ranks over ssh."""
    nodes = sum(one.count for one in workers)
    first = workers[0] if workers else launcher
    pod = read_pod(first.fields, first.template, "workers", ("worker", "deepspeed"))
    _forget_selected(conversion, first)
    for other in workers[1:]:
        _compare_sets(other, first)
    start = read_pod(launcher.fields, launcher.template, "launcher", ("launcher", "deepspeed"))
    drop_sshd(first.fields, pod)
    conversion.facts.workers, conversion.facts.launcher = pod.facts, start.facts
    _check_hosts(conversion, beside, nodes, launcher)
    each = beside.slots[0] if beside.slots else 1 if pod.devices == 0 else pod.devices
    world = JobSize(nodes or None, each, pod.devices, is_launcher=True)
    if name := re.sub(r"-(launcher|master|driver|client)$", "", conversion.draft.get("name", "")):
        conversion.draft.set("name", name)  # its pods are named after it and their role
    mounted = _mount_files(launcher, beside, conversion)
    write_command(launcher.fields, start, world, make_runtime(conversion, RUNTIME), is_set_by_pods=True)
    write_expected_world(conversion, start)
    _drop_mounts(launcher, beside, mounted, conversion)
    _drop_keys([launcher, *workers], conversion)


def _write_peers(
    conversion: Conversion, workers: Sequence[PodSet], beside: SharedFiles, document: SourceDocument
) -> None:
    """Equal pods without ssh; several Pods may differ in their rank."""
    first = workers[0]
    if len(workers) > 1 and any(one.fields.document.kind != first.fields.document.kind for one in workers):
        raise ImportRefusedError("several objects of the file train", document.position, "import them one by one")
    for other in workers[1:]:
        _compare_sets(other, first)
    pod = read_pod(first.fields, first.template, "workers")
    _forget_selected(conversion, first)
    conversion.facts.workers = pod.facts
    world = JobSize(sum(one.count for one in workers) or None, None, pod.devices, runs_ranks=False)
    mounted = _mount_files(first, beside, conversion)
    write_command(first.fields, pod, world, make_runtime(conversion, RUNTIME), is_set_by_pods=True)
    _drop_mounts(first, beside, mounted, conversion)


def _compare_sets(other: PodSet, first: PodSet) -> None:
    """The pods of another set: their names and ranks are those of dsgen, what else differs from the first is lost."""
    pods = other.fields.find_node(*other.template)
    for path, node in pods.walk(other.template) if pods is not None else ():
        twin = first.fields.find_node(*first.template, *path[len(other.template) :])
        is_same = twin is not None and twin.as_data() == node.as_data()
        if not isinstance(node.value, dict | list) and not is_same and _is_name_or_rank(other.fields, path):
            other.fields.drop(path, node, "dsgen names and numbers its workers")
    compare_templates(other.fields, first.template, other.template, first.fields)


def _is_name_or_rank(fields: Fields, path: KeyPath) -> bool:
    """Whether a scalar of a pod is one of its names or labels, or the value of a variable with its rank."""
    if path[-1] == "value" and "env" in path:
        name = fields.find_node(*path[:-1], "name")
        return name is not None and OWN.fullmatch(format_scalar(name.value)) is not None
    return path[-1] == "hostname" or path[-2:-1] == ("labels",) or "matchLabels" in path


def _check_hosts(conversion: Conversion, beside: SharedFiles, nodes: int, launcher: PodSet) -> None:
    if beside.slots and nodes and len(beside.slots) != nodes:
        at = launcher.fields.document.position
        why = f"the hostfile has {len(beside.slots)} hosts, but there are {nodes} workers"
        conversion.ledger.lose("hostfile", at, why, "set workers.replicas", is_part=True)


# -- objects beside the pods ------------------------------------------------------------------------------------------


def _read_beside(conversion: Conversion) -> SharedFiles:
    beside = SharedFiles()
    for one in conversion.others:
        fields = Fields(conversion, one)
        if one.kind == "Service":
            fields.drop((), one.root, SERVICE)
        elif one.kind == "ConfigMap":
            _read_config_map(fields, beside)
        elif one.kind == "Secret" and re.search(r"ssh|id_rsa|id_ed25519|authorized_keys", " ".join(_list_keys(one))):
            fields.drop((), one.root, KEY)
        elif one.kind in ("Role", "RoleBinding", "ServiceAccount", "Namespace"):
            fields.drop((), one.root, RBAC if one.kind != "Namespace" else "the namespace must exist")
        else:
            continue
        conversion.used.add(id(one))
    return beside


def _list_keys(document: SourceDocument) -> Iterator[str]:
    for key in ("data", "stringData"):
        node = document.root.find_child(key)
        yield from node.value if node is not None and isinstance(node.value, dict) else ()
    yield document.name


def _read_config_map(fields: Fields, beside: SharedFiles) -> None:
    """A hostfile is dropped; scripts that a command runs are read; other files become training.files if named."""
    data = fields.find_node("data")
    for name, node in (data.value if data is not None and isinstance(data.value, dict) else {}).items():
        text = format_scalar(node.value) if not isinstance(node.value, dict | list) else ""
        hosts = re.findall(r"(?m)^\s*[\w.-]+\s+slots=(\d{1,4})", text)
        if hosts:
            beside.slots += [int(one) for one in hosts]
            fields.drop(("data", name), node, HOSTFILE)
        else:
            beside.files.setdefault(fields.document.name, {})[name] = fields.read_text(node)
    beside.maps.append(fields)


def _drop_mounts(one: PodSet, beside: SharedFiles, mounted: Mapping[str, str], conversion: Conversion) -> None:
    """ConfigMaps of the file: those whose files are in the values now are not mounted, others must be applied."""
    for fields in beside.maps:
        name = fields.document.name
        files = beside.files.get(name, {})
        used = [path for path, config in mounted.items() if config == name and posixpath.basename(path) in files]
        is_read = all(any(posixpath.basename(path) == file and path in one.text for path in used) for file in files)
        data = fields.find_node("data")
        if is_read:
            for volume, entry in list((conversion.draft.get("storage") or {}).items()):
                if entry.get("configMap", {}).get("name") == name:
                    conversion.forget(("storage", volume), "the values have its files")
            if data is not None:
                fields.map(("data",), data, "training")
            fields.drop((), fields.document.root, "dsgen writes its own ConfigMaps")
        else:
            fields.lose((), fields.document.root, "the pods mount it, and dsgen does not write it",
                        "apply it beside the job")  # fmt: skip


def _drop_keys(sets: Sequence[PodSet], conversion: Conversion) -> None:
    """Secrets whose files the commands only copy to the folder of ssh."""
    lines = [line for one in sets for line in re.split(r"[\n;&|]+", one.text)]
    for name, entry in list((conversion.draft.get("storage") or {}).items()):
        path = entry.get("mountPath", "") if "secret" in entry else ""
        using = [line for line in lines if path and f"{path}/" in line]
        if path.endswith("/.ssh") or (using and all("ssh" in line for line in using)):
            conversion.forget(("storage", name), KEY)


def _mount_files(one: PodSet, beside: SharedFiles, conversion: Conversion) -> dict[str, str]:
    """Files of ConfigMaps that the pods mount, by their path in the pod; returns the ConfigMap of each path."""
    spec: KeyPath = (*one.template, "spec")
    volumes = one.fields.find_node(*spec, "volumes")
    names: dict[str, str] = {}
    found: dict[str, str] = {}
    for volume in volumes.value if volumes is not None and isinstance(volumes.value, list) else ():
        source = volume.find(("configMap", "name"))
        if len(source[1]) == 2:
            names[format_scalar((volume.find_child("name") or volume).value)] = format_scalar(source[0].value)
    for path, mount in one.fields.document.root.walk():
        if len(path) > 1 and path[-2] == "volumeMounts" and isinstance(mount.value, dict):
            config = names.get(format_scalar((mount.find_child("name") or mount).value), "")
            folder = format_scalar((mount.find_child("mountPath") or mount).value)
            for name, text in beside.files.get(config, {}).items():
                conversion.mounted[posixpath.join(folder, name)] = text
                conversion.mounted.setdefault(folder, text)
                found[posixpath.join(folder, name)] = config
    return found
