"""The problems of all jobs of a command, which are printed at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from dsgen.cli._console import describe_bug, uses_color, write, write_error
from dsgen.errors import EXIT_FAILED, EXIT_FINDINGS, DsgenError, UsageError
from dsgen.problems.diagnostics import Diagnostic, Position, has_errors

if TYPE_CHECKING:
    from dsgen.repository import Repository

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
        """Raise the failures, or ReportedError if a problem that was printed is an error."""
        if self.failures:
            exit_code = max(failure.exit_code for failure in self.failures)
            raise DsgenError(*(line for failure in self.failures for line in failure.lines), exit_code=exit_code)
        if has_errors(self.diagnostics):
            raise ReportedError(exit_code=self.exit_code)

    def output(self, form: str) -> None:
        """Print all problems: text to standard error, other forms to standard output."""
        if form == "text":
            if self.problems:
                from dsgen.problems.framing import as_text  # imported late: only problems need it

                write_error(as_text(self.diagnostics, self.sources, uses_color()))
        elif self.sources or not self.failures:  # otherwise nothing could be read
            from dsgen import reports  # imported late: most calls use text

            as_form = {"json": reports.as_json, "sarif": reports.as_sarif, "github": reports.as_github}[form]
            write(as_form(self.diagnostics))
