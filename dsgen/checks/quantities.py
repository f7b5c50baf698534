"""Quantities: memory, requests and limits, and the sizes of ConfigMaps."""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from dsgen.checks.rule import (
    CONTAINERS,
    ROLES,
    Problem,
    Problems,
    UnknownValueError,
    Values,
    error,
    of_roles,
    warning,
)
from dsgen.generated import helpers
from dsgen.language.functions import get, matching, parse_quantity, whole_bytes
from dsgen.language.text import quote, scalar, to_json, to_plain_json
from dsgen.problems import KeyPath, path_text
from dsgen.schema import look_up
from dsgen.schema.suggestions import suggest_memory

SIZES = ("memory", "ephemeral-storage")
MIB, GIB = 1024**2, 1024**3
LAUNCHER_BYTES, BYTES_PER_WORKER = GIB, 1468006
"""What the launcher needs for itself with ssh, and (measured) for the session of each worker."""
LEAST_SHARED = GIB
"""NVIDIA's images with PyTorch ask for `docker run --shm-size=1g`."""
PROCESS_BYTES, CPU_PROCESS_BYTES, COMPILER_BYTES = 2 * GIB, 256 * MIB, 4608 * MIB
"""What a process needs at least, with CUDA and without."""
OFFLOADED_BYTES = 18_000_000_000
"""The states that DeepSpeed offloads: 18 bytes a parameter, for a model of a billion parameters."""


def is_too_small(key: str, quantity: str | float) -> bool:
    """Whether a quantity in requests or limits is reported here."""
    return key in SIZES and _is_below_1mi(quantity)


def _is_below_1mi(size: str | float) -> bool:
    try:
        return 0 < parse_quantity(size) < MIB
    except ValueError:
        return False


def _suggest_unit(values: Values, path: KeyPath) -> str:
    return suggest_memory(look_up(values, path))


def _check_size(path: KeyPath, size: Any) -> Problems:
    if _is_below_1mi(size):
        yield Problem(f"{path_text(path)}: {to_plain_json(size)} is less than 1Mi, too little to be meant", path)


SIZES_OF_VOLUMES = (
    ("create", "size"),
    ("emptyDir", "sizeLimit"),
    ("ephemeral", "volumeClaimTemplate", "spec", "resources", "requests", "storage"),
)
UNIT = "write the size with its unit, such as 64Gi"


@error("DS287", "workers.sharedMemory", hint=UNIT, suggest=_suggest_unit)
def refuse_small_shared_memory(values: Values) -> Problems:
    yield from _check_size(("workers", "sharedMemory"), values.workers.sharedMemory)


@error(
    *("DS287", *of_roles("resources"), "monitoring.tensorboard.resources"),
    *(f"{place}.resources" for place in CONTAINERS),
    *of_roles("extraPodSpec.resources"),
    hint=UNIT,
    suggest=_suggest_unit,
)
def refuse_small_memory(_: Values, path: KeyPath, part: Any) -> Problems:
    resources = part.resources if isinstance(path[-2], int) else part
    for kind in ("requests", "limits"):
        amounts = resources.get(kind) if resources else None
        for key in SIZES:
            if amounts and key in amounts:
                yield from _check_size((*path, kind, key), amounts[key])


@error("DS441", *of_roles("resources"), "monitoring.tensorboard.resources", *(f"{one}.resources" for one in CONTAINERS))
def check_cpus(_: Values, path: KeyPath, part: Any) -> Problems:
    """A number of CPUs that is one of bytes, or of thousandths without their unit."""
    resources, most = part.resources if isinstance(path[-2], int) else part, 256 if path[0] == "workers" else 32
    for kind in ("requests", "limits"):
        cpus = (resources.get(kind) or {}).get("cpu", 0) if resources else 0
        at, where = (*path, kind, "cpu"), f"{path_text((*path, kind, 'cpu'))}: {cpus}"
        if matching(str(cpus), "^.*([KMGTPE]i|[kMGTPE])$"):
            yield Problem(f"{where} has a unit of memory", at, "write the number of CPUs, such as 4 or 500m")
        elif cpus != "auto" and parse_quantity(cpus) >= most:
            hint = f"write the number of CPUs; did you mean {cpus}m, which are thousandths?"
            yield Problem(f"{where} CPUs are more than a node has", at, hint, "warning")


