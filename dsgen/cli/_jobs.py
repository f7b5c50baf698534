"""From the command line to checked jobs: reads all files, and reports the problems of all at once."""

import functools
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from dsgen import api, values
from dsgen.cli._printed import color, emit, tell
from dsgen.cli._progress import counted
from dsgen.cli._shared import ErrorsReported, Inputs
from dsgen.errors import DsgenError, UsageProblem
from dsgen.problems.diagnostics import Diagnostic, as_text, has_errors
from dsgen.values import Job, SourceText

STDIN = "<stdin>"

Read = Callable[[str], SourceText]


@dataclass
class Report:
    """All problems found so far, and the texts that they point into."""

    strict: bool = False
    found: list[Diagnostic] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """As they count: where the command line is strict, every one is an error."""
        return [replace(problem, severity="error") for problem in self.found] if self.strict else self.found

    def show(self) -> None:
        """Show everything on standard error; raises ErrorsReported when an error is among it."""
        self.tell("text")
        if has_errors(self.diagnostics):
            raise ErrorsReported

    def show_first(self, form: str) -> None:
        """What is wrong with the values: as text at once; any other form is told once, with what comes later."""
        if form == "text":
            self.show()
            self.found = []
        elif has_errors(self.diagnostics):
            self.tell(form)
            raise ErrorsReported

    def tell(self, form: str) -> None:
        """Tell everything: as text on standard error, in any other form on standard output."""
        if form == "text":
            tell(as_text(self.diagnostics, self.sources, color()))
        else:
            from dsgen.problems import reports  # most calls do without

            as_form = {"json": reports.as_json, "sarif": reports.as_sarif, "github": reports.as_github}[form]
            emit(as_form(self.diagnostics))


def load_jobs(inputs: Inputs, form: str = "text") -> tuple[list[Job], Report]:
    """The jobs of the command line, for flat manifests, and the report for what comes of them.

    Shows all problems in this form; raises ErrorsReported when one of them is an error.
    """
    jobs, report = check_jobs(inputs)
    report.show_first(form)
    return jobs, report


def check_jobs(inputs: Inputs, chart: bool = False) -> tuple[list[Job], Report]:
    """The jobs of the command line whose values fit the schema, and all problems of all jobs, which are not shown yet.

    chart: the release that the chart will be installed as gives missing names, so they may be missing here.
    """
    report, read = Report(inputs.strict), _reader()
    jobs = []
    for group in counted("checked", _groups(inputs)):
        job = _load(group, inputs, read, report)
        report.found += api.validate(job, for_chart=chart)
        if job.values:
            jobs.append(job)
    if not chart:
        report.found += values.twins(jobs)
    return jobs, report


def load_chart(inputs: Inputs, form: str = "text") -> tuple[Job | None, Report]:
    """The job whose values become a chart's defaults, None when there are none; problems as in `load_jobs`."""
    if not (inputs.files or inputs.overlays or inputs.overrides):
        if inputs.name or inputs.namespace:
            raise UsageProblem("--name and -n name the job of a values file: give one, as in: dsgen chart cifar.yaml")
        return None, Report(inputs.strict)
    report = Report(inputs.strict)
    job = _load((*inputs.files, *inputs.overlays), inputs, _reader(), report)
    report.found += api.validate(job, for_chart=True)
    report.show_first(form)
    return job, report


def load_values(inputs: Inputs) -> list[Job]:
    """The jobs of the command line, not checked beyond their schema; problems as in `load_jobs`."""
    report, read = Report(inputs.strict), _reader()
    jobs = [_load(group, inputs, read, report) for group in _groups(inputs)]
    report.found += [problem for job in jobs for problem in job.diagnostics]
    report.show()
    return jobs


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


def _load(group: tuple[str, ...], inputs: Inputs, read: Read, report: Report) -> Job:
    sources = [read(name) for name in group]
    job = api.load(*sources, overrides=inputs.overrides, name=inputs.name, namespace=inputs.namespace)
    report.sources |= job.sources
    return job


def _reader() -> Read:
    """Reads each file once, however many jobs it is laid over."""

    @functools.cache
    def read(path: str) -> SourceText:
        if not path:
            raise UsageProblem("the name of a FILE is empty: is a variable not set?")
        if path != "-":
            return api.read(path)
        try:
            return SourceText.from_bytes(STDIN, sys.stdin.buffer.read())
        except OSError as error:
            raise DsgenError(f"cannot read {STDIN}: {error.strerror}") from error

    return read
