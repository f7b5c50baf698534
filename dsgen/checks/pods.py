"""What workers and launcher ask for, and what of the user's goes into their pods."""

from __future__ import annotations

from dsgen.checks.row import ROLES, Check, quoted
from dsgen.problems.diagnostics import Severity

GPUS = "^((nvidia|amd)[.]com/gpu|nvidia[.]com/(pgpu|mig-.*)|gpu[.]intel[.]com/.*)$"
DEVICES = "^(habana[.]ai/gaudi|huawei[.]com/Ascend.*)$"
SEVERAL_EACH = "^([a-z.]*/neuron.*|.*[.]shared)$"
"""One Neuron device has several cores; shares have a row of their own."""
OWN_CONTAINERS = "^(worker|launcher|status|keygen|passwd|code|dsgen-.*)$"
POD_FIELDS = (
    *("activeDeadlineSeconds", "affinity", "automountServiceAccountToken", "containers", "dnsPolicy"),
    *("enableServiceLinks", "ephemeralContainers", "hostNetwork", "hostname", "imagePullSecrets", "initContainers"),
    *("nodeSelector", "priorityClassName", "restartPolicy", "runtimeClassName", "schedulerName", "securityContext"),
    *("serviceAccount", "serviceAccountName", "subdomain", "terminationGracePeriodSeconds", "tolerations"),
    *("topologySpreadConstraints", "volumes"),
)
"""Fields of a pod that dsgen writes, or that would break what it writes."""
CONTAINER_FIELDS = (
    *("args", "command", "env", "envFrom", "image", "imagePullPolicy", "name", "ports", "readinessProbe", "resources"),
    *("restartPolicy", "securityContext", "volumeMounts", "workingDir"),
)
"""The same for the main container."""
USER_CONTAINERS = (
    "if values.workers.initContainers or values.workers.sidecars"
    " or values.launcher.initContainers or values.launcher.sidecars"
)
UNIQUE = "names in a pod are unique"
SEVERAL = ("if values.workers.slots > 1",)
CONTAINER_LOOPS = (ROLES, 'for kind in ["initContainers", "sidecars"]', "for container in values[role][kind]")
LAUNCHER_BYTES, BYTES_PER_WORKER = 1024**3, 1468006
"""What the launcher needs for itself, and for the session of each worker; the helper launcher_bytes says the same."""
RESOURCE = "<< values.workers.accelerator.resource | quote >>"
MORE_SHARED = "raise workers.resources.limits.memory, or lower sharedMemory"
MORE_MEMORY = "raise the limit, or use launch.method: torchrun, which needs no ssh"
MORE_REQUESTED = "raise the request, or use launch.method: torchrun, which needs no ssh"


def above_memory(shared: str) -> str:
    """Words for a shared memory above the limit."""
    return f"workers.sharedMemory: {shared} is more than the memory limit of the workers, which counts it"


def memory_words(workers: str, mebibytes: str) -> str:
    """Words for a launcher with less than it needs."""
    return f"the launcher needs 1 GiB and 1.4 MiB for each of {workers} workers, {mebibytes}Mi with some room"


MEMORY_WORDS = memory_words("<< worker_pods(values) | int >>", "<< 1024 + 2 * (worker_pods(values) | int) >>")


def _shared_device(when: str, what: str, hint: str = "", severity: Severity = "error") -> Check:
    """More processes than accelerators."""
    return Check(
        id="DS206",
        path="workers.slots",
        when=(
            "values.workers.accelerator.count is not none and values.workers.accelerator.count > 0"
            f" and values.workers.slots > values.workers.accelerator.count and {when}"
        ),
        message=(
            "workers.slots: << values.workers.slots >> processes would share"
            f" << values.workers.accelerator.count >> {what}"
        ),
        hint=hint or "each process needs one of its own; count: 0 trains on CPUs",
        inside=SEVERAL,
        severity=severity,
    )


def _of_resource(pattern: str) -> str:
    return f'values.workers.accelerator.resource is matching("{pattern}")'


def _of_no_resource(*patterns: str) -> str:
    return " and ".join(f"not {_of_resource(one)}" for one in patterns)


def _own_resource(path: str) -> Check:
    return Check(
        id="DS208",
        path=f"{path}.<< values.workers.accelerator.resource >>",
        when=f"values.workers.accelerator.resource in values.{path}",
        message=f"{path}: << values.workers.accelerator.resource | quote >> is written from workers.accelerator",
        hint="set workers.accelerator.count instead",
        inside=(f"if values.{path}",),
        at_key=True,
    )


def _extra(id_: str, key: str, fields: tuple[str, ...], what: str) -> Check:
    return Check(
        id=id_,
        path=f"<< role >>.{key}.<< field >>",
        when=f"field in [{', '.join(map(quoted, fields))}]",
        message=f"<< role >>.{key}: << field | quote >> {what}",
        hint="use the key of the values for it, where there is one",
        inside=(
            f"if values.workers.{key} or values.launcher.{key}",
            ROLES,
            f'for field, value in values[role]["{key}"] | items',
        ),
        at_key=True,
    )


