"""Finds the jobs of a command line (of FILEs, of FILEs in a repository, or of the whole repository) and loads them.

The problems of all these jobs are in one `Report`, which prints them at once.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from dsgen import api, schema, values
from dsgen.cli._console import describe_bug, show_progress, uses_color, write, write_error
from dsgen.cli._options import Inputs
from dsgen.errors import EXIT_FAILED, EXIT_FINDINGS, DsgenError, UsageError
from dsgen.problems import Diagnostic, Position, has_errors
from dsgen.reading import SETTINGS_FILE, find_places, find_root, read_standard_input
from dsgen.schema.suggestions import did_you_mean, find_closest, list_possible
from dsgen.values import Job, Release, SourceText

if TYPE_CHECKING:
    from dsgen.repository import Entry, Member, Part, Repository

    Locate = Callable[[Release], Member]
    """The place in a repository of a job with these names."""

Read = Callable[[str], SourceText]
Load = Callable[..., Job]
"""Loads a job. text: another text of its values file, with which it is loaded without --set flags."""
Group = tuple[str, ...]
"""The files of a job: FILE and the overlays."""

STDIN = "<stdin>"
BUG = "DS913"


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

    def add_repository(self, repository: Repository) -> None:
        """Add the problems of a repository."""
        self.problems += repository.diagnostics
        self.sources |= repository.sources

    @contextmanager
    def collect(self, file: str) -> Iterator[None]:
        """Add an exception as a problem of this file, so that the problems of other jobs are reported, too."""
        try:
            yield
        except UsageError:
            raise
        except DsgenError as failure:
            self.failures.append(failure)
        except Exception as error:  # a bug in dsgen
            self.problems.append(Diagnostic(BUG, describe_bug(error), Position(file, 1, 1)))
            self.exit_code = EXIT_FAILED

    def show(self) -> None:
        """Print all problems to standard error; raises ReportedError if one of them is an error."""
        self.print_all("text")
        self.end()

    def show_first(self, form: str) -> None:
        """Print the problems of the values: as text now; in other forms only if there are errors, otherwise later."""
        if form == "text":
            self.show()
            self.problems = []
        elif self.failures or has_errors(self.diagnostics):
            self.print_all(form)
            self.end()

    def end(self) -> None:
        """Raise the failures, or ReportedError if a problem that was printed is an error."""
        if self.failures:
            exit_code = max(failure.exit_code for failure in self.failures)
            raise DsgenError(*(line for failure in self.failures for line in failure.lines), exit_code=exit_code)
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

            as_form = {"json": reports.as_json, "sarif": reports.as_sarif, "github": reports.as_github}[form]
            write(as_form(self.diagnostics))


class JobRequest(NamedTuple):
    """A job to load. name: of its values file. locate: None for a job that is not in a repository."""

    name: str
    load: Load
    locate: Locate | None = None

    def read(self) -> LoadedJob:
        """The job, with all its problems. Raises DsgenError if a file cannot be read."""
        job = self.load()
        return LoadedJob(job, self.locate(job.release) if self.locate else None, self.load)


class LoadedJob(NamedTuple):
    """A job of the command line. member: its place in a repository; None for a job that is not in one."""

    job: Job
    member: Member | None
    load: Load

    @property
    def file(self) -> str:
        return self.job.file

    @property
    def release(self) -> Release:
        return self.job.release

    def reload(self, text: str) -> Job:
        """The job with another text of its values file, and without --set flags."""
        return self.load(text=text)


def load_jobs(inputs: Inputs, form: str = "text") -> tuple[list[LoadedJob], Report]:
    """The jobs of the command line, for flat manifests, and the report for further problems.

    Prints all problems in this form; raises ReportedError if one of them is an error.
    """
    jobs, report = check_jobs(inputs)
    report.show_first(form)
    return jobs, report


def check_jobs(inputs: Inputs, chart: bool = False, with_estimate: bool = True) -> tuple[list[LoadedJob], Report]:
    """The jobs of the command line whose values are valid, and the problems of all jobs, which are not printed yet.

    chart: the jobs become charts, whose releases provide missing names. with_estimate: also what does not fit by their
    estimates.
    """
    loaded, report = _load_all(inputs, lambda job: job.problems(chart, with_estimate))
    jobs = [each for each in loaded if each.job.values]
    members = [each.member for each in jobs if each.member]
    if members or not chart:
        report.problems += values.find_twins(each.job for each in jobs)
    if members:
        from dsgen.repository import find_collisions  # imported late: most calls have no repository

        report.problems += find_collisions(members)
    return jobs, report


def load_values(inputs: Inputs) -> list[Job]:
    """The jobs of the command line, checked only against the schema; problems as in `load_jobs`."""
    loaded, report = _load_all(inputs, lambda job: job.diagnostics)
    report.show()
    return [each.job for each in loaded]


def _load_all(inputs: Inputs, check: Callable[[Job], list[Diagnostic]]) -> tuple[list[LoadedJob], Report]:
    """The jobs that could be read, and a report with the problems that `check` finds in each."""
    requests, report = find_in_files(inputs) if inputs.has_files else _find_in_repository(inputs)
    loaded = []
    for request in show_progress("checked", requests, len(requests)):
        with report.collect(request.name):
            each = request.read()
            problems = check(each.job)
            report.sources |= each.job.sources
            report.problems += problems
            loaded.append(each)
    return loaded, report


def load_chart(inputs: Inputs, form: str = "text") -> tuple[Job | None, Report]:
    """The job whose values become a chart's defaults, None without values; problems as in `load_jobs`."""
    if not (inputs.has_files or inputs.overrides):
        if inputs.name or inputs.namespace:
            raise UsageError("--name and -n name the job of a values file: give one, as in: dsgen chart cifar.yaml")
        return None, Report(inputs.strict)
    requests, report = find_in_files(inputs)
    if has_errors(report.diagnostics):
        report.show_first(form)
    jobs = [request.load() for request in requests]
    refuse_several(inputs, [job.release.name for job in jobs], "a chart is made from one job")
    report.sources |= jobs[0].sources
    report.problems += api.validate(jobs[0], for_chart=True)
    report.show_first(form)
    return jobs[0], report


