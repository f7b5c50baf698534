"""Pod templates: what becomes of the fields of pods and containers, which all kinds of objects share."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as default
from typing import Literal

from dsgen.checks.pods import CONTAINER_FIELDS, POD_FIELDS
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
from dsgen.importers.facts import PLACES, Fact, Role, describe_volume
from dsgen.importers.fields import (
    Action,
    Field,
    Read,
    Table,
    as_count,
    as_list,
    as_map,
    as_text,
    as_texts,
    as_true,
    as_whole,
    drop,
    format_scalar,
    list_maps,
    lose,
    read_name,
    remove_nulls,
    to,
)
from dsgen.importers.images import write_image
from dsgen.importers.ledger import Placeholder
from dsgen.importers.objects import report_restart_policy, write_metadata
from dsgen.importers.secrets import has_secret, is_secret
from dsgen.importers.volumes import write_volumes

RoleName = Literal["workers", "launcher"]
ITSELF = "dsgen writes it itself"
VARIABLE = re.compile(r"\$\((\w+)\)")
DEVICES = re.compile(
    r"[a-z0-9.-]+/(gpu|pgpu|mig-[\w.]+|gaudi|Ascend\w+|neuron\w*|mlu\w*|dcu\w*|vgpu|gpu\.shared|npu|tpu|i915|xe|vcuda-core"
    r"|MLU|Ascend910\w*)"
)
RDMA = re.compile(
    r"rdma/.+|vpc\.amazonaws\.com/efa|[a-z0-9.-]+/(roce\w*|hca\w*|ib\w*|mlnx\w*|sriov\w*|mellanox\w*)|.*_mellanox"
)
EFA = re.compile(r"vpc\.amazonaws\.com/efa")
"""Its driver needs no IPC_LOCK, and dsgen adds none."""
GANGS = ("kai-scheduler", "runai-scheduler", "yunikorn", "scheduler-plugins-scheduler", "koord-scheduler")
NO_GANG = "this scheduler starts all pods of the job together or none, which dsgen does not ask of it"
NO_GANG_HINT = "set scheduling.gang if the cluster has Volcano or the coscheduling plugin"
SAME = "it is the same as in the other pods"


@dataclass
class Pod:
    """A pod template whose fields are read: its main container, and what the origin still has to decide.

    command: the fields of command and args. devices: of each pod, None if it is not known. takes_others: it has
    variables of ConfigMaps or Secrets.
    """

    template: Field
    role: RoleName
    container: Field | None = None
    command: list[Field] = default(default_factory=list)
    has_command: bool = False
    devices: int | None = 0
    takes_others: bool = False
    facts: Role = default(default_factory=Role)


def read_pod(
    template: Field, role: RoleName, names: Sequence[str] = (), instead: Mapping[str, Table] | None = None
) -> Pod:
    """Fill the values from a pod template (the map with `spec`), all but the command.

    names: of the main container, in order of preference; otherwise the first container is it. instead: what becomes of
    fields of the main container that something else replaces.
    """
    pod = Pod(template, role)
    containers = template.list_items("spec", "containers")
    found = {read_name(one): one for one in reversed(containers)}
    pod.container = next((found[name] for name in names if name in found), next(iter(containers), None))
    pod.facts = _read_facts(pod)
    pod.takes_others = pod.container is not None and pod.container.find("envFrom") is not None
    spec = template.find("spec")
    if spec is not None:
        write_volumes(spec, pod.container, role)
    template.apply({"metadata": _make_metadata_table(role), "spec": _make_pod_table(role)})
    for one in containers:
        if pod.container is None or one.path != pod.container.path:
            add_container(f"{role}.sidecars")(one)
            continue
        if not {"command", "args"} & (instead or {}).keys():
            pod.command, pod.has_command = read_container_command(one)
        one.apply({**_make_container_table(role, pod), **(instead or {})})
    return pod


def read_container_command(container: Field) -> tuple[list[Field], bool]:
    """The words of `command` and `args` of a container, and whether there is a command."""
    words = [one for key in ("command", "args") for one in container.list_items(key)
             if not isinstance(one.node.value, dict | list)]  # fmt: skip
    return words, any("command" in one.path for one in words)


def _make_metadata_table(role: RoleName) -> Table:
    return {
        "labels": {"*": write_metadata(role, "podLabels")},
        "annotations": {"*": write_metadata(role, "podAnnotations")},
        **dict.fromkeys(("name", "namespace", "generateName", "creationTimestamp"), drop(ITSELF)),
    }


def _make_pod_table(role: RoleName) -> Table:
    """The fields of a pod."""
    is_worker = role == "workers"
    return {
        "containers": {},
        "volumes": {},
        "initContainers": {"*": _add_init_container(role)},
        "nodeSelector": to(f"{role}.nodeSelector", as_texts),
        "affinity": to(f"{role}.affinity", as_map),
        "tolerations": to(f"{role}.tolerations", as_list),
        "topologySpreadConstraints": to(f"{role}.topologySpreadConstraints", as_list),
        "schedulerName": _write_scheduler(role),
        "priorityClassName": to(f"{role}.priorityClassName", as_text),
        **dict.fromkeys(("serviceAccountName", "serviceAccount"), _write_service_account(role)),
        "imagePullSecrets": _share("image.pullSecrets", as_list),
        "terminationGracePeriodSeconds": _write_grace_period,
        "securityContext": _share("security.podSecurityContext", as_map),
        "hostNetwork": _write_host_network if is_worker else lose("the launcher of dsgen only starts the processes"),
        "restartPolicy": report_restart_policy,
        "activeDeadlineSeconds": _share("lifecycle.activeDeadlineSeconds", as_count),
        **dict.fromkeys(("hostname", "subdomain", "enableServiceLinks", "automountServiceAccountToken", "dnsPolicy",
                         "setHostnameAsFQDN"), drop(ITSELF)),
        "*": _write_extra(f"{role}.extraPodSpec", POD_FIELDS),
    }  # fmt: skip


def _make_container_table(role: RoleName, pod: Pod) -> dict[str, Table]:
    """The fields of the main container."""
    is_worker = role == "workers"
    return {
        "name": drop(ITSELF),
        "image": write_container_image(is_worker),
        "imagePullPolicy": to("image.pullPolicy", as_text) if is_worker else drop(ITSELF),
        "command": {},
        "args": {},
        "env": {"*": write_variable("training")} if is_worker else {},  # a launcher passes on a part of it
        "envFrom": {"*": _add_variables if is_worker else _report_variables},
        "resources": make_resources_table(role, pod),
        "volumeMounts": {},
        "workingDir": _write_folder,
        "securityContext": to(f"{role}.securityContext", as_map),
        "ports": drop("the pods of a run reach all ports of each other"),
        **dict.fromkeys(("livenessProbe", "readinessProbe", "startupProbe"), drop("dsgen has probes of its own")),
        **dict.fromkeys(("terminationMessagePath", "terminationMessagePolicy"), drop(ITSELF)),
        "*": _write_extra(f"{role}.extraContainerSpec", CONTAINER_FIELDS),
    }


# -- resources and facts ----------------------------------------------------------------------------------------------


def make_resources_table(role: RoleName, pod: Pod) -> Table:
    """Requests and limits: devices, networks, and the rest."""
    amounts: Table = {"*": lambda field: _write_amount(field, role, pod)}
    return {"requests": amounts, "limits": amounts, "claims": to(f"{role}.resources.claims", as_list)}


def _write_amount(field: Field, role: RoleName, pod: Pod) -> None:
    kind, name, count = str(field.path[-2]), field.name, as_whole(field.data)
    if DEVICES.fullmatch(name):
        count = 1 if field.data is None else count
        if count is None:
            pod.devices = None if role == "workers" else 0
            field.lose("its value is no whole number", "set workers.slots to the number of devices")
        elif role == "workers":
            pod.devices = count
            field.draft.set("workers.accelerator.resource", name)
            field.map("workers.accelerator.count")
        elif count:
            field.lose("the launcher of dsgen needs no device")
        else:
            field.drop(ITSELF)
    elif RDMA.fullmatch(name) and role == "workers" and count is not None:
        field.set(("network", "rdma", "resources", name), count)
        if not EFA.fullmatch(name):
            field.draft.set("network.rdma.ipcLock", "omit")  # the source says which capabilities its containers have
    elif isinstance(field.data, dict | list) or field.data is None:
        field.lose("its value is no amount")
    else:
        field.set((role, "resources", kind, name), field.text)


def _read_facts(pod: Pod) -> Role:
    role = read_container_facts(pod.container)
    volumes = {read_name(one): one.data for one in pod.template.list_items("spec", "volumes")}
    for mount in pod.container.list_items("volumeMounts") if pod.container else ():
        volume = volumes.get(read_name(mount), {})
        path = format_scalar(mount.read("mountPath")).rstrip("/")
        role.mounts[path] = Fact(describe_volume(volume if isinstance(volume, dict) else {}), str(mount))
    for key in PLACES:
        if (place := pod.template.find("spec", key)) and place.data:
            role.placement[key] = Fact(place.data, str(place))
    return role


def read_container_facts(container: Field | None, amounts: str = "resources") -> Role:
    """What a container says, for the comparison. amounts: the field that has requests and limits."""
    role = Role()
    if container is None:
        return role
    image = container.find("image")
    role.image = Fact(image.text, str(image)) if image and image.text else None
    for one in container.list_items("env"):
        role.env[read_name(one)] = Fact(one.read("valueFrom") or format_scalar(one.read("value")), str(one))
    for kind, known in (("requests", role.requests), ("limits", role.limits)):
        for one in container.list_items(amounts, kind):
            known[one.name] = Fact(one.data, str(one))
    return role


# -- single fields ----------------------------------------------------------------------------------------------------


def _write_extra(key: str, own: Sequence[str]) -> Action:
    """Fields for which dsgen has no key are written unchanged."""

    def write(field: Field) -> None:
        if field.name in own:
            field.lose("it would break what dsgen writes")
        else:
            field.set((*key.split("."), field.name), remove_nulls(field.data))

    return write


def _add_variables(field: Field) -> None:
    """An item of envFrom."""
    if field.data in (field.draft.get("training.envFrom") or []):
        field.drop("another container has it, too")
    else:
        field.map(field.draft.add("training.envFrom", field.data), is_same=True)


def _report_variables(field: Field) -> None:
    """An item of envFrom of a launcher."""
    if field.data in (field.draft.get("training.envFrom") or []):
        field.drop("another container has it, too")
    else:
        field.lose("dsgen gives variables of other objects to the workers", "set launcher.env, or training.envFrom")


def _share(key: str, read: Read) -> Action:
    """A key that workers and launcher share."""

    def write(field: Field) -> None:
        if field.draft.get(key) not in (None, read(field.data)):
            field.lose("workers and launcher have different values of it", f"set {key}")
        else:
            to(key, read)(field)

    return write


def write_container_image(is_worker: bool) -> Action:
    """The image of the workers, or another one of the launcher."""

    def write(field: Field) -> None:
        draft = field.draft
        known = draft.get("image") or {}
        if not is_worker and known:
            missing = next((hole.why for hole in draft.holes if hole.key == "image.repository"), "")
            tag = f":{known['tag']}" if known.get("tag") else ""
            digest = f"@{known['digest']}" if known.get("digest") else ""
            if field.text == f"{known['repository']}{tag}{digest}" or (field.text and field.text in missing):
                field.drop("the launcher has the image of the workers")
            else:
                field.set("launcher.image", field.text)
        elif keys := write_image(field.conversion, field.text):
            field.map(keys[0])
        else:
            why = f"the source has {field.text or 'no image'} here: write the image"
            field.map(draft.set_hole("image.repository", "", why))

    return write


def write_variable(where: str) -> Action:
    """One variable of a container, for `training` or `launcher`."""

    def write(field: Field) -> None:
        name, text, origin = read_name(field), format_scalar(field.read("value")), field.read("valueFrom")
        for other in field.list_items():
            if other.name not in ("name", "value", "valueFrom"):
                other.lose("a variable of a container has no such field")
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            field.lose("its name is no name of a variable")
        elif name == "MASTER_PORT" and (port := as_count(text)) and 1024 <= port <= 65535:
            field.set("launch.masterPort", port)
        elif OWN.fullmatch(name):
            field.fields.later.append(lambda: _report_own(field, name, text))
        elif ADDRESS.fullmatch(name):
            field.lose(ADDRESS_WHY, ADDRESS_HINT)
        elif isinstance(origin, dict):
            field.map(field.draft.set((where, "env", name), {"valueFrom": origin}))
        else:
            _write_constant(field, (where, "env", name), text)

    return write


def _write_constant(field: Field, key: tuple[str, ...], text: str) -> None:
    draft, name = field.draft, key[-1]
    if is_secret(name, text):
        field.map(draft.set_hole(key, make_secret_reference(name), SECRET_HOLE))
    elif any(OWN.fullmatch(one) for one in VARIABLE.findall(text)):
        field.lose("it refers to a variable that dsgen sets when the process starts",
                   "compute it in training.setup, or read the variable in the program")  # fmt: skip
    elif draft.get(key) not in (None, text):
        field.lose(f"workers and launcher have different values of {name}", "set it in training.setup")
    else:
        field.set(key, text)


def _report_own(field: Field, name: str, text: str) -> None:
    """A variable that dsgen sets itself, after the numbers of workers and slots are known."""
    if why := find_other_count(field.conversion, name, text):
        field.lose(why, COUNT_HINT)
    else:
        field.drop(RANKS)


def _write_folder(field: Field) -> None:
    if not field.text.startswith("/"):
        field.lose("it is no absolute path", "set training.workingDir")
    elif field.draft.get("training.workingDir") not in (None, field.text):
        field.lose("workers and launcher start in different folders", "set training.workingDir")
    else:
        field.set("training.workingDir", field.text)


def _write_scheduler(role: RoleName) -> Action:
    def write(field: Field) -> None:
        if field.data in ("default-scheduler", "", None):
            field.drop("the cluster has a default")
        elif field.data == "volcano":
            field.set("scheduling.gang", "volcano")
        else:
            to(f"{role}.schedulerName", as_text)(field)
            if field.data in GANGS and role == "workers":
                field.conversion.ledger.lose(str(field), field.node.position, NO_GANG, NO_GANG_HINT, is_part=True)

    return write


def _write_service_account(role: RoleName) -> Action:
    def write(field: Field) -> None:
        if field.data in ("default", "", None):
            field.drop("the namespace has a default")
        elif role == "launcher":
            field.lose("the launcher has a ServiceAccount of its own", "see serviceAccount")
        else:
            to("workers.serviceAccountName", as_text)(field)

    return write


def _write_grace_period(field: Field) -> None:
    seconds = as_count(field.data)
    if seconds and seconds >= 30:
        _share("lifecycle.terminationGracePeriodSeconds", lambda _: min(seconds, 86400))(field)
    else:
        field.lose("dsgen needs at least 30 seconds", "set lifecycle.terminationGracePeriodSeconds")


def _write_host_network(field: Field) -> None:
    if field.data is True:
        to("network.hostNetwork", as_true, ("network.policy", False))(field)
    else:
        field.drop("it is the default")


def _add_init_container(role: RoleName) -> Action:
    def add(field: Field) -> None:
        name = read_name(field)
        if name == "kubectl-delivery" or ("wait" in name and "master" in name):
            field.drop("dsgen does not need it: workers and launcher wait for each other")
        else:
            add_container(f"{role}.initContainers")(field)

    return add


def add_container(key: str) -> Action:
    """A container of the user, in this list of values."""

    def add(field: Field) -> None:
        data, names, draft = remove_nulls(field.data), field.conversion.volumes, field.draft
        if not isinstance(data, dict):
            field.lose("it is no container")
            return
        for mount in list_maps(data.get("volumeMounts")):
            mount["name"] = names.get(str(mount.get("name")), mount.get("name"))
        secrets = []
        for index, one in enumerate(list_maps(data.get("env"))):
            if is_secret(name := str(one.get("name")), str(one.get("value", ""))):
                del one["value"]
                one.update(make_secret_reference(name))
                secrets.append(index)
        words = [str(word) for name in ("command", "args") for word in as_list(data.get(name)) or ()]
        if has_secret([data, " ".join(words)]):
            field.lose("it holds a secret, which is not copied",
                       f"put the secret into a Secret, and write the container into {key}")  # fmt: skip
            return
        name = draft.add(key, data)
        draft.holes += [Placeholder(f"{name}.env[{index}].valueFrom.secretKeyRef", SECRET_HOLE) for index in secrets]
        field.map(name, is_same=True)

    return add


# -- several pods -----------------------------------------------------------------------------------------------------


def compare_templates(kept: Field, other: Field) -> None:
    """Drop the fields of another template that are the same, and name those that differ with both lines."""
    for one in other.walk():
        below = one.path[len(other.path) :]
        twin = kept.find(*below)
        is_name = below[1:2] == ("containers",) and below[3:] == ("name",)
        if is_name or (twin is not None and twin.data == one.data):
            one.drop(SAME)
        else:
            where = f"line {twin.node.position.line}" if twin is not None else "none"
            one.lose(f"it differs from the other pods of the job ({where}), and all workers are equal",
                     "see whether the workers need it")  # fmt: skip


def map_replicas(field: Field) -> None:
    """A number of pods."""
    if as_whole(field.data) is None:
        field.lose("its value is no number of pods", "set workers.replicas")
    else:
        field.map("workers.replicas")


def map_slots(field: Field) -> None:
    """A number of processes in each pod, or a word for one on each device."""
    if field.data in ("gpu", "auto", "cpu") or as_whole(field.data):
        field.map("workers.slots")
    else:
        field.lose("its value is no number of processes", "set workers.slots")
