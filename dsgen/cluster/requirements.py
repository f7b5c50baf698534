"""What a pod requires of its node: labels, and which of them no node has, and resources. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from dsgen.language.functions import parse_quantity

ApiObject = Mapping[str, Any]
"""An object of the API as plain data."""

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
NAME = "metadata.name"
"""The field of a node that a term can select, in place of a label."""
MOST_SHOWN = 5
MEBIBYTE = 2**20


class Requirement(NamedTuple):
    """What a label of a node must be: In, NotIn, Exists, DoesNotExist, Gt or Lt."""

    key: str
    operator: str
    values: tuple[str, ...]


class MissingLabels(NamedTuple):
    """What no node has, and what the nodes have instead; empty if there is nothing like it."""

    wanted: str
    there: str


def read_requirements(spec: ApiObject) -> tuple[Requirement, ...]:
    """The requirements of a pod's nodeSelector and node affinity; not of several terms, of which one is enough."""
    selector = (Requirement(key, "In", (value,)) for key, value in (spec.get("nodeSelector") or {}).items())
    affinity = ((spec.get("affinity") or {}).get("nodeAffinity") or {}).get(REQUIRED) or {}
    terms = affinity.get("nodeSelectorTerms") or []
    only = terms[0] if len(terms) == 1 else {}
    expressions = [one for kind in ("matchExpressions", "matchFields") for one in only.get(kind) or []]
    required = (Requirement(one["key"], one["operator"], tuple(one.get("values") or ())) for one in expressions)
    return (*selector, *required)


def select_nodes(requirements: Iterable[Requirement], nodes: Iterable[ApiObject]) -> list[ApiObject]:
    """The nodes that meet all requirements."""
    wanted = [*requirements]
    return [node for node in nodes if all(accepts(one, list_node_labels(node)) for one in wanted)]


def list_node_labels(node: ApiObject) -> dict[str, str]:
    """The labels of a node, and its name as a field."""
    return {**(node["metadata"].get("labels") or {}), NAME: node["metadata"]["name"]}


def accepts(requirement: Requirement, there: Mapping[str, str]) -> bool:
    """Whether a node with these labels meets a requirement, as nodeaffinity of Kubernetes decides."""
    key, operator, values = requirement
    value = there.get(key)
    if operator in ("In", "Exists"):
        return value is not None and (operator == "Exists" or value in values)
    if operator in ("NotIn", "DoesNotExist"):
        return value is None or (operator == "NotIn" and value not in values)
    if value is None or not value.removeprefix("-").isdecimal():
        return False
    return (int(value) > int(values[0])) == (operator == "Gt")


def find_missing(requirements: Sequence[Requirement], nodes: Sequence[ApiObject]) -> MissingLabels | None:
    """The requirements that no node meets; if each is met by some node, all of them. None if a node meets all."""
    if not nodes or not requirements or select_nodes(requirements, nodes):
        return None
    never = [requirement for requirement in requirements if not select_nodes([requirement], nodes)]
    text = " and ".join(map(_format_requirement, never or requirements))
    return MissingLabels(text, "; ".join(filter(None, (_describe_instead(one, nodes) for one in never))))


def _format_requirement(requirement: Requirement) -> str:
    """A requirement as kubectl writes it."""
    key, operator, values = requirement
    if operator == "In":
        return f"{key}={'|'.join(values)}"
    words = {"NotIn": f"{key}!={'|'.join(values)}", "Exists": key, "DoesNotExist": f"!{key}"}
    return words.get(operator, f"{key}{'>' if operator == 'Gt' else '<'}{''.join(values)}")


def _describe_instead(requirement: Requirement, nodes: Sequence[ApiObject]) -> str:
    """The values that nodes have for the label, or labels with a similar key."""
    key = requirement.key
    values = _list_values(key, nodes)
    if values:
        return f"{key} is {_join(values)}"
    import difflib  # imported late: few clusters lack a label

    keys = sorted({other for node in nodes for other in list_node_labels(node)})
    last = key.rpartition("/")[2]
    near = [other for other in keys if other.rpartition("/")[2] == last] or difflib.get_close_matches(key, keys, 3, 0.7)
    return "; ".join(f"{other} is {_join(_list_values(other, nodes))}" for other in near) or f"none has a label {key}"


def _list_values(key: str, nodes: Sequence[ApiObject]) -> list[str]:
    return sorted({list_node_labels(node)[key] for node in nodes if key in list_node_labels(node)})


def _join(values: Sequence[str]) -> str:
    more = len(values) - MOST_SHOWN
    return " or ".join(values[:MOST_SHOWN]) + (f" or one of {more} others" if more > 0 else "")


# Resources


def sum_requests(spec: ApiObject) -> dict[str, str]:
    """The requests of a pod by resource, as the scheduler counts them."""
    containers = [*(spec.get("initContainers") or []), *spec["containers"]]
    return {
        name: sum_request(spec, name)
        for name in dict.fromkeys(name for container in containers for name in _read_requests(container))
    }


def sum_request(spec: ApiObject, resource: str) -> str:
    """The request of a pod for one resource: the sum of its containers, or an init container that needs more."""
    init, main = spec.get("initContainers") or [], spec["containers"]
    texts = [text for one in (*init, *main) if (text := _read_requests(one).get(resource))]
    if len(texts) < 2:
        return texts[0] if texts else "0"
    sidecars = most = Fraction()
    for one in init:
        count = parse_quantity(_read_requests(one).get(resource, "0"))
        if _is_sidecar(one):
            sidecars += count
        else:
            most = max(most, sidecars + count)
    return _format_quantity(
        max(most, sidecars + sum(parse_quantity(_read_requests(one).get(resource, "0")) for one in main))
    )


def sum_memory_limit(spec: ApiObject) -> str:
    """The memory limit of a pod; empty if one of its containers has no limit."""
    running = [*(one for one in spec.get("initContainers") or [] if _is_sidecar(one)), *spec["containers"]]
    texts = [str(((one.get("resources") or {}).get("limits") or {}).get("memory", "")) for one in running]
    if len(texts) < 2 or not all(texts):
        return texts[0] if len(texts) == 1 else ""
    return _format_quantity(sum(map(parse_quantity, texts), Fraction()))


def _is_sidecar(container: ApiObject) -> bool:
    return container.get("restartPolicy") == "Always"


def _read_requests(container: ApiObject) -> dict[str, str]:
    """The requests of a container; a resource without a request has its limit as request."""
    resources = container.get("resources") or {}
    return {**(resources.get("limits") or {}), **(resources.get("requests") or {})}


def _format_quantity(value: Fraction) -> str:
    if value.denominator > 1:
        return f"{-(-value * 1000 // 1)}m"
    whole = int(value)
    return f"{whole // MEBIBYTE}Mi" if whole and whole % MEBIBYTE == 0 else str(whole)
