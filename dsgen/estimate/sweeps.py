"""Estimates of a job with each of several values, as rows of a table, of which the cheapest that fits is marked."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dsgen import schema
from dsgen.deepspeed.keys import load_table
from dsgen.errors import UsageError
from dsgen.estimate import estimates, report
from dsgen.estimate.estimates import Estimate
from dsgen.estimate.inputs import Inputs
from dsgen.estimate.quantities import format_count, format_range, format_seconds, format_size
from dsgen.estimate.setup import make_setup
from dsgen.language.text import align
from dsgen.schema.suggestions import did_you_mean, find_closest

MOST = 256
"""Combinations of a sweep."""
CONFIG = "training.deepspeed.config"
ABOVE = (CONFIG, f"{CONFIG}.zero_optimization", "workers", "estimate.model", "estimate.accelerator", "estimate")
"""Where a key is looked for that is not at the top: `stage` is a key of zero_optimization."""
COLUMNS = ("accelerators", "memory of one", "step", "tokens a second", "")
CHEAPEST = "the cheapest that fits"


@dataclass(frozen=True)
class Attempt:
    """One combination. settings: path with dots -> value. accelerators: of the whole job.

    refused: why the values are not valid; then there is no estimate.
    """

    settings: Mapping[str, Any]
    estimate: Estimate | None = None
    accelerators: float = 0.0
    is_cheapest: bool = False
    refused: str = ""

    def as_data(self) -> dict[str, Any]:
        """The combination as JSON."""
        if self.estimate is None:
            return {"settings": self.settings, "refused": self.refused}
        return {
            "settings": self.settings,
            "accelerators": self.accelerators,
            "isCheapest": self.is_cheapest,
            **estimates.as_data(self.estimate),
        }


def make_attempt(settings: Mapping[str, Any], values: Mapping[str, Any], inputs: Inputs) -> Attempt:
    """One combination, of values that are changed already."""
    setup = make_setup(values, inputs)
    return Attempt(settings, estimates.estimate_job(values, inputs), setup.ranks * setup.of_device)


def mark_cheapest(attempts: Sequence[Attempt]) -> list[Attempt]:
    """Attempts, with a mark at the cheapest one that fits: with the fewest accelerator-seconds for a token, or where
    time is unknown the fewest accelerators; of equals the first.
    """
    fitting = [index for index, one in enumerate(attempts) if one.estimate and one.estimate.fits]
    best = min(fitting, key=lambda index: _compute_costs(attempts[index]), default=None)
    return [replace(one, is_cheapest=index == best) for index, one in enumerate(attempts)]


def _compute_costs(attempt: Attempt) -> tuple[float, float]:
    step = attempt.estimate.step if attempt.estimate else None
    if step is None:
        return attempt.accelerators, 0.0
    return attempt.accelerators * (step.low + step.high) / step.tokens, attempt.accelerators


# -- keys and values --------------------------------------------------------------------------------------------------


def parse_axes(texts: Sequence[str]) -> dict[str, list[str]]:
    """Complete key -> the values to try, of texts such as `workers.replicas=1,2,4`. Raises UsageError."""
    axes = dict(map(_parse_axis, texts))
    if len(axes) < len(texts):
        raise UsageError("--sweep: a key can have only one list of values")
    return axes


def _parse_axis(text: str) -> tuple[str, list[str]]:
    key, sign, values = text.partition("=")
    words = [word.strip() for word in values.split(",")]
    if not sign or not all(words):
        raise UsageError(f"--sweep {text}: write a key and its values, as in workers.replicas=1,2,4")
    return _complete_key(key.strip().lstrip(".")), words


def list_combinations(axes: Mapping[str, Sequence[str]]) -> list[dict[str, str]]:
    """All combinations of values, as key -> value. Raises UsageError for too many."""
    combinations = [dict(zip(axes, words, strict=True)) for words in itertools.product(*axes.values())]
    if len(combinations) > MOST:
        raise UsageError(f"--sweep: these are {len(combinations)} combinations, and {MOST} are possible")
    return combinations


def choose_flag(word: str) -> str:
    """The flag that sets a value. With --set, as with Helm's, 0.5 and 1e9 are texts."""
    return "--set-json" if re.fullmatch(r"[0-9]+([.][0-9]+)?(e[+]?[0-9]+)?", word) else "--set"


def shorten_keys(keys: Iterable[str]) -> list[str]:
    """The last part of each key for which it is enough."""
    return [key.rpartition(".")[2] if key.rpartition(".")[0] in ABOVE else key for key in keys]


def _complete_key(key: str) -> str:
    """A key with all that is above it. Raises UsageError for a key that is unknown."""
    for above in ("", *ABOVE):
        path = f"{above}.{key}" if above else key
        if _is_known(path):
            return path
    below = [name for above in ABOVE for name in _list_names(above)]
    question = did_you_mean(find_closest(key.rpartition(".")[2], below))
    raise UsageError(f"--sweep {key}: there is no such key" + (f"; {question}" if question else ""))


def _is_known(path: str) -> bool:
    parts = path.split(".")
    if path.startswith(f"{CONFIG}."):
        return parts[-1] in _list_names(path.rpartition(".")[0])
    rule = schema.find_part(parts)
    return rule is not None and not schema.is_record(rule)


def _list_names(above: str) -> list[str]:
    """The keys below a path."""
    if above != CONFIG and not above.startswith(f"{CONFIG}."):
        rule = schema.find_part(above.split("."))
        return schema.list_keys(rule) if rule else []
    rules: Any = load_table()
    for key in above.removeprefix(CONFIG).split("."):
        rules = rules.get("keys", {}).get(key, {}) if key else rules
    return [*rules.get("keys", {})]


# -- text and Markdown ------------------------------------------------------------------------------------------------


def as_text(names: Sequence[str], attempts: Sequence[Attempt]) -> Iterator[str]:
    """A line for each combination, in columns. names: of the keys."""
    return align([[*names, *COLUMNS], *map(_format_row, attempts)])


def as_markdown(names: Sequence[str], attempts: Sequence[Attempt]) -> Iterator[str]:
    """The lines of the table in Markdown."""
    yield report.format_markdown_row([*names, *COLUMNS])
    yield "|---" * (len(names) + len(COLUMNS)) + "|"
    yield from map(report.format_markdown_row, map(_format_row, attempts))


def _format_row(attempt: Attempt) -> list[str]:
    words, estimate = [*map(str, attempt.settings.values())], attempt.estimate
    if estimate is None:
        return [*words, "", "", "", "", f"refused: {attempt.refused}"]
    held, step = estimate.per_accelerator, estimate.step
    high = report.UNKNOWN if held is None or not estimate.is_complete else format_size(held.high)
    return [
        *words,
        format_count(attempt.accelerators),
        format_range(format_size(held.low), high) if held else report.UNKNOWN,
        format_range(format_seconds(step.low), format_seconds(step.high)) if step else report.UNKNOWN,
        format_range(*map(format_count, step.tokens_per_second)) if step else report.UNKNOWN,
        ", ".join(filter(None, (report.describe_fit(estimate), CHEAPEST if attempt.is_cheapest else ""))),
    ]
