"""What may have been meant by a word that is not possible."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from dsgen import schema
from dsgen.nodes import Path, path_text

MOST_SHOWN = 12
"""Possible words that a hint lists when none of them is close to what was written."""
ALMOST = 0.8
"""A likeness that is most likely a slip of the fingers; below it the same key in another place is more likely."""


def closest(word: str, known: Sequence[str], likeness: float = 0.6) -> str:
    """The possible word that is most like this one, whatever its capitals; empty when none is so much like it."""
    lower = {other.lower(): other for other in known}
    close = difflib.get_close_matches(word.lower(), lower, 1, likeness)
    return lower[close[0]] if close else ""


def possible(words: Sequence[str]) -> str:
    """All of them, empty when there are none or too many to read."""
    return "possible: " + ", ".join(word or '""' for word in words) if 0 < len(words) <= MOST_SHOWN else ""


def for_key(key: str, path: Path, part: schema.Schema) -> str:
    """A hint for a key that does not exist in a part of the schema: a like one, one of that name elsewhere, or all."""
    known = sorted(schema.keys(part))
    same = [(*path, *below) for below in _deeper(key, part)] or _elsewhere(key, path)
    found = closest(key, known, ALMOST) or " or ".join(map(path_text, same[:3])) or closest(key, known)
    return f"did you mean {found}?" if found else possible(known)


def _deeper(key: str, part: schema.Schema) -> list[Path]:
    """The keys of this name in what stands directly below, such as podAffinityTerm.topologyKey."""
    found: list[tuple[Path, schema.Schema | None]]
    found = [((name,), schema.child(part, name)) for name in schema.keys(part)]
    found += [((*path, 0), schema.child(one, 0)) for path, one in found if one and "items" in one]
    return [(*path, key) for path, one in found if one and key in schema.keys(one)]


def _elsewhere(key: str, path: Path) -> list[Path]:
    """dsgen's own keys of this name: those of the same section, or else all."""
    named = (other for other, _ in schema.records() if other[-1] == key and "*" not in other)
    found: list[Path] = [other for other in named if other[:-1] != path]
    return [other for other in found if other[0] == path[0]] if len(path) > 1 else found
