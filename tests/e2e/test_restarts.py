"""Restarts without ssh: a rank is killed during the training, which resumes from its checkpoint."""

from collections.abc import Callable

import pytest

from tests.e2e.training import Job, Run, condition

pytestmark = pytest.mark.by_turns

STEPS = ("--until", "26")


@pytest.fixture(scope="module")
def runs(make_job: Callable[..., Job]) -> dict[str, Run]:
    """torchrun with a rank that is killed before step 23, and pdsh without."""
    killed = make_job("torchrun", *STEPS, "--kill", "23:1")
    killed.values["launch"] = {"method": "torchrun"}
    killed.values["lifecycle"] |= {"maxRestarts": 3, "restartDelaySeconds": 1}
    jobs = {"torchrun": killed, "pdsh": make_job("pdsh", *STEPS)}
    for job in jobs.values():
        job.apply()
    return {name: job.ended(seconds=900) for name, job in jobs.items()}


def test_a_killed_rank_is_one_restart_with_the_same_losses(runs: dict[str, Run]) -> None:
    run = runs["torchrun"]

    assert ("Succeeded", 0, 2) == tuple(run.record[key] for key in ("phase", "exitCode", "worldSize"))
    assert ["TrainingFailed", "Succeeded"] == [attempt["reason"] for attempt in run.record["attempts"]]
    failed = run.record["attempts"][0]
    assert (1, 137) == (failed["rank"], failed["exitCode"])
    assert [0, 0, 20, 20] == sorted(line["first"] for line in run.lines if "first" in line)
    assert runs["pdsh"].losses == run.losses
    assert 26 == len(run.losses)


def test_the_workers_stay_and_end_with_the_run(runs: dict[str, Run]) -> None:
    run = runs["torchrun"]

    assert {"launcher": [0], "worker": [0, 0]} == run.exit_codes
    assert "Complete" == condition(run.worker).type
