"""A repository of jobs: a folder with the settings `dsgen.yaml` at its root, and values files below it.

    repository = load(root)                 # its settings; repository.diagnostics has their problems
    for entry in repository.entries:        # in the order of their paths
        job = repository.read_job(entry)    # the result of `values.load`: problems(), data, release.name, .namespace
        member = repository.make_member(entry, job.release)
        member.file                         # its values file, such as "jobs/cifar/values.yaml"
        member.output, member.chart         # folders of its manifests and of its chart: "rendered/training/cifar"
        member.place, member.chart_place    # the same for `writer.compare` and `writer.write`

`find_root` of dsgen/reading finds the root. `Repositories` finds the jobs of which a file is a part.
`repository.settings` has the values of dsgen.yaml and their places; its schema is `settings.json`. `find_orphans` finds
the folders of removed jobs, `find_new_place` and `choose_place_in` the file of a new one. Paths are relative to the
root, with `/`. Only regular files below the root are read, and links are not followed, because a pull request can add
one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dsgen import values
from dsgen.errors import UsageError
from dsgen.problems import Diagnostic, Position, has_errors
from dsgen.reading import SETTINGS_FILE, find_root
from dsgen.reading.nodes import Node
from dsgen.repository import globs, settings
from dsgen.repository.jobs import (
    JobOrigin,
    Member,
    Repository,
    find_collisions,
    find_orphans,
    load,
    place_scripts,
)
from dsgen.schema.suggestions import did_you_mean, find_closest, list_possible
from dsgen.values import Job, Override, Release, SourceText

__all__ = [
    "BEGIN",
    "JobOrigin",
    "Member",
    "Part",
    "Repositories",
    "Repository",
    "choose_place_in",
    "find_collisions",
    "find_new_place",
    "find_orphans",
    "load",
    "load_job",
    "place_scripts",
]

BEGIN = Path(__file__).with_name("begin.yaml")
"""The dsgen.yaml that `dsgen init --repository` writes."""
UNLISTED = "DS911"


@dataclass(frozen=True)
class Part:
    """A file of a repository. name: of the file in messages; path: below the root; entries: its jobs."""

    repository: Repository
    name: str
    path: str

    @property
    def entries(self) -> list[JobOrigin]:
        """The jobs of which the file is a part."""
        return self.repository.list_entries_of(self.path)

    def choose_entries(self, name: str) -> Sequence[JobOrigin]:
        """The jobs of which the file is a part; of several, the one of this name. Raises UsageError without it."""
        if not name or len(self.entries) == 1:
            return self.entries
        names = [self.repository.read_job(entry).release.name for entry in self.entries]
        chosen = [entry for entry, other in zip(self.entries, names, strict=True) if other == name]
        if self.entries and not chosen:
            jobs = did_you_mean(find_closest(name, names)) or list_possible(names, "jobs")
            raise UsageError(f"--name {name}: {self.name} has no such job in {SETTINGS_FILE}; {jobs}")
        return chosen

    @property
    def is_unlisted(self) -> bool:
        """Whether dsgen.yaml is valid, and has no jobs with the file."""
        return not (self.entries or self.path == SETTINGS_FILE or has_errors(self.repository.diagnostics))

    def choose_name(self, entry: JobOrigin) -> str:
        """The name of a job's values file in messages, "" if this is another file."""
        return self.name if entry.file == self.path else ""

    def report_unlisted(self) -> Iterator[Diagnostic]:
        """The warning for a file without jobs."""
        settings = self.repository.settings.source.name
        severity = self.repository.settings.read_value("checks").get(UNLISTED, "warning")
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
        """The part that a file is. places: see `reading.find_places`; the first one with jobs counts."""
        parts = [Part(self._load(root, Path(file).is_absolute()), file, path) for root, path in places]
        return next((part for part in parts if part.entries), parts[0])

    def _load(self, root: str, is_absolute: bool) -> Repository:
        if root not in self._by_root:
            self._by_root[root] = load(Path(root if is_absolute else os.path.relpath(root)))
        return self._by_root[root]


def load_job(part: Part, sources: Sequence[SourceText], overrides: Sequence[Override], names: Release) -> Job:
    """The job of a file, the first source, with the problems of dsgen.yaml. Raises UsageError if there are several."""
    found, problems, repository = part.choose_entries(names.name), part.repository.diagnostics, part.repository
    if part.is_unlisted:
        job, problems = values.load(sources, overrides, names), [*problems, *part.report_unlisted()]
    elif has_errors(problems):
        job = Job(part.name, None, [], Node({}, Position(part.name, 1, 1)), is_complete=False)
    elif len(found) == 1:
        job = repository.read_job(found[0], overrides, names, sources[1:], part.choose_name(found[0]))
    else:
        raise UsageError(f"{part.name} has {len(found)} jobs in {SETTINGS_FILE}: choose one with its name")
    return replace(job, diagnostics=[*problems, *job.diagnostics], sources=repository.sources | job.sources)


def choose_place_in(folder: Path, name: str) -> Path:
    """The file of a job in a folder: NAME.yaml, or NAME/values.yaml if only that is a job of the repository."""
    plain, own = folder / f"{name}.yaml", folder / name / "values.yaml"
    root, patterns = _load_patterns(folder)
    return own if _is_job(root, own, patterns) and not _is_job(root, plain, patterns) else plain


def find_new_place(name: str) -> Path | None:
    """The file of a job in the repository of the working folder.

    None without a dsgen.yaml, and if none of its patterns has exactly one name to choose, as `jobs/*/values.yaml` has.
    """
    root, patterns = _load_patterns(Path())
    for pattern in patterns:
        parts = [part for part in globs.split_pattern(pattern) if part != globs.ANY]
        joined = "/".join(parts)
        if joined.count("*") == 1 and "?" not in joined and "[" not in joined:
            return Path(os.path.relpath(root)) / joined.replace("*", name)
    return None


def _load_patterns(folder: Path) -> tuple[str, Sequence[str]]:
    """The root of the repository of a folder, and the patterns of its jobs; none without a repository."""
    root = find_root(str(folder))
    if root is None:
        return "", ()
    found = settings.load(Path(root))
    return root, () if has_errors(found.diagnostics) else found.read_value("jobs")


def _is_job(root: str, file: Path, patterns: Sequence[str]) -> bool:
    path = os.path.relpath(os.path.realpath(file), root or None).replace(os.sep, "/")
    return any(globs.matches(path, pattern) for pattern in patterns)
