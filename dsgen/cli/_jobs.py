"""Reads and checks the jobs of a command line, and reports the problems of all of them at once."""

from __future__ import annotations

import functools
import os
import sys

from dsgen import api, values
from dsgen.cli._parallel import in_order
from dsgen.cli._printed import color, emit, write_error
from dsgen.cli._progress import counted
from dsgen.cli._shared import ErrorsReported
from dsgen.errors import DsgenError, UsageProblem
from dsgen.problems.diagnostics import has_errors
from dsgen.records import dataclass, field, replace
from dsgen.values import Release, SourceText

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dsgen.cli._shared import Inputs
    from dsgen.problems.diagnostics import Diagnostic
    from dsgen.repository import Member, Repository
    from dsgen.values import Job

    Read = Callable[[str], SourceText]


class Target:
    """A job of the command line.

    file, release: the file and the names of the job; has_values: it has no errors. They are set when it was checked.
    """

    def __init__(self, load: Callable[[], Job], locate: Callable[[Release], Member] | None = None) -> None:
        self._load, self._locate = load, locate
        self.file, self.release, self.has_values = "", values.UNNAMED, False

    @functools.cached_property
    def job(self) -> Job:
        """The job. The process that checks it loads it; with two processes, the other one loads it if it needs it."""
        return self._load()

    @functools.cached_property
    def member(self) -> Member | None:
        """Its place in a repository; None for a job from files of the command line."""
        return self._locate(self.release) if self._locate else None


STDIN = "<stdin>"


@dataclass
class Report:
    """All problems so far, and the texts of the files with problems. repository: that of the jobs, if it was read."""

    strict: bool = False
    problems: list[Diagnostic] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)
    repository: Repository | None = None

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """The problems with their severities; with --strict, all of them are errors."""
        return [replace(problem, severity="error") for problem in self.problems] if self.strict else self.problems

    def show(self) -> None:
        """Print all problems to standard error; raises ErrorsReported if one of them is an error."""
        self.output("text")
        if has_errors(self.diagnostics):
            raise ErrorsReported

    def show_first(self, form: str) -> None:
        """Print the problems of the values: as text now; in other forms only if there are errors, otherwise later."""
        if form == "text":
            self.show()
            self.problems = []
        elif has_errors(self.diagnostics):
            self.output(form)
            raise ErrorsReported

    def output(self, form: str) -> None:
        """Print all problems: text to standard error, other forms to standard output."""
        if form == "text":
            if self.problems:
                from dsgen.problems.framing import as_text  # imported late: only problems need it

                write_error(as_text(self.diagnostics, self.sources, color()))
        else:
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
    report = Report(inputs.strict)
    read = _targets(inputs, report)
    checked = in_order(functools.partial(_checked, chart), read)
    for target, (names, problems, sources) in zip(read, counted("checked", checked, len(read)), strict=True):
        target.file, target.release, target.has_values = names
        report.problems += problems
        report.sources |= sources
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
    report = Report(inputs.strict)
    groups = _groups(inputs)
    refuse_several(inputs, len(groups), "a chart is made from one job")
    job = _load(groups[0], inputs, _reader())
    report.sources |= job.sources
    report.problems += api.validate(job, for_chart=True)
    report.show_first(form)
    return job, report


def refuse_several(inputs: Inputs, jobs: int, why: str) -> None:
    """Raises UsageProblem if FILE is a folder with several values files."""
    if jobs > 1:
        raise UsageProblem(f"{why}, but {inputs.files[0]} has {jobs} files: name one of them")


def load_values(inputs: Inputs) -> list[Job]:
    """The jobs of the command line, checked only against the schema; problems as in `load_jobs`."""
    report = Report(inputs.strict)
    jobs = [target.job for target in _targets(inputs, report)]
    for job in jobs:
        report.problems += job.diagnostics
        report.sources |= job.sources
    report.show()
    return jobs


def _targets(inputs: Inputs, report: Report) -> Sequence[Target]:
    """The jobs that are to be loaded: of files of the command line or, without files, of the repository."""
    if inputs.has_files:
        read = _reader()
        for name in (*inputs.overlays, *{"-"}.intersection(inputs.files)):
            read(name)  # read early, for both processes: only one can read standard input
        return [Target(functools.partial(_load, group, inputs, read)) for group in _groups(inputs)]
    repository = report.repository = _repository(inputs)
    report.problems += repository.diagnostics
    report.sources |= repository.sources
    names = Release("", inputs.namespace)
    return [
        Target(
            functools.partial(repository.job, entry, inputs.overrides, names),
            functools.partial(repository.member, entry),
        )
        for entry in repository.entries
    ]


def _checked(chart: bool, target: Target) -> tuple[tuple[str, Release, bool], list[Diagnostic], dict[str, str]]:
    """The file and the names of a job, and whether it has values; its problems; the texts of its files."""
    job = target.job
    return (job.file, job.release, job.values is not None), api.validate(job, for_chart=chart), job.sources


def _repository(inputs: Inputs) -> Repository:
    from pathlib import Path

    from dsgen.repository import FILE, find, load

    root = find(Path.cwd())
    if root is None:
        raise UsageProblem(
            f"give a values file, as in: dsgen validate cifar.yaml; without one, dsgen reads {FILE}, "
            "but this folder and its parents have none"
        )
    if inputs.name:
        raise UsageProblem(f"--name sets the name of one job, but {FILE} has several: write `name` into each file")
    return load(root)


def _groups(inputs: Inputs) -> list[tuple[str, ...]]:
    """The files of each job: every FILE with all overlays, or, without a FILE, the overlays together."""
    files = [file for name in inputs.files for file in _below(name)]
    groups = [(file, *inputs.overlays) for file in files] or [inputs.overlays]
    if [*inputs.files, *inputs.overlays].count("-") > 1:
        raise UsageProblem("`-` reads standard input, which can be read only once")
    if inputs.name and len(groups) > 1:
        raise UsageProblem("--name sets the name of one job, but there are several FILEs: write `name` into each")
    return groups


def _below(name: str) -> list[str]:
    """The file itself; for a folder, the YAML files directly in it."""
    if not os.path.isdir(name):  # noqa: PTH112 - without the import of pathlib
        return [name]
    with os.scandir(name) as entries:
        files = sorted(each.path for each in entries if each.name.endswith((".yaml", ".yml")) and each.is_file())
    if not files:
        raise UsageProblem(f"the folder {name} has no *.yaml file")
    return files


def _load(group: tuple[str, ...], inputs: Inputs, read: Read) -> Job:
    sources = [read(name) for name in group]
    return api.load(*sources, overrides=inputs.overrides, name=inputs.name, namespace=inputs.namespace)


def _reader() -> Read:
    """A function that reads each file once, also if several jobs use it."""

    @functools.cache
    def read(path: str) -> SourceText:
        if not path:
            raise UsageProblem("the name of a FILE is empty: is a variable not set?")
        if path != "-":
            return api.read(path)
        try:
            return api.limited(STDIN, sys.stdin.buffer.read(api.MAX_BYTES + 1))
        except OSError as error:
            raise DsgenError(f"cannot read {STDIN}: {error.strerror}") from error

    return read
