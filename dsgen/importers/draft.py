"""The values of a job while they are put together, with their comments and holes, and the values file of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from dsgen.editing import write_values
from dsgen.importers.ledger import Placeholder
from dsgen.importers.remarks import Remark
from dsgen.problems import KeyPath, path_text
from dsgen.problems.safe_text import has_secret, holds_secret
from dsgen.schema.default_values import load_defaults

TODO = "TODO: "
"""How a comment begins that asks for a value: a hole."""
SECRET_HOLE = "the value looks like a secret, so it was not copied: put it into a Secret, and write the Secret's name"

SCRIPTS: tuple[KeyPath, ...] = (("training", "exec"), ("launch", "command"))
"""Command lines with a script, at which comments about its parts stand."""
_PART = re.compile(r'\[(\d+)\]|\["(.*?)"\](?=$|[.\[])|\.?([^.\[]+)', re.DOTALL)


def as_key_path(key: str | KeyPath) -> KeyPath:
    """A path from `workers.resources` or `training.args[2]`; a tuple stays as it is."""
    if isinstance(key, tuple):
        return key
    return tuple(int(index) if index else name or word for index, name, word in _PART.findall(key))


@dataclass
class Draft:
    """Values under construction. Keys are `a.b.c`, or tuples if a key contains dots.

    data: the values. comments: after a key. above: lines above a key. holes: what a person must fill in.
    """

    data: dict[str, Any] = field(default_factory=dict)
    comments: dict[KeyPath, str] = field(default_factory=dict)
    above: dict[KeyPath, list[str]] = field(default_factory=dict)
    holes: list[Placeholder] = field(default_factory=list)

    def get(self, key: str | KeyPath, default: Any = None) -> Any:
        """The value of a key."""
        node: Any = self.data
        for part in as_key_path(key):
            known = range(len(node)) if isinstance(node, list) else node if isinstance(node, dict) else ()
            if part not in known:
                return default
            node = node[part]
        return node

    def set(self, key: str | KeyPath, value: Any) -> str:
        """Set a key; returns its name for reports. A text with a secret becomes a hole."""
        path = as_key_path(key)
        if has_secret(value):
            refused: object = {} if isinstance(value, str | list | tuple) else []  # of a type that the schema refuses
            return self.set_hole(path, refused, SECRET_HOLE)
        name = path_text(path)
        if any(hole.key == name for hole in self.holes):
            self.holes = [hole for hole in self.holes if hole.key != name]
            self.comments.pop(path, None)
        self._write(path, value)
        return name

    def _write(self, path: KeyPath, value: Any) -> None:
        node = self.data
        for part in map(str, path[:-1]):
            if not isinstance(node.setdefault(part, {}), dict):
                node[part] = {}
            node = node[part]
        node[str(path[-1])] = value

    def add(self, key: str | KeyPath, value: Any) -> str:
        """Append to a list; returns the name of the new item."""
        path = as_key_path(key)
        items = self.get(path)
        if not isinstance(items, list) or has_secret(value):
            items = [*(items if isinstance(items, list) else ()), value]
            self.set(path, items)
        else:
            items.append(value)  # the other items were checked
        return path_text((*path, len(items) - 1))

    def remove(self, key: str | KeyPath) -> None:
        """Remove a key, if it exists."""
        *above, last = as_key_path(key)
        node = self.get(tuple(above)) if above else self.data
        if isinstance(node, dict):
            node.pop(str(last), None)

    def set_hole(self, key: str | KeyPath, refused: Any, why: str) -> str:
        """Set a value that `dsgen validate` refuses, because the source does not say it; returns the key's name."""
        path = as_key_path(key)
        name = path_text(path)
        if not any(hole.key == name for hole in self.holes):
            self.holes.append(Placeholder(name, why))
            self.comments[path] = TODO + why
        self._write(path, refused)
        return name

    def choose_volume(self, text: str) -> str:
        """A name in storage that is not used yet."""
        base = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:20].strip("-") or "volume"
        base = f"v{base}"[:20] if base.startswith("dsgen-") else base
        numbered = (f"{base[:16].rstrip('-0123456789')}-{number}".strip("-") for number in range(2, 1000))
        return next(name for name in (base, *numbered) if name not in (self.get("storage") or {}))

    def fill(self, path: KeyPath, why: str) -> None:
        """Make a hole of a text anywhere in the values, also in a list."""
        self.holes.append(Placeholder(path_text(path), why))
        if not any(isinstance(part, int) for part in path):
            self.comments[path] = TODO + why
        self.get(path[:-1], self.data)[path[-1]] = {}

    def place_comments(self, remarks: Iterable[tuple[Remark, Sequence[str]]]) -> None:
        """Put each comment of the source at the first of its keys that the values have.

        A key takes several only if one is about a part of what the other is about.
        """
        last = dict.fromkeys(self.above, 0)
        for remark, keys in remarks:
            paths = (path[:2] if path[:2] in SCRIPTS else path for path in map(as_key_path, keys))
            known = [path for path in paths if self.get(path, self) is not self]
            path = next(iter(known[-1:] if remark.is_after else known), None)
            if path is None:
                continue
            if remark.is_after:
                if not self.comments.get(path, "").startswith(TODO):
                    self.comments.pop(path, None)
                self.add_comment(path, " ".join(remark.lines))
            elif remark.first <= last.get(path, remark.first):
                self.add_above(path, [_clean(line) for line in remark.lines])
                last[path] = remark.last

    def add_comment(self, key: str | KeyPath, text: str) -> None:
        """Put a comment after a key, unless it has one or the comment holds a secret."""
        text = _clean(text)
        if text and not holds_secret(text):
            self.comments.setdefault(as_key_path(key), text)

    def add_above(self, key: str | KeyPath, lines: Sequence[str]) -> None:
        """Put lines above a key, without those that hold a secret."""
        kept = [line for line in lines if not holds_secret(line)]
        if kept:
            self.above.setdefault(as_key_path(key), []).extend(kept)


def make_secret_reference(key: str) -> dict[str, Any]:
    """An environment variable of a Secret whose name is missing, which validate refuses."""
    return {"valueFrom": {"secretKeyRef": {"key": key}}}


def _clean(text: str) -> str:
    """A comment on one line, without characters that YAML does not allow."""
    return "".join(char for char in " ".join(text.split()) if char.isprintable())


ORDER = (
    *("name", "namespace", "run", "image", "code", "labels", "annotations", "serviceAccount", "workers"),
    *("launcher", "network", "scheduling", "launch", "training", "storage", "ssh", "status", "monitoring"),
    *("lifecycle", "security"),
)
"""The order of the keys at the top, as the presets have it; the keys below follow the defaults."""


def format_values(draft: Draft) -> str:
    """The values file."""
    return write_values(order_values(draft.data), lambda path: draft.comments.get(path, ""), draft.above)


def order_values(data: Any, default: Any = None) -> Any:
    """The same values, their keys in this order; others follow in the order in which they were set."""
    if not isinstance(data, dict):
        return data
    known = load_defaults() if default is None else default if isinstance(default, dict) else {}
    order = [key for key in (ORDER if default is None else known) if key in data]
    return {key: order_values(data[key], known.get(key, {})) for key in dict.fromkeys([*order, *data])}


def walk_keys(value: Any, path: KeyPath = ()) -> Iterator[KeyPath]:
    """The paths of all values below a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in items:
        yield (*path, key)
        yield from walk_keys(child, (*path, key))
