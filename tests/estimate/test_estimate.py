"""The whole estimate of a job: traffic, time, disk, JSON, and what is missing."""

import json
from dataclasses import replace
from typing import Any

import pytest

from dsgen.estimate import accelerators, estimates, steps
from dsgen.estimate.estimates import Estimate, as_data
from dsgen.estimate.inputs import Inputs
from tests.estimate.jobs import MODEL, config, known, values

P = MODEL.parameters or 0
GB = 10**9
COMPLETE = replace(
    MODEL,
    product="H100",
    network=400e9,
    storage=5e9,
    tokens=1e9,
    price=2.5,
    keep=3,
    zero_init=False,
    loader_memory=2e9,
)


def of(given: dict[str, Any], numbers: Inputs = COMPLETE, replicas: int = 2, slots: int = 8) -> Estimate:
    return estimates.estimate_job(values(given, replicas, slots), numbers)


def test_nothing_is_missing_of_complete_inputs() -> None:
    estimate = of(config(2))

    assert () == estimate.missing
    assert () == estimate.left_out
    assert estimate.is_complete
    assert estimate.fits is True


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("parameters", "estimate.model.parameters"),
        ("sequence", "estimate.model.sequence"),
        ("layers", "estimate.model.layers"),
        ("intermediate", "estimate.model.intermediate"),
        ("vocabulary", "estimate.model.vocabulary"),
        ("recompute", "estimate.model.recompute"),
        ("attention", "estimate.model.attention"),
        ("kernels", "estimate.model.kernels"),
        ("loss", "estimate.model.loss"),
        ("zero_init", "estimate.model.zeroInit"),
        ("product", "estimate.accelerator.product"),
        ("network", "estimate.network"),
        ("storage", "estimate.checkpoints.bandwidth"),
        ("keep", "estimate.checkpoints.keep"),
        ("tokens", "estimate.tokens"),
        ("price", "estimate.accelerator.price"),
        ("loader_memory", "estimate.worker.loaderMemory"),
    ],
)
def test_what_is_missing_is_named_by_its_key(name: str, key: str) -> None:
    missing = of(config(2), replace(COMPLETE, **{name: None})).missing

    assert key in [one.key for one in missing]
    assert all(one.gives for one in missing)


def test_without_a_configuration_nothing_is_computed() -> None:
    given = values(config(2))
    given["training"]["deepspeed"] |= {"config": {}, "configFile": "/job/ds.json"}
    estimate = estimates.estimate_job(given, COMPLETE)

    assert estimate.per_accelerator is estimate.traffic is estimate.checkpoint is None
    assert "configFile" in next(one for one in estimate.missing if one.key == "training.deepspeed.config").gives


def test_auto_is_not_guessed() -> None:
    estimate = of(config(2, None, bf16={"enabled": "auto"}, train_micro_batch_size_per_gpu="auto"))
    keys = [one.key for one in estimate.missing]

    assert "estimate.model.precision" in keys
    assert "training.deepspeed.config.train_micro_batch_size_per_gpu" in keys
    assert estimate.per_accelerator is None


def test_the_program_may_say_what_auto_means() -> None:
    auto = config(2, None, bf16={"enabled": "auto"}, train_micro_batch_size_per_gpu="auto")
    auto["gradient_accumulation_steps"] = "auto"
    said = replace(COMPLETE, precision="bf16", micro_batch=1, accumulation=1)

    assert of(config(2, 1, gradient_accumulation_steps=1)).per_accelerator == of(auto, said).per_accelerator


@pytest.mark.parametrize(
    ("given", "micro", "accumulation"),
    [
        ({"train_batch_size": 64, "train_micro_batch_size_per_gpu": 2}, 2, 2),
        ({"train_batch_size": 64}, 4, 1),
        ({"train_batch_size": 64, "gradient_accumulation_steps": 2}, 2, 2),
        ({"train_micro_batch_size_per_gpu": 3, "gradient_accumulation_steps": 5}, 3, 5),
        ({"train_micro_batch_size_per_gpu": 3}, 3, 1),
    ],
)
def test_the_batch_is_that_of_deepspeed(given: dict[str, Any], micro: int, accumulation: int) -> None:
    job = estimates.setup.make_setup(values(config(2, None, **given), 2, 8), MODEL)

    assert (micro, accumulation) == (job.micro, job.accumulation)
    assert micro * accumulation * 16 == job.samples


