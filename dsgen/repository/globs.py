"""Finds the files below a folder that match a pattern: `*` and `?` within a name, `**` for any number of folders."""

import os
from collections.abc import Iterator
from fnmatch import fnmatchcase

from dsgen.errors import DsgenError
from dsgen.writer import INDEX

ANY = "**"
DEEPEST = 32
MOST_BEHIND_LINKS = 10_000
"""Names that a search looks at behind links; if there are more, the next link may lead to a match."""
Parts = tuple[str, ...]
States = frozenset[int]


def split_pattern(pattern: str) -> Parts:
    return tuple(part for part in pattern.split("/") if part not in ("", "."))


def matches(path: str, pattern: str) -> bool:
    wanted = split_pattern(pattern)
    states = _close({0}, wanted)
    for name in path.split("/"):
        states = _step(states, wanted, name)
    return len(wanted) in states


def find_files(root: str, pattern: str, into_written: bool = False) -> Iterator[str]:
    """The matching paths that are not folders, and links to folders that lead to a match; sorted in each folder.

    into_written: also search folders that dsgen wrote, and no links. A name with a leading dot matches only a pattern
    with a dot.
    """
    wanted, names = split_pattern(pattern), iter(range(MOST_BEHIND_LINKS))
    waiting: list[tuple[Parts, States]] = [((), _close({0}, wanted))]
    while waiting:
        folder, states = waiting.pop()
        below = []
        entries = _list_entries(root, folder)
        if folder and not into_written and any(name == INDEX for name, _ in entries):
            continue
        for name, kind in entries:
            path, next_states = (*folder, name), _step(states, wanted, name)
            if kind == "folder":
                below += [(path, next_states)] if next_states else []
            elif next_states and (kind == "file" or not into_written):
                link = "" if kind == "file" else "/".join((root, *path))
                if len(wanted) in next_states or (link and _leads_to_match(link, next_states, wanted, names)):
                    yield "/".join(path)
        waiting += reversed(below) if len(folder) < DEEPEST else ()


def _list_entries(root: str, folder: Parts) -> list[tuple[str, str]]:
    """The names in a folder, each with its type."""
    where = "/".join((root, *folder))
    try:
        with os.scandir(where) as entries:
            return sorted((entry.name, _classify(entry)) for entry in entries)
    except OSError as error:
        raise DsgenError(f"cannot read {where}: {error.strerror}") from error


def _classify(entry: os.DirEntry[str]) -> str:
    if entry.is_symlink():
        return "link to a folder" if os.path.isdir(entry.path) else "file"  # noqa: PTH112 - without the import of pathlib
    return "folder" if entry.is_dir(follow_symlinks=False) else "file"


def _leads_to_match(link: str, states: States, wanted: Parts, names: Iterator[int]) -> bool:
    """Whether a match is behind a link to a folder, as far as names say; also if that cannot be known."""
    waiting, seen = [(link, states)], set[tuple[str, States]]()
    while waiting:
        place = os.path.realpath(waiting[-1][0]), waiting.pop()[1]
        if place in seen:
            continue
        seen.add(place)
        try:
            entries = _list_entries(place[0], ())
        except DsgenError:
            return True
        for name, kind in entries if all(name != INDEX for name, _ in entries) else ():
            below = _step(place[1], wanted, name)
            if next(names, None) is None or (kind == "file" and len(wanted) in below):
                return True
            waiting += [("/".join((place[0], name)), below)] if below and kind != "file" else []
    return False


def _step(states: States, wanted: Parts, name: str) -> States:
    """The positions in the pattern after one more name."""
    reached = set()
    for state in states - {len(wanted)}:
        part = wanted[state]
        if name.startswith(".") and not part.startswith("."):
            continue
        if part == ANY:
            reached.add(state)
        elif fnmatchcase(name, part):
            reached.add(state + 1)
    return _close(reached, wanted)


def _close(states: set[int], wanted: Parts) -> States:
    """The positions, including those after a `**`, which also matches no folder."""
    reached = set(states)
    for state in range(len(wanted)):
        if state in reached and wanted[state] == ANY:
            reached.add(state + 1)
    return frozenset(reached)