def refuse_several(inputs: Inputs, names: Sequence[str], why: str, how: str = "choose one with --name") -> None:
    """Raises UsageError if there is not exactly one job. names: of the jobs; how: the way to choose one of them."""
    if len(names) == 1:
        return
    file = next(iter((*inputs.files, *inputs.overlays)))
    if os.path.isdir(file):  # noqa: PTH112 - without the import of pathlib
        raise UsageError(f"{why}, but {file} has {len(names)} files: name one of them")
    jobs = list_possible(names, "jobs")
    raise UsageError(f"{why}, but {file} has {len(names)} jobs in {SETTINGS_FILE}: {how}{jobs and '; '}{jobs}")


def find_in_files(inputs: Inputs) -> tuple[list[JobRequest], Report]:
    """The job of each FILE or, for a FILE in a repository, the jobs of dsgen.yaml of which it is a part."""
    _refuse_values(inputs)
    groups, read = _group_files(inputs), _make_reader()
    for name in inputs.overlays:
        read(name)  # read before the jobs, so that it fails once
    places = [find_places(group[0]) if group else [] for group in groups]
    if not any(places):
        return [_request_files(group, inputs, read) for group in groups], Report(inputs.strict)
    from dsgen.repository import Repositories  # imported late: most calls have no repository

    requests, report = list[JobRequest](), Report(inputs.strict)
    repositories, taken = Repositories(), set[int]()
    for group, places_of_file in zip(groups, places, strict=True):
        if not places_of_file:
            requests.append(_request_files(group, inputs, read))
            continue
        part = repositories.locate(group[0], places_of_file)
        if part.is_unlisted:
            report.problems += part.report_unlisted()
            requests.append(_request_files(group, inputs, read))
        above = [read(name) for name in group[1:]]
        entries = [entry for entry in _choose_entries(part, inputs) if id(entry) not in taken]
        taken.update(map(id, entries))
        requests += [
            _request_entry(part.repository, entry, inputs, above, part.choose_name(entry)) for entry in entries
        ]
    for repository in repositories:
        report.add_repository(repository)
    return requests, report


