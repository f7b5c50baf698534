"""Devices of workers and launcher, and what users add to their pods: containers, fields, tolerations."""

from __future__ import annotations

from typing import Any

from dsgen.checks.quantities import count_requested
from dsgen.checks.rule import ANY_TEXT, CONTAINERS, ROLES, Problem, Problems, Values, error, of_roles, warning
from dsgen.generated import helpers
from dsgen.language.functions import matching
from dsgen.language.text import quote, scalar
from dsgen.problems import KeyPath, path_text
from dsgen.schema import suggestions

SEVERAL_EACH = "^([a-z.]*/neuron.*|.*[.]shared)$"
"""One Neuron device has several cores; shares are checked by another rule."""
POD_FIELDS = (
    *("activeDeadlineSeconds", "affinity", "automountServiceAccountToken", "containers", "dnsPolicy"),
    *("enableServiceLinks", "ephemeralContainers", "hostNetwork", "hostname", "hostnameOverride", "imagePullSecrets"),
    *("initContainers", "nodeSelector", "priorityClassName", "restartPolicy", "schedulerName"),
    *("securityContext", "serviceAccount", "serviceAccountName", "subdomain", "terminationGracePeriodSeconds"),
    *("tolerations", "topologySpreadConstraints", "volumes"),
)
"""Fields of a pod that dsgen writes, or that would break what it writes."""
CONTAINER_FIELDS = (
    *("args", "command", "env", "envFrom", "image", "imagePullPolicy", "name", "ports", "readinessProbe", "resources"),
    *("restartPolicy", "restartPolicyRules", "securityContext", "terminationMessagePath", "volumeMounts", "workingDir"),
)
"""Fields of the main container that dsgen writes, or that would break what it writes."""


@warning(
    "DS361",
    "workers.accelerator.count",
    hint="set workers.slots to the number of devices; if each process uses several, set"
    " training.env.CUDA_VISIBLE_DEVICES",
)
def warn_of_unused_devices(values: Values) -> Problems:
    workers, count = values.workers, values.workers.accelerator.count
    if helpers.runs_command(values) or "CUDA_VISIBLE_DEVICES" in values.training.env or count is None:
        return
    if count > workers.slots and helpers.kind_of_device(workers.accelerator.resource):
        used = f"{scalar(workers.slots)} of {scalar(count)} devices"
        yield Problem(f"workers.accelerator.count: {used} would be used, one for each process")


@warning("DS368", "workers.accelerator.count", hint="set training.env.DS_ACCELERATOR: cpu to train on CPUs")
def warn_of_chosen_devices(values: Values) -> Problems:
    if helpers.runs_command(values) or values.workers.accelerator.count != 0:
        return
    resources = values.workers.resources
    devices = [key for key in (*resources.requests, *resources.limits) if matching(key, "^[^/]+/.*$")]
    shares = [key for key in (*values.annotations, *values.workers.podAnnotations) if "gpu" in key]
    if "DS_ACCELERATOR" in values.training.env or devices or resources.claims or shares:
        return
    if not matching(values.training.setup, f"^{ANY_TEXT}DS_ACCELERATOR{ANY_TEXT}$"):
        where = "workers.accelerator.count is 0"
        yield Problem(f"{where}, but DeepSpeed may choose GPUs that the image or the node exposes")


COUNT_THE_SAME = "set workers.accelerator.count to the same number; count: 0 trains on CPUs"


@error("DS206", "workers.slots")
def refuse_shared_devices(values: Values) -> Problems:
    is_gpu = helpers.kind_of_device(values.workers.accelerator.resource) == "GPUs"
    hint = f"each process needs its own GPU: {COUNT_THE_SAME}" if is_gpu else COUNT_THE_SAME
    yield Problem(helpers.shared_devices(values.workers), hint=hint)


@warning("DS206", "workers.slots", hint=COUNT_THE_SAME)
def warn_of_shared_devices(values: Values) -> Problems:
    workers, resource = values.workers, values.workers.accelerator.resource
    has_several = helpers.kind_of_device(resource) or matching(resource, SEVERAL_EACH)
    if helpers.has_fewer_devices(workers) and not has_several:
        yield Problem(helpers.sharing(workers, f"of {quote(resource)}"))


