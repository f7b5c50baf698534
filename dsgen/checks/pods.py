"""What workers and launcher ask for, and what of the user's goes into their pods."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from dsgen.checks.row import ROLES, Check, Names, Place, found
from dsgen.validate import Problem

GPUS = "^((nvidia|amd)[.]com/gpu|nvidia[.]com/mig-.*|gpu[.]intel[.]com/.*)$"
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
USER_CONTAINERS = ("workers.initContainers", "workers.sidecars", "launcher.initContainers", "launcher.sidecars")
SEVERAL = ("workers.slots > 1",)
CONTAINER_LOOPS = (ROLES, 'kind in ["initContainers", "sidecars"]', "container in values[role][kind]")
LAUNCHER_BYTES, BYTES_PER_WORKER = 1024**3, 1468006
"""What the launcher needs for itself, and for the session of each worker: 1 GiB, and 1.4 MiB as measured."""
SSH_MEMORY = f"({LAUNCHER_BYTES} + {BYTES_PER_WORKER} * (worker_pods(values) | int))"
MEMORY_WORDS = (
    "the launcher needs 1 GiB and 1.4 MiB for each of << worker_pods(values) | int >> workers,"
    " << 1024 + 2 * (worker_pods(values) | int) >>Mi with some room"
)


def _own_resource(path: str) -> Check:
    return Check(
        "DS208",
        f"{path}.<< values.workers.accelerator.resource >>",
        f"values.workers.accelerator.resource in values.{path}",
        f"{path}: << values.workers.accelerator.resource | quote >> is written from workers.accelerator",
        "set workers.accelerator.count instead",
        given=(path,),
        at_key=True,
    )


def _extra(id_: str, key: str, fields: tuple[str, ...], what: str) -> Check:
    return Check(
        id_,
        f"<< role >>.{key}.<< field >>",
        f'field is matching("^({"|".join(fields)})$")',
        f"<< role >>.{key}: << field | quote >> {what}",
        "use the key of the values for it, where there is one",
        (ROLES, f'field, value in values[role]["{key}"] | items'),
        (f"workers.{key}", f"launcher.{key}"),
        at_key=True,
    )


def _memory(kind: str) -> str:
    """The bytes of a role's memory in requests or limits; 0 where none are given or the spelling is not compared."""
    return f"(memory_bytes(values.{kind}) | int)"


ROWS = (
    Check(
        "DS206",
        "workers.slots",
        "values.workers.accelerator.count is not none and values.workers.accelerator.count > 0"
        " and values.workers.slots > values.workers.accelerator.count"
        f' and values.workers.accelerator.resource is matching("{GPUS}")',
        "workers.slots: << values.workers.slots >> processes would share << values.workers.accelerator.count >> GPUs",
        "each process needs a GPU of its own; count: 0 trains on CPUs",
        given=SEVERAL,
    ),
    Check(
        "DS207",
        "workers.slots",
        'values.workers.accelerator.resource is matching("^nvidia[.]com/mig-.*$")'
        " and (values.workers.accelerator.count is none or values.workers.accelerator.count > 0)",
        "workers.slots: a process sees one MIG slice of its pod, so << values.workers.slots >> cannot each have one",
        "use slots: 1 and more replicas",
        given=SEVERAL,
    ),
    Check(
        "DS209",
        "workers.slots",
        'values.workers.accelerator.resource is matching("^.*[.]shared$")'
        " and (values.workers.accelerator.count is none or values.workers.accelerator.count > 0)",
        "workers.slots: shares of << values.workers.accelerator.resource | quote >> may be of one GPU, which"
        " << values.workers.slots >> processes would then use together",
        "use slots: 1, or GPUs that are not shared",
        given=SEVERAL,
        severity="warning",
    ),
    _own_resource("workers.resources.requests"),
    _own_resource("workers.resources.limits"),
    Check(
        "DS279",
        "workers.sharedMemory",
        f"{_memory('workers.resources.limits')} > 0 and (whole_bytes(values.workers.sharedMemory) | int)"
        f" > {_memory('workers.resources.limits')}",
        "workers.sharedMemory: << values.workers.sharedMemory | quote >> is more than the memory limit of the workers,"
        " which counts it",
        "raise workers.resources.limits.memory, or lower sharedMemory",
        given=("workers.resources.limits",),
        severity="warning",
    ),
    Check(
        "DS277",
        "launcher.resources.limits.memory",
        f"uses_ssh(values) and {_memory('launcher.resources.limits')} > 0"
        f" and {_memory('launcher.resources.limits')} < {SSH_MEMORY}",
        f"launcher.resources.limits: {MEMORY_WORDS}",
        "raise the limit, or use launch.method: torchrun, which needs no ssh",
        given=("launcher.resources.limits",),
    ),
    Check(
        "DS278",
        "launcher.resources.requests.memory",
        f"uses_ssh(values) and {_memory('launcher.resources.requests')} > 0"
        f" and {_memory('launcher.resources.requests')} < {SSH_MEMORY}"
        f" and {_memory('launcher.resources.limits')} == 0",
        f"launcher.resources.requests: {MEMORY_WORDS}",
        "raise the request, or use launch.method: torchrun, which needs no ssh",
        severity="warning",
    ),
    Check(
        "DS237",
        "workers.spread",
        '"podAntiAffinity" in values.workers.affinity',
        "workers.spread writes a podAntiAffinity, and workers.affinity has one too",
        "keep one of them",
        given=('workers.spread != "none"',),
    ),
    _extra("DS232", "extraPodSpec", POD_FIELDS, "is a field of the pod that dsgen writes"),
    _extra("DS233", "extraContainerSpec", CONTAINER_FIELDS, "is a field of the container that dsgen writes"),
    Check(
        "DS234",
        "<< role >>.<< kind >>[container].name",
        f'container.name is string and container.name is matching("{OWN_CONTAINERS}")',
        "<< role >>.<< kind >>: << container.name | quote >> is the name of a container of dsgen's",
        "choose another name",
        CONTAINER_LOOPS,
        USER_CONTAINERS,
    ),
    Check(
        "DS236",
        "<< role >>.<< kind >>[container].volumeMounts[mount].name",
        "mount.name is string and not mount.name in values.storage",
        "<< role >>.<< kind >>: << mount.name | quote >> is no volume of storage",
        "containers mount the volumes of storage, by their keys there",
        (*CONTAINER_LOOPS, 'mount in get(container, "volumeMounts", [])'),
        USER_CONTAINERS,
    ),
)


