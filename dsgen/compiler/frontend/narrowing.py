"""Narrowing: what a test implies for the types of values if it is true, and if it is false."""

from dataclasses import replace

from dsgen.compiler.frontend import tree
from dsgen.compiler.frontend.result_types import entry_type
from dsgen.compiler.frontend.scope import Facts
from dsgen.compiler.frontend.tree import Expr
from dsgen.compiler.frontend.types import ANY, INT, STR


def facts(test: Expr, truth: bool) -> Facts:
    """What this outcome of a test implies: values that are not none, and the member of a union."""
    match test:
        case tree.Not():
            return facts(test.part, not truth)
        case tree.Logic():
            is_shown = truth == (test.word == "and")
            return (
                {key: narrowed for part in test.parts for key, narrowed in facts(part, truth).items()}
                if is_shown
                else {}
            )
        case tree.Call() if test.row.kind == "test":
            return _of_test(test, truth)
        case tree.Call() if test.row.name == "in map":
            key, container = test.arguments
            entry = tree.Index(container, key, type=entry_type(container.type, key.type))
            return {entry: replace(entry.type, nullable=False)} if truth else {}
    return {test: replace(test.type, nullable=False)} if truth and test.type.nullable else {}


def _of_test(test: tree.Call, truth: bool) -> Facts:
    tested = test.arguments[0]
    if test.row.name == "none":
        return {} if truth else {tested: replace(tested.type, nullable=False)}
    if test.row.name == "mapping":
        return {tested: ANY} if truth else {}
    if test.row.name != "string" or tested.type.kind not in ("union", "any"):
        return {}
    if truth:
        return {tested: tested.type.item or STR}
    others = tested.type.options or ("object",)
    is_integer = others == ("integer",)
    return {tested: replace(INT, stored=True) if is_integer else ANY}