@warning("DS209", "workers.slots", hint="use workers.slots: 1, or GPUs that are not shared")
def warn_of_shares(values: Values) -> Problems:
    workers, resource = values.workers, values.workers.accelerator.resource
    if workers.slots > 1 and matching(resource, "^.*[.]shared$") and workers.accelerator.count != 0:
        yield Problem(
            f"workers.slots: several shares of {quote(resource)} may belong to one GPU, which"
            f" {scalar(workers.slots)} processes would then share"
        )


@error(
    *("DS208", "workers.resources.requests", "workers.resources.limits"),
    hint="use workers.slots, one for each device, or workers.accelerator.count if that is not the number of slots",
    at_key=True,
)
def refuse_own_resource(values: Values, path: KeyPath, amounts: Any) -> Problems:
    resource = values.workers.accelerator.resource
    yield Problem(helpers.own_resource(str(path[-1]), resource, amounts), (*path, resource))


@error("DS237", "workers.spread", hint="keep one of them")
def refuse_second_anti_affinity(values: Values) -> Problems:
    if values.workers.spread != "none" and "podAntiAffinity" in values.workers.affinity:
        yield Problem("workers.spread becomes a podAntiAffinity, but workers.affinity already has one")


def _suggest_own_key(_: Values, path: KeyPath) -> str:
    return suggestions.suggest_field(*map(str, path))


USE_OWN_KEY = "use the key that dsgen has for it, if there is one; `dsgen explain KEY` lists the keys"


@error("DS232", *of_roles("extraPodSpec.*"), hint=USE_OWN_KEY, suggest=_suggest_own_key, at_key=True)
@error("DS233", *of_roles("extraContainerSpec.*"), hint=USE_OWN_KEY, suggest=_suggest_own_key, at_key=True)
def refuse_own_fields(_: Values, path: KeyPath, __: Any) -> Problems:
    what, fields = ("pod", POD_FIELDS) if path[1] == "extraPodSpec" else ("container", CONTAINER_FIELDS)
    if path[-1] in fields:
        yield Problem(f"{path_text(path[:2])}: {quote(path[-1])} is a field of the {what} that dsgen writes")


@warning(
    "DS385",
    "workers.resources.requests.cpu",
    hint="request at least one CPU for each process, and one for each of its data loaders",
    suggest=lambda values, _: f"set workers.resources.requests.cpu: {values.workers.slots}, or more for data loaders",
)
def warn_of_few_cpus(values: Values) -> Problems:
    workers, slots = values.workers, scalar(values.workers.slots)
    if workers.slots <= 1 or "cpu" not in workers.resources.requests:
        return
    if count_requested(workers, "worker", "cpu") < workers.slots:
        where = "workers.resources.requests.cpu"
        yield Problem(f"{where}: a worker has {slots} processes and requests fewer CPUs")


@warning("DS386", "training.env.CUDA_VISIBLE_DEVICES", hint="remove it: each process uses the device of its own number")
def warn_of_few_visible_devices(values: Values) -> Problems:
    devices, slots = values.training.env.CUDA_VISIBLE_DEVICES, values.workers.slots
    if isinstance(devices, str) and devices.count(",") + 1 < slots:
        yield Problem(
            f"training.env.CUDA_VISIBLE_DEVICES: {quote(devices)} names fewer devices than the {scalar(slots)}"
            " processes of a worker need"
        )


# -- containers --------------------------------------------------------------------------------------------------------


@error("DS235", *ROLES, hint="give each container of the pod its own name")
def refuse_repeated_names(_: Values, path: KeyPath, pod: Any) -> Problems:
    seen: set[str] = set()
    for kind in ("initContainers", "sidecars"):
        for number, container in enumerate(pod[kind]):
            name = container.get("name", "")
            if name in seen:
                yield Problem(f'{path[0]}: two containers have the name "{name}"', (*path, kind, number, "name"))
            seen.add(name)


MOUNTS = tuple(f"{place}.{kind}.*.name" for place in CONTAINERS for kind in ("volumeMounts", "volumeDevices"))


