"""Reads and checks the jobs of a command line, and reports the problems of all of them at once."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from dsgen import api, values
from dsgen.cli import _targets
from dsgen.cli._parallel import in_order
from dsgen.cli._printed import color, emit, write_error
from dsgen.cli._progress import counted
from dsgen.cli._shared import ErrorsReported, message_of_bug
from dsgen.cli._targets import refuse_several
from dsgen.errors import EXIT_FAILED, EXIT_FINDINGS, DsgenError, UsageProblem
from dsgen.problems.diagnostics import Diagnostic, Position, has_errors

if TYPE_CHECKING:
    from collections.abc import Callable

    from dsgen.cli._shared import Inputs
    from dsgen.cli._targets import Found, Target
    from dsgen.repository import Repository
    from dsgen.values import Job, Release


BUG = "DS913"


@dataclass
class Checked:
    """What was found in a job. has_values: it has no errors; sources: the texts of its files."""

    file: str
    release: Release = values.UNNAMED
    has_values: bool = False
    problems: list[Diagnostic] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)
    failures: list[DsgenError] = field(default_factory=list)


@dataclass
class Report:
    """All problems so far, and the texts of the files with problems.

    repository: that of the jobs, if it was read. failures: of jobs that could not be read. exit_code: after errors.
    """

    strict: bool = False
    problems: list[Diagnostic] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)
    repository: Repository | None = None
    failures: list[DsgenError] = field(default_factory=list)
    exit_code: int = EXIT_FINDINGS

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """The problems with their severities; with --strict, all of them are errors."""
        return [replace(problem, severity="error") for problem in self.problems] if self.strict else self.problems

    def show(self) -> None:
        """Print all problems to standard error; raises ErrorsReported if one of them is an error."""
        self.output("text")
        self.end()

    def show_first(self, form: str) -> None:
        """Print the problems of the values: as text now; in other forms only if there are errors, otherwise later."""
        if form == "text":
            self.show()
            self.problems = []
        elif self.failures or has_errors(self.diagnostics):
            self.output(form)
            self.end()

    def end(self) -> None:
        """Raise the failures, or ErrorsReported if a problem that was printed is an error."""
        if self.failures:
            failed = DsgenError(*(line for failure in self.failures for line in failure.lines))
            failed.exit_code = max(failure.exit_code for failure in self.failures)
            raise failed
        if has_errors(self.diagnostics):
            raise ErrorsReported(self.exit_code)

    def add(self, checked: Checked) -> None:
        """Add what was found in a job."""
        self.problems += checked.problems
        self.sources |= checked.sources
        self.failures += checked.failures
        if any(problem.id == BUG for problem in checked.problems):
            self.exit_code = EXIT_FAILED

    def output(self, form: str) -> None:
        """Print all problems: text to standard error, other forms to standard output."""
        if form == "text":
            if self.problems:
                from dsgen.problems.framing import as_text  # imported late: only problems need it

                write_error(as_text(self.diagnostics, self.sources, color()))
        elif self.sources or not self.failures:  # otherwise nothing could be read
            from dsgen.problems import reports  # imported late: most calls use text

            as_form = {"json": reports.as_json, "sarif": reports.as_sarif, "github": reports.as_github}[form]
            emit(as_form(self.diagnostics))


def load_jobs(inputs: Inputs, form: str = "text") -> tuple[list[Target], Report]:
    """The jobs of the command line, for flat manifests, and the report for further problems.

    Prints all problems in this form; raises ErrorsReported if one of them is an error.
    """
    targets, report = check_jobs(inputs)
    report.show_first(form)
    return targets, report


def check_jobs(inputs: Inputs, chart: bool = False) -> tuple[list[Target], Report]:
    """The jobs of the command line whose values are valid, and the problems of all jobs, which are not printed yet.

    chart: the jobs become charts, whose releases provide missing names.
    """
    read, report = _found(inputs)
    checked = in_order(functools.partial(_checked, functools.partial(api.validate, for_chart=chart)), read)
    for target, found in zip(read, counted("checked", checked, len(read)), strict=True):
        target.file, target.release, target.has_values = found.file, found.release, found.has_values
        report.add(found)
    targets = [target for target in read if target.has_values]
    members = [target.member for target in targets if target.member]
    if members or not chart:
        report.problems += values.twins(targets)
    if members:
        from dsgen.repository import collisions  # imported late: most calls have no repository

        report.problems += collisions(members)
    return targets, report


def load_chart(inputs: Inputs, form: str = "text") -> tuple[Job | None, Report]:
    """The job whose values become a chart's defaults, None without values; problems as in `load_jobs`."""
    if not (inputs.has_files or inputs.overrides):
        if inputs.name or inputs.namespace:
            raise UsageProblem("--name and -n name the job of a values file: give one, as in: dsgen chart cifar.yaml")
        return None, Report(inputs.strict)
    targets, report = _found(inputs, _targets.of_files)
    if has_errors(report.diagnostics):
        report.show_first(form)
    refuse_several(inputs, [target.job.release.name for target in targets], "a chart is made from one job")
    job = targets[0].job
    report.sources |= job.sources
    report.problems += api.validate(job, for_chart=True)
    report.show_first(form)
    return job, report


def load_values(inputs: Inputs) -> list[Job]:
    """The jobs of the command line, checked only against the schema; problems as in `load_jobs`."""
    targets, report = _found(inputs)
    for target in targets:
        report.add(_checked(lambda job: job.diagnostics, target))
    report.show()
    return [target.job for target in targets]


def _found(inputs: Inputs, find: Callable[[Inputs], Found] = _targets.find) -> tuple[list[Target], Report]:
    """The jobs of the command line, not loaded yet, and a report with the problems of their repositories."""
    found = find(inputs)
    return found.targets, Report(inputs.strict, found.problems, found.sources, found.repository)


def _checked(find: Callable[[Job], list[Diagnostic]], target: Target) -> Checked:
    """Load and check a job. An exception is a problem of this job, so that the problems of others are reported, too."""
    try:
        job = target.job
        return Checked(job.file, job.release, job.values is not None, find(job), job.sources)
    except UsageProblem:
        raise
    except DsgenError as failure:
        return Checked(target.name, failures=[failure])
    except Exception as error:
        bug = Diagnostic(BUG, message_of_bug(error), Position(target.name, 1, 1))
        return Checked(target.name, problems=[bug])
