"""The Python API: what the command line does, for portals, notebooks and pipelines.

`load` reads a job, `validate` finds its problems, `render` and `manifests` make Kubernetes objects of it, `chart` a
Helm chart, and `write` brings a folder to what one of the last two made. What stands in `__all__` is the API;
docs/api.md shows it at work.
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
"""Of a values file."""
CHART_NAME = "deepspeed-job"
"""Of the chart without a job's values."""


class Invalid(DsgenError):  # noqa: N818 - its message is shown as it is
    """A job with errors cannot be rendered. `problems` has all of them, `str()` tells them as the command line does."""

    exit_code = EXIT_FINDINGS

    def __init__(self, job: Job, problems: Sequence[Diagnostic]) -> None:
        super().__init__(*as_text(problems, job.sources).splitlines())
        self.problems = problems


def as_text(problems: Sequence[Diagnostic], sources: Mapping[str, str], color: bool = False) -> str:
    """Problems as the command line shows them, with their lines: `Job.sources` has these, by file."""
    from dsgen.problems import framing  # most jobs have none

    return framing.as_text(problems, sources, color)


def load(*sources: Source, overrides: Sequence[Override] = (), name: str = "", namespace: str = "") -> Job:
    """Read one job: the first source, with the others laid over it in order, then the overrides, as Helm does.

    name, namespace: where the sources leave them open. A job with errors is a job, too: `validate` finds them. Raises
    DsgenError when a file cannot be read, or an override or a name cannot be.
    """
    texts = [_text(source, number) for number, source in enumerate(sources, 1)]
    return values.load(texts, overrides, Release(name, namespace))


def read(path: str | os.PathLike[str], name: str = "") -> SourceText:
    """The text of a file, under its own name or another one. Raises DsgenError when it cannot be read."""
    try:
        with open(path, "rb") as file:
            return limited(name or os.fspath(path), file.read(MAX_BYTES + 1))
    except OSError as error:
        raise DsgenError(f"cannot read {name or os.fspath(path)}: {error.strerror}") from error


def limited(name: str, data: bytes) -> SourceText:
    """The text of a file. Raises DsgenError when it is too long for values."""
    if len(data) > MAX_BYTES:
        raise DsgenError(f"cannot read {name}: it has more than {MAX_BYTES >> 20} MiB, which no values file has")
    return SourceText.from_bytes(name, data)


def validate(job: Job, *, for_chart: bool = False) -> list[Diagnostic]:
    """All problems of a job, sorted by place; empty when everything is right.

    for_chart: the release that the chart will be installed as gives missing names, so they may be missing.
    """
    return [*job.problems(for_chart)]


def render(job: Job) -> list[Document]:
    """The Kubernetes objects of a job, in the order in which they are applied. Raises Invalid for a job with errors."""
    return _render(_checked(job).data, job.release)


def manifests(job: Job) -> Plan:
    """The same as files, one object each, by name (`Plan.files`). Raises Invalid for a job with errors."""
    from dsgen.runs import job_plan  # what is only printed does without

    return job_plan(job, render(job))


def chart(job: Job | None = None) -> Plan:
    """The files of a Helm chart by name (`Plan.files`), with the values of a job as its defaults.

    Raises Invalid for a job with errors.
    """
    from dsgen.runs.charts import chart_plan  # manifests do without the compiler

    return chart_plan(_checked(job, for_chart=True) if job else None, CHART_NAME)


def write(plan: Plan, folder: str | os.PathLike[str], mode: Mode = "keep") -> Changes:
    """Bring a folder to what a plan says, and nothing else in it; returns what that changed.

    mode: as --refresh and --replace. Raises DsgenError with the folder as it was, when something would be lost or a run
    would change, or when it cannot be written.
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

        # JSON is YAML, so problems of plain data have their places, too.
        return SourceText(f"<values {number}>", json.dumps(source, indent=2, ensure_ascii=False) + "\n")
    return read(source)


def _checked(job: Job, for_chart: bool = False) -> Job:
    problems = validate(job, for_chart=for_chart)
    if has_errors(problems):
        raise Invalid(job, problems)
    return job
