"""Where the result goes: which object into which file, and what is done to a folder (write, --check, --dry-run)."""

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

NO_PRUNE = "--prune is about the jobs of dsgen.yaml: leave out the FILEs, -f and -o"


def folders(directory: Path, targets: Sequence[Target]) -> list[Place]:
    """The folder of each job: `directory` itself for one, a folder named after the job for each of several.

    Raises UsageProblem when that would put a job into a second place, or two jobs into one.
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


def manifests(
    targets: Sequence[Target], report: Report, output: Path | None, kustomization: bool, trust: bool = False
) -> list[Folder]:
    """The files of each job, for the folder below `output`, or for that of dsgen.yaml where there is no `output`.

    With a kustomization.yaml where the call or dsgen.yaml asks for it. trust: an index is believed what its folder is
    made of, so that a job of which nothing has changed is not rendered.
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
    """The chart of a job, or the one without a job's values."""
    return Folder(place, lambda: Item(place, api.chart(job)))


def planned(place: Place, job: Job, lists: Lists, trust: bool = False) -> Item:
    """The files of one job; arguments as in `manifests`."""
    if trust and (unchanged := untouched(place, made_of(job, lists))):
        return Item(place, Plan(owner_of(job), {}), unchanged=unchanged)
    return Item(place, job_plan(job, api.render(job), lists))


