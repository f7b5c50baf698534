"""What a test shows about the values where it holds, and where it does not."""

from dataclasses import replace
from typing import TYPE_CHECKING

from jinja2 import nodes

from dsgen.compiler.scope import Facts
from dsgen.compiler.types import ANY, INT, STR

if TYPE_CHECKING:
    from dsgen.compiler.expressions import Expressions


def facts(expressions: "Expressions", test: nodes.Node, truth: bool) -> Facts:
    """What holds where this test has this outcome: what is not none, and which side of a union it is."""
    if isinstance(test, nodes.Not):
        return facts(expressions, test.node, not truth)
    if isinstance(test, nodes.And | nodes.Or):
        if truth != isinstance(test, nodes.And):
            return {}
        left = facts(expressions, test.left, truth)
        with expressions.scope.inside(left):
            return {**left, **facts(expressions, test.right, truth)}
    if isinstance(test, nodes.Test):
        return _test_facts(expressions, test, truth)
    if isinstance(test, nodes.Compare):
        return _compare_facts(expressions, test, truth)
    found = expressions.any(test)
    return {found: replace(found.type, nullable=False)} if truth and found.type.nullable else {}


def _test_facts(expressions: "Expressions", test: nodes.Test, truth: bool) -> Facts:
    found = expressions.any(test.node)
    if test.name == "none":
        return {} if truth else {found: replace(found.type, nullable=False)}
    if test.name == "mapping":
        return {found: ANY} if truth else {}
    if test.name != "string" or found.type.kind not in ("union", "any"):
        return {}
    if truth:
        return {found: found.type.item or STR}
    others = found.type.options or ("object",)
    is_integer = others == ("integer",)
    return {found: replace(INT, stored=True) if is_integer else ANY}


def _compare_facts(expressions: "Expressions", test: nodes.Compare, truth: bool) -> Facts:
    operand = test.ops[0]
    if operand.op != ("in" if truth else "notin"):
        return {}
    container = expressions.value(operand.expr)
    if container.type.kind == "list":
        return {}
    entry = expressions.any(nodes.Getitem(operand.expr, test.expr, "load", lineno=test.lineno))
    return {entry: replace(entry.type, nullable=False)}