@error("DS287", "storage.*", hint=UNIT, suggest=_suggest_unit)
def refuse_small_volumes(_: Values, path: KeyPath, volume: Any) -> Problems:
    for keys in SIZES_OF_VOLUMES:
        size = get(volume, *keys, "")
        if size:
            yield from _check_size((*path, *keys), size)


@error("DS287", "workers.sharedMemory", hint='use "" for the small /dev/shm of the container runtime, or unlimited')
def refuse_no_shared_memory(values: Values) -> Problems:
    size = values.workers.sharedMemory
    if matching(size, "^0+([.]0+)?[A-Za-z]*$"):
        yield Problem(f"workers.sharedMemory: {quote(size)} means no limit to Kubernetes")


@warning("DS279", "workers.sharedMemory", hint="raise workers.resources.limits.memory, or lower sharedMemory")
def warn_of_more_than_limit(values: Values) -> Problems:
    shared, limit = values.workers.sharedMemory, _read_memory(values.workers.resources.limits)
    if limit >= MIB and _read_bytes(shared) > limit:
        yield Problem(
            f"workers.sharedMemory: {quote(shared)} is more than the memory limit of the workers, which includes shared"
            " memory"
        )


def _read_memory(quantities: Any) -> int:
    """The bytes of memory in requests or limits; 0 if it is not set."""
    return _read_bytes(quantities["memory"]) if "memory" in quantities else 0


def _read_bytes(quantity: Any) -> int:
    return int(whole_bytes(to_json(quantity).strip('"')))


def count_requested(pod: Any, role: str, key: str) -> int:
    """What the main container of a role requests of a resource, also by default, in whole bytes or CPUs; 0 without."""
    requests = pod.resources.requests
    return int(whole_bytes(helpers.request_of(pod, role, key, requests[key]).strip('"'))) if key in requests else 0


def compute_launcher_bytes(values: Values) -> int:
    """The memory in bytes that the launcher needs with ssh."""
    return LAUNCHER_BYTES + BYTES_PER_WORKER * int(helpers.worker_pods(values))


def _describe_launcher(values: Values) -> str:
    pods = int(helpers.worker_pods(values))
    return f"the launcher needs 1 GiB, and 1.4 MiB for each of {pods} workers; {1024 + 2 * pods}Mi is enough"


@error(
    "DS277",
    "launcher.resources.limits.memory",
    hint="raise the limit, or use launch.method: torchrun, which needs no ssh",
)
def refuse_small_launcher(values: Values) -> Problems:
    limits = values.launcher.resources.limits
    if limits and helpers.uses_ssh(values) and MIB <= _read_memory(limits) < compute_launcher_bytes(values):
        yield Problem(f"launcher.resources.limits: {_describe_launcher(values)}")


@warning(
    "DS278",
    "launcher.resources.requests.memory",
    hint="raise the request, or use launch.method: torchrun, which needs no ssh",
)
def warn_of_small_launcher(values: Values) -> Problems:
    resources = values.launcher.resources
    if not resources.requests or not helpers.uses_ssh(values) or "memory" in resources.limits:
        return
    request = count_requested(values.launcher, "launcher", "memory")
    if MIB <= request < compute_launcher_bytes(values):
        yield Problem(f"launcher.resources.requests: {_describe_launcher(values)}")


def compute_worker_bytes(values: Values) -> int:
    """The memory in bytes that a worker needs at least: for its processes, for all of sharedMemory, unless it is the
    default, which few jobs fill, and for its part of what DeepSpeed offloads.
    """
    workers = values.workers
    process = PROCESS_BYTES if int(helpers.accelerators(workers)) else CPU_PROCESS_BYTES
    shared = int(whole_bytes(workers.sharedMemory)) // MIB * MIB if workers.sharedMemory != "8Gi" else 0
    offloaded = OFFLOADED_BYTES // int(helpers.worker_pods(values)) if _offloads(values) else 0
    return int(process * workers.slots) + shared + offloaded


