"""What all kinds of objects share: the fields of metadata, of how jobs run and wait, of pods and of containers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as default
from typing import Any, Literal

from dsgen.checks.pods import CONTAINER_FIELDS, POD_FIELDS
from dsgen.importers.conversion import as_dns_name, is_placeholder
from dsgen.importers.documents import format_scalar
from dsgen.importers.environment import ADDRESS, ADDRESS_HINT, ADDRESS_WHY, NAME, OWN, report_own, write_constant
from dsgen.importers.facts import Role, read_role
from dsgen.importers.fields import (
    NOT_USED,
    Action,
    Field,
    Read,
    Row,
    Table,
    as_count,
    as_list,
    as_map,
    as_text,
    as_texts,
    as_whole,
    drop,
    fix,
    list_maps,
    lose,
    read_name,
    remove_nulls,
    to,
    when,
)
from dsgen.importers.volumes import write_image, write_volumes
from dsgen.problems import KeyPath
from dsgen.problems.safe_text import has_secret, is_secret

CLUSTER = "the cluster writes it"
KIND = "the kind of the object"
TOOL = "the tool that applies the manifests writes it"
TOOLS = (
    *("kubectl.kubernetes.io/", "meta.helm.sh/", "helm.sh/", "argocd.argoproj.io/", "fluxcd.io/"),
    *("kustomize.toolkit.fluxcd.io/", "app.kubernetes.io/managed-by", "app.kubernetes.io/name"),
    "app.kubernetes.io/instance",
)
KEYS = {
    "kueue.x-k8s.io/queue-name": "scheduling.queue",
    "kueue.x-k8s.io/priority-class": "scheduling.priorityClass",
    "alpha.jobset.sigs.k8s.io/exclusive-topology": "scheduling.topology.required",
    "kueue.x-k8s.io/podset-required-topology": "scheduling.topology.required",
}
"""Labels and annotations that are keys of their own."""
DEFAULTS = {"sidecar.istio.io/inject": "false", "linkerd.io/inject": "disabled", "karpenter.sh/do-not-disrupt": "true"}
OPERATORS = ("training.kubeflow.org/", "kubeflow.org/", "pod-template-hash", "job-name")


def write_name(field: Field) -> None:
    """metadata.name: a name of a job has no dots, and begins with a letter."""
    found = "" if is_placeholder(field.text) else as_dns_name(field.text, 63)
    if found and not field.draft.get("name"):
        field.set("name", found)
    elif found:
        field.drop("the job has a name already")
    else:
        field.lose("no name of a job can be made of it", "set name")


def write_metadata(*where: str) -> Action:
    """A label or an annotation of an object, or of its pods."""

    def write(field: Field) -> None:
        if isinstance(field.node.value, dict | list):
            field.lose("its value is no text")
        elif field.name in KEYS:
            field.set(KEYS[field.name], field.text)
        elif len(where) == 1 and (field.name.startswith(TOOLS) or "/last-applied" in field.name):
            field.drop(TOOL)
        elif len(where) == 2 and DEFAULTS.get(field.name) == field.text:
            field.drop("dsgen writes it itself")
        elif len(where) == 2 and field.name.startswith(OPERATORS):
            field.drop("the operator sets it")
        else:
            field.set((*where, field.name), field.text)

    return write


METADATA: dict[str, Table] = {
    **dict.fromkeys(("name", "generateName"), write_name),
    "namespace": to("namespace", lambda data: format_scalar(data) or None),
    "labels": {"*": write_metadata("labels")},
    "annotations": {"*": write_metadata("annotations")},
    **dict.fromkeys(
        ("creationTimestamp", "uid", "resourceVersion", "generation", "selfLink", "managedFields", "ownerReferences",
         "finalizers", "deletionTimestamp", "deletionGracePeriodSeconds"),
        drop(CLUSTER),
    ),
}  # fmt: skip
HEAD: Mapping[str, Table] = {
    "apiVersion": drop(KIND),
    "kind": drop(KIND),
    "metadata": METADATA,
    "status": drop(CLUSTER),
}
"""What all objects have."""

NO_RESTART = "a failed training does not restart unless lifecycle.maxRestarts allows it"
UNSAID = "the source does not say how often a failed training may restart"
RESTART_HINT = "set lifecycle.maxRestarts if the program loads its own checkpoint"
MOST_RESTARTS = 1000
TTL = "Argo CD and Flux would show the job as out of sync, or apply its Jobs again"
ENDS = "workers end with the run, and their pods stay until the run is deleted"
GANG = "a gang of dsgen is the whole run"
CONTROLLER = "it belongs to the controller, which dsgen does not need"
REPLACED = "a worker that is lost is replaced"
ELASTIC = "a run shrinks after a loss only (workers.min)"


write_restarts = when(
    (0, "0"),
    drop(NO_RESTART),
    to("lifecycle.maxRestarts", lambda data: min(as_whole(data) or 0, MOST_RESTARTS) or None),
)
"""How often a failed training may restart."""


def report_restart_policy(field: Field) -> None:
    """restartPolicy, after the number of restarts was read; what was said of one kind of pods holds for the others."""
    said, policy = field.fields.policies, field.text
    if policy == "Never" or policy in said:
        field.drop(SAME if policy in said else NO_RESTART)
    elif field.draft.get("lifecycle.maxRestarts") and policy in ("OnFailure", "Always"):
        field.map("lifecycle.maxRestarts")
    else:
        field.lose(UNSAID, RESTART_HINT)
    said.add(policy)


KUEUE, SUSPEND = drop("Kueue suspends and resumes the workers"), fix("lifecycle.suspend", True)
WAITS = when((True,), Row(lambda field: (KUEUE if field.draft.get("scheduling.queue") else SUSPEND)(field)),
             drop("a job starts when it is applied"))  # fmt: skip


def lose_ttl(field: Field) -> None:
    """Jobs that Kubernetes deletes would be recreated by GitOps."""
    field.lose(TTL, f"without Argo CD and Flux, set lifecycle.ttlSecondsAfterFinished: {field.text}")


def report_minimum(field: Field) -> None:
    """minAvailable of a gang: dsgen's is always the whole run."""
    if as_count(field.data) in (field.fields.total, field.fields.total + 1):
        field.drop(GANG)
    else:
        field.lose(f"{GANG}, so fewer workers do not start")