# -- traffic ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("stage", "times"), [(0, 2), (1, 3), (2, 3)])
def test_a_step_sends_gradients_and_weights(stage: int, times: int) -> None:
    traffic = known(of(config(stage)).traffic)

    assert times * 2 * P * 15 / 16 == pytest.approx(traffic.per_rank[0])
    assert traffic.per_rank == traffic.per_worker


RELEASED = {"stage3_max_reuse_distance": 0, "stage3_prefetch_bucket_size": 0}
"""No weights stay gathered after the forward pass."""


def test_stage_3_gathers_the_weights_for_each_pass_of_each_micro_batch() -> None:
    numbers = replace(COMPLETE, recompute="none")
    one, two = (
        known(of(config(3, zero=RELEASED, gradient_accumulation_steps=steps), numbers).traffic) for steps in (1, 2)
    )

    assert 3 * 2 * P * 15 / 16 == pytest.approx(one.per_rank[0])
    assert 2 * one.per_rank[0] == pytest.approx(two.per_rank[0])


def test_a_small_model_stays_gathered_until_the_backward_pass() -> None:
    sizes = {"parameters": 200_000_000, "trainable": 200_000_000, "largest_layer": 20_000_000}
    small = replace(COMPLETE, recompute="none", **sizes)
    plain, released = (known(of(config(3, zero=more), small).traffic) for more in ({}, RELEASED))

    assert 2 * 2 * 2e8 * 15 / 16 == pytest.approx(plain.per_rank[0])
    assert 3 * 2 * 2e8 * 15 / 16 == pytest.approx(released.per_rank[0])
    assert plain.per_rank[1] < released.per_rank[0]


def test_one_worker_sends_nothing_to_others() -> None:
    traffic = known(of(config(3), replicas=1).traffic)

    assert (0, 0) == traffic.per_worker
    assert traffic.per_rank[0] > 0


@pytest.mark.parametrize(
    ("zero", "share"),
    [
        ({"zero_quantized_weights": True}, 2 / 3),
        ({"zero_quantized_gradients": True}, 2.25 / 3),
        ({"zero_hpz_partition_size": 8}, 2 / 3),
    ],
)
def test_zero_plus_plus_sends_less_to_other_workers(zero: dict[str, Any], share: float) -> None:
    numbers = replace(COMPLETE, recompute="none")
    plain, less = (known(of(config(3, zero={**RELEASED, **more}), numbers).traffic) for more in ({}, zero))

    assert share * plain.per_worker[0] == pytest.approx(less.per_worker[0])


def test_tensor_and_sequence_parallelism_stay_in_a_worker() -> None:
    for more in ({"tensor_parallel": {"autotp_size": 8}}, {"sequence_parallel_size": 8}):
        traffic = known(of(config(2, **more)).traffic)
        assert traffic.per_rank[0] > traffic.per_worker[0]


# -- time -------------------------------------------------------------------------------------------------------------


def test_a_fast_network_leaves_compute_as_the_bound() -> None:
    step = known(of(config(2, 8)).step)

    assert "compute" == step.bound
    assert 8 * 16 * 4096 == step.tokens
    assert step.tokens / step.high == step.tokens_per_second[0]


def test_a_slow_network_is_the_bound() -> None:
    step = known(of(config(3, zero=RELEASED), replace(COMPLETE, network=10e9)).step)

    assert "network" == step.bound
    assert step.low >= 8 * 3 * 2 * P * 15 / 16 / 10e9


def test_offload_and_nvme_take_their_time() -> None:
    slow = replace(COMPLETE, nvme=6 * GB, network=10e12)
    nvme = {"device": "nvme", "nvme_path": "/disk"}
    offloaded = known(of(config(3, zero={"offload_optimizer": {"device": "cpu"}}), slow).step)
    on_disk = known(of(config(3, zero={"offload_optimizer": nvme}), slow).step)

    assert any(one.name.startswith("offload") for one in offloaded.items)
    assert "nvme" == on_disk.bound
    assert on_disk.low >= 2 * 12 * P / 2 / (6 * GB)


