"""Converts typed expressions to Python."""

import keyword
from dataclasses import dataclass
from functools import singledispatchmethod

from dsgen.compiler.frontend import tree
from dsgen.compiler.frontend.expressions import ROOTS
from dsgen.compiler.frontend.helpers import Helpers
from dsgen.compiler.frontend.tree import Expr
from dsgen.language import functions, text
from dsgen.language.environment import BUILTINS

OR, AND, NOT, COMPARISON, SUM, PRODUCT, ATOM = range(7)
"""Precedence levels, lowest first."""

OPERATORS = {
    "eq": ("==", COMPARISON),
    "ne": ("!=", COMPARISON),
    "gt": (">", COMPARISON),
    "gteq": (">=", COMPARISON),
    "lt": ("<", COMPARISON),
    "lteq": ("<=", COMPARISON),
    "in list": ("in", COMPARISON),
    "in map": ("in", COMPARISON),
    "Add": ("+", SUM),
    "Sub": ("-", SUM),
    "Mul": ("*", PRODUCT),
    "FloorDiv": ("//", PRODUCT),
}
OPPOSITES = {"==": "!=", "!=": "==", "in": "not in"}
TEXT = "text"
"""The variable that collects the text of a function."""


@dataclass(frozen=True)
class Python:
    """A Python expression; `level`: its precedence."""

    text: str
    level: int = ATOM

    def enclose(self, level: int) -> str:
        """The text as a part of an expression of this level."""
        return self.text if self.level >= level else f"({self.text})"


class PythonExpressions:
    """Writes expressions, and collects the functions that they call, by module."""

    def __init__(self, helpers: Helpers) -> None:
        self._helpers = helpers
        modules = (functions, text)
        own = {name for module in modules for name in vars(module)}
        own |= {row.python.__name__ for row in BUILTINS}
        self._taken = {*own, *keyword.kwlist, *(name for name, _ in helpers), "dict", "str", TEXT}
        self.imports: dict[str, set[str]] = {}
        self.called: set[str] = set()

    def name_local(self, name: str) -> str:
        """The name of a local or an argument; it must not hide a name of the module."""
        return f"{name}_" if name in self._taken else name

    def write_call(self, module: str, name: str, *arguments: str) -> Python:
        if module != "builtins":
            self.imports.setdefault(module, set()).add(name)
        return Python(f"{name}({', '.join(arguments)})")

    def write_printed(self, expr: Expr) -> str:
        """An expression as the text that is printed."""
        source = self.write(expr)
        if isinstance(expr, tree.Call) and expr.row.python is functions.get:
            return f"str({source.text})"  # for mypy
        if expr.type.kind in ("str", "word", "block", "json", "file"):
            return source.text
        return self.write_call(text.__name__, text.scalar.__name__, source.text).text

    @singledispatchmethod
    def write(self, expr: Expr) -> Python:
        raise TypeError(f"{type(expr).__name__} has no Python form")

    @write.register
    def _(self, expr: tree.Const) -> Python:
        return Python(repr(expr.value))

    @write.register
    def _(self, expr: tree.Root) -> Python:
        return Python(expr.name)

    @write.register(tree.Parameter)
    @write.register(tree.Local)
    def _(self, expr: tree.Parameter | tree.Local) -> Python:
        return Python(self.name_local(expr.name))

    @write.register
    def _(self, expr: tree.Field) -> Python:
        return self._write_entry(expr, expr.base, repr(expr.name))

    @write.register
    def _(self, expr: tree.Index) -> Python:
        return self._write_entry(expr, expr.base, self.write(expr.key).text)

    def _write_entry(self, expr: Expr, base: Expr, key: str) -> Python:
        """The value of a key; None for an absent one."""
        container = self.write(base).enclose(ATOM)
        return Python(f"{container}.get({key})" if expr.type.nullable else f"{container}[{key}]")

    @write.register
    def _(self, expr: tree.ListOf) -> Python:
        return Python(f"[{', '.join(self.write(item).text for item in expr.items)}]")

    @write.register
    def _(self, expr: tree.DictOf) -> Python:
        return Python(f"{{{', '.join(f'{key!r}: {self.write(value).text}' for key, value in expr.pairs)}}}")

    @write.register
    def _(self, expr: tree.Call) -> Python:
        if expr.row.name in OPERATORS:
            sign, level = OPERATORS[expr.row.name]
            return self._write_operator(sign, level, expr)
        arguments = [self.write(argument) for argument in expr.arguments]
        if expr.row.python is functions.is_none:
            return Python(f"{arguments[0].enclose(SUM)} is None", COMPARISON)
        module, name = getattr(expr.row.python, "__module__", "builtins"), expr.row.python.__qualname__
        return self.write_call(module, name, *(argument.text for argument in arguments))

    def _write_operator(self, sign: str, level: int, expr: tree.Call) -> Python:
        left, right = map(self.write, expr.arguments)
        # the second part of a difference needs its parentheses, and comparisons are not chained
        return Python(f"{left.enclose(level + (level == COMPARISON))} {sign} {right.enclose(level + 1)}", level)

    @write.register
    def _(self, expr: tree.Include) -> Python:
        given = dict(expr.arguments)
        order = self._helpers[expr.helper].parameters
        arguments = [name if name in ROOTS else self.write(given[name]).text for name in order]
        self.called.add(expr.helper)
        return Python(f"{expr.helper}({', '.join(arguments)})")

    @write.register
    def _(self, expr: tree.FileText) -> Python:
        self.imports.setdefault(functions.__name__, set()).add("SHIPPED")
        return Python(f"SHIPPED.get({self.write(expr.path).text})")

    @write.register
    def _(self, expr: tree.FileNames) -> Python:
        self.imports.setdefault(functions.__name__, set()).add("SHIPPED")
        return Python(f"SHIPPED.glob({expr.pattern!r})")

    @write.register
    def _(self, expr: tree.Joined) -> Python:
        return Python(f"{self.write(expr.left).enclose(SUM)} + {self.write(expr.right).enclose(PRODUCT)}", SUM)

    @write.register
    def _(self, expr: tree.Concat) -> Python:
        return Python(" + ".join(self._write_part(part).enclose(PRODUCT) for part in expr.parts), SUM)

    def _write_part(self, part: Expr) -> Python:
        if isinstance(part, tree.Const):
            return Python(repr(str(part.value)))
        return Python(self.write_printed(part)) if part.type.kind == "int" else self.write(part)

    @write.register
    def _(self, expr: tree.Logic) -> Python:
        level = AND if expr.word == "and" else OR
        return Python(f" {expr.word} ".join(self.write(part).enclose(level + 1) for part in expr.parts), level)

    @write.register
    def _(self, expr: tree.Not) -> Python:
        part = expr.part
        if isinstance(part, tree.Call):
            sign = OPERATORS.get(part.row.name, ("", 0))[0]
            if sign in OPPOSITES:
                return self._write_operator(OPPOSITES[sign], COMPARISON, part)
            if part.row.python is functions.is_none:
                return Python(f"{self.write(part.arguments[0]).enclose(SUM)} is not None", COMPARISON)
        return Python(f"not {self.write(part).enclose(NOT)}", NOT)
