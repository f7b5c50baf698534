"""Restarts without ssh: a rank is killed during the training, which resumes from its checkpoint."""

import re
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


# Reduces on CPUs through /dev/shm, and fails.
REDUCE = """
import os
import deepspeed, torch
deepspeed.init_distributed()
deepspeed.comm.inference_all_reduce(torch.ones(1000))
if torch.distributed.get_rank() == 0:
    names = sorted(os.listdir("/dev/shm"))
    print("BUFFERS", len([name for name in names if name.startswith("deepspeed_allreduce_buffer")]), flush=True)
torch.distributed.barrier()
os._exit(3)
"""


def test_restarts_do_not_fill_the_shared_memory(make_job: Callable[..., Job]) -> None:
    """The buffers of one attempt are 138 MB, each attempt has others, and DeepSpeed removes none of them."""
    job = make_job("memory")
    job.values["launch"] = {"method": "deepspeed-no-ssh"}
    job.values["workers"] |= {"replicas": 1, "slots": 2, "sharedMemory": "256Mi"}
    job.values["training"]["files"]["train.py"] = REDUCE
    job.values["lifecycle"] |= {"maxRestarts": 3, "restartDelaySeconds": 0}
    job.apply()

    run = job.ended()

    assert [3] * 4 == [attempt["exitCode"] for attempt in run.record["attempts"]]
    log = "".join(run.logs[f"{pod.metadata.name}/worker"] for pod in run.pods_of("worker"))
    assert ["2"] * 4 == re.findall("^BUFFERS ([0-9]+)$", log, re.MULTILINE)
