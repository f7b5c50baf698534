"""The typed tree between templates and back ends; it is independent of the output language."""

from collections.abc import Iterator
from dataclasses import dataclass, field, fields

from dsgen.compiler.frontend.types import Type
from dsgen.language.environment import Builtin


@dataclass(frozen=True, kw_only=True)
class Expr:
    """An expression. Two expressions for the same value are equal, also if their types are narrowed differently."""

    type: Type = field(compare=False)


@dataclass(frozen=True)
class Const(Expr):
    """A text, an integer, true, false or none."""

    value: str | int | bool | None


@dataclass(frozen=True)
class Root(Expr):
    """`values` or `release`."""

    name: str


@dataclass(frozen=True)
class Parameter(Expr):
    """An argument of the current helper."""

    name: str


@dataclass(frozen=True)
class Local(Expr):
    """A name from `set` or `for`."""

    name: str


@dataclass(frozen=True)
class Field(Expr):
    """A key of a record or of an object; `default`: its value if the values lack the key."""

    base: Expr
    name: str
    default: Expr | None = None


@dataclass(frozen=True)
class Index(Expr):
    """An entry whose key is computed when the template is rendered."""

    base: Expr
    key: Expr


@dataclass(frozen=True)
class ListOf(Expr):
    """A list literal."""

    items: tuple[Expr, ...]


@dataclass(frozen=True)
class DictOf(Expr):
    """A map literal."""

    pairs: tuple[tuple[str, Expr], ...]


@dataclass(frozen=True)
class Call(Expr):
    """A filter, function, test or operator of the table."""

    row: Builtin
    arguments: tuple[Expr, ...]


@dataclass(frozen=True)
class Include(Expr):
    """The text of a helper. `roots`: those of values and release that it reads."""

    helper: str
    roots: tuple[str, ...]
    arguments: tuple[tuple[str, Expr], ...]


@dataclass(frozen=True)
class FileText(Expr):
    """The text of a file of the package."""

    path: Expr


@dataclass(frozen=True)
class FileNames(Expr):
    """The paths of the files that match, as the keys of a map."""

    pattern: str


@dataclass(frozen=True)
class Joined(Expr):
    """List + list."""

    left: Expr
    right: Expr


@dataclass(frozen=True)
class Concat(Expr):
    """Texts and integers, concatenated."""

    parts: tuple[Expr, ...]


@dataclass(frozen=True)
class Logic(Expr):
    """`and` or `or` of two or more expressions; its value is that of the deciding one."""

    word: str
    parts: tuple[Expr, ...]


@dataclass(frozen=True)
class Not(Expr):
    """The opposite."""

    part: Expr


def mentions(expr: Expr, name: str) -> bool:
    """Whether the expression reads the local of this name."""
    return any(isinstance(part, Local) and part.name == name for part in walk(expr))


def walk(expr: Expr) -> Iterator[Expr]:
    """The expression and all its parts."""
    yield expr
    for each in fields(expr):
        yield from _walk_value(getattr(expr, each.name))


def _walk_value(value: object) -> Iterator[Expr]:
    if isinstance(value, Expr):
        yield from walk(value)
    elif isinstance(value, tuple):
        for item in value:
            yield from _walk_value(item)


@dataclass(frozen=True)
class ConstantText:
    """Constant text."""

    text: str


@dataclass(frozen=True)
class Comment:
    """A comment, which is alone on its lines."""

    text: str


@dataclass(frozen=True)
class Print:
    """A scalar within a line."""

    expr: Expr


@dataclass(frozen=True)
class Block:
    """Lines of YAML; `width`: the indentation of all lines but the first, or None for text at the margin."""

    expr: Expr
    width: int | None


@dataclass(frozen=True)
class Refuse:
    """Ends the rendering with the id of a rule and the message of a helper, if it returns one."""

    id: Expr
    message: Include
    pad: str


@dataclass(frozen=True)
class Assignment:
    """Assigns a value to a name; `is_new`: no statement around it has set the name before."""

    name: str
    expr: Expr
    is_new: bool
    pad: str


@dataclass(frozen=True)
class If:
    """Branches in order; the test of the last one is None for `else`."""

    branches: tuple[tuple[Expr | None, "Body"], ...]
    pad: str


@dataclass(frozen=True)
class For:
    """A loop over a list (`names` has one) or over a map's keys and values (two)."""

    names: tuple[str, ...]
    iterable: Expr
    body: "Body"
    pad: str


Statement = ConstantText | Comment | Print | Block | Refuse | Assignment | If | For
Body = tuple[Statement, ...]