def test_recomputation_costs_a_forward_pass() -> None:
    plain, again = (
        known(steps.count_flops(estimates.setup.make_setup(values(config(2)), replace(MODEL, recompute=how))))
        for how in ("none", "full")
    )

    assert again[0] / plain[0] == pytest.approx(4 / 3)


def test_the_whole_run_has_hours_and_a_price() -> None:
    estimate = of(config(2, 8))
    run = known(estimate.run)

    assert 1e9 / (8 * 16 * 4096) == run.steps
    assert run.steps * known(estimate.step).low / 3600 == pytest.approx(run.hours[0])
    assert 16 * run.hours[1] == pytest.approx(run.accelerator_hours[1])
    assert 2.5 * run.accelerator_hours[0] == pytest.approx(known(run.cost)[0])


# -- disk -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("stage", "times"), [(0, 14), (1, 14), (2, 14), (3, 12)])
def test_a_checkpoint_has_the_weights_and_the_states(stage: int, times: int) -> None:
    saved = known(of(config(stage)).checkpoint)
    assert saved.seconds

    assert times * P == saved.high
    assert times * P / 5e9 == saved.seconds[1]
    assert 4 * times * P == saved.volume
    assert 2 * P == saved.export


@pytest.mark.parametrize(("stage", "peak"), [(0, 0), (1, 26), (3, 26)])
def test_a_conversion_for_other_ranks_is_beside_the_checkpoints(stage: int, peak: int) -> None:
    given = values(config(stage), 2)
    given["training"]["deepspeed"]["resize"]["checkpoint"] = "/c"
    whole, saved = known(of(config(stage)).checkpoint), known(estimates.estimate_job(given, COMPLETE).checkpoint)
    assert whole.volume

    assert (peak * P, peak * P / 2e8) == (
        (saved.conversion.item.high, saved.conversion.seconds) if saved.conversion else (0, 0)
    )
    assert whole.volume + peak * P == saved.volume
    assert whole.conversion is None


@pytest.mark.parametrize(("batch", "least", "fewest"), [(24, 2, 2), (12, 2, 3), (16, 3, None), (24, 0, None)])
def test_the_fewest_workers_after_a_loss_share_the_batch(batch: int, least: int, fewest: int | None) -> None:
    given, smaller = (values(config(3), replicas, 1) for replicas in (4, fewest or 1))
    for job in (given, smaller):
        job["training"]["deepspeed"]["config"] |= {"train_batch_size": batch, "train_micro_batch_size_per_gpu": 4}
    given["workers"]["min"] = least

    fewer = estimates.estimate_job(given, COMPLETE).fewer

    assert (fewest and (fewest, estimates.estimate_job(smaller, COMPLETE))) == (
        fewer and (fewer.workers, fewer.estimate)
    )


