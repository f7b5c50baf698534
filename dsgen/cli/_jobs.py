"""From the command line to checked jobs: reads all files, merges them, and finds the problems of all at once."""

import functools
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dsgen import schema, values
from dsgen.cli._shared import Findings, Inputs, color
from dsgen.diagnostics import Diagnostic, Position, as_text, has_errors
from dsgen.errors import DsgenError, UsageProblem
from dsgen.values import Loaded, Release, SourceText

STDIN = "<stdin>"

Read = Callable[[str], SourceText]


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

    def add(self, loaded: Loaded) -> None:
        self.diagnostics += loaded.diagnostics
        self.sources |= loaded.sources

    def show(self) -> None:
        """Show everything on standard error; raises Findings when an error is among it."""
        sys.stderr.write(as_text(self.diagnostics, self.sources, color()))
        if has_errors(self.diagnostics):
            raise Findings


def load_jobs(inputs: Inputs) -> list[Job]:
    """The jobs of the command line, for flat manifests.

    Shows all problems on standard error; raises Findings when one of them is an error.
    """
    groups = _groups(inputs)
    if inputs.name and len(groups) > 1:
        raise UsageProblem("--name gives one job its name, and there are several FILEs: write `name` into each")
    report, read = _Report(), _reader()
    jobs = [job for group in groups if (job := _load(group, inputs, read, report))]
    report.diagnostics += _twins(jobs)
    report.show()
    return jobs


def load_chart(inputs: Inputs) -> Job | None:
    """The job whose values become a chart's defaults, None when there are none; problems as in `load_jobs`.

    The release that the chart will be installed as gives missing names, so they may be missing here.
    """
    if not (inputs.files or inputs.overlays or inputs.overrides):
        return None
    report = _Report()
    texts = [_reader()(name) for name in (*inputs.files, *inputs.overlays)]
    loaded = values.load(texts, inputs.overrides)
    report.add(loaded)
    release = Release(_name(loaded, "name", "--name", inputs.name), "")
    if loaded.values:
        report.diagnostics += values.check(loaded, release, chart=True)
    report.show()
    assert loaded.values, "no errors, so there are values"
    return Job(texts[0].name if texts else "", loaded.values.data, release)


def _groups(inputs: Inputs) -> list[tuple[str, ...]]:
    """The files of each job: every FILE with all overlays, or, without a FILE, the overlays together."""
    groups = [(file, *inputs.overlays) for file in inputs.files] or [inputs.overlays]
    if not groups[0]:
        raise UsageProblem("give a values file, as in: dsgen render cifar.yaml")
    if [*inputs.files, *inputs.overlays].count("-") > 1:
        raise UsageProblem("`-` reads standard input, which can be read only once")
    return groups


def _load(group: tuple[str, ...], inputs: Inputs, read: Read, report: _Report) -> Job | None:
    """One job; None when its values have errors."""
    texts = [read(name) for name in group]
    loaded = values.load(texts, inputs.overrides)
    report.add(loaded)
    name = _name(loaded, "name", "--name", inputs.name)
    namespace = _name(loaded, "namespace", "-n", inputs.namespace)
    file, release = texts[0].name, Release(name, namespace)
    missing = list(_missing(file, release)) if _was_read(loaded) else []
    report.diagnostics += missing
    if loaded.values is None:
        return None
    if not missing:
        report.diagnostics += values.check(loaded, release)
    return Job(file, loaded.values.data, release)


def _name(loaded: Loaded, key: str, flag: str, given: str) -> str:
    """The value of `name` or `namespace`, which the command line gives where the values leave it open.

    Raises UsageProblem when both give one and they differ, or when the given one cannot be one.
    """
    node = loaded.root.child(key)
    found = node.value if node else ""
    pattern = (schema.type_at((key,)) or {})["pattern"]
    if given and not re.fullmatch(pattern, given):
        raise UsageProblem(f"{flag} {given}: {key} must be lower case letters, digits and `-`, at most 63")
    if node and given and found not in ("", given):
        where = node.position.file
        raise UsageProblem(f"{where} has {key}: {found}, {flag} says {given}; to replace it: --set {key}={given}")
    return str(found) or given


def _was_read(loaded: Loaded) -> bool:
    """Whether all of the text was understood; the ids below DS050 are those of the reader."""
    return not any(found.id < "DS050" and found.severity == "error" for found in loaded.diagnostics)


def _missing(file: str, release: Release) -> Iterator[Diagnostic]:
    """Manifests need both names; in a chart Helm's release gives them."""
    for key, name, example, flag in (
        ("name", release.name, "cifar", "--name cifar"),
        ("namespace", release.namespace, "training", "-n training"),
    ):
        if not name:
            hint = f"write `{key}: {example}` into the file, or say {flag}"
            yield Diagnostic("DS901", f"{key} is missing", Position(file, 1, 1), key, hint)


def _twins(jobs: Iterable[Job]) -> Iterator[Diagnostic]:
    """Two jobs with one name in one namespace would overwrite each other's objects."""
    first: dict[Release, Job] = {}
    for job in jobs:
        other = first.setdefault(job.release, job)
        if other is not job and job.release.name:
            message = f"{other.file} is the job {job.release.namespace}/{job.release.name} too"
            yield Diagnostic("DS902", message, Position(job.file, 1, 1), "name", "give one of them another name")


def _reader() -> Read:
    """Reads each file once, however many jobs it is laid over."""

    @functools.cache
    def read(path: str) -> SourceText:
        name = STDIN if path == "-" else path
        try:
            content = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        except OSError as error:
            raise DsgenError(f"cannot read {name}: {error.strerror}") from error
        return SourceText.from_bytes(name, content)

    return read
