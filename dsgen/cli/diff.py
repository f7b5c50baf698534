"""`dsgen diff`: show what a render would change, as text, JSON or Markdown. They contain no data of Secrets."""

import difflib
import html
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from dsgen.cli._console import echo, show_progress, write, write_json
from dsgen.cli._delivery import OutputFolder, list_orphans, plan_chart, plan_charts, plan_manifests, plan_scripts
from dsgen.cli._loading import Report, load_chart, load_jobs
from dsgen.cli._options import Inputs, folder_option, format_option, input_options, kustomization_option
from dsgen.errors import EXIT_FINDINGS, EXIT_OK, UsageError
from dsgen.problems.framing import make_printable
from dsgen.problems.safe_text import escape_line, redact
from dsgen.runs.differences import FieldChange, JobChange, ObjectChange, compare_job
from dsgen.writer import Destination

FORMAT_VERSION = 1
"""Increased if a field of the JSON is removed or gets another meaning."""


@click.command("diff")
@input_options()
@folder_option("The folder to compare with.")
@click.option("--chart", is_flag=True, help="Compare with the chart that `dsgen chart` wrote, file by file.")
@kustomization_option
@format_option("text", "json", "markdown", help="markdown is for the comment on a pull request.", takes_folder=True)
def command(inputs: Inputs, directory: Path | None, chart: bool, kustomization: bool, form: str) -> int:
    """Show what a render would change, by object and field.

    DIR is the folder that `dsgen render` wrote, or with --chart the folder that `dsgen chart` wrote; for the jobs of
    dsgen.yaml it is known. Without FILE, the folders of all jobs in the nearest dsgen.yaml are compared. Nothing is
    written, and no cluster is contacted. The exit code is 1 if there is a difference. For Secrets, only the names of
    the fields are shown.

    \b
    Examples:
      dsgen diff cifar.yaml -d manifests/cifar
      dsgen diff cifar.yaml -d charts/cifar --chart
      dsgen diff
      dsgen diff jobs/cifar/values.yaml
      dsgen diff -o markdown
    """
    if directory is not None and not inputs.has_files:
        raise UsageError("-d needs FILEs; for the jobs of dsgen.yaml, the folders are set there")
    folders, report = _plan(inputs, directory, chart, kustomization)
    others = None
    if report.repository:
        orphans, others = list_orphans(report.repository, "charts" if chart else "output", folders)
        folders = [*folders, *orphans]
    differences = [
        compare_job(each.place, each.make(), chart) for each in show_progress("compared", folders, len(folders))
    ]
    used = [(each, one.changes.runtime) for each, one in zip(folders, differences, strict=True)]
    scripts = plan_scripts(used, others, any(one.changes.refused for one in differences))
    differences += [compare_job(each.place, each.make(), chart) for each in scripts]
    is_equal = all(one.is_equal for one in differences)
    if form == "text":
        echo(line for one in differences for line in _as_lines(one))
    elif form == "json":
        write_json({"version": FORMAT_VERSION, "equal": is_equal, "jobs": [*map(_as_data, differences)]})
    else:
        write(_as_markdown(differences))
    report.problems += [problem for difference in differences for problem in difference.changes.problems]
    report.show()
    return EXIT_OK if is_equal else EXIT_FINDINGS


def _plan(
    inputs: Inputs, directory: Path | None, chart: bool, kustomization: bool
) -> tuple[Sequence[OutputFolder], Report]:
    """The folders. Raises UsageError if there is neither DIR nor a folder in dsgen.yaml for one of them."""
    if chart and directory is not None:
        if len(inputs.files) > 1:
            raise UsageError("a chart has the values of one job: give one FILE")
        job, report = load_chart(inputs)
        return [plan_chart(Destination(directory), job)], report
    jobs, report = load_jobs(inputs)
    if directory is None and (lost := [each.job.file for each in jobs if not each.member]):
        raise UsageError(f"-d is missing, the folder to compare with: {lost[0]} is not a job of dsgen.yaml")
    return plan_charts(jobs) if chart else plan_manifests(jobs, directory, kustomization), report


