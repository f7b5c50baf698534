"""Finds the jobs of a command line (of FILEs, of FILEs in a repository, or of the whole repository) and loads them.

The problems of all these jobs are in one `Report`, which prints them at once.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from dsgen import schema, values
from dsgen.cli._console import describe_bug, show_progress, uses_color, write, write_error, write_json
from dsgen.cli._options import Inputs
from dsgen.errors import EXIT_FAILED, EXIT_FINDINGS, DsgenError, UsageError
from dsgen.problems import Diagnostic, Position, has_errors
from dsgen.reading import SETTINGS_FILE, find_places, find_root, read_source
from dsgen.schema.suggestions import list_possible
from dsgen.values import Job, Release, SourceText

if TYPE_CHECKING:
    from dsgen.repository import JobOrigin, Member, Repositories, Repository

    Locate = Callable[[Release], Member]
    """The place in a repository of a job with these names."""

Load = Callable[[str | None], Job]
"""Loads a job, if a text is given with this one of its values file, and without --set flags."""

STDIN = "<stdin>"


class ReportedError(DsgenError):
    """The user's files have errors, which were printed already."""

    exit_code = EXIT_FINDINGS


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

    def show_first(self, form: str) -> None:
        """Print the problems of the values: as text now; in other forms only if there are errors, otherwise later."""
        if form == "text" or self.failures or has_errors(self.diagnostics):
            self.show(form)
            self.problems = []

    def show(self, form: str = "text") -> None:
        """Print all problems; raises the failures, or ReportedError if a problem is an error."""
        self.print_all(form)
        if self.failures:
            raise join_errors(self.failures)
        if has_errors(self.diagnostics):
            raise ReportedError(exit_code=self.exit_code)

    def print_all(self, form: str) -> None:
        """Print all problems: text to standard error, other forms to standard output."""
        if form == "text":
            if self.problems:
                from dsgen.problems.framing import as_text  # imported late: only problems need it

                write_error(as_text(self.diagnostics, self.sources, uses_color()))
        elif self.sources or not self.failures:  # otherwise nothing could be read
            from dsgen import reports  # imported late: most calls use text

            if form == "github":
                write(reports.as_github(self.diagnostics))
            else:
                write_json((reports.as_json if form == "json" else reports.as_sarif)(self.diagnostics))


@dataclass(frozen=True)
class RequestedJob:
    """A job of the command line, which is read when it is used. name: of its values file.

    locate: None for a job that is not in a repository.
    """

    name: str
    load: Load
    locate: Locate | None = None

    @functools.cached_property
    def job(self) -> Job:
        """The job, with all its problems. Raises DsgenError if a file cannot be read."""
        return self.load(None)

    @functools.cached_property
    def member(self) -> Member | None:
        """Its place in a repository."""
        return self.locate(self.job.release) if self.locate else None


def join_errors(errors: Sequence[DsgenError]) -> DsgenError:
    """One error with the lines of all, and the greatest exit code."""
    return DsgenError(*(line for one in errors for line in one.lines), exit_code=max(one.exit_code for one in errors))


def load_jobs(inputs: Inputs, form: str = "text") -> tuple[list[RequestedJob], Report]:
    """The jobs of the command line, for flat manifests, and the report for further problems.

    Prints all problems in this form; raises ReportedError if one of them is an error.
    """
    jobs, report = check_jobs(inputs)
    report.show_first(form)
    return jobs, report


def check_jobs(inputs: Inputs, chart: bool = False, with_estimate: bool = True) -> tuple[list[RequestedJob], Report]:
    """The jobs of the command line whose values are valid, and the problems of all jobs, which are not printed yet.

    chart: the jobs become charts, whose releases provide missing names. with_estimate: also what does not fit by their
    estimates.
    """
    loaded, report = _load_all(inputs, lambda job: job.problems(chart, with_estimate), inputs.has_files)
    jobs = [each for each in loaded if each.job.values]
    members = [each.member for each in jobs if each.member]
    if members or not chart:
        report.problems += values.find_twins(each.job for each in jobs)
    if members:
        from dsgen.repository import find_collisions  # imported late: most calls have no repository

        report.problems += find_collisions(members)
    return jobs, report


