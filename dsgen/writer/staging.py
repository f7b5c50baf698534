"""Carries out what a comparison found: every new text is a whole file before the first one takes its place.

Whatever ends the program, each file is old or new. What a kill leaves beside them is the new texts that have not taken
their places, among them the index, the last to do so: from it the next comparison knows what was about to be written.
"""

from __future__ import annotations

import contextlib
import errno

from dsgen.errors import DsgenError
from dsgen.writer.folder import Folder, Refused, SourceFolder
from dsgen.writer.history import read_history, temporary
from dsgen.writer.index import INDEX
from dsgen.writer.paths import Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from dsgen.writer.plan import Changes, Plan

_REMEDIES = {
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), "make it writable, or choose another folder"),
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), "make room there, or choose another folder"),
}


def write(place: Place, plan: Plan, changes: Changes) -> None:
    """Carry out `changes` (the result of `compare` for this folder and plan).

    Raises Refused when something stands in the way, and DsgenError when there is no room or no right to write, both
    with the folder as it was.
    """
    plan = changes.plan or plan
    if changes.refused:
        raise Refused(*changes.refusals, *(part for one in changes.problems for part in (one.message, one.hint)))
    if not (changes.stale or changes.index):
        return
    with Folder(place) as folder:
        history = read_history(folder, plan)
        index = history.next_index(plan)
        texts = {path: plan.files[path] for path in changes.write}
        if plan.files and index != history.index:
            texts[INDEX] = index.as_text()
        with _writing(place.path):
            staged = _stage(folder, texts)
            # What interrupts the rest leaves what a kill leaves.
            _remove(folder, changes.remove, history.paths.difference(plan.files))
            for path, name in staged.items():
                folder.rename(name, path)
            for name in history.leftovers:
                folder.remove(name)
            if not plan.files:
                folder.remove(INDEX)  # the last: until then, the next call goes on
                folder.drop("")


def rewrite(place: Place, name: str, text: str) -> None:
    """Replace the text of a file of the user's, with the same permissions. Raises Refused when it is no plain file."""
    with SourceFolder(place) as folder, _writing(place.path):
        mode = folder.mode(name)
        new = temporary(name)
        try:
            folder.create(new, text.encode("utf-8", "surrogateescape"), durable=True, mode=mode)
            folder.rename(new, name)
        except BaseException:
            folder.remove(new)
            raise


def create(path: Path, text: str) -> None:
    """Write a new file. Raises Refused when something with this name is there, however short a time."""
    with Folder(Place(path.parent)) as folder, _writing(path.parent):
        folder.make()
        try:
            folder.create(path.name or ".", text.encode())
        except FileExistsError as error:
            raise Refused(
                f"{path} is there already, and init never overwrites: choose another name, or delete it"
            ) from error


def _stage(folder: Folder, texts: dict[str, str]) -> dict[str, str]:
    """Write every text under a name of its own; returns these by path. What fails leaves nothing."""
    staged = {path: temporary(path) for path in texts}
    try:
        folder.make()
        folder.lock(wait=True)
        for path, name in staged.items():
            folder.make(path.rpartition("/")[0])
            # Of all files, the index alone cannot be made again from the values.
            folder.create(name, texts[path].encode(), durable=path == INDEX)
    except BaseException:  # an interrupt, too
        for name in staged.values():
            folder.remove(name)
        folder.undo()
        raise
    return staged


def _remove(folder: Folder, paths: Collection[str], unwanted: Collection[str]) -> None:
    """Remove files, and the folders that they or others that are gone already have left empty."""
    for path in paths:
        folder.remove(path)
    for path in unwanted:
        while path := path.rpartition("/")[0]:
            folder.drop(path)


@contextlib.contextmanager
def _writing(folder: Path) -> Iterator[None]:
    """Says what the disk refuses of the folder: which file it was is dsgen's own affair, and may have an odd name.

    Raises DsgenError in place of OSError.
    """
    try:
        yield
    except OSError as error:
        there = next((each for each in (folder, *folder.parents) if each.exists()), folder)
        remedy = _REMEDIES.get(error.errno or 0, "choose another folder")
        raise DsgenError(f"cannot write into {there}: {error.strerror}; {remedy}") from error
