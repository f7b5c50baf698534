"""From files and flags to the complete values of one job, with all problems of all files at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dsgen import checks, schema, set_values
from dsgen.diagnostics import Diagnostic, Position, has_errors, ordered
from dsgen.nodes import Node, Path, SourceText, merge
from dsgen.set_values import Override
from dsgen.source import read
from dsgen.validate import validate

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
    found += validate(root, complete)
    sources = {**{source.name: source.text for source in files}, **texts}
    values = None if has_errors(found) else Values(complete_values(root.data()))
    return Loaded(values, ordered(found), root, sources)


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

    chart: the values become a chart's defaults, so the release that gives missing names is not known yet.
    """
    assert loaded.values is not None, "values with errors are not checked further"
    names = {"name": release.name, "namespace": release.namespace}

    def place(path: Path, of_key: bool) -> Position | None:
        return loaded.position(path, of_key)

    found = checks.run(loaded.values.data, names, place)
    nameless = {"DS204", "DS205"} if chart and not release.name else set()
    return ordered(problem for problem in found if problem.id not in nameless)
