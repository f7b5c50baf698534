"""`dsgen import`: convert jobs of other systems to values files."""  # noqa: N999 - the name of the command

from __future__ import annotations

import contextlib
import itertools
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import click

from dsgen.cli import completion
from dsgen.cli._console import describe_bug, echo, write, write_json
from dsgen.cli._loading import join_errors, read_file
from dsgen.errors import EXIT_FINDINGS, EXIT_OK, DsgenError, UsageError
from dsgen.importers import (
    ORIGINS,
    ImportedJob,
    ImportOptions,
    SourceText,
    check,
    import_jobs,
    make_report,
    split_sources,
)
from dsgen.importers.origins import MOST_KIB
from dsgen.language.text import align
from dsgen.reading import read_bytes

if TYPE_CHECKING:
    from dsgen.importers.comparison import Difference

HELPER = re.compile(r"(?<![\w./-])[\w./-]{1,200}\.(?:sh|bash)\b")
"""A script that another one names."""
MOST_HELPERS, LARGEST_HELPER = 20, 64 << 10
COLUMNS = {"role": 8, "subject": 30, "source": 38, "result": 38, "why": 200}
"""The columns of the comparison, with the most characters of each."""
UNEXPLAINED = "no reason is known; please report it"


@click.command("import")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, shell_complete=completion.files)
@click.option("-o", "--output", metavar="PATH", help="Write the values to this file, or one file for each job here.")
@click.option(
    "--from", "origin", type=click.Choice([*ORIGINS]), metavar="KIND", help="What FILE is, if dsgen mistakes it."
)
@click.option(
    "--runtime",
    "runtimes",
    multiple=True,
    metavar="FILE",
    help="A runtime to which a TrainJob refers; repeatable.",
    shell_complete=completion.files,
)
@click.option(
    "--set", "settings", multiple=True, metavar="VAR=VALUE", help="The value of a variable of a script; repeatable."
)
@click.option("--line", type=click.IntRange(1), metavar="N", help="The line of a script that starts the training.")
@click.option(
    "--as",
    "way",
    type=click.Choice(["native", "carried"]),
    metavar="WAY",
    help="Make values of a script for sbatch (native), or run it unchanged (carried).",
)
@click.option("--check", "is_checked", is_flag=True, help="Compare the rendered result with the source, by role.")
@click.option("-v", "--verbose", "is_verbose", is_flag=True, help="Name what dsgen does itself, too.")
@click.option("--strict", is_flag=True, help="Write nothing if a part of the source has no equivalent.")
@click.option(
    "--format",
    "form",
    type=click.Choice(("text", "json")),
    default="text",
    help="Format of the report; json goes to standard output.  [default: text]",
)
def command(
    files: tuple[str, ...],
    output: str | None,
    origin: str | None,
    runtimes: tuple[str, ...],
    settings: tuple[str, ...],
    line: int | None,
    way: str | None,
    is_checked: bool,
    is_verbose: bool,
    strict: bool,
    form: str,
) -> int:
    """Convert jobs of other systems to values files.

    A FILE is a script for sbatch, a shell script, a line of Arena, or objects of Kubernetes such as a PyTorchJob or an
    MPIJob; `-` is standard input. dsgen finds out what it is; `dsgen explain import` lists what it converts. The values
    are written to standard output or to -o, and the report to standard error: it names every part of FILE that has no
    equivalent, and every value that only you know. The table of --check is on standard output, below the values as
    comments. dsgen reads scripts and never executes them.

    \b
    Examples:
      dsgen import train.sbatch -o bert.yaml
      dsgen import pytorchjob.yaml --check
      dsgen import train.sbatch --set MODEL=gpt2 --strict -o gpt2.yaml
      dsgen import - < pytorchjob.yaml
      dsgen import pytorchjob.yaml train.sbatch -o jobs
      dsgen import pytorchjob.yaml --format json
    """
    read = [read_file(name) for name in runtimes]
    variables = dict(map(_parse_setting, settings))
    options = ImportOptions(origin or "", variables, line or 0, beside=read, form=way or "")
    jobs, refusals = _convert(files, options)
    if output == "":  # Path("") would be the current folder
        raise UsageError("the name of the file, -o, is empty: is a variable not set?")
    places = _choose_places(jobs, output or "")
    compared = [check(job) if is_checked else [] for job in jobs]
    is_refused = strict and (bool(refusals) or any(job.lost for job in jobs))
    if not is_refused:
        _write(jobs, places, form)
    if form == "json":
        data = make_report(jobs)
        for job, differences in zip(data["jobs"], compared, strict=True):
            job |= {"differences": [asdict(one) for one in differences]} if is_checked else {}
        write_json(data)
    else:
        for job, place, differences in zip(jobs, places, compared, strict=True):
            echo(_format_report(job, place, is_verbose), err=True)
            # Standard output is a values file, or without one of -o also the table, as comments of it.
            echo(line if place else f"# {line}" for line in _format_table(differences))
    if is_refused and form == "text":
        what = "not all files can be converted" if refusals else "parts of the source are lost"
        echo([f"nothing was written, because of --strict: {what}"], err=True)
    if refusals:
        raise join_errors(refusals)
    is_unexplained = any(not difference.why for differences in compared for difference in differences)
    return EXIT_FINDINGS if is_refused or is_unexplained else EXIT_OK


