"""The requests and limits of a pod, summed over its containers. Pure functions of the spec of a pod."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from dsgen.cluster.facts import Dict
from dsgen.reading.quantities import amount

MEBIBYTE = 2**20


def requests(spec: Dict) -> dict[str, str]:
    """The requests of a pod by resource, as the scheduler counts them."""
    containers = [*(spec.get("initContainers") or []), *spec["containers"]]
    return {name: requested(spec, name) for name in dict.fromkeys(name for one in containers for name in _asked(one))}


def requested(spec: Dict, resource: str) -> str:
    """The request of a pod for one resource: the sum of its containers, or an init container that needs more."""
    init, main = spec.get("initContainers") or [], spec["containers"]
    texts = [text for one in (*init, *main) if (text := _asked(one).get(resource))]
    if len(texts) < 2:
        return texts[0] if texts else "0"
    sidecars = most = Fraction()
    for one in init:
        count = amount(_asked(one).get(resource, "0"))
        if _is_sidecar(one):
            sidecars += count
        else:
            most = max(most, sidecars + count)
    return _written(max(most, sidecars + sum(amount(_asked(one).get(resource, "0")) for one in main)))


def limit(spec: Dict, resource: str) -> str:
    """The limit of a pod for one resource; empty if one of its containers has no limit."""
    running = [*(one for one in spec.get("initContainers") or [] if _is_sidecar(one)), *spec["containers"]]
    texts = [str(((one.get("resources") or {}).get("limits") or {}).get(resource, "")) for one in running]
    return _sum(texts) if all(texts) else ""


def _sum(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else _written(sum((amount(text) for text in texts), Fraction()))


def _is_sidecar(container: Dict) -> bool:
    return container.get("restartPolicy") == "Always"


def _asked(container: Dict) -> dict[str, str]:
    """The requests of a container; a resource without a request has its limit as request."""
    resources = container.get("resources") or {}
    return {**(resources.get("limits") or {}), **(resources.get("requests") or {})}


def _written(value: Fraction) -> str:
    if value.denominator > 1:
        return f"{-(-value * 1000 // 1)}m"
    whole = int(value)
    return f"{whole // MEBIBYTE}Mi" if whole and whole % MEBIBYTE == 0 else str(whole)
