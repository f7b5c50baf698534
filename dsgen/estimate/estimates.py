"""The whole estimate of a job: memory, traffic, time and disk, and which keys would give what is not computed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dsgen.deepspeed import batch
from dsgen.estimate import checkpoints, device, host, notes, setup, steps, traffic
from dsgen.estimate.checkpoints import Checkpoint, Conversion
from dsgen.estimate.formulas import RUNNING, START, Item, Total
from dsgen.estimate.inputs import Inputs
from dsgen.estimate.setup import LeftOut, Missing, Setup
from dsgen.estimate.steps import Run, Step
from dsgen.estimate.traffic import Traffic


@dataclass(frozen=True)
class Estimate:
    """What a job needs; a part is None if it cannot be computed, and `missing` says which key would give it.

    per_accelerator: bytes of one rank, where a rank has an accelerator or a part of it; on CPUs of one process.
    in_step: the same without the moment at which the engine starts, if that is the one at which it holds most.
    is_complete: nothing is missing of its upper bound. is_split: tensor parallelism divides the model, so the lower
    bound is less certain. capacity: bytes of memory that a rank's accelerator has. per_worker: bytes of main memory of
    a worker. left_out: features of the job that no formula has. fewer: of the fewest workers with which the job goes
    on after a loss (workers.min).
    """

    parameters: int | None
    trainable: int | None
    per_accelerator: Total | None
    in_step: Total | None
    is_complete: bool
    is_split: bool
    capacity: float | None
    per_worker: Total | None
    traffic: Traffic | None
    step: Step | None
    run: Run | None
    checkpoint: Checkpoint | None
    missing: tuple[Missing, ...]
    left_out: tuple[LeftOut, ...]
    fewer: Fewer | None

    @property
    def fits(self) -> bool | None:
        """True if the upper bound fits the accelerator, False if the lower one does not, None if that is not known.

        Of a model that is split by tensor parallelism, a lower bound that does not fit is not certain.
        """
        if self.per_accelerator is None or self.capacity is None:
            return None
        if self.per_accelerator.low > self.capacity:
            return None if self.is_split else False
        return True if self.is_complete and self.per_accelerator.high <= self.capacity else None


@dataclass(frozen=True)
class Fewer:
    """The same job with fewer workers."""

    workers: int
    estimate: Estimate


def estimate_job(values: Mapping[str, Any], inputs: Inputs) -> Estimate:
    """The estimate of a job. values: complete and valid, as `dsgen.values.Values.data`; inputs: None for what is not
    known, with the numbers of a config.json if there is one (`inputs.add_model`).
    """
    job = setup.make_setup(values, inputs)
    notes.note(job, values["training"]["deepspeed"])
    memory = device.estimate_memory(job)
    worker = host.estimate_memory(job, values, memory)
    sent = traffic.estimate_traffic(job)
    step = steps.estimate_step(job, sent)
    run = steps.estimate_run(job, step)
    saved = checkpoints.estimate_checkpoint(job)
    return Estimate(
        parameters=inputs.parameters,
        trainable=inputs.parameters if inputs.trainable is None else inputs.trainable,
        per_accelerator=memory,
        in_step=device.estimate_memory(job, RUNNING) if memory and memory.moment == START else None,
        is_complete=device.is_complete(job) and not job.left_out,
        is_split=job.tensor > 1,
        capacity=find_capacity(job),
        per_worker=worker,
        traffic=sent,
        step=step,
        run=run,
        checkpoint=saved,
        missing=tuple(job.missing),
        left_out=tuple(job.left_out),
        fewer=_estimate_fewer(values, inputs),
    )


def _estimate_fewer(values: Mapping[str, Any], inputs: Inputs) -> Fewer | None:
    """The job with the fewest workers that workers.min allows and that can share the batch."""
    workers = values["workers"]
    sizes = batch.sizes(values["training"]["deepspeed"]["config"], workers["slots"]) if workers["min"] else []
    fitting = [size for size in sizes if workers["min"] <= size < workers["replicas"]]
    if not fitting:
        return None
    changed = {**values, "workers": {**workers, "replicas": fitting[0], "min": 0}}
    return Fewer(fitting[0], estimate_job(changed, inputs))


def find_capacity(job: Setup) -> float | None:
    """The bytes of memory of a rank's accelerator, or of its part of one; None if it is unknown, and on CPUs."""
    if job.is_cpu:
        return None
    memory = job.inputs.memory or (job.accelerator.memory if job.accelerator else None)
    if memory is None:
        job.note_missing("product", "whether the accelerators are large enough; or estimate.accelerator.memory")
        return None
    return memory * job.of_device


