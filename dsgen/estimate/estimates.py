"""The whole estimate of a job: memory, traffic, time and disk, and which keys would give what is not computed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from dsgen.deepspeed import batch
from dsgen.estimate import checkpoints, device, host, notes, setup, steps, traffic
from dsgen.estimate.checkpoints import CheckpointSize
from dsgen.estimate.formulas import GIB, MOMENTS, RUNNING, START, Item, Total, compute_total
from dsgen.estimate.inputs import Inputs
from dsgen.estimate.setup import LeftOut, Missing, Setup, compute_model_symbols, compute_symbols
from dsgen.estimate.steps import Step, TrainingLength
from dsgen.estimate.traffic import Traffic

CONTEXT = (0.1 * GIB, 3 * GIB)
"""Kernels of CUDA or ROCm, and buffers of NCCL; ml-engineering, training/performance: 0.5 to 1.8 without NCCL."""
FRAGMENTATION = 0.10
"""The most that the allocator loses, as a share of the rest."""
ON_CPUS = 0.07
"""The same for the allocator of a CPU and what libraries keep, measured: bench/training."""


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
    run: TrainingLength | None
    checkpoint: CheckpointSize | None
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
    """The estimate of a job. values: complete and valid, as `dsgen.values.Job.data`; inputs: None for what is not
    known, with the numbers of a config.json if there is one (`inputs.add_model`).
    """
    job = setup.make_setup(values, inputs)
    notes.note(job, values["training"]["deepspeed"])
    memory = estimate_memory(job)
    worker = host.estimate_memory(job, values, memory)
    sent = traffic.estimate_traffic(job)
    step = steps.estimate_step(job, sent)
    run = steps.estimate_run(job, step)
    saved = checkpoints.estimate_checkpoint(job)
    return Estimate(
        parameters=inputs.parameters,
        trainable=inputs.parameters if inputs.trainable is None else inputs.trainable,
        per_accelerator=memory,
        in_step=estimate_memory(job, RUNNING) if memory and memory.moment == START else None,
        is_complete=is_complete(job) and not job.left_out,
        is_split=job.split > 1,
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


def estimate_memory(setup: Setup, moments: Collection[str] = MOMENTS) -> Total | None:
    """What an accelerator holds at that of the moments at which it holds most.

    None if the parameters, the precision or the stage are unknown.
    """
    items = list_held_items(setup)
    return _add_fragmentation(setup, compute_total(items, moments)) if items else None


def _add_fragmentation(setup: Setup, held: Total) -> Total:
    share = ON_CPUS if setup.is_cpu else FRAGMENTATION
    lost = share * held.high
    source = "bench/training" if setup.is_cpu else "5 to 10 %: EleutherAI, Transformer Math 101"
    rest = Item("fragmentation", 0, lost, f"0 to {share} * the rest", f"0 to {share} * {held.high:.4g}", source)
    return replace(held, high=held.high + lost, items=(*held.items, rest))


def list_held_items(setup: Setup) -> list[Item]:
    """What an accelerator holds at all moments, without fragmentation."""
    if setup.inputs.parameters is None or not setup.precision or not setup.config.data:
        return []
    symbols = compute_symbols(setup)
    items = [*device.list_items(setup, symbols)]
    if not setup.is_cpu:
        source = "ml-engineering, training/performance: kernels of CUDA; buffers of NCCL"
        items.append(Item("context", *CONTEXT, "0.1 GiB to 3 GiB", "0.1 GiB to 3 GiB", source))
    return [item for item in items if item.high > 0]


def is_complete(setup: Setup) -> bool:
    """Whether nothing is missing that the upper bound needs."""
    symbols = compute_model_symbols(setup)
    return all(name in symbols for name in "bshlv") and bool(setup.precision) and setup.inputs.parameters is not None


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
        "perWorker": estimate.per_worker and _dump_total(estimate.per_worker),
        "traffic": estimate.traffic and _dump_traffic(estimate.traffic),
        "step": estimate.step and _dump_step(estimate.step),
        "run": estimate.run and _dump_run(estimate.run),
        "checkpoint": estimate.checkpoint and _dump_checkpoint(estimate.checkpoint),
        "missing": [asdict(one) for one in estimate.missing],
        "leftOut": [asdict(one) for one in estimate.left_out],
        "fewer": estimate.fewer
        and {"workers": estimate.fewer.workers, "perAccelerator": _dump_accelerator(estimate.fewer.estimate)},
    }


def _dump_items(items: tuple[Item, ...], whole: bool = True) -> list[dict[str, Any]]:
    names, kind = ("name", "low", "high", "formula", "numbers", "source"), round if whole else float
    rows = [{name: getattr(item, name) for name in names} for item in items]
    return [{**row, "low": kind(row["low"]), "high": kind(row["high"])} for row in rows]


def _dump_total(held: Total, complete: bool = True) -> dict[str, Any]:
    sums = {"low": round(held.low), "high": round(held.high) if complete else None, "moment": held.moment}
    return {**sums, "items": _dump_items(held.items)}


def _dump_accelerator(estimate: Estimate) -> dict[str, Any] | None:
    held, inside, complete = estimate.per_accelerator, estimate.in_step, estimate.is_complete
    if held is None:
        return None
    more = {"capacity": round(estimate.capacity), "fits": estimate.fits} if estimate.capacity else {}
    return {**_dump_total(held, complete), **more, "inStep": inside and _dump_total(inside, complete)}


def _dump_traffic(sent: Traffic) -> dict[str, Any]:
    return {
        "bytesPerStep": round(sent.per_worker[1]),
        "perWorker": _dump_range((round(sent.per_worker[0]), round(sent.per_worker[1]))),
        "perRank": _dump_range((round(sent.per_rank[0]), round(sent.per_rank[1]))),
        "items": _dump_items(sent.items),
    }


def _dump_range(bounds: tuple[float, float]) -> dict[str, float]:
    return {"low": bounds[0], "high": bounds[1]}


def _dump_step(step: Step) -> dict[str, Any]:
    return {
        "low": step.low,
        "high": step.high,
        "bound": step.bound,
        "tokens": round(step.tokens),
        "tokensPerSecond": _dump_range(step.tokens_per_second),
        "items": _dump_items(step.items, whole=False),
    }


def _dump_run(run: TrainingLength) -> dict[str, Any]:
    return {
        "steps": run.steps,
        "hours": _dump_range(run.hours),
        "acceleratorHours": _dump_range(run.accelerator_hours),
        "cost": run.cost and _dump_range(run.cost),
    }


def _dump_checkpoint(saved: CheckpointSize) -> dict[str, Any]:
    made = saved.conversion
    return {
        "bytes": round(saved.high),
        "low": round(saved.low),
        "high": round(saved.high),
        "export": round(saved.export),
        "seconds": saved.seconds and _dump_range(saved.seconds),
        "volume": None if saved.volume is None else round(saved.volume),
        "conversion": made and {"bytes": round(made.item.high), "seconds": made.seconds},
        "items": _dump_items(saved.items),
    }
