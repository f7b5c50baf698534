"""What goes into a folder, and what came of it, also in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from dsgen.records import dataclass
from dsgen.writer import Changes, Place, Plan, rewrite

if TYPE_CHECKING:
    from dsgen.errors import DsgenError
    from dsgen.problems.diagnostics import Diagnostic


class Edit(NamedTuple):
    """The new text of a file of the user's, which is written before the plan. told: what is new, in words."""

    place: Place
    name: str
    text: str
    told: str

    def write(self) -> None:
        """Replace the file."""
        rewrite(self.place, self.name, self.text)


class Item(NamedTuple):
    """A plan and its folder. unchanged: what is known where nothing is to do, and then the plan is empty.

    problems: why something that was asked for cannot be done.
    """

    place: Place
    plan: Plan
    edit: Edit | None = None
    unchanged: Changes | None = None
    problems: tuple[Diagnostic, ...] = ()


class Folder(NamedTuple):
    """A folder and what makes its item: the texts of many folders are not kept until the last one is written."""

    place: Place
    make: Callable[[], Item]


@dataclass(frozen=True)
class Outcome:
    """What an item changes in its folder. failure: why that cannot be known. told: what its edit is, in words.

    problems: those of the item itself. made: the item and its changes with all texts, where these were kept.
    """

    place: Place
    owner: str
    run: str
    changes: Changes
    kept: str = ""
    told: str = ""
    problems: tuple[Diagnostic, ...] = ()
    failure: DsgenError | None = None
    made: tuple[Item, Changes] | None = None

    @property
    def refused(self) -> bool:
        """Whether nothing of it may be written."""
        return self.failure is not None or self.changes.refused

    @property
    def is_work(self) -> bool:
        """Whether something is to be written."""
        return not self.refused and bool(self.told or self.changes.stale or self.changes.index)


def stale(outcome: Outcome) -> list[str]:
    """The lines of --check."""
    directory, changes = outcome.place.path, outcome.changes
    failure = outcome.failure.lines if outcome.failure else ()
    return [
        *_kept(outcome),
        *(f"differs: {directory / path}" for path in changes.write),
        *(f"not wanted: {directory / path}" for path in changes.remove),
        *(f"interrupted: a write was ended and left {directory / path}" for path in changes.leftovers),
        *changes.refusals,
        *failure,
    ]


def _kept(outcome: Outcome) -> list[str]:
    return [f"{outcome.place.path}: run {outcome.run} kept as {outcome.kept} wrote it"] if outcome.kept else []


def summary(outcome: Outcome, dry_run: bool) -> list[str]:
    """What was written, or with --dry-run what would be."""
    directory, changes = outcome.place.path, outcome.changes
    steps = [
        *(f"write {directory / path}" for path in changes.write),
        *(f"remove {directory / path}" for path in changes.remove),
        *(f"remove {directory / path}, left by a write that was interrupted" for path in changes.leftovers),
    ]
    edit = [outcome.told] if outcome.told else []
    if dry_run:
        steps = [*(f"write {told}" for told in edit), *steps]
        return [*_kept(outcome), *([f"would {step}" for step in steps] or [f"{directory}: nothing to do"])]
    written = len(changes.write)
    counts = f"{written} written, {len(changes.remove)} removed, {changes.unchanged} unchanged"
    cleared = "; what an interrupted write had left is removed" if changes.leftovers else ""
    number = written + changes.unchanged
    files = f"{number} file{'' if number == 1 else 's'}"
    return [*edit, f"{directory}: {outcome.owner}, {files} ({counts}){cleared}", *_kept(outcome)]
