"""The memory of a worker: its processes, the model while it is loaded, what is offloaded, data loaders and /dev/shm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dsgen.deepspeed.combinations import ZERO
from dsgen.deepspeed.keys import parse_version
from dsgen.estimate.formulas import GIB, Bounds, Item, Total, compute_total, make_item
from dsgen.estimate.setup import Setup, compute_symbols
from dsgen.language.functions import parse_quantity

LOADING = "the model is loaded"
TRAINING = "the training"
MOMENTS = (LOADING, TRAINING)
SYMBOLS = {
    "S": "ranks of a worker",
    "Q": "trained parameters whose states a worker keeps",
    "W": "parameters whose weights a worker keeps",
    "f": "the factor by which pinned memory and copies may exceed what is needed",
    "p": "bytes of a process with PyTorch and DeepSpeed",
    "d": "bytes of the data loaders of a rank",
    "n": "buffers (buffer_count)",
    "u": "parameters of a buffer (buffer_size), or of a sub group (sub_group_size)",
    "i": "parameters that stay in main memory (max_in_cpu)",
}
"""Symbols of what a worker holds; others are in `setup.SYMBOLS`."""
PROCESS = (0.2 * GIB, 3.0 * GIB)
"""What a process holds without the model: less without CUDA, whose libraries take most."""
OFFLOADED = "deepspeed/runtime/zero: weights, gradients and states in 32 bits, and buffers in 16"
ESTIMATOR = "DeepSpeed, estimate_zero2_model_states_mem_needs and estimate_zero3_model_states_mem_needs"
FACTOR = 1.5
"""DeepSpeed's allowance for buffers (`additional_buffer_factor`)."""
PINNED = 2.0
"""torch rounds pinned memory up to a power of two (aten/src/ATen/core/CachingHostAllocator.h)."""
NOT_PINNED = "0.17.6"
"""The last known version in which offloaded states are not pinned by default."""


def estimate_memory(setup: Setup, values: Mapping[str, Any], of_rank: Total | None) -> Total | None:
    """What a worker needs when it needs most; None if the parameters or the stage are unknown.

    of_rank: what a rank holds in place of an accelerator, in a job on CPUs.
    """
    items = list_items(setup, values, of_rank)
    return compute_total(items, MOMENTS) if items else None


def list_items(setup: Setup, values: Mapping[str, Any], of_rank: Total | None) -> list[Item]:
    """What a worker holds while the model is loaded, and during the training."""
    if setup.inputs.parameters is None or not setup.config.data:
        return []
    symbols = {**compute_symbols(setup), **_compute_worker_symbols(setup)}
    source = "measured: bench/training; with CUDA 2 to 3 GiB"
    items = [
        make_item("processes", "p * S", "p * S", {**symbols, "p": PROCESS}, source, MOMENTS),
        *_list_loading(setup, symbols),
        *_list_optimizer(setup, symbols),
        *_list_weights(setup, symbols),
        *_list_saved_weights(setup, symbols),
        *_list_layer_inputs(setup, symbols),
        *_list_other(setup, values),
    ]
    if setup.is_cpu and of_rank:
        formula = f"{setup.slots} * what a rank holds"
        held = (setup.slots * of_rank.low, setup.slots * of_rank.high)
        items.append(Item("what the ranks hold", *held, formula, formula, "see the ranks", frozenset([TRAINING])))
    return [item for item in items if item.high > 0]


def _compute_worker_symbols(setup: Setup) -> dict[str, Bounds]:
    symbols = compute_symbols(setup)
    trained, held = symbols["F"], symbols["P"]
    share = setup.slots / setup.copies
    assert isinstance(trained, tuple)
    assert isinstance(held, tuple)
    return {
        "S": setup.slots,
        "Q": (trained[0] * share, trained[1] * share),
        "W": (held[0] * setup.slots / setup.shard, held[1] * setup.slots / setup.shard),
        "f": (1.0, PINNED if _is_pinned(setup) else FACTOR),
    }


def _is_pinned(setup: Setup) -> bool:
    """Whether offloaded states are in pinned memory."""
    if setup.is_cpu:
        return False
    given = [setup.config.get(ZERO, part, "pin_memory") for part in ("offload_optimizer", "offload_param")]
    given.append(setup.config.get(ZERO, "cpu_offload_use_pin_memory"))
    if all(one is None for one in given):
        return not setup.version or parse_version(setup.version) > parse_version(NOT_PINNED)
    return any(str(one).lower() == "true" for one in given)


