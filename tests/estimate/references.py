"""Published figures beside what dsgen computes for them: the rows of references.yaml, for docs/estimate.md and tests.

A row that disagrees stays, with the reason in `note`. What a source does not say is None in the inputs, as for a user.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from dsgen.estimate import estimates, formulas, steps
from dsgen.estimate.estimates import Estimate
from dsgen.estimate.inputs import Inputs, add_model
from dsgen.estimate.parameters import make_model
from dsgen.estimate.setup import make_setup
from tests.estimate import jobs

FILE = Path(__file__).with_suffix(".yaml")
UNITS = {"GB": 1e9, "GiB": 2**30}
STATES = ("weights", "gradients", "optimizer and its weights")
Range = tuple[float, float]


@dataclass(frozen=True)
class Reference:
    """One published figure, and the bounds that dsgen computes; for outcomes, of the memory.

    kind: "value": the figure lies in the computed range, with the tolerance of its rounding; "at least": the computed
    lower bound is not above the figure, and the source does not say enough for an upper one; "fits", "does not fit":
    the outcome of a run, where published is the memory of the device; "shown": the row is only shown, because the
    source measures something else. note: what the source does not say, and what a difference means.
    """

    case: str
    source: str
    what: str
    published: float
    low: float
    high: float
    unit: str = ""
    kind: str = "value"
    tolerance: float = 0.0
    note: str = ""

    @property
    def error(self) -> float | None:
        """How far the figure is outside of the range, as a share; 0 inside; None for an outcome."""
        if self.kind in ("fits", "does not fit"):
            return None
        above = 0.0 if self.kind == "at least" else self.published - self.high
        return max(self.low - self.published, above, 0.0) / self.published

    @property
    def agrees(self) -> bool:
        """Whether the row holds."""
        if self.error is None:
            return self.low <= self.published if self.kind == "fits" else self.high > self.published
        return self.error <= self.tolerance or self.kind == "shown"


def compute_rows() -> list[Reference]:
    """All rows, computed."""
    file = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return [_compute(row, file["models"]) for row in file["rows"]]


def _compute(row: Mapping[str, Any], models: Mapping[str, Any]) -> Reference:
    shown = {name: row[name] for name in ("case", "source", "note") if name in row} | row["figure"]
    if "ranks" not in row:
        low, high = SHARES[row["computed"]]
        return Reference(**shown, low=low, high=high)
    given = dict(row["inputs"])
    model = models.get(given.pop("model", ""))
    inputs = add_model(Inputs(**given), make_model(model)) if model else Inputs(**given)
    values = jobs.values(row["config"], *row["ranks"], sharedMemory="")
    if row["computed"] == "states":
        held = formulas.list_items_at(formulas.REDUCED, estimates.list_held_items(make_setup(values, inputs)))
        items = [one for one in held if one.name in STATES]
        low, high = sum(one.low for one in items), sum(one.high for one in items)
    else:
        low, high = COMPUTED[row["computed"]](estimates.estimate_job(values, inputs), row)
    unit = UNITS.get(row["figure"].get("unit", ""), 1)
    return Reference(**shown, low=low / unit, high=high / unit)


def _memory(estimate: Estimate, _: Mapping[str, Any]) -> Range:
    """Of an accelerator; without an upper bound if an input is missing that it needs."""
    held = jobs.known(estimate.per_accelerator)
    return held.low, held.high if estimate.is_complete else math.inf


def _worker_memory(estimate: Estimate, _: Mapping[str, Any]) -> Range:
    held = jobs.known(estimate.per_worker)
    return held.low, held.high


def _step(estimate: Estimate, row: Mapping[str, Any]) -> Range:
    """Seconds of a step, or of one item of it."""
    step = jobs.known(estimate.step)
    found = next((one for one in step.items if one.name == row.get("item")), step)
    return found.low, found.high


def _tokens(estimate: Estimate, row: Mapping[str, Any]) -> Range:
    """Tokens a second and accelerator."""
    step = jobs.known(estimate.step)
    ranks = math.prod(row["ranks"])
    return step.tokens_per_second[0] / ranks, step.tokens_per_second[1] / ranks


def _share_at_speed(estimate: Estimate, row: Mapping[str, Any]) -> Range:
    """The share of the peak that a speed, in tokens a second and accelerator, is by dsgen's count of FLOPs."""
    step = jobs.known(estimate.step)
    low, high = (row["tokens"] * flops / step.tokens / row["peak"] for flops in step.flops)
    return low, high


SHARES: dict[str, Range] = {
    "share of the peak": steps.UTILIZATION,
    "share of a disk": (min(steps.DISK_SHARE), max(steps.DISK_SHARE)),
}
"""What dsgen assumes."""
COMPUTED: dict[str, Callable[[Estimate, Mapping[str, Any]], Range]] = {
    "memory": _memory,
    "worker memory": _worker_memory,
    "step": _step,
    "tokens": _tokens,
    "share at a speed": _share_at_speed,
}
"""`computed` of a row -> the bounds, of its estimate."""
