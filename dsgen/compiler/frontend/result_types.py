"""Types of the results of builtins and of the entries of maps; defaults of the schema as expressions."""

import re
from collections.abc import Sequence
from dataclasses import replace

from dsgen.compiler.frontend import tree
from dsgen.compiler.frontend.tree import Expr
from dsgen.compiler.frontend.types import ANY, INT, STR, WORD, Type, bare, join
from dsgen.language.builtins import Builtin


def result_type(row: Builtin, arguments: Sequence[Expr]) -> Type:
    """The type of the result of a builtin for these arguments."""
    first = arguments[0].type
    if row.name == "get":
        default = arguments[-1].type
        if default.kind == "list":
            return Type("list", item=ANY)
        return join(first.item, bare(default)) if first.kind == "map" and first.item else ANY
    if row.name == "yaml" and first.kind in ("str", "word", "union"):
        return WORD
    if row.name == "join" and first.item and first.item.kind == "word" and arguments[1] == tree.Const(",", type=WORD):
        return WORD
    match row.gives:
        case "same":
            return bare(first)
        case "json":
            return Type("json", item=first)
        case "list of int":
            return Type("list", item=INT)
    return Type(row.gives)


def entry_type(container: Type, key: Type) -> Type:
    """The type of `container[key]`. Raises ValueError, with the reason, if it has none."""
    if container.kind == "record":
        return _common([container.field(name) for name in key.options])
    if container.kind == "map" and container.item:
        return replace(container.item, nullable=True)
    if container.kind == "any":
        return replace(ANY, nullable=True)
    raise ValueError(f"{container.kind} has no keys")


def _common(options: Sequence[Type | None]) -> Type:
    """The common type of these keys of a record."""
    types = [one for one in options if one is not None]
    if not types or len(types) != len(options):
        raise ValueError("the key must come from a literal list of the record's keys")
    if any(one.default is not None for one in types):
        raise ValueError("one of these keys has a default, which is only used with a literal key")
    result = types[0]
    for one in types[1:]:
        result = join(result, one)
    return result


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


def literal(value: object) -> Expr:
    """A default of the schema as an expression."""
    if isinstance(value, dict):
        return tree.DictOf(tuple((key, literal(item)) for key, item in value.items()), type=ANY)
    if isinstance(value, list):
        return tree.ListOf(tuple(map(literal, value)), type=Type("list", item=ANY))
    if value is None or isinstance(value, str | bool | int):
        return tree.Const(value, type=STR)
    raise TypeError(f"a default {value!r} has no literal")
