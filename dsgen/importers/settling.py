"""Makes the values valid but for the holes: what dsgen refuses is taken out, and reported as lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dsgen import values
from dsgen.importers.draft import Draft, as_key_path
from dsgen.importers.ledger import Hole, Ledger
from dsgen.importers.writing import format_values
from dsgen.problems import Diagnostic, KeyPath, path_text
from dsgen.reading.nodes import SourceText

MOST_ROUNDS = 8
PRIVILEGED = "podSecurityLevel: privileged"
MISSING = object()
REFUSED = "dsgen refuses it"
TOO_SMALL = "DS278"
"""A warning about a request of the source for its launcher: dsgen has a larger default."""


def settle(draft: Draft, ledger: Ledger) -> None:
    """Change a draft until `dsgen validate` has no errors but those of its holes."""
    for _ in range(MOST_ROUNDS):
        errors = _find_errors(draft)
        if not errors:
            return
        if any(PRIVILEGED in error.hint for error in errors) and not draft.get("security.podSecurityLevel"):
            draft.set("security.podSecurityLevel", "privileged")
            continue
        for error in errors:
            _take_out(draft, ledger, error)
    for error in _find_errors(draft):
        draft.holes.append(Hole(path_text(error.path), error.message))


def _find_errors(draft: Draft) -> list[Diagnostic]:
    """The errors of the values, and requests that are too small, without those that holes cause."""
    job = values.load([SourceText("values.yaml", format_values(draft))])
    holes = [as_key_path(hole.key) for hole in draft.holes]
    return [
        one
        for one in job.problems()
        if (one.severity == "error" or one.id == TOO_SMALL) and not _is_hole(one.path, holes)
    ]


def _is_hole(path: Sequence[str | int], holes: Sequence[KeyPath]) -> bool:
    return any(tuple(path[: len(hole)]) == hole or hole[: len(path)] == tuple(path) for hole in holes)


def _take_out(draft: Draft, ledger: Ledger, error: Diagnostic) -> None:
    """Remove the value that an error is about; what became this key is lost."""
    path = _find_removable(tuple(error.path))
    if len(path) < 2 or draft.get(path, MISSING) is MISSING:
        if path and path[0] in ("name", "namespace"):
            draft.set_hole(path, "", error.message)
        else:
            draft.holes.append(Hole(path_text(error.path), error.message))
        return
    draft.remove(path)
    if path[1:3] == ("resources", "limits"):
        draft.remove((path[0], "resources", "requests", *path[3:]))  # it was set to the limit
    for key in [key for key in draft.comments if key[: len(path)] == path]:
        del draft.comments[key]
    why = error.message if error.id == TOO_SMALL else f"{REFUSED}: {error.message}"
    for index, entry in enumerate(ledger.entries):
        if entry.fate == "mapped" and as_key_path(entry.to)[: len(path)] == path:
            ledger.entries[index] = replace(entry, fate="lost", to="", why=why, hint=error.hint)


def _find_removable(path: KeyPath) -> KeyPath:
    """The part of a path whose value can be removed as a whole."""
    if path[:1] == ("storage",):
        return path[:2]
    if path[:2] == ("training", "env"):
        return path[:3]
    cut = next((index for index, part in enumerate(path) if isinstance(part, int)), len(path))
    return path[:cut]
