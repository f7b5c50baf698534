"""Writes results to folders, or compares them with folders (--check, --dry-run)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dsgen import api
from dsgen.cli._jobs import Report, Target
from dsgen.cli._parallel import FEWEST, in_order
from dsgen.cli._printed import ask, complain, say
from dsgen.cli._progress import counted
from dsgen.cli._shared import Delivery, ErrorsReported
from dsgen.errors import EXIT_FINDINGS, EXIT_OK, DsgenError, UsageProblem
from dsgen.problems.diagnostics import Diagnostic, Severity, has_errors
from dsgen.records import dataclass, replace
from dsgen.runs import job_plan, made_of, owner_of
from dsgen.writer import INDEX, Changes, Mode, Place, Plan, compare, folder_name, rewrite, untouched, write
from dsgen.writer.kustomization import LISTS

if TYPE_CHECKING:
    from dsgen.repository import Repository
    from dsgen.values import Job
    from dsgen.writer.plan import Lists

NO_PRUNE = "--prune applies to the jobs of dsgen.yaml: leave out the FILEs, -f and -o"


def folders(directory: Path, targets: Sequence[Target]) -> list[Place]:
    """The folder of each job: `directory` itself for one, a folder named after the job for each of several.

    Raises UsageProblem if a job would be written to a second folder, or two jobs to the same folder.
    """
    jobs = [target.job for target in targets]
    names = [folder_name(job.release.name) for job in jobs]
    if len(jobs) == 1:
        if (directory / names[0] / INDEX).exists() and not (directory / INDEX).exists():
            raise UsageProblem(
                f"{directory / names[0]} holds this job, from a call with several files: use -o {directory / names[0]}"
            )
        return [Place(directory)]
    if (directory / INDEX).exists():
        raise UsageProblem(f"{directory} is the folder of one job; choose another one for several")
    for job, name in zip(jobs, names, strict=True):
        if names.count(name) > 1:
            raise UsageProblem(
                f"two jobs are named {job.release.name}, in two namespaces: render them in two calls, to two folders"
            )
    return [Place(directory, name) for name in names]


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


def manifests(
    targets: Sequence[Target], report: Report, output: Path | None, kustomization: bool, trust: bool = False
) -> list[Folder]:
    """The files of each job, for its folder below `output`, or for its folder of dsgen.yaml without `output`.

    They include a kustomization.yaml if the command line or dsgen.yaml requests it. trust: rely on the checksum of
    inputs in the index, so that an unchanged job is not rendered.
    """
    places = (
        [target.member.place for target in targets if target.member] if output is None else folders(output, targets)
    )
    wants_list = kustomization or (report.repository is not None and report.repository.setting("kustomization"))
    lists = LISTS if wants_list else {}
    return [
        Folder(place, functools.partial(planned, place, target.job, lists, trust))
        for place, target in zip(places, targets, strict=True)
    ]


def charts(targets: Sequence[Target]) -> list[Folder]:
    """The chart of each job of a repository."""
    return [chart(member.chart_place, job) for job, member in targets if member]


def chart(place: Place, job: Job | None) -> Folder:
    """The chart of a job, or the chart without the values of a job."""
    return Folder(place, lambda: Item(place, api.chart(job)))


def planned(place: Place, job: Job, lists: Lists, trust: bool = False) -> Item:
    """The files of one job; for the arguments see `manifests`."""
    if trust and (unchanged := untouched(place, made_of(job, lists))):
        return Item(place, Plan(owner_of(job), {}), unchanged=unchanged)
    return Item(place, job_plan(job, api.render(job), lists))


@dataclass(frozen=True)
class Comparison:
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


def deliver(folders: Sequence[Folder], delivery: Delivery, report: Report) -> int:
    """Write the items to their folders, or compare them; returns the exit code.

    If one item is refused, none is written, or with --keep-going all others. The texts of few folders are kept until
    they are written; those of many folders would need too much memory, and are rendered twice.
    """
    compared = functools.partial(_compared, delivery.mode, len(folders) < FEWEST)
    comparisons = [*counted("compared", in_order(compared, folders), len(folders))]
    report.problems += [problem for one in comparisons for problem in one.problems]
    refused = [one for one in comparisons if one.refused]
    is_text = delivery.form == "text"
    if delivery.check and is_text:
        say(text for one in comparisons for text in _stale(one))
    if not (delivery.check or delivery.dry_run) and (delivery.keep_going or not refused):
        _ask(comparisons, delivery)
        todo = [(folder, one.made) for folder, one in zip(folders, comparisons, strict=True) if _is_work(one)]
        for _ in counted("written", in_order(functools.partial(_write, delivery.mode), todo), len(todo)):
            pass
    if is_text and not delivery.quiet and not delivery.check and (delivery.keep_going or not refused):
        say(text for one in comparisons if not one.refused for text in _summary(one, delivery.dry_run))
    _print_refusals(refused, delivery, report)
    is_stale = delivery.check and any(one.changes.stale for one in comparisons)
    return EXIT_FINDINGS if refused or is_stale or has_errors(report.diagnostics) else EXIT_OK


def _compared(mode: Mode, keep: bool, folder: Folder) -> Comparison:
    item = folder.make()
    edited, problems = (item.edit.summary if item.edit else ""), item.problems
    try:
        changes = item.unchanged or compare(item.place, item.plan, mode)
    except DsgenError as failure:
        return Comparison(item.place, item.plan.owner, item.plan.run, Changes(), "", edited, problems, failure)
    kept = changes.plan.kept if changes.plan else ""
    made = (item, changes) if keep else None
    changes = replace(changes, plan=None)  # the plan has all texts
    return Comparison(item.place, item.plan.owner, item.plan.run, changes, kept, edited, problems, made=made)


def _made(folder: Folder, mode: Mode) -> tuple[Item, Changes]:
    item = folder.make()
    return item, item.unchanged or compare(item.place, item.plan, mode)


def _is_work(comparison: Comparison) -> bool:
    return not comparison.refused and bool(comparison.edited or comparison.changes.stale or comparison.changes.index)


def _write(mode: Mode, work: tuple[Folder, tuple[Item, Changes] | None]) -> None:
    """Write an item, the edit first: after an interruption, the next render continues."""
    folder, made = work
    item, changes = made or _made(folder, mode)
    if item.edit:
        item.edit.write()
    write(item.place, item.plan, changes)


def with_orphans(folders: Sequence[Folder], key: str, delivery: Delivery, report: Report) -> list[Folder]:
    """The folders of a repository, with --prune also empty plans for the folders of removed jobs.

    Without --prune, these folders are reported. key: the setting that names the folders.
    """
    repository = report.repository
    assert repository is not None
    gone = left(repository, key, folders)
    if delivery.prune:
        if not folders:
            raise UsageProblem("--prune would remove every job: dsgen.yaml names no existing job")
        return [*folders, *gone]
    for place, make in gone:
        message = f"{place.path} is the folder of {make().plan.owner}, which is not in dsgen.yaml"
        severity: Severity = "error" if delivery.check else "warning"
        at = repository.position(("jobs",))
        hint = "--prune removes the files that dsgen wrote there"
        report.problems.append(Diagnostic("DS910", message, at, ("jobs",), hint, severity))
    return list(folders)


def left(repository: Repository, key: str, folders: Sequence[Folder]) -> list[Folder]:
    """Empty plans for the folders of removed jobs."""
    from dsgen.repository import orphans

    gone = orphans(repository, key, {folder.place.below for folder in folders})
    return [ready(Item(place, Plan(owner, {}))) for place, owner in gone]


def ready(item: Item) -> Folder:
    """The folder of an existing item."""
    return Folder(item.place, lambda: item)


def _print_refusals(refused: Sequence[Comparison], delivery: Delivery, report: Report) -> None:
    """Print all refusals. Raises ErrorsReported with the exit code of a read error, if nothing else was refused."""
    report.problems += [problem for one in refused for problem in one.changes.problems]
    report.print(delivery.form)
    lines = [line for one in refused for line in (*one.changes.refusals, *(one.failure.lines if one.failure else ()))]
    if lines and not (delivery.check and delivery.form == "text"):
        complain(*lines)
    codes = {one.failure.exit_code if one.failure else EXIT_FINDINGS for one in refused}
    if codes and not delivery.keep_going and EXIT_FINDINGS not in codes:
        raise ErrorsReported(max(codes))


def _ask(comparisons: Sequence[Comparison], delivery: Delivery) -> None:
    """Ask before runs are replaced. Raises UsageProblem without a terminal, and ErrorsReported if the answer is no."""
    runs = [f'run "{one.run}" of {one.owner}' for one in comparisons if one.changes.renewed and not one.refused]
    if not (runs and delivery.replace) or delivery.yes:
        return
    warning = "Never replace a run that was applied: the cluster refuses it, and the folder would show what never ran."
    answer = ask([f"--replace replaces {', '.join(runs)}. {warning}"], "Was it never applied?")
    if answer is None:
        raise UsageProblem(f"--replace asks before it writes, and there is no terminal: add --yes. {warning}")
    if not answer:
        raise ErrorsReported(EXIT_FINDINGS)


def _stale(comparison: Comparison) -> list[str]:
    directory, changes = comparison.place.path, comparison.changes
    failure = comparison.failure.lines if comparison.failure else ()
    return [
        *_kept(comparison),
        *(f"differs: {directory / path}" for path in changes.write),
        *(f"not wanted: {directory / path}" for path in changes.remove),
        *(f"left by an interrupted write: {directory / path}" for path in changes.leftovers),
        *changes.refusals,
        *failure,
    ]


def _kept(comparison: Comparison) -> list[str]:
    return (
        [f"{comparison.place.path}: run {comparison.run} kept as {comparison.kept} wrote it"] if comparison.kept else []
    )


def _summary(comparison: Comparison, dry_run: bool) -> list[str]:
    directory, changes = comparison.place.path, comparison.changes
    steps = [
        *(f"write {directory / path}" for path in changes.write),
        *(f"remove {directory / path}" for path in changes.remove),
        *(f"remove {directory / path}, left by an interrupted write" for path in changes.leftovers),
    ]
    edit = [comparison.edited] if comparison.edited else []
    if dry_run:
        steps = [*(f"write {one}" for one in edit), *steps]
        return [*_kept(comparison), *([f"would {step}" for step in steps] or [f"{directory}: nothing to do"])]
    written = len(changes.write)
    counts = f"{written} written, {len(changes.remove)} removed, {changes.unchanged} unchanged"
    cleared = "; files of an interrupted write were removed" if changes.leftovers else ""
    number = written + changes.unchanged
    files = f"{number} file{'' if number == 1 else 's'}"
    return [*edit, f"{directory}: {comparison.owner}, {files} ({counts}){cleared}", *_kept(comparison)]