def _request_files(group: Group, inputs: Inputs, read: Read) -> JobRequest:
    """The job of files, without a repository."""
    return JobRequest(next(iter(group), ""), functools.partial(_load, group, inputs, read))


def _choose_entries(part: Part, inputs: Inputs) -> Sequence[Entry]:
    """The jobs of which a file is a part; of several, the one that --name names."""
    if not inputs.name or len(part.entries) == 1:
        return part.entries
    names = [part.repository.read_job(entry).release.name for entry in part.entries]
    chosen = [entry for entry, name in zip(part.entries, names, strict=True) if name == inputs.name]
    if part.entries and not chosen:
        jobs = did_you_mean(find_closest(inputs.name, names)) or list_possible(names, "jobs")
        raise UsageError(f"--name {inputs.name}: {part.name} has no such job in {SETTINGS_FILE}; {jobs}")
    return chosen


def _request_entry(
    repository: Repository, entry: Entry, inputs: Inputs, above: Sequence[SourceText] = (), name: str = ""
) -> JobRequest:
    """A job of a repository; for the arguments see `Repository.read_job`."""
    load = functools.partial(_load_entry, repository, entry, inputs, above, name)
    return JobRequest(name or str(repository.root / entry.file), load, functools.partial(repository.make_member, entry))


def _find_in_repository(inputs: Inputs) -> tuple[list[JobRequest], Report]:
    """The jobs of the repository of the working folder."""
    repository = _load_repository(inputs)
    report = Report(inputs.strict, repository=repository)
    report.add_repository(repository)
    return [_request_entry(repository, entry, inputs) for entry in repository.entries], report


def _load_repository(inputs: Inputs) -> Repository:
    from pathlib import Path  # imported late, as the next: most calls have no repository

    from dsgen.repository import load

    root = find_root(".")
    if root is None:
        raise UsageError(
            f"give a values file, as in: dsgen validate cifar.yaml; without one, dsgen reads {SETTINGS_FILE}, "
            "but this folder and its parents have none"
        )
    if inputs.name:
        raise UsageError(
            f"--name sets the name of one job, but {SETTINGS_FILE} has several: write `name` into each file"
        )
    return load(Path(os.path.relpath(root)))


def _refuse_values(inputs: Inputs) -> None:
    """Raises UsageError for values in place of the name of a file."""
    for name in (*inputs.files, *inputs.overlays):
        if os.path.exists(name):  # noqa: PTH110 - without the import of pathlib
            continue
        key, sign, _ = name.partition("=")
        if sign and key.partition(".")[0] in schema.list_keys(schema.load()):
            # A shell makes --set a=1 a=2 of --set a={1,2}.
            same = [one.text for one in inputs.overrides if one.text.startswith(f"{key}=")]
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


def _load(group: Group, inputs: Inputs, read: Read, text: str | None = None) -> Job:
    """A job of files; see `Load`."""
    sources, overrides = [read(name) for name in group], inputs.overrides
    if text is not None:
        sources[0], overrides = sources[0]._replace(text=text), ()
    return api.load(*sources, overrides=overrides, name=inputs.name, namespace=inputs.namespace)


def _load_entry(
    repository: Repository,
    entry: Entry,
    inputs: Inputs,
    above: Sequence[SourceText] = (),
    name: str = "",
    text: str | None = None,
) -> Job:
    """A job of a repository; see `Load` and `Repository.read_job`."""
    overrides = inputs.overrides if text is None else ()
    return repository.read_job(entry, overrides, Release(inputs.name, inputs.namespace), above, name, text)


def _make_reader() -> Read:
    """A function that reads each file once, also if several jobs use it."""

    @functools.cache
    def read(path: str) -> SourceText:
        if not path:
            raise UsageError("the name of a FILE is empty: is a variable not set?")
        if path != "-":
            return api.read(path)
        try:
            return SourceText.from_bytes(STDIN, read_standard_input())
        except OSError as error:
            raise DsgenError(f"cannot read {STDIN}: {error.strerror}") from error

    return read
