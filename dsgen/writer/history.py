"""What was written to a folder before: according to its index or, without one, to the files in the folder."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from dsgen import __version__
from dsgen.errors import DsgenError
from dsgen.writer.folder import Folder, RefusedError
from dsgen.writer.index import INDEX, Index, Run, compute_checksum, read_index, use_unix_line_ends
from dsgen.writer.plan import Plan, compute_run_checksum, remove_suspension

TEMPORARY = re.compile(r"\.dsgen-(index-)?[0-9a-f]{16}\.tmp")
_OBJECT = re.compile(r".*\.yaml")
_LABELS_WITHIN = 2**16  # characters; labels are at the beginning, and searching a large file takes long
# The labels of an object of a run, as the templates write them; texts from the values are indented more.
_RUN = re.compile(
    r"^metadata:\n(?:  .*\n)*?  labels:\n"
    r'(?:    .*\n)*?    dsgen\.dev/job: "([^"\n]*)"\n'
    r'(?:    .*\n)*?    dsgen\.dev/run: "([^"\n]*)"\n',
    re.MULTILINE,
)


@dataclass(frozen=True)
class History:
    """The history of a folder.

    index: empty if the folder has none.
    leftovers: files of interrupted writes; interrupted: the complete indexes among them.
    shown: run id -> path -> frozen text, for files with labels of the plan's job in a folder without an index.
    """

    index: Index = field(default_factory=Index)
    leftovers: tuple[str, ...] = ()
    interrupted: tuple[Index, ...] = ()
    shown: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def paths(self) -> set[str]:
        """The paths that dsgen wrote, or began to write."""
        return {path for index in (self.index, *self.interrupted) for path in index.files}

    @property
    def runs(self) -> frozenset[str]:
        """The ids of all runs that were in the folder."""
        return frozenset(run for index in (self.index, *self.interrupted) for run in index.runs) | self.shown.keys()

    def wrote(self, path: str, content: bytes) -> bool:
        """Whether dsgen wrote this content, or began to write it."""
        return compute_checksum(content) in {index.files.get(path) for index in (self.index, *self.interrupted)}

    def plan_index(self, plan: Plan) -> Index:
        """The index after this plan; the present one if nothing but the version of dsgen differs."""
        old = self.index
        runs = dict(old.runs)
        if plan.run:
            runs = {run: Run(compute_run_checksum(texts)) for run, texts in self.shown.items()} | runs
            known = runs.pop(plan.run, None)
            if known is None or (not plan.kept and known.sha256 != plan.run_checksum):
                known = Run(plan.run_checksum, __version__)
            runs = {plan.run: known, **runs}  # the newest is the first, so that a diff of a new run has only its line
        made_of = "" if plan.kept else plan.made_of
        new = Index(
            plan.owner,
            plan.run,
            plan.checksums,
            plan.frozen,
            runs,
            values=plan.values,
            made_of=made_of,
            runtime=plan.runtime,
        )
        return old if replace(new, dsgen=old.dsgen, made_of=old.made_of) == old else new


def make_temporary_name(path: str) -> str:
    """An unpredictable temporary name for a file that will be moved to a path; names for indexes are recognisable."""
    return f".dsgen-{'index-' if path == INDEX else ''}{os.urandom(8).hex()}.tmp"


def read_history(folder: Folder, plan: Plan) -> History:
    """The history of the folder of a plan.

    Raises RefusedError if the index is not a regular file, or a newer dsgen wrote it, and DsgenError if it is invalid.
    """
    index = read_index(folder)
    leftovers = folder.list_files(TEMPORARY)
    if leftovers:  # or files of another process that is writing
        leftovers = folder.list_files(TEMPORARY) if folder.lock(wait=False) else []
    interrupted = tuple(_list_interrupted(folder, leftovers, plan))
    lost = index is None and not interrupted and plan.run
    return History(index or Index(), tuple(leftovers), interrupted, _find_shown_runs(folder, plan) if lost else {})


def _list_interrupted(folder: Folder, leftovers: list[str], plan: Plan) -> list[Index]:
    indexes = []
    for name in leftovers:
        # An invalid index: the write was interrupted in it, before any other file was changed.
        with contextlib.suppress(DsgenError):
            index = read_index(folder, name) if name.startswith(f"{INDEX}-") else None
            indexes += [index] if index and index.owner == plan.owner else []
    return indexes


def _find_shown_runs(folder: Folder, plan: Plan) -> dict[str, dict[str, str]]:
    jobs = {_read_labels(plan.files[path])[0] for path in plan.frozen}
    shown: dict[str, dict[str, str]] = {}
    for path in folder.list_files(_OBJECT):
        try:
            text = use_unix_line_ends(folder.read(path) or b"").decode()
        except (RefusedError, UnicodeDecodeError):  # not written by dsgen
            continue
        job, run = _read_labels(text)
        if run and job in jobs:
            shown.setdefault(run, {})[path] = remove_suspension(text)
    return shown


def _read_labels(text: str) -> tuple[str, str]:
    """Job and run of an object; empty if it does not belong to a run."""
    match = _RUN.search(text[:_LABELS_WITHIN])
    return (match[1], match[2]) if match else ("", "")
