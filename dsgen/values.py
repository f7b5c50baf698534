"""From files and flags to the complete values of one job, with all problems of all files at once."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dsgen import checks, schema
from dsgen.problems.diagnostics import Diagnostic, Position, has_errors, ordered
from dsgen.reading import set_values
from dsgen.reading.nodes import Node, Path, SourceText, merge
from dsgen.reading.set_values import Override
from dsgen.reading.source import read
from dsgen.schema import suggestions
from dsgen.schema.validate import UNKNOWN_KEY, Problem, validate

__all__ = ["Loaded", "Override", "Release", "SourceText", "Values", "check", "load"]

SURPRISE = "DS050"


@dataclass(frozen=True)
class Release:
    """The names that Helm gives an installed chart; for flat manifests the job's own name and namespace."""

    name: str
    namespace: str


@dataclass(frozen=True)
class Values:
    """The complete tree of one job: the user's values over the defaults, those below user-named keys filled in."""

    data: dict[str, Any]


@dataclass
class Loaded:
    """What came of reading: the values (None when there are errors), all problems, and where every key stands.

    sources: the texts that positions point into, those of flags too, by the file of the position. meant: keys that
    nobody gave, for which an unknown one may stand.
    """

    values: Values | None
    diagnostics: list[Diagnostic]
    root: Node
    sources: dict[str, str] = field(default_factory=dict)
    meant: frozenset[Path] = frozenset()

    def position(self, path: Sequence[str | int], of_key: bool = False) -> Position | None:
        """The place of a key's value, or of the nearest key above it; of the key itself if asked or for a map."""
        node, found = self.root.find(path)
        is_map = isinstance(node.value, dict | list)
        if node.key and (of_key or is_map or len(found) < len(path)):
            return node.key
        return node.position


def load(files: Sequence[SourceText], overrides: Sequence[Override] = ()) -> Loaded:
    """Reads the files, merges them as Helm does, each over the one before, then the overrides, and checks the result.

    Raises UsageProblem for an override that cannot be read, DsgenError for a file of --set-file that cannot.
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
    wrong = validate(root, complete)
    found = [*_surprises(found, root, wrong), *(problem for _, problem in wrong)]
    texts |= {source.name: source.text for source in files}
    loaded = Loaded(None, found, root, texts, frozenset(_meant(root, wrong)))
    if not has_errors(found):
        loaded.values = Values(complete_values(root.data()))
    elif complete:
        loaded.diagnostics += _checked_in_part(loaded, wrong)
    loaded.diagnostics = ordered(loaded.diagnostics)
    return loaded


def _surprises(found: Sequence[Diagnostic], root: Node, problems: Sequence[Problem]) -> list[Diagnostic]:
    """What the reader found, without surprises about values that were replaced, or about which an error says more."""
    used = {place for _, node in root.walk() for place in (node.position, node.key)}
    told = {problem.position for _, problem in problems}
    return [one for one in found if one.id != SURPRISE or one.position in used - told]


def _checked_in_part(loaded: Loaded, problems: Sequence[Problem]) -> list[Diagnostic]:
    """What the checks say about values with errors: only what has nothing to do with these."""
    broken = {path for path, node in loaded.root.walk() if node.broken}
    wrong = broken.union(path for path, _ in problems)
    data = complete_values(loaded.root.without(wrong).data())
    return [one for _, one in _run_checks(loaded, data, Release(data["name"], data["namespace"]), wrong | loaded.meant)]


def _meant(root: Node, problems: Sequence[Problem]) -> Iterator[Path]:
    """What an unknown key may stand for, of what is not given: what its hint names, keys like it, those of its name in
    other places; where there is none of these, any key beside it.
    """
    for path, problem in problems:
        if problem.id == UNKNOWN_KEY:
            for other in _guesses(path):
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


def check(loaded: Loaded, release: Release, chart: bool = False) -> list[Diagnostic]:
    """The problems that the schema cannot see, in values without errors; sorted.

    chart: the values become a chart's defaults, and the release is one that nobody has installed yet: names are
    checked only as far as the values give them.
    """
    assert loaded.values is not None, "values with errors are not checked further"
    data = loaded.values.data
    names = Release(data["name"], data["namespace"]) if chart else release
    return ordered(problem for _, problem in _run_checks(loaded, data, names))


def _run_checks(
    loaded: Loaded, data: dict[str, Any], release: Release, unknown: Collection[Path] = ()
) -> list[Problem]:
    return checks.run(data, {"name": release.name, "namespace": release.namespace}, loaded.position, unknown)
