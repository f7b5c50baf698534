"""The language of templates: the Jinja2 environment, and the table of everything that templates may call.

The compiler reads templates with the environment, and tests compare its output with generated code. Each row of the
table has the Python implementation, the Go spelling and the types. The environment and the generated code call the
Python side, the Go back end writes the Go spelling; a test calls every row on both sides and compares the results.
`<CHARTNAME>` is a placeholder for the name of the chart, as in Helm's starters.

Types are those of dsgen/compiler/frontend/types.py: `str` (any text), `word` (text that needs no quotes), `int`,
`bool`, `union` (a text or a number), `any` (an object of the user), `map`, `list`, `json` (JSON text), `block` (YAML
lines), `file` (the path of a shipped file).
"""

from __future__ import annotations

import functools
import operator
import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
from jinja2 import nodes
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.runtime import Context, Macro
from jinja2.utils import missing

from dsgen.errors import DsgenError
from dsgen.language.functions import (
    Files,
    count_to,
    get,
    is_mapping,
    is_none,
    is_string,
    items,
    join,
    join_blocks,
    list_launch_methods,
    matching,
    overlay,
    refuse,
    variables,
    whole_bytes,
)
from dsgen.language.text import indent, quote, scalar, to_json, to_plain_json, to_yaml


@dataclass(frozen=True)
class Builtin:
    """One row. In `go`, `{0}` is the first argument, `{1:}` all from the second on; a leading `|` continues a pipe."""

    name: str
    kind: str  # filter, function, test, operator
    python: Callable[..., Any]
    go: str
    takes: tuple[str, ...]  # types of the first argument; empty: any
    gives: str  # the type of the result; "same" as the first argument; "item": of its items
    arguments: tuple[int, int] = (1, 1)  # the least and the greatest number of arguments
    each: str = "{}"  # how every argument is wrapped in Go
    takes_none: bool = False  # the first argument may be absent
    converts: bool = False  # the Go side converts any number to an integer


TEXT = ("str", "word")
YAML = ("any", "map", "list", "union", "str", "word", "int", "bool")
SCALAR = ("str", "word", "int", "bool", "json")

