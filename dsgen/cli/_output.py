"""Writes results to folders, or compares them with folders (--check, --dry-run)."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from dsgen import api
from dsgen.cli._items import Folder, Item, Outcome, stale, summary
from dsgen.cli._jobs import Report
from dsgen.cli._parallel import FEWEST, in_order
from dsgen.cli._printed import ask, complain, say
from dsgen.cli._progress import counted
from dsgen.cli._shared import Delivery, ErrorsReported, message_of_bug
from dsgen.cli._targets import Target
from dsgen.errors import EXIT_FINDINGS, EXIT_OK, DsgenError, UsageProblem
from dsgen.problems.diagnostics import Diagnostic, Severity, has_errors
from dsgen.runs import job_plan, made_of, owner_of
from dsgen.writer import INDEX, Changes, Mode, Place, Plan, compare, folder_name, is_absent, untouched, write
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
    names = [folder_name(target.release.name) for target in targets]
    if len(targets) == 1:
        if (directory / names[0] / INDEX).exists() and not (directory / INDEX).exists():
            raise UsageProblem(
                f"{directory / names[0]} holds this job, from a call with several files: use -o {directory / names[0]}"
            )
        return [Place(directory)]
    if (directory / INDEX).exists():
        raise UsageProblem(f"{directory} is the folder of one job; choose another one for several")
    for target, name in zip(targets, names, strict=True):
        if names.count(name) > 1:
            raise UsageProblem(
                f"two jobs are named {target.release.name}, in two namespaces: render them in two calls, to two folders"
            )
    return [Place(directory, name) for name in names]


def manifests(targets: Sequence[Target], output: Path | None, kustomization: bool, trust: bool = False) -> list[Folder]:
    """The files of each job, for its folder below `output`, or for its folder of dsgen.yaml without `output`.

    They include a kustomization.yaml if the command line or dsgen.yaml requests it. trust: rely on the checksum of
    inputs in the index, so that an unchanged job is not rendered.
    """
    places = (
        [target.member.place for target in targets if target.member] if output is None else folders(output, targets)
    )
    return [
        Folder(place, functools.partial(_planned, place, target, _lists(target, kustomization), trust))
        for place, target in zip(places, targets, strict=True)
    ]


def _lists(target: Target, kustomization: bool) -> Lists:
    """The lists of a job's files that the command line or dsgen.yaml requests."""
    is_wanted = kustomization or (target.member and target.member.settings.value("kustomization"))
    return LISTS if is_wanted else {}


def charts(targets: Sequence[Target]) -> list[Folder]:
    """The chart of each job of a repository."""
    places = ((target.member.chart_place, target) for target in targets if target.member)
    return [Folder(place, functools.partial(_charted, place, target)) for place, target in places]


def _charted(place: Place, target: Target) -> Item:
    return Item(place, api.chart(target.job))


def chart(place: Place, job: Job | None) -> Folder:
    """The chart of a job, or the chart without the values of a job."""
    return ready(Item(place, api.chart(job)))


def _planned(place: Place, target: Target, lists: Lists, trust: bool) -> Item:
    return planned(place, target.job, lists, trust)


def planned(place: Place, job: Job, lists: Lists, trust: bool = False) -> Item:
    """The files of one job; for the arguments see `manifests`."""
    if trust and (unchanged := untouched(place, made_of(job, lists))):
        return Item(place, Plan(owner_of(job), {}), unchanged=unchanged)
    return Item(place, job_plan(job, api.render(job), lists))


def deliver(folders: Sequence[Folder], delivery: Delivery, report: Report) -> int:
    """Write the items to their folders, or compare them; returns the exit code.

    When one refuses, none is written, or with --keep-going all others. The texts of few folders are kept until they are
    written. Those of many would take too much memory: they are made again, but for folders that do not exist yet.
    """
    writes = not (delivery.check or delivery.dry_run)
    is_many = len(folders) >= FEWEST
    compared = functools.partial(_compared, delivery.mode, not is_many, is_many and writes)
    outcomes = [*counted("compared", in_order(compared, folders), len(folders))]
    is_text = delivery.form == "text"
    if delivery.check and is_text:
        say(text for one in outcomes for text in stale(one))
    if writes and (delivery.keep_going or not any(one.refused for one in outcomes)):
        _ask(outcomes, delivery)
        outcomes = _written(folders, outcomes, delivery.mode)
    report.problems += [problem for one in outcomes for problem in one.problems]
    refused = [one for one in outcomes if one.refused]
    if is_text and not delivery.quiet and not delivery.check and (delivery.keep_going or not refused):
        say(text for one in outcomes if not one.refused for text in summary(one, delivery.dry_run))
    _print_refusals(refused, delivery, report)
    is_stale = delivery.check and any(one.changes.stale for one in outcomes)
    return EXIT_FINDINGS if refused or is_stale or has_errors(report.diagnostics) else EXIT_OK


