"""Lines of Arena, which submit a training."""

from __future__ import annotations

import pytest

from tests.importers.imports import command, convert, fates, problems, refused, unaccounted, unexplained, value

ARENA = "arena submit pytorchjob --name=bert --namespace=nlp --workers=2 --gpus=4 --image=registry.example.com/a/b:v1"


@pytest.mark.parametrize(
    ("flags", "key", "expected"),
    [
        ("--data=datasets:/data", "storage.datasets", {"mountPath": "/data", "existingClaim": "datasets"}),
        ("--data-dir=/mnt/x", "storage.x", {"mountPath": "/mnt/x", "hostPath": {"path": "/mnt/x"}}),
        ("-e LR=0.1", "training.env.LR", "0.1"),
        ("--env=RANK=0", "training.env", None),
        ("--cpu 8", "workers.resources.limits.cpu", "8"),
        ("--memory 64Gi", "workers.resources.limits.memory", "64Gi"),
        ("--selector pool=gpu", "workers.nodeSelector.pool", "gpu"),
        ("--toleration all", "workers.tolerations", [{"operator": "Exists"}]),
        ("--toleration gpu", "workers.tolerations", [{"key": "gpu", "operator": "Exists"}]),
        ("--label team=nlp", "labels.team", "nlp"),
        ("-p high", "workers.priorityClassName", "high"),
        ("--gang", "scheduling.gang", "coscheduling"),
        ("--rdma", "network.rdma.resources", {"rdma/hca": 1}),
        ("--sync-mode=git --sync-source=https://git.example.com/a/b.git", "code.git.repository",
         "https://git.example.com/a/b.git"),
        ("--syncMode=git --syncSource=https://git.example.com/a/b.git", "code.mountPath", "/root/code/b"),
        ("--tensorboard --logdir=/logs --data=logs:/logs", "monitoring.tensorboard.logDir", "/logs"),
        ("--image-pull-secret=pull", "image.pullSecrets", [{"name": "pull"}]),
        ("--share-memory=16Gi", "workers.sharedMemory", "16Gi"),
        ("--job-backoff-limit=3", "lifecycle.maxRestarts", 3),
    ],
)  # fmt: skip
def test_a_flag_of_arena(flags: str, key: str, expected: object) -> None:
    line = f'{ARENA} {flags} "torchrun --nproc_per_node=4 train.py --lr 1"'

    job = convert(line, "submit.sh")

    assert value(job, key) == expected
    assert (value(job, "workers.replicas"), value(job, "workers.slots")) == (2, 4)
    assert command(job) == ["train.py", "--lr", "1"]
    assert (unaccounted(line, [job], "submit.sh"), unexplained(job)) == ([], [])


@pytest.mark.parametrize(
    "flags",
    ["--sync-mode=rsync", "--min-workers 1", "--config-file a:b", "--running-timeout=1h", "--unknown=1"],
)
def test_a_flag_of_arena_without_an_equivalent(flags: str) -> None:
    job = convert(f'{ARENA} {flags} "torchrun train.py"', "submit.sh")

    assert flags.split()[0] in fates(job, "lost")


def test_a_number_that_is_not_known_is_a_hole() -> None:
    job = convert(f'{ARENA.replace("=4", "=$N").replace("=2", "=$M")} "torchrun train.py"', "submit.sh")

    assert [hole.key for hole in job.holes] == ["workers.replicas", "workers.slots"]


def test_arena_with_a_prompt_and_lines_without_backslashes() -> None:
    line = f"""$ {ARENA} \\
    --env=A=1 \\
    "torchrun --nproc_per_node=4
    train.py
    --text 'a b'"
"""

    job = convert(line, "submit.txt")

    assert command(job) == ["train.py", "--text", "a b"]
    assert value(job, "training.env.A") == "1"
    assert unaccounted(line, [job], "submit.txt") == []


@pytest.mark.parametrize("kind", ["mpijob", "mpi", "etjob", "deepspeedjob"])
def test_arena_with_mpi(kind: str) -> None:
    line = f"arena submit {kind} --name=bert --workers=2 --gpus=4 --image=registry.example.com/a/b:v1"

    job = convert(f'{line} "mpirun -np 8 python /code/train.py"', "submit.sh")

    assert (value(job, "launch.method"), value(job, "workers.slots")) == ("openmpi", 4)
    assert problems(job) == []


def test_a_command_that_is_not_followed_runs_on_each_worker() -> None:
    job = convert(f"{ARENA} 'for lr in 1 2; do torchrun t.py $lr $WORLD_SIZE; done'", "submit.sh")

    assert ("worker-command", 4) == (value(job, "launch.method"), value(job, "workers.slots"))
    assert 'export WORLD_SIZE="$NNODES"\\nfor lr in' in str(value(job, "launch.command"))


def test_arena_with_another_kind_is_refused() -> None:
    assert "dsgen converts arena submit pytorchjob" in refused("arena submit tfjob --name=a python x.py", "submit.sh")
