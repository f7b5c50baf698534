"""Computes the next run id, and writes it and the values of --set flags into the text of a values file.

The new text is read again before it is used: the file must have the same values except for the changed ones, and the
job the same values without the flags.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from dsgen.editing import NotWritableError, set_value
from dsgen.errors import UsageError
from dsgen.language.text import format_value
from dsgen.problems import Diagnostic, KeyPath, Position, path_text
from dsgen.reading import read, set_values
from dsgen.reading.nodes import Node, Override, SourceText
from dsgen.runs.keys import find_differing
from dsgen.schema import MISSING, look_up, put
from dsgen.schema.default_values import takes_null
from dsgen.values import Job

ID: KeyPath = ("run", "id")
SIZE: tuple[KeyPath, ...] = (("workers",), ("workers", "replicas"), ("workers", "slots"))
LONGEST = 20
ABOVE = ("namespace", "name")
"""`run` is added after the first of these keys that the file has."""
Reload = Callable[[str], Job]
"""Reads a job with another text of its values file, and without flags."""


@dataclass(frozen=True)
class Bump:
    """A job with its next run id, the new text of its values file, and a summary of the changes."""

    job: Job
    text: str
    summary: str


class _ValueChange(NamedTuple):
    """A changed value of the file. old: MISSING for none; at: the place of the new value, a flag or that of the id."""

    path: KeyPath
    old: Any
    new: Any
    at: Position

    def __str__(self) -> str:
        if isinstance(self.new, dict | list) or isinstance(self.old, dict | list):
            return f"{path_text(self.path)} changed"
        old = "not set" if self.old is MISSING else str(self.old) if self.path == ID else format_value(self.old)
        return f"{path_text(self.path)} {old} -> {self.new if self.path == ID else format_value(self.new)}"


class _RefusedChangeError(Exception):
    def __init__(self, reason: str, path: KeyPath, at: Position) -> None:
        super().__init__(reason)
        self.path, self.at = path, at


def bump(
    job: Job,
    known: Collection[str],
    reload: Reload,
    flags: Sequence[Override] = (),
    has_new_id: bool = True,
    option: str = "--bump",
) -> Bump | Diagnostic:
    """The job with the next unused id and the values of the flags in its file, or a problem. The job has no errors.

    known: the ids that are used; flags: with which the job was read; has_new_id: false to keep the id; option: of the
    command line, for the message.
    """
    node, known_path = job.root.find(ID)
    at = node.position if len(known_path) == len(ID) else Position(job.file, 1, 1)
    try:
        if job.file not in job.sources or job.file == "<stdin>":
            raise _RefusedChangeError("standard input cannot be written", ID, at)
        source = SourceText(job.file, job.sources[job.file])
        changes = [*_list_flag_changes(source, flags)]
        if has_new_id:
            changes = [_change_id(job, {*known}, at), *(change for change in changes if change.path != ID)]
        text = _edit(source, changes)
        summary = ", ".join(map(str, changes)) + _explain_checkpoints(job, changes)
        return Bump(_check(reload(text), job, changes), text, summary)
    except _RefusedChangeError as refusal:
        message = f"{option} cannot write {path_text(refusal.path)} into {job.file}: {refusal}"
        hint = f"write the value there, and repeat the command without {option}"
        if refusal.path == ID:
            hint = "write the next id there, and render again"
        return Diagnostic("DS909", message, refusal.at, refusal.path, hint)


def choose_next_id(old: str, known: Collection[str]) -> str:
    """The first unused id after this one: `1` -> `2`, `exp9` -> `exp10`, `007` -> `008`, `a` -> `a2`; "" for none."""
    parts = re.fullmatch(r"(.*?)([0-9]*)", old)
    assert parts
    prefix, digits = parts.groups()
    number = int(digits or 1)
    for _ in range(len(known) + 1):
        number += 1
        new = f"{prefix}{number:0{len(digits)}}"
        if new not in known and len(new) <= LONGEST:
            return new
    return ""


def _explain_checkpoints(job: Job, changes: Sequence[_ValueChange]) -> str:
    """What becomes of the checkpoints of another number of ranks; "" if the number stays."""
    workers, folder = job.data["workers"], job.data["training"]["deepspeed"]["resize"]["checkpoint"]
    if not folder or not any(change.path in SIZE for change in changes):
        return ""
    ranks = workers["replicas"] * workers["slots"]
    return f"; the first worker converts the newest checkpoint in {folder} if it is not of {ranks} ranks"


def _change_id(job: Job, known: Collection[str], at: Position) -> _ValueChange:
    old = job.data["run"]["id"]
    if at.file != job.file:
        raise _RefusedChangeError(f"run.id is set in {at.file}", ID, at)
    new = choose_next_id(str(old), {*known, str(old)})
    if not new:
        raise _RefusedChangeError(f"no id of at most {LONGEST} characters comes after {old}", ID, at)
    return _ValueChange(ID, old, int(new) if isinstance(old, int) else new, at)


def _list_flag_changes(source: SourceText, flags: Sequence[Override]) -> Iterator[_ValueChange]:
    """The values of the file that flags change."""
    before = read(source).root
    try:
        after, _ = set_values.apply_overrides(before, flags)
    except UsageError as error:
        raise _RefusedChangeError(f"the file lacks a part: {error}", (), Position(flags[0].flag, 1, 1)) from error
    old, new = before.as_data(), after.as_data()
    for path in _list_changed_paths(old, new):
        node = after.find(path)[0]
        if node.value is None and not takes_null(path, Node(None, node.position)):
            raise _RefusedChangeError("null stays in no file; remove the key", path, node.position)
        yield _ValueChange(path, look_up(old, path), look_up(new, path), node.position)


def _list_changed_paths(old: Any, new: Any, path: KeyPath = ()) -> Iterator[KeyPath]:
    """The paths of values that differ; of a new map or list, the path of the whole."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in new:
            yield from _list_changed_paths(old.get(key, MISSING), new[key], (*path, key))
    elif isinstance(old, list) and isinstance(new, list) and len(old) <= len(new):
        for index, value in enumerate(new):
            yield from _list_changed_paths(old[index] if index < len(old) else MISSING, value, (*path, index))
    elif old is MISSING or type(old) is not type(new) or old != new:
        yield path


