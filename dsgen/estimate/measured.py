"""What a run has measured, beside what was estimated."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from dsgen.estimate import host
from dsgen.estimate.estimates import Estimate
from dsgen.estimate.inputs import Inputs
from dsgen.estimate.quantities import format_count, format_range, format_seconds, format_size
from dsgen.estimate.setup import Setup

TEXTS: dict[str, Callable[[float], str]] = {"bytes": format_size, "seconds": format_seconds, "tokens": format_count}
"""Unit -> how its numbers are written."""


@dataclass(frozen=True)
class MeasuredValue:
    """One number of a run. low, high: its estimate; None where that is not known, or has no upper bound."""

    name: str
    unit: str
    measured: float
    low: float | None = None
    high: float | None = None

    @property
    def error(self) -> float | None:
        """By how much of what was measured the nearer bound of the estimate is off: 0 within the range, negative if the
        estimate is too low. None if there is no estimate.
        """
        if self.low is None:
            return None
        if self.measured < self.low:
            return (self.low - self.measured) / self.measured
        if self.high is not None and self.measured > self.high:
            return (self.high - self.measured) / self.measured
        return 0.0

    @property
    def cells(self) -> tuple[str, str, str, str]:
        """What is measured, its value, the estimate, and how far that is off."""
        text, error = TEXTS[self.unit], self.error
        if self.low is None or error is None:
            return self.name, text(self.measured), "unknown", ""
        range_ = f"{text(self.low)} or more" if self.high is None else format_range(text(self.low), text(self.high))
        words = "within" if not error else f"{'too high' if error > 0 else 'too low'} by {100 * abs(error):.0f} %"
        return self.name, text(self.measured), range_, words

    def as_data(self) -> dict[str, Any]:
        """The comparison as JSON; null for what is not known."""
        return {**asdict(self), "error": self.error}


def compare(setup: Setup, estimate: Estimate, inputs: Inputs) -> Sequence[MeasuredValue]:
    """What the inputs say of a run (`measured_step` and its neighbours), beside the estimate."""
    return [*_compare_times(setup, estimate, inputs), *_compare_memory(setup, estimate, inputs)]


def _compare_times(setup: Setup, estimate: Estimate, inputs: Inputs) -> Iterator[MeasuredValue]:
    each, step = inputs.measured_step, estimate.step
    if not each:
        return
    yield MeasuredValue("time of a step", "seconds", each, *((step.low, step.high) if step else ()))
    if setup.samples is not None and inputs.sequence is not None:
        tokens = setup.samples * inputs.sequence / each
        yield MeasuredValue("tokens a second", "tokens", tokens, *(step.tokens_per_second if step else ()))


def _compare_memory(setup: Setup, estimate: Estimate, inputs: Inputs) -> Iterator[MeasuredValue]:
    """A process without an accelerator holds libraries and its program, too."""
    held, worker = estimate.per_accelerator, estimate.per_worker
    if inputs.measured_memory:
        low, high = host.PROCESS if setup.is_cpu else (0.0, 0.0)
        name = "memory of a process" if setup.is_cpu else "memory of an accelerator"
        most = held.high + high if held and estimate.is_complete else None
        yield MeasuredValue(name, "bytes", inputs.measured_memory, held.low + low if held else None, most)
    if inputs.measured_worker:
        bounds = (worker.low, worker.high) if worker else ()
        yield MeasuredValue("memory of a worker", "bytes", inputs.measured_worker, *bounds)