def _list_loading(setup: Setup, symbols: dict[str, Bounds]) -> Iterator[Item]:
    """Every rank loads the model, unless it is created in parts under zero.Init or on the accelerator."""
    given = setup.inputs.zero_init
    if given is None:
        setup.note_missing("zero_init", "a lower bound of the memory in which the model is loaded")
    low = {None: "0", True: "0", False: "w * P * S"}[given]
    high = "1.5 * 4 * L * S" if given and setup.stage == 3 else "1.5 * 4 * P * S"
    yield make_item("the model while it is loaded", low, high, symbols, ESTIMATOR, [LOADING])


def _list_optimizer(setup: Setup, symbols: dict[str, Bounds]) -> Iterator[Item]:
    name = "optimizer and gradients, offloaded"
    if setup.optimizer_device == "cpu":
        stays = setup.is_on(ZERO, "offload_optimizer", "super_offload")  # how much is known at run time only
        low, high = "0" if stays else "r * (2 * m + o) * Q", "r * (f * (2 * m + g + w) + o) * Q"
        yield make_item(name, low, high, symbols, OFFLOADED, [TRAINING])
    elif setup.optimizer_device == "nvme":
        count = setup.config.read_number(ZERO, "offload_optimizer", "buffer_count") or 4
        numbers = {**symbols, "n": count, "u": setup.read_zero("sub_group_size", 1e9) or 1e9}
        source = "deepspeed/runtime/swap_tensor: buffers of a sub group for each state"
        yield make_item(
            "buffers of the optimizer on NVMe", "0", "2 * f * 4 * n * min(F / Z, u) * S", numbers, source, [TRAINING]
        )
        yield make_item("gradients, offloaded", "0", "f * (4 + g) * Q", symbols, source, [TRAINING])


def _list_weights(setup: Setup, symbols: dict[str, Bounds]) -> Iterator[Item]:
    if setup.parameter_device == "cpu":
        yield make_item("weights, offloaded", "w * W", "f * w * W", symbols, ESTIMATOR, [TRAINING])
    elif setup.parameter_device == "nvme":
        buffers = {
            **symbols,
            "n": setup.config.read_number(ZERO, "offload_param", "buffer_count") or 5,
            "u": setup.config.read_number(ZERO, "offload_param", "buffer_size") or 1e8,
            "i": setup.config.read_number(ZERO, "offload_param", "max_in_cpu") or 1e9,
        }
        low, high = "w * n * u * S", "f * w * (n * u * S + min(W, i * S))"
        yield make_item(
            "buffers of weights on NVMe", low, high, buffers, "deepspeed/runtime/zero/offload_config.py", [TRAINING]
        )


def _list_saved_weights(setup: Setup, symbols: dict[str, Bounds]) -> Iterator[Item]:
    """Stage 3 may gather all weights in the memory of the first rank, to save them in one file."""
    keys = ("gather_16bit_weights_on_model_save", "gather_fp16_weights_on_model_save")
    if setup.stage == 3 and any(setup.is_on(ZERO, f"{prefix}{key}") for key in keys for prefix in ("", "stage3_")):
        source = "deepspeed/runtime/engine.py, _zero3_consolidated_16bit_state_dict"
        yield make_item("all weights, to save them", "0", "w * P", symbols, source, [TRAINING])


def _list_layer_inputs(setup: Setup, symbols: dict[str, Bounds]) -> Iterator[Item]:
    on_cpu = setup.is_on("activation_checkpointing", "cpu_checkpointing") and setup.inputs.recompute == "full"
    if on_cpu and all(name in symbols for name in "bshl"):
        formula, source = "2 * b * s * h * l * S", "activation_checkpointing.cpu_checkpointing"
        yield make_item("inputs of recomputed layers", "0", formula, symbols, source, [TRAINING])


def _list_other(setup: Setup, values: Mapping[str, Any]) -> Iterator[Item]:
    loaders = setup.inputs.loader_memory
    if loaders is None:
        setup.note_missing("loader_memory", "the memory of data loaders")
    else:
        numbers = {"d": loaders, "S": setup.slots}
        yield make_item("data loaders", "0", "d * S", numbers, "estimate.worker.loaderMemory", [TRAINING])
    shared = values["workers"]["sharedMemory"]
    if shared and shared != "unlimited":
        size, source = float(parse_quantity(shared)), "a tmpfs, whose content counts as memory"
        yield Item("/dev/shm", 0, size, "workers.sharedMemory", str(shared), source, frozenset([TRAINING]))
