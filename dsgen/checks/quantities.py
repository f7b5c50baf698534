"""Requests, limits and the sizes of ConfigMaps as numbers: what Kubernetes refuses, and which tools can apply them."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from dsgen.checks.containers import list_users_containers
from dsgen.checks.memory import is_too_small
from dsgen.checks.row import Function, Names, Place, load_helpers, make_diagnostic
from dsgen.language.text import scalar, to_json
from dsgen.problems import Diagnostic, KeyPath, path_text
from dsgen.reading.quantities import parse_quantity

Quantities = Mapping[str, Any]

PAGES = "hugepages-[1-9][0-9]*[KMG]i"
MAIN: dict[str, KeyPath] = {
    "worker": ("workers",),
    "launcher": ("launcher",),
    "tensorboard": ("monitoring", "tensorboard"),
}
"""The roles of the main containers, and where their values are."""
ONLY_WHOLE = "set request and limit to the same whole number, or only the limit"


def _list_main_containers(values: Mapping[str, Any]) -> Iterator[tuple[str, KeyPath, Mapping[str, Any]]]:
    """Role, path of the resources and values of each pod with a main container."""
    for role, path in MAIN.items():
        part: Any = values
        for key in path:
            part = part[key]
        yield role, (*path, "resources"), part


def _list_resources(values: Mapping[str, Any]) -> Iterator[tuple[KeyPath, Quantities, Quantities]]:
    """Path, requests and limits of every container whose resources the user sets."""
    for role, path, part in _list_main_containers(values):
        given = part["resources"]["requests"].items()
        texts = {key: load_helpers().request_of(part, role, key, quantity) for key, quantity in given}
        yield path, {key: text.strip('"') for key, text in texts.items() if text}, part["resources"]["limits"]
    for role in ("workers", "launcher"):
        for where, container in list_users_containers(values, role):
            given = container.get("resources", {})
            yield (*where, "resources"), given.get("requests", {}), given.get("limits", {})


def check_requests(values: Mapping[str, Any], _: Names, place: Place) -> Iterator[Diagnostic]:
    """Kubernetes refuses a request above its limit."""
    for path, requests, limits in _list_resources(values):
        for key in sorted(requests.keys() & limits.keys()):
            if parse_quantity(requests[key]) > parse_quantity(limits[key]) and not is_too_small(key, limits[key]):
                message = (
                    f"{path_text(path)}: the request of {key} ({requests[key]}) is above the limit ({limits[key]})"
                )
                hint = f"raise the limit, or set {path_text((*path, 'requests', key))} to at most the limit"
                yield make_diagnostic("DS256", (*path, "requests", key), message, hint, place)


def check_automatic_requests(values: Mapping[str, Any], _: Names, place: Place) -> Iterator[Diagnostic]:
    """An automatic request of a resource that has neither a limit nor a default."""
    for role, path, part in _list_main_containers(values):
        for key, quantity in sorted(part["resources"]["requests"].items()):
            if not load_helpers().request_of(part, role, key, quantity):
                message = f"{path_text(path)}.requests: {key} is auto, but has no limit"
                hint = f"set {path_text((*path, 'limits', key))}, or remove the request"
                yield make_diagnostic("DS256", (*path, "requests", key), message, hint, place)


def check_devices(values: Mapping[str, Any], _: Names, place: Place) -> Iterator[Diagnostic]:
    """What ValidateContainerResourceRequirements of Kubernetes checks for devices and huge pages."""
    written = {values["workers"]["accelerator"]["resource"], *values["network"]["rdma"]["resources"]}
    for path, requests, limits in _list_resources(values):
        for kind, quantities in (("limits", limits), ("requests", requests)):
            for key in sorted(quantities):
                if path[0] == "workers" and len(path) == 2 and key in written:
                    continue  # another check reports that
                reason = _explain_refusal(key, kind, requests, limits)
                if reason:
                    message = f"{path_text(path)}.{kind}: {reason}"
                    yield make_diagnostic("DS259", (*path, kind, key), message, ONLY_WHOLE, place)


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


def check_files_size(values: Mapping[str, Any], _: Names, place: Place) -> Iterator[Diagnostic]:
    """The size of training.files, which have their own ConfigMap."""
    files, path = values["training"]["files"], ("training", "files")
    size = sum(len(name) + _count_bytes(text) for name, text in files.items())
    as_json = (
        sum(_count_json_bytes(name) + _count_json_bytes(text) for name, text in files.items()) if size > SMALL else 0
    )
    if size > MAX_BYTES:
        message = f"training.files: all files together have {size} bytes, but a ConfigMap is limited to {MAX_BYTES}"
        yield make_diagnostic("DS253", path, message, "put large files into the image or onto a volume", place)
    elif as_json + 1024 > MAX_ANNOTATION:
        message = f"training.files: their ConfigMap has {as_json} bytes of JSON, {TOO_MUCH}"
        yield make_diagnostic("DS258", path, message, APPLY, place, "warning")


def check_config_size(values: Mapping[str, Any], release: Names, place: Place) -> Iterator[Diagnostic]:
    """The ConfigMap of the run; the message names its largest part."""
    job = values["name"] or release["name"]
    texts = collect_texts(values, job)
    sizes = {path: _count_bytes(text) for path, text in texts.items()}
    total = sum(sizes.values()) + OTHER_BYTES
    if total <= SMALL:
        return
    path = max(sizes, key=lambda path: sizes[path])
    as_json = estimate_json_bytes(texts.values())
    smaller = FEWER if path == WORKERS else "put large parts into the image or onto a volume"
    if total > MAX_BYTES:
        message = (
            f"{path_text(path)}: {_name_owner(path)} {sizes[path]} bytes; with the rest, the run's ConfigMap"
            f" would have {total}, but is limited to {MAX_BYTES}"
        )
        yield make_diagnostic("DS257", path, message, smaller, place)
    elif as_json > MAX_ANNOTATION:
        message = (
            f"{path_text(path)}: {_name_owner(path)} {sizes[path]} bytes; with the rest, the run's ConfigMap"
            f" has about {as_json} bytes of JSON, {TOO_MUCH}"
        )
        yield make_diagnostic("DS258", path, message, f"{APPLY}; or {smaller}", place, "warning")


def estimate_json_bytes(texts: Iterable[str]) -> int:
    """An estimate, not too low, of the bytes that kubectl keeps of the run's ConfigMap with these texts."""
    return sum(map(_count_json_bytes, texts)) + OTHER_BYTES


