"""Requests, limits and sizes as numbers: what Kubernetes refuses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from dsgen.checks.containers import users_containers
from dsgen.checks.memory import is_too_small
from dsgen.checks.row import Function, Names, Place, diagnostic, helpers
from dsgen.problems.diagnostics import Diagnostic, KeyPath, path_text
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


def _main(values: Mapping[str, Any]) -> Iterator[tuple[str, KeyPath, Mapping[str, Any]]]:
    """Role, path of the resources and values of each pod with a main container."""
    for role, path in MAIN.items():
        part: Any = values
        for key in path:
            part = part[key]
        yield role, (*path, "resources"), part


def _resources(values: Mapping[str, Any]) -> Iterator[tuple[KeyPath, Quantities, Quantities]]:
    """Path, requests and limits of every container whose resources the user sets."""
    for role, path, part in _main(values):
        given = part["resources"]["requests"].items()
        texts = {key: helpers().request_of(part, role, key, quantity) for key, quantity in given}
        yield path, {key: text.strip('"') for key, text in texts.items() if text}, part["resources"]["limits"]
    for role in ("workers", "launcher"):
        for where, container in users_containers(values, role):
            given = container.get("resources", {})
            yield (*where, "resources"), given.get("requests", {}), given.get("limits", {})


def request_above_limit(values: Mapping[str, Any], _: Names, place: Place) -> Iterator[Diagnostic]:
    """Kubernetes refuses a request above its limit."""
    for path, requests, limits in _resources(values):
        for key in sorted(requests.keys() & limits.keys()):
            if parse_quantity(requests[key]) > parse_quantity(limits[key]) and not is_too_small(key, limits[key]):
                message = (
                    f"{path_text(path)}: the request of {key} ({requests[key]}) is above the limit ({limits[key]})"
                )
                hint = f"raise the limit, or set {path_text((*path, 'requests', key))} to at most the limit"
                yield diagnostic("DS256", (*path, "requests", key), message, hint, place)


def automatic(values: Mapping[str, Any], _: Names, place: Place) -> Iterator[Diagnostic]:
    """An automatic request of a resource that has neither a limit nor a default."""
    for role, path, part in _main(values):
        for key, quantity in sorted(part["resources"]["requests"].items()):
            if not helpers().request_of(part, role, key, quantity):
                message = f"{path_text(path)}.requests: {key} is auto, but has no limit"
                hint = f"set {path_text((*path, 'limits', key))}, or remove the request"
                yield diagnostic("DS256", (*path, "requests", key), message, hint, place)


def devices(values: Mapping[str, Any], _: Names, place: Place) -> Iterator[Diagnostic]:
    """What ValidateContainerResourceRequirements of Kubernetes checks for devices and huge pages."""
    written = {values["workers"]["accelerator"]["resource"], *values["network"]["rdma"]["resources"]}
    for path, requests, limits in _resources(values):
        for kind, quantities in (("limits", limits), ("requests", requests)):
            for key in sorted(quantities):
                if path[0] == "workers" and len(path) == 2 and key in written:
                    continue  # another check reports that
                reason = _refusal(key, kind, requests, limits)
                if reason:
                    message = f"{path_text(path)}.{kind}: {reason}"
                    yield diagnostic("DS259", (*path, kind, key), message, ONLY_WHOLE, place)


def _refusal(key: str, kind: str, requests: Quantities, limits: Quantities) -> str:
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


FUNCTIONS = (
    Function(request_above_limit, {"DS256": ()}),
    Function(automatic, {"DS256": ()}),
    Function(
        devices,
        {
            "DS259": (
                *(("workers", "accelerator"), ("network", "rdma")),
                *(("workers", "resources", "limits"), ("launcher", "resources", "limits")),
            )
        },
    ),
)
