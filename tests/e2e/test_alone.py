"""A program that exits with 0 but trained alone on each worker is not a success."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.e2e.training import Job, Run

pytestmark = pytest.mark.by_turns

ALONE = ["python3", "-c", "print('alone')"]
CONFIG = ["--deepspeed", "--deepspeed_config", "/job/ds_config.json"]
# dsgen refuses a launcher in training.exec (DS364); it cannot see one inside a script.
STANDALONE = " ".join(["torchrun --standalone /job/files/train.py", *CONFIG])
# With --standalone the rank beside the rendezvous cannot be told from one that waits for others.
ALONE_ARE = {
    "pdsh": "2 of 2 ranks never connected with the others: 0, 1 (launch.expectWorld)",
    "standalone": "1 of 2 ranks never connected with the others: 1 (launch.expectWorld)",
}


def job_of(make_job: Callable[..., Job], purpose: str, program: list[str], **launch: Any) -> Job:
    """A job whose two workers run this program, without checkpoints."""
    job = make_job(purpose)
    job.values["training"] |= {"python": "", "args": [], "exec": program}
    job.values["training"]["files"]["standalone.sh"] = STANDALONE
    job.values["launch"] = launch
    del job.values["storage"]
    return job


@pytest.fixture(scope="module")
def runs(make_job: Callable[..., Job]) -> dict[str, Run]:
    """All ways to train alone, side by side."""
    command = job_of(make_job, "command", [], method="worker-command", command=ALONE)
    jobs = {
        "pdsh": job_of(make_job, "pdsh", ALONE),
        "standalone": job_of(make_job, "standalone", ["sh", "/job/files/standalone.sh"]),
        "torchrun": job_of(make_job, "torchrun", ALONE, method="torchrun"),
        "command": command,
        "on-purpose": job_of(make_job, "purpose", ALONE, expectWorld=False),
    }
    del command.values["training"]["exec"]
    for job in jobs.values():
        job.apply()
    return {name: job.ended() for name, job in jobs.items()}


@pytest.mark.parametrize("way", ALONE_ARE)
def test_ranks_that_never_met_have_not_trained(runs: dict[str, Run], way: str) -> None:
    """The variables say a world of two, and each program has ended with 0; with --standalone it has even trained."""
    run = runs[way]

    assert ("Failed", "RanksNeverMet", None, None) == run.summary
    assert ALONE_ARE[way] == run.record["message"]
    assert [1] == run.exit_codes["launcher"]


@pytest.mark.parametrize("way", ["torchrun", "command"])
def test_without_ssh_the_first_worker_that_was_alone_ends_the_run(runs: dict[str, Run], way: str) -> None:
    run = runs[way]

    assert ("Failed", "RanksNeverMet", None, None) == run.summary
    assert "never connected with the others" in run.record["message"]
    assert 1 in run.exit_codes["worker"]


def test_programs_that_need_no_world_say_so(runs: dict[str, Run]) -> None:
    run = runs["on-purpose"]

    assert ("Succeeded", "", 0, None) == run.summary