def _containers(values: Mapping[str, Any], role: str) -> Iterator[tuple[tuple[str | int, ...], Mapping[str, Any]]]:
    for kind in ("initContainers", "sidecars"):
        for number, container in enumerate(values[role][kind]):
            yield (role, kind, number), container


def same_container_name(values: Mapping[str, Any], _: Names, place: Place) -> Iterator[Problem]:
    """Kubernetes refuses a pod with two containers of one name."""
    for role in ("workers", "launcher"):
        seen: Counter[str] = Counter()
        for path, container in _containers(values, role):
            name = container.get("name", "")
            seen[name] += 1
            if seen[name] == 2:
                message = f'{role}: two containers have the name "{name}"'
                yield found("DS235", (*path, "name"), message, "names in a pod are unique", place)


def volume_of_other_pods(values: Mapping[str, Any], _: Names, place: Place) -> Iterator[Problem]:
    """A container mounts a volume that its pod does not have."""
    for role in ("workers", "launcher"):
        for path, container in _containers(values, role):
            for number, mount in enumerate(container.get("volumeMounts", ())):
                volume = values["storage"].get(mount.get("name"))
                if volume and volume["mountIn"] not in ("both", role):
                    message = f"storage.{mount['name']} is only in the pods of {volume['mountIn']}"
                    hint = f"set storage.{mount['name']}.mountIn: both"
                    yield found("DS255", (*path, "volumeMounts", number, "name"), message, hint, place)


def claim_of_nobody(values: Mapping[str, Any], _: Names, place: Place) -> Iterator[Problem]:
    """A container uses a claim of dynamic resource allocation that its pod does not have."""
    for role in ("workers", "launcher"):
        known = {claim.get("name") for claim in values[role]["extraPodSpec"].get("resourceClaims", ())}
        for number, claim in enumerate(values[role]["resources"]["claims"]):
            if claim["name"] not in known:
                message = f'{role}.resources.claims: the pod has no claim "{claim["name"]}"'
                hint = f"describe it in {role}.extraPodSpec.resourceClaims"
                yield found("DS238", (role, "resources", "claims", number, "name"), message, hint, place)


SUFFIXES = {"m": Fraction(1, 1000), **{unit: Fraction(1000) ** power for power, unit in enumerate(" kMGTPE") if power}}
SUFFIXES |= {f"{unit}i": Fraction(1024) ** power for power, unit in enumerate(" KMGTPE") if power}


def amount(quantity: str | float) -> Fraction:
    """A quantity of Kubernetes as a number."""
    text = str(quantity)
    unit = text.lstrip("+-0123456789.")
    return Fraction(text.removesuffix(unit)) * SUFFIXES[unit] if unit in SUFFIXES else Fraction(text)


def request_above_limit(values: Mapping[str, Any], _: Names, place: Place) -> Iterator[Problem]:
    """Kubernetes refuses a pod that asks for more than it may use."""
    for path in (("workers",), ("launcher",), ("monitoring", "tensorboard")):
        part: Any = values
        for key in path:
            part = part[key]
        requests, limits = part["resources"]["requests"], part["resources"]["limits"]
        for key in sorted(requests.keys() & limits.keys()):
            if amount(requests[key]) > amount(limits[key]):
                where = (*path, "resources", "requests", key)
                message = f"{'.'.join(path)}.resources: the request of {key} is above its limit"
                yield found("DS256", where, message, "a request is at most the limit", place)


FUNCTIONS = (same_container_name, volume_of_other_pods, claim_of_nobody, request_above_limit)
