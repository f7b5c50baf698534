"""Values files and flags to a job: complete, checked values with their names, and all problems."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from dsgen import checks, schema
from dsgen.errors import UsageError
from dsgen.language.text import format_value
from dsgen.problems import Diagnostic, KeyPath, Position, has_errors, sort_problems
from dsgen.reading import read
from dsgen.reading.nodes import Node, Override, SourceText, Tree, build_nodes, merge_trees
from dsgen.schema import suggestions
from dsgen.schema.default_values import MAP, classify_place, fill, load_defaults, remove_nulls
from dsgen.schema.validate import TOO_MUCH, validate

__all__ = ["Job", "Override", "Release", "SourceText", "check", "find_twins", "load"]

SURPRISE = "DS050"
OTHER_OBJECT = "DS112"


class Release(NamedTuple):
    """The names that Helm gives an installed chart; for flat manifests the job's own name and namespace."""

    name: str
    namespace: str


UNNAMED = Release("", "")
FLAGS = {"name": "--name", "namespace": "-n"}
"""Flags for names that the values do not set."""
NAMES = {"name": "cifar", "namespace": "training"}
"""The names that manifests need, each with an example."""
BLANK = r"\s*(#.*|---|[.]{3})?\s*"
"""A line of a file without values, not even an empty map."""


