"""Checks that the schema cannot express: tables of expressions, evaluated by dsgen and compiled into the chart.

A row of both worlds uses only what a chart has (`values`, `release`, the helpers in dsgen/templates), so that
`helm install` refuses the same values with the same message; warnings appear in the chart's notes. A check that needs
more than templates can do is a function. Each module of this package has the rows and functions of one subject.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

from dsgen import deepspeed, schema
from dsgen.checks import (
    code,
    commands,
    containers,
    contexts,
    estimate,
    launch,
    memory,
    names,
    network,
    pods,
    quantities,
    resize,
    scheduling,
    secrets,
    security,
    storage,
    texts,
    training,
)
from dsgen.checks.row import Check, Function, Place
from dsgen.problems import Diagnostic, KeyPath

__all__ = ["CHECKS", "FUNCTIONS", "IN_CHART", "Check", "Function", "run"]

SUBJECTS: dict[ModuleType, str] = {
    names: "Names of objects and pods, labels and annotations, the image.",
    training: "The program to train: environment, files, DeepSpeed configuration.",
    commands: "Commands and arguments: one word for each item, no second launcher, no syntax of a shell.",
    texts: "Texts with odd characters or templates.",
    launch: "Launch methods: which settings each one supports, and its limits.",
    code: "The program from a Git repository.",
    secrets: "Passwords, tokens and keys in values, which are kept in Git.",
    pods: "Resources of workers and launcher, and what users add to their pods.",
    containers: "The user's containers and tolerations.",
    memory: "Sizes of memory and volumes: below 1Mi, because a unit is missing, or less than what the pod needs.",
    quantities: "Requests, limits and the sizes of ConfigMaps as numbers.",
    resize: "Checkpoints that are continued with another number of ranks.",
    storage: "Volumes: their sources, where they are mounted, and mounts that conflict.",
    estimate: "What a model needs, by the section estimate; most of it needs more than templates can do.",
    network: "Ports, interfaces, RDMA, ssh, the webhook, and monitoring.",
    scheduling: "Queues, gangs and topology: what a scheduler refuses, and what makes a Job wait forever.",
    contexts: "Security contexts under the Pod Security Standards. Rules have the names that the API server uses.",
    security: "The other rules of the Pod Security Standards: host namespaces and ports, volumes, probes, annotations.",
}
"""The modules of checks, and the comment above each in the chart (with -OO a module has no docstring)."""


def find_needs(values: Mapping[str, Any], release: Mapping[str, str], place: Place) -> Iterator[Diagnostic]:
    """What does not fit a job by its estimate. The changes that it proposes pass all other checks."""
    return estimate.find_problems(values, place, make_validity_check(values, release))


def make_validity_check(values: Mapping[str, Any], release: Mapping[str, str]) -> Callable[[Mapping[str, Any]], bool]:
    """A function that says whether changed values have no error that these values do not have."""

    @functools.cache
    def find_known() -> set[tuple[str, KeyPath]]:
        return set(_find_errors(values, release))

    return lambda changed: find_known().issuperset(_find_errors(changed, release))


def _find_errors(values: Mapping[str, Any], release: Mapping[str, str]) -> Iterator[tuple[str, KeyPath]]:
    """The id and the path of each error, apart from those of the estimate."""
    for row, path, _ in evaluate_rows(CHECKS, values, release, Watch()):
        if row.severity == "error" and (release["name"] or not row.needs_name):
            yield row.id, path
    for function in WITHOUT_ESTIMATE:
        for problem in function.find(values, release, lambda *_: None):
            if problem.severity == "error":
                yield problem.id, problem.path


CHECKS: tuple[Check, ...] = tuple(row for subject in SUBJECTS for row in getattr(subject, "ROWS", ()))
WITHOUT_ESTIMATE: tuple[Function, ...] = (
    *(function for subject in SUBJECTS for function in getattr(subject, "FUNCTIONS", ())),
    Function(deepspeed.find_problems, deepspeed.LOOKS_AT, is_watched=False),
)
FUNCTIONS = (*WITHOUT_ESTIMATE, Function(find_needs, estimate.LOOKS_AT))
NULLABLE = (
    (("workers", "accelerator"), "count"),
    (("lifecycle",), "ttlSecondsAfterFinished"),
    (("lifecycle",), "suspend"),
    (("storage", "*", "create"), "storageClass"),
)
"""The keys without a default that may be null: the keys of the map above each, and its name."""
IN_CHART = {row.id for row in CHECKS if row.worlds == "both" and row.severity == "error"}
"""The ids of the checks with which a chart refuses values."""
NEUTRAL = {"string": "", "integer": 0, "number": 0, "boolean": False, "array": []}
"""Type of an unknown item of a list -> the value in its place."""


def run(
    values: dict[str, Any],
    release: Mapping[str, str],
    place: Place,
    unknown: Collection[KeyPath] = (),
    with_estimate: bool = True,
) -> list[Diagnostic]:
    """All problems of complete values that the schema has accepted, for a release's `name` and `namespace`.

    While the name is unknown, the rows about names are skipped. unknown: paths whose values must be corrected first;
    problems that depend on them are not reported. with_estimate: also what does not fit by the estimate.
    """
    watch = Watch()
    marked = mark(values, unknown, watch) if unknown else values
    problems = [
        Diagnostic(row.id, text, place(path, row.at_key), path, _find_hint(row, marked, path, unknown), row.severity)
        for row, path, text in evaluate_rows(CHECKS, marked, release, watch)
        if release["name"] or not row.needs_name
    ]
    known = {key: volume for key, volume in marked["storage"].items() if not _has_unknown(key, unknown)}
    comparable = {**marked, "storage": known}
    if not unknown:  # otherwise, what is absent is None already
        comparable = _add_nulls(comparable)
    for function in FUNCTIONS if with_estimate else WITHOUT_ESTIMATE:
        watch.start()
        for problem in function.find(comparable, release, place):
            read_unknown = watch.was_read and function.is_watched
            looks_at = function.looks_at.get(problem.id, ())
            if not read_unknown and not any(_depends(problem, looks_at, path) for path in unknown):
                problems.append(problem)
    return [problem for problem in problems if not any(_is_around(path, problem.path) for path in unknown)]


def _add_nulls(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values with None for each key of NULLABLE that is absent, as it is for rows; the other maps are shared."""
    whole = dict(values)
    for above, key in NULLABLE:
        whole[above[0]] = _add_null(whole[above[0]], above[1:], key)
    return whole


