"""Every kind of node of Jinja2 is either refused, or has cases that Jinja2 and Helm render alike."""

import inspect
import typing
from collections.abc import Iterator
from pathlib import Path

import pytest
from jinja2 import nodes

from dsgen.compiler import CompileError
from dsgen.compiler.frontend import Unit, tree
from dsgen.compiler.frontend.expressions import Expressions
from dsgen.compiler.frontend.helpers import Helpers
from dsgen.compiler.frontend.scope import Scope
from dsgen.compiler.frontend.statements import Statements
from dsgen.compiler.frontend.types import SchemaTypes
from dsgen.language.environment import make_environment
from tests.compiler.worlds import FILES, SCHEMA, go

CASES = {path.name: path.read_text() for path in Path(__file__).with_name("both").iterdir()}
# A template for each kind of node that the parser knows and the language does not.
REFUSED = {
    "AssignBlock": "<% set x %>\na\n<% endset %>\n",
    "Block": "<% block x %>\n<% endblock %>\n",
    "CallBlock": "<% call x() %>\n<% endcall %>\n",
    "CondExpr": "a: << values.name if values.flag else values.mode >>\n",
    "Div": "a: << values.count / 2 >>\n",
    "Extends": "<% extends 'x' %>\n",
    "FilterBlock": "<% filter quote %>\na\n<% endfilter %>\n",
    "FromImport": "<% from 'x' import y %>\n",
    "Import": "<% import 'x' as x %>\n",
    "Include": "<% include 'x' %>\n",
    "Keyword": "a: << values.text | replace(old='a', new='b') | quote >>\n",
    "Mod": "a: << values.count % 2 >>\n",
    "NSRef": "<% set x.y = 1 %>\n",
    "Neg": "a: << -values.count >>\n",
    "Pos": "a: << +values.count >>\n",
    "Pow": "a: << values.count ** 2 >>\n",
    "Scope": "<% autoescape true %>\n<% endautoescape %>\n",
    "ScopedEvalContextModifier": "<% autoescape true %>\n<% endautoescape %>\n",
    "Slice": "a: << values.texts[1:] | json | quote >>\n",
    "With": "<% with %>\n<% endwith %>\n",
}
# Written by extensions of Jinja2 or by its own compiler, never by the parser alone.
UNWRITTEN = {
    *("Break", "Continue", "ContextReference", "DerivedContextReference", "EnvironmentAttribute"),
    *("EvalContextModifier", "ExprStmt", "ExtensionAttribute", "ImportedName", "InternalName", "MarkSafe"),
    *("MarkSafeIfAutoescape", "OverlayScope"),
}


def kinds(source: str) -> set[str]:
    """The kinds of nodes of a template."""
    parsed = Unit("t.yaml", source).parse(make_environment())
    return {type(node).__name__ for node in (parsed, *parsed.find_all(nodes.Node))}


def typed(statements: tree.Body) -> Iterator[object]:
    """All statements and expressions of a typed body."""
    for statement in statements:
        yield statement
        for value in vars(statement).values():
            yield from parts(value)


def parts(value: object) -> Iterator[object]:
    if isinstance(value, tree.Expr):
        yield from tree.walk(value)
    elif isinstance(value, typing.get_args(tree.Statement)):
        yield from typed((value,))
    elif isinstance(value, tuple):
        for item in value:
            yield from parts(item)


def test_every_kind_of_node_is_decided() -> None:
    known = {
        name
        for name, kind in vars(nodes).items()
        if inspect.isclass(kind) and issubclass(kind, nodes.Node) and not getattr(kind, "abstract", False)
    }
    used = {kind for source in CASES.values() for kind in kinds(source)}

    assert set() == used & REFUSED.keys()
    assert known == used | REFUSED.keys() | UNWRITTEN


@pytest.mark.parametrize(("kind", "source"), REFUSED.items())
def test_refused(kind: str, source: str) -> None:
    assert kind in kinds(source)

    said = rf"({kind}|Scope) is not part of the language|replace takes plain arguments|set assigns a value to one name"
    with pytest.raises(CompileError, match=rf"^t\.yaml:1: ({said})$"):
        go(source)


def test_every_typed_part_has_a_case() -> None:
    """What both worlds are compared with makes use of every expression and statement of the typed tree."""
    helpers = Helpers(SchemaTypes(SCHEMA).values, FILES)
    helpers.read(Unit("_h.j2", CASES["_h.j2"]), make_environment())
    helpers.find_inline_helpers()
    used: set[type] = set()
    for name, source in CASES.items():
        if name != "_h.j2":
            unit = Unit(name, source)
            expressions = Expressions(unit, helpers, Scope(), ("values", "release", "files"))
            body = Statements(expressions).convert(unit.parse(make_environment()).body)
            used |= {type(part) for part in typed(body)}
    for _, helper in helpers:
        used |= {type(part) for body in helper.bodies.values() for part in typed(body)}
    parts = {each for each in tree.Expr.__subclasses__() if each.__module__ == tree.__name__}
    expected = {*parts, *typing.get_args(tree.Statement)}

    assert expected == used