def _as_lines(job: JobChange) -> Iterator[str]:
    """The lines of the text form."""
    yield f"{job.folder}: {job.owner}, {job.status}"
    for one in job.objects:
        yield f"  {_format_title(one)}{':' if one.fields else ''}"
        for field in one.fields:
            if _is_text(field):
                yield f"    {field.path}:"
                yield from (f"      {each}" for each in _compare_lines(field))
            else:
                yield f"    {field.path}: {_format_value(field.old)} -> {_format_value(field.new)}"
    yield from (f"  {each}" for each in _list_reasons(job))


def _as_data(job: JobChange) -> dict[str, Any]:
    """The change of a job as JSON; absent values are null."""
    return {
        **{name: getattr(job, name) for name in ("folder", "owner", "status")},
        "equal": job.is_equal,
        "objects": [
            {
                **{name: getattr(one, name) for name in ("kind", "name", "was", "change")},
                "fields": [_hide_secrets(asdict(field)) for field in one.fields],
            }
            for one in job.objects
        ],
        "problems": list(_list_reasons(job)),
    }


def _as_markdown(changes: Sequence[JobChange]) -> str:
    """Markdown for a comment on a pull request: a section for each job with a difference."""
    sections = ["".join(f"{each}\n" for each in _format_section(job)) for job in changes if not job.is_equal]
    equal = sum(job.is_equal for job in changes)
    return "\n".join([*sections, f"{equal} of {len(changes)} jobs without a difference.\n"])


def _format_section(job: JobChange) -> Iterator[str]:
    yield f"### {_format_code(job.folder)}: {html.escape(escape_line(job.owner))}, {html.escape(job.status)}"
    yield ""
    rows = [(one, field) for one in job.objects for field in one.fields or (None,)]
    if rows:
        yield "| object | field | before | after |"
        yield "|---|---|---|---|"
    for one, field in rows:
        cells = ("", "", "") if field is None else _format_cells(field)
        yield f"| {html.escape(_format_title(one))} | {' | '.join(cells)} |"
    for one, field in rows:
        if field is not None and _is_text(field):
            yield from ("", f"{html.escape(_format_title(one))}, {_format_code(field.path)}:", "", "<pre>")
            yield from (html.escape(escape_line(each), quote=False) or "&nbsp;" for each in _compare_lines(field))
            yield "</pre>"
    yield from (f"- {html.escape(escape_line(each))}" for each in _list_reasons(job))


def _format_cells(field: FieldChange) -> tuple[str, str, str]:
    if _is_text(field):
        return _format_code(field.path), "", "see below"
    return _format_code(field.path), _format_code(_format_value(field.old)), _format_code(_format_value(field.new))


def _format_code(text: str) -> str:
    return f"<code>{html.escape(escape_line(text)).replace('|', '&#124;')}</code>"


def _format_title(one: ObjectChange) -> str:
    name = f"{one.kind} {one.was} -> {one.name}" if one.was else f"{one.kind} {one.name}"
    what = "the same but for the name of the run" if one.was else one.change
    return name if one.fields else f"{name}: {what}"


def _is_text(field: FieldChange) -> bool:
    return any(isinstance(one, str) and "\n" in one.rstrip("\n") for one in (field.old, field.new))


def _compare_lines(field: FieldChange) -> list[str]:
    old, new = (_hide_secrets(one if isinstance(one, str) else "").splitlines() for one in (field.old, field.new))
    return [each for each in difflib.unified_diff(old, new, lineterm="", n=2) if not each.startswith(("---", "+++"))]


def _format_value(value: Any) -> str:
    if value is None:
        return "not set"
    return redact(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _hide_secrets(value: Any) -> Any:
    """The value without secrets in URLs."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {key: _hide_secrets(below) for key, below in value.items()}
    return [_hide_secrets(below) for below in value] if isinstance(value, list) else value


def _list_reasons(job: JobChange) -> Iterator[str]:
    """The reasons of a refusal, and the files of interrupted writes."""
    yield from (f"{problem.message} [{problem.id}]" for problem in make_printable(job.changes.problems))
    yield from (redact(each) for each in job.changes.refusals)
    yield from (redact(each) for each in (job.failure.lines if job.failure else ()))
    yield from (f"left by an interrupted write: {path}" for path in job.changes.leftovers)
