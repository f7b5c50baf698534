"""What an accelerator holds: each feature of DeepSpeed that changes memory is in, and the bounds keep their order."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsgen.estimate import estimates, setup
from dsgen.estimate.formulas import REDUCED, STEP, Item, list_items_at
from dsgen.estimate.inputs import Inputs
from tests.estimate.jobs import MODEL, config, known, values

pytestmark = pytest.mark.slow

GIB = 2**30
P = MODEL.parameters or 0


def items(given: dict[str, Any], inputs: Inputs = MODEL, replicas: int = 1, slots: int = 8) -> list[Item]:
    return estimates.list_held_items(setup.make_setup(values(given, replicas, slots), inputs))


def bounds(name: str, moment: str, found: list[Item]) -> tuple[float, float]:
    some = [one for one in list_items_at(moment, found) if one.name == name]
    return sum(one.low for one in some), sum(one.high for one in some)


def test_each_stage_partitions_more() -> None:
    weights = [bounds("weights", STEP, items(config(stage)))[0] for stage in range(4)]
    optimizer = [bounds("optimizer and its weights", STEP, items(config(stage)))[1] for stage in range(4)]
    gradients = [bounds("gradients", REDUCED, items(config(stage)))[0] for stage in range(4)]

    assert [2 * P, 2 * P, 2 * P, 2 * P / 8] == weights
    assert [12 * P, 12 * P / 8, 12 * P / 8, 12 * P / 8] == optimizer
    assert [2 * P, 2 * P, 2 * P / 8, 2 * P / 8] == gradients


OFFLOAD = {"offload_optimizer": {"device": "cpu"}}
BOTH = {**OFFLOAD, "offload_param": {"device": "cpu"}}
NVME = {"device": "nvme", "nvme_path": "/disk"}
FEW_LIVE = {"stage3_max_live_parameters": 100_000_000, "stage3_max_reuse_distance": 100_000_000}
TORCH = config(2, optimizer={"type": "AdamW", "params": {"torch_adam": True}})
CHANGES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("offloaded optimizer", config(3), config(3, zero=OFFLOAD)),
    ("offloaded weights", config(3, zero=OFFLOAD), config(3, zero=BOTH)),
    ("optimizer on NVMe", config(3), config(3, zero={"offload_optimizer": NVME})),
    ("weights on NVMe", config(3, zero=OFFLOAD), config(3, zero={**OFFLOAD, "offload_param": NVME})),
    ("less partly offloaded", config(3), config(3, zero={"offload_optimizer": {"device": "cpu", "ratio": 0.5}})),
    ("Lion", config(2), config(2, optimizer={"type": "Lion"})),
    ("SGD", TORCH, config(2, optimizer={"type": "SGD"}, zero_allow_untested_optimizer=True)),
    ("gradients in 16 bits", config(1, data_types={"grad_accum_dtype": "fp32"}), config(1)),
    ("16 bits", config(2, bf16={"enabled": False}), config(2)),
    ("smaller buckets", config(2), config(2, zero={"reduce_bucket_size": 1000000})),
    ("no overlap", config(2, zero={"overlap_comm": True}), config(2)),
    ("fewer live parameters", config(3), config(3, zero=FEW_LIVE)),
    ("tensor parallelism", config(2), config(2, tensor_parallel={"autotp_size": 2})),
    ("sequence parallelism", config(2, 4), config(2, 4, sequence_parallel_size=2)),
    ("a smaller batch", config(2, 4), config(2, 1)),
    ("checkpoints on the CPU", config(2, 4), config(2, 4, activation_checkpointing={"cpu_checkpointing": True})),
    ("no second copy (hpZ)", config(3, zero={"zero_hpz_partition_size": 8}), config(3)),
]


@pytest.mark.parametrize(("more", "less"), [case[1:] for case in CHANGES], ids=[case[0] for case in CHANGES])
def test_a_feature_saves_memory(more: dict[str, Any], less: dict[str, Any]) -> None:
    largest, smaller = (known(estimates.estimate_job(values(one), MODEL).per_accelerator) for one in (more, less))

    assert smaller.low <= largest.low
    assert smaller.high <= largest.high
    assert (smaller.low, smaller.high) != (largest.low, largest.high)


def test_mics_partitions_in_a_group() -> None:
    given = config(3, zero={"mics_shard_size": 4})
    job = values(given, 2, 4)

    assert (2 * P / 4, 2 * P / 4) == bounds("weights", STEP, estimates.list_held_items(setup.make_setup(job, MODEL)))


def test_frozen_weights_have_neither_gradients_nor_states() -> None:
    frozen = replace(MODEL, trainable=P // 100)
    found = items(config(3), frozen)

    assert 2 * P / 8 == bounds("weights", STEP, found)[0]
    assert 12 * (P // 100) / 8 == pytest.approx(bounds("optimizer and its weights", STEP, found)[0])


def test_quantized_frozen_weights_have_one_byte() -> None:
    given = config(3, zero={"zero_quantized_nontrainable_weights": True})
    found = items(given, replace(MODEL, trainable=0))

    assert P / 8 == bounds("weights", STEP, found)[0]


def test_experts_are_divided_by_their_ranks() -> None:
    experts = replace(MODEL, experts=8, experts_per_token=2, expert_parameters=6_000_000_000)
    given = config(2, expert_parallel={"enabled": True, "autoep_size": 4})
    low, _ = bounds("weights", STEP, items(given, experts))

    assert 2 * (P - 6e9 + 6e9 / 4) == low


@pytest.mark.parametrize(
    ("optimizer", "bytes_of_state"), [("AdamW", 8), ("Lion", 4), ("adamw_bnb_8bit", 2), ("adafactor", 4), ("sgd", 0)]
)
def test_optimizers_keep_different_states(optimizer: str, bytes_of_state: int) -> None:
    given = config(1)
    del given["optimizer"]
    found = items(given, replace(MODEL, optimizer=optimizer))

    assert (4 + bytes_of_state) * P / 8 == bounds("optimizer and its weights", STEP, found)[0]


def test_offloaded_lion_keeps_a_second_moment() -> None:
    offload = {"offload_optimizer": {"device": "cpu"}}

    for zero, states in ((offload, 8), ({}, 4)):
        job = setup.make_setup(values({**config(2, zero=zero), "optimizer": {"type": "Lion"}}), MODEL)
        assert states == job.optimizer.low == job.optimizer.high


def test_an_unknown_optimizer_gives_a_range_and_is_missed() -> None:
    given = config(1)
    del given["optimizer"]
    estimate = estimates.estimate_job(values(given), MODEL)

    assert "estimate.model.optimizer" in [one.key for one in estimate.missing]
    assert (4 * P / 8, 12 * P / 8) == bounds("optimizer and its weights", STEP, items(given))


def test_masters_and_states_in_16_bits_are_half() -> None:
    half = {"enabled": True, "bf16_master_weights_and_grads": True, "bf16_optimizer_states": True}
    found = items(config(2, bf16=half, zero={"offload_optimizer": {"device": "none"}}))

    assert 6 * P / 8 == bounds("optimizer and its weights", STEP, found)[0]


@pytest.mark.parametrize(
    ("key", "given"),
    [
        ("training.deepspeed.config.pipeline", config(1, pipeline={"stages": 2})),
        (
            "training.deepspeed.config.zero_optimization.zenflow",
            config(2, zero={**OFFLOAD, "zenflow": {"topk_ratio": 0.1}}),
        ),
        ("training.deepspeed.config.compile.deepcompile", config(3, compile={"deepcompile": True})),
        ("training.deepspeed.config.hybrid_engine.enabled", config(3, hybrid_engine={"enabled": True})),
    ],
)
def test_what_no_formula_has_is_named(key: str, given: dict[str, Any]) -> None:
    estimate = estimates.estimate_job(values(given), MODEL)

    assert [key] == [one.key for one in estimate.left_out]
    assert not estimate.is_complete


def test_a_model_without_shape_has_a_lower_bound_only() -> None:
    estimate = estimates.estimate_job(values(config(2)), Inputs(parameters=P))
    keys = [one.key for one in estimate.missing]

    assert not estimate.is_complete
    assert known(estimate.per_accelerator).low >= 2 * P + 16 * P / 8
    assert {"estimate.model.sequence", "estimate.model.layers", "estimate.model.vocabulary"} <= set(keys)


def test_complete_inputs_give_a_narrow_range() -> None:
    for stage in range(4):
        estimate = estimates.estimate_job(values(config(stage)), MODEL)
        held = known(estimate.per_accelerator)
        assert estimate.is_complete
        assert held.high <= 2 * held.low, f"stage {stage}: {held.low / GIB:.1f} to {held.high / GIB:.1f}"


def test_the_items_of_the_fullest_moment_add_up() -> None:
    held = known(estimates.estimate_job(values(config(2)), MODEL).per_accelerator)

    assert held.high == pytest.approx(sum(one.high for one in held.items))
    assert held.low >= sum(one.low for one in held.items) - 1
    assert all(0 <= one.low <= one.high for one in held.items)
    assert all(one.formula and one.numbers and one.source for one in held.items)


stages = st.integers(0, 3)
sizes = st.integers(10**7, 10**12)


@st.composite
def models(draw: st.DrawFn) -> Inputs:
    """A model whose numbers need not fit each other."""
    optional = {
        "layers": st.integers(1, 200),
        "hidden": st.integers(64, 32768),
        "heads": st.integers(1, 128),
        "intermediate": st.integers(64, 131072),
        "vocabulary": st.integers(100, 300000),
        "sequence": st.integers(1, 1 << 20),
        "recompute": st.sampled_from(("none", "selective", "full")),
        "attention": st.sampled_from(("standard", "flash")),
        "loss": st.sampled_from(("standard", "tiled")),
        "kernels": st.sampled_from(("standard", "fused")),
    }
    numbers: dict[str, Any] = {name: draw(st.none() | choice) for name, choice in optional.items()}
    parameters = draw(sizes)
    trained = draw(st.none() | st.integers(0, parameters))
    largest = draw(st.none() | st.integers(1, parameters))
    return Inputs(parameters=parameters, trainable=trained, largest_layer=largest, **numbers)


@settings(max_examples=300)
@given(models(), stages, st.integers(1, 16), st.integers(1, 6), st.sampled_from(("none", "cpu")))
def test_more_gpus_never_need_more_memory_each(
    inputs: Inputs, stage: int, slots: int, doublings: int, offload: str
) -> None:
    zero = {"offload_optimizer": {"device": offload}}
    given = config(stage, 1, gradient_accumulation_steps=1, zero=zero)
    few = known(estimates.estimate_job(values(given, 1, slots), inputs).per_accelerator)
    many = known(estimates.estimate_job(values(given, 2**doublings, slots), inputs).per_accelerator)

    assert many.low <= few.low * (1 + 1e-9)
    assert many.high <= few.high * (1 + 1e-9)


@settings(max_examples=300)
@given(models(), stages, st.integers(1, 8), st.integers(1, 64))
def test_bounds_are_in_order_and_finite(inputs: Inputs, stage: int, slots: int, micro: int) -> None:
    estimate = estimates.estimate_job(values(config(stage, micro), 2, slots), inputs)
    held, worker = known(estimate.per_accelerator), known(estimate.per_worker)

    assert 0 < held.low <= held.high < float("inf")
    assert 0 < worker.low <= worker.high < float("inf")
    assert all(0 <= one.low <= one.high for one in (*held.items, *worker.items))


@settings(max_examples=200)
@given(models(), stages, st.integers(1, 8), st.integers(1, 32))
def test_a_larger_batch_never_needs_less(inputs: Inputs, stage: int, slots: int, micro: int) -> None:
    one, more = (
        known(estimates.estimate_job(values(config(stage, size), 1, slots), inputs).per_accelerator)
        for size in (micro, 2 * micro)
    )

    assert one.low <= more.low
    assert one.high <= more.high


@settings(max_examples=200)
@given(sizes, st.integers(1, 512))
def test_a_higher_stage_never_holds_more_states(parameters: int, slots: int) -> None:
    names = ("weights", "optimizer and its weights", "gradients")
    sums = []
    for stage in range(4):
        job = setup.make_setup(values(config(stage), 1, slots), Inputs(parameters=parameters))
        found = [one for one in list_items_at(REDUCED, estimates.list_held_items(job)) if one.name in names]
        sums.append(sum(one.low for one in found))

    assert sums[1:] == sorted(sums[1:], reverse=True)
