"""Finds the jobs of a command line: of FILEs, of FILEs in a repository, or of the whole repository."""

from __future__ import annotations

import functools
import os
import sys
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from dsgen import api, roots, schema, values
from dsgen.errors import DsgenError, UsageProblem
from dsgen.reading import files
from dsgen.schema.suggestions import closest, did_you_mean, possible
from dsgen.values import Release, SourceText

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dsgen.cli._shared import Inputs
    from dsgen.problems.diagnostics import Diagnostic
    from dsgen.repository import Entry, Member, Part, Repository
    from dsgen.values import Job

    Read = Callable[[str], SourceText]
    Load = Callable[..., Job]
    """Loads a job. text: another text of its values file, with which it is loaded without --set flags."""
    Group = tuple[str, ...]
    """The files of a job: FILE and the overlays."""

STDIN = "<stdin>"


class Target:
    """A job of the command line.

    name: of its values file. file, release: the file and the names of the job; has_values: it has no errors. These are
    set when it was checked.
    """

    def __init__(self, name: str, load: Load, locate: Callable[[Release], Member] | None = None) -> None:
        self.name, self._load, self._locate = name, load, locate
        self.file, self.release, self.has_values = "", values.UNNAMED, False

    @functools.cached_property
    def job(self) -> Job:
        """The job. The process that checks it loads it; with two processes, the other one loads it if it needs it."""
        return self._load()

    def rewritten(self, text: str) -> Job:
        """The job with another text of its values file, and without --set flags."""
        return self._load(text=text)

    @functools.cached_property
    def member(self) -> Member | None:
        """Its place in a repository; None for a job that is not in one."""
        return self._locate(self.release) if self._locate else None


@dataclass
class Found:
    """The jobs of a command line. problems, sources: of the repositories; repository: that of a call without FILE."""

    targets: list[Target]
    problems: list[Diagnostic] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)
    repository: Repository | None = None

    def add(self, repository: Repository) -> None:
        """Add the problems of a repository."""
        self.problems += repository.diagnostics
        self.sources |= repository.sources


def find(inputs: Inputs) -> Found:
    """The jobs that are to be loaded: of files of the command line or, without files, of the repository."""
    return of_files(inputs) if inputs.has_files else _of_repository(inputs)


def refuse_several(inputs: Inputs, names: Sequence[str], why: str, how: str = "choose one with --name") -> None:
    """Raises UsageProblem if there is not exactly one job. names: of the jobs; how: the way to choose one of them."""
    if len(names) == 1:
        return
    file = next(iter((*inputs.files, *inputs.overlays)))
    if os.path.isdir(file):  # noqa: PTH112 - without the import of pathlib
        raise UsageProblem(f"{why}, but {file} has {len(names)} files: name one of them")
    jobs = possible(names, "jobs")
    raise UsageProblem(f"{why}, but {file} has {len(names)} jobs in {roots.FILE}: {how}{jobs and '; '}{jobs}")


def of_files(inputs: Inputs) -> Found:
    """The job of each FILE or, for a FILE in a repository, the jobs of dsgen.yaml of which it is a part."""
    _refuse_values(inputs)
    groups, read = _groups(inputs), _reader()
    for name in (*inputs.overlays, *{"-"}.intersection(inputs.files)):
        read(name)  # read early, for both processes: only one can read standard input
    places = [roots.places(group[0]) if group else [] for group in groups]
    if not any(places):
        return Found([_plain(group, inputs, read) for group in groups])
    from dsgen.repository import Repositories  # imported late: most calls have no repository

    found = Found([])
    repositories, taken = Repositories(), set[int]()
    for group, places_of_file in zip(groups, places, strict=True):
        if not places_of_file:
            found.targets.append(_plain(group, inputs, read))
            continue
        part = repositories.locate(group[0], places_of_file)
        if part.is_unlisted:
            found.problems += part.unlisted()
            found.targets.append(_plain(group, inputs, read))
        above = [read(name) for name in group[1:]]
        entries = [entry for entry in _chosen(part, inputs) if id(entry) not in taken]
        taken.update(map(id, entries))
        found.targets += [_of_entry(part.repository, entry, inputs, above, part.name_of(entry)) for entry in entries]
    for repository in repositories:
        found.add(repository)
    return found


def _plain(group: Group, inputs: Inputs, read: Read) -> Target:
    """The job of files, without a repository."""
    return Target(next(iter(group), ""), functools.partial(_load, group, inputs, read))


