"""Converts typed expressions to Go template pipelines."""

import re
from dataclasses import dataclass
from functools import singledispatchmethod

from dsgen.compiler.frontend import tree
from dsgen.compiler.frontend.helpers import Helpers
from dsgen.compiler.frontend.tree import Expr
from dsgen.language.text import quote

WIDTH, PART = 90, 70
"""The longest pattern on one line, and about the length of each part of a longer one."""
_PIECE = re.compile(r"[^|]*[|]?")


def split_pattern(pattern: str) -> list[str]:
    """Parts of a pattern, each of which ends at an alternative."""
    parts = [""]
    for piece in _PIECE.findall(pattern):
        if parts[-1] and len(parts[-1]) + len(piece) > PART:
            parts.append("")
        parts[-1] += piece
    return parts


_PLACE = re.compile(r"\{(\d)(:?)\}")


@dataclass(frozen=True)
class Go:
    """A Go pipeline; `is_atom`: as an argument, it needs no parentheses."""

    text: str
    is_atom: bool = False

    @property
    def argument(self) -> str:
        """The text as an argument of a call."""
        return self.text if self.is_atom else f"({self.text})"


CHART_NAME = "<CHARTNAME>"
"""A placeholder for the name of the chart, as in Helm's starters."""


def name_define(helper: str) -> str:
    """The name of a helper's define. It begins with the chart's name, because all charts of a release share defines."""
    return f"{CHART_NAME}.{to_camel_case(helper)}"


def to_camel_case(name: str) -> str:
    """The Go form of a Python name: `run_name` becomes runName."""
    return re.sub(r"_(\w)", lambda match: match[1].upper(), name)


def write_string(text: str) -> str:
    """A Go string literal."""
    return f"`{text}`" if '"' in text and not set(text) & set("`\n\r") else quote(text)


