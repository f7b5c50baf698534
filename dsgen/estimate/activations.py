"""Activations and logits, which grow with the batch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dsgen.estimate.formulas import BACKWARD, LAYERS, REDUCED, Bounds, Item, make_item
from dsgen.estimate.setup import Setup

KORTHIKANTI = "Korthikanti et al. 2022, arXiv 2205.05198; tensors that torch keeps for each operation"


def list_items(setup: Setup, symbols: dict[str, Bounds]) -> Iterator[Item]:
    """The items of activations and logits, as far as the inputs go; notes which are missing."""
    yield from _list_activations(setup, symbols)
    yield from _list_logits(setup, symbols)


def _list_activations(setup: Setup, symbols: dict[str, Bounds]) -> Iterator[Item]:
    if not all(name in symbols for name in "bshl"):
        for name in ("sequence", "hidden", "layers"):
            if getattr(setup.inputs, name) is None:
                setup.note_missing(name, "activations")
        return
    given = setup.inputs
    if given.recompute is None:
        setup.note_missing("recompute", "a narrower range of the activations")
    if given.attention is None and given.recompute != "selective":
        setup.note_missing("attention", "a narrower range of the activations")
    if given.kernels is None:
        setup.note_missing("kernels", "a narrower range of the activations")
    numbers = {
        **symbols,
        "c": count_layer_bytes(setup),
        "x": _count_score_bytes(setup),
        **_count_checkpoint_ranks(setup),
    }
    kept, one = "b * s * l * (c + x)", "b * s * (c + x)"
    checkpoints = "2 * b * s * h * l / y"
    low = checkpoints if given.recompute in (None, "full") else kept
    low = low if _keeps_all(setup) else "0"
    high = checkpoints if given.recompute == "full" else kept
    name = "activations"
    yield make_item(name, low, high, numbers, KORTHIKANTI, [BACKWARD])
    yield make_item(name, "0", f"{high} + {one} + {one}", numbers, KORTHIKANTI, [LAYERS])
    yield make_item(name, "0", f"{one} + {one}", numbers, KORTHIKANTI, [REDUCED])


def _keeps_all(setup: Setup) -> bool:
    """Whether every layer keeps activations: below the first trained layer, nothing is kept."""
    trainable = setup.inputs.trainable
    return trainable is None or trainable == setup.inputs.parameters


def _count_checkpoint_ranks(setup: Setup) -> dict[str, Bounds]:
    """y: the ranks among which inputs of recomputed layers are partitioned; so many that nothing is left on the CPU."""
    if setup.is_on("activation_checkpointing", "cpu_checkpointing"):
        return {"y": (1e18, 1.0)}
    if setup.is_on("activation_checkpointing", "partition_activations"):
        return {"y": (setup.tensor, 1.0)}
    return {"y": 1.0}


@dataclass(frozen=True)
class Kept:
    """Bytes that a layer keeps for a token, for each element of: hidden (the same on all ranks of tensor parallelism),
    queries, keys (and values), intermediate of a gated MLP and of another one; and of hidden for each chosen expert.
    """

    hidden: float
    queries: float
    keys: float
    gated: float
    plain: float
    expert: float = 0.0

    def count_bytes(self, sizes: _Sizes, gated: bool, ranks: int) -> float:
        """The bytes of a layer on one rank of tensor parallelism."""
        inner = self.queries * sizes.queries + self.keys * sizes.keys
        inner += (self.gated if gated else self.plain) * sizes.intermediate
        return (self.hidden + self.expert * sizes.chosen) * sizes.hidden + inner / ranks


LEAST = Kept(hidden=4, queries=4, keys=4, gated=4, plain=2)
"""Inputs of the norms; queries, keys, values, output of attention; inputs of the MLP's product or activation."""
MOST_FUSED = Kept(hidden=16, queries=8, keys=6, gated=8, plain=6, expert=2)
LEAST_STANDARD = Kept(hidden=8, queries=4, keys=4, gated=6, plain=4)
"""The least, inputs of the linear layers, and the output of the activation."""
MOST_STANDARD = Kept(hidden=20, queries=10, keys=6, gated=8, plain=12, expert=4)
"""Norms in 32 bits, keys and values repeated for each query, and every operation of the MLP and of its activation."""
BOUNDS = {"fused": (LEAST, MOST_FUSED), "standard": (LEAST_STANDARD, MOST_STANDARD), None: (LEAST, MOST_STANDARD)}
WITHOUT_SHAPE = (10, 90)
"""Bytes for each element of hidden where the width of the MLP is unknown: 34 of Korthikanti, 2 x 48 of Gemma 1.1."""


@dataclass(frozen=True)
class _Sizes:
    hidden: float
    queries: float
    keys: float
    intermediate: float
    chosen: float


def count_layer_bytes(setup: Setup) -> Bounds:
    """The bytes that one layer keeps for one token, without the scores of attention."""
    given = setup.inputs
    h = float(given.hidden or 0)
    wide = setup.weight / 2
    narrow = 1.0 if setup.is_on("torch_autocast", "enabled") else wide
    if given.intermediate is None:
        setup.note_missing("intermediate", "a narrower range of the activations")
        return WITHOUT_SHAPE[0] * h * narrow, WITHOUT_SHAPE[1] * h * wide
    head = float(given.head_dim or (h / given.heads if given.heads else 0))
    queries = (given.heads or 0) * head or h
    keys = (given.kv_heads or given.heads or 0) * head or h
    sizes = _Sizes(h, queries, keys, float(given.intermediate), float(given.experts_per_token or 0))
    low, high = (kept.count_bytes(sizes, given.matrices == 3, setup.tensor) for kept in BOUNDS[given.kernels])
    return low * narrow, high * wide


def _count_score_bytes(setup: Setup) -> Bounds:
    given = setup.inputs
    if given.attention == "flash" or given.recompute == "selective" or not given.heads or not given.sequence:
        return 0.0
    one = float(given.heads) / setup.tensor / setup.sequence_ranks * given.sequence * setup.weight / 2
    return (2 * one if given.attention == "standard" else 0.0, 10 * one)


def _list_logits(setup: Setup, symbols: dict[str, Bounds]) -> Iterator[Item]:
    if "v" not in symbols:
        setup.note_missing("vocabulary", "logits")
    if not all(name in symbols for name in "bsv"):
        return
    if setup.inputs.loss is None:
        setup.note_missing("loss", "a lower bound of the logits")
    split = setup.tensor if setup.is_on("tensor_parallel", "vocab_parallel_lm_head") else 1
    source = "logits in 16 bits, in 32 bits, their gradient; ml-engineering, training/performance"
    numbers = {**symbols, "t": split}
    low, high = {
        "standard": ("6 * b * s * v / t", "14 * b * s * v / t"),
        "tiled": ("0", "14 * b * s * v / t / 8"),
        None: ("0", "14 * b * s * v / t"),
    }[setup.inputs.loss]
    yield make_item("logits", low, high, numbers, source, [BACKWARD])
