"""Scripts for sbatch: each directive and each idiom."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.importers.imports import (
    command,
    convert,
    fates,
    holes,
    look,
    problems,
    slurm,
    unaccounted,
    unexplained,
    value,
)

SHELL = ["bash", "-c"]
TORCHRUN = "srun torchrun --nnodes=2 --nproc_per_node=4 train.py"


@pytest.mark.parametrize(
    ("directives", "key", "expected"),
    [
        ("--nodes=4", "workers.replicas", 4),
        ("-N 4", "workers.replicas", 4),
        ("-N4", "workers.replicas", 4),
        ("--nodes=2-4", "workers.replicas", 4),
        ("--nodes=2  # two nodes", "workers.replicas", 2),
        ("--job-name=My_GPT2.run", "name", "my-gpt2-run"),
        ("-J gpt", "name", "gpt"),
        ('--job-name "gpt"', "name", "gpt"),
        ("--gres=gpu:4", "workers.slots", 4),
        ("--gres=gpu:4,nvme:1", "workers.slots", 4),
        ("--gres=gpu:mi250:4", "workers.accelerator.resource", "amd.com/gpu"),
        ("--gpus-per-node=a100:4", "workers.slots", 4),
        ("--gpus-per-node=a100", "workers.slots", None),
        ("--ntasks-per-node=1 --gpus-per-task=8", "workers.slots", 8),
        ("--nodes=2 --gpus=16", "workers.slots", 8),
        ("--cpus-per-task=8", "workers.resources.requests.cpu", "8"),
        ("--ntasks-per-node=4 --cpus-per-task=8", "workers.resources.requests.cpu", "32"),
        ("--mem=64G", "workers.resources.limits.memory", "64Gi"),
        ("--mem=64000", "workers.resources.requests.memory", "64000Mi"),
        ("--mem-per-cpu=4G --cpus-per-task=8", "workers.resources.requests.memory", "32Gi"),
        ("--mem-per-gpu=100G --gres=gpu:4", "workers.resources.requests.memory", "400Gi"),
        ("--time=15", "lifecycle.activeDeadlineSeconds", 900),
        ("--time=3-00:00:00", "lifecycle.activeDeadlineSeconds", 259200),
        ("--time 20:00:00", "lifecycle.activeDeadlineSeconds", 72000),
        ("-t 90:30", "lifecycle.activeDeadlineSeconds", 5430),
        ("--exclusive", "workers.spread", "required"),
        ("--exclude=gpu-1,gpu-2", "workers.excludeNodes", ["gpu-1", "gpu-2"]),
        ("-x gpu-1", "workers.excludeNodes", ["gpu-1"]),
        ("--chdir=/scratch/team", "training.workingDir", "/scratch/team"),
        ("--ntasks-per-gpu=1 --gpus-per-node=4", "launch.method", "torchrun"),
        ("--signal=B:TERM@120", "lifecycle.terminationGracePeriodSeconds", 140),
        ("--export=ALL,A=1", "training.env.A", "1"),
    ],
)
def test_a_directive_becomes_a_key(directives: str, key: str, expected: object) -> None:
    job = slurm(
        "srun torchrun --nproc_per_node gpu train.py",
        directives if "gpu" in directives else f"{directives} --gres=gpu:4",
    )

    assert expected == value(job, key)
    assert [] == [one.message for one in problems(job)]


@pytest.mark.parametrize(
    "directive",
    [
        *("--partition=gpu", "-p gpu", "-A team", "--qos=long", "--reservation=r", "--mail-type=END", "--array=1-4"),
        *("--dependency=afterok:1", "--hint=nomultithread", "--constraint=a100", "--mem=0", "--nodelist=n1"),
        *("--nodes=$N", "--gpu-bind=single:1"),
        *("--licenses=x", "--switches=1", "--begin=now", "--unknown-option=1", "--gres=nvme:1", "--cpus-per-gpu=4"),
    ],
)
def test_a_directive_without_equivalent_is_lost_with_its_place(directive: str) -> None:
    job = slurm(TORCHRUN, directive)

    (entry,) = [one for one in job.lost if one.position.line == 2]
    assert (2, 9) == (entry.position.line, entry.position.column)
    assert entry.why


@pytest.mark.parametrize(
    "directive", ["--output=x.log", "-e x.err", "-K1", "--requeue", "--wait-all-nodes=1", "--open-mode=append"]
)
def test_a_directive_that_dsgen_does_not_need_is_dropped(directive: str) -> None:
    job = slurm(TORCHRUN, directive)

    assert [directive.split()[0]] == [one.split()[0] for one in fates(job, "dropped")][:1]


def test_directives_in_comments_and_after_the_first_command_do_not_count() -> None:
    """A job without a name is named as its script."""
    lines = "# SBATCH --nodes=3\n##SBATCH --nodes=4\n#SBATCH --nodes=2\necho\n#SBATCH --nodes=5\n"
    job = convert(f"#!/bin/bash\n{lines}{TORCHRUN}\n", "train_llama.sbatch")

    assert (2, "train-llama") == (value(job, "workers.replicas"), value(job, "name"))
    assert "#SBATCH --nodes=5" in fates(job, "dropped")


def test_comments_behind_directives_come_along() -> None:
    job = convert(
        "#!/bin/bash\n#SBATCH --nodes=2  # two machines\n#SBATCH --exclusive # ours\nsrun torchrun "
        "--nproc_per_node 8 t.py\n"
    )

    assert "  replicas: 2  # two machines\n" in job.text
    assert "  spread: required  # ours\n" in job.text


def test_comments_above_what_is_mapped_come_along() -> None:
    job = convert(
        "#!/bin/bash\n# Trains the large model.\n# Usage: sbatch train.sbatch\n#SBATCH --job-name=large\n"
        "# two machines of the new rack\n#SBATCH --nodes=2\n#SBATCH --gres=gpu:8\n"
        "#export NCCL_IB_DISABLE=1\n# ---- few words, please ----\nexport NCCL_DEBUG=WARN\n"
        "# peak\nLR=1e-4  # for Adam\nARGS=(\n  # the model\n  --layers 24\n  --lr $LR\n)\n"
        "# a token: hf_abcdefghijklmnopqrstuvwxyzabcdefgh\n"
        'srun torchrun --nproc_per_node 8 t.py "${ARGS[@]}"\n'
    )

    assert job.text.startswith("# Trains the large model.\nname: large\n")
    assert "  # two machines of the new rack\n  replicas: 2\n" in job.text
    assert "    # few words, please\n    NCCL_DEBUG: WARN\n" in job.text
    assert '    # the model\n    - --layers\n    - "24"\n    - --lr\n    # peak\n    - "1e-4"  # for Adam\n' in job.text
    assert "IB_DISABLE" not in job.text
    assert "sbatch" not in job.text
    assert "hf_" not in job.text


# -- how the training is started --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("srun accelerate launch --num_processes 8 --num_machines 2 --main_process_ip $H train.py",
         '--machine_rank "$NODE_RANK"'),
        ("srun accelerate launch --config_file f.yaml train.py --x 1", '--main_process_ip "$MASTER_ADDR"'),
        ("srun composer -n 4 --world_size 8 --node_rank $SLURM_NODEID train.py", 'composer -n "$NPROC_PER_NODE"'),
        ("srun tune run --nnodes 2 --nproc_per_node 4 --rdzv_endpoint $H:29500 recipe --config c",
         '--rdzv_endpoint "$MASTER_ADDR:$MASTER_PORT"'),
        ("srun axolotl train c.yaml --launcher torchrun -- --nnodes=2 --nproc_per_node=4",
         "train c.yaml --launcher torchrun --"),
        ("srun ./train.sh a", "./train.sh"),
    ],
)  # fmt: skip
def test_launchers_that_run_on_every_worker(line: str, part: str) -> None:
    job = slurm(f"export H=$(scontrol show hostnames | head -n 1)\n{line}")
    words = value(job, "launch.command")

    assert "worker-command" == value(job, "launch.method")
    assert isinstance(words, list)
    assert 'export H="$MASTER_ADDR"\n' in words[2]
    assert part in " ".join(words).replace("\\\n  ", "")
    assert 4 == value(job, "workers.slots")
    assert [] == unexplained(job)


# -- idioms -----------------------------------------------------------------------------------------------------------

HEAD_NODE = """\
nodes=( $( scontrol show hostnames $SLURM_JOB_NODELIST ) )
nodes_array=($nodes)
head_node=${nodes_array[0]}
head_node_ip=$(srun --nodes=1 --ntasks=1 -w "$head_node" hostname --ip-address)
export MASTER_ADDR=$head_node_ip
export MASTER_PORT=$(expr 10000 + $(echo -n $SLURM_JOBID | tail -c 4))
export WORLD_SIZE=$(($SLURM_NNODES * 4))
echo Node IP: $head_node_ip
"""


ARGUMENTS = r"""
MODEL_ARGS=" \
    --layers 12 \
    --name 'a|b' \
    "
