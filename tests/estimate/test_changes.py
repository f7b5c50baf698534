"""The cheapest change with which a job fits, in a fixed order, and sweeps."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from dsgen.estimate import changes, estimates
from dsgen.estimate.changes import Remedy, find_cheapest, sweep
from dsgen.estimate.estimates import Estimate
from dsgen.values import make_job
from tests.estimate.jobs import MODEL, config, values

GIB = 2**30
H100 = replace(MODEL, product="H100", network=400e9)


def remedy(given: dict[str, Any], memory: float, replicas: int = 1, **numbers: Any) -> Remedy:
    found = find_cheapest(values(given, replicas), replace(H100, memory=memory * GIB, **numbers))
    assert found
    assert changes.fits(found.estimate)
    return found


def names(found: Remedy) -> list[str]:
    return [change.name for change in found.changes]


def test_a_smaller_micro_batch_comes_first() -> None:
    found = remedy(config(2, 16, gradient_accumulation_steps=1), 80)

    assert ["a smaller micro batch"] == names(found)
    path = ("training", "deepspeed", "config")
    micro = found.edits[(*path, "train_micro_batch_size_per_gpu")]
    assert 16 == micro * found.edits[(*path, "gradient_accumulation_steps")]


def test_then_activations_are_recomputed() -> None:
    found = remedy(config(2, 1), 64, recompute="none", sequence=12288, loss="tiled")

    assert ["recomputed activations"] == names(found)
    assert {("estimate", "model", "recompute"): "full"} == found.edits


def test_then_the_stage_is_raised() -> None:
    assert ["stage 3 of ZeRO"] == names(remedy(config(2), 40))


def test_then_states_are_offloaded() -> None:
    assert ["the optimizer offloaded to the CPU"] == names(remedy(config(3), 29))


def test_several_changes_are_combined_if_none_is_enough() -> None:
    found = remedy(config(0, 4), 29)

    assert len(found.changes) > 1
    assert ["a smaller micro batch", "stage 3 of ZeRO"] == names(found)[:2]


def test_workers_come_last() -> None:
    found = remedy(config(3, 1, zero={"offload_optimizer": {"device": "cpu"}, "offload_param": {"device": "cpu"}}), 400)
    assert found

    only = [change.name for change in changes._add_workers(changes.Job(values(config(3)), H100))]
    assert "2 workers" == only[0]
    assert "1024 workers" == only[-1]


def test_a_fixed_batch_stays_valid_with_more_workers() -> None:
    given = config(3, 1, train_batch_size=64, gradient_accumulation_steps=8)
    for change in changes._add_workers(changes.Job(values(given), H100)):
        job = changes.apply_edits(changes.Job(values(given), H100), change.edits)
        settings = job.values["training"]["deepspeed"]["config"]
        product = settings["train_micro_batch_size_per_gpu"] * settings["gradient_accumulation_steps"]
        assert settings["train_batch_size"] == product * job.values["workers"]["replicas"] * 8


def test_nothing_helps_a_model_that_is_far_too_large() -> None:
    huge = replace(H100, parameters=10**15, layers=None, largest_layer=10**13, memory=GIB)

    assert find_cheapest(values(config(0)), huge) is None


def test_a_change_that_does_not_validate_is_not_proposed() -> None:
    def without_stage_3(changed: Mapping[str, Any], _: Estimate) -> bool:
        return changed["training"]["deepspeed"]["config"]["zero_optimization"]["stage"] < 3

    found = find_cheapest(values(config(2)), replace(H100, memory=40 * GIB), without_stage_3)

    assert found
    assert "stage 3 of ZeRO" not in names(found)


@pytest.mark.parametrize("memory", [29, 40, 64])
@pytest.mark.parametrize("stage", [0, 1, 2, 3])
def test_an_applied_change_is_valid(stage: int, memory: int) -> None:
    found = remedy(config(stage, 2), memory)
    job = {key: value for key, value in values(config(stage, 2)).items() if key in ("name", "namespace", "image")}
    given: dict[str, Any] = {**job, "workers": {"slots": 8}, "training": {"python": "train.py"}}
    given["training"]["deepspeed"] = {"config": config(stage, 2)}
    edits = {path: value for path, value in found.edits.items() if path[0] != "estimate"}
    changed = make_job(dict(changes.apply_edits(changes.Job(given, H100), edits).values))

    assert [] == [one for one in changed.problems() if one.severity == "error"]


def test_values_are_not_changed_in_place() -> None:
    given = values(config(2))
    before = estimates.estimate_job(given, H100)
    find_cheapest(given, replace(H100, memory=30 * GIB))

    assert before == estimates.estimate_job(given, H100)


def test_a_sweep_has_every_combination_and_marks_the_cheapest() -> None:
    axes = {"workers.replicas": [1, 2, 4], "training.deepspeed.config.zero_optimization.stage": [2, 3]}
    points = sweep(values(config(2)), H100, axes)

    assert 6 == len(points)
    assert [8, 8, 16, 16, 32, 32] == [point.accelerators for point in points]
    assert 1 == sum(point.is_cheapest for point in points)
    best = next(point for point in points if point.is_cheapest)
    assert changes.fits(best.estimate)


def test_a_sweep_may_change_inputs() -> None:
    points = sweep(values(config(2)), H100, {"estimate.model.sequence": [1024, 4096, 1 << 20]})
    highs = [point.estimate.per_accelerator.high for point in points if point.estimate.per_accelerator]

    assert sorted(highs) == highs
    assert len(set(highs)) == 3


def test_a_sweep_in_which_nothing_fits_marks_nothing() -> None:
    points = sweep(values(config(0)), replace(H100, memory=GIB), {"workers.replicas": [1, 2]})

    assert not any(point.is_cheapest for point in points)
