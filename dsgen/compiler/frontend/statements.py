"""Converts Jinja2 statements to typed ones, with the names and types of each branch."""

import re
from collections.abc import Sequence
from functools import singledispatchmethod

from jinja2 import nodes

from dsgen.compiler.frontend import find_comment, tree
from dsgen.compiler.frontend.expressions import FILTERS, Expressions
from dsgen.compiler.frontend.scope import infer_facts
from dsgen.compiler.frontend.tree import Body, Expr, Local, Statement
from dsgen.compiler.frontend.types import ANY, STR, Type, is_harmless

_AT_THE_EDGE = re.compile(r"^ | \n", re.MULTILINE)


class Statements:
    """The statements of one unit.

    `is_inline`: the unit is a helper whose text is one line. `is_free`: its text is a message or note, in which texts
    need no quotes. `printed`: the kinds of types that were printed so far.
    """

    def __init__(self, expressions: Expressions, is_inline: bool = False, is_free: bool = False) -> None:
        self.expressions, self.scope, self.unit = expressions, expressions.scope, expressions.unit
        self.is_inline, self.is_free = is_inline, is_free
        self.printed: set[str] = set()
        self._line = ""  # the text of the current line so far

    def convert(self, statements: Sequence[nodes.Node]) -> Body:
        """The statements of a branch, a loop, a helper or a template."""
        return tuple(typed for node in statements for typed in self._convert_statement(node))

    @singledispatchmethod
    def _convert_statement(self, node: nodes.Node) -> list[Statement]:
        lines = (part.lineno for part in (node, *node.find_all(nodes.Node)) if part.lineno)  # a Scope has no lineno
        raise self.unit.make_error(next(lines), f"{type(node).__name__} is not part of the language")

    @_convert_statement.register
    def _(self, node: nodes.Output) -> list[Statement]:
        return [self._convert_part(part) for part in node.nodes]

    def _convert_part(self, part: nodes.Expr) -> Statement:
        if isinstance(part, nodes.TemplateData):
            if self.is_inline and _AT_THE_EDGE.search(self._line + part.data):
                raise self.unit.make_error(part.lineno, "a helper of one line has no blanks at its ends")
            self._line = (self._line + part.data).rsplit("\n", 1)[-1]
            return tree.ConstantText(part.data)
        comment = find_comment(part)
        if comment is not None:
            return tree.Comment(comment)
        expr = self.expressions.convert(part)
        if expr.type.kind == "block" and not self.is_free:
            return self._convert_block(part, expr)
        self._check_print(part, expr)
        self._line += "x"
        return tree.Print(expr)

    def _convert_block(self, part: nodes.Expr, expr: Expr) -> Statement:
        self.printed.add("block")
        if self._line.strip():
            raise self.unit.make_error(part.lineno, "lines of YAML must be alone on their line")
        column = len(self._line)
        self._line += "x"
        if isinstance(expr, tree.Call) and expr.row.name == "indent":
            width = expr.arguments[1]
            if not isinstance(width, tree.Const) or width.value != column:
                raise self.unit.make_error(part.lineno, f"begins at column {column}, so it needs indent({column})")
            return tree.Block(expr.arguments[0], column)
        if column:
            raise self.unit.make_error(part.lineno, f"lines of YAML at column {column} need indent({column})")
        return tree.Block(expr, None)

    def _check_print(self, part: nodes.Expr, expr: Expr) -> None:
        kind = expr.type.kind
        self.printed.add(kind)
        if expr.type.nullable:
            raise self.unit.make_error(part.lineno, "may be absent here; test it with `is not none` first")
        if self.is_free and kind in ("str", "block"):
            return
        if kind == "str" and not self.is_inline:
            raise self.unit.make_error(part.lineno, "a text from the values needs quotes; use quote")
        if kind == "json" and not is_harmless(expr.type.item):
            raise self.unit.make_error(part.lineno, "JSON from the values needs quotes; use json | quote")
        if kind not in ("str", "word", "int", "bool", "json"):
            raise self.unit.make_error(part.lineno, f"{kind} cannot be printed; use json or yaml")

    @_convert_statement.register
    def _(self, node: nodes.ExprStmt) -> list[Statement]:
        """`refuse` is the only one."""
        assert isinstance(node.node, nodes.Call)
        id_, message = map(self.expressions.convert, node.node.args)
        if not isinstance(message, tree.Include):
            raise self.unit.make_error(node.lineno, "refuse needs a helper, which returns the message")
        return [tree.Refuse(id_, message, self.unit.find_indentation(node.lineno))]

    @_convert_statement.register
    def _(self, node: nodes.Assign) -> list[Statement]:
        if not isinstance(node.target, nodes.Name):
            raise self.unit.make_error(node.lineno, "set assigns a value to one name")
        name = node.target.name
        before = self.scope.find(name)
        if isinstance(before, tree.Parameter) or name in (*self.expressions.roots, "values", "release", "files"):
            raise self.unit.make_error(node.lineno, f"{name!r} is an argument, which cannot be set")
        if name in self.expressions.helpers:
            raise self.unit.make_error(node.lineno, f"{name!r} is a helper")
        value = self.expressions.convert(node.node)
        if before and self.scope.crosses_loop(name):
            raise self.unit.make_error(
                node.lineno, f"set of {name!r}, which is set outside the loop: Jinja2 forgets the value"
            )
        is_new = self.scope.set(name, value.type)
        return [tree.Assignment(name, value, is_new, self.unit.find_indentation(node.lineno))]

    @_convert_statement.register
    def _(self, node: nodes.If) -> list[Statement]:
        branches: list[tuple[Expr | None, Body]] = []
        known: dict[Expr, Type] = {}
        line = self._line
        for branch in (node, *node.elif_):
            with self.scope.enter(known):
                test = self.expressions.convert_condition(branch.test)
                with self.scope.enter(infer_facts(test, True)):
                    branches.append((test, self._convert_branch(branch.body, line)))
                known |= infer_facts(test, False)
        if node.else_:
            with self.scope.enter(known):
                branches.append((None, self._convert_branch(node.else_, line)))
        return [tree.If(tuple(branches), self.unit.find_indentation(node.lineno))]

    def _convert_branch(self, body: Sequence[nodes.Node], line: str) -> Body:
        self._line = line
        return self.convert(body)

    @_convert_statement.register
    def _(self, node: nodes.For) -> list[Statement]:
        if node.else_ or node.test or node.recursive:
            raise self.unit.make_error(node.lineno, "for has no else and no if, and is not recursive")
        names, iterable, types = self._convert_loop_head(node)
        brought = {name: Local(name, type=kind) for name, kind in zip(names, types, strict=True)}
        with self.scope.enter({}, brought, is_loop=True):
            body = self.convert(node.body)
        return [tree.For(names, iterable, body, self.unit.find_indentation(node.lineno))]

    def _convert_loop_head(self, node: nodes.For) -> tuple[tuple[str, ...], Expr, tuple[Type, ...]]:
        is_pairs = isinstance(node.iter, nodes.Filter) and FILTERS.get(node.iter.name, FILTERS["json"]).gives == "pairs"
        source = node.iter.node if isinstance(node.iter, nodes.Filter) and is_pairs else node.iter
        targets = node.target.items if isinstance(node.target, nodes.Tuple) else [node.target]
        names = tuple(target.name for target in targets if isinstance(target, nodes.Name))
        if source is None or len(names) != (2 if is_pairs else 1):
            raise self.unit.make_error(node.lineno, "for has one name for a list, two for the items of a map")
        hidden = [name for name in names if self.scope.find(name) or name in self.expressions.helpers]
        if hidden:
            raise self.unit.make_error(node.lineno, f"{hidden[0]!r} is already a name outside the loop")
        iterable = self.expressions.convert_value(source)
        kind, item = iterable.type.kind, iterable.type.item or ANY
        if is_pairs and kind in ("map", "any"):
            return names, iterable, (iterable.type.key or STR, item)
        if is_pairs or kind != "list":
            raise self.unit.make_error(node.lineno, f"loops over {kind}; lists have one name, maps need items and two")
        return names, iterable, (item,)
