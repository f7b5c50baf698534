"""The Python API, which the commands also use, for portals, notebooks and pipelines.

`load` reads a job, `validate` finds its problems, `render` and `manifests` return its Kubernetes objects, `chart`
returns a Helm chart, and `write` writes the files of the last two to a folder. The names in `__all__` are the API;
docs/api.md has examples. An argument of a wrong type or value raises DsgenError.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from dsgen import values
from dsgen.errors import EXIT_FINDINGS, DsgenError, UsageProblem
from dsgen.problems import diagnostics
from dsgen.problems.diagnostics import Diagnostic, Position, has_errors
from dsgen.reading.files import read_bytes
from dsgen.render import Document
from dsgen.render import render as _render
from dsgen.values import Job, Override, Release, SourceText

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dsgen.problems.diagnostics import Path
    from dsgen.writer import Changes, Mode, Plan

    Source = str | os.PathLike[str] | SourceText | Mapping[str, Any]
    """The name of a values file, its text, or values as plain data."""

__all__ = [
    "Diagnostic",
    "Document",
    "DsgenError",
    "Invalid",
    "Job",
    "Override",
    "Position",
    "Release",
    "SourceText",
    "as_text",
    "chart",
    "load",
    "manifests",
    "path_text",
    "read",
    "render",
    "validate",
    "write",
]

OVERRIDES = ("--set", "--set-string", "--set-json", "--set-file")
"""The flags that an Override may have."""
CHART_NAME = "deepspeed-job"
"""The name of the chart without the values of a job."""


class Invalid(DsgenError):  # noqa: N818 - part of the API
    """A job has errors and cannot be rendered. `problems` has all of them, `str()` prints them as the commands do."""

    exit_code = EXIT_FINDINGS

    def __init__(self, job: Job, problems: Sequence[Diagnostic]) -> None:
        super().__init__(*as_text(problems, job.sources).splitlines())
        self.problems = problems


def as_text(problems: Sequence[Diagnostic], sources: Mapping[str, str], color: bool = False) -> str:
    """Problems as the command line prints them, with the lines of the files. sources: see `Job.sources`."""
    from dsgen.problems import framing  # imported late: most jobs have no problems

    for problem in _expected(problems, (list, tuple), "problems"):
        _expected(problem, Diagnostic, "each item of problems")
    _expected(sources, dict, "sources")
    return framing.as_text(problems, sources, color)


def path_text(path: Path) -> str:
    """The path of a problem as dotted text, such as `workers.sidecars[0].image`."""
    for key in _expected(path, (list, tuple), "path"):
        _expected(key, (str, int), "each key of a path")
    return diagnostics.path_text(path)


def load(*sources: Source, overrides: Sequence[Override] = (), name: str = "", namespace: str = "") -> Job:
    """Read one job: merge the sources in order, then the overrides, as Helm does.

    name, namespace: for a job whose sources do not set them. A job with errors is also returned; `validate` reports
    them. Raises DsgenError if a file cannot be read, or if an override or a name is invalid.
    """
    _check_overrides(overrides)
    for what, given in (("name", name), ("namespace", namespace)):
        _expected(given, str, what)
    texts = [_text(source, number) for number, source in enumerate(sources, 1)]
    return values.load(texts, overrides, Release(name, namespace))


def read(path: str | os.PathLike[str], name: str = "") -> SourceText:
    """The text of a file; name: shown in messages instead of the path. Raises DsgenError if it cannot be read."""
    place, shown = _path(path, "path"), _expected(name, str, "name") or _path(path, "path")
    try:
        return SourceText.from_bytes(shown, read_bytes(place))
    except OSError as error:
        raise DsgenError(f"cannot read {shown}: {error.strerror}") from error


def validate(job: Job, *, for_chart: bool = False) -> list[Diagnostic]:
    """All problems of a job, sorted by place; empty for a valid job.

    for_chart: the job becomes a chart, whose release provides a missing name and namespace.
    """
    return [*_expected(job, Job, "job").problems(for_chart)]


def render(job: Job) -> list[Document]:
    """The Kubernetes objects of a job, in the order in which they are applied. Raises Invalid for a job with errors."""
    return _render(_checked(job).data, job.release)


def manifests(job: Job) -> Plan:
    """The objects of a job as files, one per object, by name (`Plan.files`). Raises Invalid for a job with errors."""
    from dsgen.runs import job_plan  # imported late: `render` does not need it

    return job_plan(job, render(job))


def chart(job: Job | None = None) -> Plan:
    """The files of a Helm chart by name (`Plan.files`), with the values of a job as its defaults.

    Raises Invalid for a job with errors.
    """
    from dsgen.runs.charts import chart_plan  # imported late: only charts need the compiler

    return chart_plan(None if job is None else _checked(job, for_chart=True), CHART_NAME)


def write(plan: Plan, folder: str | os.PathLike[str], mode: Mode = "keep") -> Changes:
    """Write the files of a plan to a folder, and leave other files there unchanged; returns the changes.

    mode: like --refresh and --replace. Raises DsgenError, and leaves the folder unchanged, if a file of the user would
    be overwritten, an existing run would change, or the folder cannot be written.
    """
    from pathlib import Path

    from dsgen.writer import Mode, Place, Plan, compare
    from dsgen.writer import write as write_changes

    _expected(plan, Plan, "plan")
    if mode not in Mode.__args__:  # type: ignore[attr-defined]  # the words of a Literal
        raise UsageProblem(f"mode must be keep, refresh or replace, not {mode!r}")
    place = Place(Path(_path(folder, "folder")))
    changes = compare(place, plan, mode)
    write_changes(place, plan, changes)
    return changes


def _text(source: Source, number: int) -> SourceText:
    if isinstance(source, SourceText):
        _expected(source.name, str, "the name of a SourceText")
        _expected(source.text, str, "the text of a SourceText")
        return source
    if isinstance(source, str | os.PathLike):
        return read(source)
    import json
    from collections.abc import Mapping

    _expected(source, Mapping, "a source", "the name of a file, a SourceText or a map")
    try:
        # JSON is YAML, so problems of plain data also have a place.
        text = json.dumps(source, indent=2, ensure_ascii=False, default=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageProblem(f"<values {number}>: a map must be plain data: {error}") from error
    return SourceText(f"<values {number}>", text + "\n")


def _plain(value: object) -> dict[str, Any]:
    """A map of another type as a dict; TypeError for everything else."""
    from collections.abc import Mapping

    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not a type of JSON")


def _checked(job: Job, for_chart: bool = False) -> Job:
    problems = validate(job, for_chart=for_chart)
    if has_errors(problems):
        raise Invalid(job, problems)
    return job


def _check_overrides(overrides: object) -> None:
    flags = "--set, --set-string, --set-json or --set-file"
    for override in _expected(overrides, (list, tuple), "overrides", 'a list, such as [Override("--set", "run.id=2")]'):
        _expected(override, Override, "an override", 'an Override, such as Override("--set", "run.id=2")')
        if override.flag not in OVERRIDES:
            raise UsageProblem(f"the flag of an Override must be {flags}, not {override.flag!r}")
        _expected(override.text, str, "the text of an Override")


def _path(path: object, what: str) -> str:
    """A path as text."""
    text = os.fspath(_expected(path, (str, os.PathLike), what, "a path"))
    if not isinstance(text, str) or "\0" in text:
        raise UsageProblem(f"{what} must be a path, not {text!r}")
    return text


def _expected(value: Any, kind: type | tuple[type, ...], what: str, words: str = "") -> Any:
    """The value. Raises UsageProblem if it has another type."""
    if not isinstance(value, kind):
        names = [one.__name__ for one in (kind if isinstance(kind, tuple) else (kind,))]
        raise UsageProblem(f"{what} must be {words or ' or '.join(names)}, not {type(value).__name__}")
    return value
