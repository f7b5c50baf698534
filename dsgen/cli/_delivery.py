"""Writes results to folders, or compares them with folders (--check, --dry-run); with --bump, under the next run id."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dsgen import api
from dsgen.cli._console import confirm, describe_bug, echo, echo_error, show_progress
from dsgen.cli._loading import Report, ReportedError, RequestedJob
from dsgen.cli._options import Delivery
from dsgen.errors import EXIT_FINDINGS, EXIT_OK, DsgenError, UsageError
from dsgen.problems import Diagnostic, Position, Severity, has_errors
from dsgen.repository import find_orphans, place_scripts
from dsgen.repository.settings import SCRIPTS
from dsgen.runs import compute_input_checksum, format_owner, plan_job_folder, plan_scripts_chart, plan_scripts_folder
from dsgen.values import Job, Override
from dsgen.writer import INDEX, Changes, Destination, Mode, Plan, compare, find_untouched, name_folder, rewrite, write
from dsgen.writer.plan import LISTS, SHARED, Lists

if TYPE_CHECKING:
    from dsgen.repository import Member, Repository
    from dsgen.runs.bump import Bump


class Edit(NamedTuple):
    """The new text of the file of a job, which is written before the plan."""

    of: RequestedJob
    new: Bump

    @property
    def summary(self) -> str:
        """A description of the change."""
        return f"{self.of.job.file}: {self.new.summary}"

    def write(self) -> None:
        """Replace the file."""
        if member := self.of.member:
            folder, _, name = member.file.rpartition("/")
            rewrite(Destination(member.settings.root, folder), name, self.new.text)
        else:
            path = Path(self.of.job.file).resolve()
            rewrite(Destination(path.parent), path.name, self.new.text)


class ScriptsFolder(NamedTuple):
    """The folder of the scripts that the jobs of a namespace share: their objects, or their chart."""

    place: Destination
    namespace: str
    is_chart: bool = False
    is_listed: bool = False

    def plan(self, names: Collection[str], keeps: bool) -> Plan:
        """See `plan_scripts_folder`."""
        if self.is_chart:
            return plan_scripts_chart(self.namespace, names)
        return plan_scripts_folder(self.place, self.namespace, names, keeps, LISTS if self.is_listed else {})


class OutputFolder(NamedTuple):
    """A folder and the function that makes its plan, so that the texts of many folders are not kept in memory.

    owner: of the plan, if it is known. made_of: the checksum of the inputs of the plan; with this checksum in its
    index, the folder needs no change. "" to compare the files in any case.
    bump: makes the folder of the next run, if the plan needs these changes. edit: of the values file then. problems:
    why that is not possible.
    scripts: the folder of the scripts that its job may share. runtime: those that it has in a folder that stays.
    """

    place: Destination
    make: Callable[[], Plan]
    owner: str = ""
    made_of: str = ""
    scripts: ScriptsFolder | None = None
    runtime: str = ""
    bump: Callable[[OutputFolder, Plan, Changes], OutputFolder] | None = None
    edit: Edit | None = None
    problems: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """The changes of a folder. kept: see `Plan`. exit_code: of a failure, whose lines are the refusals."""

    folder: OutputFolder
    changes: Changes = field(default_factory=Changes)
    owner: str = ""
    run: str = ""
    kept: str = ""
    exit_code: int = EXIT_OK

    @property
    def refused(self) -> bool:
        """Whether the folder must not be written."""
        return bool(self.exit_code) or self.changes.refused


def format_stale(outcome: Outcome) -> list[str]:
    """The output of --check for a folder."""
    directory, changes = outcome.folder.place.path, outcome.changes
    return [
        *_format_kept(outcome),
        *(f"differs: {directory / path}" for path in changes.write),
        *(f"not wanted: {directory / path}" for path in changes.remove),
        *(f"left by an interrupted write: {directory / path}" for path in changes.leftovers),
        *changes.refusals,
    ]


def _format_kept(outcome: Outcome) -> list[str]:
    return [f"{outcome.folder.place.path}: run {outcome.run} kept as {outcome.kept} wrote it"] if outcome.kept else []


def format_summary(outcome: Outcome, dry_run: bool) -> list[str]:
    """A summary of what was written, or with --dry-run would be written."""
    directory, changes, edit = outcome.folder.place.path, outcome.changes, outcome.folder.edit
    steps = [
        *([f"write {edit.summary}"] if edit else []),
        *(f"write {directory / path}" for path in changes.write),
        *(f"remove {directory / path}" for path in changes.remove),
        *(f"remove {directory / path}, left by an interrupted write" for path in changes.leftovers),
    ]
    if dry_run:
        return [*_format_kept(outcome), *([f"would {step}" for step in steps] or [f"{directory}: nothing to do"])]
    written = len(changes.write)
    counts = f"{written} written, {len(changes.remove)} removed, {changes.unchanged} unchanged"
    cleared = "; files of an interrupted write were removed" if changes.leftovers else ""
    number = written + changes.unchanged
    files = f"{number} file{'' if number == 1 else 's'}"
    edited = [edit.summary] if edit else []
    return [*edited, f"{directory}: {outcome.owner}, {files} ({counts}){cleared}", *_format_kept(outcome)]


def choose_folders(directory: Path, jobs: Sequence[RequestedJob]) -> list[Destination]:
    """The folder of each job: `directory` itself for one, a folder named after the job for each of several.

    Raises UsageError if a job would be written to a second folder, or two jobs to the same folder.
    """
    names = [name_folder(each.job.release.name) for each in jobs]
    if len(jobs) == 1:
        if (directory / names[0] / INDEX).exists() and not (directory / INDEX).exists():
            raise UsageError(
                f"{directory / names[0]} holds this job, from a call with several files: use -d {directory / names[0]}"
            )
        return [Destination(directory)]
    if (directory / INDEX).exists():
        raise UsageError(f"{directory} is the folder of one job; choose another one for several")
    for each, name in zip(jobs, names, strict=True):
        if names.count(name) > 1:
            both = f"two jobs are named {each.job.release.name}, in two namespaces"
            raise UsageError(f"{both}: render them in two calls, to two folders")
    return [Destination(directory, name) for name in names]


def plan_manifests(
    jobs: Sequence[RequestedJob], output: Path | None, kustomization: bool, trust: bool = False
) -> list[OutputFolder]:
    """The files of each job, for its folder below `output`, or for its folder of dsgen.yaml without `output`.

    They include a kustomization.yaml if the command line or dsgen.yaml requests it. trust: rely on the checksum of
    inputs in the index, so that an unchanged job is not rendered.
    """
    places = [job.member.place for job in jobs if job.member] if output is None else choose_folders(output, jobs)
    folders = []
    for place, each in zip(places, jobs, strict=True):
        is_listed = kustomization or (each.member and each.member.settings.read_value("kustomization"))
        job, lists = each.job, LISTS if is_listed else {}
        sums = compute_input_checksum(job, lists) if trust else ""
        scripts = _find_scripts(job, place, None if output else each.member, is_listed=bool(is_listed))
        folders.append(OutputFolder(place, functools.partial(plan_job, job, lists), format_owner(job), sums, scripts))
    return folders


def _find_scripts(
    job: Job, place: Destination, member: Member | None, is_chart: bool = False, is_listed: bool = False
) -> ScriptsFolder:
    """The folder of the shared scripts of a job: that of the repository, or one beside the folder of the job."""
    namespace = job.release.namespace
    if member:
        beside = place_scripts(member.settings, "charts" if is_chart else "output", namespace)
    else:
        beside = Destination(place.root if place.below else place.root.parent, SCRIPTS)
    return ScriptsFolder(beside, namespace, is_chart, is_listed)


def plan_job(job: Job, lists: Lists) -> Plan:
    """The files of one job. lists: see `Plan`."""
    return plan_job_folder(job, api.render(job), lists)


def plan_charts(jobs: Sequence[RequestedJob]) -> list[OutputFolder]:
    """The chart of each job of a repository."""
    return [plan_chart(each.member.chart_place, each.job, each.member) for each in jobs if each.member]


def plan_chart(place: Destination, job: Job | None, member: Member | None = None) -> OutputFolder:
    """The chart of a job, or the chart without the values of a job."""
    scripts = _find_scripts(job, place, member, is_chart=True) if job else None
    return OutputFolder(place, functools.partial(api.chart, job), scripts=scripts)


def plan_scripts(
    used: Sequence[tuple[OutputFolder, str]], others: Sequence[OutputFolder] | None, keeps: bool = False
) -> list[OutputFolder]:
    """The folders of the scripts that jobs share. used: the folders of the jobs, with the scripts that each needs.

    others: all other folders of the repository; without these, or with `keeps`, no scripts are removed.
    """
    names: dict[ScriptsFolder, set[str]] = {}
    for folder, runtime in (*used, *((other, other.runtime) for other in others or ())):
        if folder.scripts and (runtime or folder.place == folder.scripts.place):
            names.setdefault(folder.scripts, set()).update([runtime] if runtime else [])
    places = [scripts.place for scripts in names]
    if twice := {one for one in places if places.count(one) > 1} | {one.place for one, _ in used}.intersection(places):
        raise UsageError(
            f"{twice.pop().path} is for the scripts that the jobs of one namespace share: "
            f"write {{namespace}} and {{name}} into the folder of a job, and name no job {SCRIPTS}"
        )
    keeps = keeps or others is None
    return [
        OutputFolder(scripts.place, functools.partial(scripts.plan, needed, keeps)) for scripts, needed in names.items()
    ]


def deliver(
    folders: Sequence[OutputFolder], delivery: Delivery, report: Report, others: Sequence[OutputFolder] | None = None
) -> int:
    """Write the folders, or compare them; returns the exit code. others: see `plan_scripts`.

    All are compared before the first one is written: when one refuses, none is written, or with --keep-going all
    others. The texts of many folders would take too much memory, so each of their plans is made again when it is
    written.
    """
    if len(folders) == 1:
        folders = [folder._replace(make=functools.cache(folder.make)) for folder in folders]
    writes = not (delivery.check or delivery.dry_run)
    outcomes = [_compare_folder(folder, delivery.mode) for folder in show_progress("compared", folders, len(folders))]
    used = [(outcome.folder, outcome.changes.runtime) for outcome in outcomes]
    scripts = plan_scripts(used, others, any(one.refused for one in outcomes))
    outcomes += [_compare_folder(folder, delivery.mode) for folder in scripts]
    is_text = delivery.form == "text"
    if delivery.check and is_text:
        echo(text for one in outcomes for text in format_stale(one))
    if writes and (delivery.keep_going or not any(one.refused for one in outcomes)):
        _ask(outcomes, delivery)
        outcomes = [_write_folder(one, delivery.mode) for one in show_progress("written", outcomes, len(outcomes))]
    report.problems += [problem for one in outcomes for problem in one.folder.problems]
    refused = [one for one in outcomes if one.refused]
    if is_text and not delivery.quiet and not delivery.check and (delivery.keep_going or not refused):
        echo(text for one in outcomes if not one.refused for text in format_summary(one, delivery.dry_run))
    _print_refusals(refused, delivery, report)
    is_stale = delivery.check and any(one.changes.stale for one in outcomes)
    return EXIT_FINDINGS if refused or is_stale or has_errors(report.diagnostics) else EXIT_OK


def _compare_folder(folder: OutputFolder, mode: Mode) -> Outcome:
    """The changes that a folder needs. An exception is a refusal of this folder, so that others are reported, too."""
    try:
        if folder.made_of and (unchanged := find_untouched(folder.place, folder.made_of)):
            return Outcome(folder, unchanged, folder.owner)
        plan = folder.make()
        changes = compare(folder.place, plan, mode)
        if folder.bump and (bumped := folder.bump(folder, plan, changes)) is not folder:
            folder, plan = bumped, bumped.make()
            changes = compare(folder.place, plan, mode)
        return _make_outcome(folder, plan, changes)
    except UsageError:
        raise
    except DsgenError as error:
        failure = error
    except Exception as error:  # a bug in dsgen
        failure = DsgenError(f"{folder.place.path}: {describe_bug(error)}")
    return Outcome(folder, Changes(refusals=failure.lines), exit_code=failure.exit_code)


def _make_outcome(folder: OutputFolder, plan: Plan, changes: Changes) -> Outcome:
    kept = changes.plan.kept if changes.plan else ""
    return Outcome(folder, replace(changes, plan=None), plan.owner, plan.run, kept)  # the plan has all texts


def _write_folder(outcome: Outcome, mode: Mode) -> Outcome:
    """Write what a folder needs, the edit first: after an interruption, the next render continues."""
    folder, known = outcome.folder, outcome.changes
    if outcome.refused or not (folder.edit or known.stale or known.index):
        return outcome
    plan = folder.make()
    changes = compare(folder.place, plan, mode)
    if folder.edit:
        folder.edit.write()
    write(folder.place, plan, changes)
    return _make_outcome(folder, plan, changes)


def deliver_all(folders: Sequence[OutputFolder], key: str, delivery: Delivery, report: Report) -> int:
    """Write or compare the folders of a repository, with --prune also those of removed jobs.

    Without --prune, these folders are reported. key: the setting that names the folders.
    """
    repository = report.repository
    assert repository is not None
    orphans, others = list_orphans(repository, key, folders)
    if delivery.prune:
        if not folders:
            raise UsageError("--prune would remove every job: dsgen.yaml names no existing job")
        return deliver([*folders, *orphans], delivery, report, others)
    for orphan in orphans:
        message = f"{orphan.place.path} is the folder of {orphan.owner}, which is not in dsgen.yaml"
        severity: Severity = "error" if delivery.check else "warning"
        at = repository.settings.position(("jobs",))
        hint = "--prune removes the files that dsgen wrote there"
        report.problems.append(Diagnostic("DS910", message, at, ("jobs",), hint, severity))
    return deliver(folders, delivery, report, [*orphans, *others])


def list_orphans(
    repository: Repository, key: str, folders: Sequence[OutputFolder]
) -> tuple[list[OutputFolder], list[OutputFolder]]:
    """Empty plans for the folders of removed jobs, and for the folders of shared scripts."""
    known, orphans, shared = repository.settings, list[OutputFolder](), list[OutputFolder]()
    for place, index in find_orphans(repository, key, {folder.place.below for folder in folders}):
        is_shared = index.owner.startswith(SHARED)
        # The owner of a job's folder is such as "job NAMESPACE/NAME".
        namespace = index.owner.removeprefix(SHARED) if is_shared else index.owner.partition(" ")[2].partition("/")[0]
        beside = place_scripts(known, key, namespace)
        scripts = ScriptsFolder(beside, namespace, key == "charts", known.read_value("kustomization"))
        make = functools.partial(Plan, index.owner, {})
        folder = OutputFolder(place, make, index.owner, scripts=scripts, runtime=index.runtime)
        (shared if is_shared else orphans).append(folder)
    return orphans, shared


def _print_refusals(refused: Sequence[Outcome], delivery: Delivery, report: Report) -> None:
    """Print all refusals. Raises ReportedError with the exit code of a read error, if nothing else was refused."""
    report.problems += [problem for one in refused for problem in one.changes.problems]
    report.print_all(delivery.form)
    lines = [line for one in refused for line in one.changes.refusals]
    if lines and not (delivery.check and delivery.form == "text"):
        echo_error(*lines)
    codes = {one.exit_code or EXIT_FINDINGS for one in refused}
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
    folders: Sequence[OutputFolder], jobs: Sequence[RequestedJob], flags: Sequence[Override]
) -> list[OutputFolder]:
    """The folders; runs that would change get the next run id, or a problem if that is not possible.

    flags: their values are written into the file of each job, also if its run would not change.
    """
    files = Counter(each.job.file for each in jobs)
    return [
        folder._replace(
            bump=functools.partial(_bump, each, files[each.job.file], flags),
            made_of="" if flags else folder.made_of,
        )
        for folder, each in zip(folders, jobs, strict=True)
    ]


def _bump(
    loaded: RequestedJob, jobs: int, flags: Sequence[Override], folder: OutputFolder, plan: Plan, changes: Changes
) -> OutputFolder:
    """The folder of the next run. jobs: the number of jobs from the values file of this job."""
    has_new_id, file = any(problem.id == "DS903" for problem in changes.problems), loaded.job.file
    if not has_new_id and not flags:
        return folder
    if jobs > 1:
        message = f"--bump cannot write run.id into {file}: it is the file of {jobs} jobs"
        hint = "give each of them its run.id in dsgen.yaml"
        return folder._replace(problems=(Diagnostic("DS909", message, Position(file, 1, 1), ("run", "id"), hint),))
    from dsgen.runs.bump import bump  # imported late: few calls need it

    bumped = bump(loaded.job, changes.runs, loaded.load, flags, has_new_id)
    if isinstance(bumped, Diagnostic):
        return folder._replace(problems=(bumped,))
    if not bumped.summary:
        return folder
    problems = api.validate(bumped.job)
    if has_errors(problems):
        return folder._replace(problems=tuple(problems))
    return folder._replace(make=functools.partial(plan_job, bumped.job, plan.lists), edit=Edit(loaded, bumped))
