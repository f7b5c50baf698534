"""Changes of a job until it fits its accelerators, the cheapest first; and sweeps over values."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dsgen.estimate import estimates
from dsgen.estimate.estimates import Estimate
from dsgen.estimate.inputs import KEYS, Inputs
from dsgen.estimate.setup import Setup, make_setup
from dsgen.schema import MISSING, put

Keys = tuple[str, ...]
CONFIG: Keys = ("training", "deepspeed", "config")
ZERO: Keys = (*CONFIG, "zero_optimization")
MOST_WORKERS = 1024
BATCH = {"micro_batch": "train_micro_batch_size_per_gpu", "accumulation": "gradient_accumulation_steps"}
PATHS: dict[str, Keys] = {name: tuple(key.split(".")) for name, key in KEYS.items()}
FIELDS = {path: name for name, path in PATHS.items()}


@dataclass(frozen=True)
class Change:
    """One change. edits: path in the values file -> the new value, None to remove the key."""

    name: str
    edits: Mapping[Keys, Any]


@dataclass(frozen=True)
class Remedy:
    """Changes after which a job fits, and its estimate then."""

    changes: tuple[Change, ...]
    estimate: Estimate

    @property
    def edits(self) -> dict[Keys, Any]:
        """All edits together."""
        return _merge_edits(self.changes)

    @property
    def settings(self) -> dict[Keys, Any]:
        """The edits without maps: each path leads to one value."""
        return dict(_list_leaves(self.edits))


def as_word(value: Any) -> str:
    """A value of a setting, as `--set KEY=` and a values file take it."""
    return value if isinstance(value, str) else json.dumps(value)


def _list_leaves(edits: Mapping[Keys, Any]) -> Iterator[tuple[Keys, Any]]:
    for path, value in edits.items():
        if isinstance(value, Mapping):
            yield from _list_leaves({(*path, key): below for key, below in value.items()})
        else:
            yield path, value


@dataclass(frozen=True)
class ChangeableJob:
    """A job that may be changed."""

    values: Mapping[str, Any]
    inputs: Inputs

    @property
    def setup(self) -> Setup:
        """The job as formulas see it."""
        return make_setup(self.values, self.inputs)


def apply_edits(job: ChangeableJob, edits: Mapping[Keys, Any]) -> ChangeableJob:
    """A job with the edits; those below `estimate` change the inputs, all others a copy of the values."""
    values, inputs = job.values, job.inputs
    for path, value in edits.items():
        if path in FIELDS:
            inputs = replace(inputs, **{FIELDS[path]: value})
        else:
            values = put(values, path, MISSING if value is None else value)
    return ChangeableJob(values, inputs)


# -- the cheapest change ----------------------------------------------------------------------------------------------


def _shrink_batches(job: ChangeableJob) -> Iterator[Change]:
    """Half the micro batch with twice the accumulation: the samples of a step stay."""
    return _move_batches(job, "a smaller micro batch", *BATCH)


def _grow_batches(job: ChangeableJob) -> Iterator[Change]:
    """Twice the micro batch with half the accumulation."""
    return _move_batches(job, "a larger micro batch", *reversed(BATCH))


def _move_batches(job: ChangeableJob, name: str, halved: str, doubled: str) -> Iterator[Change]:
    """The keys are those that say so now: of DeepSpeed's configuration, or what is said of the program."""
    setup, paths = job.setup, dict[str, Keys]()
    for field, key in BATCH.items():
        of_program = setup.config.read_number(key) is None and getattr(job.inputs, field) is not None
        paths[field] = PATHS[field] if of_program else (*CONFIG, key)
    numbers = {"micro_batch": setup.micro or 1, "accumulation": setup.accumulation or 1}
    while numbers[halved] % 2 == 0:
        numbers = {halved: numbers[halved] // 2, doubled: numbers[doubled] * 2}
        yield Change(name, {paths[field]: numbers[field] for field in BATCH})


def _recompute_activations(job: ChangeableJob) -> Iterator[Change]:
    if job.inputs.recompute != "full":
        yield Change("recomputed activations", {("estimate", "model", "recompute"): "full"})


def _raise_stage(job: ChangeableJob) -> Iterator[Change]:
    for stage in range(job.setup.stage + 1, 4):
        yield Change(f"stage {stage} of ZeRO", {(*ZERO, "stage"): stage})


def _offload_states(job: ChangeableJob) -> Iterator[Change]:
    """The optimizer to the CPU, then the weights, too; both need ZeRO."""
    setup = job.setup
    optimizer = {(*ZERO, "offload_optimizer"): {"device": "cpu"}}
    if setup.stage > 0 and setup.optimizer_device == "none":
        yield Change("the optimizer offloaded to the CPU", optimizer)
    if setup.stage == 3 and setup.parameter_device == "none":
        both = {**({} if setup.optimizer_device != "none" else optimizer), (*ZERO, "offload_param"): {"device": "cpu"}}
        yield Change("optimizer and weights offloaded to the CPU", both)


def _add_workers(job: ChangeableJob) -> Iterator[Change]:
    """Twice the workers, again and again."""
    replicas = job.setup.workers
    while (replicas := replicas * 2) <= MOST_WORKERS:
        yield _change_workers(job, replicas)


def _remove_workers(job: ChangeableJob) -> Iterator[Change]:
    """One worker, or more of which the present ones are a multiple."""
    now = job.setup.workers
    yield from (_change_workers(job, replicas) for replicas in range(1, now) if now % replicas == 0)


def _change_workers(job: ChangeableJob, replicas: int) -> Change:
    """Another number of workers. A batch that DeepSpeed's configuration fixes stays if it can."""
    edits: dict[Keys, Any] = {("workers", "replicas"): replicas}
    now, given = job.setup.workers, job.values["training"]["deepspeed"]["config"]
    steps, total = given.get("gradient_accumulation_steps"), given.get("train_batch_size")
    if isinstance(total, int):
        if isinstance(steps, int) and steps * now % replicas == 0:
            edits[(*CONFIG, "gradient_accumulation_steps")] = steps * now // replicas
        elif replicas > now:
            edits[(*CONFIG, "train_batch_size")] = total * replicas // now
    return Change(f"{replicas} workers" if replicas > 1 else "one worker", edits)


def _lower_stage(job: ChangeableJob) -> Iterator[Change]:
    """Stages that send less; states are not offloaded without ZeRO."""
    for stage in range(job.setup.stage - 1, 0, -1):
        yield Change(f"stage {stage} of ZeRO", {(*ZERO, "stage"): stage})


def _copy_weights_in_workers(job: ChangeableJob) -> Iterator[Change]:
    """hpZ: each worker keeps a second copy of the weights, which its own ranks gather."""
    setup = job.setup
    if setup.stage == 3 and setup.workers > 1 and setup.slots > 1:
        yield Change("a copy of the weights in each worker", {(*ZERO, "zero_hpz_partition_size"): setup.slots})


Kind = Callable[[ChangeableJob], Iterator[Change]]
KINDS: tuple[Kind, ...] = (
    _shrink_batches,
    _recompute_activations,
    _raise_stage,
    _offload_states,
    _add_workers,
)
"""In the order in which they are tried: the first ones cost least time and no hardware."""
FEWER: tuple[Kind, ...] = (_remove_workers,)
MORE: tuple[Kind, ...] = (_add_workers,)
FASTER: tuple[Kind, ...] = (_grow_batches, _copy_weights_in_workers, _lower_stage)
"""With which a step sends less; in the order in which they are tried."""


def fits(estimate: Estimate) -> bool:
    """Whether a job fits: its upper bound, or if that is not known its lower one."""
    held, capacity = estimate.per_accelerator, estimate.capacity
    if held is None or capacity is None:
        return False
    return (held.high if estimate.is_complete else held.low) <= capacity


IsPossible = Callable[[Mapping[str, Any], Estimate], bool]
"""Whether a job can have changed values, whose estimate is known."""


def find_cheapest(
    values: Mapping[str, Any], inputs: Inputs, is_possible: IsPossible = lambda *_: True
) -> Remedy | None:
    """The cheapest change with which a job fits its accelerators: the first single one of KINDS; if there is none, the
    first combination, of the strongest change of each kind, without those that it does not need. None if nothing helps.
    """
    job = ChangeableJob(values, inputs)
    if remedy := find_first(values, inputs, KINDS, fits, is_possible):
        return remedy
    kept: tuple[Change, ...] = ()
    for kind in KINDS:
        strongest: tuple[Change, ...] = ()
        for change in kind(apply_edits(job, _merge_edits(kept))):
            remedy = _try_changes(job, (*kept, change), is_possible)
            if remedy is None:
                continue
            if fits(remedy.estimate):
                return _remove_unneeded(job, remedy, is_possible)
            strongest = (change,)
        kept = (*kept, *strongest)
    return None


def find_first(
    values: Mapping[str, Any],
    inputs: Inputs,
    kinds: Sequence[Kind],
    is_enough: Callable[[Estimate], bool],
    is_possible: IsPossible = lambda *_: True,
) -> Remedy | None:
    """The first single change of some kinds after which an estimate is good enough; None if there is none."""
    job = ChangeableJob(values, inputs)
    tried = (_try_changes(job, (change,), is_possible, is_enough) for kind in kinds for change in kind(job))
    return next((remedy for remedy in tried if remedy), None)


def _remove_unneeded(job: ChangeableJob, remedy: Remedy, is_possible: IsPossible) -> Remedy:
    """The remedy without the changes that it does not need."""
    for change in remedy.changes:
        others = tuple(one for one in remedy.changes if one is not change)
        remedy = _try_changes(job, others, is_possible, fits) or remedy
    return remedy


def _merge_edits(changes: Sequence[Change]) -> dict[Keys, Any]:
    return {path: value for change in changes for path, value in change.edits.items()}


def _try_changes(
    job: ChangeableJob,
    changes: tuple[Change, ...],
    is_possible: IsPossible,
    is_enough: Callable[[Estimate], bool] = lambda _: True,
) -> Remedy | None:
    """The changes with the estimate after them; None if they are not enough, or not possible."""
    changed = apply_edits(job, _merge_edits(changes))
    estimate = estimates.estimate_job(changed.values, changed.inputs)
    return Remedy(changes, estimate) if is_enough(estimate) and is_possible(changed.values, estimate) else None
