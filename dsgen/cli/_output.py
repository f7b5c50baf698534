"""Where the result goes: which object into which file, and what is done to a folder (write, --check, --dry-run)."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from dsgen.cli._printed import say
from dsgen.errors import EXIT_FINDINGS, EXIT_OK, DsgenError, UsageProblem
from dsgen.render import Document
from dsgen.values import Job
from dsgen.writer import INDEX, Changes, Place, Plan, Refused, compare, write

# Windows cannot have such names, whatever follows the first dot, and one of them stops Flux for a whole repository.
_DEVICES = re.compile(r"^(con|prn|aux|nul|com[0-9]|lpt[0-9])$")
_KIND = re.compile(r"^kind: (\w+)$", re.MULTILINE)
_NAME = re.compile(r"^metadata:\n(?:  .*\n)*?  name: \"?([^\"\n]+)\"?$", re.MULTILINE)

_FOLDER = [
    click.option("--check", is_flag=True, help="Change nothing; name the files that differ, with exit code 1."),
    click.option("--dry-run", is_flag=True, help="Change nothing; say what would be done."),
]


def folder_options(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command --check and --dry-run."""
    for option in reversed(_FOLDER):
        command = option(command)
    return command


def output_option(text: str, required: bool = False) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Give a command -o."""
    return click.option(
        "-o", "--output", metavar="DIR", required=required, callback=lambda _, __, name: _folder(name), help=text
    )


def _folder(name: str | None) -> Path | None:
    if name == "":  # to Path, this is the current folder
        raise UsageProblem("the name of the folder, -o, is empty: is a variable not set?")
    return None if name is None else Path(name)


def job_plan(job: Job, documents: Sequence[Document]) -> Plan:
    """One object per file; the objects of the run are frozen under its id."""
    paths = [file_name(document.text) for document in documents]
    return Plan(
        owner=f"job {job.release.namespace}/{job.release.name}",
        files={path: document.text for path, document in zip(paths, documents, strict=True)},
        run=str(job.data["run"]["id"]),
        frozen=frozenset(path for path, document in zip(paths, documents, strict=True) if document.scope == "run"),
    )


def file_name(text: str) -> str:
    """`<kind>-<name>.yaml` of one object: unique in its namespace, and never a device name, for it has a `-`."""
    kind, name = _KIND.search(text), _NAME.search(text)
    if not kind or not name:
        raise DsgenError(f"an object without kind or name: {text[:200]}")
    return f"{kind[1].lower()}-{name[1]}.yaml"


def folders(directory: Path, jobs: Sequence[Job]) -> list[Place]:
    """The folder of each job: `directory` itself for one, a folder named after the job for each of several.

    Raises UsageProblem when that would put a job into a second place, or two jobs into one.
    """
    names = [_DEVICES.sub(r"\1_", job.release.name) for job in jobs]
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


def deliver(plans: Sequence[tuple[Place, Plan]], check: bool, dry_run: bool) -> int:
    """Bring folders to what their plans say, all of them or, when one refuses, none; returns the exit code."""
    found = [(place, plan, compare(place, plan)) for place, plan in plans]
    if check:
        say(text for place, _, changes in found for text in _stale(place.path, changes))
        return EXIT_FINDINGS if any(changes.stale for _, _, changes in found) else EXIT_OK
    refusals = [line for _, _, changes in found for line in changes.refusals]
    if refusals:
        raise Refused(*refusals)
    for place, plan, changes in found:
        if not dry_run:
            write(place, plan, changes)
        say(_summary(place.path, plan, changes, dry_run))
    return EXIT_OK


def _stale(directory: Path, changes: Changes) -> list[str]:
    return [
        *(f"differs: {directory / path}" for path in changes.write),
        *(f"not wanted: {directory / path}" for path in changes.remove),
        *(f"interrupted: a write was ended and left {directory / path}" for path in changes.leftovers),
        *changes.refusals,
    ]


def _summary(directory: Path, plan: Plan, changes: Changes, dry_run: bool) -> list[str]:
    steps = [
        *(f"write {directory / path}" for path in changes.write),
        *(f"remove {directory / path}" for path in changes.remove),
        *(f"remove {directory / path}, left by a write that was interrupted" for path in changes.leftovers),
    ]
    if dry_run:
        return [f"would {step}" for step in steps] or [f"{directory}: nothing to do"]
    counts = (
        f"{len(changes.write)} written, {len(changes.remove)} removed, {len(plan.files) - len(changes.write)} unchanged"
    )
    cleared = "; what an interrupted write had left is removed" if changes.leftovers else ""
    return [f"{directory}: {plan.owner}, {len(plan.files)} files ({counts}){cleared}"]