DATA_ARGS="--data /data/x --split 98,2,0"
export CMD=" \
    train.py \
    $MODEL_ARGS $DATA_ARGS \
    "
export LAUNCHER="torchrun --nproc_per_node 4 --nnodes $SLURM_NNODES"
srun bash -c "$LAUNCHER --node_rank \$SLURM_PROCID $CMD"
"""
CONFIG = """
STAGE=3
cat <<EOT > $PWD_DIR/ds.json
{"train_batch_size": 16, "zero_optimization": {"stage": $STAGE}}
EOT
srun torchrun --nproc_per_node 4 train.py --deepspeed --deepspeed_config $PWD_DIR/ds.json --x 1
"""

T = "srun torchrun --nnodes 2 --nproc_per_node 4"


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        # the head node, with all that uses it, and ports that change
        (f"{HEAD_NODE}{T} --rdzv_id $RANDOM --rdzv_backend c10d --rdzv_endpoint $head_node_ip:29401 train.py",
         {"training": {"python": "train.py"}, "launch.masterPort": 29401, "lost": [], "holes": set()}),
        *((f"export MASTER_PORT={port}\n{T} --master_port $MASTER_PORT t.py", {"launch.masterPort": None, "lost": []})
          for port in ("$RANDOM", "$((RANDOM % 1000 + 20000))", "$(shuf -i 2000-3000 -n 1)",
                       "$((10000 + SLURM_JOBID % 100))")),
        (f"export OUT=/o/${{SLURM_JOB_ID}}_x\n{T} t.py exp${{SLURM_JOB_ID}}_v2 ${{SLURM_JOB_ID}}-${{SLURM_JOB_ID}}b",
         {"training.exec": [*SHELL, 'exec python3 -u t.py "exp${DSGEN_RUN}_v2" "$DSGEN_RUN-${DSGEN_RUN}b"'],
          "training.setup": 'export OUT="/o/${DSGEN_RUN}_x"'}),
        # words are those that bash would give; what is in single quotes is evaluated on the node
        (ARGUMENTS, {"command": ["train.py", "--layers", "12", "--name", "a|b", "--data", "/data/x", "--split",
                                 "98,2,0"], "training.env": None, "holes": {"storage.data"}}),
        (f"export A=1\nB=2\nsrun bash -c '{T[5:]} t.py --a $A --b=$B.'", {"command": ["t.py", "--a", "1", "--b=."]}),
        (f'ARGS=(--a 1 "--b c")\nARGS+=(--d)\n{T} "${{MORE[@]}}" t.py "${{ARGS[@]}}" ${{#ARGS[@]}}',
         {"command": ["t.py", "--a", "1", "--b c", "--d", "4"]}),
        (f'S=(1 2 "")\nX=" \\\n ${{S[1]}}"\n{T} t.py $X ${{S[7]}} ${{S[@]}}', {"command": ["t.py", "2", "1", "2"]}),
        # branches whose condition is known
        (f"SIZE=52\nif [[ $SIZE == 7 ]]; then L=1; elif [[ $SIZE == 52 ]]; then L=2; else L=3; fi\n{T} t.py $L",
         {"command": ["t.py", "2"], "dropped": ["--ntasks-per-node=1", "SIZE=52", "L=1", "L=2", "L=3", "srun"]}),
        (f'if [ -z "$SLURM_JOB_ID" ]; then sbatch "$0"; exit; fi\n{T} t.py', {"command": ["t.py"], "lost": []}),
        # DeepSpeed's launcher passes a local rank, too
        ("srun python -m torch.distributed.launch --nnodes 2 --nproc_per_node 4 t.py --deepspeed c.json",
         {"launch.method": "deepspeed-no-ssh", "lost": []}),
        # files in the script
        (f"PWD_DIR=.\n{CONFIG}", {
            "training.deepspeed.config": {"train_batch_size": 16, "zero_optimization": {"stage": 3}},
            "training.deepspeed.passConfig": False}),
        (f'cat > ds.json <<"E"\n{{"train_batch_size": "auto"}}\nE\n{T} t.py --deepspeed ds.json',
         {"command": ["t.py", "--deepspeed", "/job/ds_config.json"], "training.deepspeed.passConfig": False}),
        ("cat > a.yaml <<E\nlr: 1\nE\necho 'x: 1' > b.yaml\nsrun ./launch --config_file a.yaml train.py c.yaml",
         {"training.files": {"a.yaml": "lr: 1\n"}, "lost": ["echo 'x: 1' > b.yaml", "srun"],
          "launch.command": ["./launch", "--config_file", "/job/files/a.yaml", "train.py", "c.yaml"]}),
        ("rm -f hostfile\nsrun hostname | sed 's/$/ slots=4/' > hostfile\n"
         "deepspeed -H hostfile --no_ssh_check --launcher OPENMPI --launcher_args='--oversubscribe -v' t.py",
         {"lost": ["--no_ssh_check", "--launcher_args=--oversubscribe -v"], "launch.mpirunArgs": None}),
        # the image, and folders
        *((f"srun --container-image={image} --container-mounts=/lustre/data:/data,/lustre/out:/out:ro {T[5:]} t.py",
           {"image": {"repository": repository, **({"tag": tag} if tag else {})}, "storage.data.mountPath": "/data",
            "storage.out.mountPath": "/out", "holes": {"storage.data", "storage.out"}})
          for image, repository, tag in (
            ("nvcr.io#nvidia/pytorch:24.01-py3", "nvcr.io/nvidia/pytorch", "24.01-py3"),
            ("docker://team/image:v1", "team/image", "v1"), ("/images/x.sqsh", "", ""), ("$IMAGE", "", ""))),
        ("export A=1 APPTAINERENV_D=4\ncd /a\n"
         f"srun apptainer exec --env A=2,B=3 --pwd /w -B /x:/data docker://team/image:v1 {T[5:]} t.py",
         {"image": {"repository": "team/image", "tag": "v1"}, "storage.data.mountPath": "/data",
          "training.env": {"A": "2", "B": "3", "D": "4"}, "training.workingDir": "/w"}),
        (f"{T} /opt/app/t.py --d /fsx/a/b --c /fsx/c --e /scratch/me/x", {"holes": {"storage.fsx", "storage.scratch"}}),
        ("srun torchrun --nnodes 2 t.py", {"workers.slots": None, "workers.accelerator.count": 4}),
        (f"#SBATCH --chdir=sub\n{T} t.py", {"holes": {"training.workingDir"}}),
        (f"{T} t.py --files '/*/train/input_*.jsonl'", {"storage": None}),
        # the environment, and programs before the training
        (f"export NCCL_DEBUG=INFO FI_PROVIDER=efa\nexport OMP_NUM_THREADS=8 \\\n  UCX_TLS=rc\n"
         f"export NNODES=2 NODE_RANK=1\n"
         f"export LD_LIBRARY_PATH=/x:$LD_LIBRARY_PATH\nNCCL_IB_HCA=mlx5 {T} t.py",
         {"training.env": {"NCCL_DEBUG": "INFO", "FI_PROVIDER": "efa", "OMP_NUM_THREADS": "8", "UCX_TLS": "rc",
                           "NCCL_IB_HCA": "mlx5", "NNODES": "2"}, "lost": ["NODE_RANK=1"],
          "training.setup": 'export LD_LIBRARY_PATH="/x:${LD_LIBRARY_PATH}"'}),
        (f"cd $WORK/code\nexport HF_HOME=$WORK/hf\n{T} $WORK/code/t.py",
         {"holes": {"training.env.WORK", "training.workingDir"}, "training.setup": 'export HF_HOME="${WORK}/hf"'}),
        (f"pip install -q x\nexport MAIN=$SLURM_LAUNCH_NODE_IPADDR\n{T} t.py 1", {
            "training": {"setup": "pip install -q x", "args": ["1"],
                         "exec": [*SHELL, 'export MAIN="$MASTER_ADDR"\nexec "$0" "$@"', "python3", "-u", "t.py"]}}),
    ],
)  # fmt: skip
def test_an_idiom(script: str, expected: dict[str, object]) -> None:
    job = slurm(script)

    assert expected == {what: look(job, what) for what in expected}
    assert [] == unexplained(job)


@pytest.mark.parametrize(
    "block",
    [
        "srun hostname | sed 's/$/ slots=8/' > hosts",
        'scontrol show hostnames $SLURM_NODELIST | while read h; do echo "$h slots=8" >> hosts; done',
        "N=8\nfor h in $(scontrol show hostnames); do\n  echo $h slots=$N >> hosts\ndone",
    ],
)
def test_a_hostfile_is_dropped_and_its_slots_are_taken(block: str) -> None:
    job = slurm(f"{block}\ndeepspeed --hostfile hosts train.py", "--nodes=2 --gres=gpu:8")

    assert (8, [], set()) == (value(job, "workers.slots"), job.lost, holes(job))


@pytest.mark.parametrize(
    ("script", "why"),
    [
        (f"srun -N1 vllm serve model &\n{TORCHRUN}", "server"),
        ("srun -n 8 torchrun --nproc_per_node 4 train.py", "torchrun 4 times on each node"),
        ("torchrun --nnodes 2 --nproc_per_node 4 train.py", "no srun is before it"),
        ("srun torchrun --nnodes 1 train.py", "do not join all nodes"),
        (f"export CUDA_VISIBLE_DEVICES=4,5\n{TORCHRUN}", "numbered from 0"),
        ("srun apptainer exec --cleanenv a.sif python train.py", "only a part of the environment"),
        ("srun -n 8 --gpus-per-task=1 python train.py", "sees only its own devices"),
        ("srun accelerate launch --num_machines 2 train.py", "without --num_processes"),
        ("cat > t.py <<E\nimport a\nE\nsrun torchrun --nnodes 2 t.py", "modules that are beside it"),
        (f"{TORCHRUN}\naws s3 cp out s3://out", "stands after the command line"),
        (f"export APPTAINER_BIND=/data\n{TORCHRUN}", "Apptainer reads it"),
        ('srun torchrun --nproc_per_node 4 train.py "$@"', "arguments that were given to the script"),
        ("srun python -m torch.distributed.launch --nproc_per_node 4 train.py", "--local_rank"),
    ],
)
def test_why_a_part_is_lost(script: str, why: str) -> None:
    assert any(why in entry.why for entry in slurm(script).lost)


@pytest.mark.parametrize(
    "line",
    [
        *("module load cuda", "ml pytorch", "conda activate x", "source venv/bin/activate", ". ~/.bashrc"),
        'eval "$(conda shell.bash hook)"',
    ],
)
def test_what_loads_programs_is_a_comment_at_the_hole_of_the_image(line: str) -> None:
    job = slurm(f"{line}\n{TORCHRUN}")

    assert f"#   {line}\n" in job.text
    assert [] == job.lost


def test_a_word_in_a_string_has_its_own_place() -> None:
    job = slurm(ARGUMENTS)
    (entry,) = [one for one in job.entries if one.source == "12"]

    assert (5, 14, "training.args[1]") == (entry.position.line, entry.position.column, entry.to)


def test_defaults_are_used_and_named() -> None:
    line = 'srun torchrun --nproc_per_node 4 train.py --lr $LR --m ${MODEL:-"gpt"} ${DEBUG:+--debug}'
    job = slurm(": ${LR:=1e-4}\n" + line)

    assert ["train.py", "--lr", "1e-4", "--m", "gpt"] == command(job)
    assert {
        "the script does not set it: its default 1e-4 is used",
        "the script does not set it: its default gpt is used",
    } <= {entry.why for entry in job.entries}


@pytest.mark.parametrize(
    ("directives", "expected"),
    [("-n 1 --gres=gpu:2", 1), ("--gpus=1", 1), ("-n 16 --ntasks-per-node=4 --gres=gpu:4", 4)],
)
def test_nodes_that_other_options_imply(directives: str, expected: int) -> None:
    job = slurm("srun python train.py", directives)

    assert expected == value(job, "workers.replicas") or (expected, None) == (1, value(job, "workers.replicas"))
    assert "workers.replicas" not in holes(job)


def test_what_nothing_implies_is_a_hole_or_named() -> None:
    job = slurm("srun torchrun --nproc_per_node 4 train.py", "-w n[1-2]")

    assert "workers.replicas" in holes(job)
    assert "no option asks for GPUs; dsgen requests one for each process" in [entry.why for entry in job.lost]


def test_more_processes_than_devices_are_those_of_the_command_line() -> None:
    job = slurm("srun deepspeed -H hosts --num_gpus=4 t.py", "--nodes=2 --gpus=4")

    assert (4, None) == (value(job, "workers.slots"), value(job, "workers.accelerator"))
    assert ["--gpus=4"] == fates(job, "lost")


@pytest.mark.parametrize(
    "line",
    ["rm -rf out", "pkill python", "wandb login abcdefgh12345", "huggingface-cli login --token abcdefgh1234"],
)
def test_what_must_not_run_in_every_pod_is_lost_and_shown_without_secrets(line: str) -> None:
    job = slurm(f"{line}\n{TORCHRUN}")

    (entry,) = job.lost
    assert entry.source.startswith(" ".join(line.split()[:2]))
    assert "1234" not in entry.source
    assert "setup" not in str(value(job, "training"))


@pytest.mark.parametrize(
    "line",
    [
        *("nvidia-smi", "echo start", "printenv", "mkdir -p out", "date", "sleep 5", "set -ex", "srun hostname"),
        "ulimit -c 0 || true",
        *('[ -n "$DATA" ] || exit 1', "if [ $# -lt 2 ]; then exit 1; fi", 'if [[ ! -f "$DATA" ]]; then exit 1; fi'),
        'if [ -z "$DATA" ]; then echo usage; exit 1; fi',
        "until test -f ready; do echo waiting; sleep 5; done",
        "case $1 in -h) echo usage; exit;; esac",
    ],
)
def test_what_has_no_effect_on_the_training_is_not_lost(line: str) -> None:
    """Also checks that end the script."""
    assert [] == slurm(f"{line}\n{TORCHRUN}").lost


def test_nothing_is_executed(tmp_path: Path) -> None:
    slurm(
        f"touch {tmp_path}/a; $(touch {tmp_path}/b); `touch {tmp_path}/c`; X=$(touch {tmp_path}/d)\n"
        f"{TORCHRUN} <(touch {tmp_path}/e)",
        form="",
    )

    assert [] == list(tmp_path.iterdir())


WHOLE = f"""#!/bin/bash
#SBATCH --job-name=whole --nodes=2
#SBATCH --gres=gpu:4
set -e
{HEAD_NODE}
module load cuda
if [ -d /x ]; then echo; fi
f() {{ echo; }}
unset A
{ARGUMENTS}
{CONFIG.replace("srun", "# srun")}
"""


def test_every_statement_is_accounted_for() -> None:
    job = convert(WHOLE, form="native")

    assert [] == unaccounted(WHOLE, [job])