def as_data(estimate: Estimate) -> dict[str, Any]:
    """The estimate as JSON: bytes, seconds, and null for what cannot be computed."""
    return {
        "parameters": estimate.parameters,
        "trainable": estimate.trainable,
        "perAccelerator": _dump_accelerator(estimate),
        "perWorker": _dump_total(estimate.per_worker),
        "traffic": _dump_traffic(estimate.traffic),
        "step": _dump_step(estimate.step),
        "run": _dump_run(estimate.run),
        "checkpoint": _dump_checkpoint(estimate.checkpoint),
        "missing": [{"key": one.key, "gives": one.gives} for one in estimate.missing],
        "leftOut": [{"key": one.key, "why": one.why} for one in estimate.left_out],
        "fewer": _dump_fewer(estimate.fewer),
    }


def _dump_items(items: tuple[Item, ...], whole: bool = True) -> list[dict[str, Any]]:
    kind = round if whole else float
    return [
        {
            "name": one.name,
            "low": kind(one.low),
            "high": kind(one.high),
            "formula": one.formula,
            "numbers": one.numbers,
            "source": one.source,
        }
        for one in items
    ]


def _dump_total(held: Total | None, complete: bool = True) -> dict[str, Any] | None:
    if held is None:
        return None
    sums = {"low": round(held.low), "high": round(held.high) if complete else None, "moment": held.moment}
    return {**sums, "items": _dump_items(held.items)}


def _dump_accelerator(estimate: Estimate) -> dict[str, Any] | None:
    held = _dump_total(estimate.per_accelerator, estimate.is_complete)
    if held is None:
        return None
    more = {"capacity": round(estimate.capacity), "fits": estimate.fits} if estimate.capacity else {}
    return {**held, **more, "inStep": _dump_total(estimate.in_step, estimate.is_complete)}


def _dump_fewer(fewer: Fewer | None) -> dict[str, Any] | None:
    if fewer is None:
        return None
    return {"workers": fewer.workers, "perAccelerator": _dump_accelerator(fewer.estimate)}


def _dump_traffic(sent: Traffic | None) -> dict[str, Any] | None:
    if sent is None:
        return None
    return {
        "bytesPerStep": round(sent.per_worker[1]),
        "perWorker": {"low": round(sent.per_worker[0]), "high": round(sent.per_worker[1])},
        "perRank": {"low": round(sent.per_rank[0]), "high": round(sent.per_rank[1])},
        "items": _dump_items(sent.items),
    }


def _dump_range(bounds: tuple[float, float]) -> dict[str, float]:
    return {"low": bounds[0], "high": bounds[1]}


def _dump_step(step: Step | None) -> dict[str, Any] | None:
    if step is None:
        return None
    return {
        "low": step.low,
        "high": step.high,
        "bound": step.bound,
        "tokens": round(step.tokens),
        "tokensPerSecond": _dump_range(step.tokens_per_second),
        "items": _dump_items(step.items, whole=False),
    }


def _dump_run(run: Run | None) -> dict[str, Any] | None:
    if run is None:
        return None
    return {
        "steps": run.steps,
        "hours": _dump_range(run.hours),
        "acceleratorHours": _dump_range(run.accelerator_hours),
        "cost": None if run.cost is None else _dump_range(run.cost),
    }


def _dump_checkpoint(saved: Checkpoint | None) -> dict[str, Any] | None:
    if saved is None:
        return None
    return {
        "bytes": round(saved.high),
        "low": round(saved.low),
        "high": round(saved.high),
        "export": round(saved.export),
        "seconds": None if saved.seconds is None else _dump_range(saved.seconds),
        "volume": None if saved.volume is None else round(saved.volume),
        "conversion": _dump_conversion(saved.conversion),
        "items": _dump_items(saved.items),
    }


def _dump_conversion(made: Conversion | None) -> dict[str, Any] | None:
    return None if made is None else {"bytes": round(made.item.high), "seconds": made.seconds}
