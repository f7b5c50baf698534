"""The folders that a command writes, and what became of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from dsgen.writer import Changes, Place, Plan, rewrite

if TYPE_CHECKING:
    from dsgen.errors import DsgenError
    from dsgen.problems.diagnostics import Diagnostic


class Edit(NamedTuple):
    """A new text for a file of the user, which is written before the plan. summary: a description of the change."""

    place: Place
    name: str
    text: str
    summary: str

    def write(self) -> None:
        """Replace the file."""
        rewrite(self.place, self.name, self.text)


class FolderPlan(NamedTuple):
    """What a folder gets. edit: of the values file. problems: why a requested change is not possible."""

    plan: Plan
    edit: Edit | None = None
    problems: tuple[Diagnostic, ...] = ()


class OutputFolder(NamedTuple):
    """A folder and the function that makes its plan, so that the texts of many folders are not kept in memory.

    owner: of the plan. made_of: the checksum of the inputs of the plan; with this checksum in its index, the folder
    needs no change. "" to compare the files in any case.
    """

    place: Place
    make: Callable[[], FolderPlan]
    owner: str = ""
    made_of: str = ""


@dataclass(frozen=True)
class Outcome:
    """The changes of a folder. failure: why they are unknown. edited: the summary of its edit.

    problems: of the plan itself.
    """

    place: Place
    owner: str
    run: str
    changes: Changes
    kept: str = ""
    edited: str = ""
    problems: tuple[Diagnostic, ...] = ()
    failure: DsgenError | None = None

    @property
    def refused(self) -> bool:
        """Whether the folder must not be written."""
        return self.failure is not None or self.changes.refused

    @property
    def is_work(self) -> bool:
        """Whether there is something to write."""
        return not self.refused and bool(self.edited or self.changes.stale or self.changes.index)


def stale(outcome: Outcome) -> list[str]:
    """The output of --check for a folder."""
    directory, changes = outcome.place.path, outcome.changes
    failure = outcome.failure.lines if outcome.failure else ()
    return [
        *_kept(outcome),
        *(f"differs: {directory / path}" for path in changes.write),
        *(f"not wanted: {directory / path}" for path in changes.remove),
        *(f"left by an interrupted write: {directory / path}" for path in changes.leftovers),
        *changes.refusals,
        *failure,
    ]


def _kept(outcome: Outcome) -> list[str]:
    return [f"{outcome.place.path}: run {outcome.run} kept as {outcome.kept} wrote it"] if outcome.kept else []


def summary(outcome: Outcome, dry_run: bool) -> list[str]:
    """A summary of what was written, or with --dry-run would be written."""
    directory, changes = outcome.place.path, outcome.changes
    steps = [
        *(f"write {directory / path}" for path in changes.write),
        *(f"remove {directory / path}" for path in changes.remove),
        *(f"remove {directory / path}, left by an interrupted write" for path in changes.leftovers),
    ]
    edit = [outcome.edited] if outcome.edited else []
    if dry_run:
        steps = [*(f"write {one}" for one in edit), *steps]
        return [*_kept(outcome), *([f"would {step}" for step in steps] or [f"{directory}: nothing to do"])]
    written = len(changes.write)
    counts = f"{written} written, {len(changes.remove)} removed, {changes.unchanged} unchanged"
    cleared = "; files of an interrupted write were removed" if changes.leftovers else ""
    number = written + changes.unchanged
    files = f"{number} file{'' if number == 1 else 's'}"
    return [*edit, f"{directory}: {outcome.owner}, {files} ({counts}){cleared}", *_kept(outcome)]
