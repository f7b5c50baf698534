"""Helpers: the macros of the files whose name begins with `_`.

A helper sees only its arguments, whose types come from its calls. Each signature is resolved separately, and the back
ends ensure that all of them have the same output.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import jinja2
from jinja2 import nodes

from dsgen.compiler.frontend import Unit, find_comment, tree
from dsgen.compiler.frontend.expressions import ROOTS, Expressions
from dsgen.compiler.frontend.scope import Scope
from dsgen.compiler.frontend.statements import Statements
from dsgen.compiler.frontend.tree import Body, Expr
from dsgen.compiler.frontend.types import BLOCK, STR, WORD, Type, widen

Signature = tuple[tuple[str, Type], ...]
MULTILINE_FILTERS = ("yaml", "indent")


@dataclass
class Helper:
    """One macro: its place, the comment before it, and its resolved bodies by signature."""

    unit: Unit
    node: nodes.Macro
    comment: str
    is_inline: bool = False
    bodies: dict[Signature, Body] = field(default_factory=dict)
    results: dict[Signature, Type] = field(default_factory=dict)

    @property
    def parameters(self) -> list[str]:
        """The names of the arguments."""
        return [argument.name for argument in self.node.args]


class Helpers:
    """All helpers of all files, one namespace."""

    def __init__(self, values: Type, files: Mapping[str, str], free_units: Container[str] = ()) -> None:
        self.values, self.files = values, files
        self._free_units = free_units
        self.used_files: set[str] = set()
        self._helpers: dict[str, Helper] = {}

    def __contains__(self, name: object) -> bool:
        return name in self._helpers

    def __getitem__(self, name: str) -> Helper:
        return self._helpers[name]

    def __iter__(self) -> Iterator[tuple[str, Helper]]:
        return iter(self._helpers.items())

    def read(self, unit: Unit, environment: jinja2.Environment) -> str:
        """Adds the helpers of a file; returns the comment at its head."""
        head = comment = ""
        for node in unit.parse(environment).body:
            if isinstance(node, nodes.Macro):
                self._add(unit, node, comment)
                comment = ""
                continue
            if not isinstance(node, nodes.Output):
                raise unit.make_error(node.lineno, "a file of helpers has nothing else")
            for part in node.nodes:
                text = find_comment(part)
                if text is not None:
                    comment = text
                elif not isinstance(part, nodes.TemplateData) or part.data.strip():
                    raise unit.make_error(node.lineno, "text outside helpers")
                elif "\n\n" in part.data and comment:
                    head, comment = comment, ""
        return head

    def _add(self, unit: Unit, node: nodes.Macro, comment: str) -> None:
        if node.defaults:
            raise unit.make_error(node.lineno, "arguments of helpers have no defaults")
        if not comment:
            raise unit.make_error(node.lineno, f"{node.name} needs a comment that says what it returns")
        if node.name in self._helpers:
            raise unit.make_error(node.lineno, f"the helper {node.name!r} exists already")
        self._helpers[node.name] = Helper(unit, node, comment)

    def find_inline_helpers(self) -> None:
        """Determines which helpers return one line; to be called after all files are read."""
        for helper in self._helpers.values():
            is_free = helper.unit.name in self._free_units
            helper.is_inline = not is_free and self._count_lines(helper.node.body, helper.node.name) <= 1

    def _count_lines(self, body: Sequence[nodes.Node], *callers: str) -> int:
        return sum(self._count_lines_of(node, callers) for node in body)

    def _count_lines_of(self, node: nodes.Node, callers: tuple[str, ...]) -> int:
        """The most lines that a statement prints; 2 means any number."""
        match node:
            case nodes.If():
                bodies = (node.body, node.else_, *(other.body for other in node.elif_))
                return max(self._count_lines(body, *callers) for body in bodies)
            case nodes.For():
                return 2
            case nodes.Output():
                text = "".join(part.data if isinstance(part, nodes.TemplateData) else "x" for part in node.nodes)
                blocks = sum(2 for part in node.nodes if self._is_block(part, callers))
                return blocks + sum(1 for line in text.split("\n") if line.strip())
        return 0

    def _is_block(self, part: nodes.Node, callers: tuple[str, ...]) -> bool:
        if isinstance(part, nodes.Filter):
            return part.name in MULTILINE_FILTERS
        if isinstance(part, nodes.Call) and isinstance(part.node, nodes.Name) and part.node.name in self:
            called = part.node.name
            return called not in callers and self._count_lines(self._helpers[called].node.body, called, *callers) > 1
        return False

    def include(self, caller: Expressions, node: nodes.Call, name: str, arguments: Sequence[Expr]) -> tree.Include:
        """The call of a helper, whose body is resolved for these arguments."""
        helper = self._helpers[name]
        if len(arguments) != len(helper.parameters):
            raise caller.make_error(node, f"{name} takes {len(helper.parameters)} arguments")
        given = dict(zip(helper.parameters, arguments, strict=True))
        roots = tuple(parameter for parameter in given if parameter in ROOTS)
        for root in roots:
            if not isinstance(given[root], tree.Root) or given[root] != tree.Root(root, type=given[root].type):
                raise caller.make_error(node, f"the argument {root} of {name} must be {root}")
        own = tuple((parameter, argument) for parameter, argument in given.items() if parameter not in ROOTS)
        signature = tuple((parameter, widen(argument.type)) for parameter, argument in own)
        if signature not in helper.results:
            self._resolve(caller, node, helper, roots, signature)
        return tree.Include(name, roots, own, type=helper.results[signature])

    def _resolve(
        self, caller: Expressions, node: nodes.Call, helper: Helper, roots: tuple[str, ...], signature: Signature
    ) -> None:
        if signature in helper.bodies:
            raise caller.make_error(node, f"{helper.node.name} calls itself")
        helper.bodies[signature] = ()
        parameters = tuple(tree.Parameter(name, type=kind) for name, kind in signature)
        expressions = Expressions(helper.unit, self, Scope(parameters), roots)
        statements = Statements(expressions, helper.is_inline, helper.unit.name in self._free_units)
        helper.bodies[signature] = statements.convert(helper.node.body)
        word = STR if "str" in statements.printed else WORD
        helper.results[signature] = word if helper.is_inline else BLOCK
