"""Converts Jinja2 expressions to typed ones.

Names, keys and types are resolved with the schema. Expressions whose meaning differs between the outputs are refused.
"""

import functools
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import singledispatchmethod
from typing import Protocol

from jinja2 import nodes

from dsgen.compiler.frontend import CompileError, Unit, tree
from dsgen.compiler.frontend.scope import Scope, find_entry_type, infer_facts
from dsgen.compiler.frontend.tree import Expr
from dsgen.compiler.frontend.types import (
    ANY,
    BLOCK,
    BOOL,
    EMPTY,
    FILE,
    INT,
    NULL,
    STR,
    TEXTS,
    WORD,
    Type,
    join_types,
    widen,
)
from dsgen.language.environment import Builtin, find_builtins
from dsgen.language.functions import compute_digest, find_matching, list_launch_methods

FILTERS, FUNCTIONS, TESTS, OPERATORS = (find_builtins(kind) for kind in ("filter", "function", "test", "operator"))
ROOTS = ("values", "release")
FILES, LAUNCH_METHODS = "files", "launch_methods"
METHODS_OF_FILES = ("get", "glob", "digest")
ONLY_METHODS = f"the only methods are {', '.join(f'{FILES}.{name}' for name in METHODS_OF_FILES)}, of one text"
RELEASE_FIELDS = ("name", "namespace")


class Surroundings(Protocol):
    """The helpers, files and types that expressions use."""

    values: Type
    files: Mapping[str, str]
    used_files: set[str]

    def __contains__(self, name: object) -> bool:
        """Whether there is a helper of this name."""

    def include(self, caller: "Expressions", node: nodes.Call, name: str, arguments: Sequence[Expr]) -> tree.Include:
        """The call of a helper."""