def load_values(inputs: Inputs) -> list[RequestedJob]:
    """The jobs of the command line, checked only against the schema; problems as in `load_jobs`."""
    loaded, report = _load_all(inputs, lambda job: job.diagnostics, inputs.has_files)
    report.show()
    return loaded


def load_only(inputs: Inputs, why: str, with_estimate: bool = True) -> tuple[RequestedJob, Report]:
    """The job of the command line; problems as in `load_jobs`. why: what only one job can have, for the message."""
    jobs, report = check_jobs(inputs, with_estimate=with_estimate)
    report.show_first("text")
    return get_only(inputs, jobs, why), report


def load_chart(inputs: Inputs, form: str = "text") -> tuple[Job | None, Report]:
    """The job whose values become a chart's defaults, None without values; problems as in `load_jobs`."""
    if not (inputs.has_files or inputs.overrides):
        if inputs.name or inputs.namespace:
            raise UsageError("--name and -n name the job of a values file: give one, as in: dsgen chart cifar.yaml")
        return None, Report(inputs.strict)
    jobs, report = _load_all(inputs, lambda job: job.problems(chart=True), of_files=True)
    report.show_first(form)
    return get_only(inputs, jobs, "a chart is made from one job").job, report


def _load_all(
    inputs: Inputs, check: Callable[[Job], list[Diagnostic]], of_files: bool
) -> tuple[list[RequestedJob], Report]:
    """The jobs that could be read, and a report with the problems that `check` finds in each.

    An exception is a problem of one job, so that those of other jobs are reported, too.
    """
    report = Report(inputs.strict)
    found = (_find_in_files if of_files else _find_in_repository)(inputs, report)
    loaded = []
    for each in show_progress("checked", found, len(found)):
        try:
            problems = check(each.job)
            report.sources |= each.job.sources
            report.problems += problems
            loaded.append(each)
        except UsageError:
            raise
        except DsgenError as failure:
            report.failures.append(failure)
        except Exception as error:  # a bug in dsgen
            report.problems.append(Diagnostic("DS913", describe_bug(error), Position(each.name, 1, 1)))
            report.exit_code = EXIT_FAILED
    return loaded, report


def get_only(
    inputs: Inputs, jobs: Sequence[RequestedJob], why: str, how: str = "choose one with --name", name: str = "{0.name}"
) -> RequestedJob:
    """The only job. Raises UsageError if there is another number. how: to choose one; name: the form of their names."""
    if len(jobs) == 1:
        return jobs[0]
    names = [name.format(each.job.release) for each in jobs]
    file = next(iter((*inputs.files, *inputs.overlays)))
    if os.path.isdir(file):  # noqa: PTH112 - without the import of pathlib
        raise UsageError(f"{why}, but {file} has {len(names)} files: name one of them")
    possible = list_possible(names, "jobs")
    raise UsageError(f"{why}, but {file} has {len(names)} jobs in {SETTINGS_FILE}: {how}{possible and '; '}{possible}")


def _find_in_files(inputs: Inputs, report: Report) -> list[RequestedJob]:
    """The job of each FILE or, for a FILE in a repository, the jobs of dsgen.yaml of which it is a part."""
    _refuse_values(inputs)
    groups, read = _group_files(inputs), functools.cache(read_file)  # once, also if several jobs use it
    for name in inputs.overlays:
        read(name)  # read before the jobs, so that it fails once
    jobs, taken = list[RequestedJob](), set[int]()
    repositories: Repositories | None = None
    for group in groups:
        places = find_places(group[0]) if group else []
        if not places:
            jobs.append(_request_files(group, inputs, read))
            continue
        from dsgen.repository import Repositories  # imported late: most calls have no repository

        repositories = repositories or Repositories()
        part = repositories.locate(group[0], places)
        if part.is_unlisted:
            report.problems += part.report_unlisted()
            jobs.append(_request_files(group, inputs, read))
        above = [read(name) for name in group[1:]]
        entries = [entry for entry in part.choose_entries(inputs.name) if id(entry) not in taken]
        taken.update(map(id, entries))
        jobs += [_request_entry(part.repository, entry, inputs, above, part.choose_name(entry)) for entry in entries]
    for repository in repositories or ():
        report.problems += repository.diagnostics
        report.sources |= repository.sources
    return jobs