BUILTINS = (
    Builtin("quote", "filter", quote, "| quote", SCALAR, "word"),
    Builtin("json", "filter", to_json, "| toRawJson", (), "json", takes_none=True, converts=True),
    Builtin(
        "plain_json",
        "filter",
        to_plain_json,
        'include "<CHARTNAME>.plainJson" {0}',
        ("str", "word", "list", "map", "any", "union"),
        "word",
        converts=True,
    ),
    Builtin("yaml", "filter", to_yaml, 'include "<CHARTNAME>.yaml" {0}', YAML, "block", takes_none=True, converts=True),
    Builtin("indent", "filter", indent, "| nindent {1}", ("block",), "block", (2, 2)),
    Builtin("bytes", "filter", whole_bytes, 'include "<CHARTNAME>.bytes" {0}', TEXT, "word"),
    Builtin("int", "filter", int, "| int64", ("word", "int"), "int", converts=True),
    Builtin("string", "filter", scalar, "toString {0}", ("word", "int", "bool"), "word"),
    Builtin("length", "filter", len, "len {0}", ("word", "list", "map", "any"), "int"),
    Builtin("replace", "filter", str.replace, "| replace {1} {2}", (*TEXT, "block"), "same", (3, 3)),
    Builtin("join", "filter", join, "| join {1}", ("list",), "str", (2, 2)),
    Builtin("blocks", "filter", join_blocks, '| compact | join "\\n"', ("list",), "block"),
    Builtin("basename", "filter", posixpath.basename, "base {0}", ("file",), "word"),
    Builtin("items", "filter", items, "{0}", ("map", "any"), "pairs"),
    Builtin(
        "variables",
        "filter",
        variables,
        'include "<CHARTNAME>.variables" {0} | splitList "\\n"',
        ("any", "map"),
        "list of str",
    ),
    Builtin("get", "function", get, "dig {1:} {0}", ("any", "map"), "any", (3, 9)),
    Builtin("overlay", "function", overlay, "mergeOverwrite {0:}", ("any", "map"), "any", (2, 9), each="(deepCopy {})"),
    Builtin("range", "function", count_to, "until (int {0})", ("int",), "list of int", converts=True),
    Builtin("none", "test", is_none, "eq {0} nil", (), "bool", takes_none=True, converts=True),
    Builtin("string", "test", is_string, 'kindIs "string" {0}', (), "bool", takes_none=True, converts=True),
    Builtin("mapping", "test", is_mapping, 'kindIs "map" {0}', (), "bool", takes_none=True, converts=True),
    Builtin("matching", "test", matching, "regexMatch {1} {0}", TEXT, "bool", (2, 2)),
    Builtin("starting", "test", str.startswith, "hasPrefix {1} {0}", (*TEXT, "file"), "bool", (2, 2)),
    Builtin("in list", "operator", lambda item, texts: item in texts, "has {0} {1}", TEXT, "bool", (2, 2)),
    Builtin("in map", "operator", lambda key, tree: key in tree, "hasKey {1} {0}", TEXT, "bool", (2, 2)),
    Builtin("eq", "operator", operator.eq, "eq {0:}", (), "bool", (2, 2)),
    Builtin("ne", "operator", operator.ne, "ne {0:}", (), "bool", (2, 2)),
    Builtin("gt", "operator", operator.gt, "gt {0:}", ("int",), "bool", (2, 2)),
    Builtin("gteq", "operator", operator.ge, "ge {0:}", ("int",), "bool", (2, 2)),
    Builtin("lt", "operator", operator.lt, "lt {0:}", ("int", *TEXT), "bool", (2, 2)),
    Builtin("lteq", "operator", operator.le, "le {0:}", ("int",), "bool", (2, 2)),
    Builtin("Add", "operator", operator.add, "add {0:}", ("int",), "int", (2, 2), converts=True),
    Builtin("Sub", "operator", operator.sub, "sub {0:}", ("int",), "int", (2, 2), converts=True),
    Builtin("Mul", "operator", operator.mul, "mul {0:}", ("int",), "int", (2, 2), converts=True),
    Builtin("FloorDiv", "operator", operator.floordiv, "div {0:}", ("int",), "int", (2, 2), converts=True),
)


def find_builtins(kind: str) -> dict[str, Builtin]:
    """The rows of one kind, by name."""
    return {row.name: row for row in BUILTINS if row.kind == kind}


PACKAGE = Path(__file__).parent.parent
TEMPLATES = PACKAGE / "templates"


