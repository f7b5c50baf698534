"""What ZeRO leaves on an accelerator: weights, gradients, optimizer states, gathered layers and buckets."""

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
"""Symbols of what an accelerator holds; others are in `symbols.SYMBOLS`."""


@dataclass(frozen=True)
class Row:
    """The bounds of the gradients at some moments."""

    at: tuple[str, ...]
    low: str
    high: str
    source: str = STAGE_1_2


FUSED = "deepspeed/runtime/fp16/fused_optimizer.py"
GRADIENTS: dict[str, tuple[Row, ...]] = {
    "0": (
        Row((BACKWARD,), "0", "k * g * T"),
        Row((LAYERS,), "0", "g * T"),
        Row((REDUCED,), "g * T", "g * T"),
        Row((STEP,), "4 * T", "(g + 8) * T", FUSED),
    ),
    "0, 32 bits": (
        Row((BACKWARD,), "0", "k * g * T"),
        Row((LAYERS,), "0", "g * T"),
        Row((REDUCED, STEP), "g * T", "g * T"),
    ),
    "1": (
        Row((BACKWARD,), "0", "k * g * T"),
        Row((LAYERS,), "0", "g * T"),
        Row((REDUCED,), "g * T", "g * T + g * F / D"),
        Row((STEP,), "4 * F / D", "(4 + 2 * g) * F / D"),
    ),
    "1, bf16 with gradients in 32 bits": (
        Row((BACKWARD, REST), "4 * T", "4 * T", "deepspeed/runtime/bf16_optimizer.py"),
        Row((LAYERS, REDUCED, STEP), "4 * T", "(4 + w) * T", "deepspeed/runtime/bf16_optimizer.py"),
    ),
    "1, offloaded": (
        Row((BACKWARD,), "0", "k * g * T"),
        Row((LAYERS, REDUCED, STEP), "0", "g * T"),
    ),
    "2": (
        Row((BACKWARD,), "0", "k * g * F / D"),
        Row((LAYERS,), "0", "g * F / D"),
        Row((REDUCED,), "g * F / D", "g * F / D"),
        Row((STEP,), "4 * F / D", "(4 + 2 * g) * F / D"),
    ),
    "2, offloaded": (),
    "3": (
        Row((BACKWARD, LAYERS, REDUCED, REST), "g * F / Z", "g * F / Z", f"{STAGE_3}, grad_partitions_flat_buffer"),
        Row((STEP,), "g * F / Z + 4 * min(F / Z, u)", "g * F / Z + 4 * min(F / Z, u)", f"{STAGE_3}, sub_group_size"),
    ),
    "3, gradients in 32 bits": (
        Row((BACKWARD, LAYERS, REDUCED, REST), "g * F / Z", "g * F / Z", f"{STAGE_3}, grad_partitions_flat_buffer"),
        Row((STEP,), "g * F / Z", "g * F / Z + 4 * min(F / Z, u)", f"{STAGE_3}, sub_group_size"),
    ),
    "3, offloaded": (),
}
"""Stage of ZeRO and what changes it -> what an accelerator holds of the gradients."""


def list_items(setup: Setup, symbols: dict[str, Bounds]) -> Iterator[Item]:
    """All items of the states, at all moments."""
    yield from _list_weights(setup, symbols)
    yield from _list_optimizer(setup, symbols)
    yield from _list_gradients(setup, symbols)
    yield from _list_gathered(setup, symbols)
    yield from _list_buckets(setup, symbols)


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
