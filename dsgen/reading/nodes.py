"""The tree of a values file, with the place of every value: the output of the reader."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from dsgen.problems import Diagnostic, KeyPath, Position
from dsgen.reading.scalars import Scalar

MAX_TEXT = 4 << 20
"""Characters of all values of a file. Kubernetes accepts objects up to about 1 MiB, and checking texts takes time."""


class SourceText(NamedTuple):
    """A values file: the name that messages show (`<stdin>` for `-`) and its text."""

    name: str
    text: str

    @staticmethod
    def from_bytes(name: str, data: bytes) -> SourceText:
        """Never fails: bytes that are not UTF-8 become lone surrogates, which `read` reports with their place."""
        return SourceText(name, data.decode("utf-8", "surrogateescape"))


@dataclass(frozen=True)
class Override:
    """A flag and its text: Override("--set", "workers.replicas=2,run.id=b")."""

    flag: str
    text: str


@dataclass
class Node:
    """A value and its place: a scalar, a dict of nodes or a list of nodes.

    key: the place of its key, in a map. text: the source text of a plain scalar, otherwise empty. broken: a problem of
    the value was reported already, so no other is reported. is_partial: the map may lack keys, because a key or a
    merged map could not be read. removes: of a null that was merged over other values, whether there was one for it.
    """

    value: Scalar | dict[str, Node] | list[Node]
    position: Position
    key: Position | None = None
    text: str = ""
    broken: bool = False
    is_partial: bool = False
    removes: bool | None = None

    def as_data(self) -> Any:
        """A copy as plain Python data."""
        if isinstance(self.value, dict):
            return {key: node.as_data() for key, node in self.value.items()}
        if isinstance(self.value, list):
            return [node.as_data() for node in self.value]
        return self.value

    def copy(self) -> Node:
        """A deep copy. A tree must be copied before it is changed, because aliases share nodes."""
        value = self.value
        if isinstance(value, dict):
            value = {key: node.copy() for key, node in value.items()}
        elif isinstance(value, list):
            value = [node.copy() for node in value]
        return Node(value, self.position, self.key, self.text, self.broken, self.is_partial, self.removes)

    def copy_without(self, paths: Collection[KeyPath], here: KeyPath = ()) -> Node:
        """A copy without the values at these paths; an item of a list becomes null, so that indices stay the same."""
        if isinstance(self.value, dict):
            kept = {key: node for key, node in self.value.items() if (*here, key) not in paths}
            return replace(self, value={key: node.copy_without(paths, (*here, key)) for key, node in kept.items()})
        if isinstance(self.value, list):
            items = (((*here, index), node) for index, node in enumerate(self.value))
            return replace(
                self,
                value=[
                    Node(None, node.position) if path in paths else node.copy_without(paths, path)
                    for path, node in items
                ],
            )
        return self.copy()

    def find(self, path: Sequence[str | int]) -> tuple[Node, KeyPath]:
        """The node at the path, or the last existing node on the way to it, with its path."""
        node = self
        for depth, key in enumerate(path):
            child = node.find_child(key)
            if child is None:
                return node, tuple(path[:depth])
            node = child
        return node, tuple(path)

    def find_child(self, key: str | int) -> Node | None:
        if isinstance(self.value, dict):
            return self.value.get(key) if isinstance(key, str) else None
        if isinstance(self.value, list) and isinstance(key, int) and key < len(self.value):
            return self.value[key]
        return None

    def walk(self, path: KeyPath = ()) -> Iterator[tuple[KeyPath, Node]]:
        """This node and all nodes below it, each with its path."""
        yield path, self
        children = self.value.items() if isinstance(self.value, dict) else enumerate(self._list_items())
        for key, node in children:
            if isinstance(node.value, dict | list):
                yield from node.walk((*path, key))
            else:
                yield (*path, key), node

    def is_deeper_than(self, levels: int) -> bool:
        """Whether values are nested more than so many levels below this node."""
        level = [self]
        for _ in range(levels + 1):
            parts = [one.value.values() if isinstance(one.value, dict) else one._list_items() for one in level]
            level = [child for part in parts for child in part]
        return bool(level)

    def _list_items(self) -> list[Node]:
        return self.value if isinstance(self.value, list) else []


@dataclass
class Tree:
    """The result of reading a file: the root, which is a map, and the problems. complete: all of the file was read."""

    root: Node
    diagnostics: list[Diagnostic] = field(default_factory=list)
    complete: bool = True


def name_type(value: Any) -> str:
    """The type of a value for messages: "a string", "a list"."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    names = {str: "a string", int: "a number", float: "a number", list: "a list", dict: "a map"}
    return names[type(value)]


def build_nodes(data: Any, at: Position) -> Node:
    """Nodes for plain data; all of them get the same place."""
    if isinstance(data, dict):
        children = {key: build_nodes(value, at) for key, value in data.items()}
        for child in children.values():
            child.key = at
        return Node(children, at)
    if isinstance(data, list):
        return Node([build_nodes(item, at) for item in data], at)
    return Node(data, at)


def merge(below: Node | None, above: Node) -> Node:
    """A new tree, merged as Helm merges values files: maps are merged, all other values replace, also null.

    below: None if there is no value.
    """
    if above.value is None:
        return replace(above, removes=below is not None and (below.value is not None or below.removes is True))
    if not isinstance(above.value, dict):
        return above.copy()
    known = below.value if below and isinstance(below.value, dict) else {}
    merged = {key: merge(node, above.value[key]) if key in above.value else node.copy() for key, node in known.items()}
    merged |= {key: merge(None, node) for key, node in above.value.items() if key not in known}
    is_partial = above.is_partial or (below is not None and below.is_partial)
    return replace(above, value=merged, is_partial=is_partial)


def merge_trees(trees: Iterable[Tree], at: Position) -> Tree:
    """The result of reading several files, later ones over earlier ones. at: the place of the root without files."""
    layers = [*trees]
    root = functools.reduce(merge, [tree.root for tree in layers] or [Node({}, at)])
    problems = [problem for tree in layers for problem in tree.diagnostics]
    return Tree(root, problems, all(tree.complete for tree in layers))
