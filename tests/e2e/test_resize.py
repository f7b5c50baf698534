"""A training that is continued with other numbers of workers, by training.deepspeed.resize."""

import functools
from collections.abc import Callable
from typing import Any

import pytest

from tests.e2e.training import Job, Run

pytestmark = pytest.mark.by_turns

FOLDER = "/checkpoints/digits"
SIZES = (4, 2, 3, 4)
STEPS = 10  # of each run
SECONDS = 600


WAYS = [  # the method, ZeRO's stage, the numbers, and the greatest relative difference of a loss
    ("pdsh", 1, "fp32", 1e-6),
    ("torchrun", 3, "fp32", 1e-6),
    ("openmpi", 2, "fp32", 1e-6),
    ("deepspeed-no-ssh", 2, "bf16", 5e-3),
]


@pytest.fixture(scope="module")
def make_resized(make_job: Callable[..., Job]) -> Callable[..., Job]:
    """A job with a batch that several numbers of workers share."""

    def make(purpose: str, method: str, stage: int = 2, dtype: str = "fp32") -> Job:
        job = make_job(purpose)
        job.values["launch"] = {"method": method}
        deepspeed = job.values["training"]["deepspeed"]
        del deepspeed["config"]["train_micro_batch_size_per_gpu"]
        deepspeed["config"]["train_batch_size"] = 48
        deepspeed["config"]["zero_optimization"]["stage"] = stage
        deepspeed["config"]["bf16"] = {"enabled": dtype == "bf16"}
        deepspeed["resize"] = {"checkpoint": FOLDER}
        return job

    return make


def sized(workers: int, until: int) -> dict[str, Any]:
    """The values of a run of this size."""
    return {"workers": {"replicas": workers}, "training": {"args": ["--checkpoints", FOLDER, "--until", str(until)]}}


@pytest.fixture(scope="module")
def train_whole(make_resized: Callable[..., Job]) -> Callable[[str], dict[int, float]]:
    """The losses of a training that is not interrupted, of ZeRO 2 with these numbers."""

    @functools.cache
    def train(dtype: str) -> dict[int, float]:
        job = make_resized(f"whole-{dtype}", "pdsh", dtype=dtype)
        job.apply(**sized(SIZES[0], STEPS * len(SIZES)))
        return job.ended(seconds=SECONDS).losses

    return train


@pytest.mark.by_turns("method")
@pytest.mark.parametrize(("method", "stage", "dtype", "limit"), WAYS)
def test_the_losses_are_those_of_an_uninterrupted_training(
    make_resized: Callable[..., Job],
    train_whole: Callable[[str], dict[int, float]],
    method: str,
    stage: int,
    dtype: str,
    limit: float,
) -> None:
    job, losses, runs = make_resized(f"resized-{method}", method, stage, dtype), dict[int, float](), list[Run]()

    for number, workers in enumerate(SIZES, start=1):
        job.apply(str(number), **sized(workers, STEPS * number))
        runs.append(job.ended(str(number), SECONDS))
        mine = {role: log for role, log in runs[-1].logs.items() if role.startswith(f"digits-{number}-")}
        run = Run(runs[-1].launcher, runs[-1].worker, runs[-1].pods, mine, runs[-1].record)
        assert ("Succeeded", workers) == (run.record["phase"], run.record["worldSize"])
        assert {(STEPS * (number - 1), stage)} == {
            (line["first"], line["zero"]) for line in run.lines if "first" in line
        }
        losses.update(run.losses)

    assert losses == pytest.approx(train_whole(dtype), rel=limit, abs=1.5e-6)  # printed with six decimals


@pytest.mark.parametrize(("role", "reason"), [("worker", "WorkersLost"), ("launcher", "LauncherTerminated")])
def test_a_conversion_that_is_killed_is_made_again(make_resized: Callable[..., Job], role: str, reason: str) -> None:
    job = make_resized(f"resize-{role}-killed", "pdsh")
    job.apply("1", **sized(3, STEPS))
    job.ended("1", SECONDS)

    job.apply("2", **sized(2, STEPS * 2))
    said = job.recorded("2", lambda record: record["reason"] == "Resizing", SECONDS)["message"]
    first = min(str(pod.metadata.name) for pod in job.pods("2", role))
    job.space.kubectl("delete", "pod", first, "--grace-period", "0", "--force")
    run = job.ended("2", SECONDS)

    assert said.startswith("converting global_step10 from 3 to 2 ranks: ")
    assert [reason, "Succeeded"] == [attempt["reason"] for attempt in run.record["attempts"]]
    assert {STEPS} == {line["first"] for line in run.lines if "first" in line}


def test_a_checkpoint_that_would_be_another_one_is_refused(make_resized: Callable[..., Job]) -> None:
    job = make_resized("resize-refused", "torchrun")
    config = job.values["training"]["deepspeed"]["config"]
    job.apply("1", **sized(2, STEPS))
    job.ended("1", SECONDS)

    config["zero_optimization"]["stage"] = 3
    job.apply("2", **sized(3, STEPS * 2))
    run = job.ended("2", SECONDS)

    assert ("Failed", "ResizeRefused") == (run.record["phase"], run.record["reason"])
    assert "ZeRO stage 2 saved it, and stage 3 cannot read the conversion" in run.record["message"]
    assert [1] == run.exit_codes["launcher"]
