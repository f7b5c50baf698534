"""Several jobs of one values file: the values of each combination of variables."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping

from dsgen.reading.nodes import Node
from dsgen.records import replace

MOST = 10_000
"""Jobs of one values file."""
_VARIABLE = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
Variables = Mapping[str, Node]


def size(variables: Node) -> int:
    """How many combinations there are."""
    return math.prod(len(values) for values in _lists(variables).values())


def combinations(variables: Node) -> Iterator[Variables]:
    """Each combination of the values of variables; the last one changes first."""
    lists = _lists(variables)
    for values in itertools.product(*lists.values()):
        yield dict(zip(lists, values, strict=True))


def _lists(variables: Node) -> dict[str, list[Node]]:
    assert isinstance(variables.value, dict)
    return {name: node.value for name, node in variables.value.items() if isinstance(node.value, list)}


def filled(node: Node, variables: Variables) -> Node:
    """A copy in which variables stand for their values. What is in braces and no variable stays as it is."""
    if isinstance(node.value, dict):
        return replace(node, value={key: filled(below, variables) for key, below in node.value.items()})
    if isinstance(node.value, list):
        return replace(node, value=[filled(below, variables) for below in node.value])
    if not isinstance(node.value, str):
        return node
    whole = _VARIABLE.fullmatch(node.value)
    if whole and whole[1] in variables:
        value = variables[whole[1]].copy()
        return replace(value, position=node.position, key=node.key)
    return replace(node, value=_VARIABLE.sub(lambda found: _text(found, variables), node.value))


def _text(found: re.Match[str], variables: Variables) -> str:
    node = variables.get(found[1])
    if node is None or isinstance(node.value, dict | list):
        return found[0]
    return node.text or str(node.value)
