"""Writes what was made into a folder, and remembers there what it wrote.

A `Plan` is everything that one folder shall hold. `compare` says what would change and what stands in the way, `write`
does it: all new texts are first written beside their targets and synced to disk, then renamed over them, so that a full
disk leaves the folder as it was.

The index `.dsgen-index` (JSON; without an extension, so that kubectl, Argo CD and Flux leave it alone) has the checksum
of every file that was written. From it follows what is never done: overwriting what dsgen did not write or what was
edited since, filling the folder of another job, and changing an object of a run that was rendered before.
"""

import contextlib
import errno
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from dsgen.errors import EXIT_FINDINGS, DsgenError

INDEX = ".dsgen-index"
INDEX_VERSION = 1

# The one field of a run's objects that may change without a new run id. Two blanks: it is a field of the object's own
# `spec`, never text in a ConfigMap.
_SUSPEND = re.compile(r"^  suspend: (?:true|false)\n", re.MULTILINE)


_NO_FILE = b"\xff"  # no text in UTF-8 has these bytes
_REMEDIES = {
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), "make it writable, or choose another folder"),
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), "make room there, or choose another folder"),
}


class Refused(DsgenError):  # noqa: N818 - its message is shown as it is
    """Nothing was written, because something in the folder would be lost or a run would change."""

    exit_code = EXIT_FINDINGS


@dataclass(frozen=True)
class Plan:
    """All files of one folder.

    owner: what the folder is about, in words ("job training/cifar"); a folder has one owner.
    files: relative path with `/` -> text.
    run, frozen: the run's id and the paths of the files that belong to it alone and must not change under the same id.
    """

    owner: str
    files: Mapping[str, str]
    run: str = ""
    frozen: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Changes:
    """What a write would do: relative paths, sorted; refusals are sentences."""

    write: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()

    @property
    def stale(self) -> bool:
        """Whether the folder differs from the plan."""
        return bool(self.write or self.remove or self.refusals)


@dataclass(frozen=True)
class _Index:
    """What the folder's index says. files: path -> checksum; runs: run id -> checksum of that run's objects."""

    owner: str = ""
    run: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    frozen: frozenset[str] = frozenset()
    runs: Mapping[str, str] = field(default_factory=dict)


def compare(directory: Path, plan: Plan) -> Changes:
    """Compare a folder with a plan, changing nothing.

    Raises DsgenError when the folder's index cannot be understood.
    """
    if blocked := {not_a_folder((directory / path).parent) for path in plan.files} - {""}:
        return Changes(refusals=tuple(sorted(blocked)))
    index = _read_index(directory)
    if index.owner not in ("", plan.owner):
        owned = f"{directory} holds {index.owner}: give {plan.owner} a folder of its own, or delete {_ours(directory)}"
        return Changes(refusals=(owned,))
    found = {path: _look(directory / path) for path in {*plan.files, *index.files}}
    write = sorted(path for path, text in plan.files.items() if found[path] != text.encode())
    remove = sorted(path for path in index.files if path not in plan.files and found[path] is not None)
    refusals = [*_in_the_way(directory, [*write, *remove], found, index), *_thawed(directory, plan, found, index)]
    return Changes(tuple(write), tuple(remove), tuple(refusals))


def write(directory: Path, plan: Plan, changes: Changes) -> None:
    """Carry out `changes` (the result of `compare` for this folder and plan).

    Raises Refused when something stands in the way, and DsgenError when there is no room or no right to write, both
    with the folder as it was.
    """
    if changes.refusals:
        raise Refused("\n".join(changes.refusals))
    texts = {path: plan.files[path] for path in changes.write}
    index = _index_text(plan, _read_index(directory))
    if _read(directory / INDEX) != index.encode():
        # The last to be renamed: a crash before it leaves files that the same plan finds unchanged or gone.
        texts[INDEX] = index
    with _staged(directory, texts) as staged, writing(directory):
        for path in changes.remove:
            (directory / path).unlink()
            _drop_empty(directory, PurePosixPath(path).parents)
        for temporary, target in staged:
            temporary.replace(target)


def not_a_folder(path: Path) -> str:
    """The refusal when something that is no folder stands in the place of this one or of one above; else empty."""
    there = next((each for each in (path, *path.parents) if os.path.lexists(each)), None)
    if there is None or there.is_dir():
        return ""
    return f"{there} is in the way: it is {_kind(there)}, not a folder. Move it, or choose another folder"


@contextlib.contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Says what the disk refuses of the folder: which file it was is dsgen's own affair, and may have an odd name.

    Raises DsgenError in place of OSError.
    """
    try:
        yield
    except OSError as error:
        there = next((each for each in (folder, *folder.parents) if each.exists()), folder)
        remedy = _REMEDIES.get(error.errno or 0, "choose another folder")
        raise DsgenError(f"cannot write into {there}: {error.strerror}; {remedy}") from error


def frozen_text(text: str) -> str:
    """The part of an object's text that may not change while its run id stays."""
    return _SUSPEND.sub("", text)


