"""`dsgen estimate --sweep`: the estimates of all combinations of values."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dsgen import schema
from dsgen.cli._console import echo, write
from dsgen.cli._loading import check_jobs
from dsgen.cli._options import Inputs
from dsgen.columns import align
from dsgen.deepspeed.keys import table
from dsgen.errors import EXIT_FINDINGS, EXIT_OK, UsageError
from dsgen.estimate import changes, estimates, report
from dsgen.estimate import inputs as estimate_inputs
from dsgen.estimate.changes import Point
from dsgen.estimate.quantities import between, count, seconds, size
from dsgen.schema.suggestions import did_you_mean, find_closest
from dsgen.values import Override

MOST = 256
"""Combinations of a sweep."""
CONFIG = "training.deepspeed.config"
ABOVE = (CONFIG, f"{CONFIG}.zero_optimization", "workers", "estimate.model", "estimate.accelerator", "estimate")
"""Where a key is looked for that is not at the top: `stage` is a key of zero_optimization."""
CHEAPEST = "the cheapest that fits"


@dataclass(frozen=True)
class Attempt:
    """One combination. refused: why the values are not valid; otherwise point is its estimate."""

    words: tuple[str, ...]
    point: Point | None
    refused: str = ""


def run(inputs: Inputs, axes: Sequence[str], form: str) -> int:
    """Print a sweep. The exit code is 1 if no combination is valid."""
    keys = dict(_axis(text) for text in axes)
    if len(keys) < len(axes):
        raise UsageError("--sweep: a key can have only one list of values")
    combinations = list(itertools.product(*keys.values()))
    if len(combinations) > MOST:
        raise UsageError(f"--sweep: these are {len(combinations)} combinations, and {MOST} are possible")
    attempts = _marked([_attempt(inputs, tuple(keys), words) for words in combinations])
    names = [key.rpartition(".")[2] if _is_short(key) else key for key in keys]
    if form == "json":
        write(json.dumps({"points": [_as_data(tuple(keys), each) for each in attempts]}, indent=2) + "\n")
    elif form == "svg":
        from dsgen.graph import sweep  # imported late: only pictures need it

        write(sweep.as_svg(names, [(each.words, each.point) for each in attempts]))
    else:
        rows = [[*names, "accelerators", "memory of one", "step", "tokens a second", ""], *map(_row, attempts)]
        echo(_markdown(rows) if form == "markdown" else align(rows))
    return EXIT_OK if any(each.point for each in attempts) else EXIT_FINDINGS


# -- keys -------------------------------------------------------------------------------------------------------------


def _axis(text: str) -> tuple[str, list[str]]:
    key, sign, values = text.partition("=")
    words = [word.strip() for word in values.split(",")]
    if not sign or not all(words):
        raise UsageError(f"--sweep {text}: write a key and its values, as in workers.replicas=1,2,4")
    return _full(key.strip().lstrip(".")), words


def _full(key: str) -> str:
    """A key with all that is above it. Raises UsageError for a key that is unknown."""
    for above in ("", *ABOVE):
        path = f"{above}.{key}" if above else key
        if _is_known(path):
            return path
    below = [name for above in ABOVE for name in _names(above)]
    question = did_you_mean(find_closest(key.rpartition(".")[2], below))
    raise UsageError(f"--sweep {key}: there is no such key" + (f"; {question}" if question else ""))


def _is_known(path: str) -> bool:
    parts = path.split(".")
    if path.startswith(f"{CONFIG}."):
        return parts[-1] in _names(path.rpartition(".")[0])
    rule = schema.type_at(parts)
    return rule is not None and not schema.is_record(rule)


def _names(above: str) -> list[str]:
    """The keys below a path."""
    if above != CONFIG and not above.startswith(f"{CONFIG}."):
        rule = schema.type_at(above.split("."))
        return schema.keys(rule) if rule else []
    rules: Any = table()
    for key in above.removeprefix(CONFIG).split("."):
        rules = rules.get("keys", {}).get(key, {}) if key else rules
    return [*rules.get("keys", {})]


def _is_short(key: str) -> bool:
    """Whether the last part of a key is enough to name it."""
    return key.rpartition(".")[0] in ABOVE


# -- combinations -----------------------------------------------------------------------------------------------------


def _attempt(inputs: Inputs, keys: Sequence[str], words: tuple[str, ...]) -> Attempt:
    flags = (Override(_flag(word), f"{key}={word}") for key, word in zip(keys, words, strict=True))
    jobs, problems = check_jobs(inputs._replace(overrides=(*inputs.overrides, *flags)), with_estimate=False)
    errors = [one for one in problems.problems if one.severity == "error"]
    if errors or len(jobs) != 1:
        return Attempt(words, None, errors[0].message if errors else "this is not one job")
    data, settings = jobs[0].job.data, dict(zip(keys, words, strict=True))
    return Attempt(words, changes.point(settings, data, estimate_inputs.of_section(data["estimate"])))


def _flag(word: str) -> str:
    """With --set, as with Helm's, 0.5 and 1e9 are texts."""
    return "--set-json" if re.fullmatch(r"[0-9]+([.][0-9]+)?(e[+]?[0-9]+)?", word) else "--set"


def _marked(attempts: Sequence[Attempt]) -> list[Attempt]:
    points = iter(changes.with_cheapest([each.point for each in attempts if each.point]))
    return [replace(each, point=next(points)) if each.point else each for each in attempts]


# -- output -----------------------------------------------------------------------------------------------------------


def _as_data(keys: Sequence[str], attempt: Attempt) -> dict[str, Any]:
    settings = dict(zip(keys, attempt.words, strict=True))
    if attempt.point is None:
        return {"settings": settings, "refused": attempt.refused}
    point = attempt.point
    return {
        "settings": settings,
        "accelerators": point.accelerators,
        "isCheapest": point.is_cheapest,
        **estimates.as_data(point.estimate),
    }


def _row(attempt: Attempt) -> list[str]:
    point = attempt.point
    if point is None:
        return [*attempt.words, "", "", "", "", f"refused: {attempt.refused}"]
    estimate, step = point.estimate, point.estimate.step
    held = estimate.per_accelerator
    high = report.UNKNOWN if held is None or not estimate.is_complete else size(held.high)
    verdict = report.verdict(estimate)
    return [
        *attempt.words,
        count(point.accelerators),
        between(size(held.low), high) if held else report.UNKNOWN,
        between(seconds(step.low), seconds(step.high)) if step else report.UNKNOWN,
        between(*map(count, step.tokens_per_second)) if step else report.UNKNOWN,
        ", ".join(filter(None, (verdict, CHEAPEST if point.is_cheapest else ""))),
    ]


def _markdown(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    first, *rest = rows
    yield report.markdown_row(first)
    yield "|---" * len(first) + "|"
    yield from map(report.markdown_row, rest)