def _compared(mode: Mode, keep: bool, defer: bool, folder: Folder) -> Outcome:
    """The changes of a folder. keep: keep the rendered texts in memory. defer: render a job without a folder, where
    nothing can be refused, only when it is written.
    """
    if defer and is_absent(folder.place):
        return Outcome(folder.place, "", "", Changes(index=True))
    item = None
    try:
        item = folder.make()
        return _outcome(item, _changes(item, mode), keep)
    except UsageProblem:
        raise
    except DsgenError as error:
        failure = error
    except Exception as error:  # the others are reported, too
        failure = DsgenError(f"{folder.place.path}: {message_of_bug(error)}")
    known = Outcome(folder.place, "", "", Changes()) if item is None else _outcome(item, Changes())
    return replace(known, failure=failure)


def _changes(item: Item, mode: Mode) -> Changes:
    return item.unchanged or compare(item.place, item.plan, mode)


def _outcome(item: Item, changes: Changes, keep: bool = False) -> Outcome:
    kept, edited = (changes.plan.kept if changes.plan else ""), (item.edit.summary if item.edit else "")
    made = (item, changes) if keep else None
    changes = replace(changes, plan=None)  # the plan has all texts
    return Outcome(item.place, item.plan.owner, item.plan.run, changes, kept, edited, item.problems, made=made)


def _written(folders: Sequence[Folder], outcomes: Sequence[Outcome], mode: Mode) -> list[Outcome]:
    """Write the items; returns all outcomes, including those of deferred folders."""
    todo = [(folder, one.made) for folder, one in zip(folders, outcomes, strict=True) if one.is_work]
    written = iter([*counted("written", in_order(functools.partial(_write, mode), todo), len(todo))])
    return [next(written) if one.is_work else one for one in outcomes]


def _write(mode: Mode, work: tuple[Folder, tuple[Item, Changes] | None]) -> Outcome:
    """Write an item, the edit first: after an interruption, the next render continues."""
    folder, made = work
    if made:
        item, changes = made
    else:
        item = folder.make()
        changes = _changes(item, mode)
    if item.edit:
        item.edit.write()
    write(item.place, item.plan, changes)
    return _outcome(item, changes)


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
    return Folder(item.place, functools.partial(Item, *item))


def _print_refusals(refused: Sequence[Outcome], delivery: Delivery, report: Report) -> None:
    """Print all refusals. Raises ErrorsReported with the exit code of a read error, if nothing else was refused."""
    report.problems += [problem for one in refused for problem in one.changes.problems]
    report.output(delivery.form)
    lines = [line for one in refused for line in (*one.changes.refusals, *(one.failure.lines if one.failure else ()))]
    if lines and not (delivery.check and delivery.form == "text"):
        complain(*lines)
    codes = {one.failure.exit_code if one.failure else EXIT_FINDINGS for one in refused}
    if codes and not delivery.keep_going and EXIT_FINDINGS not in codes:
        raise ErrorsReported(max(codes))


def _ask(outcomes: Sequence[Outcome], delivery: Delivery) -> None:
    """Ask before runs are replaced. Raises UsageProblem without a terminal, and ErrorsReported if the answer is no."""
    runs = [f'run "{one.run}" of {one.owner}' for one in outcomes if one.changes.renewed and not one.refused]
    if not (runs and delivery.replace) or delivery.yes:
        return
    warning = "Never replace a run that was applied: the cluster refuses it, and the folder would show what never ran."
    answer = ask([f"--replace replaces {', '.join(runs)}. {warning}"], "Was it never applied?")
    if answer is None:
        raise UsageProblem(f"--replace asks before it writes, and there is no terminal: add --yes. {warning}")
    if not answer:
        raise ErrorsReported(EXIT_FINDINGS)
