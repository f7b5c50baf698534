"""A training that is continued with other numbers of workers, by training.deepspeed.resize."""

import functools
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.e2e.cluster import kubectl
from tests.e2e.training import Job, Run, dsgen, said

pytestmark = pytest.mark.by_turns

FOLDER = "/checkpoints/digits"
SIZES = (4, 2, 3, 4)
STEPS = 10  # of each run
SECONDS = 600
PLACE = "dsgen.dev/e2e-place"
PACED = 100  # steps of two seconds, so that three workers train for a minute and more
NODE = "node-0"


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
        job.apply(**sized(SIZES[0], PACED))
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

    whole = train_whole(dtype)
    expected = {step: whole[step] for step in range(STEPS * len(SIZES))}
    assert losses == pytest.approx(expected, rel=limit, abs=1.5e-6)  # printed with six decimals


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


def offer(places: int | None) -> None:
    """Let the node offer so many of a resource of which each worker needs one."""
    offered = {PLACE: None if places is None else str(places)}
    patch = json.dumps({"status": {"capacity": offered, "allocatable": offered}})
    kubectl("patch", "node", NODE, "--subresource=status", "--type=merge", "--patch", patch)


@pytest.fixture
def places() -> Iterator[Callable[[int | None], None]]:
    offer(4)
    yield offer
    offer(None)


@pytest.mark.by_turns("method")
@pytest.mark.parametrize("method", ["pdsh", "openmpi"])
def test_fewer_workers_go_on_after_a_loss_and_all_when_it_is_back(
    make_resized: Callable[..., Job],
    train_whole: Callable[[str], dict[int, float]],
    places: Callable[[int | None], None],
    method: str,
) -> None:
    """The first worker is lost, and has no place for a while. The pods do not change."""
    job = make_resized(f"fewer-{method}", method)
    job.values["workers"] |= {"min": 2, "accelerator": {"resource": PLACE, "count": 1}}
    job.values["lifecycle"] |= {"resizeAfterSeconds": 60, "startTimeoutSeconds": 600, "maxRestarts": 0}
    arguments = ["--checkpoints", FOLDER, "--until", str(PACED), "--pace", "2"]
    job.apply(workers={"replicas": 4}, training={"args": arguments})
    launcher = job.trained(role="launcher").metadata.name

    places(3)
    lost = next(pod for pod in job.pods("1", "worker") if "worker-0-" in pod.metadata.name)
    job.space.kubectl("delete", "pod", lost.metadata.name, "--grace-period", "0", "--force")
    fewer = job.recorded("1", lambda record: record["worldSize"] == 3, SECONDS)
    status = dsgen("status", f"{job.space.name}/digits")
    pending = [pod for pod in job.pods("1", "worker") if pod.status.phase == "Pending"]
    places(4)
    grown = job.recorded("1", lambda record: len(record["attempts"]) == 3, SECONDS)
    run = job.ended("1", SECONDS)

    assert fewer["message"].startswith("digits-1-worker-0.digits-1 is not reachable; 3 of 4 workers train")
    assert 1 == len(pending)
    assert f"3/4 ready, 3 train since {fewer['attempts'][1]['startTime']}" in status
    assert ["WorkersLost", "Growing"] == [attempt["reason"] for attempt in grown["attempts"][:2]]
    attempts: list[dict[str, Any]] = run.record["attempts"]
    assert ["WorkersLost", "Growing", "Succeeded"] == [attempt["reason"] for attempt in attempts]
    assert [None, 3, None] == [attempt.get("workers") for attempt in attempts]
    assert ("Succeeded", 4, 0) == (run.record["phase"], run.record["worldSize"], run.record["totals"]["failures"])
    assert "attempt 2 with 3 workers" in dsgen("events", f"{job.space.name}/digits")
    check_steps(run, launcher, train_whole("fp32"))


def check_steps(run: Run, launcher: str, whole: dict[int, float]) -> None:
    """Every attempt begins at the newest checkpoint, and its losses are those of an uninterrupted training."""
    saved, firsts = 0, list[tuple[int, int]]()
    for line in [line for pod in run.pods_of("launcher") for line in said(run.logs[f"{pod.metadata.name}/launcher"])]:
        saved = line.get("checkpoint", saved)
        if line.get("rank") == 0:
            firsts.append((line["world"], line["first"]))
            assert saved <= line["first"] <= saved + 5  # one may have been written, and not printed
        if line.get("step") in whole:
            assert line["loss"] == pytest.approx(whole[line["step"]], rel=1e-6, abs=1.5e-6)
    assert [4, 3, 4] == [world for world, _ in firsts]
    assert [launcher] == [pod.metadata.name for pod in run.pods_of("launcher")]
