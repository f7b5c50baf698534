"""From the command line to checked jobs: reads all files, merges them, and finds the problems of all at once."""

import functools
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dsgen import values
from dsgen.cli._shared import Findings, Inputs, color
from dsgen.diagnostics import Diagnostic, Position, as_text, has_errors
from dsgen.errors import DsgenError, UsageProblem
from dsgen.values import Release, SourceText

STDIN = "<stdin>"


@dataclass(frozen=True)
class Job:
    """One checked job: the file that it came from, its complete values and its names."""

    file: str
    values: Mapping[str, Any]
    release: Release


@dataclass
class _Report:
    """All problems found so far, and the texts that they point into."""

    diagnostics: list[Diagnostic] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)


def load_jobs(inputs: Inputs) -> list[Job]:
    """The jobs of the command line, for flat manifests.

    Shows all problems on standard error; raises Findings when one of them is an error.
    """
    groups = _groups(inputs)
    if inputs.name and len(groups) > 1:
        raise UsageProblem("--name gives one job its name, and there are several FILEs: write `name` into each")
    report = _Report()
    read = _reader(report)
    jobs = [job for group in groups if (job := _load(group, inputs, read, report))]
    report.diagnostics += _twins(jobs)
    _show(report)
    return jobs


def load_chart(inputs: Inputs) -> Job | None:
    """The job whose values become a chart's defaults, None without a file; problems as in `load_jobs`."""
    if not (inputs.files or inputs.overlays or inputs.overrides):
        return None
    report = _Report()
    texts = [text for name in (*inputs.files, *inputs.overlays) if (text := _reader(report)(name))]
    loaded = values.load(texts, inputs.overrides)
    report.diagnostics += loaded.diagnostics
    job = None
    if loaded.values:
        job = Job(
            texts[0].name if texts else "",
            loaded.values.data,
            Release(str(loaded.values.data["name"]) or inputs.name, ""),
        )
        report.diagnostics += values.check(loaded, job.release, chart=True)
    _show(report)
    return job


def _groups(inputs: Inputs) -> list[tuple[str, ...]]:
    """The files of each job: every FILE with all overlays, or, without a FILE, the overlays together."""
    groups = [(file, *inputs.overlays) for file in inputs.files] or [inputs.overlays]
    if not groups[0]:
        raise UsageProblem("give a values file: dsgen render cifar.yaml")
    if [*inputs.files, *inputs.overlays].count("-") > 1:
        raise UsageProblem("`-` reads standard input, which can be read only once")
    return groups


def _load(
    group: tuple[str, ...], inputs: Inputs, read: Callable[[str], SourceText | None], report: _Report
) -> Job | None:
    """One job; None when its values are not even complete enough to be checked."""
    texts = [read(name) for name in group]
    complete = [text for text in texts if text]
    if len(complete) < len(texts):
        return None
    loaded = values.load(complete, inputs.overrides)
    report.diagnostics += loaded.diagnostics
    if loaded.values is None:
        return None
    file, data = complete[0].name, loaded.values.data
    release = Release(
        _either(file, "name", "--name", str(data["name"]), inputs.name),
        _either(file, "namespace", "-n", str(data["namespace"]), inputs.namespace),
    )
    missing = list(_missing(file, release))
    report.diagnostics += missing or values.check(loaded, release)
    return Job(file, data, release)


def _either(file: str, key: str, flag: str, in_file: str, on_command_line: str) -> str:
    if in_file and on_command_line and in_file != on_command_line:
        raise UsageProblem(
            f"{file} has {key}: {in_file}, {flag} says {on_command_line}; to replace it: --set {key}={on_command_line}"
        )
    return in_file or on_command_line


def _missing(file: str, release: Release) -> Iterable[Diagnostic]:
    """Manifests need both names; in a chart Helm's release gives them."""
    if not release.name:
        yield _nameless(file, "name", "cifar", "--name cifar")
    if not release.namespace:
        yield _nameless(file, "namespace", "training", "-n training")


def _nameless(file: str, key: str, example: str, flag: str) -> Diagnostic:
    return Diagnostic(
        "DS901",
        f"{key} is missing",
        Position(file, 1, 1),
        key,
        f"write `{key}: {example}` into the file, or say {flag}",
    )


def _twins(jobs: Iterable[Job]) -> Iterable[Diagnostic]:
    """Two jobs with one name in one namespace would overwrite each other's objects."""
    first: dict[Release, Job] = {}
    for job in jobs:
        other = first.setdefault(job.release, job)
        if other is not job and job.release.name:
            name = f"{job.release.namespace}/{job.release.name}"
            yield Diagnostic(
                "DS902",
                f"{other.file} is the job {name} too",
                Position(job.file, 1, 1),
                "name",
                "give one of them another name",
            )


def _reader(report: _Report) -> Callable[[str], SourceText | None]:
    """Reads files, each once; one that is not UTF-8 is a problem of the file."""

    @functools.cache
    def read(path: str) -> SourceText | None:
        name = STDIN if path == "-" else path
        try:
            text = (sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()).decode()
        except UnicodeDecodeError as error:
            report.diagnostics.append(_undecodable(name, error))
            return None
        except OSError as error:
            raise DsgenError(f"cannot read {name}: {error.strerror}") from error
        report.sources[name] = text
        return SourceText(name, text)

    return read


def _undecodable(name: str, error: UnicodeDecodeError) -> Diagnostic:
    line, column = (
        error.object[: error.start].count(b"\n") + 1,
        len(error.object[: error.start].rpartition(b"\n")[2].decode()) + 1,
    )
    byte = error.object[error.start]
    return Diagnostic(
        "DS903", f"not UTF-8: the byte 0x{byte:02x}", Position(name, line, column), hint="save the file as UTF-8"
    )


def _show(report: _Report) -> None:
    sys.stderr.write(as_text(report.diagnostics, report.sources, color()))
    if has_errors(report.diagnostics):
        raise Findings
