"""Decides conditions of `if`, `case`, `&&` and `||` without running anything: true, false, or not known."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dsgen.importers.shell.arithmetic import compute
from dsgen.importers.shell.expansion import Expansion
from dsgen.importers.texts import Text, Unknown

if TYPE_CHECKING:
    from tree_sitter import Node

_NUMBERS: Mapping[str, Callable[[int, int], bool]] = {
    "-eq": lambda a, b: a == b,
    "-ne": lambda a, b: a != b,
    "-lt": lambda a, b: a < b,
    "-le": lambda a, b: a <= b,
    "-gt": lambda a, b: a > b,
    "-ge": lambda a, b: a >= b,
}
_EQUAL = ("==", "=")
LONGEST_PATTERN = 200


@dataclass
class Conditions:
    """Decides the conditions of one script.

    assumed: variables that nothing sets, which were taken as empty.
    """

    expansion: Expansion
    assumed: list[Unknown] = field(default_factory=list)

    def decide(self, node: Node) -> bool | None:
        """Whether a condition holds; None if that is not known."""
        if node.type in ("unary_expression", "negated_command"):
            return self._decide_unary(node)
        if node.type == "binary_expression":
            return self._decide_binary(node)
        if node.type in ("parenthesized_expression", "test_command"):
            if self.expansion.script.read_text(node).chars.startswith("(("):
                return _as_truth(self.expansion.expand_arithmetic(node))
            inner = [child for child in node.children if child.is_named]
            return self.decide(inner[0]) if len(inner) == 1 else None
        if node.type == "command":
            return self._decide_command(node)
        if node.type == "compound_statement" and self.expansion.script.read_text(node).chars.startswith("(("):
            return _as_truth(self.expansion.expand_arithmetic(node))
        if node.type in ("word", "string", "raw_string", "concatenation", "simple_expansion", "expansion", "number"):
            return self._is_filled(node)
        return None

    def matches(self, value: Text, patterns: list[str]) -> bool | None:
        """Whether a text matches one of the patterns of a `case`."""
        text = self._resolve_known(value)
        if text is None:
            return True if "*" in patterns else None
        return any(fnmatch.fnmatchcase(text, one) for one in patterns if len(one) <= LONGEST_PATTERN)

    def _decide_command(self, node: Node) -> bool | None:
        words = self.expansion.expand_words(_list_arguments(node))
        name = words[0].chars if words else ""
        if name in ("true", ":"):
            return True
        if name == "false":
            return False
        return self._decide_test([word for word in words[1:] if word.chars != "]"]) if name in ("test", "[") else None

    def _decide_test(self, words: list[Text]) -> bool | None:
        """`test` with its words."""
        if words and words[0].chars == "!":
            return _negate(self._decide_test(words[1:]))
        if len(words) == 2 and words[0].chars in ("-z", "-n"):
            return _decide_filled(self._resolve_known(words[1]), words[0].chars, words[1])
        if len(words) == 3:
            return self._compare(words[0], words[1].chars, words[2])
        return bool(words[0].chars) if len(words) == 1 else None

    def _decide_unary(self, node: Node) -> bool | None:
        children = node.children
        sign = self.expansion.script.read_text(children[0]).chars
        if sign == "!":
            return _negate(self.decide(children[1]))
        if sign in ("-z", "-n"):
            value = self._expand_text(children[1])
            return _decide_filled(self._resolve_known(value), sign, value)
        if sign == "-v":
            return self.expansion.scope.is_set(self._expand_text(children[1]).chars)
        return None

    def _decide_binary(self, node: Node) -> bool | None:
        left, sign, right = node.children[0], node.children[1], node.children[-1]
        operator = self.expansion.script.read_text(sign).chars
        if operator in ("&&", "-a"):
            return _decide_both(self.decide(left), self.decide(right))
        if operator in ("||", "-o"):
            return _negate(_decide_both(_negate(self.decide(left)), _negate(self.decide(right))))
        return self._compare(self._expand_text(left), operator, self._expand_text(right))

    def _compare(self, left: Text, operator: str, right: Text) -> bool | None:
        one, other = self._resolve_known(left), self._resolve_known(right)
        if one is None or other is None:
            # A part that only the cluster knows is not empty.
            is_compared_to_nothing = "" in (one, other) and operator in (*_EQUAL, "!=")
            return operator == "!=" if is_compared_to_nothing else None
        if operator in _NUMBERS:
            first, second = compute(one or "0"), compute(other or "0")
            return None if first is None or second is None else _NUMBERS[operator](first, second)
        if operator in _EQUAL or operator == "!=":
            is_equal = one == other or (len(other) <= LONGEST_PATTERN and fnmatch.fnmatchcase(one, other))
            return is_equal == (operator in _EQUAL)
        return None

    def _is_filled(self, node: Node) -> bool | None:
        value = self._expand_text(node)
        return _decide_filled(self._resolve_known(value), "-n", value)

    def _expand_text(self, node: Node) -> Text:
        return self.expansion.expand_text(node)

    def _resolve_known(self, value: Text) -> str | None:
        """The text with variables that nothing sets as empty; None if other parts are unknown."""
        text = ""
        for piece in self.expansion.scope.atlas.split_pieces(value):
            if isinstance(piece, str):
                text += piece
            elif piece.kind in ("variable", "positional"):
                self.assumed.append(piece)
                text += "0" if piece.name == "#" else ""
            else:
                return None
        return text


def _list_arguments(node: Node) -> list[Node]:
    return [child for child in node.children if child.is_named]


def _as_truth(number: Text) -> bool | None:
    return number.chars.strip("-") not in ("", "0") if number.is_known else None


def _decide_filled(known: str | None, sign: str, value: Text) -> bool | None:
    is_filled = bool(known) if known is not None else bool(value)
    return is_filled == (sign == "-n")


def _negate(value: bool | None) -> bool | None:
    return None if value is None else not value


def _decide_both(one: bool | None, other: bool | None) -> bool | None:
    if one is False or other is False:
        return False
    return None if one is None or other is None else True
