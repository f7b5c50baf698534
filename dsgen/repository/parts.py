"""Finds the jobs of a repository of which a file is a part."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from dsgen import roots
from dsgen.problems.diagnostics import Diagnostic, Position, has_errors
from dsgen.repository.jobs import Entry, Repository, load

UNLISTED = "DS911"


@dataclass(frozen=True)
class Part:
    """A file of a repository. name: of the file in messages; path: below the root; entries: its jobs."""

    repository: Repository
    name: str
    path: str

    @property
    def entries(self) -> list[Entry]:
        """The jobs of which the file is a part."""
        return self.repository.entries_of(self.path)

    @property
    def is_unlisted(self) -> bool:
        """Whether dsgen.yaml is valid, and has no jobs with the file."""
        return not (self.entries or self.path == roots.FILE or has_errors(self.repository.diagnostics))

    def name_of(self, entry: Entry) -> str:
        """The name of a job's values file in messages, "" if this is another file."""
        return self.name if entry.file == self.path else ""

    def unlisted(self) -> Iterator[Diagnostic]:
        """The warning for a file without jobs."""
        settings = self.repository.settings.source.name
        severity = self.repository.setting("checks").get(UNLISTED, "warning")
        if severity != "ignore":
            message = f"{settings} does not list this file, so its defaults and overlays do not apply"
            hint = (
                f"add a pattern to `jobs` in {settings}; to use the file without a warning, pass it on standard input"
            )
            yield Diagnostic(UNLISTED, message, Position(self.name, 1, 1), (), hint, severity)


class Repositories:
    """The repositories of files; each is read once."""

    def __init__(self) -> None:
        self._by_root: dict[str, Repository] = {}

    def __iter__(self) -> Iterator[Repository]:
        return iter(self._by_root.values())

    def locate(self, file: str, places: Sequence[tuple[str, str]]) -> Part:
        """The part that a file is. places: see `roots.places`; the first one with jobs counts."""
        parts = [Part(self._load(root, Path(file).is_absolute()), file, path) for root, path in places]
        return next((part for part in parts if part.entries), parts[0])

    def _load(self, root: str, is_absolute: bool) -> Repository:
        if root not in self._by_root:
            self._by_root[root] = load(Path(root if is_absolute else os.path.relpath(root)))
        return self._by_root[root]