def _chosen(part: Part, inputs: Inputs) -> Sequence[Entry]:
    """The jobs of which a file is a part; of several, the one that --name names."""
    if not inputs.name or len(part.entries) == 1:
        return part.entries
    names = [part.repository.job(entry).release.name for entry in part.entries]
    chosen = [entry for entry, name in zip(part.entries, names, strict=True) if name == inputs.name]
    if part.entries and not chosen:
        jobs = did_you_mean(closest(inputs.name, names)) or possible(names, "jobs")
        raise UsageProblem(f"--name {inputs.name}: {part.name} has no such job in {roots.FILE}; {jobs}")
    return chosen


def _of_entry(
    repository: Repository, entry: Entry, inputs: Inputs, above: Sequence[SourceText] = (), name: str = ""
) -> Target:
    """A job of a repository; for the arguments see `Repository.job`."""
    load = functools.partial(_load_entry, repository, entry, inputs, above, name)
    return Target(name or str(repository.root / entry.file), load, functools.partial(repository.member, entry))


def _of_repository(inputs: Inputs) -> Found:
    """The jobs of the repository of the working folder."""
    repository = _repository(inputs)
    found = Found([_of_entry(repository, entry, inputs) for entry in repository.entries], repository=repository)
    found.add(repository)
    return found


def _repository(inputs: Inputs) -> Repository:
    from pathlib import Path

    from dsgen.repository import load

    root = roots.find(".")
    if root is None:
        raise UsageProblem(
            f"give a values file, as in: dsgen validate cifar.yaml; without one, dsgen reads {roots.FILE}, "
            "but this folder and its parents have none"
        )
    if inputs.name:
        raise UsageProblem(
            f"--name sets the name of one job, but {roots.FILE} has several: write `name` into each file"
        )
    return load(Path(os.path.relpath(root)))


def _refuse_values(inputs: Inputs) -> None:
    """Raises UsageProblem for values in place of the name of a file."""
    for name in (*inputs.files, *inputs.overlays):
        if os.path.exists(name):  # noqa: PTH110 - without the import of pathlib
            continue
        key, sign, _ = name.partition("=")
        if sign and key.partition(".")[0] in schema.keys(schema.load()):
            # A shell makes --set a=1 a=2 of --set a={1,2}.
            same = [one.text for one in inputs.overrides if one.text.startswith(f"{key}=")]
            texts = [text.partition("=")[2] for text in (*same, *inputs.files) if text.startswith(f"{key}=")]
            value = f"{key}={{{','.join(texts)}}}" if same else name
            raise UsageProblem(f"{name} is not a file; quote values for the shell: --set '{value}'")
        if name.lstrip()[:1] in ("{", "[") or ": " in name or "\n" in name:
            raise UsageProblem(
                "values are no file name: write them to a file, pass them on standard input as -, or use --set-json"
            )


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
        names = {each.name: each.path for each in entries if each.name.endswith((".yaml", ".yml")) and each.is_file()}
    files = [path for name, path in sorted(names.items()) if name != roots.FILE]
    if not files:
        raise UsageProblem(f"the folder {name} has no *.yaml file")
    return files


def _load(group: Group, inputs: Inputs, read: Read, text: str | None = None) -> Job:
    """A job of files; see `Load`."""
    sources, overrides = [read(name) for name in group], inputs.overrides
    if text is not None:
        sources[0], overrides = replace(sources[0], text=text), ()
    return api.load(*sources, overrides=overrides, name=inputs.name, namespace=inputs.namespace)


def _load_entry(
    repository: Repository,
    entry: Entry,
    inputs: Inputs,
    above: Sequence[SourceText] = (),
    name: str = "",
    text: str | None = None,
) -> Job:
    """A job of a repository; see `Load` and `Repository.job`."""
    overrides = inputs.overrides if text is None else ()
    return repository.job(entry, overrides, Release(inputs.name, inputs.namespace), above, name, text)


def _reader() -> Read:
    """A function that reads each file once, also if several jobs use it."""

    @functools.cache
    def read(path: str) -> SourceText:
        if not path:
            raise UsageProblem("the name of a FILE is empty: is a variable not set?")
        if path != "-":
            return api.read(path)
        try:
            content = sys.stdin.buffer.read(files.MAX_BYTES + 1)
            files.check_size(content)
            return SourceText.from_bytes(STDIN, content)
        except OSError as error:
            raise DsgenError(f"cannot read {STDIN}: {error.strerror}") from error

    return read
