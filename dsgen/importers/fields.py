"""One engine for all tables: each part of a source becomes a key, or is dropped or lost with a reason.

A part is a field of a document, or an option of a command line. A table is a map of names to what becomes of the part:
another table, or an action. `*` stands for any name or item. A field that no table names is lost.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dsgen.importers.conversion import Conversion
from dsgen.importers.documents import SourceDocument, format_scalar, walk_scalars
from dsgen.importers.draft import Draft, as_key_path
from dsgen.importers.ledger import Fate, ImportRefusedError
from dsgen.importers.texts import Text
from dsgen.problems import KeyPath, path_text
from dsgen.problems.safe_text import MASK, is_secret
from dsgen.reading.nodes import Node

NO_KEY = "dsgen has no key for it"
NOT_USED = "its value is of a type that is not used here"


class Part(ABC):
    """A part of a source. data: its value as plain data."""

    conversion: Conversion
    data: Any

    @property
    def draft(self) -> Draft:
        """The values."""
        return self.conversion.draft

    @abstractmethod
    def report(self, fate: Fate, what: str, hint: str = "", *, is_same: bool = False) -> None:
        """Say what became of it. what: its key, or the reason. is_same: the value has its form, with all its names."""

    def map(self, to: str, *, is_same: bool = False) -> None:
        """It became this key."""
        self.report("mapped", to, is_same=is_same)

    def drop(self, why: str) -> None:
        """It is not needed."""
        self.report("dropped", why)

    def lose(self, why: str, hint: str = "") -> None:
        """It has no equivalent."""
        self.report("lost", why, hint)

    def set(self, key: str | KeyPath, value: Any) -> None:
        """Set a key from it."""
        self.map(self.draft.set(key, value), is_same=isinstance(value, dict | list) and type(value) is type(self.data))


Action = Callable[[Any], None]
"""What becomes of a part."""


@dataclass(frozen=True)
class Row:
    """A row of a table. values: how many words follow an option of a command line."""

    action: Action
    values: int = 1

    def __call__(self, part: Part) -> None:
        """Do with a part what the row says."""
        self.action(part)


Table = Mapping[str, "Table"] | Action
Read = Callable[[Any], Any]
"""A value for a key from that of a part; None if it cannot be used."""


def drop(why: str, values: int = 1) -> Row:
    """dsgen does it itself."""
    return Row(lambda part: part.drop(why), values)


def lose(why: str, hint: str = "", values: int = 1) -> Row:
    """There is no equivalent."""
    return Row(lambda part: part.lose(why, hint), values)


def when(test: Sequence[Any] | Callable[[Any], object], row: Action, otherwise: Action) -> Row:
    """One of two rows, by the values that the part may have, or by a test of the part."""
    return Row(lambda part: (row if (test(part) if callable(test) else part.data in test) else otherwise)(part))


def refuse(why: str, hint: str = "") -> Row:
    """A source with this field is not converted."""

    def raise_error(part: Field) -> None:
        raise ImportRefusedError(why, part.node.position, hint)

    return Row(raise_error)


def become(key: str) -> Row:
    """The part is this key, which is set by something else."""
    return Row(lambda part: part.map(key))


def fix(key: str | KeyPath, value: Any, values: int = 1) -> Row:
    """The part means this value of a key."""
    return Row(lambda part: part.set(key, value), values)


def make_rows(names: str, row: Row) -> dict[str, Row]:
    """The same row for several names."""
    return dict.fromkeys(names.split(), row)


def to(key: str, read: Read = lambda data: data, *also: tuple[str, Any], why: str = NOT_USED) -> Row:
    """The value of a key. also: other keys that the part sets with it. why: it cannot be used."""

    def write(part: Part) -> None:
        value = read(part.data)
        if value is None:
            part.lose(why, f"set {key}")
            return
        for other, constant in also:
            part.draft.set(other, constant)
        part.set(key, value)

    return Row(write)


# -- fields of documents ----------------------------------------------------------------------------------------------


@dataclass
class Fields:
    """One document, and the conversion that it belongs to.

    Each scalar gets one entry in the report, the first that is made for it. later: what is decided when the numbers of
    workers and slots are known. total: the number of workers. policies: values of restartPolicy that were reported.
    """

    conversion: Conversion
    document: SourceDocument
    done: set[KeyPath] = field(default_factory=set)
    later: list[Callable[[], None]] = field(default_factory=list)
    total: int = 0
    policies: set[str] = field(default_factory=set)

    @property
    def root(self) -> Field:
        """The whole document."""
        return Field(self, (), self.document.root)

    def find(self, *path: str | int) -> Field | None:
        """The field at a path, or None."""
        node, known = self.document.root.find(path)
        return Field(self, path, node) if len(known) == len(path) else None

    def finish(self) -> None:
        """Name the fields for which nothing was said, and keys that the file has twice."""
        for decide in self.later:
            decide()
        known = {path[:depth] for path in self.done for depth in range(len(path) + 1)}
        for one in [*self.root.walk()]:
            if one.path not in self.done:
                # The largest part of which nothing was said.
                depth = next(depth for depth in range(len(one.path) + 1) if one.path[:depth] not in known)
                Field(self, one.path[:depth], self.document.root.find(one.path[:depth])[0]).lose(NO_KEY)
        for problem in self.document.problems:
            if problem.position:
                why = f"{problem.message}; only the first is read"
                self.conversion.ledger.add("lost", "duplicate key", problem.position, why, "remove one of them")


@dataclass(frozen=True)
class Field(Part):
    """One field of a document: its path below the root, and its node."""

    fields: Fields
    path: KeyPath
    node: Node

    @property
    def conversion(self) -> Conversion:  # type: ignore[override]  # a property for the attribute of Part
        """The conversion of its document."""
        return self.fields.conversion

    @property
    def data(self) -> Any:
        """Its value as plain data."""
        return self.node.as_data()

    @property
    def text(self) -> str:
        """Its value as a text, "" for a map or a list."""
        return format_scalar(self.node.value)

    @property
    def name(self) -> str:
        """Its last name or index, as a text."""
        return str(self.path[-1])

    def find(self, *path: str | int) -> Field | None:
        """A field below it, or None."""
        return self.fields.find(*self.path, *path)

    def read(self, *path: str | int) -> Any:
        """The data below it, None if there is none."""
        found = self.find(*path)
        return found.data if found else None

    def list_items(self, *path: str | int) -> list[Field]:
        """The items of a list, or the values of a map, at a path below it."""
        found = self.find(*path)
        value = found.node.value if found else ()
        items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        return [Field(self.fields, (*self.path, *path, key), node) for key, node in items]

    def walk(self) -> Iterator[Field]:
        """All scalars below it."""
        return (Field(self.fields, path, node) for path, node in walk_scalars(self.node, self.path))

    def read_text(self) -> Text:
        """A scalar as a text with places."""
        return self.fields.document.read_text(self.node, self.conversion.source_map)

    def set(self, key: str | KeyPath, value: Any) -> None:
        """Set a key from it, unless another field did."""
        if not self.is_taken(key, value):
            super().set(key, value)

    def is_taken(self, key: str | KeyPath, value: Any) -> bool:
        """Whether another field gave a key another value, which stays; then this one is lost."""
        if self.draft.get(key) in (None, value):
            return False
        name = path_text(as_key_path(key))
        self.lose(f"another field of the source gives {name} another value", f"set {name}")
        return True

    def report(self, fate: Fate, what: str, hint: str = "", *, is_same: bool = False) -> None:
        """Say what became of its scalars that have no entry yet."""
        whole = self._describe() if fate == "lost" else ""
        for one in [one for one in self.walk() if one.path not in self.fields.done]:
            self.fields.done.add(one.path)
            name = what
            if fate == "mapped":
                below = path_text(one.path[len(self.path) :]) if is_same else ""
                name = f"{what}{'' if below.startswith('[') or not below else '.'}{below}"
            self.conversion.ledger.add(fate, str(one), one.node.position, name, hint, whole=whole)

    def apply(self, table: Table) -> None:
        """Walk it by a table."""
        if callable(table):
            table(self)
            return
        is_map = isinstance(self.node.value, dict)
        for child in self.list_items():
            rule = table.get(child.name if is_map else "*", table.get("*"))
            if rule is not None:
                child.apply(rule)

    def _describe(self) -> str:
        """It with its name or its value, for people."""
        document = self.fields.document
        if not self.path:
            return f"{document.kind or 'the document'} {document.name}".strip()
        if isinstance(self.node.value, dict | list):
            name = self.find("name")
            return str(self) + (f" ({name.text})" if name else "")
        twin = self.fields.find(*self.path[:-1], "name") if self.name == "value" else None
        is_hidden = is_secret(twin.text if twin else self.name, self.text) or "\n" in self.text
        return f"{self} = {MASK if is_hidden else self.text}"

    def __str__(self) -> str:
        document, file = self.fields.document, self.fields.document.position.file
        prefix = f"{file}: " if file != self.conversion.file else ""
        return prefix + (path_text((*document.path, *self.path)) or ".")


def read_name(field: Field) -> str:
    """The name of an item of a list."""
    return format_scalar(field.read("name"))


# -- options of command lines -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Option(Part):
    """One option of a command line: its name without dashes, its words, and its values (none for a switch)."""

    conversion: Any
    name: str
    words: list[Text]
    values: list[Text]

    @property
    def value(self) -> Text:
        """Its value, empty for a switch."""
        return self.values[0] if self.values else Text()

    @property
    def data(self) -> str | None:
        """Its value as a text; None if only the cluster knows it."""
        return self.value.chars if self.value.is_known else None

    def report(self, fate: Fate, what: str, hint: str = "", *, is_same: bool = False) -> None:  # noqa: ARG002 - no names
        """Say what became of its words."""
        for word in self.words:
            self.conversion.report(word, fate, what, hint)


def read_option(
    words: list[Text], table: Mapping[str, Row], choose: Callable[[Text | None], Row]
) -> tuple[Row, str, list[Text], list[Text]]:
    """Take the first option from the words of a command line: its row, its name, its own words, and its values.

    choose: the row of an option that the table does not name, by the word that follows.
    """
    found = [words.pop(0)]
    option, is_joined, value = found[0].partition("=")
    name = option.chars.lstrip("-")
    row = table.get(name) or table.get(name.replace("_", "-")) or choose(words[0] if words else None)
    values = [value] if is_joined and row.values else []
    while len(values) < row.values and words:
        values.append(words.pop(0))
        found.append(values[-1])
    return row, name, found, values


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
    return as_whole(data) or None


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


def list_maps(items: Any) -> list[dict[str, Any]]:
    """The maps of a list; none of anything else."""
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
