"""From the command line to checked jobs: reads all files, merges them, and finds the problems of all at once."""

import functools
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dsgen import schema, values
from dsgen.cli._printed import color, tell
from dsgen.cli._shared import Findings, Inputs
from dsgen.errors import DsgenError, UsageProblem
from dsgen.problems.diagnostics import Diagnostic, Position, as_text, has_errors
from dsgen.reading.nodes import from_data, merge
from dsgen.schema.validate import shown
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
class Report:
    """All problems found so far, and the texts that they point into."""

    strict: bool = False
    found: list[Diagnostic] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)

    def add(self, loaded: Loaded) -> None:
        self.found += loaded.diagnostics
        self.sources |= loaded.sources

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """As they count: where the command line is strict, every one is an error."""
        return [replace(problem, severity="error") for problem in self.found] if self.strict else self.found

    def show(self) -> None:
        """Show everything on standard error; raises Findings when an error is among it."""
        tell(as_text(self.diagnostics, self.sources, color()))
        if has_errors(self.diagnostics):
            raise Findings


def load_jobs(inputs: Inputs) -> list[Job]:
    """The jobs of the command line, for flat manifests.

    Shows all problems on standard error; raises Findings when one of them is an error.
    """
    jobs, report = check_jobs(inputs)
    report.show()
    return jobs


def check_jobs(inputs: Inputs, chart: bool = False) -> tuple[list[Job], Report]:
    """The jobs of the command line as far as they could be read, and all problems of them, which are not shown yet.

    chart: the release that the chart will be installed as gives missing names, so they may be missing here.
    """
    report, read = Report(inputs.strict), _reader()
    jobs = [job for group in _groups(inputs) if (job := _load(group, inputs, read, report, chart))]
    if not chart:
        report.found += _twins(jobs)
    return jobs, report


def load_chart(inputs: Inputs) -> Job | None:
    """The job whose values become a chart's defaults, None when there are none; problems as in `load_jobs`."""
    if not (inputs.files or inputs.overlays or inputs.overrides):
        if inputs.name or inputs.namespace:
            raise UsageProblem("--name and -n name the job of a values file: give one, as in: dsgen chart cifar.yaml")
        return None
    report = Report(inputs.strict)
    job = _load((*inputs.files, *inputs.overlays), inputs, _reader(), report, chart=True)
    report.show()
    return job


def load_values(inputs: Inputs) -> list[Loaded]:
    """The values of each job with the names of the command line in them, not checked beyond their schema.

    Problems as in `load_jobs`.
    """
    report, read = Report(inputs.strict), _reader()
    found = []
    for group in _groups(inputs):
        loaded, _ = _read_job(group, inputs, read, report)
        for key, flag, given in _names(inputs):
            if given:
                loaded.root = merge(loaded.root, from_data({key: given}, Position(flag, 1, 1)))
        found.append(loaded)
    report.show()
    return found


def _groups(inputs: Inputs) -> list[tuple[str, ...]]:
    """The files of each job: every FILE with all overlays, or, without a FILE, the overlays together."""
    groups = [(file, *inputs.overlays) for file in inputs.files] or [inputs.overlays]
    if not groups[0]:
        raise UsageProblem("give a values file, as in: dsgen render cifar.yaml")
    if [*inputs.files, *inputs.overlays].count("-") > 1:
        raise UsageProblem("`-` reads standard input, which can be read only once")
    if inputs.name and len(groups) > 1:
        raise UsageProblem("--name gives one job its name, and there are several FILEs: write `name` into each")
    return groups


def _load(group: tuple[str, ...], inputs: Inputs, read: Read, report: Report, chart: bool = False) -> Job | None:
    """One job; None when its values have errors."""
    loaded, release = _read_job(group, inputs, read, report)
    file = read(group[0]).name if group else ""
    start = loaded.root.position if loaded.root.position.file == file else Position(file, 1, 1)
    missing = list(_missing(start, release)) if _was_read(loaded) and not chart else []
    report.found += [problem for problem in missing if (problem.path,) not in loaded.meant]
    if loaded.values is None:
        return None
    report.found += values.check(loaded, release, chart)
    return Job(file, loaded.values.data, release)


def _read_job(group: tuple[str, ...], inputs: Inputs, read: Read, report: Report) -> tuple[Loaded, Release]:
    """The values of one job, the names of the command line among them as if its files had them."""
    loaded = values.load([read(name) for name in group], inputs.overrides)
    report.add(loaded)
    names = {key: _name(loaded, key, flag, given) for key, flag, given in _names(inputs)}
    if loaded.values:
        loaded.values.data.update(names)
    return loaded, Release(**names)


def _names(inputs: Inputs) -> Iterator[tuple[str, str, str]]:
    """Key, flag, and what the command line says, of both names."""
    yield "name", "--name", inputs.name
    yield "namespace", "-n", inputs.namespace


def _name(loaded: Loaded, key: str, flag: str, given: str) -> str:
    """The value of `name` or `namespace`, which the command line gives where the values leave it open.

    Raises UsageProblem when both give one and they differ, or when the given one cannot be one.
    """
    node = loaded.root.child(key)
    found = node.value if node else ""
    rule = schema.type_at((key,)) or {}
    if given and not re.fullmatch(rule["pattern"], given):
        raise UsageProblem(f"{flag}: {key} cannot be {shown(given)}; it must be: {rule['x-pattern']}")
    if node and given and found not in ("", given):
        where = node.position.file
        raise UsageProblem(f"{where} has {key}: {found}, {flag} says {given}; to replace it: --set {key}={given}")
    return str(found) or given


def _was_read(loaded: Loaded) -> bool:
    """Whether all of the text was understood; the ids below DS050 are those of the reader."""
    return not any(found.id < "DS050" and found.severity == "error" for found in loaded.diagnostics)


def _missing(at: Position, release: Release) -> Iterator[Diagnostic]:
    """Manifests need both names; in a chart Helm's release gives them."""
    for key, name, example, flag in (
        ("name", release.name, "cifar", "--name cifar"),
        ("namespace", release.namespace, "training", "-n training"),
    ):
        if not name:
            hint = f"write `{key}: {example}` into the file, or say {flag}"
            yield Diagnostic("DS901", f"{key} is missing", at, key, hint)


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
        if not path:
            raise UsageProblem("the name of a FILE is empty: is a variable not set?")
        name = STDIN if path == "-" else path
        try:
            content = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        except OSError as error:
            raise DsgenError(f"cannot read {name}: {error.strerror}") from error
        return SourceText.from_bytes(name, content)

    return read
