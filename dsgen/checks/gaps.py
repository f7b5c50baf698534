"""Evaluates rows, also with values of which some are unknown, because the user must correct them first.

A default replaces each unknown value, and reading it is recorded. A problem that a check reports without reading an
unknown value does not depend on it, so it can be reported in the same run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from dsgen import schema
from dsgen.checks.row import Check
from dsgen.problems import KeyPath

Find = Callable[[Mapping[str, Any], Mapping[str, str], "Watch"], Iterator[tuple[KeyPath, str]]]


NEUTRAL = {"string": "", "integer": 0, "number": 0, "boolean": False, "array": []}


class Watch:
    """Records whether an unknown value was read since the start of a row."""

    def __init__(self) -> None:
        self.was_read = False

    def start(self) -> bool:
        """Starts a row; returns True, so that it can be part of the row's condition."""
        self.was_read = False
        return True


class _Map(dict[str, "Any"]):
    """A map in which some values are unknown, or all of them (`whole`). Iterating over it is not recorded."""

    def __init__(self, data: dict[str, Any], watch: Watch, whole: bool = False) -> None:
        super().__init__(data)
        self.watch, self.whole = watch, whole
        self.unknown: set[Any] = set()

    def _record(self, key: Any) -> None:
        self.watch.was_read |= self.whole or key in self.unknown

    def __getitem__(self, key: str) -> Any:
        self._record(key)
        return super().get(key)

    def get(self, key: str, default: Any = None) -> Any:
        self._record(key)
        return super().get(key, default)

    def __contains__(self, key: object) -> bool:
        self._record(key)
        return super().__contains__(key)

    def __bool__(self) -> bool:
        self.watch.was_read |= not super().__len__()
        return super().__len__() > 0

    def __len__(self) -> int:
        self.watch.was_read = True
        return super().__len__()


class _List(list["Any"]):
    """A list with unknown items, each of which may be any value."""

    def __init__(self, data: list[Any], watch: Watch) -> None:
        super().__init__(data)
        self.watch = watch

    def __contains__(self, item: object) -> bool:
        is_known = super().__contains__(item)
        self.watch.was_read |= not is_known
        return is_known


def mark(values: dict[str, Any], unknown: Iterable[KeyPath], watch: Watch) -> dict[str, Any]:
    """The values as a tree that records in `watch` when one of the unknown paths is read.

    values: complete, with defaults for what is unknown; the new tree may share its maps and lists.
    """
    root = _Map(values, watch)
    for path in sorted(unknown, key=len):
        _mark(root, path, (), watch)
    return root


def _mark(here: Any, path: KeyPath, above: KeyPath, watch: Watch) -> None:
    key, rest = path[0], path[1:]
    child = _find_child(here, key)
    if rest and isinstance(child, dict if isinstance(rest[0], str) else list):
        if not isinstance(child, _Map | _List):
            child = here[key] = _Map(child, watch) if isinstance(child, dict) else _List(child, watch)
        _mark(child, rest, (*above, key), watch)
    elif isinstance(here, _Map):
        here.unknown.add(key)
    elif child is None:
        here[key] = _make_neutral((*above, key), watch)


def _find_child(here: Any, key: Any) -> Any:
    if isinstance(here, dict):
        return dict.get(here, key)
    return here[key] if key < len(here) else None


def _make_neutral(path: KeyPath, watch: Watch) -> Any:
    """A replacement for an unknown item of a list, so that the items after it keep their indices."""
    types = schema.list_types(schema.find_part(path) or {}) or ["object"]
    return _Map({}, watch, whole=True) if types[0] == "object" else NEUTRAL[types[0]]


def evaluate_rows(
    rows: Sequence[Check], values: Mapping[str, Any], release: Mapping[str, str], watch: Watch
) -> Iterator[tuple[Check, KeyPath, str]]:
    """For each problem that does not depend on an unknown value: its row, path and message."""
    from dsgen.generated.checks import ROWS  # imported late: the compiler that writes it imports the rows

    functions: Sequence[Find] = ROWS
    for row, function in zip(rows, functions, strict=True):
        watch.start()
        for path, message in function(values, release, watch):
            if not watch.was_read:
                yield row, path, message
