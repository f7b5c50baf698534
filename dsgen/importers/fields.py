"""Walks a tree of YAML by a table, so that each field is mapped, dropped or lost, and none is forgotten.

A table is a map of names to what becomes of the field: another table, or an action. `*` stands for any name or item.
A field that no table names is lost.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dsgen.importers.conversion import Conversion
from dsgen.importers.documents import SourceDocument, format_path, walk_scalars
from dsgen.importers.secrets import MASK, is_secret
from dsgen.importers.texts import Text
from dsgen.problems import KeyPath, path_text
from dsgen.reading.nodes import Node

NO_KEY = "dsgen has no key for it"
NOT_USED = "its value is of a type that is not used here"
OPERATOR = "it belongs to the operator, which dsgen does not need"


@dataclass
class Fields:
    """One document, and the conversion that it belongs to.

    Each scalar gets one entry in the report, the first that is made for it.
    """

    conversion: Conversion
    document: SourceDocument
    done: set[KeyPath] = field(default_factory=set)
    later: list[Callable[[], None]] = field(default_factory=list)
    """What is decided when the numbers of workers and slots are known."""

    def find_node(self, *path: str | int) -> Node | None:
        """The node at a path below the root, or None."""
        node, known = self.document.root.find(path)
        return node if len(known) == len(path) else None

    def read_text(self, node: Node) -> Text:
        """A scalar as a text with places."""
        return self.document.read_text(node, self.conversion.atlas)

    def map(self, path: KeyPath, node: Node, to: str, *, is_same: bool = False) -> None:
        """All scalars of a field became this key. is_same: the value has the form of the field, with all its names."""
        for place, one in self._take_scalars(path, node):
            self.take_comments(one, to)
            below = path_text(place[len(path) :]) if is_same else ""
            name = f"{to}{'' if below.startswith('[') or not below else '.'}{below}"
            self.conversion.ledger.map(self.name_field(place), one.position, name)

    def drop(self, path: KeyPath, node: Node, why: str) -> None:
        """A field is not needed."""
        for place, one in self._take_scalars(path, node):
            self.conversion.ledger.drop(self.name_field(place), one.position, why)

    def lose(self, path: KeyPath, node: Node, why: str, hint: str = "") -> None:
        """A field has no equivalent."""
        whole = self._describe(path, node)
        for place, one in self._take_scalars(path, node):
            self.conversion.ledger.lose(self.name_field(place), one.position, why, hint, whole=whole)

    def set(self, path: KeyPath, node: Node, key: str | KeyPath, value: Any) -> None:
        """Set a key from a field."""
        is_same = isinstance(value, dict | list) and isinstance(node.value, type(value))
        self.map(path, node, self.conversion.draft.set(key, value), is_same=is_same)

    def apply(self, table: Table, path: KeyPath = (), node: Node | None = None) -> None:
        """Walk a field by a table."""
        node = node if node is not None else self.document.root
        if isinstance(table, Mapping):
            self._descend(table, path, node)
        else:
            table(self, path, node)

    def finish(self) -> None:
        """Name the fields for which nothing was said, and keys that the file has twice."""
        for decide in self.later:
            decide()
        self.lose((), self.document.root, NO_KEY)
        for problem in self.document.problems:
            if problem.position:
                why = f"{problem.message}; only the first is read"
                self.conversion.ledger.lose("duplicate key", problem.position, why, "remove one of them", is_part=True)

    def _descend(self, table: Mapping[str, Table], path: KeyPath, node: Node) -> None:
        if isinstance(node.value, dict):
            for name, child in node.value.items():
                rule = table.get(name, table.get("*"))
                if rule is not None:
                    self.apply(rule, (*path, name), child)
        elif isinstance(node.value, list) and "*" in table:
            for index, child in enumerate(node.value):
                self.apply(table["*"], (*path, index), child)

    def _take_scalars(self, path: KeyPath, node: Node) -> list[tuple[KeyPath, Node]]:
        """The scalars of a field that have no entry yet."""
        found = [(place, one) for place, one in walk_scalars(node, path) if place not in self.done]
        self.done.update(place for place, _ in found)
        return found

    def name_field(self, path: KeyPath) -> str:
        """How reports name a field: its path in the file."""
        file = self.document.position.file
        prefix = f"{file}: " if file != self.conversion.file else ""
        return prefix + format_path((*self.document.path, *path))

    def _describe(self, path: KeyPath, node: Node) -> str:
        """A field with its name or its value, for people."""
        if not path:
            return f"{self.document.kind or 'the document'} {self.document.name}".strip()
        named = node.find_child("name") if isinstance(node.value, dict) else None
        if isinstance(node.value, dict | list):
            return self.name_field(path) + (f" ({format_scalar(named.value)})" if named is not None else "")
        name = self.find_node(*path[:-1], "name") if path[-1:] == ("value",) else None
        text = format_scalar(node.value)
        is_hidden = is_secret(format_scalar(name.value) if name is not None else str(path[-1]), text) or "\n" in text
        return f"{self.name_field(path)} = {MASK if is_hidden else text}"

    def take_comments(self, node: Node, to: str) -> None:
        """The comments at a scalar and above it go to the key that it became."""
        if comment := self.document.find_comment(node):
            self.conversion.draft.add_comment(to, comment)
        self.conversion.follow(self.document.remarks, node.position.line, to)


Action = Callable[[Fields, KeyPath, Node], None]
Table = Mapping[str, "Table"] | Action
Read = Callable[[Any], Any]
"""A value for a key from that of a field; None if it cannot be used."""


def drop(why: str) -> Action:
    """dsgen does it itself."""
    return lambda fields, path, node: fields.drop(path, node, why)


def lose(why: str, hint: str = "") -> Action:
    """There is no equivalent."""
    return lambda fields, path, node: fields.lose(path, node, why, hint)


def to(key: str, read: Read | None = None) -> Action:
    """The value of a key."""

    def convert_part(fields: Fields, path: KeyPath, node: Node) -> None:
        data = node.as_data()
        value = read(data) if read else data
        if value is None:
            fields.lose(path, node, NOT_USED, f"set {key}")
        else:
            fields.set(path, node, key, value)

    return convert_part


# -- reading values ---------------------------------------------------------------------------------------------------


def as_whole(data: Any) -> int | None:
    """A whole number, also in a text."""
    if isinstance(data, bool):
        return None
    if isinstance(data, int):
        return data if 0 <= data < 1 << 31 else None
    return int(data) if isinstance(data, str) and re.fullmatch("[0-9]{1,9}", data) else None


def as_count(data: Any) -> int | None:
    """A whole number of at least 1."""
    number = as_whole(data)
    return number if number else None


def as_text(data: Any) -> str | None:
    """A text that is not empty."""
    return data if isinstance(data, str) and data else None


def as_true(data: Any) -> bool | None:
    """True or false."""
    return data if isinstance(data, bool) else None


def as_map(data: Any) -> dict[str, Any] | None:
    """A map with entries."""
    return data if isinstance(data, dict) and data else None


def as_texts(data: Any) -> dict[str, str] | None:
    """A map of texts."""
    if not isinstance(data, dict) or not data:
        return None
    return {key: format_scalar(value) for key, value in data.items() if not isinstance(value, dict | list)}


def as_list(data: Any) -> list[Any] | None:
    """A list with items."""
    return data if isinstance(data, list) and data else None


def as_words(data: Any) -> list[str] | None:
    """A list of words, such as a command."""
    if not isinstance(data, Sequence) or isinstance(data, str) or not data:
        return None
    return [format_scalar(one) for one in data if not isinstance(one, dict | list)]


def remove_nulls(data: Any) -> Any:
    """Plain data without the keys whose value is null."""
    if isinstance(data, dict):
        return {key: remove_nulls(value) for key, value in data.items() if value is not None}
    return [remove_nulls(one) for one in data] if isinstance(data, list) else data


def format_scalar(value: Any) -> str:
    """A scalar as a text; "" for null, a map and a list."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None or isinstance(value, dict | list) else str(value)