def _request_files(group: tuple[str, ...], inputs: Inputs, read: Callable[[str], SourceText]) -> RequestedJob:
    """The job of FILE and the overlays, without a repository."""

    def load(text: str | None) -> Job:
        sources, overrides = [read(name) for name in group], inputs.overrides
        if text is not None:
            sources[0], overrides = sources[0]._replace(text=text), ()
        return values.load(sources, overrides, Release(inputs.name, inputs.namespace))

    return RequestedJob(next(iter(group), ""), load)


def _request_entry(
    repository: Repository, entry: JobOrigin, inputs: Inputs, above: Sequence[SourceText] = (), name: str = ""
) -> RequestedJob:
    """A job of a repository; for the arguments see `Repository.read_job`."""

    def load(text: str | None) -> Job:
        overrides = inputs.overrides if text is None else ()
        return repository.read_job(entry, overrides, Release(inputs.name, inputs.namespace), above, name, text)

    return RequestedJob(
        name or str(repository.root / entry.file), load, functools.partial(repository.make_member, entry)
    )


def _find_in_repository(inputs: Inputs, report: Report) -> list[RequestedJob]:
    """The jobs of the repository of the working folder."""
    from pathlib import Path  # imported late, as the next: most calls have no repository

    from dsgen.repository import load

    root = find_root(".")
    if root is None:
        raise UsageError(
            f"give a values file, such as cifar.yaml; without one, dsgen reads {SETTINGS_FILE}, "
            "but this folder and its parents have none"
        )
    if inputs.name:
        raise UsageError(
            f"--name sets the name of one job, but {SETTINGS_FILE} has several: write `name` into each file"
        )
    report.repository = repository = load(Path(os.path.relpath(root)))
    report.problems += repository.diagnostics
    report.sources |= repository.sources
    return [_request_entry(repository, entry, inputs) for entry in repository.entries]


def _refuse_values(inputs: Inputs) -> None:
    """Raises UsageError for values in place of the name of a file."""
    for name in (*inputs.files, *inputs.overlays):
        if os.path.exists(name):  # noqa: PTH110 - without the import of pathlib
            continue
        key, sign, _ = name.partition("=")
        if sign and key.partition(".")[0] in schema.list_keys(schema.load()):
            # A shell makes --set a=1 a=2 of --set a={1,2}.
            same = [override.text for override in inputs.overrides if override.text.startswith(f"{key}=")]
            texts = [text.partition("=")[2] for text in (*same, *inputs.files) if text.startswith(f"{key}=")]
            value = f"{key}={{{','.join(texts)}}}" if same else name
            raise UsageError(f"{name} is not a file; quote values for the shell: --set '{value}'")
        if name.lstrip()[:1] in ("{", "[") or ": " in name or "\n" in name:
            raise UsageError(
                "values are no file name: write them to a file, pass them on standard input as -, or use --set-json"
            )


def _group_files(inputs: Inputs) -> list[tuple[str, ...]]:
    """The files of each job: every FILE with all overlays, or, without a FILE, the overlays together."""
    files = [file for name in inputs.files for file in _list_files(name)]
    groups = [(file, *inputs.overlays) for file in files] or [inputs.overlays]
    if [*inputs.files, *inputs.overlays].count("-") > 1:
        raise UsageError("`-` reads standard input, which can be read only once")
    if inputs.name and len(groups) > 1:
        raise UsageError("--name sets the name of one job, but there are several FILEs: write `name` into each")
    return groups


def _list_files(name: str) -> list[str]:
    """The file itself; for a folder, the YAML files directly in it."""
    if not os.path.isdir(name):  # noqa: PTH112 - without the import of pathlib
        return [name]
    with os.scandir(name) as entries:
        names = {each.name: each.path for each in entries if each.name.endswith((".yaml", ".yml")) and each.is_file()}
    files = [path for name, path in sorted(names.items()) if name != SETTINGS_FILE]
    if not files:
        raise UsageError(f"the folder {name} has no *.yaml file")
    return files


def read_file(name: str) -> SourceText:
    """The text of a FILE, `-` for standard input. Raises DsgenError if it cannot be read."""
    if not name:
        raise UsageError("the name of a FILE is empty: is a variable not set?")
    return read_source(None, STDIN) if name == "-" else read_source(name, name)
