"""Decides the conditions of a script as far as their values are known."""

from __future__ import annotations

import fnmatch
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dsgen.importers.shell.words import Expansion, compute
from dsgen.importers.texts import Text, UnknownPart

if TYPE_CHECKING:
    from tree_sitter import Node

_NUMBERS: Mapping[str, Callable[[int, int], bool]] = {
    f"-{name}": getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")
}
_EQUAL = ("==", "=")
LONGEST_PATTERN = 200
OF_CLUSTER = re.compile(r"SLURM_\w+|\d+|[@#]")
"""Variables that the cluster or the caller sets in some jobs: they are not taken as unset."""


@dataclass
class Conditions:
    """Decides the conditions of one script.

    assumed: variables that nothing sets, which were taken as unset.
    """

    expansion: Expansion
    assumed: list[UnknownPart] = field(default_factory=list)

    def decide(self, node: Node) -> bool | None:
        """Whether a condition holds; None if that is not known."""
        text, inner = self.expansion.script.read_text(node).chars, node.named_children
        if text.startswith("(("):
            number = self.expansion.expand_arithmetic(node)
            return number.chars.strip("-") not in ("", "0") if number.is_known else None
        if node.type == "binary_expression":
            return self._decide_binary(node)
        if node.type in ("unary_expression", "negated_command"):
            sign = self.expansion.script.read_text(node.children[0]).chars
            if sign == "!":
                return _negate(self.decide(node.children[1]))
            return self._decide_filled(sign, self.expansion.expand_text(node.children[1]))
        if node.type in ("parenthesized_expression", "test_command"):
            return self.decide(inner[0]) if len(inner) == 1 else None
        if node.type == "command":
            return {"true": True, ":": True, "false": False}.get(text.split()[0])
        if node.type in ("word", "string", "raw_string", "concatenation", "simple_expansion", "expansion", "number"):
            return self._decide_filled("-n", self.expansion.expand_text(node))
        return None

    def _decide_binary(self, node: Node) -> bool | None:
        left, sign, right = node.children[0], node.children[1], node.children[-1]
        operator = self.expansion.script.read_text(sign).chars
        if operator in ("&&", "-a"):
            return _decide_both(self.decide(left), self.decide(right))
        if operator in ("||", "-o"):
            return _negate(_decide_both(_negate(self.decide(left)), _negate(self.decide(right))))
        pattern = self._read_pattern(node, right)
        return self._compare(self.expansion.expand_text(left), operator, self.expansion.expand_text(right), pattern)

    def _read_pattern(self, node: Node, right: Node) -> str | None:
        """The pattern of `[[ x == PATTERN ]]`; "" for a text without one, None if dsgen does not understand it."""
        parent, raw = node.parent, self.expansion.script.read_text(right).chars
        while parent is not None and parent.type != "test_command":
            parent = parent.parent
        is_pattern = parent is None or self.expansion.script.read_text(parent).chars.startswith("[[")
        if not is_pattern or right.type in ("string", "raw_string"):
            return ""
        has_marks = re.search(r"[*?]", raw) is not None
        shown = raw + self.expansion.expand_text(right).chars
        if (
            len(raw) > LONGEST_PATTERN
            or re.search(r"[\[\]\\()'\"]", shown)
            or ("$" in raw and re.search(r"[*?]", shown))
        ):
            return None
        return raw if has_marks else ""

    def _compare(self, left: Text, operator: str, right: Text, pattern: str | None = "") -> bool | None:
        one, other = self._resolve_known(left), self._resolve_known(right)
        if one is None or other is None:
            is_compared_to_nothing = "" in (one, other) and self._is_filled(left if one is None else right)
            return operator == "!=" if is_compared_to_nothing and operator in (*_EQUAL, "!=") else None
        if operator in _NUMBERS:
            first, second = compute(one or "0"), compute(other or "0")
            return None if first is None or second is None else _NUMBERS[operator](first, second)
        if operator not in (*_EQUAL, "!=") or pattern is None:
            return None
        is_equal = fnmatch.fnmatchcase(one, pattern) if re.search(r"[*?]", pattern) else one == other
        return is_equal == (operator in _EQUAL)

    def _decide_filled(self, sign: str, value: Text) -> bool | None:
        """`-n` and `-z`."""
        known = self._resolve_known(value)
        if sign not in ("-z", "-n") or (known is None and not self._is_filled(value)):
            return None
        return (known is None or bool(known)) == (sign == "-n")

    def _is_filled(self, value: Text) -> bool:
        """Whether all unknown parts are ones that only the cluster knows, which are not empty."""
        unknown = self.expansion.scope.atlas.list_unknowns(value)
        return all(part.kind in ("runtime", "hosts", "changing") for part in unknown)

    def _resolve_known(self, value: Text) -> str | None:
        """The text with variables that nothing sets as empty; None if other parts are unknown."""
        text = ""
        for piece in self.expansion.scope.atlas.split_pieces(value):
            if isinstance(piece, str):
                text += piece
            elif piece.kind in ("variable", "positional") and not OF_CLUSTER.fullmatch(piece.name):
                self.assumed.append(piece)
            else:
                return None
        return text


def _negate(value: bool | None) -> bool | None:
    return None if value is None else not value


def _decide_both(one: bool | None, other: bool | None) -> bool | None:
    if one is False or other is False:
        return False
    return None if one is None or other is None else True
