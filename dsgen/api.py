"""The Python API, which the commands also use, for portals, notebooks and pipelines.

`load` reads a job, `validate` finds its problems, `render` and `manifests` return its Kubernetes objects, `chart`
returns a Helm chart, and `write` writes the files of the last two to a folder. The names in `__all__` are the API;
docs/api.md has examples.
"""

from __future__ import annotations

import os

from dsgen import values
from dsgen.errors import EXIT_FINDINGS, DsgenError
from dsgen.problems.diagnostics import Diagnostic, Position, has_errors, path_text
from dsgen.render import Document
from dsgen.render import render as _render
from dsgen.values import Job, Override, Release, SourceText

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

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

MAX_BYTES = 16 << 20
"""The largest values file."""
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

    return framing.as_text(problems, sources, color)


def load(*sources: Source, overrides: Sequence[Override] = (), name: str = "", namespace: str = "") -> Job:
    """Read one job: merge the sources in order, then the overrides, as Helm does.

    name, namespace: for a job whose sources do not set them. A job with errors is also returned; `validate` reports
    them. Raises DsgenError if a file cannot be read, or if an override or a name is invalid.
    """
    texts = [_text(source, number) for number, source in enumerate(sources, 1)]
    return values.load(texts, overrides, Release(name, namespace))


def read(path: str | os.PathLike[str], name: str = "") -> SourceText:
    """The text of a file; name: shown in messages instead of the path. Raises DsgenError if it cannot be read."""
    try:
        with open(path, "rb") as file:
            return limited(name or os.fspath(path), file.read(MAX_BYTES + 1))
    except OSError as error:
        raise DsgenError(f"cannot read {name or os.fspath(path)}: {error.strerror}") from error


def limited(name: str, data: bytes) -> SourceText:
    """The text of a values file. Raises DsgenError if it is too large."""
    if len(data) > MAX_BYTES:
        raise DsgenError(f"cannot read {name}: it has more than {MAX_BYTES >> 20} MiB, the limit for a values file")
    return SourceText.from_bytes(name, data)


def validate(job: Job, *, for_chart: bool = False) -> list[Diagnostic]:
    """All problems of a job, sorted by place; empty for a valid job.

    for_chart: the job becomes a chart, whose release provides a missing name and namespace.
    """
    return [*job.problems(for_chart)]


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

    return chart_plan(_checked(job, for_chart=True) if job else None, CHART_NAME)


def write(plan: Plan, folder: str | os.PathLike[str], mode: Mode = "keep") -> Changes:
    """Write the files of a plan to a folder, and leave other files there unchanged; returns the changes.

    mode: like --refresh and --replace. Raises DsgenError, and leaves the folder unchanged, if a file of the user would
    be overwritten, an existing run would change, or the folder cannot be written.
    """
    from pathlib import Path

    from dsgen.writer import Place, compare
    from dsgen.writer import write as write_changes

    place = Place(Path(folder))
    changes = compare(place, plan, mode)
    write_changes(place, plan, changes)
    return changes


def _text(source: Source, number: int) -> SourceText:
    if isinstance(source, SourceText):
        return source
    if not isinstance(source, str | os.PathLike):
        import json

        # JSON is YAML, so problems of plain data also have a place.
        return SourceText(f"<values {number}>", json.dumps(source, indent=2, ensure_ascii=False) + "\n")
    return read(source)


def _checked(job: Job, for_chart: bool = False) -> Job:
    problems = validate(job, for_chart=for_chart)
    if has_errors(problems):
        raise Invalid(job, problems)
    return job