@dataclass(frozen=True)
class Job:
    """The result of reading one job.

    file: the first of its files, "" without one. values: complete, None if there are errors. diagnostics: the problems
    of reading and of the schema; `problems` returns all. root: the user's values, with the place of every key.
    is_complete: everything could be read. sources: the texts of files and flags, by the file of a position. meant: keys
    that are not set and that an unknown key may mean. severities: what warnings count as, by id: "error", or "ignore".
    """

    file: str
    values: dict[str, Any] | None
    diagnostics: list[Diagnostic]
    root: Node
    is_complete: bool = True
    sources: dict[str, str] = field(default_factory=dict)
    meant: frozenset[KeyPath] = frozenset()
    severities: Mapping[str, str] = field(default_factory=dict)
    _problems: dict[tuple[bool, bool], list[Diagnostic]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def data(self) -> dict[str, Any]:
        """The complete values of a job without errors."""
        assert self.values is not None, "values with errors are not used further"
        return self.values

    @property
    def release(self) -> Release:
        """The names in the values, "" for a name that is not set; available even if there are errors."""
        given = (self.root.find_child(key) for key in NAMES)
        return Release(*("" if node is None or node.value is None else str(node.value) for node in given))

    def position(self, path: Sequence[str | int], of_key: bool = False) -> Position | None:
        """The place of a key's value, or of the nearest key above it; of the key itself for `of_key` and for a map."""
        node, known = self.root.find(path)
        is_map = isinstance(node.value, dict | list)
        if node.key and (of_key or is_map or len(known) < len(path)):
            return node.key
        return node.position

    def problems(self, chart: bool = False, with_estimate: bool = True) -> list[Diagnostic]:
        """All problems of the job, sorted.

        chart: the values become the defaults of a chart, whose release provides missing names. with_estimate: also what
        does not fit by the estimate of the job.
        """
        if (chart, with_estimate) not in self._problems:  # called by the output and by the renderer
            missing = [] if chart else self._find_missing_names()
            checked = check(self, self.release, with_estimate) if self.values else []
            found = [*self.diagnostics, *missing, *checked]
            if self.is_complete and has_errors(found):
                from dsgen.schema import foreign  # imported late: only problems need it

                found = foreign.simplify_overlay(self.root, found)
            self._problems[chart, with_estimate] = sort_problems(self._set_severities(found))
        return self._problems[chart, with_estimate]

    def _set_severities(self, problems: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
        for problem in problems:
            severity = self.severities.get(problem.id, "warning") if problem.severity == "warning" else "error"
            if severity != "ignore":
                yield replace(problem, severity="error") if severity == "error" else problem

    def _find_missing_names(self) -> Iterator[Diagnostic]:
        """Manifests need both names. Not reported if a name may be in a part that could not be read."""
        if not self.is_complete or self.root.is_partial:
            return
        start = self.root.position if self.root.position.file == self.file else Position(self.file, 1, 1)
        for key, example in NAMES.items():
            node = self.root.find_child(key)
            is_null = node is not None and node.value is None  # which is another problem
            if not getattr(self.release, key) and (key,) not in self.meant and not is_null:
                hint = f"add `{key}: {example}` to the file, or use {FLAGS[key]} {example}"
                yield Diagnostic("DS901", f"{key} is missing", start, (key,), hint)


def load(files: Sequence[SourceText], overrides: Sequence[Override] = (), names: Release = UNNAMED) -> Job:
    """Reads the files, merges them as Helm does (later files over earlier ones, then the overrides), and checks them.

    names: from the command line, "" for none; they apply if the values do not set them. Raises UsageError for an
    override that cannot be read and for a name that contradicts the values, DsgenError for a file of --set-file that
    cannot be read.
    """
    texts = {source.name: source.text for source in files}
    return load_trees(files[0].name if files else "", [read(source) for source in files], texts, overrides, names)


def load_trees(
    file: str,
    trees: Iterable[Tree],
    sources: Mapping[str, str],
    overrides: Sequence[Override] = (),
    names: Release = UNNAMED,
) -> Job:
    """Like `load`, for values that were read already. file: the job's first file; sources: the texts of all files."""
    tree = merge_trees(trees, Position(file or "--set", 1, 1))
    root, complete, texts = tree.root, tree.complete, dict[str, str]()
    if overrides:
        from dsgen.reading import set_values  # imported late: most calls have no overrides

        root, texts = set_values.apply_overrides(root, overrides)
    root, idle = remove_nulls(root)
    problems = [*tree.diagnostics, *idle]
    lines = sources.get(file, "").splitlines()
    if file and complete and not (root.value or problems) and all(re.fullmatch(BLANK, line) for line in lines):
        hint = "write the values of a job into it; `dsgen init FILE` writes a new file to start from"
        empty = Diagnostic("DS113", "the file is empty: it has no values", Position(file, 1, 1), hint=hint)
        return Job(file, None, [empty], root, is_complete=False)
    root, flags = _add_names(root, names)
    wrong = validate(root, complete)
    complete &= all(problem.id not in (OTHER_OBJECT, TOO_MUCH) for problem in wrong)
    problems = [*_filter_surprises(problems, root, wrong), *wrong]
    texts |= {**sources, **flags}
    values = None if has_errors(problems) else complete_values(root.as_data())
    job = Job(file, values, sort_problems(problems), root, complete, texts, frozenset(_list_meant_keys(root, wrong)))
    if values or not complete or root.broken:
        return job
    return replace(job, diagnostics=sort_problems([*problems, *_check_in_part(job, wrong)]))


def make_job(data: Mapping[str, Any]) -> Job:
    """A job of values that are not in a file."""
    root = build_nodes(data, Position("", 1, 1))
    problems = validate(root)
    return Job("", None if has_errors(problems) else complete_values(root.as_data()), problems, root)


def _add_names(root: Node, names: Release) -> tuple[Node, dict[str, str]]:
    """The tree with names of the command line added if it has none, and the texts of these flags."""
    added: dict[str, Node] = {}
    for key, flag in FLAGS.items():
        given, node = getattr(names, key), root.find_child(key)
        if not given:
            continue
        rule = schema.find_part((key,)) or {}
        if not re.fullmatch(rule["pattern"], given):
            raise UsageError(f"{flag}: {key} cannot be {format_value(given)}; expected: {rule['x-pattern']}")
        if node and node.value not in ("", None, given):
            where = f"{node.position.file} has {key}: {node.value}, but {flag} is {given}"
            raise UsageError(f"{where}; to replace the value, use --set {key}={given}")
        if not node or node.value != given:
            at = Position(flag, 1, 1)
            added[key] = Node(given, at, key=at)
    if isinstance(root.value, dict):
        root = replace(root, value={**root.value, **added})
    return root, {node.position.file: str(node.value) for node in added.values()}


def _filter_surprises(problems: Sequence[Diagnostic], root: Node, wrong: Sequence[Diagnostic]) -> list[Diagnostic]:
    """The problems of the reader, without DS050 for values that were replaced or that have an error."""
    if not any(one.id == SURPRISE for one in problems):
        return [*problems]
    used = {place for _, node in root.walk() for place in (node.position, node.key)}
    used -= {problem.position for problem in wrong}
    return [one for one in problems if one.id != SURPRISE or one.position in used]


def _check_in_part(job: Job, wrong: Sequence[Diagnostic]) -> list[Diagnostic]:
    """The checks of values with errors: only problems that do not depend on the errors."""
    unknown = {path for path, node in job.root.walk() if node.broken}.union(problem.path for problem in wrong)
    data = complete_values(job.root.copy_without(unknown).as_data())
    names = {key: data[key] for key in NAMES}
    return checks.run(data, names, job.position, unknown | job.meant)


def _list_meant_keys(root: Node, wrong: Sequence[Diagnostic]) -> Iterator[KeyPath]:
    """The keys that are not set and that an unknown key may mean: those in its hint, similar keys, keys of the same
    name elsewhere, and those that its map needs; if there are none, all keys of the same map.
    """
    for problem in wrong:
        if problem.id == schema.UNKNOWN_KEY:
            for other in _guess_keys(problem.path):
                if len(root.find(other)[1]) < len(other):
                    yield other


def _guess_keys(path: KeyPath) -> list[KeyPath]:
    above, key, rule = path[:-1], str(path[-1]), schema.find_part(path[:-1]) or {}
    known = schema.list_keys(rule)
    near = suggestions.guess_keys(key, above, rule)
    near += ((*above, other) for other in known if suggestions.find_closest(key, [other]))
    far: list[KeyPath] = [other for other, _ in schema.walk_keys() if other[-1] == key and "*" not in other]
    needed = [(*above, str(other)) for other in rule.get("required", ()) if above]
    return far + needed + (near or [(*above, other) for other in known if above])


def complete_values(given: Mapping[str, Any]) -> dict[str, Any]:
    """Valid values of the user merged over all defaults, also those below keys that the user names."""
    return fill(_merge_over(load_defaults(), given))


def _merge_over(below: dict[str, Any], above: Mapping[str, Any], path: tuple[str, ...] = ()) -> dict[str, Any]:
    """Helm's merge of values over a chart's defaults: null removes a key, and all entries of a map with defaults."""
    merged = dict(below)
    for key, value in above.items():
        where = (*path, key)
        if value is None and isinstance(merged.get(key), dict) and classify_place(where) == MAP:
            merged[key] = {}
        elif value is None:
            merged.pop(key, None)
        elif isinstance(value, dict):
            under = merged.get(key)
            merged[key] = _merge_over(under if isinstance(under, dict) else {}, value, where)
        else:
            merged[key] = value
    return merged


def check(job: Job, release: Release, with_estimate: bool = True) -> list[Diagnostic]:
    """The problems that the checks report for values without errors, for the names of a release; sorted."""
    return sort_problems(checks.run(job.data, release._asdict(), job.position, with_estimate=with_estimate))


def find_twins(jobs: Iterable[Job]) -> Iterator[Diagnostic]:
    """Jobs with the same name and namespace, whose objects would overwrite each other."""
    first: dict[Release, Job] = {}
    for job in jobs:
        other = first.setdefault(job.release, job)
        if other is not job and job.release.name:
            message = f"{other.file} describes the same job, {job.release.namespace}/{job.release.name}"
            hint = "change the name or namespace of one of them"
            yield Diagnostic("DS902", message, Position(job.file, 1, 1), ("name",), hint)
