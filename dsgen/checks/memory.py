"""Sizes of memory and volumes: below 1Mi, because a unit is missing, or less than what the pod needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dsgen.checks.pods import USER_CONTAINERS
from dsgen.checks.row import ROLES, VOLUMES, Check, Shared, Shortcut, load_helpers, quote_text
from dsgen.language.text import to_json
from dsgen.problems import KeyPath
from dsgen.reading.quantities import suggest_memory

SIZES = ("memory", "ephemeral-storage")
KEYS = ", ".join(map(quote_text, SIZES))
LAUNCHER_BYTES, BYTES_PER_WORKER = 1024**3, 1468006
"""What the launcher needs for itself and per session of a worker; the helper launcher_bytes has the same numbers."""
LEAST = 1024**2
"""Memory below 1Mi is another problem."""
NEEDS_MEMORY = (
    "the launcher needs 1 GiB, and 1.4 MiB for each of << worker_pods(values) | int >> workers;"
    " << 1024 + 2 * (worker_pods(values) | int) >>Mi is enough"
)


LEAST_SHARED = 1024**3
"""NVIDIA's images with PyTorch ask for `docker run --shm-size=1g`."""


def _suggest_worker_memory(values: Mapping[str, Any], _: KeyPath) -> str:
    needed = -(-int(load_helpers().worker_bytes(values)) // 1024**3)
    return f"set workers.resources.requests.memory: {needed}Gi, and add what the program itself holds"


def is_too_small(key: str, quantity: str | float) -> bool:
    """Whether a quantity in requests or limits is reported here."""
    return key in SIZES and bool(load_helpers().below_1mi(to_json(quantity)))


def _suggest_unit(values: Mapping[str, Any], path: KeyPath) -> str:
    value: Any = values
    for key in path:
        value = value[key]
    return suggest_memory(value)


def _refuse_too_small(path: str, quantity: str, *inside: str, when: str = "", shared: tuple[Shared, ...] = ()) -> Check:
    arguments = (("quantity", quantity),)
    return Check(
        id="DS287",
        path=path,
        when=f"below_1mi({quantity} | plain_json)",
        message=f"{path}: << {quantity} | plain_json >> is less than 1Mi, too little to be meant",
        hint="write the size with its unit, such as 64Gi",
        exact_hint=_suggest_unit,
        inside=(*inside, *([f"if {when}"] if when else ())),
        shared=(*shared, Shared(path, len(inside) + bool(when), "size", "a size, `quantity`", arguments)),
    )


def _refuse_small_resources(path: str, resources: str, *inside: str) -> Check:
    inside = (*inside, 'for kind in ["requests", "limits"]')
    where = f"{path}.<< kind >>"
    words = "the sizes of requests or limits, `amounts`"
    return _refuse_too_small(
        f"{where}.<< key >>",
        "quantity",
        *inside,
        f"for key, quantity in {resources} | items",
        when=f"key in [{KEYS}]",
        shared=(Shared(where, len(inside), "amounts", words, (("amounts", resources),)),),
    )


def _warn_of_little_shared(when: str, words: str) -> Check:
    return Check(
        id="DS384",
        path="workers.sharedMemory",
        when=f'{when} and not get(values.workers.extraPodSpec, "hostIPC", false)',
        message=(
            "workers.sharedMemory: the << values.workers.slots >> processes of a worker share"
            f" {words}, too little for NCCL and data loaders"
        ),
        hint="set it to 1Gi or more; the default is 8Gi",
        inside=("if values.workers.slots > 1", "set shared = values.workers.sharedMemory | bytes | int"),
        severity="warning",
    )


ROWS = (
    _refuse_too_small("workers.sharedMemory", "values.workers.sharedMemory"),
    _refuse_small_resources("<< role >>.resources", 'values[role]["resources"][kind]', ROLES),
    _refuse_small_resources("monitoring.tensorboard.resources", "values.monitoring.tensorboard.resources[kind]"),
    _refuse_small_resources(
        "<< role >>.<< containers >>[container].resources",
        'get(container, "resources", kind, {})',
        USER_CONTAINERS,
        ROLES,
        'for containers in ["initContainers", "sidecars"]',
        "for container in values[role][containers]",
    ),
    _refuse_small_resources(
        "<< role >>.extraPodSpec.resources",
        'get(values[role]["extraPodSpec"], "resources", kind, {})',
        Shortcut("if values.workers.extraPodSpec or values.launcher.extraPodSpec"),
        ROLES,
    ),
    _refuse_too_small(
        "storage.<< name >>.create.size", "volume.create.size", VOLUMES, when="volume.create is not none"
    ),
    _refuse_too_small(
        "storage.<< name >>.emptyDir.sizeLimit",
        "size",
        VOLUMES,
        "if volume.emptyDir is not none",
        'set size = get(volume.emptyDir, "sizeLimit", "")',
    ),
    _refuse_too_small(
        "storage.<< name >>.ephemeral.volumeClaimTemplate.spec.resources.requests.storage",
        "size",
        VOLUMES,
        "if volume.ephemeral is not none",
        'set size = get(volume.ephemeral, "volumeClaimTemplate", "spec", "resources", "requests", "storage", "")',
    ),
    Check(
        id="DS279",
        path="workers.sharedMemory",
        when=f"limit >= {LEAST} and values.workers.sharedMemory | bytes | int > limit",
        message=(
            "workers.sharedMemory: << values.workers.sharedMemory | quote >> is more than the memory limit of the"
            " workers, which includes shared memory"
        ),
        hint="raise workers.resources.limits.memory, or lower sharedMemory",
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
        message="workers.sharedMemory: << values.workers.sharedMemory | quote >> means no limit to Kubernetes",
        hint='use "" for the small /dev/shm of the container runtime, or unlimited',
    ),
    Check(
        id="DS277",
        path="launcher.resources.limits.memory",
        when=f"uses_ssh(values) and limit >= {LEAST} and limit < launcher_bytes(values) | int",
        message=f"launcher.resources.limits: {NEEDS_MEMORY}",
        hint="raise the limit, or use launch.method: torchrun, which needs no ssh",
        inside=(
            "if values.launcher.resources.limits",
            "set limit = memory_bytes(values.launcher.resources.limits) | int",
        ),
    ),
    Check(
        id="DS278",
        path="launcher.resources.requests.memory",
        when=(
            f"uses_ssh(values) and request >= {LEAST} and request < launcher_bytes(values) | int"
            ' and not "memory" in values.launcher.resources.limits'
        ),
        message=f"launcher.resources.requests: {NEEDS_MEMORY}",
        hint="raise the request, or use launch.method: torchrun, which needs no ssh",
        inside=(
            "if values.launcher.resources.requests",
            'set request = requested(values.launcher, "launcher", "memory") | int',
        ),
        severity="warning",
    ),
    Check(
        id="DS383",
        path="workers.resources.requests.memory",
        when=f"memory >= {LEAST} and memory < needed",
        message=(
            "workers.resources.requests.memory: a worker requests << memory // 1048576 >>Mi, but its"
            " processes (workers.slots: << values.workers.slots >>), workers.sharedMemory and what DeepSpeed offloads"
            " need << (needed + 1073741823) // 1073741824 >>Gi or more"
        ),
        hint="set workers.resources.requests.memory to that, and add what the program itself holds",
        exact_hint=_suggest_worker_memory,
        inside=(
            "if values.estimate.model.parameters is none or not values.training.deepspeed.config",
            'set memory = requested(values.workers, "worker", "memory") | int',
            "set needed = worker_bytes(values) | int",
        ),
        severity="warning",
    ),
    _warn_of_little_shared("not values.workers.sharedMemory", "64Mi, the default of most container runtimes"),
    _warn_of_little_shared(f"shared >= {LEAST} and shared < {LEAST_SHARED}", "<< values.workers.sharedMemory >>"),
)