def _offloads(values: Values) -> bool:
    """Whether DeepSpeed's configuration keeps the optimizer or weights in the memory of the worker."""
    zero = values.training.deepspeed.config.get("zero_optimization")
    parts = [zero.get(part) for part in ("offload_optimizer", "offload_param")] if isinstance(zero, dict) else []
    return any(isinstance(part, dict) and part.get("device") == "cpu" for part in parts)


@warning(
    "DS383",
    "workers.resources.requests.memory",
    hint="set workers.resources.requests.memory to that, and add what the program itself holds",
    suggest=lambda values, _: (
        f"set workers.resources.requests.memory: {-(-compute_worker_bytes(values) // GIB)}Gi, and add what the program"
        " itself holds"
    ),
)
def warn_of_little_memory(values: Values) -> Problems:
    if values.estimate.model.parameters is not None and values.training.deepspeed.config:
        return
    memory, needed = count_requested(values.workers, "worker", "memory"), compute_worker_bytes(values)
    if MIB <= memory < needed:
        yield Problem(
            f"workers.resources.requests.memory: a worker requests {memory // MIB}Mi, but its processes"
            f" (workers.slots: {scalar(values.workers.slots)}), workers.sharedMemory and what DeepSpeed offloads need"
            f" {-(-needed // GIB)}Gi or more"
        )


@warning("DS414", "workers.resources.limits.memory", hint="raise it to 5Gi, or use an image in which it is compiled")
def warn_of_compiler(values: Values) -> Problems:
    limit = _read_memory(values.workers.resources.limits)
    if MIB <= limit < COMPILER_BYTES and helpers.config_path(values) and not int(helpers.accelerators(values.workers)):
        what = "DeepSpeed compiles deepspeed_shm_comm at its first start on CPUs, which takes 3.4 to 4.5 GiB"
        yield Problem(f"workers.resources.limits.memory: {what}")


@warning("DS384", "workers.sharedMemory", hint="set it to 1Gi or more; the default is 8Gi")
def warn_of_little_shared_memory(values: Values) -> Problems:
    workers = values.workers
    size = workers.sharedMemory
    if workers.slots <= 1 or get(workers.extraPodSpec, "hostIPC", False):
        return
    if not size or MIB <= int(whole_bytes(size)) < LEAST_SHARED:
        yield Problem(
            f"workers.sharedMemory: the {scalar(workers.slots)} processes of a worker share"
            f" {size or '64Mi, the default of most container runtimes'}, too little for NCCL and data loaders"
        )


# -- quantities --------------------------------------------------------------------------------------------------------

Quantities = Mapping[str, Any]

PAGES = "hugepages-[1-9][0-9]*[KMG]i"
MAIN: dict[str, KeyPath] = {
    "worker": ("workers",),
    "launcher": ("launcher",),
    "tensorboard": ("monitoring", "tensorboard"),
}
"""The roles of the main containers, and where their values are."""


def _list_main_containers(values: Mapping[str, Any]) -> Iterator[tuple[str, KeyPath, Mapping[str, Any]]]:
    """Role, path of the resources and values of each pod with a main container."""
    for role, path in MAIN.items():
        yield role, (*path, "resources"), look_up(values, path)


def _list_resources(values: Values) -> Iterator[tuple[KeyPath, Quantities, Quantities]]:
    """Path, requests and limits of every container whose resources the user sets, if nothing in them is unknown."""
    for role, path, part in _list_main_containers(values):
        with contextlib.suppress(UnknownValueError):
            values.require(path)
            given = part["resources"]["requests"].items()
            texts = {key: helpers.request_of(part, role, key, quantity) for key, quantity in given}
            yield path, {key: text.strip('"') for key, text in texts.items() if text}, part["resources"]["limits"]
    for role in ROLES:
        for kind in ("initContainers", "sidecars"):
            for number, container in enumerate(values[role][kind]):
                with contextlib.suppress(UnknownValueError):
                    values.require((role, kind, number, "resources"))
                    given = container.get("resources", {})
                    yield (role, kind, number, "resources"), given.get("requests", {}), given.get("limits", {})