# -- reading ----------------------------------------------------------------------------------------------------------


def _parse_setting(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign or not re.fullmatch(r"[A-Za-z_]\w*|[0-9]{1,2}", name):
        raise UsageError(f"--set {text}: expected the name of a variable and its value, as in --set MODEL=bert")
    return name, value


def _convert(files: Sequence[str], options: ImportOptions) -> tuple[list[ImportedJob], list[DsgenError]]:
    """The jobs of the files that can be converted, and why the others cannot. Raises DsgenError if none can."""
    jobs, refusals = list[ImportedJob](), list[DsgenError]()
    read = [_read(name) for name in files]
    sources, beside = split_sources([one for one in read if isinstance(one, SourceText)])
    for name, source in zip(files, read, strict=True):
        try:
            if isinstance(source, DsgenError):
                raise source
            if source in sources:
                jobs += import_jobs(
                    [source], replace(options, beside=[*options.beside, *beside], helpers=_find_helpers(source))
                )
        except DsgenError as error:
            refusals.append(error)
        except Exception as error:  # a mistake of dsgen must not cost the files beside this one
            refusals.append(DsgenError(f"{name}: {describe_bug(error)}"))
    if not jobs:
        raise join_errors(refusals)
    return jobs, refusals


def _read(name: str) -> SourceText | DsgenError:
    """A file, or why it cannot be read."""
    try:
        return read_file(name)
    except UsageError:
        raise
    except DsgenError as error:
        return error


def _find_helpers(source: SourceText) -> dict[str, str]:
    """The scripts beside a script, and below its folder, that it names."""
    folder, found = Path(source.name).parent, dict[str, str]()
    for name in dict.fromkeys(HELPER.findall(source.text[: MOST_KIB << 10])):
        for place in (folder / name, folder / PurePosixPath(name).name):
            if len(found) < MOST_HELPERS and _is_inside(place, folder):
                with contextlib.suppress(OSError):  # it is too large, or a link in a circle: it is not read
                    found[name] = SourceText.from_bytes(str(place), read_bytes(place, LARGEST_HELPER)).text
                    break
    return found


def _is_inside(place: Path, folder: Path) -> bool:
    """Whether a path leads to a regular file in a folder, or below it, on the same file system, after all links."""
    root, target = Path(os.path.realpath(folder)), Path(os.path.realpath(place))
    if not target.is_relative_to(root) or not target.is_file():
        return False
    return root.stat().st_dev == target.stat().st_dev  # not /proc, for a script in /


# -- writing ----------------------------------------------------------------------------------------------------------


def _choose_places(jobs: Sequence[ImportedJob], output: str) -> list[Path | None]:
    """The file of each job; None for standard output."""
    if output.endswith((".yaml", ".yml")) and not Path(output).is_dir():
        if len(jobs) > 1:
            raise UsageError(f"-o {output} is one file, and there are {len(jobs)} jobs: give a folder")
        return [Path(output)]
    if (not output and len(jobs) == 1) or output == "-":
        if len(jobs) > 1:
            raise UsageError(f"there are {len(jobs)} jobs: give a folder for their values files, -o DIR")
        return [None]
    names = [job.name or PurePosixPath(job.file).stem for job in jobs]
    twins = sorted({name for name in names if names.count(name) > 1})
    if twins:
        raise UsageError(f"several jobs are named {', '.join(twins)}: import them one at a time, each with its -o FILE")
    return [_choose_place(name, output, len(jobs)) for name in names]


def _choose_place(name: str, output: str, count: int) -> Path:
    """The file of a job: in the folder of -o, or where the dsgen.yaml above this folder has its jobs."""
    from dsgen import repository  # imported late: most calls write one file

    if output:
        return repository.choose_place_in(Path(output), name)
    place = repository.find_new_place(name)
    if place is None:
        raise UsageError(f"there are {count} jobs: give a folder for their values files, -o DIR")
    return place


def _write(jobs: Sequence[ImportedJob], places: Sequence[Path | None], form: str) -> None:
    """Write all files, or none if one of them exists."""
    from dsgen.writer import RefusedError, create  # imported late: without -o, nothing is written

    for place in places:
        if place and place.exists():
            raise RefusedError(f"{place} exists already, and is not overwritten: choose another name, or delete it")
    for job, place in zip(jobs, places, strict=True):
        if place:
            create(place, job.text)
            if form == "text":
                fill = "Fill in what is missing, then" if job.holes else "Now"
                echo([f"{place}: written from {job.file}. {fill}: dsgen validate {place}"], err=True)  # with the report
        elif form == "text":
            write(job.text)


# -- the report -------------------------------------------------------------------------------------------------------


def _format_report(job: ImportedJob, place: Path | None, is_verbose: bool) -> Iterator[str]:
    """What is lost, and what a person must fill in; with is_verbose, what was dropped, too."""
    at, how = job.decided, "native: the values have what the fields say"
    if at:
        how = f"carried: {job.carried}" if job.carried else "native: the values start what this line starts"
    yield f"{at.file}:{at.line}:{at.column}: {how}" if at else f"{job.file}: {how}"
    told = [one for one in job.entries if one.fate == "lost" or (is_verbose and one.fate == "dropped")]
    for _, parts in itertools.groupby(told, lambda one: (one.position.file, one.whole or one.position.line, one.why)):
        first, *rest = parts
        at, source = first.position, first.whole or " ".join(one.source for one in (first, *rest))
        yield f"{at.file}:{at.line}:{at.column}: {first.fate}: {source}: {first.why}"
        if first.hint:
            yield f"  hint: {first.hint}"
    for hole in job.holes:
        yield f"{place or 'values'}: to fill in: {hole.key} ({hole.why})"
    counts = {fate: sum(entry.fate == fate for entry in job.entries) for fate in ("mapped", "dropped", "lost")}
    words = ", ".join(f"{number} {fate}" for fate, number in counts.items())
    yield f"{job.file}: {words}, {len(job.holes)} to fill in"


def _format_table(differences: Sequence[Difference]) -> Iterator[str]:
    """The differences between a source and the rendered objects, in columns."""
    rows = [tuple(COLUMNS)] * bool(differences)
    rows += [
        (one.role, one.subject, one.source or "-", one.result or "-", one.why or UNEXPLAINED) for one in differences
    ]
    yield from align([_cut(text, most) for text, most in zip(row, COLUMNS.values(), strict=True)] for row in rows)


def _cut(text: str, most: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 3]}..."
