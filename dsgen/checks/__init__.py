"""Rules that the schema cannot express. Each module of this package has the rules of one subject, as functions.

A rule is a function with a decorator that has its id and severity (rule.py). What is said of it, and its cases, are in
the YAML file beside its module. A rule whose condition and message are a helper of `dsgen/templates/_invariants.j2` is
an invariant: a template of a chart refuses the same values.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from dsgen import deepspeed, schema
from dsgen.checks import (  # noqa: F401 - each adds its rules
    estimate,
    kubernetes,
    launch,
    names,
    network,
    pods,
    programs,
    quantities,
    scheduling,
    security,
    storage,
    training,
)
from dsgen.checks.rule import RULES, Place, UnknownValueError, Values, run_rules
from dsgen.problems import Diagnostic, KeyPath
from dsgen.schema.validate import limit_problems

__all__ = ["RULES", "make_validity_check", "run"]


def run(
    values: Mapping[str, Any],
    release: Mapping[str, str],
    place: Place,
    unknown: Collection[KeyPath] = (),
    with_estimate: bool = True,
) -> list[Diagnostic]:
    """All problems of complete values that the schema has accepted, for a release's `name` and `namespace`.

    While the name is unknown, rules about names of objects are skipped. unknown: paths whose values must be corrected
    first; problems that depend on them are not reported. with_estimate: also what does not fit by the estimate.
    """
    view = Values(values, release, unknown)
    data = schema.copy_plain(view) if unknown else values
    problems = [*run_rules(view, place), *_check_deepspeed(data, view, place)]
    if with_estimate:
        problems += estimate.find_problems(view, values, place, make_validity_check(values, release, unknown))
    return [problem for problem in problems if not view.is_unknown(problem.path)]


def _check_deepspeed(data: Mapping[str, Any], view: Values, place: Place) -> Iterator[Diagnostic]:
    for problem in limit_problems(deepspeed.find_problems(data, view.names, place)):
        with contextlib.suppress(UnknownValueError):
            view.require(*deepspeed.LOOKS_AT.get(problem.id, ()))
            yield problem


def make_validity_check(
    values: Mapping[str, Any], release: Mapping[str, str], unknown: Collection[KeyPath] = ()
) -> Callable[[Mapping[str, Any]], bool]:
    """A function that says whether changed values have no error that these values do not have. unknown: see `run`."""

    def find_errors(data: Mapping[str, Any]) -> set[tuple[str, KeyPath]]:
        """The id and the path of each error, apart from those of the estimate."""
        problems = run(data, release, lambda *_: None, unknown, with_estimate=False)
        return {(problem.id, problem.path) for problem in problems if problem.severity == "error"}

    @functools.cache
    def find_known() -> set[tuple[str, KeyPath]]:
        return find_errors(values)

    return lambda changed: find_known().issuperset(find_errors(changed))
