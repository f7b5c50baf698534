"""Compares the values of a job with those from which its folder was written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from dsgen import __version__
from dsgen.problems.diagnostics import Diagnostic
from dsgen.runs.keys import Past
from dsgen.runs.rendered import is_possible
from dsgen.writer import Claims, remove_suspension

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dsgen.runs.keys import Select, Texts
    from dsgen.runs.rendered import Objects
    from dsgen.values import Job

NEW_RUN = "the objects of a run never change: change run.id to train with the new values"
ANEW = "if this run was never applied, --replace replaces it"
NEW_CLAIM = "Kubernetes refuses this change of an existing claim: give the volume another name, or undo the change"


class JobGuard:
    """The guard for the folder of a job, or of a chart with its values. objects: with the new values."""

    def __init__(self, job: Job, objects: Objects, chart: bool = False) -> None:
        self.job, self.objects, self.chart = job, objects, chart
        self._pasts: dict[str, Past] = {}

    def run(self, values: str, writer: str) -> list[Diagnostic]:
        """See `writer.plan.Guard`."""
        past = self._past(values)
        if past.then is None:
            why = f"{writer} accepted the old values, but dsgen {__version__} does not: {past.refused}"
            return self._run_problems(past, lambda objects: objects.run, f"{NEW_RUN}; {ANEW}\n{why}")
        if _differs(past.then.run, self.objects.run):
            return self._run_problems(past, lambda objects: objects.run, f"{NEW_RUN}; {ANEW}")
        if self.chart and past.then.job != self.objects.job:
            hint = (
                f"{writer} wrote the chart, and this dsgen would replace all of it, including the run: change run.id; "
                f"{ANEW}"
            )
            return self._run_problems(past, lambda objects: objects.job, hint)
        return []

    def paths(self, values: str) -> set[str]:
        """See `writer.plan.Guard`."""
        then = self._past(values).then
        return {*then.run, *then.job} if then else set()

    def run_without_values(self, message: str, hint: str) -> Diagnostic:
        """See `writer.plan.Guard`."""
        return Diagnostic("DS903", message, self.job.position(("run", "id")), ("run", "id"), hint)

    def claims(self, values: str, texts: Mapping[str, str]) -> Claims:
        """See `writer.plan.Guard`."""
        now = self.objects.claims
        if all(texts.get(path, text) == text for path, text in now.items()) and not self.chart:
            return Claims()  # the usual case, in which nothing needs to be rendered
        past = self._past(values) if values else None
        before = past.then.claims if past and past.then else {}
        kept: list[str] = []
        there = before.keys() if self.chart else before.keys() & texts.keys()
        impossible = [path for path in now if path in there and not is_possible(before[path], now[path])]
        for path in now.keys() & texts.keys() - set(impossible):
            if not is_possible(texts[path], now[path]):
                (kept if path in before else impossible).append(path)
        return Claims(sorted(kept), tuple(self._claim_problems(past, sorted(impossible))))

    def _past(self, values: str) -> Past:
        if values not in self._pasts:  # needed twice: for the run and for the claims
            self._pasts[values] = Past(json.loads(values), self.job, self.objects, self.chart)
        return self._pasts[values]

    def _run_problems(self, past: Past, select: Select, hint: str) -> list[Diagnostic]:
        run = self.job.data["run"]["id"]
        return [
            Diagnostic(
                "DS903",
                f'run "{run}" would change: {past.described(path, effect)}',
                self.job.position(path),
                path,
                hint,
            )
            for path, effect in past.keys(select, _differs)
        ]

    def _claim_problems(self, past: Past | None, paths: list[str]) -> Iterator[Diagnostic]:
        """A problem for each changed key or, if the old values are unknown, for each claim."""
        storage = ("storage",)
        if past is None or past.then is None:
            for name in paths:
                message = f"{name} would change in a way that Kubernetes refuses"
                yield Diagnostic("DS904", message, self.job.position(storage), storage, NEW_CLAIM)
            return
        for path, effect in past.keys(lambda objects: objects.claims, _is_impossible) if paths else ():
            message = f"a claim cannot change: {past.described(path, effect)}"
            yield Diagnostic("DS904", message, self.job.position(path), path, NEW_CLAIM)


def _differs(old: Texts, new: Texts) -> bool:
    return {path: remove_suspension(text) for path, text in old.items()} != {
        path: remove_suspension(text) for path, text in new.items()
    }


def _is_impossible(old: Texts, new: Texts) -> bool:
    return any(path in new and not is_possible(text, new[path]) for path, text in old.items())