@error("DS256", "")
def refuse_requests_above_limits(values: Values) -> Problems:
    """Kubernetes refuses a request above its limit."""
    for path, requests, limits in _list_resources(values):
        for key in sorted(requests.keys() & limits.keys()):
            if parse_quantity(requests[key]) > parse_quantity(limits[key]) and not is_too_small(key, limits[key]):
                yield Problem(
                    f"{path_text(path)}: the request of {key} ({requests[key]}) is above the limit ({limits[key]})",
                    (*path, "requests", key),
                    f"raise the limit, or set {path_text((*path, 'requests', key))} to at most the limit",
                )


@error("DS256", "")
def refuse_automatic_requests(values: Values) -> Problems:
    """An automatic request of a resource that has neither a limit nor a default."""
    for role, path, part in _list_main_containers(values):
        for key, quantity in sorted(part["resources"]["requests"].items()):
            if not helpers.request_of(part, role, key, quantity):
                message = f"{path_text(path)}.requests: {key} is auto, but has no limit"
                hint = f"set {path_text((*path, 'limits', key))}, or remove the request"
                yield Problem(message, (*path, "requests", key), hint)


@error("DS259", "", hint="set request and limit to the same whole number, or only the limit")
def check_devices(values: Values) -> Problems:
    """What ValidateContainerResourceRequirements of Kubernetes checks for devices and huge pages."""
    written = {values.workers.accelerator.resource, *values.network.rdma.resources}
    for path, requests, limits in _list_resources(values):
        for kind, quantities in (("limits", limits), ("requests", requests)):
            for key in sorted(quantities):
                if path[0] == "workers" and len(path) == 2 and key in written:
                    continue  # another rule reports that
                reason = _explain_refusal(key, kind, requests, limits)
                if reason:
                    yield Problem(f"{path_text(path)}.{kind}: {reason}", (*path, kind, key))


def _explain_refusal(key: str, kind: str, requests: Quantities, limits: Quantities) -> str:
    is_page, is_device = re.fullmatch(PAGES, key), "/" in key and "kubernetes.io/" not in key
    if not (is_page or is_device):
        return ""
    if kind == "requests" and key not in limits:
        return f"{key} has no limit, which Kubernetes requires for devices and huge pages"
    if kind == "requests":
        return (
            f"the request of {key} must equal its limit"
            if parse_quantity(requests[key]) < parse_quantity(limits[key])
            else ""
        )
    size = parse_quantity(limits[key])
    if is_device and size.denominator != 1:
        return f"{key} must be a whole number"
    if is_page and size % parse_quantity(key.removeprefix("hugepages-")):
        return f"{key} must be a multiple of the page size"
    if is_page and not {"cpu", "memory"} & (requests.keys() | limits.keys()):
        return f"{key} also requires cpu or memory"
    return ""


# -- sizes of ConfigMaps -----------------------------------------------------------------------------------------------

MAX_BYTES = 1024 * 1024
"""The limit of a ConfigMap; the API server counts keys and values."""
MAX_ANNOTATION = 256 * 1024
"""The limit of all annotations of an object; `kubectl apply` keeps the object in one of them, as JSON."""
OTHER_BYTES = 4608
"""The rest of the JSON of the run's ConfigMap: settings, configuration of sshd and ssh, labels; measured."""
SMALL = 8192
"""Smaller ConfigMaps are not measured further."""
WORKERS: KeyPath = ("workers", "replicas")
LOOKS_AT: tuple[KeyPath, ...] = (WORKERS, ("name",), ("training",), ("launch",), ("lifecycle",), ("code",))
TOO_MUCH = f"and kubectl apply keeps a copy in annotations, which are limited to {MAX_ANNOTATION}"
APPLY = "use kubectl apply --server-side, and in Argo CD the sync option ServerSideApply=true"
FEWER = "use shorter names or fewer workers"


@error("DS253", "training.files", hint="put large files into the image or onto a volume")
def refuse_large_files(values: Values) -> Problems:
    """The size of training.files, which have their own ConfigMap."""
    size = _measure(values.training.files, _count_bytes, len)
    if size > MAX_BYTES:
        limit = f"a ConfigMap is limited to {MAX_BYTES}"
        yield Problem(f"training.files: all files together have {size} bytes, but {limit}")


