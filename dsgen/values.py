"""From values files and flags to a job: complete, checked values with their names, and all problems of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dsgen import checks, schema
from dsgen.errors import UsageProblem
from dsgen.problems.diagnostics import Diagnostic, Path, Position, has_errors, ordered
from dsgen.reading import set_values
from dsgen.reading.nodes import Node, SourceText, from_data, merge
from dsgen.reading.set_values import Override
from dsgen.reading.source import read
from dsgen.schema import suggestions
from dsgen.schema.validate import UNKNOWN_KEY, shown, validate

__all__ = ["Job", "Override", "Release", "SourceText", "Values", "check", "load", "twins"]

SURPRISE = "DS050"


@dataclass(frozen=True)
class Release:
    """The names that Helm gives an installed chart; for flat manifests the job's own name and namespace."""

    name: str
    namespace: str


UNNAMED = Release("", "")
FLAGS = {"name": "--name", "namespace": "-n"}
"""Of the command line, for names that the values leave open."""
NAMES = {"name": "cifar", "namespace": "training"}
"""What manifests need, each with an example."""


@dataclass(frozen=True)
class Values:
    """The complete tree of one job: the user's values over the defaults, those below user-named keys filled in."""

    data: dict[str, Any]


@dataclass
class Job:
    """What came of reading one job.

    file: the first of its files, "" without one. values: None when there are errors. diagnostics: what reading them
    found; `problems` has all. root: what the user gave, with the place of every key. is_complete: all of it was read.
    sources: the texts that positions point into, those of flags too, by the file of the position. meant: keys that
    nobody gave, for which an unknown one may stand.
    """

    file: str
    values: Values | None
    diagnostics: list[Diagnostic]
    root: Node
    is_complete: bool = True
    sources: dict[str, str] = field(default_factory=dict)
    meant: frozenset[Path] = frozenset()
    _problems: dict[bool, list[Diagnostic]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def data(self) -> dict[str, Any]:
        """The complete values of a job without errors."""
        assert self.values is not None, "values with errors are not used further"
        return self.values.data

    @property
    def release(self) -> Release:
        """The names that the values have, "" for one that is open; also where there are errors."""
        given = (self.root.child(key) for key in NAMES)
        return Release(*("" if node is None or node.value is None else str(node.value) for node in given))

    def position(self, path: Sequence[str | int], of_key: bool = False) -> Position | None:
        """The place of a key's value, or of the nearest key above it; of the key itself if asked or for a map."""
        node, found = self.root.find(path)
        is_map = isinstance(node.value, dict | list)
        if node.key and (of_key or is_map or len(found) < len(path)):
            return node.key
        return node.position

    def problems(self, chart: bool = False) -> list[Diagnostic]:
        """Everything that is wrong with the job, sorted.

        chart: the values become a chart's defaults, and the release that is installed with it gives missing names.
        """
        if chart not in self._problems:  # asked by who shows them and by who renders
            missing = [] if chart else self._missing_names()
            checked = check(self, self.release) if self.values else []
            self._problems[chart] = ordered([*self.diagnostics, *missing, *checked])
        return self._problems[chart]

    def _missing_names(self) -> Iterator[Diagnostic]:
        """Manifests need both names; nothing is said where a name may be in what could not be read."""
        if not self.is_complete or self.root.is_partial:
            return
        start = self.root.position if self.root.position.file == self.file else Position(self.file, 1, 1)
        for key, example in NAMES.items():
            if not getattr(self.release, key) and (key,) not in self.meant:
                hint = f"write `{key}: {example}` into the file, or say {FLAGS[key]} {example}"
                yield Diagnostic("DS901", f"{key} is missing", start, (key,), hint)


def load(files: Sequence[SourceText], overrides: Sequence[Override] = (), names: Release = UNNAMED) -> Job:
    """Reads the files, merges them as Helm does, each over the one before, then the overrides, and checks the result.

    names: from the command line, "" for none; they count where the values leave them open. Raises UsageProblem for an
    override that cannot be read and for a name that the values contradict, DsgenError for a file of --set-file that
    cannot be read.
    """
    root = Node({}, Position(files[0].name if files else "--set", 1, 1))
    found: list[Diagnostic] = []
    complete = True
    for source in files:
        tree = read(source)
        found += tree.diagnostics
        complete &= tree.complete
        root = merge(root, tree.root)
    root, texts = set_values.apply(root, overrides)
    root, flags = _named(root, names)
    wrong = validate(root, complete)
    found = [*_surprises(found, root, wrong), *wrong]
    texts |= {source.name: source.text for source in files} | flags
    job = Job(files[0].name if files else "", None, found, root, complete, texts, frozenset(_meant(root, wrong)))
    if not has_errors(found):
        job.values = Values(complete_values(root.data()))
    elif complete:
        job.diagnostics += _checked_in_part(job, wrong)
    job.diagnostics = ordered(job.diagnostics)
    return job


def of_data(data: Mapping[str, Any]) -> Job:
    """A job of plain values as the user once gave them; they stand in no file."""
    root = from_data(data, Position("", 1, 1))
    found = validate(root)
    return Job("", None if has_errors(found) else Values(complete_values(data)), found, root)


def _named(root: Node, names: Release) -> tuple[Node, dict[str, str]]:
    """The tree with the names of the command line where it has none, and the texts of these flags."""
    added: dict[str, Node] = {}
    for key, flag in FLAGS.items():
        given, node = getattr(names, key), root.child(key)
        if not given:
            continue
        rule = schema.type_at((key,)) or {}
        if not re.fullmatch(rule["pattern"], given):
            raise UsageProblem(f"{flag}: {key} cannot be {shown(given)}; it must be: {rule['x-pattern']}")
        if node and node.value not in ("", None, given):
            where = f"{node.position.file} has {key}: {node.value}, {flag} says {given}"
            raise UsageProblem(f"{where}; to replace it: --set {key}={given}")
        if not node or node.value != given:
            at = Position(flag, 1, 1)
            added[key] = Node(given, at, key=at)
    if isinstance(root.value, dict):
        root = replace(root, value={**root.value, **added})
    return root, {node.position.file: str(node.value) for node in added.values()}


def _surprises(found: Sequence[Diagnostic], root: Node, wrong: Sequence[Diagnostic]) -> list[Diagnostic]:
    """What the reader found, without surprises about values that were replaced, or about which an error says more."""
    used = {place for _, node in root.walk() for place in (node.position, node.key)}
    told = {problem.position for problem in wrong}
    return [one for one in found if one.id != SURPRISE or one.position in used - told]


def _checked_in_part(job: Job, wrong: Sequence[Diagnostic]) -> list[Diagnostic]:
    """What the checks say about values with errors: only what has nothing to do with these."""
    unknown = {path for path, node in job.root.walk() if node.broken}.union(problem.path for problem in wrong)
    data = complete_values(job.root.without(unknown).data())
    return _run_checks(job, data, Release(data["name"], data["namespace"]), unknown | job.meant)


def _meant(root: Node, wrong: Sequence[Diagnostic]) -> Iterator[Path]:
    """What an unknown key may stand for, of what is not given: what its hint names, keys like it, those of its name in
    other places; where there is none of these, any key beside it.
    """
    for problem in wrong:
        if problem.id == UNKNOWN_KEY:
            for other in _guesses(problem.path):
                if len(root.find(other)[1]) < len(other):
                    yield other


def _guesses(path: Path) -> list[Path]:
    above, key, rule = path[:-1], str(path[-1]), schema.type_at(path[:-1]) or {}
    known = schema.keys(rule)
    near = suggestions.meant(key, above, rule)
    near += ((*above, other) for other in known if suggestions.closest(key, [other]))
    far: list[Path] = [other for other, _ in schema.records() if other[-1] == key and "*" not in other]
    return far + (near or [(*above, other) for other in known if above])


def complete_values(given: Mapping[str, Any]) -> dict[str, Any]:
    """Valid values of the user over the defaults, and what is below keys that the user names filled in."""
    return schema.fill(_over(schema.defaults(), given))


def _over(below: dict[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Helm's merge of values over a chart's defaults: null takes a key away."""
    merged = dict(below)
    for key, value in above.items():
        if value is None:
            merged.pop(key, None)
        elif isinstance(value, Mapping):
            under = merged.get(key)
            merged[key] = _over(under if isinstance(under, dict) else {}, value)
        else:
            merged[key] = value
    return merged


def check(job: Job, release: Release) -> list[Diagnostic]:
    """The problems that the schema cannot see, in values without errors, under the names of a release; sorted."""
    return ordered(_run_checks(job, job.data, release))


def _run_checks(job: Job, data: dict[str, Any], release: Release, unknown: Collection[Path] = ()) -> list[Diagnostic]:
    return checks.run(data, {"name": release.name, "namespace": release.namespace}, job.position, unknown)


def twins(jobs: Iterable[Job]) -> Iterator[Diagnostic]:
    """Two jobs with one name in one namespace would overwrite each other's objects."""
    first: dict[Release, Job] = {}
    for job in jobs:
        other = first.setdefault(job.release, job)
        if other is not job and job.release.name:
            message = f"{other.file} is the job {job.release.namespace}/{job.release.name} too"
            yield Diagnostic("DS902", message, Position(job.file, 1, 1), ("name",), "give one of them another name")
