"""The cheapest change with which a job fits, in a fixed order, and sweeps."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from dsgen.estimate import changes, estimates, sweeps
from dsgen.estimate.changes import Remedy, find_cheapest
from dsgen.estimate.estimates import Estimate
from dsgen.estimate.inputs import Inputs
from dsgen.values import make_job
from tests.estimate.jobs import MODEL, config, known, values

GIB = 2**30
H100 = replace(MODEL, product="H100", network=400e9)


def remedy(given: dict[str, Any], memory: float, replicas: int = 1, **numbers: Any) -> Remedy:
    found = known(find_cheapest(values(given, replicas), replace(H100, memory=memory * GIB, **numbers)))
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


@pytest.mark.parametrize(
    ("given", "memory", "numbers", "expected"),
    [
        (config(2, 1), 64, {"recompute": "none", "sequence": 12288, "loss": "tiled"}, ["recomputed activations"]),
        (config(2), 40, {}, ["stage 3 of ZeRO"]),
        (config(3), 29, {}, ["the optimizer offloaded to the CPU"]),
        (config(0, 4), 29, {}, ["a smaller micro batch", "stage 3 of ZeRO"]),  # and more
    ],
)
def test_then_the_cheapest_that_is_enough(
    given: dict[str, Any], memory: float, numbers: dict[str, Any], expected: list[str]
) -> None:
    found = remedy(given, memory, **numbers)

    assert expected == names(found)[:2]
    assert ("recompute" in numbers) == (found.edits == {("estimate", "model", "recompute"): "full"})


def test_workers_come_last() -> None:
    only = [change.name for change in changes._add_workers(changes.ChangeableJob(values(config(3)), H100))]
    assert "2 workers" == only[0]
    assert "1024 workers" == only[-1]


def test_a_fixed_batch_stays_valid_with_more_workers() -> None:
    given = config(3, 1, train_batch_size=64, gradient_accumulation_steps=8)
    for change in changes._add_workers(changes.ChangeableJob(values(given), H100)):
        job = changes.apply_edits(changes.ChangeableJob(values(given), H100), change.edits)
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
    changed = make_job(dict(changes.apply_edits(changes.ChangeableJob(given, H100), edits).values))

    assert [] == [one for one in changed.problems() if one.severity == "error"]


def test_values_are_not_changed_in_place() -> None:
    given = values(config(2))
    before = estimates.estimate_job(given, H100)
    find_cheapest(given, replace(H100, memory=30 * GIB))

    assert before == estimates.estimate_job(given, H100)


def sweep(given: Mapping[str, Any], numbers: Inputs, replicas: Sequence[int]) -> list[sweeps.Attempt]:
    """Attempts with these numbers of workers."""
    edited = [
        (
            {"workers.replicas": count},
            changes.apply_edits(changes.ChangeableJob(given, numbers), {("workers", "replicas"): count}),
        )
        for count in replicas
    ]
    return sweeps.mark_cheapest([sweeps.make_attempt(each, job.values, job.inputs) for each, job in edited])


def test_of_attempts_that_cost_the_same_the_first_is_marked() -> None:
    attempts = sweep(values(config(2)), H100, [2, 1, 1, 4])

    assert [16, 8, 8, 32] == [attempt.accelerators for attempt in attempts]
    assert [1] == [index for index, attempt in enumerate(attempts) if attempt.is_cheapest]
    assert all(attempt.estimate and attempt.estimate.fits for attempt in attempts)


@pytest.mark.parametrize("other", [{"memory": GIB}, {"memory": None}, {"sequence": None}])
def test_where_nothing_fits_or_that_is_unknown_nothing_is_marked(other: dict[str, Any]) -> None:
    assert not any(attempt.is_cheapest for attempt in sweep(values(config(0)), replace(H100, **other), [1, 2]))