def test_frozen_weights_are_saved_without_states() -> None:
    frozen = replace(COMPLETE, trainable=P // 100)
    saved = known(of(config(3), frozen).checkpoint)

    assert 2 * (P - P // 100) + 12 * (P // 100) == saved.high


# -- accelerators -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", accelerators.ROWS, ids=lambda row: row.name)
def test_an_accelerator_is_found_by_its_names(row: accelerators.Accelerator) -> None:
    assert all(accelerators.find(name) == row for name in (row.name, row.name.lower(), *row.labels))
    assert row.source
    assert 10 * 2**30 < row.memory < 400 * 2**30
    assert 50e12 < row.flops < 3000e12
    assert 10e9 < row.host < 1000e9


def test_products_have_different_names() -> None:
    names = [name.lower() for row in accelerators.ROWS for name in (row.name, *row.labels)]

    assert len(names) == len(set(names))


@pytest.mark.parametrize("name", ["", "H1000", "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb", "GeForce RTX 4090"])
def test_unknown_products_and_slices_are_not_guessed(name: str) -> None:
    assert accelerators.find(name) is None


def test_a_node_selector_says_the_product() -> None:
    selector = {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-40GB"}
    estimate = estimates.estimate_job(values(config(2), nodeSelector=selector), replace(COMPLETE, product=None))

    assert 40 * 2**30 == estimate.capacity


def test_a_process_may_have_a_part_of_a_device() -> None:
    trainium = {"accelerator": {"resource": "aws.amazon.com/neuron", "count": 16}}
    estimate = estimates.estimate_job(values(config(2), 1, 32, **trainium), replace(COMPLETE, product="Trainium1"))

    assert 16 * 2**30 == estimate.capacity


def test_too_large_is_said_only_of_the_lower_bound() -> None:
    tiny = replace(COMPLETE, memory=16 * 2**30)
    between = replace(COMPLETE, memory=30 * 2**30)

    assert of(config(2), tiny).fits is False
    assert of(config(2), between).fits is None
    assert of(config(2)).fits is True


# -- workers and JSON -------------------------------------------------------------------------------------------------


def test_loading_needs_a_copy_for_each_rank() -> None:
    held = known(of(config(2)).per_worker)

    assert held.low >= 8 * 2 * P
    assert held.high >= 8 * 1.5 * 4 * P


def test_zero_init_loads_in_parts() -> None:
    whole, parts = (known(of(config(3), replace(COMPLETE, zero_init=init)).per_worker) for init in (False, True))

    assert parts.high < whole.high / 4


def test_on_cpus_the_worker_holds_what_its_ranks_hold() -> None:
    estimate = estimates.estimate_job(values(config(2), 1, 4, accelerator={"count": 0}), COMPLETE)

    assert estimate.capacity is None
    assert known(estimate.per_worker).low >= 4 * known(estimate.per_accelerator).low


def test_shared_memory_counts_up_to_its_size() -> None:
    jobs = (values(config(2), sharedMemory=size) for size in ("", "900Gi"))
    small, large = (known(estimates.estimate_job(job, COMPLETE).per_worker) for job in jobs)

    assert small.low == large.low
    assert large.high >= 900 * 2**30


def test_a_step_is_shown_when_the_engine_holds_more_as_it_starts() -> None:
    """Stage 2 copies the weights when the engine starts; what a step holds is asked for all the same."""
    small = replace(COMPLETE, recompute="full", micro_batch=1, sequence=128)
    held = as_data(of(config(2), small))["perAccelerator"]

    assert ("the engine starts", held["low"]) == (held["moment"], held["inStep"]["low"])
    assert held["inStep"]["high"] < held["high"]
    assert {"gradients", "optimizer and its weights"} <= {one["name"] for one in held["inStep"]["items"]}
    assert as_data(of(config(3)))["perAccelerator"]["inStep"] is None


def test_a_model_of_embeddings_alone_has_no_time() -> None:
    numbers = Inputs(parameters=1000, embedding=1000, sequence=128, micro_batch=1, product="H100")

    assert as_data(of(config(2), numbers))["step"] is None


def test_an_incomplete_range_has_no_upper_bound_in_json() -> None:
    data = as_data(of(config(2), Inputs(parameters=P)))

    assert data["perAccelerator"]["high"] is None
    assert data["perAccelerator"]["low"] > 0
    assert data["step"] is None
    assert data["missing"]


def with_file(text: str, name: str = "ds.json", path: str = "/job/files/ds.json") -> dict[str, Any]:
    """A job whose configuration of DeepSpeed is a file."""
    given = values({})
    given["training"] |= {"files": {name: text}}
    given["training"]["deepspeed"] |= {"configFile": path}
    return given


def test_a_configuration_in_the_files_of_the_job_is_read() -> None:
    assert estimates.estimate_job(values(config(2)), MODEL) == estimates.estimate_job(
        with_file(json.dumps(config(2))), MODEL
    )


@pytest.mark.parametrize(
    "given",
    [
        with_file(json.dumps(config(2)), path="/workspace/ds.json"),
        with_file(json.dumps(config(2)), name="other.json"),
        with_file("{"),
        with_file("[1]"),
        with_file("[" * 100_000),
        with_file(json.dumps(config(2, sequence_parallel_size=-1))),
        with_file(json.dumps(config(7))),
    ],
    ids=["in the image", "another name", "no JSON", "no map", "too deep", "a wrong number", "a wrong stage"],
)
def test_a_configuration_that_is_not_known_is_missing(given: dict[str, Any]) -> None:
    estimate = estimates.estimate_job(given, MODEL)

    assert estimate.per_accelerator is None
    assert "training.deepspeed.config" in {one.key for one in estimate.missing}
