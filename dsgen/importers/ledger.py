"""What became of every part of a source: mapped to a key, dropped because dsgen does it itself, or lost; or refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from dsgen.errors import EXIT_FINDINGS, DsgenError
from dsgen.importers.texts import OF_ENTRY, spend
from dsgen.problems import Position
from dsgen.problems.safe_text import hide

Fate = Literal["mapped", "dropped", "lost"]
LONGEST = 120
"""Characters of a source text in a report."""


class ImportRefusedError(DsgenError):
    """A source that is not converted. `position`: where the reason is; `hint`: what to do instead."""

    exit_code = EXIT_FINDINGS

    def __init__(self, message: str, position: Position, hint: str = "") -> None:
        place = f"{position.file}:{position.line}:{position.column}: " if position.line else f"{position.file}: "
        super().__init__(f"{place}{message}", *([f"hint: {hint}"] if hint else []))
        self.message, self.position, self.hint = message, position, hint


class MissingParserError(DsgenError):
    """The library that parses shell scripts is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "reading shell commands needs tree-sitter: pipx inject dsgen-k8s tree-sitter tree-sitter-bash,"
            " or pip install in a virtual environment"
        )


@dataclass(frozen=True)
class ConvertedPart:
    """One part of a source and its fate.

    source: the path of a field (`spec.slotsPerWorker`), or the text of a word, an option or a statement. to: the key
    of a mapped part. why: of a dropped or lost part. hint: what to do about a lost part. whole: the field with its
    value, of which this is one scalar.
    """

    fate: Fate
    source: str
    position: Position
    to: str = ""
    why: str = ""
    hint: str = ""
    whole: str = ""

    def as_data(self) -> dict[str, Any]:
        """For JSON: `from`, `line`, `column`, and `to`, `why` and `hint` where they apply."""
        data: dict[str, Any] = {"from": self.source, "line": self.position.line, "column": self.position.column}
        data |= {key: value for key, value in (("to", self.to), ("why", self.why), ("hint", self.hint)) if value}
        return data


@dataclass(frozen=True)
class Placeholder:
    """A key whose value the source does not say; in the values it is one that `dsgen validate` refuses."""

    key: str
    why: str

    def as_data(self) -> dict[str, Any]:
        """For JSON."""
        return {"key": self.key, "why": self.why}


@dataclass
class ConversionReport:
    """The entries of one source, in the order in which they were made."""

    entries: list[ConvertedPart] = field(default_factory=list)

    def add(self, fate: Fate, source: str, at: Position, what: str, hint: str = "", *, whole: str = "") -> None:
        """Say what became of a part. what: its key, or the reason."""
        spend(OF_ENTRY)
        to, why = (what, "") if fate == "mapped" else ("", hide(what))
        self.entries.append(ConvertedPart(fate, shorten(source), at, to, why, hint, shorten(whole)))


def shorten(text: str, longest: int = LONGEST) -> str:
    """A text for a report, without secrets."""
    text = hide(text[: 4 * longest])  # hiding takes long
    return text if len(text) <= longest else f"{text[:longest]}..."


@dataclass
class ImportedJob:
    """One converted job.

    name: of the job, "" if it is a hole. file: the source. text: the values file. data: the same as plain data.
    entries: what became of every part of the source. holes: what a person must fill in. facts: what the source says
    about its pods and processes, for `dsgen.importers.comparison`. decided: the command line of a script that
    became the values; None for objects. carried: why the script is a file of the run, at that place; "" if not.
    """

    name: str
    file: str
    text: str
    data: dict[str, Any]
    entries: Sequence[ConvertedPart]
    holes: Sequence[Placeholder]
    facts: Any = None
    decided: Position | None = None
    carried: str = ""

    @property
    def lost(self) -> list[ConvertedPart]:
        """What has no equivalent."""
        return [entry for entry in self.entries if entry.fate == "lost"]

    def as_data(self) -> dict[str, Any]:
        """The report, for JSON."""
        lists = {
            fate: [one.as_data() for one in self.entries if one.fate == fate] for fate in ("mapped", "dropped", "lost")
        }
        own = {"carried": self.carried} if self.carried else {}
        return {"name": self.name, "file": self.file, **own, **lists, "holes": [hole.as_data() for hole in self.holes]}


def make_report(jobs: Sequence[ImportedJob]) -> dict[str, Any]:
    """The report of several jobs, for JSON."""
    return {"jobs": [job.as_data() for job in jobs]}