def _in_the_way(
    directory: Path, paths: Sequence[str], found: Mapping[str, bytes | None], index: _Index
) -> Iterator[str]:
    """Refusals for files that would be lost: not written by dsgen, or edited since."""
    for path in paths:
        content = found[path]
        if content is None:
            continue
        if content is _NO_FILE or path not in index.files:
            why = f"it is {_kind(directory / path)}" if content is _NO_FILE else "dsgen did not write it"
            yield f"{directory / path} is in the way: {why}. Move it, or choose another folder"
        elif _checksum(content) != index.files[path]:
            yield (
                f"{directory / path} was edited since dsgen wrote it. "
                "Put the change into the values file, then delete this file and render again"
            )


def _thawed(directory: Path, plan: Plan, found: Mapping[str, bytes | None], index: _Index) -> Iterator[str]:
    """The refusal for a run that was rendered before and would change."""
    if index.runs.get(plan.run) in (None, _run_checksum(plan)):
        return
    here = index.frozen if index.run == plan.run else frozenset()
    changed = sorted(path for path in here | plan.frozen if _frozen_content(found[path]) != _frozen_plan(plan, path))
    yield (
        f'run "{plan.run}" of {plan.owner} was rendered into {directory} before and would change: '
        f"{', '.join(changed)}\n"
        "A run keeps what it began with: change run.id to train with the new values. "
        f"If this run was never applied, delete {_ours(directory)}, and render again"
    )


def _ours(directory: Path) -> str:
    """What to delete: never the folder, which may hold files of the user's."""
    return f"{directory / INDEX} and the files that it names"


def _frozen_content(content: bytes | None) -> str | None:
    return None if content is None else frozen_text(content.decode(errors="replace"))


def _frozen_plan(plan: Plan, path: str) -> str | None:
    return frozen_text(plan.files[path]) if path in plan.frozen else None


def _run_checksum(plan: Plan) -> str:
    return _checksum("".join(f"{path}\0{frozen_text(plan.files[path])}\0" for path in sorted(plan.frozen)).encode())


def _index_text(plan: Plan, old: _Index) -> str:
    """The new index: the files of this plan, and one checksum for every run that was ever rendered here."""
    files: dict[str, dict[str, str]] = {}
    for path in sorted(plan.files):
        run = {"run": plan.run} if path in plan.frozen else {}
        files[path] = {**run, "sha256": _checksum(plan.files[path].encode())}
    content: dict[str, Any] = {"version": INDEX_VERSION, "owner": plan.owner}
    if plan.run:
        content |= {"run": plan.run, "runs": {**old.runs, plan.run: _run_checksum(plan)}}
    return json.dumps({**content, "files": files}, indent=2) + "\n"


def _read_index(directory: Path) -> _Index:
    content = _read(directory / INDEX)
    if content is None:
        return _Index()
    try:
        return _parse_index(json.loads(content))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DsgenError(
            f"{directory / INDEX} cannot be understood ({error}). "
            "Restore it from version control, or delete it together with what dsgen wrote beside it, and render again"
        ) from error


def _parse_index(content: Any) -> _Index:
    """Read an index that may have been damaged; a path outside the folder is damage."""
    if content["version"] != INDEX_VERSION:
        raise ValueError(f"its version is {content['version']}, this dsgen knows {INDEX_VERSION}")
    files = {path: str(entry["sha256"]) for path, entry in content["files"].items()}
    for path in files:
        if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
            raise ValueError(f"it names {path}, which is outside the folder")
    frozen = frozenset(path for path, entry in content["files"].items() if "run" in entry)
    return _Index(str(content["owner"]), str(content.get("run", "")), files, frozen, dict(content.get("runs", {})))


def _read(path: Path) -> bytes | None:
    """The content of a file; None when there is none."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _look(path: Path) -> bytes | None:
    """The content of a file, _NO_FILE for anything else; None when there is nothing."""
    if path.is_file():
        return path.read_bytes()
    return _NO_FILE if os.path.lexists(path) else None


def _kind(path: Path) -> str:
    """What something is that has no content to compare."""
    if path.is_symlink() and not path.exists():
        return "a link that leads nowhere"
    return "a folder" if path.is_dir() else "a file" if path.is_file() else "something else"


def _checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@contextlib.contextmanager
def _staged(directory: Path, texts: Mapping[str, str]) -> Iterator[list[tuple[Path, Path]]]:
    """Write every text beside its target, where it goes away again unless it is renamed."""
    staged: list[tuple[Path, Path]] = []
    made: list[Path] = []
    try:
        for path, text in texts.items():
            target = directory / path
            made += [folder for folder in (target.parent, *target.parent.parents) if not folder.exists()]
            temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
            staged.append((temporary, target))
            with writing(target.parent):
                target.parent.mkdir(parents=True, exist_ok=True)
                _write_synced(temporary, text)
        yield staged
    except BaseException:  # an interrupt, too, must not leave half-written files
        for temporary, _ in staged:
            temporary.unlink(missing_ok=True)
        for folder in sorted(made, reverse=True):
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise


def _write_synced(path: Path, text: str) -> None:
    with path.open("wb") as stream:
        stream.write(text.encode())
        stream.flush()
        os.fsync(stream.fileno())


def _drop_empty(directory: Path, parents: Iterable[PurePosixPath]) -> None:
    """Remove the folders, innermost first, that a removed file left empty; never `directory` itself."""
    for parent in parents:
        if parent.parts:
            with contextlib.suppress(OSError):
                (directory / parent).rmdir()