class Expressions:
    """The expressions of one unit (a template or the body of a helper), in the current scope."""

    def __init__(self, unit: Unit, helpers: Surroundings, scope: Scope, roots: Sequence[str]) -> None:
        self.unit, self.helpers, self.scope, self.roots = unit, helpers, scope, roots

    def make_error(self, node: nodes.Node, message: str) -> CompileError:
        """An error for the line of this node, for `raise`."""
        return self.unit.make_error(node.lineno, message)

    def convert(self, node: nodes.Node) -> Expr:
        """The typed expression, narrowed by the tests around it."""
        return self.scope.narrow(self._convert(node))

    def convert_value(self, node: nodes.Node) -> Expr:
        """An expression that cannot be none."""
        expr = self.convert(node)
        if expr.type.nullable:
            raise self.make_error(node, "may be absent here; test it with `is not none` first")
        return expr

    def convert_condition(self, node: nodes.Node) -> Expr:
        """An expression that is used as a condition."""
        expr = self.convert(node)
        if expr.type.kind == "record":
            raise self.make_error(node, "a record is not a condition: only one output fills it; use `is not none`")
        return expr

    @singledispatchmethod
    def _convert(self, node: nodes.Node) -> Expr:
        raise self.make_error(node, f"{type(node).__name__} is not part of the language")

    @_convert.register
    def _(self, node: nodes.Const) -> Expr:
        value = node.value
        if value is None:
            return tree.Const(None, type=NULL)
        if isinstance(value, bool | int):
            return tree.Const(value, type=BOOL if isinstance(value, bool) else INT)
        if isinstance(value, str):
            return tree.Const(value, type=Type("word", options=(value,)))
        raise self.make_error(node, f"a constant {value!r} is not part of the language")

    @_convert.register
    def _(self, node: nodes.List) -> Expr:
        items = tuple(self.convert_value(item) for item in node.items)
        item_type = EMPTY
        for item in items:
            item_type = widen(item.type) if item_type == EMPTY else join_types(item_type, widen(item.type))
        if item_type.kind == "word":
            item_type = replace(item_type, options=tuple(text for item in items for text in item.type.options))
        return tree.ListOf(items, type=Type("list", item=item_type))

    @_convert.register
    def _(self, node: nodes.Dict) -> Expr:
        pairs = []
        for pair in node.items:
            if not isinstance(pair.key, nodes.Const) or not isinstance(pair.key.value, str):
                raise self.make_error(pair, "the keys of a map literal are texts")
            pairs.append((pair.key.value, self.convert_value(pair.value)))
        types = [widen(value.type) for _, value in pairs]
        is_of_texts = types and all(type_.kind in TEXTS and not type_.nullable for type_ in types)
        map_type = Type("map", key=WORD, item=functools.reduce(join_types, types)) if is_of_texts else ANY
        return tree.DictOf(tuple(pairs), type=map_type)

    @_convert.register
    def _(self, node: nodes.Name) -> Expr:
        known = self.scope.find(node.name)
        if known:
            return known
        if node.name in self.roots and node.name in ROOTS:
            kind = self.helpers.values if node.name == "values" else Type("release")
            return tree.Root(node.name, type=kind)
        if node.name in self.scope.ended:
            raise self.make_error(node, f"{node.name!r} is set inside a branch or loop only; set it before")
        raise self.make_error(node, f"unknown name {node.name!r}")

    @_convert.register
    def _(self, node: nodes.Getattr) -> Expr:
        base = self.convert_value(node.node)
        is_name = isinstance(base, tree.Root | tree.Parameter | tree.Local)
        if not is_name and (not isinstance(base, tree.Field) or base.default):
            raise self.make_error(node, "a key of a computed value; assign the value to a name with `set` first")
        if base.type.kind == "release":
            if node.attr not in RELEASE_FIELDS:
                raise self.make_error(node, f"release has {' and '.join(RELEASE_FIELDS)}, no {node.attr!r}")
            return tree.Field(base, node.attr, type=WORD)
        if base.type.kind == "any":
            return tree.Field(base, node.attr, type=replace(ANY, nullable=True))
        if base.type.kind != "record":
            raise self.make_error(node, f"{base.type.kind} has no fixed keys; use get, or items")
        return self._make_field(node, base, node.attr)

    def _make_field(self, node: nodes.Node, base: Expr, name: str) -> Expr:
        type_ = base.type.find_field(name)
        if type_ is None:
            known = ", ".join(key for key, _ in base.type.fields)
            raise self.make_error(node, f"no key {name!r} here; there are {known}")
        default = None if type_.default is None else make_literal(json.loads(type_.default))
        return tree.Field(base, name, default, type=replace(type_, default=None))

    @_convert.register
    def _(self, node: nodes.Getitem) -> Expr:
        base, key = self.convert_value(node.node), self.convert_value(node.arg)
        if key.type.kind not in TEXTS:
            raise self.make_error(node, "only a text can stand in brackets")
        return tree.Index(base, key, type=self._find_entry_type(node, base.type, key.type))

    def _find_entry_type(self, node: nodes.Node, container: Type, key: Type) -> Type:
        try:
            return find_entry_type(container, key)
        except ValueError as problem:
            raise self.make_error(node, str(problem)) from None

    @_convert.register
    def _(self, node: nodes.Filter) -> Expr:
        row = self._find_builtin("filter", FILTERS, node, node.name)
        if node.node is None or node.kwargs or node.dyn_args or node.dyn_kwargs:
            raise self.make_error(node, f"{node.name} takes plain arguments")
        if row.gives == "pairs":
            raise self.make_error(node, "items stands in a `for` only")
        return self.make_call(node, row, [node.node, *node.args])

    @_convert.register
    def _(self, node: nodes.Test) -> Expr:
        row = self._find_builtin("test", TESTS, node, node.name)
        return self.make_call(node, row, [node.node, *(node.args or ())])

    def make_call(self, node: nodes.Node, row: Builtin, arguments: Sequence[nodes.Node]) -> Expr:
        """A call of a row of the table, with checked arguments."""
        least, most = row.arguments
        if not least <= len(arguments) <= most:
            raise self.make_error(node, f"{row.name} takes {least}{f' to {most}' if most > least else ''} arguments")
        read = self.convert if row.takes_none else self.convert_value
        values = tuple(read(argument) for argument in arguments)
        kind = values[0].type.kind
        if row.takes and kind not in row.takes:
            raise self.make_error(
                node, f"{row.name} of {kind}: " + _REMEDY.get((row.name, kind), f"it takes {', '.join(row.takes)}")
            )
        if row.name in ("matching", "indent", "replace") and not all(isinstance(v, tree.Const) for v in values[1:]):
            raise self.make_error(node, f"the arguments of {row.name} are constants")
        if row.name == "matching" and not is_whole(values[1]):
            raise self.make_error(node, "a pattern of matching is ^...$, with choices in parentheses and no backslash")
        if row.name == "get" and isinstance(values[0], tree.Root):
            raise self.make_error(node, "get reads an object inside the values, not the values themselves")
        return tree.Call(row, values, type=find_result_type(row, values))

    @_convert.register
    def _(self, node: nodes.Call) -> Expr:
        if node.kwargs or node.dyn_args or node.dyn_kwargs:
            raise self.make_error(node, "arguments are given by position")
        if isinstance(node.node, nodes.Getattr):
            return self._convert_file(node, node.node)
        if not isinstance(node.node, nodes.Name):
            raise self.make_error(node, "only helpers and functions are called")
        name = node.node.name
        if name in self.helpers:
            return self.helpers.include(self, node, name, [self.convert(argument) for argument in node.args])
        if name == LAUNCH_METHODS and len(node.args) == 1 and isinstance(node.args[0], nodes.Const):
            found = list_launch_methods(node.args[0].value)  # a constant in the outputs
            return self.convert(nodes.List([nodes.Const(method) for method in found]))
        return self.make_call(node, self._find_builtin("function", FUNCTIONS, node, name), node.args)

    def _find_builtin(self, kind: str, table: Mapping[str, Builtin], node: nodes.Node, name: str) -> Builtin:
        if name not in table:
            raise self.make_error(node, f"unknown {kind} {name!r}; there are {', '.join(sorted(table))}")
        return table[name]

    def _convert_file(self, node: nodes.Call, method: nodes.Getattr) -> Expr:
        is_files = isinstance(method.node, nodes.Name) and method.node.name == FILES and method.attr in METHODS_OF_FILES
        if not is_files or len(node.args) != 1:
            raise self.make_error(node, ONLY_METHODS)
        if method.attr != "digest" and FILES not in self.roots:
            raise self.make_error(node, "files are read in templates, not in helpers")
        try:
            return _read_files(
                method.attr, self.convert_value(node.args[0]), self.helpers.files, self.helpers.used_files
            )
        except ValueError as problem:
            raise self.make_error(node, str(problem)) from None

    @_convert.register
    def _(self, node: nodes.Not) -> Expr:
        return tree.Not(self.convert_condition(node.node), type=BOOL)

    @_convert.register(nodes.And)
    @_convert.register(nodes.Or)
    def _(self, node: nodes.And | nodes.Or) -> Expr:
        word = "and" if isinstance(node, nodes.And) else "or"
        left = self.convert_condition(node.left)
        with self.scope.enter(infer_facts(left, word == "and")):
            right = self.convert_condition(node.right)
        parts = tuple(
            part
            for side in (left, right)
            for part in (side.parts if isinstance(side, tree.Logic) and side.word == word else (side,))
        )
        kept = replace(left.type, nullable=left.type.nullable and word == "and")
        return tree.Logic(word, parts, type=join_types(kept, right.type))

    @_convert.register
    def _(self, node: nodes.Compare) -> Expr:
        if len(node.ops) != 1:
            raise self.make_error(node, "one comparison at a time")
        operand = node.ops[0]
        if operand.op in ("in", "notin"):
            test = self._convert_membership(node, operand.expr)
            return test if operand.op == "in" else tree.Not(test, type=BOOL)
        left, right = self.convert_value(node.expr), self.convert_value(operand.expr)
        kinds = {left.type.kind, right.type.kind}
        if not (kinds <= TEXTS or kinds == {"int"} or (kinds == {"bool"} and operand.op in ("eq", "ne"))):
            raise self.make_error(node, f"compares {left.type.kind} with {right.type.kind}")
        return self.make_call(node, OPERATORS[operand.op], [node.expr, operand.expr])

    def _convert_membership(self, node: nodes.Compare, right: nodes.Expr) -> Expr:
        container, key = self.convert_value(right), self.convert_value(node.expr)
        kind = container.type.kind
        if kind == "record":
            self._find_entry_type(node, container.type, key.type)
        elif kind == "list" and container.type.item and container.type.item.kind not in (*TEXTS, "any", "empty"):
            raise self.make_error(node, f"`in` finds texts only, not {container.type.item.kind}")
        elif kind not in ("list", "map", "any"):
            raise self.make_error(node, f"`in` looks into lists and maps, not into {kind}")
        return self.make_call(node, OPERATORS["in list" if kind == "list" else "in map"], [node.expr, right])

    @_convert.register
    def _(self, node: nodes.Concat) -> Expr:
        parts = tuple(self.convert_value(part) for part in node.nodes)
        kinds = {part.type.kind for part in parts}
        if not kinds <= {*TEXTS, "int", "block"}:
            raise self.make_error(node, f"~ joins texts and integers, not {', '.join(sorted(kinds))}")
        return tree.Concat(parts, type=STR if kinds & {"str", "block"} else WORD)

    @_convert.register(nodes.Add)
    @_convert.register(nodes.Sub)
    @_convert.register(nodes.Mul)
    @_convert.register(nodes.FloorDiv)
    def _(self, node: nodes.BinExpr) -> Expr:
        left, right = self.convert_value(node.left), self.convert_value(node.right)
        if isinstance(node, nodes.Add) and left.type.kind == right.type.kind == "list":
            return tree.Joined(left, right, type=join_types(widen(left.type), widen(right.type)))
        if left.type.kind != "int" or right.type.kind != "int":
            raise self.make_error(node, f"arithmetic on {left.type.kind} and {right.type.kind}")
        return self.make_call(node, OPERATORS[type(node).__name__], [node.left, node.right])