@error("DS236", *MOUNTS, hint="add the volume to storage; the name of a mount is a key of storage")
def refuse_unknown_volumes(values: Values, path: KeyPath, mount: Any) -> Problems:
    if isinstance(mount.name, str) and mount.name not in values.storage:
        yield Problem(f"{path_text(path[:2])}: {quote(mount.name)} is not a volume of storage")


@error("DS255", *MOUNTS)
def refuse_volumes_of_other_pods(values: Values, path: KeyPath, mount: Any) -> Problems:
    """A container mounts a volume that its pod does not have."""
    volume = values.storage.get(mount.name)
    if volume and volume.mountIn not in ("auto", "both", path[0]):
        message = f"storage.{mount.name} is mounted only in the {volume.mountIn} (mountIn)"
        yield Problem(message, hint=f"set storage.{mount.name}.mountIn: both")


@error("DS238", *(f"{one}.resources.claims.*.name" for one in (*ROLES, *CONTAINERS)))
def refuse_unknown_claims(values: Values, path: KeyPath, claim: Any) -> Problems:
    """A container uses a claim of dynamic resource allocation that its pod does not have."""
    role = str(path[0])
    values.require((role, "extraPodSpec"))
    known = {entry.get("name") for entry in values[role].extraPodSpec.get("resourceClaims", ())}
    if claim.name not in known:
        message = f'{path_text(path[:-2])}: the pod has no resource claim "{claim.name}"'
        yield Problem(message, hint=f"add it to {role}.extraPodSpec.resourceClaims")


@error("DS339", *of_roles("tolerations.*"))
def check_tolerations(_: Values, path: KeyPath, given: Any) -> Problems:
    """What ValidateTolerations of Kubernetes checks beyond the schema."""
    operator, where = given.operator or "Equal", path_text(path[:2])
    if operator == "Exists" and given.value:
        yield Problem(f"{where}: the operator Exists takes no value", hint="remove value, or use operator: Equal")
    if operator != "Exists" and not given.key:
        hint = "set key; only operator: Exists works without one, and matches every taint"
        yield Problem(f"{where}: the operator {operator} needs a key", hint=hint)
    if given.tolerationSeconds is not None and given.effect != "NoExecute":
        message = f"{where}: tolerationSeconds is allowed only with effect: NoExecute"
        yield Problem(message, hint="remove tolerationSeconds, or set effect: NoExecute")


@error("DS338", *(f"{place}.restartPolicy" for place in CONTAINERS))
def check_restart_policies(_: Values, path: KeyPath, container: Any) -> Problems:
    """Init containers and sidecars with a restartPolicy that makes them something else."""
    policy, name, where = container.get("restartPolicy", "Always"), container.get("name", ""), path_text(path[:2])
    if policy == "Always":
        return
    if path[1] == "sidecars":
        message = f'{where}: with restartPolicy "{policy}" the pod waits until "{name}" ends'
        yield Problem(message, hint="remove restartPolicy, or move the container to initContainers")
    elif policy in ("Never", "OnFailure"):
        message = f"{where}: restartPolicy {policy} needs Kubernetes 1.35 or later"
        yield Problem(message, hint="remove it if the cluster is older", severity="warning")
    else:
        message = f'{where}: "{policy}" is not a restartPolicy'
        yield Problem(message, hint="remove it: the restartPolicy of the pod is Never")


@warning("DS370", "image.pullSecrets", hint="remove one of them")
def warn_of_repeated_secrets(values: Values) -> Problems:
    """The API server warns of names that are in the list twice."""
    seen: set[str] = set()
    for number, secret in enumerate(values.image.pullSecrets):
        if secret.name in seen:
            message = f'image.pullSecrets: "{secret.name}" is in the list twice'
            yield Problem(message, ("image", "pullSecrets", number, "name"))
        seen.add(secret.name)


# Templates refuse these, too: condition and message are their helpers.
error("DS207", "workers.slots", hint="use workers.slots: 1 and more workers.replicas")(
    lambda values: helpers.shared_slice(values.workers)
)
error("DS234", *(f"{place}.name" for place in CONTAINERS), hint="choose another name")(
    lambda _, path, container: helpers.own_container(path_text(path[:2]), container)
)
