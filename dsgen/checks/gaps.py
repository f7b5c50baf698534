"""Values in which something is wrong: a default stands in its place, and whoever looks at that is noticed.

What a check finds without looking at such a gap is true however the rest is mended, so it is told in the same run.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dsgen import schema
from dsgen.problems.diagnostics import Path

NEUTRAL = {"string": "", "integer": 0, "number": 0, "boolean": False, "array": []}


class Watch:
    """Whether a gap was looked at since the start of a row."""

    def __init__(self) -> None:
        self.missed = False

    def start(self) -> bool:
        """Begins a row; always true, so that it can stand before the row's condition."""
        self.missed = False
        return True


class _Map(dict[str, Any]):
    """A map in which the values of some keys are not known; `whole`: of none. Going through the others is no look."""

    def __init__(self, data: dict[str, Any], watch: Watch, whole: bool = False) -> None:
        super().__init__(data)
        self.watch, self.whole, self.gone = watch, whole, set[Any]()

    def _look(self, key: Any) -> None:
        self.watch.missed |= self.whole or key in self.gone

    def __getitem__(self, key: str) -> Any:
        self._look(key)
        return super().get(key)

    def get(self, key: str, default: Any = None) -> Any:
        self._look(key)
        return super().get(key, default)

    def __contains__(self, key: object) -> bool:
        self._look(key)
        return super().__contains__(key)

    def __bool__(self) -> bool:
        self.watch.missed |= not super().__len__()
        return super().__len__() > 0

    def __len__(self) -> int:
        self.watch.missed = True
        return super().__len__()


class _List(list[Any]):
    """A list with items that are not known: what is not among the others may be one of them."""

    def __init__(self, data: list[Any], watch: Watch) -> None:
        super().__init__(data)
        self.watch = watch

    def __contains__(self, item: object) -> bool:
        found = super().__contains__(item)
        self.watch.missed |= not found
        return found


def mark(values: dict[str, Any], unknown: Iterable[Path], watch: Watch) -> dict[str, Any]:
    """A tree of complete values that tells the watch when one of these paths is looked at.

    values: complete, without what is wrong; its maps and lists may be used in the new tree.
    """
    root = _Map(values, watch)
    for path in sorted(unknown, key=len):
        _mark(root, path, (), watch)
    return root


def _mark(here: Any, path: Path, above: Path, watch: Watch) -> None:
    key, rest = path[0], path[1:]
    child = _child(here, key)
    if rest and isinstance(child, dict if isinstance(rest[0], str) else list):
        if not isinstance(child, _Map | _List):
            child = here[key] = _Map(child, watch) if isinstance(child, dict) else _List(child, watch)
        _mark(child, rest, (*above, key), watch)
    elif isinstance(here, _Map):
        here.gone.add(key)
    elif child is None:
        here[key] = _neutral((*above, key), watch)


def _child(here: Any, key: Any) -> Any:
    if isinstance(here, dict):
        return dict.get(here, key)
    return here[key] if key < len(here) else None


def _neutral(path: Path, watch: Watch) -> Any:
    """What stands for an item of a list that is wrong itself, so that those behind it keep their indices."""
    types = schema.types(schema.type_at(path) or {}) or ["object"]
    return _Map({}, watch, whole=True) if types[0] == "object" else NEUTRAL[types[0]]