def _add_null(part: Mapping[str, Any], above: tuple[str, ...], key: str) -> dict[str, Any]:
    if not above:
        return {key: None, **part}
    if above[0] == "*":
        return {name: _add_null(below, above[1:], key) for name, below in part.items()}
    return {**part, above[0]: _add_null(part[above[0]], above[1:], key)} if above[0] in part else dict(part)


def _find_hint(row: Check, values: Mapping[str, Any], path: KeyPath, unknown: Collection[KeyPath]) -> str:
    """The hint for these values, unless it might show what must be corrected first."""
    is_known = all(one[:1] != path[:1] for one in unknown)
    exact = row.exact_hint(values, path) if row.exact_hint and is_known else ""
    return exact or row.hint


def _has_unknown(volume: str, unknown: Collection[KeyPath]) -> bool:
    """Whether something in a volume is unknown; functions that compare volumes skip it."""
    return any(path[:2] == ("storage", volume) for path in unknown)


def _depends(problem: Diagnostic, looks_at: tuple[KeyPath, ...], unknown: KeyPath) -> bool:
    """Whether a problem depends on an unknown value: directly below its key, or at one of the keys in `looks_at`."""
    return problem.path == unknown[:-1] or any(
        _is_around(unknown, other) or _is_around(other, unknown) for other in looks_at
    )


