"""What all kinds of objects share: the fields of metadata, of pods and of containers."""

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
from dsgen.importers.facts import Facts, read_facts
from dsgen.importers.fields import (
    Action,
    Field,
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
from dsgen.importers.volumes import ONLY_STARTS, write_image, write_volumes
from dsgen.problems import KeyPath, path_text
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


def _has_equal_jobs(field: Field) -> bool:
    """Whether an object is a JobSet with several Jobs of one kind."""
    return any(
        (as_whole(one.read("replicas")) or 0) > 1 for one in field.fields.root.list_items("spec", "replicatedJobs")
    )


def write_metadata(*where: str) -> Action:
    """A label or an annotation of an object, or of its pods."""

    def write(field: Field) -> None:
        if isinstance(field.node.value, dict | list):
            field.lose("its value is no text")
        elif field.name.endswith("/exclusive-topology") and _has_equal_jobs(field):
            field.lose(
                "it is for each Job of a JobSet by itself", "set scheduling.topology if all workers are to be close"
            )
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


# -- pods --------------------------------------------------------------------------------------------------------------

RoleName = Literal["workers", "launcher"]
ITSELF = "dsgen writes it itself"
OTHER_DNS = "the pods of a run find each other by the DNS of the cluster"
HOST_NETWORK = when((True,), to("network.hostNetwork", bool, ("network.policy", False)), drop("it is the default"))
OWN_ACCOUNT = lose("the launcher has a ServiceAccount of its own", "see serviceAccount")
ADD_VARIABLES = Row(lambda field: field.map(field.draft.add("training.envFrom", field.data), is_same=True))
VARIABLE = re.compile(r"\$\((\w+)\)")
OF_LABEL = re.compile(r"metadata\.(?:labels|annotations)\['([^']+)'\]")
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
OTHER_VALUE = drop("the TrainJob has another value")
OVERRIDES = {"image": "image", "command": "command", "args": "args", "resources": "resourcesPerNode"}
"""Fields of the main container, and those of the trainer of a TrainJob that replace them."""


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
    devices: int | None = 0
    takes_others: bool = False
    facts: Facts = default(default_factory=dict)

    @property
    def has_command(self) -> bool:
        """Whether it has a command, and not only arguments."""
        return any("command" in word.path for word in self.command)

    def make_pod_table(self) -> Table:
        """The fields of a pod."""
        role, is_worker = self.role, self.role == "workers"
        itself = dict.fromkeys(("name", "namespace", "generateName", "creationTimestamp"), drop(ITSELF))
        labels, annotations = write_metadata(role, "podLabels"), write_metadata(role, "podAnnotations")
        return {"metadata": {"labels": {"*": labels}, "annotations": {"*": annotations}, **itself}, "spec": {
            "containers": {},
            "volumes": {},
            "initContainers": {"*": lambda field: self.add_container(field, "initContainers")},
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
            "imagePullSecrets": to("image.pullSecrets", as_list),
            "terminationGracePeriodSeconds": to(
                "lifecycle.terminationGracePeriodSeconds", _as_grace_period, why="dsgen needs at least 30 seconds"),
            "securityContext": to("security.podSecurityContext", as_map),
            "hostNetwork": HOST_NETWORK if is_worker else lose(ONLY_STARTS),
            "restartPolicy": report_restart_policy,
            "activeDeadlineSeconds": to("lifecycle.activeDeadlineSeconds", as_count),
            **dict.fromkeys(("hostname", "subdomain", "enableServiceLinks", "automountServiceAccountToken",
                             "setHostnameAsFQDN"), drop(ITSELF)),
            "dnsPolicy": when(("ClusterFirst", "ClusterFirstWithHostNet"), drop(ITSELF), lose(OTHER_DNS)),
            "*": _write_extra(role, "extraPodSpec", POD_FIELDS),
        }}  # fmt: skip

    def make_container_table(self) -> dict[str, Table]:
        """The fields of the main container."""
        role, is_worker = self.role, self.role == "workers"
        amounts: Table = {"*": self._write_amount}
        return {
            "name": drop(ITSELF),
            "image": self._write_image,
            "imagePullPolicy": to("image.pullPolicy", as_text) if is_worker else drop(ITSELF),
            "command": {},
            "args": {},
            "env": {"*": write_variable} if is_worker else {},  # a launcher passes on a part of it
            "envFrom": {"*": when(
                lambda field: field.data in (field.draft.get("training.envFrom") or []),
                drop("another container has it, too"), ADD_VARIABLES if is_worker else lose(
                    "dsgen gives variables of other objects to the workers", "set launcher.env, or training.envFrom"))},
            "resources": {
                "requests": amounts, "limits": amounts, "claims": to(f"{role}.resources.claims", as_list)},
            "volumeMounts": {},
            "workingDir": to("training.workingDir", lambda data: data if str(data).startswith("/") else None,
                             why="it is no absolute path"),
            "securityContext": to(f"{role}.securityContext", as_map),
            "ports": drop("the pods of a run reach all ports of each other"),
            **dict.fromkeys(("livenessProbe", "readinessProbe", "startupProbe"), drop("dsgen has probes of its own")),
            **dict.fromkeys(("terminationMessagePath", "terminationMessagePolicy"), drop(ITSELF)),
            "*": _write_extra(role, "extraContainerSpec", CONTAINER_FIELDS),
        }  # fmt: skip

    def _write_image(self, field: Field) -> None:
        """The image of the workers, or another one of the launcher."""
        workers = field.conversion.facts.workers or {}
        if self.role == "workers" or "image" not in workers:
            why = f"the source has {field.text or 'no image'} here: write the image"
            field.map(write_image(field.conversion, field.text, why))
        elif field.text == workers["image"].value:
            field.drop("the launcher has the image of the workers")
        else:
            field.set("launcher.image", field.text)

    def _write_amount(self, field: Field) -> None:
        """A request or a limit: of devices, of a network, or the rest."""
        name, count, is_worker = field.name, as_whole(field.data), self.role == "workers"
        if DEVICES.fullmatch(name):
            count = 1 if field.data is None else count
            if count is None:
                self.devices = None if is_worker else 0
                field.lose("its value is no whole number", "set workers.slots to the number of devices")
            elif is_worker:
                self.devices = count
                field.draft.set("workers.accelerator.resource", name)
                field.map("workers.accelerator.count")
            elif count:
                field.lose("the launcher of dsgen needs no device")
            else:
                field.drop(ITSELF)
        elif RDMA.fullmatch(name) and is_worker and count is not None:
            field.set(("network", "rdma", "resources", name), count)
            if not EFA.fullmatch(name):
                field.draft.set("network.rdma.ipcLock", "omit")  # the source says which capabilities it needs
        elif isinstance(field.data, dict | list) or field.data is None:
            field.lose("its value is no amount")
        else:
            field.set((self.role, "resources", str(field.path[-2]), name), field.text)

    def add_container(self, field: Field, kind: str) -> None:
        """A container of the user, in this list of values."""
        data, names, key = remove_nulls(field.data), field.conversion.volumes, f"{self.role}.{kind}"
        name = read_name(field)
        is_named = name == "kubectl-delivery" or ("wait" in name and "master" in name)
        text = " ".join(one.text for key in ("command", "args") for one in field.list_items(key))
        is_host = re.search(rf"\b{re.escape(field.fields.document.name)}(-[\w-]+)?-\d", text) is not None
        if kind == "initContainers" and (is_named or (is_host and re.search(r"\b(until|while)\b", text))):
            field.drop("dsgen does not need it: workers and launcher wait for each other")
            return
        if is_host:
            field.lose("it names a pod of the source", "set workers.initContainers to one that does not")
            return
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


def read_pod(
    template: Field,
    role: RoleName,
    names: Sequence[str] = (),
    trainer: Field | None = None,
    overrides: Mapping[str, str] = OVERRIDES,
) -> Pod:
    """Fill the values from a pod template (the map with `spec`), all but the command.

    names: of the main container, in order of preference; otherwise the first container is it. trainer: what replaces
    some of its fields, as `overrides` says.
    """
    pod = Pod(template, role)
    containers = template.list_items("spec", "containers")
    found = {read_name(one): one for one in reversed(containers)}
    pod.container = next((found[name] for name in names if name in found), next(iter(containers), None))
    spec, main = template.find("spec"), pod.container
    if spec is not None and main is not None:
        pod.facts = read_facts(spec.data, main.data, str(spec), str(main))
        pod.takes_others = main.find("envFrom") is not None
    if spec is not None:
        write_volumes(spec, pod.container, role)
    table = pod.make_container_table()
    replaced = {name for name, own in overrides.items() if trainer and trainer.find(own)}
    if trainer is not None and role == "workers":
        trainer.apply({own: table[name] for name, own in [*overrides.items(), ("env", "env")]})
        kept = {subject: one for subject, one in pod.facts.items()
                if "resources" not in replaced or not subject.startswith(("requests.", "limits."))}  # fmt: skip
        pod.facts = kept | read_facts(None, trainer.data, "", str(trainer), OVERRIDES["resources"])
    template.apply(pod.make_pod_table())
    for container in containers:
        if pod.container is None or container.path != pod.container.path:
            pod.add_container(container, "sidecars")
            continue
        for key in ("command", "args"):
            of = trainer if trainer and key in replaced else container
            pod.command += [one for one in of.list_items(key) if not isinstance(one.node.value, dict | list)]
        container.apply({**table, **dict.fromkeys(replaced, OTHER_VALUE)})
    return pod


# -- single fields ----------------------------------------------------------------------------------------------------


def _write_extra(role: RoleName, key: str, own: Sequence[str]) -> Row:
    """Fields for which dsgen has no key are written unchanged."""
    extra = Row(lambda field: field.set((role, key, field.name), remove_nulls(field.data)))
    return when(lambda field: field.name in own, lose("it would break what dsgen writes"), extra)


def _as_grace_period(data: Any) -> int | None:
    seconds = as_count(data) or 0
    return min(seconds, 86400) if seconds >= 30 else None


def write_variable(field: Field, role: str = "training") -> None:
    """One variable of a container, for `training` or `launcher`."""
    name, text, origin = read_name(field), format_scalar(field.read("value")), field.read("valueFrom")
    env = field.fields.find(*field.path[:-1])
    if env and name in map(read_name, env.list_items()[int(field.path[-1]) + 1 :]):
        field.drop("it is set again later")
        return
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
    elif (label := OF_LABEL.search(str(field.read("valueFrom", "fieldRef", "fieldPath")))) and not _has_label(
        field, label[1]
    ):
        field.lose(f"nothing sets {label[1]} on the pods of a run", f"set {role}.env.{name}")
    elif isinstance(origin, dict):
        _write_origin(field, (role, "env", name), origin)
    else:
        _write_text(field, (role, "env", name), _escape_later(field, text))


def _write_origin(field: Field, key: KeyPath, origin: dict[str, Any]) -> None:
    """A variable from another object, or from the resources of its container."""
    if of := field.find("valueFrom", "resourceFieldRef", "containerName"):
        of.lose("containers have other names in a run, and the variable is of its own one")
        origin["resourceFieldRef"].pop("containerName")
    if not field.is_taken(key, {"valueFrom": origin}):
        field.map(field.draft.set(key, {"valueFrom": origin}))


def _has_label(field: Field, name: str) -> bool:
    """Whether the pods have a label or an annotation: of the values, or of an Indexed Job."""
    places = ("labels", "annotations", "workers.podLabels", "workers.podAnnotations")
    return name.startswith("batch.kubernetes.io/") or any(name in (field.draft.get(one) or {}) for one in places)


def _escape_later(field: Field, text: str) -> str:
    """The value with `$$(NAME)` for what stands after it: a kubelet does not expand that, and dsgen sorts variables."""
    env, at = field.fields.find(*field.path[:-1]), field.path[-1]
    names = [read_name(item) for item in env.list_items()] if env and VARIABLE.search(text) else []
    later = {*names[int(at) :]} - {*names[: int(at)]} if names else ()
    return re.sub(r"\$\$|\$\((\w+)\)", lambda match: f"${match[0]}" if match[1] in later else match[0], text)


def _write_text(field: Field, key: KeyPath, text: str) -> None:
    if not is_secret(str(key[-1]), text) and any(OWN.fullmatch(one) for one in VARIABLE.findall(text)):
        field.lose("it refers to a variable that dsgen sets when the process starts",
                   "compute it in training.setup, or read the variable in the program")  # fmt: skip
    else:
        write_constant(field, key, text)


# -- several pods -----------------------------------------------------------------------------------------------------


ITEM_KEYS = {"env": "name", "volumes": "name", "volumeMounts": "mountPath"}
"""By which field an item of a list is found in the list of another template; others are found by their place."""
ALL_EQUAL = "and all workers are equal"


def compare_templates(kept: Field | None, other: Field) -> None:
    """Drop the fields of another template that are the same, and name those that differ, or that only one has."""
    is_name = other.path[-3:-2] == ("containers",) and other.path[-1] == "name"
    is_scalar = not isinstance(other.node.value, dict | list)
    if kept is None or (is_scalar and not is_name and kept.data != other.data):
        where = f"line {kept.node.position.line}" if kept else "none"
        why = f"it differs from the other pods of the job ({where}), {ALL_EQUAL}"
        other.lose(why, "see whether the workers need it")
    elif is_name or kept.data == other.data:
        other.drop(SAME)
    else:
        for one in other.list_items():
            compare_templates(_find_twin(kept, one), one)
        for one in kept.list_items():
            if _find_twin(other, one) is None:
                what = f"{other} (no {path_text(one.path[len(kept.path) :])})"
                why = f"other pods of the job have it (line {one.node.position.line}), {ALL_EQUAL}"
                other.conversion.ledger.add("lost", what, other.node.position, why, "see whether all pods may have it")


def _find_twin(template: Field, one: Field) -> Field | None:
    """The same part of another template, which is a map or a list."""
    key = ITEM_KEYS.get(template.name) if isinstance(template.node.value, list) else None
    if key is None:
        return template.find(one.path[-1])
    return next((item for item in template.list_items() if item.read(key) == one.read(key)), None)
