"""What a plan would change in a folder, and what stands in the way of it."""

from __future__ import annotations

from dsgen.errors import DsgenError
from dsgen.writer.folder import Folder, Refused
from dsgen.writer.freezing import judge
from dsgen.writer.history import TEMPORARY, read_history
from dsgen.writer.index import INDEX, checksum, read_index, unix
from dsgen.writer.plan import Changes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dsgen.writer.freezing import Found
    from dsgen.writer.history import History
    from dsgen.writer.paths import Place
    from dsgen.writer.plan import Mode, Plan


def compare(place: Place, plan: Plan, mode: Mode = "keep") -> Changes:
    """Compare a folder with a plan, changing nothing.

    Raises DsgenError when the folder's index cannot be understood, or something in it cannot be read.
    """
    with Folder(place) as folder:
        try:
            history = read_history(folder, plan)
        except Refused as refusal:
            return Changes(refusals=refusal.lines)
        if history.index.owner not in ("", plan.owner):
            return Changes(refusals=(_of_another(place, plan, history),))
        plan = plan.listed()
        found, blocked = _read(folder, {*plan.files, *history.paths})
    if blocked:
        return Changes(refusals=blocked, leftovers=history.leftovers)
    verdict = judge(place, plan, found, history, mode)
    plan = verdict.plan.listed()
    write = sorted(path for path, text in plan.files.items() if found[path] != unix(text.encode()))
    remove = sorted(path for path in history.paths if path not in plan.files and found[path] is not None)
    refusals = (*_in_the_way(place, plan, [*write, *remove], found, history), *verdict.refusals)
    differs = history.next_index(plan) != history.index
    return Changes(
        tuple(write),
        tuple(remove),
        refusals,
        history.leftovers,
        verdict.problems,
        plan,
        verdict.renewed,
        differs,
        history.runs,
        len(plan.files) - len(write),
    )


def untouched(place: Place, made_of: str) -> Changes | None:
    """No changes, where the index says that the folder is made of this, and all files are as it says.

    None where only `compare` can tell. Whoever can change both files and index can deceive this.
    """
    with Folder(place) as folder:
        try:
            index = read_index(folder)
            if index is None or index.made_of != made_of or folder.files(TEMPORARY):
                return None
            files = ((folder.read(path), known) for path, known in index.files.items())
            is_same = all(content is not None and checksum(content) == known for content, known in files)
        except DsgenError:
            return None
    return Changes(runs=frozenset(index.runs), unchanged=len(index.files)) if is_same else None


def texts(place: Place, paths: Iterable[str]) -> dict[str, str]:
    """The texts of those files of a folder that are there. Raises DsgenError for what cannot be read, or is no file."""
    with Folder(place) as folder:
        found = {path: folder.read(path) for path in paths}
    return {path: unix(content).decode(errors="replace") for path, content in found.items() if content is not None}


def _read(folder: Folder, paths: set[str]) -> tuple[dict[str, bytes | None], tuple[str, ...]]:
    """The content of each file, with line ends of Unix; and the refusals for what is no file, or below no folder."""
    found: dict[str, bytes | None] = {}
    blocked = set()
    for path in paths:
        try:
            content = folder.read(path)
        except Refused as refusal:
            blocked.add(str(refusal))
        else:
            found[path] = None if content is None else unix(content)
    return found, tuple(sorted(blocked))


def _of_another(place: Place, plan: Plan, history: History) -> str:
    return f"{place.path} holds {history.index.owner}: give {plan.owner} a folder of its own, or delete {_ours(place)}"


def _in_the_way(place: Place, plan: Plan, paths: Sequence[str], found: Found, history: History) -> Iterator[str]:
    """Refusals for files that would be lost: not written by dsgen, or edited since."""
    shown = history.shown.get(plan.run, {})
    for path in paths:
        content = found[path]
        # An empty file is nobody's work: a machine that loses power leaves such. `freezing` tells of a run that shows.
        if not content or path in shown:
            continue
        if path not in history.paths:
            yield f"{place.path / path} is in the way: dsgen did not write it. Move it, or choose another folder"
        elif not history.wrote(path, content):
            yield (
                f"{place.path / path} was edited since dsgen wrote it. "
                "Put the change into the values file, then delete this file and render again"
            )


def _ours(place: Place) -> str:
    """What to delete: never the folder, which may hold files of the user's."""
    return f"{place.path / INDEX} and the files that it names"
