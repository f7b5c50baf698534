"""Writes files to a folder, and records there what it wrote.

A `Plan` is the complete content of a folder. `compare` returns the changes and the reasons to refuse them, and `write`
makes the changes. The content of the folder is not trusted, because it may come from a pull request: no link in it is
followed.

All new files are complete under temporary names before the first one is renamed, so each file is always old or new, and
never partial. A kill may leave temporary files. The index is renamed last: by its temporary file, the next comparison
recognises the interrupted write.
"""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator
from pathlib import Path

from dsgen.errors import DsgenError
from dsgen.writer.comparison import compare, find_untouched, read_texts
from dsgen.writer.folder import Destination, Folder, RefusedError, SourceFolder, is_path, name_folder
from dsgen.writer.history import make_temporary_name, read_history
from dsgen.writer.index import INDEX, as_canonical_json, compute_checksum, read_index
from dsgen.writer.plan import Changes, Mode, Plan, remove_suspension

__all__ = [
    "INDEX",
    "Changes",
    "Destination",
    "Folder",
    "Mode",
    "Plan",
    "RefusedError",
    "SourceFolder",
    "as_canonical_json",
    "compare",
    "compute_checksum",
    "create",
    "find_untouched",
    "is_path",
    "name_folder",
    "read_index",
    "read_texts",
    "remove_suspension",
    "rewrite",
    "write",
]

_REMEDIES = {
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), "make it writable, or choose another folder"),
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), "make room there, or choose another folder"),
}


def write(place: Destination, plan: Plan, changes: Changes) -> None:
    """Write `changes`, the result of `compare` for this folder and plan.

    Raises RefusedError if a path is no regular file and no folder, DsgenError if the folder cannot be written. Both
    leave the folder unchanged.
    """
    plan = changes.plan or plan
    if changes.refused:
        raise RefusedError(*changes.refusals, *(part for one in changes.problems for part in (one.message, one.hint)))
    if not (changes.stale or changes.index):
        return
    with Folder(place) as folder:
        history = read_history(folder, plan)
        index = history.plan_index(plan)
        texts = {path: plan.files[path] for path in changes.write}
        if plan.files and index != history.index:
            texts[INDEX] = index.as_text()
        with _convert_errors(place.path):
            staged = _stage(folder, texts)
            # An interrupt from here on has the same effect as a kill.
            for path in changes.remove:
                folder.remove(path)
            for path in history.paths.difference(plan.files):
                while path := path.rpartition("/")[0]:
                    folder.drop(path)  # if it is empty
            for path, name in staged.items():
                folder.rename(name, path)
            for name in history.leftovers:
                folder.remove(name)
            if not plan.files:
                folder.remove(INDEX)  # last, so that the next call can continue an interrupted removal
                folder.drop("")


def rewrite(place: Destination, name: str, text: str) -> None:
    """Replace the text of a file of the user; keep its permissions. Raises RefusedError if it is no regular file."""
    with SourceFolder(place) as folder, _convert_errors(place.path):
        mode = folder.read_mode(name)
        new = make_temporary_name(name)
        try:
            folder.create(new, text.encode("utf-8", "surrogateescape"), durable=True, mode=mode)
            folder.rename(new, name)
        except BaseException:
            folder.remove(new)
            raise


def create(path: Path, text: str) -> None:
    """Write a new file. Raises RefusedError if the name exists, also if it was created at the same moment."""
    with Folder(Destination(path.parent)) as folder, _convert_errors(path.parent):
        folder.make()
        try:
            folder.create(path.name or ".", text.encode())
        except FileExistsError as error:
            raise RefusedError(
                f"{path} exists already, and is not overwritten: choose another name, or delete it"
            ) from error


def _stage(folder: Folder, texts: dict[str, str]) -> dict[str, str]:
    """Write every text to a temporary file; the names by path. An error leaves no files."""
    staged = {path: make_temporary_name(path) for path in texts}
    try:
        folder.make()
        folder.lock(wait=True)
        for path, name in staged.items():
            folder.make(path.rpartition("/")[0])
            # Only the index is synced, because it cannot be rendered again from the values.
            folder.create(name, texts[path].encode(), durable=path == INDEX)
    except BaseException:  # also an interrupt
        for name in staged.values():
            folder.remove(name)
        folder.undo()
        raise
    return staged


@contextlib.contextmanager
def _convert_errors(folder: Path) -> Iterator[None]:
    """Converts OSError to a DsgenError that names the folder, because the name of a temporary file means nothing."""
    try:
        yield
    except OSError as error:
        there = next((each for each in (folder, *folder.parents) if each.exists()), folder)
        remedy = _REMEDIES.get(error.errno or 0, "choose another folder")
        raise DsgenError(f"cannot write into {there}: {error.strerror}; {remedy}") from error
