"""From files and flags to the complete values of one job, with all problems of all files at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dsgen import checks, schema, set_values
from dsgen.diagnostics import Diagnostic, Position, has_errors, ordered
from dsgen.nodes import Node, Path, SourceText, merge
from dsgen.set_values import Override
from dsgen.source import read
from dsgen.suggestions import closest
from dsgen.validate import UNKNOWN_KEY, Problem, validate

__all__ = ["Loaded", "Override", "Release", "SourceText", "Values", "check", "load"]


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

    sources: the texts that positions point into, those of flags too, by the file of the position.
    """

    values: Values | None
    diagnostics: list[Diagnostic]
    root: Node
    sources: dict[str, str] = field(default_factory=dict)

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
    found += (problem for _, problem in wrong)
    loaded = Loaded(None, found, root, {**{source.name: source.text for source in files}, **texts})
    if not has_errors(found):
        loaded.values = Values(complete_values(root.data()))
    elif complete:
        loaded.diagnostics += _checked_in_part(loaded, wrong)
    loaded.diagnostics = ordered(loaded.diagnostics)
    return loaded


def _checked_in_part(loaded: Loaded, problems: Sequence[Problem]) -> list[Diagnostic]:
    """What the checks say about values with errors: only what has nothing to do with these."""
    broken = {path for path, node in loaded.root.walk() if node.broken}
    wrong = {_up_to_list(path) for path in broken.union(path for path, _ in problems)}
    unknown = {path for path, problem in problems if problem.id == UNKNOWN_KEY}
    data = complete_values(loaded.root.without(wrong).data())
    found = _run_checks(loaded, data, Release(data["name"], data["namespace"]))
    found = [(path, one) for path, one in found if not _is_misspelt(loaded.root, path, unknown)]
    return [one for path, one in found if not any(_touches(path, other) or _looks_at(one, other) for other in wrong)]


def _is_misspelt(root: Node, path: Path, unknown: Collection[Path]) -> bool:
    """Whether a key on this path is not there, but an unknown one that is most likely meant to be it."""
    found = root.find(path)[1]
    if len(found) == len(path):
        return False
    missing = str(path[len(found)])
    here = [str(other[-1]) for other in unknown if other[:-1] == found]
    return any(other[-1] == missing for other in unknown) or any(closest(key, [missing]) for key in here)


def _looks_at(found: Diagnostic, wrong: Path) -> bool:
    return any(_touches(path, wrong) for path in checks.LOOKS_AT.get(found.id, ()))


def _up_to_list(path: Path) -> Path:
    """A list with something wrong in it is not looked at."""
    return next((path[:depth] for depth, key in enumerate(path) if isinstance(key, int)), path)


def _touches(path: Path, wrong: Path) -> bool:
    """Whether a check of the key looks at what is wrong: around it, it, or directly below it."""
    return path[: len(wrong)] == wrong or path == wrong[:-1]


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


def _run_checks(loaded: Loaded, data: Mapping[str, Any], release: Release) -> list[Problem]:
    return checks.run(data, {"name": release.name, "namespace": release.namespace}, loaded.position)
