"""Rewrites statements to the idioms of Helm charts: constants as text, `with`, and one context for several helpers."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar, get_args

from dsgen.compiler.frontend import tree
from dsgen.compiler.frontend.tree import Body, Expr, Statement
from dsgen.compiler.frontend.types import INT, WORD, widen

_Node = TypeVar("_Node")


@dataclass(frozen=True)
class Dot(Expr):
    """The value of the `with` around it."""


@dataclass(frozen=True)
class With:
    """Statements that are written if a value is not empty, and that read only this value, as the dot."""

    expr: Expr
    body: Body
    pad: str


@dataclass(frozen=True)
class Context:
    """Assigns what several helpers get to a name: the data of the template, and these arguments."""

    name: str
    arguments: dict[str, Expr]


@dataclass(frozen=True)
class Ternary(Expr):
    """One of two values."""

    test: Expr
    yes: Expr
    no: Expr


_NODES = (Expr, *get_args(Statement), With)


def use_idioms(body: Body) -> Body:
    """The statements of a template or helper with `with`, and with constants as text."""
    statements: list[Statement] = []
    rest = list(_replace_names(body))
    while rest:
        one = rest.pop(0)
        if isinstance(one, tree.If) and (word := _as_chosen_word(one)):
            statements += word
            continue
        statement = _rewrite(one)
        following = rest[0] if rest else None
        if isinstance(statement, tree.Set) and isinstance(following, tree.If):
            name = tree.Local(statement.name, type=statement.expr.type)
            found = _as_with(following, name, statement.expr, may_read_data=True)
            if found and not _mentions((*statements, *rest[1:]), statement.name):
                rest[0] = found
                continue
            chosen = _as_chosen_value(statement, following)
            if chosen:
                rest[0] = chosen
                continue
        if isinstance(statement, tree.If) and isinstance(test := statement.branches[0][0], _PATHS):
            statement = _as_with(statement, test, test) or statement
        statements.append(statement)
    return tuple(statements)


def _as_chosen_value(default: tree.Set, condition: tree.If) -> tree.Set | None:
    """One statement for a name that is set, and set to something else under a condition; maps are easier to read in
    statements of their own.
    """
    match condition.branches:
        case ((Expr() as test, (tree.Set(default.name, value, False),)),) if _can_choose(test, value, default.expr):
            if not isinstance(default.expr, tree.DictOf) and not tree.mentions(value, default.name):
                return replace(default, expr=Ternary(test, value, default.expr, type=widen(value.type)))
    return None


def _as_chosen_word(statement: tree.If) -> Body | None:
    """The statements that print one of two words or paths."""
    match statement.branches:
        case ((Expr() as test, yes), (None, no)):
            first, second = _find_word(yes), _find_word(no)
            if first and second and _can_choose(test, first, second):
                return (tree.Print(Ternary(test, first, second, type=widen(first.type))), tree.Text("\n"))
    return None


def _find_word(body: Body) -> Expr | None:
    """The word or path that a branch prints on its only line."""
    match body:
        case (tree.Text(text),) if re.fullmatch(r"\S+\n", text):
            word = text.rstrip()
            return tree.Const(int(word), type=INT) if word.isdigit() else tree.Const(word, type=WORD)
        case (tree.Print(expr), tree.Text("\n")):
            path = expr.arguments[0] if isinstance(expr, tree.Call) and expr.row.name == "int" else expr
            return expr if isinstance(path, tree.Field) else None
    return None


def _can_choose(test: Expr, *values: Expr) -> bool:
    """Whether it can be an argument of ternary, which takes only a boolean, and computes both values in any case."""
    tested = [part.arguments[0] for part in _walk(test) if isinstance(part, tree.Call) and part.row.name == "none"]
    needed = [part.base for part in _walk(values) if isinstance(part, tree.Field | tree.Index)]
    return _is_boolean(test) and not any(base in tested for base in needed)


def _is_boolean(test: Expr) -> bool:
    if isinstance(test, tree.Logic):
        return all(map(_is_boolean, test.parts))
    return test.type.kind == "bool" and not test.type.nullable


_PATHS = tree.Field | tree.Index | tree.Local | tree.Parameter | tree.Include


def _replace_names(body: Body) -> Body:
    """The statements with simple expressions in place of names that are read once, not in a loop. The text of a helper
    is written only where nothing else is, because it would make an expression too long.
    """
    statements = list(body)
    for one in body:
        if isinstance(one, tree.Set) and one.is_new and _is_simple(one.expr):
            at = statements.index(one)
            name, rest = tree.Local(one.name, type=one.expr.type), tuple(statements[at + 1 :])
            is_alone = any(name in _list_wholes(each) for each in _walk_statements(rest))
            if _can_replace(rest, one) and (is_alone or not isinstance(one.expr, tree.Include)):
                statements[at:] = _substitute(rest, name, one.expr)
    return tuple(statements)


def _is_simple(expr: Expr) -> bool:
    """Whether it is a path into the values, the text of a helper, or a text of paths."""
    if isinstance(expr, tree.Call) and expr.row.name == "get":
        return _is_simple(expr.arguments[0])
    if isinstance(expr, tree.Concat):
        return all(isinstance(part, tree.Const) or _is_simple(part) for part in expr.parts)
    return isinstance(expr, tree.Field | tree.Index | tree.Local | tree.Parameter | tree.Include)


def _list_wholes(statement: Any) -> tuple[Expr | None, ...]:
    """What a statement prints or tests."""
    if isinstance(statement, tree.If):
        return tuple(test for test, _ in statement.branches)
    return (statement.expr,) if isinstance(statement, tree.Print) else ()


def _can_replace(rest: Body, given: tree.Set) -> bool:
    """Whether the name is read once and not in a loop, and neither the name nor one in its expression is set again."""
    reads = [part for part in _walk(rest) if isinstance(part, tree.Local) and part.name == given.name]
    names = {given.name, *(part.name for part in _walk(given.expr) if isinstance(part, tree.Local))}
    again = any(isinstance(one, tree.Set) and one.name in names for one in _walk_statements(rest))
    loops = (one.body for one in _walk_statements(rest) if isinstance(one, tree.For))
    return len(reads) == 1 and not again and not any(_mentions(loop, given.name) for loop in loops)


def _rewrite(statement: Statement) -> Statement:
    match statement:
        case tree.Print(tree.Const(value)) if isinstance(value, str | int) and not isinstance(value, bool):
            return tree.Text(str(value))
        case tree.If():
            branches = tuple((test, use_idioms(body)) for test, body in statement.branches)
            return replace(statement, branches=branches)
        case tree.For():
            return replace(statement, body=use_idioms(statement.body))
    return statement


def _as_with(statement: tree.If, tested: Expr, expr: Expr, may_read_data: bool = False) -> Any:
    """The statement as `with`, if its only branch reads what is tested, and nothing else of the template's data unless
    `may_read_data`.
    """
    (test, body), *others = statement.branches
    if others or test != tested:
        return None
    changed = _substitute(body, tested, Dot(type=tested.type))
    reads = [part for part in _walk(changed) if isinstance(part, Dot | tree.Root | tree.Parameter | tree.Include)]
    is_nested = any(isinstance(each, tree.For | With) for each in _walk_statements(changed))
    only_dot = all(isinstance(part, Dot) for part in reads)
    if not any(isinstance(part, Dot) for part in reads) or is_nested or not (only_dot or may_read_data):
        return None
    return With(expr, use_idioms(changed), statement.pad)


def _walk_statements(body: Body) -> Iterator[Any]:
    for statement in body:
        yield statement
        if isinstance(statement, tree.If):
            for _, below in statement.branches:
                yield from _walk_statements(below)
        elif isinstance(statement, tree.For | With):
            yield from _walk_statements(statement.body)


def _walk(node: object) -> Iterator[Expr]:
    """All expressions of statements or of an expression."""
    if isinstance(node, tuple):
        for item in node:
            yield from _walk(item)
    elif isinstance(node, _NODES):
        if isinstance(node, Expr):
            yield node
        for each in fields(node):
            if each.name != "type":
                yield from _walk(getattr(node, each.name))


def _mentions(body: Body, name: str) -> bool:
    return any(isinstance(part, tree.Local) and part.name == name for part in _walk(body))


def _substitute(node: _Node, old: Expr, new: Expr) -> _Node:
    """The tree with another expression in place of one."""
    if node == old and isinstance(node, Expr):
        return new  # type: ignore[return-value]  # an expression in place of an expression
    if isinstance(node, tuple):
        return tuple(_substitute(item, old, new) for item in node)  # type: ignore[return-value]  # the same shape
    if isinstance(node, _NODES):
        parts = (each.name for each in fields(node) if each.name != "type")
        return replace(node, **{name: _substitute(getattr(node, name), old, new) for name in parts})
    return node


def add_context(body: Body) -> Body:
    """The statements of a template, with a context before the first of at least two helpers that use it."""
    wanted = [_find_needs(part) for part in _walk(body) if isinstance(part, tree.Include) and _find_needs(part)]
    counts = Counter((name, value) for one in wanted for name, value in one.items())
    arguments: dict[str, Expr] = {}
    for (name, value), _ in counts.most_common():
        arguments.setdefault(name, value)
    place = next((number for number, one in enumerate(body) if _uses(one, arguments)), 0)
    start = int(isinstance(body[0], tree.Text) and not body[0].text.strip()) if body else 0
    while place > start and not isinstance(body[place - 1], tree.Set):  # not in the middle of the object
        place -= 1
    known = {one.name for one in body[:place] if isinstance(one, tree.Set)}
    arguments = {
        name: value
        for name, value in sorted(arguments.items())
        if all(part.name in known for part in _walk(value) if isinstance(part, tree.Local))
    }
    if sum(one.items() <= arguments.items() for one in wanted) < 2:
        return body
    context = Context(_name_context(arguments, body), arguments)
    return (*body[:place], context, *body[place:])  # type: ignore[arg-type]  # Context and With are of Go alone


def _find_needs(include: tree.Include) -> dict[str, Expr]:
    """The arguments of a helper that also reads the values or the release."""
    return dict(include.arguments) if include.roots else {}


def _uses(statement: Statement, arguments: dict[str, Expr]) -> bool:
    includes = (part for part in _walk((statement,)) if isinstance(part, tree.Include))
    return any(_find_needs(one) and _find_needs(one).items() <= arguments.items() for one in includes)


def _name_context(arguments: dict[str, Expr], body: Body) -> str:
    """The role or component for which the objects of the template are; `context` without one."""
    taken = {name for one in _walk_statements(body) for name in _list_names(one)}
    values = (arguments.get(name) for name in ("role", "component"))
    names = [value.value for value in values if isinstance(value, tree.Const)]
    return next((str(name) for name in (*names, "context") if name not in taken), "all")


def _list_names(statement: Any) -> tuple[str, ...]:
    if isinstance(statement, tree.Set):
        return (statement.name,)
    return statement.names if isinstance(statement, tree.For) else ()
