"""Finds the keys whose values changed, those of them that change a written object, and reports them as problems."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from dsgen import __version__, schema, values
from dsgen.generated.digest import SCRIPTS
from dsgen.language.text import format_value
from dsgen.problems import Diagnostic, KeyPath, path_text
from dsgen.runs.rendered import Objects, is_possible, parse_object, read_kind_and_name, render_objects
from dsgen.schema import MISSING, look_up, put
from dsgen.values import Job
from dsgen.writer import as_canonical_json, remove_suspension

Texts = Mapping[str, str]
Select = Callable[[Objects], Texts]
"""Selects those objects of a job whose texts are compared."""
Differs = Callable[[Texts, Texts], bool]


MOST_TRIED = 50
"""The largest number of changed keys whose effects are computed one by one; of more, all are reported."""
RUNTIME = "runtime"
MAY_CHANGE: tuple[KeyPath, ...] = (("lifecycle", "suspend"), ("estimate",), (RUNTIME,))
"""The keys that may change under one run id: no object depends on an estimate, and a run keeps its scripts."""
LONGEST = 60


def select_given(job: Job) -> dict[str, Any]:
    """The user's values, without those that may change under one run id."""
    values: dict[str, Any] = job.root.as_data()
    for path in MAY_CHANGE:
        values = put(values, path, MISSING)
    return values


def name_runtime(job: Job) -> str:
    """The shared scripts of a job, as in the index; empty if it has its own."""
    runtime = job.data["runtime"]
    return "" if runtime["create"] else f"{runtime['name']}/{SCRIPTS}"


def find_differing(old: Any, new: Any, path: KeyPath = ()) -> Iterator[KeyPath]:
    """The paths of keys that differ, at the depth of records and of lists with the same length."""
    rule = schema.find_part(path)
    if rule and schema.is_always_there(rule) and {type(old), type(new)} <= {dict, object}:
        old, new = ({} if part is MISSING else part for part in (old, new))
    if isinstance(old, dict) and isinstance(new, dict):
        for key in {**old, **new}:
            yield from find_differing(old.get(key, MISSING), new.get(key, MISSING), (*path, key))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, pair in enumerate(zip(old, new, strict=True)):
            yield from find_differing(*pair, (*path, index))
    elif MISSING in (old, new) or as_canonical_json(old) != as_canonical_json(new):
        yield path


def render_values(data: Mapping[str, Any], chart: bool) -> tuple[Job, Objects | None, str]:
    """The job with these values, its objects, and the reason if this dsgen refuses the values."""
    job = values.make_job(data)
    wrong = [problem for problem in job.problems(chart) if problem.severity == "error"]
    return (job, None, wrong[0].message) if wrong else (job, render_objects(job), "")


class ValuesChange:
    """The old and the new values of a job, both rendered by this dsgen.

    refused: why it refuses the old values.
    """

    def __init__(self, old: dict[str, Any], job: Job, now: Objects, chart: bool) -> None:
        self.job, self.now, self.chart = job, now, chart
        now_too = {key: one for key, one in job.root.as_data().items() if key == RUNTIME}
        self.old, self.new = old | now_too, select_given(job) | now_too
        self._complete, self.then, self.refused = render_values(self.old, chart)

    def find_keys(self, select: Select, differs: Differs) -> list[tuple[KeyPath, str]]:
        """Each key that changes a selected object, with the field: "in Job cifar-1-worker spec.parallelism"."""
        changed = list(find_differing(self.old, self.new))
        if self.then is None or len(changed) > MOST_TRIED:
            return [(path, "") for path in changed]
        effects = [(path, self._find_effect(path, select, differs)) for path in changed]
        return [(path, effect) for path, effect in effects if effect is not None] or [(path, "") for path in changed]

    def _find_effect(self, path: KeyPath, select: Select, differs: Differs) -> str | None:
        """The effect of one change alone; None if it has none, "" if it is not valid alone."""
        assert self.then is not None
        for tree, value, other in (
            (self.old, look_up(self.new, path), self.then),
            (self.new, look_up(self.old, path), self.now),
        ):
            _, made, _ = render_values(put(tree, path, value), self.chart)
            if made is not None:
                pair = select(other), select(made)
                if not differs(*pair):
                    return None
                old, new = pair if other is self.then else pair[::-1]
                return self._describe_place(path, old, new)
        return ""

    def _describe_place(self, path: KeyPath, old: Texts, new: Texts) -> str:
        """The object that differs, with the field if it is unique."""
        names = [name for name in {**old, **new} if old.get(name) != new.get(name)]
        first, wanted = "", _without_missing(*self.look_up_both(path))
        for name in names:
            kind, object_name = read_kind_and_name(new.get(name) or old[name])
            is_in_both = name in old and name in new
            before, after = (parse_object(texts[name]) if is_in_both else None for texts in (old, new))
            fields = list(find_differing(before, after))
            same = [
                field for field in fields if _without_missing(look_up(before, field), look_up(after, field)) == wanted
            ]
            if one := same[-1:] or (fields if len(names) == len(fields) == 1 else []):
                return f"in {kind} {object_name} {path_text(one[0])}"
            first = first or f"in {kind} {object_name}"
        return first + (f" and {len(names) - 1} more" if len(names) > 1 else "")

    def look_up_both(self, path: KeyPath) -> tuple[Any, Any]:
        """The old and the new value at a path, including defaults."""
        old = self._complete.data if self._complete.values else self.old
        return look_up(old, path), look_up(self.job.data, path)

    def describe(self, path: KeyPath, effect: str) -> str:
        """`workers.replicas: 2 -> 4, in Job cifar-1-worker spec.parallelism`."""
        old, new = map(_format_shown, self.look_up_both(path))
        change = "changed" if old == new else f"{old} -> {new}"
        return f"{path_text(path)}: {change}{', ' if effect else ''}{effect}"