def _name_owner(path: KeyPath) -> str:
    return "the names of the workers have" if path == WORKERS else "it has"


def collect_texts(values: Mapping[str, Any], job: str) -> dict[KeyPath, str]:
    """The texts of the ConfigMap, by the key that they come from."""
    training = values["training"]
    texts = (
        (("training", "setup"), training["setup"]),
        (("training", "args"), to_json(training["args"])),
        (("training", "exec"), to_json(training["exec"])),
        (("training", "deepspeed", "config"), to_json(training["deepspeed"]["config"])),
        (("training", "deepspeed", "args"), to_json(training["deepspeed"]["args"])),
        (("launch", "command"), to_json(values["launch"]["command"])),
        (("lifecycle", "debug", "command"), to_json(values["lifecycle"]["debug"]["command"])),
        (("code", "git", "knownHosts"), values["code"]["git"]["knownHosts"]),
        (WORKERS, _format_hostfile(values, job)),
    )
    return dict(texts)


def _format_hostfile(values: Mapping[str, Any], job: str) -> str:
    run, slots = f"{job}-{scalar(values['run']['id'])}", scalar(values["workers"]["slots"])
    before, after = f"{run}-worker-", f".{run} slots={slots}\n"
    return before + f"{after}{before}".join(map(str, range(int(load_helpers().worker_pods(values))))) + after


def _count_bytes(text: str) -> int:
    return len(text.encode(errors="replace"))


@functools.lru_cache(maxsize=256)
def _count_json_bytes(text: str) -> int:
    """The size as kubectl writes it: JSON in Go also escapes <, > and &."""
    return _count_bytes(to_json(text)) + 5 * sum(map(text.count, "<>&"))


FUNCTIONS = (
    Function(check_requests, {"DS256": ()}),
    Function(check_automatic_requests, {"DS256": ()}),
    Function(
        check_devices,
        {
            "DS259": (
                *(("workers", "accelerator"), ("network", "rdma")),
                *(("workers", "resources", "limits"), ("launcher", "resources", "limits")),
            )
        },
    ),
    Function(check_files_size, {"DS253": (), "DS258": LOOKS_AT}),
    Function(check_config_size, {"DS257": LOOKS_AT, "DS258": LOOKS_AT}),
)
