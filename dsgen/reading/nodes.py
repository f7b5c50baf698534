"""The data of a values file with the place of every part: what the reader makes and everything else works on."""

from __future__ import annotations

from dsgen.records import dataclass, field, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from typing import Any

    from dsgen.problems.diagnostics import Diagnostic, Path, Position
    from dsgen.reading.scalars import Scalar


@dataclass(frozen=True)
class SourceText:
    """A values file: the name that messages show (`<stdin>` for `-`) and its text."""

    name: str
    text: str

    @staticmethod
    def from_bytes(name: str, data: bytes) -> SourceText:
        """Never fails: bytes that are not UTF-8 are kept as lone surrogates, which `read` reports with their place."""
        return SourceText(name, data.decode("utf-8", "surrogateescape"))


@dataclass(frozen=True)
class Override:
    """One of the flags and its text: Override("--set", "workers.replicas=2,run.id=b")."""

    flag: str
    text: str


@dataclass
class Node:
    """A value and where it stands: a scalar, a dict of nodes or a list of nodes.

    key: the place of its key, in a mapping. text: a plain scalar as it is written, empty for all others.
    broken: a problem with it was reported already, so that no more is said about it. is_partial: a map that may lack
    keys, because one of them, or a map that is merged into it, could not be read.
    """

    value: Scalar | dict[str, Node] | list[Node]
    position: Position
    key: Position | None = None
    text: str = ""
    broken: bool = False
    is_partial: bool = False

    def __init__(  # by hand: there are very many of them
        self,
        value: Scalar | dict[str, Node] | list[Node],
        position: Position,
        key: Position | None = None,
        text: str = "",
        broken: bool = False,
        is_partial: bool = False,
    ) -> None:
        self.value, self.position, self.key, self.text = value, position, key, text
        self.broken, self.is_partial = broken, is_partial

    def data(self) -> Any:
        """Plain Python data, a new copy each time."""
        if isinstance(self.value, dict):
            return {key: node.data() for key, node in self.value.items()}
        if isinstance(self.value, list):
            return [node.data() for node in self.value]
        return self.value

    def copy(self) -> Node:
        """A new tree; aliases in a file share their parts, so nothing is changed in place before this."""
        value = self.value
        if isinstance(value, dict):
            value = {key: node.copy() for key, node in value.items()}
        elif isinstance(value, list):
            value = [node.copy() for node in value]
        return Node(value, self.position, self.key, self.text, self.broken, self.is_partial)

    def without(self, paths: Collection[Path], here: Path = ()) -> Node:
        """A copy without what stands at these paths; an item of a list becomes null, so that the others keep places."""
        if isinstance(self.value, dict):
            kept = {key: node for key, node in self.value.items() if (*here, key) not in paths}
            return replace(self, value={key: node.without(paths, (*here, key)) for key, node in kept.items()})
        if isinstance(self.value, list):
            items = (((*here, index), node) for index, node in enumerate(self.value))
            return replace(
                self,
                value=[
                    Node(None, node.position) if path in paths else node.without(paths, path) for path, node in items
                ],
            )
        return self.copy()

    def find(self, path: Sequence[str | int]) -> tuple[Node, Path]:
        """The node at the path, or the last one on the way, and the part of the path that leads to it."""
        node = self
        for depth, key in enumerate(path):
            child = node.child(key)
            if child is None:
                return node, tuple(path[:depth])
            node = child
        return node, tuple(path)

    def child(self, key: str | int) -> Node | None:
        """The node under a key or an index, None when there is none."""
        if isinstance(self.value, dict):
            return self.value.get(key) if isinstance(key, str) else None
        if isinstance(self.value, list) and isinstance(key, int) and key < len(self.value):
            return self.value[key]
        return None

    def walk(self, path: Path = ()) -> Iterator[tuple[Path, Node]]:
        """Every node below, with its path, this one first."""
        yield path, self
        children = self.value.items() if isinstance(self.value, dict) else enumerate(self._items())
        for key, node in children:
            yield from node.walk((*path, key))

    def is_deeper_than(self, levels: int) -> bool:
        """Whether there is a node so many levels below."""
        level = [self]
        for _ in range(levels + 1):
            level = [child for node in level for child in node._children()]
        return bool(level)

    def _children(self) -> list[Node]:
        return [*self.value.values()] if isinstance(self.value, dict) else self._items()

    def _items(self) -> list[Node]:
        return self.value if isinstance(self.value, list) else []


@dataclass
class Tree:
    """A file that was read: its root, always a mapping, and what is wrong with it. complete: all of it was read."""

    root: Node
    diagnostics: list[Diagnostic] = field(default_factory=list)
    complete: bool = True


def kind(value: Any) -> str:
    """What a value is, for a sentence: "a text", "a list"."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    names = {str: "a text", int: "a number", float: "a number", list: "a list", dict: "a map"}
    return names[type(value)]


def from_data(data: Any, at: Position) -> Node:
    """Nodes for plain data that all stands at one place."""
    if isinstance(data, dict):
        children = {key: from_data(value, at) for key, value in data.items()}
        for child in children.values():
            child.key = at
        return Node(children, at)
    if isinstance(data, list):
        return Node([from_data(item, at) for item in data], at)
    return Node(data, at)


def merge(below: Node, above: Node) -> Node:
    """A new tree as Helm merges values files: maps merge, everything else replaces, null too."""
    if not (isinstance(below.value, dict) and isinstance(above.value, dict)):
        return above.copy()
    merged = {key: node.copy() for key, node in below.value.items()}
    for key, node in above.value.items():
        merged[key] = merge(merged[key], node) if key in merged else node.copy()
    return replace(above, value=merged, is_partial=below.is_partial or above.is_partial)