@dataclass(frozen=True)
class Found:
    """What an item would change in its folder. failure: why that cannot be known. told: what its edit is, in words.

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


def deliver(folders: Sequence[Folder], delivery: Delivery, report: Report) -> int:
    """Bring folders to what their items say; returns the exit code.

    When one refuses, none is written, or with --keep-going all others. The texts of few folders are kept until they are
    written; those of many would take too much memory, and are made twice.
    """
    compared = functools.partial(_compared, delivery.mode, len(folders) < FEWEST)
    found = [*counted("compared", in_order(compared, folders), len(folders))]
    report.found += [problem for one in found for problem in one.problems]
    refused = [one for one in found if one.refused]
    is_text = delivery.form == "text"
    if delivery.check and is_text:
        say(text for one in found for text in _stale(one))
    if not (delivery.check or delivery.dry_run) and (delivery.keep_going or not refused):
        _ask(found, delivery)
        todo = [(folder, one.made) for folder, one in zip(folders, found, strict=True) if _is_work(one)]
        for _ in counted("written", in_order(functools.partial(_write, delivery.mode), todo), len(todo)):
            pass
    if is_text and not delivery.quiet and not delivery.check and (delivery.keep_going or not refused):
        say(text for one in found if not one.refused for text in _summary(one, delivery.dry_run))
    _tell(refused, delivery, report)
    is_stale = delivery.check and any(one.changes.stale for one in found)
    return EXIT_FINDINGS if refused or is_stale or has_errors(report.diagnostics) else EXIT_OK


def _compared(mode: Mode, keep: bool, folder: Folder) -> Found:
    item = folder.make()
    told, problems = (item.edit.told if item.edit else ""), item.problems
    try:
        changes = item.unchanged or compare(item.place, item.plan, mode)
    except DsgenError as failure:
        return Found(item.place, item.plan.owner, item.plan.run, Changes(), "", told, problems, failure)
    kept = changes.plan.kept if changes.plan else ""
    made = (item, changes) if keep else None
    changes = replace(changes, plan=None)  # it has all texts
    return Found(item.place, item.plan.owner, item.plan.run, changes, kept, told, problems, made=made)


def _made(folder: Folder, mode: Mode) -> tuple[Item, Changes]:
    item = folder.make()
    return item, item.unchanged or compare(item.place, item.plan, mode)


def _is_work(found: Found) -> bool:
    return not found.refused and bool(found.told or found.changes.stale or found.changes.index)


def _write(mode: Mode, work: tuple[Folder, tuple[Item, Changes] | None]) -> None:
    """The edit first: if writing is interrupted, the next render goes on."""
    folder, made = work
    item, changes = made or _made(folder, mode)
    if item.edit:
        item.edit.write()
    write(item.place, item.plan, changes)


def with_orphans(folders: Sequence[Folder], key: str, delivery: Delivery, report: Report) -> list[Folder]:
    """The plans of a repository, with those that take away the folders of jobs that have left, if it is asked for.

    Otherwise these folders are reported. key: the setting that names the folders.
    """
    repository = report.repository
    assert repository is not None
    gone = left(repository, key, folders)
    if delivery.prune:
        if not folders:
            raise UsageProblem("--prune would remove every job: dsgen.yaml names none that is there")
        return [*folders, *gone]
    for place, make in gone:
        message = f"{place.path} is the folder of {make().plan.owner}, which is not among the jobs of dsgen.yaml"
        severity: Severity = "error" if delivery.check else "warning"
        at = repository.position(("jobs",))
        hint = "--prune removes what dsgen wrote there"
        report.found.append(Diagnostic("DS910", message, at, ("jobs",), hint, severity))
    return list(folders)


def left(repository: Repository, key: str, folders: Sequence[Folder]) -> list[Folder]:
    """Plans that take away what was written for jobs that have left."""
    from dsgen.repository import orphans

    gone = orphans(repository, key, {folder.place.below for folder in folders})
    return [ready(Item(place, Plan(owner, {}))) for place, owner in gone]


def ready(item: Item) -> Folder:
    """The folder of an item that is made already."""
    return Folder(item.place, lambda: item)


def _tell(refused: Sequence[Found], delivery: Delivery, report: Report) -> None:
    """Tell all refusals; raises ErrorsReported with the code of a folder that cannot be read, if that is all."""
    report.found += [problem for one in refused for problem in one.changes.problems]
    report.tell(delivery.form)
    lines = [line for one in refused for line in (*one.changes.refusals, *(one.failure.lines if one.failure else ()))]
    if lines and not (delivery.check and delivery.form == "text"):
        complain(*lines)
    codes = {one.failure.exit_code if one.failure else EXIT_FINDINGS for one in refused}
    if codes and not delivery.keep_going and EXIT_FINDINGS not in codes:
        raise ErrorsReported(max(codes))


def _ask(found: Sequence[Found], delivery: Delivery) -> None:
    """Before runs are replaced. Raises UsageProblem where nobody can answer, ErrorsReported when the answer is no."""
    runs = [f'run "{one.run}" of {one.owner}' for one in found if one.changes.renewed and not one.refused]
    if not (runs and delivery.replace) or delivery.yes:
        return
    warning = "A run that has begun must not be replaced: the cluster refuses it, and the folder shows what never ran."
    answer = ask([f"--replace writes {', '.join(runs)} anew. {warning}"], "Was it never applied?")
    if answer is None:
        raise UsageProblem(f"--replace asks before it writes, and there is no terminal: add --yes. {warning}")
    if not answer:
        raise ErrorsReported(EXIT_FINDINGS)


def _stale(found: Found) -> list[str]:
    directory, changes = found.place.path, found.changes
    failure = found.failure.lines if found.failure else ()
    return [
        *_kept(found),
        *(f"differs: {directory / path}" for path in changes.write),
        *(f"not wanted: {directory / path}" for path in changes.remove),
        *(f"interrupted: a write was ended and left {directory / path}" for path in changes.leftovers),
        *changes.refusals,
        *failure,
    ]


def _kept(found: Found) -> list[str]:
    return [f"{found.place.path}: run {found.run} kept as {found.kept} wrote it"] if found.kept else []


def _summary(found: Found, dry_run: bool) -> list[str]:
    directory, changes = found.place.path, found.changes
    steps = [
        *(f"write {directory / path}" for path in changes.write),
        *(f"remove {directory / path}" for path in changes.remove),
        *(f"remove {directory / path}, left by a write that was interrupted" for path in changes.leftovers),
    ]
    edit = [found.told] if found.told else []
    if dry_run:
        steps = [*(f"write {told}" for told in edit), *steps]
        return [*_kept(found), *([f"would {step}" for step in steps] or [f"{directory}: nothing to do"])]
    written = len(changes.write)
    counts = f"{written} written, {len(changes.remove)} removed, {changes.unchanged} unchanged"
    cleared = "; what an interrupted write had left is removed" if changes.leftovers else ""
    number = written + changes.unchanged
    files = f"{number} file{'' if number == 1 else 's'}"
    return [*edit, f"{directory}: {found.owner}, {files} ({counts}){cleared}", *_kept(found)]
