"""Writes results to folders, or compares them with folders (--check, --dry-run); with --bump, under the next run id."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dsgen import api
from dsgen.cli._console import confirm, describe_bug, echo, echo_error, show_progress
from dsgen.cli._loading import STDIN, LoadedJob, Report, ReportedError
from dsgen.cli._options import Delivery
from dsgen.errors import EXIT_FINDINGS, EXIT_OK, DsgenError, UsageError
from dsgen.problems import Diagnostic, Position, Severity, has_errors
from dsgen.runs import compute_input_checksum, format_owner, plan_job_folder
from dsgen.values import Job, Override
from dsgen.writer import INDEX, Changes, Destination, Mode, Plan, compare, find_untouched, name_folder, rewrite, write
from dsgen.writer.plan import LISTS, Lists

if TYPE_CHECKING:
    from dsgen.repository import Repository
    from dsgen.runs.bump import Bump


class Edit(NamedTuple):
    """A new text for a file of the user, which is written before the plan. summary: a description of the change."""

    place: Destination
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

    place: Destination
    make: Callable[[], FolderPlan]
    owner: str = ""
    made_of: str = ""


@dataclass(frozen=True)
class Outcome:
    """The changes of a folder. failure: why they are unknown. edited: the summary of its edit.

    problems: of the plan itself.
    """

    place: Destination
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


def format_stale(outcome: Outcome) -> list[str]:
    """The output of --check for a folder."""
    directory, changes = outcome.place.path, outcome.changes
    failure = outcome.failure.lines if outcome.failure else ()
    return [
        *_format_kept(outcome),
        *(f"differs: {directory / path}" for path in changes.write),
        *(f"not wanted: {directory / path}" for path in changes.remove),
        *(f"left by an interrupted write: {directory / path}" for path in changes.leftovers),
        *changes.refusals,
        *failure,
    ]


def _format_kept(outcome: Outcome) -> list[str]:
    return [f"{outcome.place.path}: run {outcome.run} kept as {outcome.kept} wrote it"] if outcome.kept else []


def format_summary(outcome: Outcome, dry_run: bool) -> list[str]:
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
        return [*_format_kept(outcome), *([f"would {step}" for step in steps] or [f"{directory}: nothing to do"])]
    written = len(changes.write)
    counts = f"{written} written, {len(changes.remove)} removed, {changes.unchanged} unchanged"
    cleared = "; files of an interrupted write were removed" if changes.leftovers else ""
    number = written + changes.unchanged
    files = f"{number} file{'' if number == 1 else 's'}"
    return [*edit, f"{directory}: {outcome.owner}, {files} ({counts}){cleared}", *_format_kept(outcome)]


def choose_folders(directory: Path, jobs: Sequence[LoadedJob]) -> list[Destination]:
    """The folder of each job: `directory` itself for one, a folder named after the job for each of several.

    Raises UsageError if a job would be written to a second folder, or two jobs to the same folder.
    """
    names = [name_folder(job.release.name) for job in jobs]
    if len(jobs) == 1:
        if (directory / names[0] / INDEX).exists() and not (directory / INDEX).exists():
            raise UsageError(
                f"{directory / names[0]} holds this job, from a call with several files: use -o {directory / names[0]}"
            )
        return [Destination(directory)]
    if (directory / INDEX).exists():
        raise UsageError(f"{directory} is the folder of one job; choose another one for several")
    for job, name in zip(jobs, names, strict=True):
        if names.count(name) > 1:
            raise UsageError(
                f"two jobs are named {job.release.name}, in two namespaces: render them in two calls, to two folders"
            )
    return [Destination(directory, name) for name in names]


def plan_manifests(
    jobs: Sequence[LoadedJob], output: Path | None, kustomization: bool, trust: bool = False
) -> list[OutputFolder]:
    """The files of each job, for its folder below `output`, or for its folder of dsgen.yaml without `output`.

    They include a kustomization.yaml if the command line or dsgen.yaml requests it. trust: rely on the checksum of
    inputs in the index, so that an unchanged job is not rendered.
    """
    places = [job.member.place for job in jobs if job.member] if output is None else choose_folders(output, jobs)
    return [_plan_folder(place, job, kustomization, trust) for place, job in zip(places, jobs, strict=True)]


def _plan_folder(place: Destination, loaded: LoadedJob, kustomization: bool, trust: bool) -> OutputFolder:
    """The folder of a job; for the arguments see `plan_manifests`."""
    is_listed = kustomization or (loaded.member and loaded.member.settings.read_value("kustomization"))
    job, lists = loaded.job, LISTS if is_listed else {}
    sums = compute_input_checksum(job, lists) if trust else ""
    return OutputFolder(place, functools.partial(plan_job, job, lists), format_owner(job), sums)


def plan_job(job: Job, lists: Lists) -> FolderPlan:
    """The files of one job. lists: see `Plan`."""
    return FolderPlan(plan_job_folder(job, api.render(job), lists))


def plan_charts(jobs: Sequence[LoadedJob]) -> list[OutputFolder]:
    """The chart of each job of a repository."""
    return [
        OutputFolder(job.member.chart_place, functools.partial(_plan_chart_of, job.job), format_owner(job.job))
        for job in jobs
        if job.member
    ]


def _plan_chart_of(job: Job) -> FolderPlan:
    return FolderPlan(api.chart(job))


def plan_chart(place: Destination, job: Job | None) -> OutputFolder:
    """The chart of a job, or the chart without the values of a job."""
    return wrap_plan(place, api.chart(job))


def wrap_plan(place: Destination, plan: Plan) -> OutputFolder:
    """The folder of a plan that exists already."""
    return OutputFolder(place, lambda: FolderPlan(plan), plan.owner)


def deliver(folders: Sequence[OutputFolder], delivery: Delivery, report: Report) -> int:
    """Write the folders, or compare them; returns the exit code.

    All are compared before the first one is written: when one refuses, none is written, or with --keep-going all
    others. The texts of many folders would take too much memory, so each of their plans is made again when it is
    written.
    """
    if len(folders) == 1:
        folders = [folder._replace(make=functools.cache(folder.make)) for folder in folders]
    writes = not (delivery.check or delivery.dry_run)
    outcomes = [_compare_folder(folder, delivery.mode) for folder in show_progress("compared", folders, len(folders))]
    is_text = delivery.form == "text"
    if delivery.check and is_text:
        echo(text for one in outcomes for text in format_stale(one))
    if writes and (delivery.keep_going or not any(one.refused for one in outcomes)):
        _ask(outcomes, delivery)
        both = show_progress("written", zip(folders, outcomes, strict=True), len(folders))
        outcomes = [_write_folder(folder, delivery.mode) if one.is_work else one for folder, one in both]
    report.problems += [problem for one in outcomes for problem in one.problems]
    refused = [one for one in outcomes if one.refused]
    if is_text and not delivery.quiet and not delivery.check and (delivery.keep_going or not refused):
        echo(text for one in outcomes if not one.refused for text in format_summary(one, delivery.dry_run))
    _print_refusals(refused, delivery, report)
    is_stale = delivery.check and any(one.changes.stale for one in outcomes)
    return EXIT_FINDINGS if refused or is_stale or has_errors(report.diagnostics) else EXIT_OK


def _compare_folder(folder: OutputFolder, mode: Mode) -> Outcome:
    """The changes that a folder needs. An exception is a refusal of this folder, so that others are reported, too."""
    known = Outcome(folder.place, folder.owner, "", Changes())
    try:
        if folder.made_of and (unchanged := find_untouched(folder.place, folder.made_of)):
            return replace(known, changes=unchanged)
        made = folder.make()
        known = _make_outcome(folder, made, Changes())
        return _make_outcome(folder, made, compare(folder.place, made.plan, mode))
    except UsageError:
        raise
    except DsgenError as error:
        failure = error
    except Exception as error:  # a bug in dsgen
        failure = DsgenError(f"{folder.place.path}: {describe_bug(error)}")
    return replace(known, failure=failure)


def _make_outcome(folder: OutputFolder, made: FolderPlan, changes: Changes) -> Outcome:
    plan, kept = made.plan, (changes.plan.kept if changes.plan else "")
    changes = replace(changes, plan=None)  # the plan has all texts
    edited = made.edit.summary if made.edit else ""
    return Outcome(folder.place, plan.owner, plan.run, changes, kept, edited, made.problems)


def _write_folder(folder: OutputFolder, mode: Mode) -> Outcome:
    """Write a folder, the edit first: after an interruption, the next render continues."""
    made = folder.make()
    changes = compare(folder.place, made.plan, mode)
    if made.edit:
        made.edit.write()
    write(folder.place, made.plan, changes)
    return _make_outcome(folder, made, changes)


def add_orphans(folders: Sequence[OutputFolder], key: str, delivery: Delivery, report: Report) -> list[OutputFolder]:
    """The folders of a repository, with --prune also empty plans for the folders of removed jobs.

    Without --prune, these folders are reported. key: the setting that names the folders.
    """
    repository = report.repository
    assert repository is not None
    orphans = list_orphans(repository, key, folders)
    if delivery.prune:
        if not folders:
            raise UsageError("--prune would remove every job: dsgen.yaml names no existing job")
        return [*folders, *orphans]
    for orphan in orphans:
        message = f"{orphan.place.path} is the folder of {orphan.owner}, which is not in dsgen.yaml"
        severity: Severity = "error" if delivery.check else "warning"
        at = repository.position(("jobs",))
        hint = "--prune removes the files that dsgen wrote there"
        report.problems.append(Diagnostic("DS910", message, at, ("jobs",), hint, severity))
    return list(folders)


def list_orphans(repository: Repository, key: str, folders: Sequence[OutputFolder]) -> list[OutputFolder]:
    """Empty plans for the folders of removed jobs."""
    from dsgen.repository import find_orphans  # imported late: most calls have no repository

    gone = find_orphans(repository, key, {folder.place.below for folder in folders})
    return [wrap_plan(place, Plan(owner, {})) for place, owner in gone]


def _print_refusals(refused: Sequence[Outcome], delivery: Delivery, report: Report) -> None:
    """Print all refusals. Raises ReportedError with the exit code of a read error, if nothing else was refused."""
    report.problems += [problem for one in refused for problem in one.changes.problems]
    report.print_all(delivery.form)
    lines = [line for one in refused for line in (*one.changes.refusals, *(one.failure.lines if one.failure else ()))]
    if lines and not (delivery.check and delivery.form == "text"):
        echo_error(*lines)
    codes = {one.failure.exit_code if one.failure else EXIT_FINDINGS for one in refused}
    if codes and not delivery.keep_going and EXIT_FINDINGS not in codes:
        raise ReportedError(exit_code=max(codes))


def _ask(outcomes: Sequence[Outcome], delivery: Delivery) -> None:
    """Ask before runs are replaced. Raises UsageError without a terminal, and ReportedError if the answer is no."""
    runs = [f'run "{one.run}" of {one.owner}' for one in outcomes if one.changes.renewed and not one.refused]
    if not (runs and delivery.replace) or delivery.yes:
        return
    warning = "Never replace a run that was applied: the cluster refuses it, and the folder would show what never ran."
    without_terminal = f"--replace asks before it writes, and there is no terminal: add --yes. {warning}"
    if not confirm([f"--replace replaces {', '.join(runs)}. {warning}"], "Was it never applied?", without_terminal):
        raise ReportedError


def plan_bumps(
    folders: Sequence[OutputFolder], jobs: Sequence[LoadedJob], flags: Sequence[Override]
) -> list[OutputFolder]:
    """The folders; runs that would change get the next run id, or a problem if that is not possible.

    flags: their values are written into the file of each job, also if its run would not change.
    """
    files = Counter(job.file for job in jobs)
    return [
        folder._replace(
            make=functools.partial(_plan_bump, folder, job, files[job.file], flags),
            made_of="" if flags else folder.made_of,
        )
        for folder, job in zip(folders, jobs, strict=True)
    ]


def _plan_bump(folder: OutputFolder, loaded: LoadedJob, jobs: int, flags: Sequence[Override]) -> FolderPlan:
    """jobs: the number of jobs from the values file of this job."""
    made = folder.make()
    try:
        changes = compare(folder.place, made.plan)
    except DsgenError:
        return made  # reported when the folder is compared
    has_new_id = any(problem.id == "DS903" for problem in changes.problems)
    if not has_new_id and not flags:
        return made
    job = loaded.job
    if jobs > 1:
        message = f"--bump cannot write run.id into {job.file}: it is the file of {jobs} jobs"
        hint = "give each of them its run.id in dsgen.yaml"
        bumped: Bump | Diagnostic = Diagnostic("DS909", message, Position(job.file, 1, 1), ("run", "id"), hint)
    else:
        from dsgen.runs.bump import bump  # imported late: few calls need it

        bumped = bump(job, changes.runs, loaded.reload, flags, has_new_id)
    if isinstance(bumped, Diagnostic):
        return made._replace(problems=(bumped,))
    if not bumped.summary:
        return made
    problems = api.validate(bumped.job)
    if has_errors(problems):
        return made._replace(problems=tuple(problems))
    return plan_job(bumped.job, made.plan.lists)._replace(edit=make_edit(loaded, bumped))


def make_edit(job: LoadedJob, new: Bump) -> Edit:
    """The new text of the file of a job."""
    file = job.file
    assert file != STDIN
    if job.member:
        folder, _, name = job.member.file.rpartition("/")
        place = Destination(job.member.settings.root, folder)
    else:
        path = Path(file).resolve()
        place, name = Destination(path.parent), path.name
    return Edit(place, name, new.text, f"{file}: {new.summary}")