def _is_around(path: KeyPath, other: KeyPath) -> bool:
    return other[: len(path)] == path


# -- gaps: values that are unknown, because the user must correct them first ------------------------------------------
#
# A default replaces each unknown value, and reading it is recorded. A problem that a check reports without reading an
# unknown value does not depend on it, so it can be reported in the same run.


class Watch:
    """Records whether an unknown value was read since the start of a row."""

    def __init__(self) -> None:
        self.was_read = False

    def start(self) -> bool:
        """Starts a row; returns True, so that it can be part of the row's condition."""
        self.was_read = False
        return True


class _Map(dict[str, "Any"]):
    """A map in which some values are unknown, or all of them (`whole`). Iterating over it is not recorded."""

    def __init__(self, data: dict[str, Any], watch: Watch, whole: bool = False) -> None:
        super().__init__(data)
        self.watch, self.whole = watch, whole
        self.unknown: set[Any] = set()

    def _record(self, key: Any) -> None:
        self.watch.was_read |= self.whole or key in self.unknown

    def __getitem__(self, key: str) -> Any:
        self._record(key)
        return super().get(key)

    def get(self, key: str, default: Any = None) -> Any:
        self._record(key)
        return super().get(key, default)

    def __contains__(self, key: object) -> bool:
        self._record(key)
        return super().__contains__(key)

    def __bool__(self) -> bool:
        self.watch.was_read |= not super().__len__()
        return super().__len__() > 0

    def __len__(self) -> int:
        self.watch.was_read = True
        return super().__len__()


class _List(list["Any"]):
    """A list with unknown items, each of which may be any value."""

    def __init__(self, data: list[Any], watch: Watch) -> None:
        super().__init__(data)
        self.watch = watch

    def __contains__(self, item: object) -> bool:
        is_known = super().__contains__(item)
        self.watch.was_read |= not is_known
        return is_known


def mark(values: dict[str, Any], unknown: Iterable[KeyPath], watch: Watch) -> dict[str, Any]:
    """The values as a tree that records in `watch` when one of the unknown paths is read.

    values: complete, with defaults for what is unknown; the new tree may share its maps and lists.
    """
    root = _Map(values, watch)
    for path in sorted(unknown, key=len):
        _mark(root, path, (), watch)
    return root


def _mark(here: Any, path: KeyPath, above: KeyPath, watch: Watch) -> None:
    key, rest = path[0], path[1:]
    child = _find_child(here, key)
    if rest and isinstance(child, dict if isinstance(rest[0], str) else list):
        if not isinstance(child, _Map | _List):
            child = here[key] = _Map(child, watch) if isinstance(child, dict) else _List(child, watch)
        _mark(child, rest, (*above, key), watch)
    elif isinstance(here, _Map):
        here.unknown.add(key)
    elif child is None:
        here[key] = _make_neutral((*above, key), watch)


def _find_child(here: Any, key: Any) -> Any:
    if isinstance(here, dict):
        return dict.get(here, key)
    return here[key] if key < len(here) else None


def _make_neutral(path: KeyPath, watch: Watch) -> Any:
    """A replacement for an unknown item of a list, so that the items after it keep their indices."""
    types = schema.list_types(schema.find_part(path) or {}) or ["object"]
    return _Map({}, watch, whole=True) if types[0] == "object" else NEUTRAL[types[0]]


def evaluate_rows(
    rows: Sequence[Check], values: Mapping[str, Any], release: Mapping[str, str], watch: Watch
) -> Iterator[tuple[Check, KeyPath, str]]:
    """For each problem that does not depend on an unknown value: its row, path and message."""
    from dsgen.generated.checks import ROWS  # imported late: the compiler that writes it imports the rows

    functions: Sequence[Callable[..., Iterator[tuple[KeyPath, str]]]] = ROWS
    for row, function in zip(rows, functions, strict=True):
        watch.start()
        for path, message in function(values, release, watch):
            if not watch.was_read:
                yield row, path, message
