"""Lines of command line tools that submit a training: arena, xpk and hyp."""

from __future__ import annotations

import pytest

from tests.importers.imports import command, convert, fates, holes, problems, refused, unaccounted, unexplained, value

ARENA = "arena submit pytorchjob --name=bert --namespace=nlp --workers=2 --gpus=4 --image=registry.example.com/a/b:v1"
XPK = (
    "xpk workload create --workload bert --device-type=h100-mega-80gb-8 --num-nodes=2"
    " --docker-image=registry.example.com/a/b:v1"
)
HYP = "hyp create hyp-pytorch-job --job-name bert --namespace nlp --image registry.example.com/a/b:v1 --node-count 2"


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
        ("--image-pull-secret=pull", "image.pullSecrets", [{"name": "pull"}]),
        ("--share-memory=16Gi", "workers.sharedMemory", "16Gi"),
        ("--job-backoff-limit=3", "lifecycle.maxRestarts", 3),
        ("--tensorboard --logdir=/logs --data=logs:/logs", "monitoring.tensorboard.logDir", "/logs"),
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


def test_arena_with_another_kind_is_refused() -> None:
    assert "dsgen converts arena submit pytorchjob" in refused("arena submit tfjob --name=a python x.py", "submit.sh")


def test_xpk() -> None:
    line = f'{XPK} --env A=1 --max-restarts=2 --cluster c --spot --command "torchrun --nproc_per_node=8 train.py --x 1"'

    job = convert(line, "run.sh")

    assert (value(job, "name"), value(job, "workers.replicas"), value(job, "workers.slots")) == ("bert", 2, 8)
    assert (command(job), value(job, "training.env.A")) == (["train.py", "--x", "1"], "1")
    assert value(job, "lifecycle.maxRestarts") == 2
    assert {"--cluster", "--spot", "h100-mega-80gb-8"} <= set(fates(job, "lost"))
    assert (unaccounted(line, [job], "run.sh"), problems(job), unexplained(job)) == ([], [], [])


def test_xpk_for_tpus_is_refused() -> None:
    line = "xpk workload create --workload bert --tpu-type=v5litepod-16 --command 'python x.py'"

    assert "TPU" in refused(line, "run.sh")


def test_hyp() -> None:
    line = f"""{HYP} --tasks-per-node 8 --accelerators 8 --command '[python, train.py]' --args '[--lr, "1"]' \\
    --environment '{{"A": "1", "HF_TOKEN": "abcdef123"}}' --instance-type ml.p4d.24xlarge --memory 64 \\
    --volume name=data,type=pvc,mount_path=/data,claim_name=data"""

    job = convert(line, "run.sh")

    assert value(job, "launch.command") == ["python", "train.py", "--lr", "1"]
    assert (value(job, "workers.replicas"), value(job, "workers.slots")) == (2, 8)
    assert (value(job, "training.env.A"), value(job, "workers.resources.requests.memory")) == ("1", "64Gi")
    assert value(job, "storage.data") == {"mountPath": "/data", "existingClaim": "data"}
    assert holes(job) == {"training.env.HF_TOKEN"}
    assert "abcdef123" not in job.text
    assert "--instance-type" in fates(job, "lost")
    assert (unaccounted(line, [job], "run.sh"), problems(job), unexplained(job)) == ([], [], [])


def test_other_lines_of_hyp_are_refused() -> None:
    assert "dsgen converts hyp create hyp-pytorch-job" in refused("hyp list hyp-pytorch-job", "run.sh")


def test_labels_and_the_queue_of_hyperpod() -> None:
    line = (
        'hyp create hyp-pytorch-job --job-name a --image a/b:c --command \'["python", "t.py"]\' --scheduler-type kueue'
        ' --queue-name q --label-selector \'{"pool": "gpu"}\'\n'
    )
    job = convert(line, "line.sh")

    assert ({"pool": "gpu"}, "q") == (value(job, "workers.nodeSelector"), value(job, "scheduling.queue"))
    assert None is value(job, "workers.schedulerName")
