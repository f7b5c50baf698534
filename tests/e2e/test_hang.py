"""A hanging rank: the log has the stacks, the record names the rank that the others wait for, and the run continues."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.e2e.training import Job, Run

pytestmark = pytest.mark.by_turns

# More than the ranks are silent while they import DeepSpeed on a machine that is busy.
HANG_SECONDS = 150
PATTERN = r'"step": (?P<step>\d+), "loss": (?P<loss>[^}]+)'


def job_of(make_job: Callable[..., Job], method: str, **lifecycle: Any) -> Job:
    """Rank 1 sleeps for ever before step 12, if it has begun at step 0."""
    job = make_job(method, "--hang", "12:1", "--until", "20")
    job.values["launch"] = {"method": method}
    progress = {"pattern": PATTERN, "checkpointPath": "/checkpoints/digits/latest"}
    job.values["lifecycle"] |= {"hangTimeoutSeconds": HANG_SECONDS, "progress": progress, **lifecycle}
    return job


@pytest.fixture(scope="module")
def runs(make_job: Callable[..., Job]) -> dict[str, Run]:
    """A hang that is restarted, and one that is not, side by side."""
    jobs = {
        "pdsh": job_of(make_job, "pdsh", maxRestarts=1, restartDelaySeconds=1),
        "torchrun": job_of(make_job, "torchrun"),
    }
    for job in jobs.values():
        job.apply()
    return {name: job.ended(seconds=900) for name, job in jobs.items()}


def test_a_hang_is_restarted_from_the_checkpoint(runs: dict[str, Run]) -> None:
    run = runs["pdsh"]

    assert ("Succeeded", 0) == (run.record["phase"], run.record["exitCode"])
    assert ["Hung", "Succeeded"] == [attempt["reason"] for attempt in run.record["attempts"]]
    assert [0, 10] == [line["first"] for line in run.lines if line.get("rank") == 0 and "first" in line]
    assert list(range(20)) == sorted(run.losses)


def test_the_rank_that_hangs_is_named_with_its_stack(runs: dict[str, Run]) -> None:
    """The other rank waits for it in a collective operation."""
    hung = runs["pdsh"].record["attempts"][0]

    assert 1 == hung["rank"]
    assert hung["tail"][0].startswith("hang_if_asked (/job/files/train.py:")
    (log,) = [text for name, text in runs["pdsh"].logs.items() if name.endswith("/launcher")]
    assert "most recent call first" in log
    assert f"for lifecycle.hangTimeoutSeconds ({HANG_SECONDS}); suspected: rank 1" in log  # no output, or no step
    assert "suspected: rank 1 on digits-1-worker-1.digits-1: it does not wait for the others, in hang_if_asked" in log


def test_step_loss_and_checkpoint_are_in_the_record(runs: dict[str, Run]) -> None:
    run = runs["pdsh"]

    assert (19, run.losses[19]) == (run.record["progress"]["step"], run.record["progress"]["loss"])
    assert run.record["progress"]["checkpoint"].endswith("Z")


def test_without_ssh_the_hang_ends_the_run_and_the_workers_logs_have_the_stacks(runs: dict[str, Run]) -> None:
    run = runs["torchrun"]

    assert ("Failed", "Hung", None) == tuple(run.record[key] for key in ("phase", "reason", "exitCode"))
    assert 11 == run.record["progress"]["step"]
    logs = [text for name, text in run.logs.items() if name.endswith("/worker")]
    assert [True, True] == ["most recent call first" in text for text in logs]
    assert 1 == sum("in hang_if_asked" in text for text in logs)