def write_volcano_queue(field: Field) -> None:
    """A queue of Volcano; a queue of Kueue, which a label names, takes precedence."""
    if field.draft.get("scheduling.queue"):
        field.drop("the job is in a queue of Kueue")
    else:
        to("scheduling.queue", as_text, ("scheduling.gang", "volcano"))(field)


def write_priority(field: Field) -> None:
    """A priority in the queue, or of the pods if there is no queue."""
    scheduling = field.draft.get("scheduling") or {}
    has_queue = {"queue", "gang"} & scheduling.keys() or field.fields.find(*field.path[:-1], "queue")
    to("scheduling.priorityClass" if has_queue else "workers.priorityClassName", as_text)(field)


POLICY: dict[str, Table] = {
    "activeDeadlineSeconds": to("lifecycle.activeDeadlineSeconds", as_count),
    "backoffLimit": write_restarts,
    "suspend": WAITS,
    "ttlSecondsAfterFinished": lose_ttl,
    **dict.fromkeys(("cleanPodPolicy", "cleanUpPolicy"), drop(ENDS)),
    "managedBy": lose("dsgen has no equivalent of it"),
    "schedulingPolicy": {
        "queue": write_volcano_queue,
        "priorityClass": write_priority,
        "minAvailable": report_minimum,
        "scheduleTimeoutSeconds": to("lifecycle.startTimeoutSeconds", as_count),
        "minResources": drop("the scheduler adds up the requests of the pods"),
    },
}
"""runPolicy of Kubeflow's operators."""


# -- pods --------------------------------------------------------------------------------------------------------------