_REMEDY = {
    ("yaml", "record"): "a record cannot be written whole, because only one output fills its defaults",
    ("quote", "union"): "use json for a quantity, `is string` to tell text from number",
    ("quote", "list"): "use json or yaml",
    ("quote", "any"): "use yaml, or json | quote",
}


def _read_files(method: str, given: Expr, files: Mapping[str, str], used: set[str]) -> Expr:
    """`files.get(path)`, `files.glob(pattern)` or `files.digest(pattern)`; a digest is a constant in the outputs.

    Adds the paths of the files to `used`. Raises ValueError, with the reason, if there is no such file.
    """
    text = str(given.value) if isinstance(given, tree.Const) else ""
    if given.type.kind != "file":
        paths = find_matching(files, text)
        if not paths:
            raise ValueError(f"there is no file {text!r}")
        used.update(paths)
    if method == "digest":
        return tree.Const(compute_digest(files, text), type=WORD)
    if method == "glob":
        return tree.FileNames(text, type=Type("map", key=FILE, item=NULL))
    return tree.FileText(given, type=BLOCK)


def find_result_type(row: Builtin, arguments: Sequence[Expr]) -> Type:
    """The type of the result of a builtin for these arguments."""
    first = arguments[0].type
    if row.name == "get":
        default = arguments[-1].type
        if default.kind == "list":
            return Type("list", item=ANY)
        return join_types(first.item, widen(default)) if first.kind == "map" and first.item else ANY
    if row.name == "yaml" and first.kind in ("str", "word", "union"):
        return WORD
    if row.name == "join" and first.item and first.item.kind == "word" and arguments[1] == tree.Const(",", type=WORD):
        return WORD
    match row.gives:
        case "same":
            return widen(first)
        case "json":
            return Type("json", item=first)
        case "list of int":
            return Type("list", item=INT)
        case "list of str":
            return Type("list", item=STR)
    return Type(row.gives)


def is_whole(pattern: Expr) -> bool:
    """Whether a pattern matches whole texts, and has the same meaning in Python and RE2."""
    text = pattern.value if isinstance(pattern, tree.Const) else None
    if not isinstance(text, str) or not text.isascii() or "\\" in text or not re.fullmatch(r"\^.*\$", text):
        return False
    outside, depth = "", 0
    for character in re.sub(r"\[[^]]+\]", "", text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        outside += character if depth == 0 else ""
    return "|" not in outside


def make_literal(value: object) -> Expr:
    """A default of the schema as an expression."""
    if isinstance(value, dict):
        return tree.DictOf(tuple((key, make_literal(item)) for key, item in value.items()), type=ANY)
    if isinstance(value, list):
        return tree.ListOf(tuple(map(make_literal, value)), type=Type("list", item=ANY))
    if value is None or isinstance(value, str | bool | int):
        return tree.Const(value, type=STR)
    raise TypeError(f"a default {value!r} has no literal")
