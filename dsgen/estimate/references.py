"""Published figures beside what dsgen computes for them, for docs/estimate.md and its tests; `published` has them.

A row that disagrees stays, with the reason in `note`. What a source does not say is None in the inputs, as for a user.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from dsgen.estimate import device, estimates, formulas
from dsgen.estimate.inputs import Inputs
from dsgen.estimate.setup import make_setup

GB = 1e9
GIB = 2**30
TERA = 1e12
Computed = Callable[[], tuple[float, float]]
Kind = Literal["value", "at least", "fits", "does not fit", "shown"]


@dataclass(frozen=True)
class Reference:
    """One published figure.

    kind: "value": the figure lies in the computed range, with the tolerance of its rounding; "at least": the computed
    lower bound is not above the figure, and the source does not say enough for an upper one; "fits", "does not fit":
    the outcome of a run, where published is the memory of the device; "shown": the row is only shown, because the
    source measures something else. note: what the source does not say, and what a difference means.
    published: in the unit of the row. computed: the bounds that dsgen computes; for outcomes, of the memory.
    """

    case: str
    source: str
    what: str
    unit: str
    published: float | None
    computed: Computed
    kind: Kind = "value"
    tolerance: float = 0.0
    note: str = ""


@dataclass(frozen=True)
class Comparison:
    """A reference with its result. error: how far the figure is outside of the range, as a share; 0 inside; None for an
    outcome. agrees: whether the row holds.
    """

    reference: Reference
    low: float
    high: float
    error: float | None
    agrees: bool


def compare_references(references: Iterable[Reference]) -> list[Comparison]:
    """References, computed."""
    return [_compare_reference(reference) for reference in references]


def _compare_reference(reference: Reference) -> Comparison:
    low, high = reference.computed()
    if reference.kind in ("fits", "does not fit"):
        capacity = reference.published or 0.0
        agrees = low <= capacity if reference.kind == "fits" else high > capacity
        return Comparison(reference, low, high, None, agrees)
    figure = reference.published or 1.0
    above = 0.0 if reference.kind == "at least" else figure - high
    distance = max(low - figure, above, 0.0) / figure
    return Comparison(reference, low, high, distance, distance <= reference.tolerance or reference.kind == "shown")


# -- how a published job becomes values -------------------------------------------------------------------------------


def make_values(workers: int, slots: int, config: Mapping[str, Any], version: str = "") -> dict[str, Any]:
    """The parts of a job's values that an estimate reads."""
    return {
        "workers": {
            "replicas": workers,
            "min": 0,
            "slots": slots,
            "accelerator": {},
            "sharedMemory": "",
            "nodeSelector": {},
            "resources": {"requests": {}, "limits": {}},
        },
        "training": {
            "deepspeed": {
                "config": config,
                "configFile": "",
                "version": version,
                "autotuning": "none",
                "resize": {"checkpoint": ""},
            }
        },
    }


def make_config(stage: int, precision: str = "fp16", optimizer: str | None = "AdamW", **more: Any) -> dict[str, Any]:
    """A configuration of DeepSpeed; `zero` has further keys of zero_optimization."""
    config: dict[str, Any] = {"zero_optimization": {"stage": stage, **more.pop("zero", {})}, **more}
    if precision != "fp32":
        config[precision] = {"enabled": True}
    if optimizer:
        config["optimizer"] = {"type": optimizer}
    return config


OFFLOAD = {"offload_optimizer": {"device": "cpu"}}
BOTH = {**OFFLOAD, "offload_param": {"device": "cpu"}}


def compute_memory(workers: int, slots: int, config: Mapping[str, Any], inputs: Inputs, unit: float = GIB) -> Computed:
    """The memory of an accelerator in a unit; without an upper bound if an input is missing that it needs."""

    def compute() -> tuple[float, float]:
        estimate = estimates.estimate_job(make_values(workers, slots, config), inputs)
        held = estimate.per_accelerator
        assert held is not None
        return held.low / unit, held.high / unit if estimate.is_complete else math.inf

    return compute


def compute_worker_memory(
    workers: int, slots: int, config: Mapping[str, Any], inputs: Inputs, unit: float = GIB
) -> Computed:
    """The memory of a worker in a unit."""

    def compute() -> tuple[float, float]:
        held = estimates.estimate_job(make_values(workers, slots, config), inputs).per_worker
        assert held is not None
        return held.low / unit, held.high / unit

    return compute


def compute_states(workers: int, slots: int, config: Mapping[str, Any], inputs: Inputs) -> Computed:
    """Weights, gradients and optimizer alone, in GB."""

    def compute() -> tuple[float, float]:
        counted = ("weights", "gradients", "optimizer and its weights")
        job = make_setup(make_values(workers, slots, config), inputs)
        held = formulas.list_items_at(formulas.REDUCED, device.list_items(job))
        items = [one for one in held if one.name in counted]
        return sum(one.low for one in items) / GB, sum(one.high for one in items) / GB

    return compute


def compute_step_seconds(workers: int, slots: int, config: Mapping[str, Any], inputs: Inputs) -> Computed:
    """Seconds of a step."""

    def compute() -> tuple[float, float]:
        step = estimates.estimate_job(make_values(workers, slots, config), inputs).step
        assert step is not None
        return step.low, step.high

    return compute


def compute_step_item(name: str, workers: int, slots: int, config: Mapping[str, Any], inputs: Inputs) -> Computed:
    """Seconds of one item of a step."""

    def compute() -> tuple[float, float]:
        step = estimates.estimate_job(make_values(workers, slots, config), inputs).step
        assert step is not None
        found = next(one for one in step.items if one.name == name)
        return found.low, found.high

    return compute


def compute_rank_tokens(workers: int, slots: int, config: Mapping[str, Any], inputs: Inputs) -> Computed:
    """Tokens a second and accelerator."""

    def compute() -> tuple[float, float]:
        step = estimates.estimate_job(make_values(workers, slots, config), inputs).step
        assert step is not None
        ranks = workers * slots
        return step.tokens_per_second[0] / ranks, step.tokens_per_second[1] / ranks

    return compute


def compute_utilization(
    tokens: float, peak: float, workers: int, slots: int, config: Mapping[str, Any], inputs: Inputs
) -> Computed:
    """The share of the peak that a speed, in tokens a second and accelerator, is by dsgen's count of FLOPs."""

    def compute() -> tuple[float, float]:
        step = estimates.estimate_job(make_values(workers, slots, config), inputs).step
        assert step is not None
        return (
            tokens * step.flops[0] / step.tokens / peak,
            tokens * step.flops[1] / step.tokens / peak,
        )

    return compute


def assume_share(low: float, high: float) -> Computed:
    """The bounds of a share that dsgen assumes."""
    return lambda: (low, high)
