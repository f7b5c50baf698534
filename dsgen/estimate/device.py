"""What an accelerator holds: what ZeRO leaves of weights, gradients and states, buckets, activations and logits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dsgen.deepspeed.combinations import ZERO
from dsgen.deepspeed.keys import parse_version
from dsgen.estimate.formulas import BACKWARD, LAYERS, REDUCED, REST, RUNNING, START, STEP, Bounds, Item, make_item
from dsgen.estimate.setup import Setup

PAPER = "ZeRO, arXiv 1910.02054, section 3.1"
STAGE_1_2 = "deepspeed/runtime/zero/stage_1_and_2.py"
STAGE_3 = "deepspeed/runtime/zero/stage3.py"
DEFAULTS = "deepspeed/runtime/zero/config.py"
BUCKET = 5e8
"""Default of reduce_bucket_size and allgather_bucket_size, elements."""
WHOLE_STATES = "0.17.6"
"""From this version on, stage 0 with bf16 keeps whole optimizer states; earlier ones partition them."""
SYMBOLS = {
    "k": "1 if gradients of earlier micro batches are kept meanwhile, otherwise 0",
    "u": "parameters of a sub group (sub_group_size)",
    "i": "bytes of intermediate results of the optimizer for a parameter",
    "H": "ranks of a group that keeps a second copy (hpZ)",
    "M": "stage3_max_live_parameters",
    "U": "stage3_max_reuse_distance",
    "B": "stage3_prefetch_bucket_size",
    "R": "reduce_bucket_size",
    "n": "buckets of gradients: 2 if communication overlaps with the backward pass",
    "A": "allgather_bucket_size",
    "y": "ranks among which the inputs of recomputed layers are partitioned",
}
"""Symbols of what an accelerator holds; others are in `setup.SYMBOLS`."""


@dataclass(frozen=True)
class GradientRow:
    """The bounds of the gradients at some moments."""

    at: tuple[str, ...]
    low: str
    high: str
    source: str = STAGE_1_2


FUSED = "deepspeed/runtime/fp16/fused_optimizer.py"
UNREDUCED = (GradientRow((BACKWARD,), "0", "k * g * T"), GradientRow((LAYERS,), "0", "g * T"))
PARTITIONED = GradientRow(
    (BACKWARD, LAYERS, REDUCED, REST), "g * F / Z", "g * F / Z", f"{STAGE_3}, grad_partitions_flat_buffer"
)
GRADIENTS: dict[str, tuple[GradientRow, ...]] = {
    "0": (
        *UNREDUCED,
        GradientRow((REDUCED,), "g * T", "g * T"),
        GradientRow((STEP,), "4 * T", "(g + 8) * T", FUSED),
    ),
    "0, 32 bits": (
        *UNREDUCED,
        GradientRow((REDUCED, STEP), "g * T", "g * T"),
    ),
    "1": (
        *UNREDUCED,
        GradientRow((REDUCED,), "g * T", "g * T + g * F / D"),
        GradientRow((STEP,), "4 * F / D", "(4 + 2 * g) * F / D"),
    ),
    "1, bf16 with gradients in 32 bits": (
        GradientRow((BACKWARD, REST), "4 * T", "4 * T", "deepspeed/runtime/bf16_optimizer.py"),
        GradientRow((LAYERS, REDUCED, STEP), "4 * T", "(4 + w) * T", "deepspeed/runtime/bf16_optimizer.py"),
    ),
    "1, offloaded": (
        GradientRow((BACKWARD,), "0", "k * g * T"),
        GradientRow((LAYERS, REDUCED, STEP), "0", "g * T"),
    ),
    "2": (
        GradientRow((BACKWARD,), "0", "k * g * F / D"),
        GradientRow((LAYERS,), "0", "g * F / D"),
        GradientRow((REDUCED,), "g * F / D", "g * F / D"),
        GradientRow((STEP,), "4 * F / D", "(4 + 2 * g) * F / D"),
    ),
    "2, offloaded": (),
    "3": (
        PARTITIONED,
        GradientRow(
            (STEP,), "g * F / Z + 4 * min(F / Z, u)", "g * F / Z + 4 * min(F / Z, u)", f"{STAGE_3}, sub_group_size"
        ),
    ),
    "3, gradients in 32 bits": (
        PARTITIONED,
        GradientRow((STEP,), "g * F / Z", "g * F / Z + 4 * min(F / Z, u)", f"{STAGE_3}, sub_group_size"),
    ),
    "3, offloaded": (),
}
"""Stage of ZeRO and what changes it -> what an accelerator holds of the gradients."""


def list_items(setup: Setup, symbols: dict[str, Bounds]) -> Iterator[Item]:
    """All items, at all moments, as far as the inputs go; notes which are missing."""
    yield from _list_weights(setup, symbols)
    yield from _list_optimizer(setup, symbols)
    yield from _list_gradients(setup, symbols)
    yield from _list_gathered(setup, symbols)
    yield from _list_buckets(setup, symbols)
    yield from _list_activations(setup, symbols)
    yield from _list_logits(setup, symbols)


# -- states -----------------------------------------------------------------------------------------------------------


def _list_weights(setup: Setup, symbols: dict[str, Bounds]) -> Iterator[Item]:
    if setup.stage < 3:
        yield make_item("weights", "w * P", "w * P", symbols, PAPER)
        yield make_item("flat copy of the weights", "0", "w * T", symbols, f"{STAGE_1_2}, flatten", [START])
        return
    if setup.parameter_device == "none":
        quantized = setup.is_on(ZERO, "zero_quantized_nontrainable_weights")
        low = "(w * T + 1 * (P - T)) / Z" if quantized else "w * P / Z"
        yield make_item("weights", low, "w * P / Z", symbols, PAPER)
    second = setup.config.read_number(ZERO, "zero_hpz_partition_size") or 1
    if second > 1:
        hpz = {**symbols, "H": second}
        name, copy = "second copy of the weights (hpZ)", "w * P / H"
        source = "ZeRO++, arXiv 2306.10209; dropped by invalidate_secondary_tensor (deepspeed/runtime/zero/stage3.py)"
        yield make_item(name, copy, copy, hpz, source, [BACKWARD, LAYERS, REDUCED, STEP])
        yield make_item(name, "0", copy, hpz, source, [START, REST])
    threshold, hidden = setup.read_zero("param_persistence_threshold", 1e5), setup.inputs.hidden
    if hidden and setup.inputs.layers:
        small = "w * min(P, 13 * l * h)" if threshold is None or hidden * hidden > threshold else "w * P"
        yield make_item(
            "weights that are not partitioned", "0", small, symbols, f"{DEFAULTS}, param_persistence_threshold"
        )


def _list_optimizer(setup: Setup, symbols: dict[str, Bounds]) -> Iterator[Item]:
    name = "optimizer and its weights"
    if setup.stage == 0:
        yield make_item(name, _choose_low_of_stage_0(setup), "(m + o) * T", symbols, PAPER, RUNNING)
    elif setup.optimizer_device == "none":
        yield make_item(name, "(m + o) * F / Z", "(m + o) * F / Z", symbols, PAPER, RUNNING)
    elif setup.offloaded < 1:
        formula, source = "(m + o) * F / Z * (1 - r)", f"{STAGE_3}, offload_optimizer.ratio"
        yield make_item(f"{name}, the share that stays", formula, formula, symbols, source, RUNNING)
    if setup.optimizer_device == "none" and not _is_fused(setup):
        part = {0: "T", 3: "min(F / Z, u)"}.get(setup.stage, "F / D")
        numbers = {**symbols, "u": setup.read_zero("sub_group_size", 1e9) or 1e9, "i": setup.optimizer.temporary}
        source = "torch/optim/adamw.py: the denominators of all weights, and an intermediate result"
        yield make_item("temporaries of the optimizer", "0", f"i * {part}", numbers, source, [STEP])


def _is_fused(setup: Setup) -> bool:
    """Whether DeepSpeed creates its fused optimizer, which needs no temporaries."""
    name, torchs = str(setup.config.get("optimizer", "type")).lower(), setup.is_on("optimizer", "params", "torch_adam")
    return not setup.is_cpu and not torchs and name in ("adam", "adamw", "lamb", "lion")


def _choose_low_of_stage_0(setup: Setup) -> str:
    is_new = setup.version and parse_version(setup.version) >= parse_version(WHOLE_STATES)
    return "(m + o) * T / D" if setup.precision == "bf16" and not is_new else "(m + o) * T"


def _list_gradients(setup: Setup, symbols: dict[str, Bounds]) -> Iterator[Item]:
    """What exists of the gradients at each moment. k: whether those of earlier micro batches are kept meanwhile."""
    numbers = {
        **symbols,
        "k": 0 if setup.accumulation == 1 else 1,
        "u": setup.read_zero("sub_group_size", 1e9) or 1e9,
    }
    for row in GRADIENTS[_choose_row(setup)]:
        yield make_item("gradients", row.low, row.high, numbers, row.source, row.at)


def _choose_row(setup: Setup) -> str:
    """The row of GRADIENTS of a job."""
    if _is_bf16_optimizer(setup):
        return "1, bf16 with gradients in 32 bits"
    if setup.stage == 0 and setup.master == 0:
        return "0, 32 bits"
    if setup.stage == 3 and setup.gradient == 4:
        return "3, offloaded" if setup.optimizer_device != "none" else "3, gradients in 32 bits"
    return f"{setup.stage}, offloaded" if setup.optimizer_device != "none" else f"{setup.stage}"


def _is_bf16_optimizer(setup: Setup) -> bool:
    """Stage 1 with bf16 and gradients in 32 bits has an optimizer of its own (`_do_optimizer_sanity_check` of
    deepspeed/runtime/engine.py).
    """
    plain = setup.stage == 1 and setup.optimizer_device == "none"
    return plain and setup.precision == "bf16" and setup.gradient == 4 and setup.weight == 2


# -- gathered layers and buckets --------------------------------------------------------------------------------------


def _list_gathered(setup: Setup, symbols: dict[str, Bounds]) -> Iterator[Item]:
    """Stage 3 gathers layers before they are used, and others ahead."""
    if setup.stage < 3:
        return
    live = {
        **symbols,
        "M": setup.read_stage_3("max_live_parameters"),
        "U": setup.read_stage_3("max_reuse_distance"),
        "B": setup.read_stage_3("prefetch_bucket_size"),
    }
    name, source = (
        "gathered layers",
        f"{DEFAULTS}, stage3_max_live_parameters, _max_reuse_distance and _prefetch_bucket_size",
    )
    high = "w * min(P, max(M, U / 2 + L) + B) + w * min(P, max(B, L))"
    low = "min(w, q) * L" if _ends_with_largest(setup) else "0"
    yield make_item(name, low, high, live, source, [BACKWARD])
    yield make_item(name, "0", f"{high} + g * L", live, source, [LAYERS])
    trained = setup.inputs.trainable is None or setup.inputs.trainable == setup.inputs.parameters
    yield make_item(name, "2 * min(w, q) * L" if trained else "0", f"{high} + g * L", live, source, [REDUCED])


def _ends_with_largest(setup: Setup) -> bool:
    """Whether the largest layer is the last one, whose weights the loss needs."""
    given = setup.inputs
    last = (given.vocabulary or 0) * (given.hidden or 0)
    return bool(given.loss == "standard" and last and (given.largest_layer or 0) == last and setup.tensor == 1)


def _list_buckets(setup: Setup, symbols: dict[str, Bounds]) -> Iterator[Item]:
    if setup.stage == 0 or _is_bf16_optimizer(setup):
        return
    default = float(setup.inputs.hidden**2) if setup.inputs.hidden else BUCKET  # what Hugging Face fills in for auto
    given = setup.read_zero("reduce_bucket_size", BUCKET)
    size = default if given is None else given
    overlaps = setup.stage == 3 or setup.is_on(ZERO, "overlap_comm")
    number = {
        **symbols,
        "R": size,
        "n": 2 if overlaps else 1,
        "A": setup.read_zero("allgather_bucket_size", BUCKET) or BUCKET,
    }
    contiguous = str(setup.config.get(ZERO, "contiguous_gradients")).lower() != "false"
    sure = contiguous and given is not None and not setup.is_cpu  # memory of a CPU counts when it is written to
    high = "n * max(w, q) * min(R, T)" if setup.is_cpu else "n * max(w, q) * R"
    low = "min(w, q) * R" if sure else "0"
    name, source = "buckets of gradients", f"{DEFAULTS}, reduce_bucket_size"
    if setup.stage == 3:
        if setup.is_cpu and contiguous and not setup.inputs.experts:  # an expert without tokens has no gradient
            low = "min(w, q) * max(0, min(T, R - L))"
        yield make_item(name, "0" if setup.is_cpu else low, high, number, source, [BACKWARD, LAYERS])
        yield make_item(name, low, high, number, source, [REDUCED, STEP])
        yield make_item(name, low, high, {**number, "n": 1}, source, [REST])
        return
    yield make_item(name, low, high, number, source, [BACKWARD, LAYERS])
    yield make_item(name, "0", high, number, source, [REDUCED])
    if setup.optimizer_device != "none":
        yield make_item("gradient on its way to the CPU", "0", "w * max(L, 0.01 * P)", symbols, STAGE_1_2)
    yield make_item("bucket of weights", "0", "w * min(A, P)", number, f"{DEFAULTS}, allgather_bucket_size", [STEP])


# -- activations and logits, which grow with the batch -----------------------------------------------------------------

KORTHIKANTI = "Korthikanti et al. 2022, arXiv 2205.05198; tensors that torch keeps for each operation"


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
