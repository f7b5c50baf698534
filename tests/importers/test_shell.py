"""Shell scripts and command lines without a batch system: each idiom."""

from __future__ import annotations

import pytest

from tests.importers.imports import (
    command,
    fates,
    holes,
    look,
    problems,
    refused,
    shell,
    unaccounted,
    unexplained,
    value,
)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("torchrun --nnodes 2 --nproc-per-node 4 train.py", {"workers.replicas": 2, "workers.slots": 4}),
        ("torchrun --nnodes=1:4 --nproc_per_node=4 train.py", {"workers.replicas": 4}),
        ("torchrun --nnodes 2 --nproc-per-node 4 --master_port 29501 train.py", {"launch.masterPort": 29501}),
        ("torchrun --nnodes 2 --nproc-per-node 4 --max_restarts 3 train.py", {"lifecycle.maxRestarts": 3}),
        ("python -m torch.distributed.run --nnodes 2 --nproc-per-node 4 train.py", {"launch.method": "torchrun"}),
        ("torchrun --nnodes 2 --nproc-per-node 4 -m pkg.train", {"training.module": "pkg.train"}),
        ("deepspeed --num_nodes 2 --num_gpus 4 train.py", {"workers.replicas": 2, "workers.slots": 4}),
        ("deepspeed --include localhost:0,1 --num_nodes 2 train.py", {"workers.slots": 2}),
        ("deepspeed --no_ssh --num_nodes 2 --num_gpus 4 train.py", {"launch.method": "deepspeed-no-ssh"}),
        ("deepspeed --launcher OpenMPI --num_nodes 2 --num_gpus 4 train.py", {"launch.method": "openmpi"}),
        ("deepspeed --bind_cores_to_rank --num_nodes 2 --num_gpus 4 train.py", {"training.deepspeed.bindCores": True}),
        ("mpirun -np 8 -npernode 4 python train.py", {"workers.replicas": 2, "workers.slots": 4}),
        ("mpirun -np 8 -npernode 4 --mca pml ob1 python train.py", {"launch.mpirunArgs": ["--mca", "pml", "ob1"]}),
        ("mpirun -np 8 -npernode 4 -x A=1 -x PATH python train.py", {"training.env": {"A": "1"}}),
        ("mpirun_rsh -np 8 -ppn 4 -f hosts -env A 1 python train.py", {"training.env": {"A": "1"}}),
        ("mpiexec.hydra -n 8 -ppn 4 -f hosts -genv A 1 python train.py", {"workers.replicas": 2, "workers.slots": 4}),
        ("horovodrun -np 8 -H a:4,b:4 python train.py", {"launch.method": "openmpi"}),
        ("A=1 torchrun --nnodes 2 --nproc-per-node 4 train.py", {"training.env": {"A": "1"}}),
        ("env A=1 torchrun --nnodes 2 --nproc-per-node 4 train.py", {"training.env": {"A": "1"}}),
        ("cd /app && torchrun --nnodes 2 --nproc-per-node 4 train.py", {"training.workingDir": "/app"}),
        ("nohup torchrun --nnodes 2 --nproc-per-node 4 train.py > log 2>&1 &", {"training.python": "train.py"}),
        ("cmd='torchrun --nnodes 2 --nproc-per-node 4 t.py'\neval $cmd", {"training.python": "t.py"}),
        (
            "cmd='torchrun --nnodes 2 --nproc-per-node 4 t.py'\neval \"${cmd} 2>&1 | tee log\"",
            {"training.python": "t.py"},
        ),
        ("deepspeed train.py", {"holes": {"workers.replicas", "workers.slots"}}),
        ("python -m http.server 80 &\ntorchrun --nnodes 2 --nproc-per-node 4 t.py",
         {"command": ["t.py"], "lost": ["python -m http.server 80"]}),
        ("# torchrun old.py\ntorchrun --nnodes 2 --nproc-per-node 4 t.py  # the new one", {"command": ["t.py"]}),
        (
            "NNODES=2 NODE_RANK=0 MASTER_ADDR=10.0.0.1 NPROC_PER_NODE=8 llamafactory-cli train a.yaml",
            {"workers.replicas": 2, "workers.slots": 8, "holes": set()},
        ),
        (
            "srun -p gpus -N 8 --ntasks-per-node=1 --gpus-per-task=4 -w n1 torchrun --nnodes 8 --nproc_per_node 4 t.py",
            {"workers.replicas": 8, "workers.slots": 4, "lost": ["-p", "-w"]},
        ),
    ],
)  # fmt: skip
def test_a_command_line(line: str, expected: dict[str, object]) -> None:
    job = shell(line)

    assert {what: look(job, what) for what in expected} == expected
    assert unaccounted(f"#!/bin/bash\n{line}\n", [job], "run.sh") == []
    assert (problems(job), unexplained(job)) == ([], [])


def test_arguments_are_given_by_set() -> None:
    line = "torchrun --nnodes 2 --nproc-per-node ${1:-4} train.py --model $2"

    assert "$2" in refused(f"#!/bin/bash\n{line}\n", "run.sh")
    assert command(shell(line, variables={"2": "gpt"})) == ["train.py", "--model", "gpt"]


def test_the_first_line_of_a_helper_has_the_options_of_its_shell() -> None:
    helpers = {"run.sh": "#!/bin/bash -e\nfalse\ntorchrun t.py\n"}

    assert "finds no command" in refused("./run.sh\n", "a.sh", form="", helpers=helpers)


def test_variables_of_ranks_are_not_taken_from_mpirun() -> None:
    job = shell("mpirun -np 8 -npernode 4 -x MASTER_ADDR=a -x HF_TOKEN=hf_0123456789abcdefghij python train.py")

    assert "MASTER_ADDR=a" in fates(job, "dropped")
    assert holes(job) == {"training.env.HF_TOKEN"}
    assert "hf_0123456789abcdefghij" not in job.text


@pytest.mark.parametrize("text", ["< answers.txt", "<<< yes", "<<EOF\nyes\nEOF"])
def test_the_standard_input_of_the_training_is_lost(text: str) -> None:
    (lost,) = shell(f"torchrun --nnodes 2 --nproc-per-node 4 train.py {text}").lost

    assert "no standard input" in lost.why


def test_secrets_among_the_arguments_become_variables() -> None:
    job = shell("torchrun --nnodes 2 --nproc-per-node 4 train.py --hf_token abcdef12345 --wandb_key=xyz987654 $A_TOKEN")

    assert holes(job) == {"training.env.HF_TOKEN", "training.env.WANDB_KEY", "training.env.A_TOKEN"}
    assert {"valueFrom": {"secretKeyRef": {"key": "A_TOKEN"}}} == value(job, "training.env.A_TOKEN")
    assert "abcdef12345" not in job.text
    assert "xyz987654" not in job.text
    assert "--hf_token" in job.text


@pytest.mark.parametrize(
    ("line", "method"),
    [
        ("conda run -n x torchrun t.py", "worker-command"),
        ("python serve.py &\ntorchrun t.py", "worker-command"),
        ("for i in 1 2; do deepspeed t.py; done", "launcher-command"),
    ],
)
def test_a_script_that_is_not_followed_is_kept(line: str, method: str) -> None:
    job = shell(f"export A=1\n{line}")

    assert method == value(job, "launch.method")
    assert line in str(value(job, "launch.command")).replace("\\n", "\n")
    assert (["A=1"] if "deepspeed" in line else []) == fates(job, "lost")
    assert refused(f"{line} -H hosts && ssh a torchrun t.py", "run.sh", form="")
