"""What a step sends: bytes of a rank, and of a worker to other workers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dsgen.deepspeed.combinations import ZERO
from dsgen.estimate.formulas import Bounds, Item, make_item
from dsgen.estimate.setup import Setup, compute_symbols

SYMBOLS = {
    "k": "micro batches of a step",
    "e": "headers, padding and small messages, as a factor",
    "z": "the share that is left of quantized gradients",
    "y": "the share that is left of quantized weights",
    "K": "parameters that stay gathered from the forward pass to the backward pass",
    "H": "ranks from which weights are gathered again: Z, or with hpZ those of its group",
    "n": "groups of MiCS, or ranks of a group of sequence or expert parallelism",
    "j": "experts that a token passes",
}
"""Symbols of the traffic; others are in `setup.SYMBOLS`."""
RING = "a ring sends (D - 1) / D of the bytes for each gather or reduction, twice that for an all-reduce"
STAGE_3 = "deepspeed/runtime/zero/stage3.py"
REUSE = "runtime/zero/partitioned_param_coordinator.py, __params_to_release; stage3_max_reuse_distance"
OVERHEAD = 1.1
"""Headers, padding and small messages, as a factor."""


@dataclass(frozen=True)
class Traffic:
    """low, high of both: bytes of a step. per_rank: what a rank sends; per_worker: what a worker sends to others; of a
    ring that passes all ranks of a worker, only one connection leaves it. items: parts of per_rank.
    """

    per_rank: tuple[float, float]
    per_worker: tuple[float, float]
    items: tuple[Item, ...]


def estimate_traffic(setup: Setup) -> Traffic | None:
    """The traffic of a step; None if parameters or accumulation are unknown."""
    if setup.inputs.parameters is None or not setup.precision or not setup.config.data or setup.accumulation is None:
        return None
    crossing: list[Item] = []
    inside: list[Item] = []
    for one, group in _list_parts(setup):
        (crossing if setup.workers > 1 and group > setup.slots else inside).append(one)
    parts = (*crossing, *inside)
    return Traffic(_sum(parts), _sum(crossing), parts)


def _sum(items: list[Item] | tuple[Item, ...]) -> tuple[float, float]:
    return sum(item.low for item in items), sum(item.high for item in items)


def _list_parts(setup: Setup) -> Iterator[tuple[Item, int]]:
    """Each kind of traffic, with the number of ranks among which it is."""
    symbols = {**compute_symbols(setup), "k": setup.accumulation or 1, "e": (1.0, OVERHEAD)}
    if setup.copies > 1:
        yield from (_list_gradients_and_weights if setup.stage < 3 else _list_stage_3)(setup, symbols)
    yield from _list_tensor(setup, symbols)
    yield from _list_sequence(setup, symbols)
    yield from _list_experts(setup, symbols)


def _list_gradients_and_weights(setup: Setup, symbols: dict[str, Bounds]) -> Iterator[tuple[Item, int]]:
    group = setup.copies * setup.tensor
    plain = str(setup.config.get(ZERO, "use_multi_rank_bucket_allreduce")).lower() == "false" and setup.stage > 0
    times = "1" if plain else "2"
    often = "k" if setup.stage == 2 else "1"
    formula = f"{times} * {often} * q * T * (D - 1) / D * e"
    yield make_item("gradients", formula, formula, symbols, f"deepspeed/runtime/zero/stage_1_and_2.py; {RING}"), group
    if setup.stage > 0:
        gather = "w * F * (D - 1) / D * e"
        yield make_item("weights after the step", gather, gather, symbols, RING), group


def _list_stage_3(setup: Setup, symbols: dict[str, Bounds]) -> Iterator[tuple[Item, int]]:
    yield from _list_gathers(setup, symbols)
    group = setup.shard * setup.tensor
    quantized = {**symbols, "z": 0.25 if setup.is_on(ZERO, "zero_quantized_gradients") else 1.0}
    reduce = "k * z * q * T * (Z - 1) / Z * e"
    yield make_item("gradients", reduce, reduce, quantized, f"{STAGE_3}; {RING}"), group
    if setup.shard < setup.copies:
        groups = {**symbols, "n": setup.copies / setup.shard}
        formula = "2 * q * T / Z * (n - 1) / n * e"
        yield (
            make_item("gradients between groups (MiCS)", formula, formula, groups, "MiCS, arXiv 2205.00119"),
            setup.ranks,
        )


def _list_gathers(setup: Setup, symbols: dict[str, Bounds]) -> Iterator[tuple[Item, int]]:
    """Weights are gathered from all ranks; with hpZ only once in a step, and then from the ranks of a group."""
    second = int(setup.config.read_number(ZERO, "zero_hpz_partition_size") or 1)
    share = 0.5 if setup.is_on(ZERO, "zero_quantized_weights") else 1.0
    numbers = {**symbols, "y": share, "K": _count_kept(setup), "H": second if second > 1 else setup.shard}
    group = setup.shard * setup.tensor
    near, source = second if second > 1 else group, f"{STAGE_3}; {RING}"
    first = f"{'1' if second > 1 else 'k'} * y * w * P * (Z - 1) / Z * e"
    yield make_item("weights for the forward pass", first, first, numbers, source), group
    if second > 1:
        later = "(k - 1) * y * w * P * (H - 1) / H * e"
        yield make_item("weights for later forward passes (hpZ)", later, later, numbers, source), near
    low = "k * y * w * (T - min(T, K)) * (H - 1) / H * e"  # frozen weights may not be needed again
    high = f"{'2 * ' if _gathers_again(setup) else ''}k * y * w * (P - min(P, K)) * (H - 1) / H * e"
    yield make_item("weights for the backward pass", low, high, numbers, f"{source}; {REUSE}"), near


def _count_kept(setup: Setup) -> tuple[float, float]:
    """The parameters that stay gathered from the forward pass to the backward pass, the most of them first: those of
    which both uses are within stage3_max_reuse_distance, counted in the parameters that are used between them. Models
    whose order of layers changes from step to step, as that of experts may, keep none.
    """
    distance, largest = setup.read_stage_3("max_reuse_distance"), setup.inputs.largest_layer
    reach = distance / 2 + setup.read_stage_3("prefetch_bucket_size")
    most = 0.0 if reach == 0 else reach + largest if largest else float("inf")
    return min(most, float(setup.inputs.parameters or 0)), 0.0 if setup.inputs.experts else distance / 4


def _gathers_again(setup: Setup) -> bool:
    """Whether a layer may be gathered both to be computed again and for its backward pass."""
    layer = (setup.inputs.parameters or 0) / (setup.inputs.layers or 1)
    return setup.inputs.recompute in (None, "full") and setup.read_stage_3("max_reuse_distance") < 4 * layer


def _list_tensor(setup: Setup, symbols: dict[str, Bounds]) -> Iterator[tuple[Item, int]]:
    if setup.tensor > 1 and all(name in symbols for name in "bshl"):
        formula = "k * 2 * 4 * l * 2 * b * s * h * (t - 1) / t * e"
        source = "Megatron-LM, arXiv 1909.08053, section 3: four all-reduces a layer"
        yield make_item("tensor parallelism", formula, formula, symbols, source), setup.tensor


def _list_sequence(setup: Setup, symbols: dict[str, Bounds]) -> Iterator[tuple[Item, int]]:
    if setup.sequence_ranks > 1 and all(name in symbols for name in "bshl"):
        numbers = {**symbols, "n": setup.sequence_ranks}
        formula = "k * 2 * l * 4 * 2 * b * s * h * (n - 1) / n * e"
        low = "k * 2 * l * 2 * 2 * b * s * h * (n - 1) / n"
        source = "DeepSpeed Ulysses, arXiv 2309.14509: q, k, v and the output, in both passes"
        yield make_item("sequence parallelism", low, formula, numbers, source), setup.sequence_ranks


def _list_experts(setup: Setup, symbols: dict[str, Bounds]) -> Iterator[tuple[Item, int]]:
    chosen = setup.inputs.experts_per_token
    if setup.expert_ranks > 1 and chosen and all(name in symbols for name in "bshl"):
        numbers = {**symbols, "n": setup.expert_ranks, "j": chosen}
        formula = "k * 4 * l * 2 * j * b * s * h * (n - 1) / n * e"
        source = "two all-to-alls a layer, in both passes"
        yield make_item("tokens to their experts", f"0.5 * {formula}", formula, numbers, source), setup.expert_ranks