class HelperContext(Context):
    """Finds helpers without an import, and removes one final newline from the text of a helper."""

    environment: Environment

    def resolve_or_missing(self, key: str) -> Any:
        """The variable `key`; helpers come last."""
        value = super().resolve_or_missing(key)
        return self.environment.helpers.get(key, missing) if value is missing else value

    def call(self, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Calls `obj`; removes exactly one final newline from the result of a helper, so blank lines are kept."""
        result = super().call(obj, *args, **kwargs)
        return result.removesuffix("\n") if isinstance(obj, Macro) else result


class Environment(jinja2.Environment):
    """Maps have keys and never methods (`storage.items` is a volume); an absent key is none, as nil in Go."""

    context_class = HelperContext

    @functools.cached_property
    def helpers(self) -> Mapping[str, Macro]:
        """All macros of the templates whose file name begins with `_`: one namespace, whatever the order of files."""
        helpers: dict[str, Macro] = {}
        for name in sorted(self.list_templates(filter_func=lambda name: name.rsplit("/", 1)[-1].startswith("_"))):
            for key, value in vars(self.get_template(name).module).items():
                if not isinstance(value, Macro):
                    continue
                if key in helpers:
                    raise DsgenError(f"{name}: the helper {key!r} exists already")
                helpers[key] = value
        return helpers

    def getattr(self, obj: Any, attribute: str) -> Any:
        return obj.get(attribute) if isinstance(obj, Mapping) else getattr(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        return obj.get(argument) if isinstance(obj, Mapping) else obj[argument]


class Statements(Extension):
    """Three statements of these templates.

    `<% refuse ID, MESSAGE %>` calls `refuse`. `<% write TEXT %>` prints lines, or nothing after `if` without `else`.
    Loops and tests may follow both, as in a comprehension.
    `<% def NAME(ARGUMENTS) = TEXT %>` is a macro that prints the text.
    """

    tags = {"refuse", "write", "def"}  # noqa: RUF012 - as in jinja2

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:  # noqa: ARG002 - as in jinja2
        """The template; each `write` also has the blanks before it."""
        return re.sub("^( *)<% write ", r'<% write "\1", ', source, flags=re.MULTILINE)

    def parse(self, parser: Parser) -> nodes.Node | list[nodes.Node]:
        """The statement as those of Jinja2."""
        token = next(parser.stream)
        return [one.set_lineno(token.lineno) for one in PARSERS[token.value](parser)]


def _parse_refusal(parser: Parser) -> list[nodes.Node]:
    id_ = parser.parse_primary()
    parser.stream.expect("comma")
    arguments = [id_, parser.parse_expression(with_condexpr=False)]
    call = nodes.Call(nodes.Name("refuse", "load"), arguments, [], None, None)
    return _parse_clauses(parser, [nodes.ExprStmt(call)])


def _parse_clauses(parser: Parser, statements: list[nodes.Node]) -> list[nodes.Node]:
    """The statements, in the loops and tests of a comprehension."""
    clauses: list[nodes.If | nodes.For] = []
    while parser.stream.current.test_any("name:for", "name:if"):
        if next(parser.stream).value == "if":
            clauses.append(nodes.If(parser.parse_expression(with_condexpr=False), [], [], []))
            continue
        target = parser.parse_assign_target(extra_end_rules=("name:in",))
        parser.stream.expect("name:in")
        clauses.append(nodes.For(target, parser.parse_tuple(with_condexpr=False), [], [], None, False))
    for clause in reversed(clauses):
        clause.body, statements = statements, [clause]
    return statements


def _parse_macro(parser: Parser) -> list[nodes.Node]:
    macro = nodes.Macro()
    macro.name = parser.parse_assign_target(name_only=True).name
    parser.parse_signature(macro)
    parser.stream.expect("assign")
    macro.body = _parse_text(parser)
    return [macro]


def _parse_output(parser: Parser) -> list[nodes.Node]:
    pad = next(parser.stream).value
    parser.stream.expect("comma")
    return _parse_clauses(parser, _parse_text(parser, pad))


def _parse_text(parser: Parser, pad: str = "") -> list[nodes.Node]:
    rest: nodes.Expr | None = parser.parse_expression()
    branches = []
    while isinstance(rest, nodes.CondExpr):
        branches.append(nodes.If(rest.test, _print(rest.expr1, pad), [], []))
        rest = rest.expr2
    last = _print(rest, pad) if rest else []
    if not branches:
        return last
    branches[0].elif_, branches[0].else_ = branches[1:], last
    return [branches[0]]


def _print(expression: nodes.Expr, pad: str) -> list[nodes.Node]:
    """The expression as a line of text after these blanks."""
    parts = expression.nodes if isinstance(expression, nodes.Concat) else [expression]
    texts = [nodes.TemplateData(part.value) if isinstance(part, nodes.Const) else part for part in parts]
    return [nodes.Output([*([nodes.TemplateData(pad)] if pad else ()), *texts, nodes.TemplateData("\n")])]


PARSERS = {"refuse": _parse_refusal, "write": _parse_output, "def": _parse_macro}


@functools.cache
def make_environment(templates: Path = TEMPLATES, files: Path | str = PACKAGE) -> Environment:
    """The environment over a folder of templates; `files` in a template reads below `files`.

    Templates get `values` and `release` when they are rendered; `files` and the helpers are always available.
    """
    env = Environment(
        loader=jinja2.FileSystemLoader(templates),
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<<",
        variable_end_string=">>",
        comment_start_string="<#",
        comment_end_string="#>",
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: value if isinstance(value, jinja2.Undefined) else scalar(value),
        autoescape=False,  # the output is YAML, not HTML
        auto_reload=False,
        extensions=[Statements],
    )
    env.filters = {name: row.python for name, row in find_builtins("filter").items()}
    env.tests = {name: row.python for name, row in find_builtins("test").items()}
    env.globals = {name: row.python for name, row in find_builtins("function").items()}
    env.globals |= {"files": Files(files), "launch_methods": list_launch_methods, "refuse": refuse}
    return env
