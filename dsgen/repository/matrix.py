"""Several jobs from one values file: the values for each combination of variables."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from dsgen.reading.nodes import Node

MOST = 10_000
"""The largest number of jobs from one values file."""
_VARIABLE = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
Variables = Mapping[str, Node]


def count_combinations(variables: Node) -> int:
    """The number of combinations."""
    return math.prod(len(values) for values in _lists(variables).values())


def combinations(variables: Node) -> Iterator[Variables]:
    """All combinations of the values of the variables; the last variable changes fastest."""
    lists = _lists(variables)
    for values in itertools.product(*lists.values()):
        yield dict(zip(lists, values, strict=True))


def _lists(variables: Node) -> dict[str, list[Node]]:
    assert isinstance(variables.value, dict)
    return {name: node.value for name, node in variables.value.items() if isinstance(node.value, list)}


def fill_variables(node: Node, variables: Variables) -> Node:
    """A copy in which variables are replaced by their values. Other text in braces is unchanged."""
    if isinstance(node.value, dict):
        return replace(node, value={key: fill_variables(below, variables) for key, below in node.value.items()})
    if isinstance(node.value, list):
        return replace(node, value=[fill_variables(below, variables) for below in node.value])
    if not isinstance(node.value, str):
        return node
    whole = _VARIABLE.fullmatch(node.value)
    if whole and whole[1] in variables:
        value = variables[whole[1]].copy()
        return replace(value, position=node.position, key=node.key)
    return replace(node, value=_VARIABLE.sub(lambda match: _text(match, variables), node.value))


def _text(match: re.Match[str], variables: Variables) -> str:
    node = variables.get(match[1])
    if node is None or isinstance(node.value, dict | list):
        return match[0]
    return node.text or str(node.value)
