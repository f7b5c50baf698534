"""Frameworks of docs/programs.md train on two workers without GPUs, and a second run resumes.

What a run has done is read from its checkpoints, of which DeepSpeed's engine writes one file for each rank.
"""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.cluster import Namespace
from tests.e2e.programs import FRAMEWORKS, OWN, values_of
from tests.e2e.training import Job

HOW = "DSGEN_E2E_PROGRAMS_IMAGE is not set (tests/e2e/README.md)"
SECONDS = 900  # of a run on two cores, with others beside it
LOSS = re.compile(r"'loss': |\|Loss: ")  # of Transformers and the programs here; of torchtune
PART = re.compile(r"(?m)^(.*)/(?:bf16_)?zero_(pp_rank_\d+_mp_rank_\d+)_optim_states.pt$")


def list_checkpoints(space: Namespace, image: str, claim: str) -> str:
    """The files in the claim, one on each line."""
    mounts = [{"name": "claim", "mountPath": "/checkpoints"}]
    container = {"name": "list", "image": image, "command": ["find", "/checkpoints"], "volumeMounts": mounts}
    volume = {"name": "claim", "persistentVolumeClaim": {"claimName": claim}}
    spec = {"restartPolicy": "Never", "containers": [container], "volumes": [volume]}
    pod = space.core.create_namespaced_pod(space.name, {"metadata": {"generateName": "list-"}, "spec": spec})
    space.watched("pod", pod.metadata.name, lambda pod: pod.status.phase in ("Succeeded", "Failed"), 120)
    return space.log(pod.metadata.name, "list")


def check(row: str, image: str, space: Namespace, folder: Path) -> None:
    """Two runs of a job: three steps and a checkpoint, and three more steps."""
    for number in (1, 2):
        job = Job(space, folder, values_of(row, image, is_second=number == 2), row)
        job.apply(str(number))
        run = job.ended(str(number), SECONDS)

        assert "Succeeded" == run.record["phase"], run.record
        logs = [log for name, log in run.logs.items() if name.startswith(f"{row}-{number}-") and LOSS.search(log)]
        files = list_checkpoints(space, image, f"{row}-checkpoints")
        if row == "torchtune":  # its FSDP saves all that is needed to resume before the second epoch
            assert [6 if number == 1 else 3] == [len({*re.findall(r"\d+\|(\d+)\|Loss", log)}) for log in logs]
            assert "/recipe_state.pt\n" in files
            continue
        assert {3} == {len(LOSS.findall(log)) for log in logs}  # of rank 0, of axolotl of all
        steps = [str(3 * number - 2), str(3 * number - 1), str(3 * number)]
        assert re.findall(r"'step': (\d+)", logs[0]) in ([], steps)
        if found := re.findall(r"/global_step(\d+)/", files):
            assert steps[-1] == max(found)
        parts = dict[str, set[str]]()
        for path, rank in PART.findall(files):
            parts.setdefault(path, set()).add(rank)
        assert {2} == {len(ranks) for ranks in parts.values()}


@pytest.mark.by_turns("row")
@pytest.mark.parametrize("row", OWN)
def test_a_program_of_deepspeed_trains_and_resumes(
    row: str, namespaces: Callable[..., Namespace], image: str, tmp_path: Path
) -> None:
    """Its own options; an mpu, as Megatron-DeepSpeed has it; a PipelineModule, as GPT-NeoX has it."""
    check(row, image, namespaces(row), tmp_path)


@pytest.mark.parametrize("row", FRAMEWORKS)
def test_a_framework_trains_and_resumes(row: str, namespaces: Callable[..., Namespace], tmp_path: Path) -> None:
    """Each with its own way to get the configuration, the ranks and the checkpoint."""
    image = os.environ.get("DSGEN_E2E_PROGRAMS_IMAGE") or pytest.skip(HOW)  # CI, without this image, deselects the test
    check(row, image, namespaces(row), tmp_path)
