"""The jobs of a repository: their values files, merged with the defaults, overlays and matrix of dsgen.yaml.

Also the folders of removed jobs.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import os
import re
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any, NamedTuple

from dsgen import values
from dsgen.errors import DsgenError
from dsgen.problems import Diagnostic, KeyPath, Position, has_errors, sort_problems
from dsgen.reading import MAX_BYTES, SETTINGS_FILE, find_roots, read
from dsgen.reading.nodes import Node, SourceText, Tree
from dsgen.repository import globs, settings
from dsgen.repository.settings import Settings
from dsgen.values import UNNAMED, Job, Override, Release
from dsgen.writer import INDEX, Destination, Folder, SourceFolder, read_index
from dsgen.writer.index import Index
from dsgen.writer.plan import SHARED

MOST = 10_000
"""The largest number of jobs from one values file."""
_VARIABLE = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
Variables = Mapping[str, Node]
"""The value of each variable, for one job of the matrix."""


@dataclass(frozen=True)
class Member:
    """A job of a repository. file: its values file; variables: the values of the matrix that made it."""

    names: Release
    file: str
    settings: Settings
    variables: Mapping[str, Any]

    @property
    def output(self) -> str:
        """The folder of its manifests. Like `chart`, it is not defined for a job with errors."""
        return self._fill_folder("output")

    @property
    def chart(self) -> str:
        """The folder of its chart."""
        return self._fill_folder("charts")

    @property
    def place(self) -> Destination:
        """The folder of its manifests, as a place for the writer."""
        return Destination(self.settings.root, self.output)

    @property
    def chart_place(self) -> Destination:
        """The folder of its chart, as a place for the writer."""
        return Destination(self.settings.root, self.chart)

    def _fill_folder(self, key: str) -> str:
        return settings.fill_job_folder(str(self.settings.read_value(key)), self.names.namespace, self.names.name)


def place_scripts(known: Settings, key: str, namespace: str) -> Destination:
    """The folder of the scripts that the jobs of a namespace share, beside those of the jobs."""
    return Destination(known.root, settings.fill_job_folder(str(known.read_value(key)), namespace, settings.SCRIPTS))


class JobOrigin(NamedTuple):
    """The origin of a job. row: the row of the matrix, None without a matrix."""

    file: str
    row: int | None = None
    variables: Variables = MappingProxyType({})


@dataclass
class Repository:
    """The settings and the jobs of a repository.

    diagnostics: the problems of the settings and of the files that they name; if one is an error, there are no jobs.
    """

    settings: Settings
    diagnostics: list[Diagnostic]
    entries: list[JobOrigin]
    _overlays: dict[str, tuple[SourceText, Tree]] = field(default_factory=dict)

    @property
    def root(self) -> Path:
        """The folder of dsgen.yaml, relative to the working folder."""
        return self.settings.root

    @property
    def sources(self) -> dict[str, str]:
        """The texts of the files in the positions of `diagnostics`."""
        return {self.settings.source.name: self.settings.source.text}

    def list_entries_of(self, path: str) -> list[JobOrigin]:
        """The jobs of which a file is a part: those of a values file, those below an overlay, all for dsgen.yaml."""
        if path == SETTINGS_FILE:
            return self.entries
        overlays = [overlay for overlay in self.settings.read_value("overlays") if path in _list_paths(overlay)]
        return [
            entry
            for entry in self.entries
            if entry.file == path or any(_is_meant(entry.file, overlay) for overlay in overlays)
        ]

    def read_job(
        self,
        entry: JobOrigin,
        overrides: Sequence[Override] = (),
        names: Release = UNNAMED,
        above: Sequence[SourceText] = (),
        name: str = "",
        text: str | None = None,
    ) -> Job:
        """Read a job. above: files that are merged over the values of dsgen.yaml; name: of its values file in messages.

        text: to use instead of that of its values file. The other arguments are those of `values.load`.
        """
        source = self._read_source(entry.file, name)
        source = source if text is None else SourceText(source.name, text)
        texts = self.sources | {each.name: each.text for each in (source, *above)}
        trees = [
            *self._list_values("defaults"),
            read(source),
            *self._read_values_above(entry, texts),
            *map(read, above),
        ]
        job = values.load_trees(source.name, [*self._list_claims(trees), *trees], texts, overrides, names)
        return replace(job, severities=self.settings.read_value("checks"))

    def make_member(self, entry: JobOrigin, names: Release) -> Member:
        """The place in the repository of a job with these names."""
        return Member(names, entry.file, self.settings, {key: node.as_data() for key, node in entry.variables.items()})

    def _read_values_above(self, entry: JobOrigin, texts: dict[str, str]) -> Iterator[Tree]:
        """The values that are merged over those of a file; adds their texts to `texts`."""
        for index, overlay in enumerate(self.settings.read_value("overlays")):
            if _is_meant(entry.file, overlay):
                for path in overlay.get("files", ()):
                    source, tree = self._read_overlay(path)
                    texts[source.name] = source.text
                    yield tree
                yield from self._list_values("overlays", index, "values")
        if entry.row is not None:
            for tree in self._list_values("matrix", entry.row, "values"):
                yield Tree(fill_variables(tree.root, entry.variables))

    def _list_values(self, *path: str | int) -> list[Tree]:
        node = self.settings.find_node(*path)
        return [] if node is None else [Tree(node)]

    def _list_claims(self, trees: Iterable[Tree]) -> Iterator[Tree]:
        """What every claim has that these trees create."""
        if (claim := self.settings.find_node("claims")) is None:
            return
        for volumes in filter(None, (tree.root.find_child("storage") for tree in trees)):
            for name, volume in volumes.value.items() if isinstance(volumes.value, dict) else ():
                create = volume.find_child("create")
                if create and isinstance(create.value, dict):
                    yield Tree(_nest(claim, "storage", name, "create"))

    def _read_overlay(self, path: str) -> tuple[SourceText, Tree]:
        """An overlay file, which is read once for all jobs."""
        if path not in self._overlays:
            source = self._read_source(path)
            self._overlays[path] = source, read(source)
        return self._overlays[path]

    def _read_source(self, path: str, name: str = "") -> SourceText:
        with SourceFolder(Destination(self.root)) as folder:
            return SourceText.from_bytes(name or str(self.root / path), folder.read(path, MAX_BYTES) or b"")


def load(root: Path) -> Repository:
    """A repository whose jobs are not read yet. Raises RefusedError if dsgen.yaml is not a regular file."""
    loaded = settings.load(root)
    repository = Repository(loaded, list(loaded.diagnostics), [])
    if not has_errors(loaded.diagnostics):
        files = _list_files(repository)
        repository.diagnostics += _find_other_settings(repository, files)
        repository.entries = [entry for file in files for entry in _list_entries(repository, file)]
        repository.diagnostics = sort_problems(repository.diagnostics)
        if has_errors(repository.diagnostics):
            repository.entries = []
    return repository


def find_collisions(members: Iterable[Member]) -> Iterator[Diagnostic]:
    """Problems for jobs whose manifests or charts have the same folder."""
    for key in ("output", "charts"):
        first: dict[Destination, Release] = {}
        for member in members:
            folder = member.output if key == "output" else member.chart
            other = first.setdefault(Destination(member.settings.root, folder), member.names)
            if other != member.names:
                names = [f"{each.namespace}/{each.name}" for each in (other, member.names)]
                message = f"{key} gives {' and '.join(names)} the same folder, {folder}"
                hint = "write {namespace} and {name} into it"
                yield Diagnostic("DS908", message, member.settings.position((key,)), (key,), hint)


def _list_files(repository: Repository) -> list[str]:
    """The values files of all jobs, sorted. Adds problems of irregular files and unused patterns."""
    overlays = {path for overlay in repository.settings.read_value("overlays") for path in _list_paths(overlay)}
    for index, overlay in enumerate(repository.settings.read_value("overlays")):
        for number, path in enumerate(overlay.get("files", ())):
            _is_plain(repository, path, ("overlays", index, "files", number))
    jobs: set[str] = set()
    for index, pattern in enumerate(repository.settings.read_value("jobs")):
        at: KeyPath = ("jobs", index)
        files = set(globs.find_files(str(repository.root), pattern)) - overlays - {SETTINGS_FILE}
        jobs |= {file for file in files if _is_plain(repository, file, at)}
        if not files:
            place = repository.settings.position(at)
            problem = Diagnostic("DS905", f"no file matches {pattern}", place, at, severity="warning")
            repository.diagnostics.append(problem)
    return sorted(jobs)


def _find_other_settings(repository: Repository, files: Iterable[str]) -> Iterator[Diagnostic]:
    """A problem for each other dsgen.yaml that is above one of the files: each would make another job of it."""
    root, own = repository.root, repository.settings.source.name
    below = {folder.as_posix() for file in files for folder in [*PurePosixPath(file).parents][:-1]}
    above = [os.path.relpath(other, root) for other in [*find_roots(str(root))][1:]]
    for folder in sorted(below) + above:
        other = os.path.normpath(root / folder / SETTINGS_FILE)
        if os.path.lexists(other):
            message = f"{own} and {other} are both above the same files, and dsgen.yaml does not inherit"
            hint = "keep one of them; where both are needed, in different folders, such as teams/a and teams/b"
            yield Diagnostic("DS914", message, Position(own, 1, 1), (), hint)


def _list_paths(overlay: Mapping[str, Any]) -> list[str]:
    """The paths of the files of an overlay, without `.` and empty parts."""
    return ["/".join(globs.split_pattern(path)) for path in overlay.get("files", ())]


def _is_plain(repository: Repository, file: str, at: KeyPath) -> bool:
    """Whether a file is a regular file; otherwise adds a problem."""
    try:
        mode = os.lstat(repository.root / file).st_mode
    except OSError as error:
        message = f"{file} cannot be read: {error.strerror}"
    else:
        if stat.S_ISREG(mode):
            return True
        message = f"{file} is {'a link' if stat.S_ISLNK(mode) else 'not a file'}: dsgen reads only regular files here"
    repository.diagnostics.append(Diagnostic("DS907", message, repository.settings.position(at), at))
    return False


def _list_entries(repository: Repository, file: str) -> Iterator[JobOrigin]:
    rows = [index for index, row in enumerate(repository.settings.read_value("matrix")) if _is_meant(file, row)]
    if not rows:
        yield JobOrigin(file)
        return
    variables = repository.settings.find_node("matrix", rows[0], "variables")
    assert variables is not None
    at: KeyPath = ("matrix", rows[-1])
    message = ""
    if len(rows) > 1:
        message = f"{file} is in two entries of the matrix"
    elif (count := math.prod(map(len, _collect_lists(variables).values()))) > MOST:
        message = f"this results in {count} jobs for {file}, but at most {MOST} are allowed"
    if message:
        repository.diagnostics.append(Diagnostic("DS906", message, repository.settings.position(at), at))
        return
    for combination in list_combinations(variables):
        yield JobOrigin(file, rows[0], combination)


def _nest(node: Node, *keys: str) -> Node:
    """A tree that has nothing but this node, below these keys."""
    for key in reversed(keys):
        node = Node({key: node}, node.position, node.key)
    return node


def _is_meant(file: str, row: Mapping[str, Any]) -> bool:
    return any(globs.matches(file, pattern) for pattern in row["jobs"])


OWNERS = {"output": ("job ", SHARED), "charts": ("chart ", SHARED)}
"""Setting -> the prefixes of the owners of its folders: those of jobs, and of the scripts that jobs share."""


def find_orphans(repository: Repository, key: str, wanted: Collection[str]) -> Iterator[tuple[Destination, Index]]:
    """The folders below the fixed part of a setting that are not in `wanted`, each with its index.

    key: "output" or "charts". Folders whose index is invalid are skipped.
    """
    parts = globs.split_pattern(str(repository.settings.read_value(key)))
    above = itertools.takewhile(lambda part: "{" not in part, parts)
    for path in globs.find_files(str(repository.root), "/".join((*above, "**", INDEX)), into_written=True):
        place = Destination(repository.root, path.rpartition("/")[0])
        if place.below and place.below not in wanted:
            with contextlib.suppress(DsgenError), Folder(place) as folder:
                index = read_index(folder)
                if index and index.owner.startswith(OWNERS[key]):
                    yield place, index


# -- several jobs from one values file ---------------------------------------------------------------------------------


def list_combinations(variables: Node) -> Iterator[Variables]:
    """All combinations of the values of the variables; the last variable changes fastest."""
    lists = _collect_lists(variables)
    for chosen in itertools.product(*lists.values()):
        yield dict(zip(lists, chosen, strict=True))


def _collect_lists(variables: Node) -> dict[str, list[Node]]:
    assert isinstance(variables.value, dict)
    return {name: node.value for name, node in variables.value.items() if isinstance(node.value, list)}


def fill_variables(node: Node, variables: Variables) -> Node:
    """A copy in which variables are replaced by their values. Other text in braces is unchanged."""
    if isinstance(node.value, dict):
        return replace(node, value={key: fill_variables(below, variables) for key, below in node.value.items()})
    if isinstance(node.value, list):
        return replace(node, value=[fill_variables(below, variables) for below in node.value])
    if not isinstance(node.value, str):
        return node
    whole = _VARIABLE.fullmatch(node.value)
    if whole and whole[1] in variables:
        return replace(variables[whole[1]].copy(), key=node.key)
    return replace(node, value=_VARIABLE.sub(lambda match: _fill_text(match, variables), node.value))


def _fill_text(match: re.Match[str], variables: Variables) -> str:
    node = variables.get(match[1])
    if node is None or isinstance(node.value, dict | list):
        return match[0]
    return node.text or str(node.value)