@warning("DS258", "training.files", hint=APPLY)
def warn_of_large_files(values: Values) -> Problems:
    files = values.training.files
    if not SMALL < _measure(files, _count_bytes, len) <= MAX_BYTES:
        return
    as_json = _measure(files, _count_json_bytes, _count_json_bytes)
    if as_json + 1024 > MAX_ANNOTATION:
        values.require(*LOOKS_AT)
        yield Problem(f"training.files: their ConfigMap has {as_json} bytes of JSON, {TOO_MUCH}")


def _measure(files: Mapping[str, str], count: Callable[[str], int], count_name: Callable[[str], int]) -> int:
    return sum(count_name(name) + count(text) for name, text in files.items())


def _find_largest(values: Values) -> tuple[KeyPath, str, int, dict[KeyPath, str]]:
    """Of the run's ConfigMap: the key of the largest part, what has how many bytes, all its bytes, and all texts."""
    values.require(*LOOKS_AT)
    texts = collect_texts(values, values["name"] or values.names["name"])
    sizes = {path: _count_bytes(text) for path, text in texts.items()}
    path = max(sizes, key=lambda path: sizes[path])
    owner = "the names of the workers have" if path == WORKERS else "it has"
    message = f"{path_text(path)}: {owner} {sizes[path]} bytes; with the rest, the run's ConfigMap"
    return path, message, sum(sizes.values()) + OTHER_BYTES, texts


def _suggest_smaller(path: KeyPath) -> str:
    return FEWER if path == WORKERS else "put large parts into the image or onto a volume"


@error("DS257", "")
def refuse_large_config(values: Values) -> Problems:
    """The ConfigMap of the run; the message names its largest part."""
    path, message, total, _ = _find_largest(values)
    if total > MAX_BYTES:
        yield Problem(f"{message} would have {total}, but is limited to {MAX_BYTES}", path, _suggest_smaller(path))


@warning("DS258", "")
def warn_of_large_config(values: Values) -> Problems:
    path, message, total, texts = _find_largest(values)
    if SMALL < total <= MAX_BYTES and (as_json := estimate_json_bytes(texts.values())) > MAX_ANNOTATION:
        hint = f"{APPLY}; or {_suggest_smaller(path)}"
        yield Problem(f"{message} has about {as_json} bytes of JSON, {TOO_MUCH}", path, hint)


def estimate_json_bytes(texts: Iterable[str]) -> int:
    """An estimate, not too low, of the bytes that kubectl keeps of the run's ConfigMap with these texts."""
    return sum(map(_count_json_bytes, texts)) + OTHER_BYTES


IN_CONFIG = (
    *("training.setup", "training.args", "training.exec", "training.deepspeed.config", "training.deepspeed.args"),
    *("launch.command", "lifecycle.debug.command", "code.git.knownHosts"),
)
"""The keys whose values are texts of the ConfigMap of the run, besides those for the names of the workers."""


def collect_texts(values: Mapping[str, Any], job: str) -> dict[KeyPath, str]:
    """The texts of the ConfigMap, by the key that they come from."""
    given = {path: look_up(values, path) for path in (tuple(key.split(".")) for key in IN_CONFIG)}
    texts: dict[KeyPath, str] = {path: one if isinstance(one, str) else to_json(one) for path, one in given.items()}
    run, slots = f"{job}-{scalar(values['run']['id'])}", scalar(values["workers"]["slots"])
    before, after = f"{run}-worker-", f".{run} slots={slots}\n"
    hosts = before + f"{after}{before}".join(map(str, range(int(helpers.worker_pods(values))))) + after
    return {**texts, WORKERS: hosts}


def _count_bytes(text: str) -> int:
    return len(text.encode(errors="replace"))


@functools.lru_cache(maxsize=256)
def _count_json_bytes(text: str) -> int:
    """The size as kubectl writes it: JSON in Go also escapes <, > and &."""
    return _count_bytes(to_json(text)) + 5 * sum(map(text.count, "<>&"))
