"""The same training with the launch methods other than pdsh. Two runs at a time, to save time."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.e2e.training import NOTE, Job, Run, condition
from tests.faults.trial import SCRIPT

pytestmark = pytest.mark.by_turns

CONFIG = ["--deepspeed", "--deepspeed_config", "/job/ds_config.json"]
# What torchrun needs to know it finds in the variables that begin with PET_.
COMMAND = ["torchrun", "/job/files/train.py", "--note", NOTE, *CONFIG]
EVERYWHERE = "cut -d ' ' -f 1 /job/hostfile | paste -sd , | xargs -I HOSTS pdsh -R ssh -w HOSTS hostname; exit 7"


def job_of(make_job: Callable[..., Job], purpose: str, method: str, **training: Any) -> Job:
    """A job that trains by this method, without checkpoints."""
    job = make_job(purpose)
    job.values["launch"] = {"method": method}
    job.values["training"] |= {"args": ["--note", NOTE], **training}
    del job.values["storage"]
    return job


def command_job(make_job: Callable[..., Job], purpose: str, method: str, command: list[str]) -> Job:
    """A job that runs launch.command."""
    job = job_of(make_job, purpose, method, python="", args=[])
    job.values["launch"]["command"] = command
    return job


def trained(*jobs: Job) -> list[Run]:
    """What the first runs of these jobs left behind, all begun at once."""
    for job in jobs:
        job.apply()
    return [job.ended() for job in jobs]


@pytest.fixture(scope="module")
def torchrun_job(make_job: Callable[..., Job]) -> Job:
    return job_of(make_job, "torchrun", "torchrun")


@pytest.fixture(scope="module")
def good(make_job: Callable[..., Job], torchrun_job: Job) -> list[Run]:
    """torchrun, and a command of the user's on every worker."""
    return trained(torchrun_job, command_job(make_job, "command", "worker-command", COMMAND))


@pytest.fixture(scope="module")
def bad(make_job: Callable[..., Job]) -> list[Run]:
    """torchrun with a rank that exits with 3, and a command in the launcher that exits with 7."""
    rank = job_of(make_job, "rank", "torchrun", args=["--fail", "3:1:3"])
    return trained(rank, command_job(make_job, "launcher", "launcher-command", ["bash", "-c", EVERYWHERE]))


def test_torchrun_trains_on_the_world_that_was_asked_for(good: list[Run]) -> None:
    """Both ranks train together, in the hostfile's order, and arguments arrive as written."""
    run = good[0]
    begun = sorted((line["rank"], line["world"], line["note"]) for line in run.lines if "rank" in line)

    assert [(0, 2, NOTE), (1, 2, NOTE)] == begun
    assert list(range(20)) == list(run.losses)
    assert run.losses[19] < 0.9 * run.losses[0]
    assert ("Succeeded", "", 0, 2) == run.summary
    assert ("Complete", "Complete") == (condition(run.launcher).type, condition(run.worker).type)
    assert {"launcher": [0], "worker": [0, 0]} == run.exit_codes


def test_there_is_no_ssh_and_no_key(torchrun_job: Job, good: list[Run]) -> None:
    """No Secret, no container that makes a key, no word of ssh in any log."""
    containers = {
        container.name
        for pod in good[0].pods
        for container in [*(pod.spec.init_containers or []), *pod.spec.containers]
    }

    assert [] == torchrun_job.space.core.list_namespaced_secret(torchrun_job.space.name).items
    assert {"status", "launcher", "worker"} == containers
    assert [] == [name for name, text in good[0].logs.items() if "ssh" in text]


def test_a_command_on_every_worker_trains_with_the_same_losses(good: list[Run]) -> None:
    """launch.command finds its place in the world in variables; what world it makes of them is not known."""
    torchrun, command = good

    assert torchrun.losses == command.losses
    assert ("Succeeded", "", 0, None) == command.summary
    assert {"launcher": [0], "worker": [0, 0]} == command.exit_codes


def test_a_failed_rank_ends_the_run_at_once_with_its_exit_code(bad: list[Run]) -> None:
    """The worker Job fails, whatever the other rank makes of it, and the record has the last lines of the first."""
    run = bad[0]

    assert ("Failed", "TrainingFailed", 3, 2) == run.summary
    attempt = run.record["attempts"][-1]
    assert (1, 3, "rank 1 gives up at step 3") == (attempt["rank"], attempt["exitCode"], attempt["tail"][-1])
    assert "exit code 3 " in condition(run.launcher).message
    assert ("Failed", "PodFailurePolicy") == (condition(run.worker).type, condition(run.worker).reason)


def test_a_command_in_the_launcher_reaches_all_workers(bad: list[Run]) -> None:
    """launch.command finds hostfile, ssh and key; its exit code is the result."""
    run = bad[1]
    log = next(text for name, text in run.logs.items() if name.endswith("/launcher"))
    hosts = ["digits-1-worker-0", "digits-1-worker-1"]

    assert [f"{host}: {host}" for host in hosts] == sorted(line for line in log.splitlines() if line[:7] == "digits-")
    assert ("Failed", "TrainingFailed", 7, None) == run.summary
    assert {"launcher": [7], "worker": [0, 0]} == run.exit_codes


def test_other_starters_train_with_the_same_losses(make_job: Callable[..., Job], good: list[Run]) -> None:
    """deepspeed on each worker, mpirun in the launcher, and srun in a script for sbatch."""
    jobs = [job_of(make_job, method, method) for method in ("deepspeed-no-ssh", "openmpi")]
    jobs.append(command_job(make_job, "script", "slurm-script", ["/job/files/job.sbatch", "--note", NOTE, *CONFIG]))
    jobs[2].values["training"]["files"]["job.sbatch"] = SCRIPT.replace("program.py", "train.py")

    for world, run in zip((2, 2, None), trained(*jobs), strict=True):
        assert good[0].losses == run.losses
        assert ("Succeeded", "", 0, world) == run.summary
        assert {"launcher": [0], "worker": [0, 0]} == run.exit_codes