def _edit(source: SourceText, changes: Sequence[_ValueChange]) -> str:
    """The new text of a values file."""
    mark = "\ufeff" if source.text.startswith("\ufeff") else ""
    text, before = source.text.removeprefix(mark), read(source)
    wanted = before.root.as_data()
    for change in changes:
        try:
            text = set_value(text, change.path, change.new, ABOVE if change.path[0] == "run" else ())
        except NotWritableError as reason:
            raise _RefusedChangeError(str(reason), change.path, change.at) from reason
        wanted = put(wanted, change.path, change.new)
        after = read(SourceText(source.name, mark + text))
        if after.root.as_data() != wanted or [diagnostic.id for diagnostic in after.diagnostics] != [
            one.id for one in before.diagnostics
        ]:
            raise _RefusedChangeError(
                "the text cannot be changed without changing other values", change.path, change.at
            )
    return mark + text


def _check(written: Job, job: Job, changes: Sequence[_ValueChange]) -> Job:
    """The job as it is read from the new text. Raises _RefusedChangeError if it is not the same as with the flags."""
    wanted = job.data
    for change in changes:
        if change.path == ID:
            wanted = put(wanted, ID, change.new)
    if error := next((diagnostic for diagnostic in written.diagnostics if diagnostic.severity == "error"), None):
        raise _RefusedChangeError(error.message, error.path, _find_flag(changes, error.path, job))
    wrong = next(find_differing(wanted, written.data), None)
    if wrong is None:
        return written
    where = written.position(wrong)
    raise _RefusedChangeError(
        f"{where.file if where else 'another file'} sets it, and overrides the file",
        wrong,
        _find_flag(changes, wrong, job),
    )


def _find_flag(changes: Sequence[_ValueChange], path: KeyPath, job: Job) -> Position:
    """The flag that sets a path, or the file."""
    found = (change.at for change in changes if change.path[: len(path)] == path[: len(change.path)])
    return next(found, Position(job.file, 1, 1))
