"""Decides the conditions of a script as far as their values are known."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from dsgen.importers.shell.words import Expansion, NotComputedError, compute
from dsgen.importers.texts import Text

if TYPE_CHECKING:
    from tree_sitter import Node

NUMBERS: Mapping[str, Callable[[int, int], bool]] = {
    f"-{name}": getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")
}
EQUAL = ("==", "=")


def decide(expansion: Expansion, node: Node) -> bool | None:
    """Whether a condition holds; None if that is not known."""
    try:
        return _decide(expansion, node)
    except NotComputedError:
        return None


def _decide(expansion: Expansion, node: Node) -> bool | None:
    text, inner = expansion.script.read_text(node).chars, node.named_children
    if text.startswith("(("):
        return None
    if node.type == "binary_expression":
        return _decide_binary(expansion, node)
    if node.type in ("unary_expression", "negated_command"):
        sign = expansion.script.read_text(node.children[0]).chars
        if sign == "!":
            return _negate(_decide(expansion, node.children[1]))
        return _decide_filled(expansion, sign, expansion.expand_text(node.children[1]))
    if node.type in ("parenthesized_expression", "test_command"):
        return _decide(expansion, inner[0]) if len(inner) == 1 else None
    if node.type == "command":
        return {"true": True, ":": True, "false": False}.get(text.split()[0])
    if node.type in ("word", "string", "raw_string", "concatenation", "simple_expansion", "expansion", "number"):
        return _decide_filled(expansion, "-n", expansion.expand_text(node))
    return None


def _decide_binary(expansion: Expansion, node: Node) -> bool | None:
    left, sign, right = node.children[0], node.children[1], node.children[-1]
    operator = expansion.script.read_text(sign).chars
    if operator in ("&&", "-a"):
        return _decide_both(_decide(expansion, left), _decide(expansion, right))
    if operator in ("||", "-o"):
        return _negate(_decide_both(_negate(_decide(expansion, left)), _negate(_decide(expansion, right))))
    one, other = expansion.expand_text(left), expansion.expand_text(right)
    is_quoted = right.type in ("string", "raw_string")
    if operator in (*EQUAL, "!=") and not is_quoted and re.search(r"[*?\[\]\\()'\"]", other.chars):
        return None  # a pattern in [[ ]]
    return _compare(expansion, one, operator, other)


def _compare(expansion: Expansion, left: Text, operator: str, right: Text) -> bool | None:
    one, other = left.chars, right.chars
    if not left.is_known or not right.is_known:
        is_compared_to_nothing = "" in (one, other) and _is_filled(expansion, left + right)
        return operator == "!=" if is_compared_to_nothing and operator in (*EQUAL, "!=") else None
    if operator in NUMBERS:
        first, second = compute(one or "0"), compute(other or "0")
        return None if first is None or second is None else NUMBERS[operator](first, second)
    return (one == other) == (operator in EQUAL) if operator in (*EQUAL, "!=") else None


def _decide_filled(expansion: Expansion, sign: str, value: Text) -> bool | None:
    """`-n` and `-z`."""
    if sign not in ("-z", "-n") or not (value.is_known or _is_filled(expansion, value)):
        return None
    return bool(value) == (sign == "-n")


def _is_filled(expansion: Expansion, value: Text) -> bool:
    """Whether all unknown parts are ones that only the cluster knows, which are not empty."""
    unknown = expansion.scope.atlas.list_unknowns(value)
    return all(part.kind in ("runtime", "hosts", "changing") for part in unknown)


def _negate(value: bool | None) -> bool | None:
    return None if value is None else not value


def _decide_both(one: bool | None, other: bool | None) -> bool | None:
    if one is False or other is False:
        return False
    return None if one is None or other is None else True
