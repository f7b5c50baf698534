"""The names at a place of a template, with their types there, which conditions narrow; also types of entries."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from dsgen.compiler.frontend import tree
from dsgen.compiler.frontend.tree import Expr, Local, Parameter, mentions
from dsgen.compiler.frontend.types import ANY, INT, STR, Type, join_types, widen

Facts = Mapping[Expr, Type]


@dataclass
class Level:
    """The names of one branch or loop body."""

    names: dict[str, Expr] = field(default_factory=dict)
    is_loop: bool = False


class Scope:
    """Nested levels of names. A name that is set in a branch ends with the branch, as in Go."""

    def __init__(self, parameters: tuple[Parameter, ...] = ()) -> None:
        self._levels = [Level({parameter.name: parameter for parameter in parameters})]
        self._facts: dict[Expr, Type] = {}
        self.ended: set[str] = set()

    def find(self, name: str) -> Expr | None:
        return next((level.names[name] for level in reversed(self._levels) if name in level.names), None)

    def narrow(self, expr: Expr) -> Expr:
        """The expression, with its type narrowed by the tests around this place."""
        return replace(expr, type=self._facts[expr]) if expr in self._facts else expr

    def crosses_loop(self, name: str) -> bool:
        """Whether the name was set outside the innermost loop."""
        for level in reversed(self._levels):
            if name in level.names:
                return False
            if level.is_loop:
                return True
        return False

    def set(self, name: str, value: Type) -> bool:
        """Assign a value of this type to a name; whether the name is new."""
        for key in [key for key in self._facts if mentions(key, name)]:
            del self._facts[key]
        for level in self._levels:
            if name in level.names:
                level.names[name] = Local(name, type=join_types(level.names[name].type, widen(value)))
                return False
        self._levels[-1].names[name] = Local(name, type=widen(value))
        self.ended.discard(name)
        return True

    @contextmanager
    def enter(self, facts: Facts, names: Mapping[str, Expr] | None = None, is_loop: bool = False) -> Iterator[None]:
        """The body of a branch, in which `facts` hold, or of a loop, which adds `names`."""
        before = self._facts
        self._facts = {**before, **facts}
        self._levels.append(Level(dict(names or {}), is_loop))
        try:
            yield
        finally:
            self.ended |= set(self._levels.pop().names)
            kept = set(self._facts)
            # types that became uncertain by a `set` in the body stay uncertain
            self._facts = {key: known for key, known in before.items() if key in kept or key in facts}


def infer_facts(test: Expr, truth: bool) -> Facts:
    """What this outcome of a test implies: values that are not none, and the member of a union."""
    match test:
        case tree.Not():
            return infer_facts(test.part, not truth)
        case tree.Logic():
            is_shown = truth == (test.word == "and")
            return (
                {key: narrowed for part in test.parts for key, narrowed in infer_facts(part, truth).items()}
                if is_shown
                else {}
            )
        case tree.Call() if test.row.kind == "test":
            return _infer_from_test(test, truth)
        case tree.Call() if test.row.name == "in map":
            key, container = test.arguments
            entry = tree.Index(container, key, type=find_entry_type(container.type, key.type))
            return {entry: replace(entry.type, nullable=False)} if truth else {}
    return {test: replace(test.type, nullable=False)} if truth and test.type.nullable else {}


def _infer_from_test(test: tree.Call, truth: bool) -> Facts:
    tested = test.arguments[0]
    if test.row.name == "none":
        return {} if truth else {tested: replace(tested.type, nullable=False)}
    if test.row.name == "mapping":
        return {tested: ANY} if truth else {}
    if test.row.name != "string" or tested.type.kind not in ("union", "any"):
        return {}
    if truth:
        return {tested: tested.type.item or STR}
    others = tested.type.options or ("object",)
    is_integer = others == ("integer",)
    return {tested: replace(INT, stored=True) if is_integer else ANY}


def find_entry_type(container: Type, key: Type) -> Type:
    """The type of `container[key]`. Raises ValueError, with the reason, if it has none."""
    if container.kind == "record":
        return _find_common_type([container.find_field(name) for name in key.options])
    if container.kind == "map" and container.item:
        return replace(container.item, nullable=True)
    if container.kind == "any":
        return replace(ANY, nullable=True)
    raise ValueError(f"{container.kind} has no keys")


def _find_common_type(options: Sequence[Type | None]) -> Type:
    """The common type of these keys of a record."""
    types = [option for option in options if option is not None]
    if not types or len(types) != len(options):
        raise ValueError("the key must come from a literal list of the record's keys")
    if any(one.default is not None for one in types):
        raise ValueError("one of these keys has a default, which is only used with a literal key")
    result = types[0]
    for one in types[1:]:
        result = join_types(result, one)
    return result
