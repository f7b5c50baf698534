"""What dsgen knows of a folder's past: from its index, and, where that is missing, from what else lies there."""

from __future__ import annotations

import os
import re

from dsgen import __version__
from dsgen.errors import DsgenError
from dsgen.records import dataclass, field, replace
from dsgen.writer.folder import Refused
from dsgen.writer.index import INDEX, Index, Run, checksum, read_index, unix
from dsgen.writer.plan import frozen_text, run_checksum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from dsgen.writer.folder import Folder
    from dsgen.writer.plan import Plan

TEMPORARY = re.compile(r"\.dsgen-(index-)?[0-9a-f]{16}\.tmp")
_OBJECT = re.compile(r".*\.yaml")
_LABELS_WITHIN = 2**16  # characters: they stand at the beginning, and a search through more could take long
# The labels of an object of a run, as the templates write them; never text of the user's, which is deeper.
_RUN = re.compile(
    r"^metadata:\n(?:  .*\n)*?  labels:\n"
    r'(?:    .*\n)*?    dsgen\.dev/job: "([^"\n]*)"\n'
    r'(?:    .*\n)*?    dsgen\.dev/run: "([^"\n]*)"\n',
    re.MULTILINE,
)


@dataclass(frozen=True)
class History:
    """The past of a folder.

    index: empty where there is none.
    leftovers: files of interrupted writes; interrupted: the indexes of these, as far as they are whole.
    shown: run id -> path -> frozen text, of files that show a run of the plan's job although no index is there.
    """

    index: Index = field(default_factory=Index)
    leftovers: tuple[str, ...] = ()
    interrupted: tuple[Index, ...] = ()
    shown: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def paths(self) -> set[str]:
        """All that dsgen wrote or was about to write."""
        return {path for index in (self.index, *self.interrupted) for path in index.files}

    @property
    def runs(self) -> frozenset[str]:
        """The ids of all runs that were in the folder."""
        return frozenset(run for index in (self.index, *self.interrupted) for run in index.runs) | self.shown.keys()

    def wrote(self, path: str, content: bytes) -> bool:
        """Whether a file is as dsgen wrote it, or was about to."""
        return checksum(content) in {index.files.get(path) for index in (self.index, *self.interrupted)}

    def next_index(self, plan: Plan) -> Index:
        """The index after this plan; the one that is there when it says the same, whatever version wrote it."""
        old = self.index
        runs = dict(old.runs)
        if plan.run:
            runs = {run: Run(run_checksum(texts)) for run, texts in self.shown.items()} | runs
            known = runs.get(plan.run)
            if known is None or (not plan.kept and known.sha256 != plan.run_checksum):
                runs[plan.run] = Run(plan.run_checksum, __version__)
        made_of = "" if plan.kept else plan.made_of
        new = Index(plan.owner, plan.run, plan.checksums, plan.frozen, runs, values=plan.values, made_of=made_of)
        return old if replace(new, dsgen=old.dsgen, made_of=old.made_of) == old else new


def temporary(path: str) -> str:
    """A name that nobody can foresee for what will be moved to a path; that of an index can be told from others."""
    return f".dsgen-{'index-' if path == INDEX else ''}{os.urandom(8).hex()}.tmp"


def read_history(folder: Folder, plan: Plan) -> History:
    """The past of a folder that a plan is for.

    Raises Refused when the index is a link, for example, or of a newer dsgen; DsgenError when it cannot be understood.
    """
    index = read_index(folder)
    leftovers = folder.files(TEMPORARY)
    if leftovers:  # or texts of another process, which is writing
        leftovers = folder.files(TEMPORARY) if folder.lock(wait=False) else []
    interrupted = tuple(_interrupted(folder, leftovers, plan))
    lost = index is None and not interrupted and plan.run
    return History(index or Index(), tuple(leftovers), interrupted, _shown(folder, plan) if lost else {})


def _interrupted(folder: Folder, leftovers: list[str], plan: Plan) -> list[Index]:
    found = []
    for name in leftovers:
        if name.startswith(f"{INDEX}-"):
            try:
                index = read_index(folder, name)
            except DsgenError:  # the write was interrupted in this file: no other had been touched
                continue
            if index and index.owner == plan.owner:
                found.append(index)
    return found


def _shown(folder: Folder, plan: Plan) -> dict[str, dict[str, str]]:
    jobs = {_labels(plan.files[path])[0] for path in plan.frozen}
    shown: dict[str, dict[str, str]] = {}
    for path in folder.files(_OBJECT):
        try:
            text = unix(folder.read(path) or b"").decode()
        except (Refused, UnicodeDecodeError):  # no object of dsgen's
            continue
        job, run = _labels(text)
        if run and job in jobs:
            shown.setdefault(run, {})[path] = frozen_text(text)
    return shown


def _labels(text: str) -> tuple[str, str]:
    """Job and run of an object; empty where it belongs to no run."""
    found = _RUN.search(text[:_LABELS_WITHIN])
    return (found[1], found[2]) if found else ("", "")
