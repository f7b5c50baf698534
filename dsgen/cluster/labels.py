"""The labels that a pod requires of its node, and which of them no node has. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from dsgen.cluster.facts import Dict, Requirement

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
NAME = "metadata.name"
"""The field of a node that a term can select, in place of a label."""
MOST_SHOWN = 5


class Missing(NamedTuple):
    """What no node has, and what the nodes have instead; empty if there is nothing like it."""

    wanted: str
    there: str


def required(spec: Dict) -> tuple[Requirement, ...]:
    """The requirements of a pod's nodeSelector and node affinity; not of several terms, of which one is enough."""
    selector = (Requirement(key, "In", (value,)) for key, value in (spec.get("nodeSelector") or {}).items())
    affinity = ((spec.get("affinity") or {}).get("nodeAffinity") or {}).get(REQUIRED) or {}
    terms = affinity.get("nodeSelectorTerms") or []
    only = terms[0] if len(terms) == 1 else {}
    expressions = [one for kind in ("matchExpressions", "matchFields") for one in only.get(kind) or []]
    return (*selector, *map(_requirement, expressions))


def _requirement(expression: Dict) -> Requirement:
    return Requirement(expression["key"], expression["operator"], tuple(expression.get("values") or ()))


def selected(requirements: Iterable[Requirement], nodes: Iterable[Dict]) -> list[Dict]:
    """The nodes that meet all requirements."""
    wanted = [*requirements]
    return [node for node in nodes if all(accepts(one, labels(node)) for one in wanted)]


def labels(node: Dict) -> dict[str, str]:
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
    return value is not None and _is_number(value) and (int(value) > int(values[0])) == (operator == "Gt")


def _is_number(text: str) -> bool:
    return text.removeprefix("-").isdecimal()


def missing(requirements: Sequence[Requirement], nodes: Sequence[Dict]) -> Missing | None:
    """The requirements that no node meets; if each is met by some node, all of them. None if a node meets all."""
    if not nodes or not requirements or selected(requirements, nodes):
        return None
    never = [one for one in requirements if not selected([one], nodes)]
    text = " and ".join(map(_words, never or requirements))
    return Missing(text, "; ".join(filter(None, (_instead(one, nodes) for one in never))))


def _words(requirement: Requirement) -> str:
    """A requirement as kubectl writes it."""
    key, operator, values = requirement
    if operator == "In":
        return f"{key}={'|'.join(values)}"
    words = {"NotIn": f"{key}!={'|'.join(values)}", "Exists": key, "DoesNotExist": f"!{key}"}
    return words.get(operator, f"{key}{'>' if operator == 'Gt' else '<'}{''.join(values)}")


def _instead(requirement: Requirement, nodes: Sequence[Dict]) -> str:
    """The values that nodes have for the label, or labels with a similar key."""
    key = requirement.key
    values = _of_key(key, nodes)
    if values:
        return f"{key} is {_listed(values)}"
    import difflib

    keys = sorted({other for node in nodes for other in labels(node)})
    last = key.rpartition("/")[2]
    near = [other for other in keys if other.rpartition("/")[2] == last] or difflib.get_close_matches(key, keys, 3, 0.7)
    return "; ".join(f"{other} is {_listed(_of_key(other, nodes))}" for other in near) or f"none has a label {key}"


def _of_key(key: str, nodes: Sequence[Dict]) -> list[str]:
    return sorted({labels(node)[key] for node in nodes if key in labels(node)})


def _listed(values: Sequence[str]) -> str:
    more = len(values) - MOST_SHOWN
    return " or ".join(values[:MOST_SHOWN]) + (f" or one of {more} others" if more > 0 else "")
