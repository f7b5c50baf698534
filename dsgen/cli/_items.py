"""The items that are written to folders, and their outcomes."""

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


class Item(NamedTuple):
    """A plan and its folder. unchanged: the result if the folder needs no change; then the plan is empty.

    problems: why a requested change is not possible.
    """

    place: Place
    plan: Plan
    edit: Edit | None = None
    unchanged: Changes | None = None
    problems: tuple[Diagnostic, ...] = ()


class Folder(NamedTuple):
    """A folder and the function that makes its item, so that the texts of many folders are not kept in memory."""

    place: Place
    make: Callable[[], Item]


@dataclass(frozen=True)
class Outcome:
    """The changes of an item in its folder. failure: why they are unknown. edited: the summary of its edit.

    problems: of the item itself. made: the item and its changes with all texts, if these were kept.
    """

    place: Place
    owner: str
    run: str
    changes: Changes
    kept: str = ""
    edited: str = ""
    problems: tuple[Diagnostic, ...] = ()
    failure: DsgenError | None = None
    made: tuple[Item, Changes] | None = None

    @property
    def refused(self) -> bool:
        """Whether the item must not be written."""
        return self.failure is not None or self.changes.refused

    @property
    def is_work(self) -> bool:
        """Whether the item has something to write."""
        return not self.refused and bool(self.edited or self.changes.stale or self.changes.index)


def stale(outcome: Outcome) -> list[str]:
    """The output of --check for an item."""
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
