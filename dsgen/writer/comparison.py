"""Compares a plan with a folder: the changes, and the reasons to refuse them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from dsgen.errors import DsgenError
from dsgen.writer.folder import Destination, Folder, RefusedError
from dsgen.writer.history import TEMPORARY, History, read_history
from dsgen.writer.immutability import Contents, compare_with_history
from dsgen.writer.index import INDEX, compute_checksum, read_index, use_unix_line_ends
from dsgen.writer.plan import Changes, Mode, Plan


def compare(place: Destination, plan: Plan, mode: Mode = "keep") -> Changes:
    """Compare a folder with a plan, without changing it.

    Raises DsgenError if the index is invalid, or if a file cannot be read.
    """
    with Folder(place) as folder:
        try:
            history = read_history(folder, plan)
        except RefusedError as refusal:
            return Changes(refusals=refusal.lines)
        if history.index.owner not in ("", plan.owner):
            # Not the folder is to be deleted, because it may contain files of the user.
            how = f"use another folder for {plan.owner}, or delete {place.path / INDEX} and the files that it names"
            return Changes(refusals=(f"{place.path} holds {history.index.owner}: {how}",))
        plan = plan.add_lists()
        contents, blocked = _read(folder, {*plan.files, *history.paths})
    if blocked:
        return Changes(refusals=blocked, leftovers=history.leftovers)
    kept, verdict = compare_with_history(place, plan, contents, history, mode)
    plan = kept.add_lists()
    write = sorted(path for path, text in plan.files.items() if contents[path] != use_unix_line_ends(text.encode()))
    remove = sorted(path for path in history.paths if path not in plan.files and contents[path] is not None)
    return replace(
        verdict,
        write=tuple(write),
        remove=tuple(remove),
        refusals=(*_refuse_losses(place, plan, [*write, *remove], contents, history), *verdict.refusals),
        leftovers=history.leftovers,
        plan=plan,
        index=history.plan_index(plan) != history.index,
        runs=history.runs,
        unchanged=len(plan.files) - len(write),
        runtime=plan.runtime,
    )


def find_untouched(place: Destination, made_of: str) -> Changes | None:
    """No changes, if the index has this checksum of inputs, and all files match the index; otherwise None.

    After None, `compare` decides. A change of both the files and the index is not detected.
    """
    with Folder(place) as folder:
        try:
            index = read_index(folder)
            if index is None or index.made_of != made_of or folder.list_files(TEMPORARY):
                return None
            files = ((folder.read(path), known) for path, known in index.files.items())
            is_same = all(content is not None and compute_checksum(content) == known for content, known in files)
            is_same = is_same and not any(_find_links(folder, index.files))
        except DsgenError:
            return None
    return Changes(unchanged=len(index.files), runtime=index.runtime) if is_same else None


def read_texts(place: Destination, paths: Iterable[str]) -> dict[str, str]:
    """The texts of those of the files that exist. Raises DsgenError for a path that is not a readable file."""
    with Folder(place) as folder:
        contents = {path: folder.read(path) for path in paths}
    return {
        path: use_unix_line_ends(content).decode(errors="replace")
        for path, content in contents.items()
        if content is not None
    }


def _read(folder: Folder, paths: set[str]) -> tuple[dict[str, bytes | None], tuple[str, ...]]:
    """The content of each file, with Unix line ends, and a refusal for each path that is not a regular file.

    Other links in the folders of these files are refused, too: Helm and kubectl follow them.
    """
    contents: dict[str, bytes | None] = {}
    blocked = set()
    for path in (*paths, *_find_links(folder, paths)):
        try:
            content = folder.read(path)
        except RefusedError as refusal:
            blocked.add(str(refusal))
        else:
            contents[path] = None if content is None else use_unix_line_ends(content)
    return contents, tuple(sorted(blocked))


def _find_links(folder: Folder, paths: Iterable[str]) -> Iterator[str]:
    """The links in the folders of these files, and in the folder itself."""
    for each in {"", *(path.rpartition("/")[0] for path in paths)}:
        with contextlib.suppress(RefusedError):  # the folder itself is a link: reading its files reports that
            yield from folder.list_links(each)


def _refuse_losses(
    place: Destination, plan: Plan, paths: Sequence[str], contents: Contents, history: History
) -> Iterator[str]:
    """Refusals for files that would be lost: those that dsgen did not write, or that were edited since."""
    shown = history.shown.get(plan.run, {})
    for path in paths:
        content = contents[path]
        # An empty file is no loss: a power failure leaves such files. `immutability` reports files that show a run.
        if not content or path in shown:
            continue
        if path not in history.paths:
            yield f"{place.path / path} is in the way: dsgen did not write it. Move it, or choose another folder"
        elif not history.wrote(path, content):
            yield (
                f"{place.path / path} was edited since dsgen wrote it. "
                "Put the change into the values file, then delete this file and render again"
            )