def _without_missing(*pair: Any) -> list[Any]:
    return [None if one is MISSING else one for one in pair]


def _format_shown(value: Any) -> str:
    if value is MISSING or value is None:
        return "not set"
    text = format_value(value) if isinstance(value, str | int | float) else format_value(as_canonical_json(value))[1:-1]
    return text if len(text) <= LONGEST + 2 else f"{text[:LONGEST]}..."


NEW_RUN = "the objects of a run never change: change run.id to train with the new values"
ANEW = "if this run was never applied, --replace replaces it"
NEW_CLAIM = "Kubernetes refuses this change of an existing claim: give the volume another name, or undo the change"


class JobGuard:
    """The guard for the folder of a job, or of a chart with its values. objects: with the new values."""

    def __init__(self, job: Job, objects: Objects, chart: bool = False) -> None:
        self.job, self.objects, self.chart = job, objects, chart
        # a cache, because it is needed twice: for the run and for the claims
        self._find_past = functools.cache(lambda values: ValuesChange(json.loads(values), job, objects, chart))

    def check_run(self, values: str, writer: str) -> list[Diagnostic]:
        """See `writer.plan.Guard`."""
        past = self._find_past(values)
        if past.then is None:
            why = f"{writer} accepted the old values, but dsgen {__version__} does not: {past.refused}"
            return self._report_run(past, lambda objects: objects.run, f"{NEW_RUN}; {ANEW}\n{why}")
        if _differs(past.then.run, self.objects.run):
            return self._report_run(past, lambda objects: objects.run, f"{NEW_RUN}; {ANEW}")
        if self.chart and past.then.job != self.objects.job:
            hint = (
                f"{writer} wrote the chart, and this dsgen would replace all of it, including the run: change run.id; "
                f"{ANEW}"
            )
            return self._report_run(past, lambda objects: objects.job, hint)
        return []

    def list_paths(self, values: str) -> set[str]:
        """See `writer.plan.Guard`."""
        then = self._find_past(values).then
        return {*then.run, *then.job} if then else set()

    def check_claims(self, values: str, texts: Mapping[str, str]) -> tuple[list[str], list[Diagnostic]]:
        """See `writer.plan.Guard`."""
        now = self.objects.claims
        if all(texts.get(path, text) == text for path, text in now.items()) and not self.chart:
            return [], []  # the usual case, in which nothing needs to be rendered
        past = self._find_past(values) if values else None
        before = past.then.claims if past and past.then else {}
        kept: list[str] = []
        there = before.keys() if self.chart else before.keys() & texts.keys()
        impossible = [path for path in now if path in there and not is_possible(before[path], now[path])]
        for path in now.keys() & texts.keys() - set(impossible):
            if not is_possible(texts[path], now[path]):
                (kept if path in before else impossible).append(path)
        return sorted(kept), list(self._report_claims(past, sorted(impossible)))

    def _report_run(self, past: ValuesChange, select: Select, hint: str) -> list[Diagnostic]:
        run = self.job.data["run"]["id"]
        return [
            Diagnostic(
                "DS903",
                f'run "{run}" would change: {past.describe(path, effect)}',
                self.job.position(path),
                path,
                hint,
            )
            for path, effect in past.find_keys(select, _differs)
        ]

    def _report_claims(self, past: ValuesChange | None, paths: list[str]) -> Iterator[Diagnostic]:
        """A problem for each changed key or, if the old values are unknown, for each claim."""
        storage = ("storage",)
        if past is None or past.then is None:
            for name in paths:
                message = f"{name} would change in a way that Kubernetes refuses"
                yield Diagnostic("DS904", message, self.job.position(storage), storage, NEW_CLAIM)
            return
        for path, effect in past.find_keys(lambda objects: objects.claims, _is_impossible) if paths else ():
            message = f"a claim cannot change: {past.describe(path, effect)}"
            yield Diagnostic("DS904", message, self.job.position(path), path, NEW_CLAIM)


def _differs(old: Texts, new: Texts) -> bool:
    return {path: remove_suspension(text) for path, text in old.items()} != {
        path: remove_suspension(text) for path, text in new.items()
    }


def _is_impossible(old: Texts, new: Texts) -> bool:
    return any(path in new and not is_possible(text, new[path]) for path, text in old.items())