ROWS = (
    _shared_device(_of_resource(GPUS), "GPUs", "each process needs a GPU of its own; count: 0 trains on CPUs"),
    _shared_device(_of_resource(DEVICES), f"of {RESOURCE}"),
    _shared_device(_of_no_resource(GPUS, DEVICES, SEVERAL_EACH), f"of {RESOURCE}", severity="warning"),
    Check(
        id="DS207",
        path="workers.slots",
        when=(
            'values.workers.accelerator.resource is matching("^nvidia[.]com/mig-.*$")'
            " and (values.workers.accelerator.count is none or values.workers.accelerator.count > 0)"
        ),
        message=(
            "workers.slots: a process sees one MIG slice of its pod, so << values.workers.slots >> cannot each have one"
        ),
        hint="use slots: 1 and more replicas",
        inside=SEVERAL,
    ),
    Check(
        id="DS209",
        path="workers.slots",
        when=(
            'values.workers.accelerator.resource is matching("^.*[.]shared$")'
            " and (values.workers.accelerator.count is none or values.workers.accelerator.count > 0)"
        ),
        message=(
            "workers.slots: shares of << values.workers.accelerator.resource | quote >> may be of one GPU, which"
            " << values.workers.slots >> processes would then use together"
        ),
        hint="use slots: 1, or GPUs that are not shared",
        inside=SEVERAL,
        severity="warning",
    ),
    _own_resource("workers.resources.requests"),
    _own_resource("workers.resources.limits"),
    Check(
        id="DS279",
        path="workers.sharedMemory",
        when="limit > 0 and whole_bytes(values.workers.sharedMemory) | int > limit",
        message=above_memory("<< values.workers.sharedMemory | quote >>"),
        hint=MORE_SHARED,
        inside=(
            "if values.workers.resources.limits",
            "set limit = memory_bytes(values.workers.resources.limits) | int",
        ),
        severity="warning",
    ),
    Check(
        id="DS287",
        path="workers.sharedMemory",
        when='values.workers.sharedMemory is matching("^0+([.]0+)?[A-Za-z]*$")',
        message="workers.sharedMemory: << values.workers.sharedMemory | quote >> is no limit at all for Kubernetes",
        hint='write "" to have no /dev/shm of its own, or unlimited',
    ),
    Check(
        id="DS287",
        path="workers.sharedMemory",
        when='values.workers.sharedMemory is matching("^[0-9.]*[1-9][0-9.]*m$")',
        message="workers.sharedMemory: << values.workers.sharedMemory | quote >> counts thousandths of a byte",
        hint="M is a million bytes, Mi 1024 x 1024",
    ),
    Check(
        id="DS277",
        path="launcher.resources.limits.memory",
        when="uses_ssh(values) and limit > 0 and limit < launcher_bytes(values) | int",
        message=f"launcher.resources.limits: {MEMORY_WORDS}",
        hint=MORE_MEMORY,
        inside=(
            "if values.launcher.resources.limits",
            "set limit = memory_bytes(values.launcher.resources.limits) | int",
        ),
    ),
    Check(
        id="DS278",
        path="launcher.resources.requests.memory",
        when=(
            "uses_ssh(values) and request > 0 and request < launcher_bytes(values) | int"
            ' and not "memory" in values.launcher.resources.limits'
        ),
        message=f"launcher.resources.requests: {MEMORY_WORDS}",
        hint=MORE_REQUESTED,
        inside=(
            "if values.launcher.resources.requests",
            "set request = memory_bytes(values.launcher.resources.requests) | int",
        ),
        severity="warning",
    ),
    Check(
        id="DS237",
        path="workers.spread",
        when='"podAntiAffinity" in values.workers.affinity',
        message="workers.spread writes a podAntiAffinity, and workers.affinity has one too",
        hint="keep one of them",
        inside=('if values.workers.spread != "none"',),
    ),
    _extra("DS232", "extraPodSpec", POD_FIELDS, "is a field of the pod that dsgen writes"),
    _extra("DS233", "extraContainerSpec", CONTAINER_FIELDS, "is a field of the container that dsgen writes"),
    Check(
        id="DS234",
        path="<< role >>.<< kind >>[container].name",
        when=f'container.name is string and container.name is matching("{OWN_CONTAINERS}")',
        message="<< role >>.<< kind >>: << container.name | quote >> is the name of a container of dsgen's",
        hint="choose another name",
        inside=(
            USER_CONTAINERS,
            *CONTAINER_LOOPS,
        ),
    ),
    Check(
        id="DS235",
        path="<< role >>.sidecars[container].name",
        when="container.name is string and other.name is string and container.name == other.name",
        message="<< role >>: two containers have the name << container.name | quote >>",
        hint=UNIQUE,
        inside=(
            "if values.workers.sidecars or values.launcher.sidecars",
            ROLES,
            'for container in values[role]["sidecars"]',
            'for other in values[role]["initContainers"]',
        ),
    ),
    Check(
        id="DS236",
        path="<< role >>.<< kind >>[container].volumeMounts[mount].name",
        when="mount.name is string and not mount.name in values.storage",
        message="<< role >>.<< kind >>: << mount.name | quote >> is no volume of storage",
        hint="containers mount the volumes of storage, by their keys there",
        inside=(
            USER_CONTAINERS,
            *CONTAINER_LOOPS,
            'for mount in get(container, "volumeMounts", [])',
        ),
    ),
)