RoleName = Literal["workers", "launcher"]
ITSELF = "dsgen writes it itself"
HOST_NETWORK = when((True,), to("network.hostNetwork", bool, ("network.policy", False)), drop("it is the default"))
OWN_ACCOUNT = lose("the launcher has a ServiceAccount of its own", "see serviceAccount")
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
NO_GANG_HINT = "set scheduling.gang, or workers.schedulerName to start them without a gang"
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
    spec, main = template.find("spec"), pod.container
    if spec is not None and main is not None:
        pod.facts = read_role(spec.data, main.data, str(spec), str(main))
        pod.takes_others = main.find("envFrom") is not None
    if spec is not None:
        write_volumes(spec, pod.container, role)
    itself = dict.fromkeys(("name", "namespace", "generateName", "creationTimestamp"), drop(ITSELF))
    metadata: Table = {"labels": {"*": write_metadata(role, "podLabels")},
                       "annotations": {"*": write_metadata(role, "podAnnotations")}, **itself}  # fmt: skip
    template.apply({"metadata": metadata, "spec": _make_pod_table(role)})
    for container in containers:
        if pod.container is None or container.path != pod.container.path:
            add_container(f"{role}.sidecars")(container)
            continue
        if not {"command", "args"} & (instead or {}).keys():
            pod.command, pod.has_command = read_container_command(container)
        container.apply({**_make_container_table(role, pod), **(instead or {})})
    return pod


def read_container_command(container: Field) -> tuple[list[Field], bool]:
    """The words of `command` and `args` of a container, and whether there is a command."""
    words = [item for key in ("command", "args") for item in container.list_items(key)
             if not isinstance(item.node.value, dict | list)]  # fmt: skip
    return words, any("command" in word.path for word in words)


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
        "schedulerName": when(("default-scheduler", "", None), drop("the cluster has a default"),
                              when(("volcano",), fix("scheduling.gang", "volcano"),
                              when(GANGS, lose(NO_GANG, NO_GANG_HINT), to(f"{role}.schedulerName", as_text)))),
        "priorityClassName": to(f"{role}.priorityClassName", as_text),
        **dict.fromkeys(("serviceAccountName", "serviceAccount"), when(
            ("default", "", None), drop("the namespace has a default"),
            to("workers.serviceAccountName", as_text) if is_worker else OWN_ACCOUNT)),
        "imagePullSecrets": _share("image.pullSecrets", as_list),
        "terminationGracePeriodSeconds": _share(
            "lifecycle.terminationGracePeriodSeconds", _as_grace_period, "dsgen needs at least 30 seconds"),
        "securityContext": _share("security.podSecurityContext", as_map),
        "hostNetwork": HOST_NETWORK if is_worker else lose("the launcher of dsgen only starts the processes"),
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
        "envFrom": {"*": _add_variables(is_worker)},
        "resources": make_resources_table(role, pod),
        "volumeMounts": {},
        "workingDir": _share(
            "training.workingDir", lambda data: data if str(data).startswith("/") else None, "it is no absolute path"
        ),
        "securityContext": to(f"{role}.securityContext", as_map),
        "ports": drop("the pods of a run reach all ports of each other"),
        **dict.fromkeys(("livenessProbe", "readinessProbe", "startupProbe"), drop("dsgen has probes of its own")),
        **dict.fromkeys(("terminationMessagePath", "terminationMessagePolicy"), drop(ITSELF)),
        "*": _write_extra(f"{role}.extraContainerSpec", CONTAINER_FIELDS),
    }


# -- resources ----------------------------------------------------------------------------------------------


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


# -- single fields ----------------------------------------------------------------------------------------------------


def _write_extra(key: str, own: Sequence[str]) -> Action:
    """Fields for which dsgen has no key are written unchanged."""

    def write(field: Field) -> None:
        if field.name in own:
            field.lose("it would break what dsgen writes")
        else:
            field.set((*key.split("."), field.name), remove_nulls(field.data))

    return write


def _add_variables(is_worker: bool) -> Action:
    """An item of envFrom."""

    def add(field: Field) -> None:
        if field.data in (field.draft.get("training.envFrom") or []):
            field.drop("another container has it, too")
        elif is_worker:
            field.map(field.draft.add("training.envFrom", field.data), is_same=True)
        else:
            hint = "set launcher.env, or training.envFrom"
            field.lose("dsgen gives variables of other objects to the workers", hint)

    return add