class Pipelines:
    """Writes expressions in Go. Inside a loop (`depth`), the dot is the item, so `$` is the data of the template.

    `is_alone`: for a helper with one argument, which is its dot. `is_template`: for a template, whose dot is the data
    of the chart.
    """

    def __init__(self, helpers: Helpers, is_alone: bool = False, is_template: bool = False) -> None:
        self._helpers, self._is_alone, self._is_template = helpers, is_alone, is_template
        self.depth = 0

    @property
    def dot(self) -> str:
        """The expression for the dot of the template or helper."""
        return "$" if self.depth else "."

    def _write_dot_field(self, name: str) -> str:
        return f"{self.dot.rstrip('.')}.{name}"

    def write_value(self, expr: Expr) -> Go:
        """The expression as a value. Integers of the values are float64 in Helm, so they are converted."""
        pipeline = self.write(expr)
        if expr.type.kind == "int" and expr.type.stored:
            return Go(f"int64 {pipeline.argument}")
        return pipeline

    @singledispatchmethod
    def write(self, expr: Expr) -> Go:
        """The pipeline of an expression."""
        raise TypeError(f"{type(expr).__name__} has no Go form")

    @write.register
    def _(self, expr: tree.Const) -> Go:
        if isinstance(expr.value, str):
            return Go(write_string(expr.value), is_atom=True)
        return Go("nil" if expr.value is None else str(expr.value).lower(), is_atom=True)

    @write.register
    def _(self, expr: tree.Root) -> Go:
        return Go(self._write_dot_field(expr.name.title()), is_atom=True)

    @write.register
    def _(self, expr: tree.Parameter) -> Go:
        return Go(self.dot if self._is_alone else self._write_dot_field(to_camel_case(expr.name)), is_atom=True)

    @write.register
    def _(self, expr: tree.Local) -> Go:
        return Go("$" + to_camel_case(expr.name), is_atom=True)

    @write.register
    def _(self, expr: tree.Field) -> Go:
        base = self.write(expr.base).argument
        if expr.default is not None:
            return Go(f"dig {write_string(expr.name)} {self.write(expr.default).argument} {base}")
        name = expr.name.title() if expr.base.type.kind == "release" else expr.name
        return Go(f"{base.rstrip('.')}.{name}", is_atom=True)

    @write.register
    def _(self, expr: tree.Index) -> Go:
        return Go(f"index {self.write(expr.base).argument} {self.write(expr.key).argument}")

    @write.register
    def _(self, expr: tree.ListOf) -> Go:
        return Go(" ".join(["list", *(self.write_value(item).argument for item in expr.items)]))

    @write.register
    def _(self, expr: tree.DictOf) -> Go:
        pairs = (f"{write_string(key)} {self.write_value(value).argument}" for key, value in expr.pairs)
        return Go(" ".join(["dict", *pairs]))

    @write.register
    def _(self, expr: tree.Call) -> Go:
        row = expr.row
        if row.name == "matching":
            matched, pattern = expr.arguments
            return Go(f"regexMatch {self._write_pattern(pattern).argument} {self.write(matched).argument}")
        spell = self.write if row.converts else self.write_value
        pipelines = [spell(argument) for argument in expr.arguments]
        texts = [
            one.argument if isinstance(argument, tree.DictOf) else row.each.format(one.argument)
            for one, argument in zip(pipelines, expr.arguments, strict=True)
        ]
        if _is_sum(expr) and _is_sum(expr.arguments[0]):
            return Go(f"{pipelines[0].text} {texts[1]}")  # add takes any number
        text = _PLACE.sub(lambda one: " ".join(texts[int(one[1]) :] if one[2] else [texts[int(one[1])]]), row.go)
        return Go(f"{pipelines[0].text} {text}" if text.startswith("|") else text)

    def _write_pattern(self, expr: Expr) -> Go:
        """A regular expression; a long one in parts."""
        text = str(expr.value) if isinstance(expr, tree.Const) else ""
        if len(text) > WIDTH:
            return Go(f'join "" (list {" ".join(map(write_string, split_pattern(text)))})')
        return self.write(expr)

    @write.register
    def _(self, expr: tree.Include) -> Go:
        text = self.write_include(expr)
        return Go(f"{text} | trim" if self.is_loose(expr) else text)

    def write_include(self, expr: tree.Include) -> str:
        """The text of a helper, untrimmed."""
        return f"include {write_string(name_define(expr.helper))} {self.write_data(expr)}"

    def is_loose(self, expr: tree.Expr) -> bool:
        """Whether it is the text of a helper that may begin with a line end."""
        if not isinstance(expr, tree.Include):
            return False
        helper = self._helpers[expr.helper]
        return not helper.is_inline and self._begins_with_tag(next(iter(helper.bodies.values())))

    def _begins_with_tag(self, body: tree.Body) -> bool:
        """Whether a tag comes before the first output, so that the line end after the tag is printed first."""
        is_after_tag = False
        for statement in body:
            match statement:
                case tree.Assignment() | tree.Comment() | tree.Refuse():
                    is_after_tag = True
                case tree.ConstantText() if not statement.text.strip():
                    continue
                case tree.Print():
                    return is_after_tag or self.is_loose(statement.expr)
                case _:
                    return is_after_tag or isinstance(statement, tree.If | tree.For)
        return False

    def write_data(self, expr: tree.Include) -> str:
        """What a helper gets as its dot: the whole context, its only argument, or a map of both."""
        if not expr.arguments:
            return self.dot
        if len(expr.arguments) == 1 and not expr.roots:
            return self.write_value(expr.arguments[0][1]).argument
        if all(
            isinstance(value, tree.Parameter) and value.name == name and not self._is_alone
            for name, value in expr.arguments
        ):
            return self.dot  # the current helper has the same dot
        pairs = [
            f"{write_string(to_camel_case(name))} {self.write_value(value).argument}" for name, value in expr.arguments
        ]
        if expr.roots and self._is_template:
            return f"(merge (dict {' '.join(pairs)}) {self.dot})"
        roots = [f"{write_string(root.title())} {self._write_dot_field(root.title())}" for root in expr.roots]
        return f"(dict {' '.join([*roots, *pairs])})"

    @write.register
    def _(self, expr: tree.FileText) -> Go:
        return Go(f"{self._write_dot_field('Files')}.Get {self.write(expr.path).argument}")

    @write.register
    def _(self, expr: tree.FileNames) -> Go:
        return Go(f"{self._write_dot_field('Files')}.Glob {write_string(expr.pattern)}")

    @write.register
    def _(self, expr: tree.Joined) -> Go:
        parts: list[Expr] = [expr]
        while isinstance(parts[0], tree.Joined):
            parts[:1] = [parts[0].left, parts[0].right]
        text = " ".join(["concat", *(self.write(part).argument for part in parts)])
        has_items = any(isinstance(part, tree.ListOf) and part.items for part in parts)
        return Go(text if has_items else f"{text} | default list")  # two empty lists become nil in Go, null in JSON

    @write.register
    def _(self, expr: tree.Concat) -> Go:
        pattern, arguments = "", []
        for part in expr.parts:
            if isinstance(part, tree.Const):
                pattern += str(part.value).replace("%", "%%")
            else:
                pattern += "%d" if part.type.kind == "int" else "%s"
                arguments.append(self.write_value(part).argument)
        return Go(" ".join(["printf", write_string(pattern), *arguments]))

    @write.register
    def _(self, expr: tree.Logic) -> Go:
        return Go(" ".join([expr.word, *(self.write_value(part).argument for part in expr.parts)]))

    @write.register
    def _(self, expr: tree.Not) -> Go:
        part = expr.part
        opposite = {"none": "ne", "eq": "ne", "ne": "eq"}
        if isinstance(part, tree.Call) and part.row.name in opposite:
            return Go(f"{opposite[part.row.name]} {self.write(part).text.partition(' ')[2]}")
        return Go(f"not {self.write(part).argument}")


def _is_sum(expr: Expr) -> bool:
    return isinstance(expr, tree.Call) and expr.row.name == "Add"
