"""What runs have measured: the time of a step and memory, from their record and the metrics of their pods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from dsgen.cluster.models import JOB, ROLE, RUN, RunState
from dsgen.cluster.phase import ENDS
from dsgen.cluster.reader import Reader, read_metrics
from dsgen.cluster.requirements import ApiObject
from dsgen.reading.quantities import parse_quantity

if TYPE_CHECKING:
    from dsgen.estimate.measured import MeasuredValue

KEY = "estimate.measured"
HEAD = ("MEASURED", "VALUE", "ESTIMATED", "ERROR")
"""Of a table of comparisons."""


def read_measures(reader: Reader, state: RunState) -> dict[str, Any]:
    """Keys below KEY with what a run has measured; empty if it has measured nothing.

    Metrics are those of the present, so they are read only while the run goes on.
    """
    progress = state.record.get("progress") or {}
    found = {"secondsPerStep": progress.get("secondsPerStep"), "memory": progress.get("memory")}
    if state.record.get("phase") not in ENDS:
        selector = f"{JOB}={state.job},{RUN}={state.run},{ROLE}=worker"
        found["workerMemory"] = most_memory(read_metrics(reader, state.namespace, selector, []) or [])
    known = {key: value for key, value in found.items() if value}
    return {"run": state.run, **known} if known else {}


def most_memory(metrics: Iterable[ApiObject]) -> int | None:
    """The bytes of the pod that uses most."""
    used = (sum(parse_quantity(one["usage"]["memory"]) for one in pod.get("containers") or []) for pod in metrics)
    return int(max(used, default=0)) or None


def has_estimate(values: Mapping[str, Any] | None) -> bool:
    """Whether the values describe a model, beside whose estimate a run can be shown."""
    return values is not None and values["estimate"]["model"].get("parameters") is not None


def with_traffic(values: Mapping[str, Any] | None, run: str, checked: dict[str, Any] | None) -> dict[str, Any] | None:
    """What the check of the network has measured, with the bytes and seconds of a step if the values describe them."""
    if not values or not checked or not has_estimate(values) or str(values["run"]["id"]) != run:
        return checked
    from dsgen.estimate import inputs, setup, traffic  # imported late: most jobs have no estimate

    sent = traffic.of(setup.of_values(values, inputs.of_section(values["estimate"])))
    if not sent or not sent.per_worker[1] or not checked["lowest"]:
        return checked
    per_step = dict(zip(("low", "high"), sent.per_worker, strict=True))
    times = {bound: round(number / checked["lowest"] / 2**20, 3) for bound, number in per_step.items()}
    sizes = {bound: round(number) for bound, number in per_step.items()}
    return {**checked, "bytesPerStep": sizes, "secondsPerStep": times}


def compare(values: Mapping[str, Any] | None, measures: Mapping[str, Any]) -> list[MeasuredValue]:
    """What a run has measured beside its estimate; empty without one, or if the values are those of another run."""
    if not values or not has_estimate(values) or not measures or str(values["run"]["id"]) != measures["run"]:
        return []
    from dsgen.estimate import estimates, inputs, measured, setup  # imported late: most jobs have no estimate

    given = inputs.of_section({**values["estimate"], "measured": measures})
    return [*measured.compare(setup.of_values(values, given), estimates.of(values, given), given)]