def _share(key: str, read: Read, why: str = NOT_USED) -> Action:
    """A key that workers and launcher share. why: a value cannot be used."""

    def write(field: Field) -> None:
        if field.draft.get(key) not in (None, read(field.data)):
            field.lose("workers and launcher have different values of it", f"set {key}")
        else:
            to(key, read, why=why)(field)

    return write


def _as_grace_period(data: Any) -> int | None:
    seconds = as_count(data) or 0
    return min(seconds, 86400) if seconds >= 30 else None


def write_container_image(is_worker: bool) -> Action:
    """The image of the workers, or another one of the launcher."""

    def write(field: Field) -> None:
        workers = field.conversion.facts.workers
        known = workers.image.value if workers and workers.image else ""
        if is_worker or not known:
            keys = write_image(field.conversion, field.text)
            why = f"the source has {field.text or 'no image'} here: write the image"
            field.map(keys[0] if keys else field.draft.set_hole("image.repository", "", why))
        elif field.text == known:
            field.drop("the launcher has the image of the workers")
        else:
            field.set("launcher.image", field.text)

    return write


def write_variable(where: str) -> Action:
    """One variable of a container, for `training` or `launcher`."""

    def write(field: Field) -> None:
        name, text, origin = read_name(field), format_scalar(field.read("value")), field.read("valueFrom")
        for other in field.list_items():
            if other.name not in ("name", "value", "valueFrom"):
                other.lose("a variable of a container has no such field")
        if not NAME.fullmatch(name):
            field.lose("its name is no name of a variable")
        elif name == "MASTER_PORT" and (port := as_count(text)) and 1024 <= port <= 65535:
            field.set("launch.masterPort", port)
        elif OWN.fullmatch(name):
            field.fields.later.append(lambda: report_own(field, name, text))
        elif ADDRESS.fullmatch(name):
            field.lose(ADDRESS_WHY, ADDRESS_HINT)
        elif isinstance(origin, dict):
            field.map(field.draft.set((where, "env", name), {"valueFrom": origin}))
        else:
            _write_text(field, (where, "env", name), _escape_later(field, text))

    return write


def _escape_later(field: Field, text: str) -> str:
    """The value with `$$(NAME)` for what stands after it: a kubelet does not expand that, and dsgen sorts variables."""
    env, at = field.fields.find(*field.path[:-1]), field.path[-1]
    names = [read_name(item) for item in env.list_items()] if env and VARIABLE.search(text) else []
    later = {*names[int(at) :]} - {*names[: int(at)]} if names else ()
    return re.sub(r"\$\$|\$\((\w+)\)", lambda match: f"${match[0]}" if match[1] in later else match[0], text)


def _write_text(field: Field, key: KeyPath, text: str) -> None:
    draft, name = field.draft, key[-1]
    if not is_secret(str(name), text) and any(OWN.fullmatch(one) for one in VARIABLE.findall(text)):
        field.lose("it refers to a variable that dsgen sets when the process starts",
                   "compute it in training.setup, or read the variable in the program")  # fmt: skip
    elif not is_secret(str(name), text) and draft.get(key) not in (None, text):
        field.lose(f"workers and launcher have different values of {name}", "set it in training.setup")
    else:
        write_constant(field, key, text)


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
        data, names = remove_nulls(field.data), field.conversion.volumes
        if not isinstance(data, dict):
            field.lose("it is no container")
            return
        for mount in list_maps(data.get("volumeMounts")):
            mount["name"] = names.get(str(mount.get("name")), mount.get("name"))
        words = [str(word) for name in ("command", "args") for word in as_list(data.get(name)) or ()]
        env = [(str(one.get("name")), str(one.get("value", ""))) for one in list_maps(data.get("env"))]
        if has_secret([data, " ".join(words)]) or any(is_secret(*one) for one in env):
            field.lose("it holds a secret, which is not copied",
                       f"put the secret into a Secret, and write the container into {key}")  # fmt: skip
        else:
            field.map(field.draft.add(key, data), is_same=True)

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
