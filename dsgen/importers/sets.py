"""Hand-written jobs: StatefulSets, Deployments, Jobs and Pods, with the Services, ConfigMaps and Secrets beside them.

The objects are told apart by their roles: pods with sshd are workers, the pod that runs deepspeed or mpirun is the
launcher, and pods that run torchrun or another launcher are workers without ssh.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dsgen.importers import operators
from dsgen.importers.conversion import Conversion
from dsgen.importers.documents import OTHER_SLOTS, SourceDocument, format_scalar, read_slots
from dsgen.importers.environment import OWN
from dsgen.importers.facts import JobSize
from dsgen.importers.fields import Field, Fields, Table, drop, lose, read_name
from dsgen.importers.ledger import ImportRefusedError
from dsgen.importers.pods import HEAD
from dsgen.importers.texts import Text

KINDS = (("StatefulSet", "apps"), ("Deployment", "apps"), ("ReplicaSet", "apps"), ("DaemonSet", "apps"),
         ("Job", "batch"), ("Pod", ""))  # fmt: skip
NO_OPERATOR = operators.Operator(
    (),
    {**operators.INDEXED, "POD_INDEX": "NODE_RANK", "POD_NAME": "HOSTNAME", "RDZV_HOST": "MASTER_ADDR"},
    ("worker", "deepspeed"), ("launcher", "deepspeed"), is_set_by_pods=True,
)  # fmt: skip
KEY = "dsgen generates the ssh key in the cluster"
OF_SSH = re.compile("ssh|id_rsa|id_ed25519|authorized_keys")
RBAC = "dsgen has the permissions that it needs"
NAMED = "dsgen names and numbers its workers"
BESIDE = {"Service": "dsgen has a headless Service of its own", **dict.fromkeys(("Role", "RoleBinding"), RBAC),
          "ServiceAccount": RBAC, "Namespace": "the namespace must exist"}  # fmt: skip
"""Objects beside the pods that are not needed."""
REPLICATED: Table = {
    "replicas": operators.map_replicas,
    "template": {},
    **dict.fromkeys(("selector", "serviceName", "podManagementPolicy", "updateStrategy", "strategy", "paused",
                     "revisionHistoryLimit", "minReadySeconds", "progressDeadlineSeconds", "ordinals",
                     "persistentVolumeClaimRetentionPolicy"), drop(operators.CONTROLLER)),
    "volumeClaimTemplates": lose("a claim for each worker", "set storage.NAME.ephemeral, or one claim for all workers"),
}  # fmt: skip
SPECS: Mapping[str, Table] = {"Pod": {}, "Job": operators.JOB}


@dataclass
class SharedFiles:
    """Objects beside the pods: the ConfigMaps, their files by the names of both, and slots of a hostfile by host."""

    files: dict[str, dict[str, Text]] = field(default_factory=dict)
    slots: list[int] = field(default_factory=list)
    maps: list[Field] = field(default_factory=list)


def convert(document: SourceDocument, conversion: Conversion) -> None:
    """All hand-written objects of a file, which are one job. Raises ImportRefusedError if they are not."""
    objects = [one for one in conversion.others if (one.kind, one.group) in KINDS] or [document]
    wholes = [Fields(conversion, one).root for one in objects]
    kinds = [found for whole in wholes if (found := _make_kind(whole))]
    beside = _read_beside(conversion)
    conversion.used.update(map(id, objects))
    if not kinds:
        raise ImportRefusedError("the file describes no pods", document.position)
    launcher = operators.find_launcher(kinds)
    workers = [one for one in kinds if one is not launcher]
    if launcher is None:
        for worker in workers:
            operators.refuse_server(worker.name, worker.whole.node.position)
        workers = operators.choose_workers([one for one in workers if one.rank[0] > 0] or workers, document.position)
    else:
        workers = [one for one in workers if one.waits] or workers
    runners = [*([launcher] if launcher else []), *workers]
    operators.lose_others(kinds, runners)
    for runner in runners:
        runner.whole.apply({**HEAD, "spec": SPECS.get(runner.whole.fields.document.kind, REPLICATED)})
    for other in workers[1:]:
        _drop_names(other, workers[0])
    mounted = _mount_files(runners[0], beside)
    if not launcher and len({one.whole.fields.document.kind for one in workers}) > 1:
        raise ImportRefusedError("several objects of the file train", document.position, operators.ONE_BY_ONE)
    size = JobSize(slots=beside.slots[0] if beside.slots else None, runs_ranks=False)
    operators.write_pods(NO_OPERATOR, workers, size, launcher)
    _forget_selected(workers[0])
    _drop_mounts(runners[0], beside, mounted)
    if launcher:
        _check_hosts(launcher, workers, beside)
        _drop_keys(kinds, conversion)
    for whole in wholes:
        whole.fields.finish()


def _make_kind(whole: Field) -> operators.PodKind | None:
    document = whole.fields.document
    template = whole if document.kind == "Pod" else whole.find("spec", "template")
    spec = whole.find("spec") or whole
    number = operators.count_job(spec) if document.kind == "Job" else operators.read_number(spec, "replicas")
    number = 0 if document.kind == "DaemonSet" else number  # a pod on each node
    return operators.PodKind(document.name, whole, template, number) if template else None


def _forget_selected(kind: operators.PodKind) -> None:
    """Labels of the pods by which only the set and its Service find them."""
    conversion = kind.whole.conversion
    names = {one.name for one in kind.template.walk() if "labelSelector" in one.path}
    for one in kind.whole.list_items("spec", "selector", "matchLabels"):
        if one.name not in names:
            conversion.forget(("workers", "podLabels", one.name), "the pods of a run have labels of their own for this")


def _check_hosts(launcher: operators.PodKind, workers: Sequence[operators.PodKind], beside: SharedFiles) -> None:
    """The hostfile names all workers, and the name of the job is not that of its launcher."""
    conversion, nodes = launcher.whole.conversion, sum(worker.count for worker in workers)
    add, at = conversion.ledger.add, launcher.whole.node.position
    if beside.slots and nodes and len(beside.slots) != nodes:
        why = f"the hostfile has {len(beside.slots)} hosts, but there are {nodes} workers"
        add("lost", "hostfile", at, why, "set workers.replicas")
    if len({*beside.slots}) > 1:
        add("lost", "hostfile", at, OTHER_SLOTS, "set workers.slots")
    if name := re.sub(r"-(launcher|master|driver|client)$", "", conversion.draft.get("name", "")):
        conversion.draft.set("name", name)  # its pods are named after it and their role


def _drop_names(other: operators.PodKind, first: operators.PodKind) -> None:
    """The names and ranks of the pods of another set are those of dsgen."""
    for one in other.template.walk():
        twin = first.template.find(*one.path[len(other.template.path) :])
        if (twin is None or twin.data != one.data) and _is_name_or_rank(one):
            one.drop(NAMED)


def _is_name_or_rank(one: Field) -> bool:
    """Whether a scalar of a pod is one of its names or labels, or the value of a variable with its rank."""
    if one.name == "value" and "env" in one.path:
        name = one.fields.find(*one.path[:-1], "name")
        return name is not None and OWN.fullmatch(name.text) is not None
    return one.name == "hostname" or one.path[-2:-1] == ("labels",) or "matchLabels" in one.path


# -- objects beside the pods ------------------------------------------------------------------------------------------


def _read_beside(conversion: Conversion) -> SharedFiles:
    beside = SharedFiles()
    for document in conversion.others:
        whole = Fields(conversion, document).root
        if document.kind == "ConfigMap":
            _read_config_map(whole, beside)
        elif document.kind in BESIDE:
            whole.drop(BESIDE[document.kind])
        elif document.kind == "Secret" and OF_SSH.search(
            " ".join([document.name, *(item.name for key in ("data", "stringData") for item in whole.list_items(key))])
        ):
            whole.drop(KEY)
        else:
            continue
        conversion.used.add(id(document))
    return beside


def _read_config_map(whole: Field, beside: SharedFiles) -> None:
    """A hostfile is dropped; scripts that a command runs are read; other files become training.files if named."""
    for item in whole.list_items("data"):
        if slots := read_slots(item.text):
            beside.slots += slots
            item.drop("dsgen writes the hostfile")
        else:
            beside.files.setdefault(whole.fields.document.name, {})[item.name] = item.read_text()
    beside.maps.append(whole)


def _mount_files(kind: operators.PodKind, beside: SharedFiles) -> dict[str, str]:
    """Files of ConfigMaps that the pods mount, by their path in the pod; returns the ConfigMap of each path."""
    volumes = kind.template.list_items("spec", "volumes")
    names = {read_name(volume): format_scalar(volume.read("configMap", "name")) for volume in volumes}
    mounted, found = kind.whole.conversion.mounted, dict[str, str]()
    for container in kind.template.list_items("spec", "containers"):
        for mount in container.list_items("volumeMounts"):
            config, folder = names.get(read_name(mount), ""), format_scalar(mount.read("mountPath"))
            for name, text in beside.files.get(config, {}).items():
                mounted[posixpath.join(folder, name)] = text
                mounted.setdefault(folder, text)
                found[posixpath.join(folder, name)] = config
    return found


def _drop_mounts(kind: operators.PodKind, beside: SharedFiles, mounted: dict[str, str]) -> None:
    """ConfigMaps of the file: those whose files are in the values now are not mounted, others must be applied."""
    conversion, commands = kind.whole.conversion, " ".join(kind.words)
    for whole in beside.maps:
        name = whole.fields.document.name
        used = [posixpath.basename(path) for path, config in mounted.items() if config == name and path in commands]
        if not all(file in used for file in beside.files.get(name, {})):
            whole.lose("the pods mount it, and dsgen does not write it", "apply it beside the job")
            continue
        for volume, entry in list((conversion.draft.get("storage") or {}).items()):
            config = entry.get("configMap")
            if isinstance(config, dict) and config.get("name") == name:
                conversion.forget(("storage", volume), "the values have its files")
        if data := whole.find("data"):
            data.map("training")
        whole.drop("dsgen writes its own ConfigMaps")


def _drop_keys(kinds: Sequence[operators.PodKind], conversion: Conversion) -> None:
    """Secrets whose files the commands only copy to the folder of ssh."""
    texts = [one.text for kind in kinds for one in kind.template.walk() if {"command", "args"} & {*one.path}]
    lines = [line for text in texts for line in re.split(r"[\n;&|]+", text)]
    for name, entry in list((conversion.draft.get("storage") or {}).items()):
        path = entry.get("mountPath", "") if "secret" in entry else ""
        using = [line for line in lines if path and f"{path}/" in line]
        if path.endswith("/.ssh") or (using and all("ssh" in line for line in using)):
            conversion.forget(("storage", name), KEY)
