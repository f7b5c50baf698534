"""Scripts for sbatch: each directive and each idiom."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from tests.importers.imports import (
    command,
    convert,
    fates,
    holes,
    problems,
    refused,
    slurm,
    unaccounted,
    unexplained,
    value,
)

TORCHRUN = "srun torchrun --nproc_per_node=4 train.py"


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
        ("--signal=B:TERM@120", "lifecycle.terminationGracePeriodSeconds", 140),
        ("--export=ALL,A=1", "training.env.A", "1"),
    ],
)
def test_a_directive_becomes_a_key(directives: str, key: str, expected: object) -> None:
    job = slurm("srun torchrun train.py", directives if "gpu" in directives else f"{directives} --gres=gpu:4")

    assert expected == value(job, key)
    assert [] == [one.message for one in problems(job)]


@pytest.mark.parametrize(
    "directive",
    [
        *("--partition=gpu", "-p gpu", "-A team", "--qos=long", "--reservation=r", "--mail-type=END", "--array=1-4"),
        *(
            "--dependency=afterok:1",
            "--hint=nomultithread",
            "--constraint=a100",
            "--mem=0",
            "--nodelist=n1",
            "--nodes=$N",
        ),
        *("--licenses=x", "--switches=1", "--begin=now", "--unknown-option=1", "--gres=nvme:1", "--cpus-per-gpu=4"),
    ],
)
def test_a_directive_without_equivalent_is_lost_with_its_place(directive: str) -> None:
    job = slurm(TORCHRUN, directive)

    (entry,) = [one for one in job.lost if one.position.line == 2]
    assert (2, 9) == (entry.position.line, entry.position.column)
    assert entry.why


@pytest.mark.parametrize(
    "directive", ["--output=x.log", "-e x.err", "--requeue", "--wait-all-nodes=1", "--open-mode=append"]
)
def test_a_directive_that_dsgen_does_not_need_is_dropped(directive: str) -> None:
    job = slurm(TORCHRUN, directive)

    assert [directive.split()[0]] == [one.split()[0] for one in fates(job, "dropped")][:1]


def test_a_type_of_gpu_is_lost_and_its_number_is_not() -> None:
    job = slurm(TORCHRUN, "--nodes=2 --gres=gpu:v100:4")

    assert 4 == value(job, "workers.slots")
    assert "v100" in job.lost[0].why


def test_directives_in_comments_and_after_the_first_command_do_not_count() -> None:
    job = convert(
        "#!/bin/bash\n# SBATCH --nodes=3\n##SBATCH --nodes=4\n#SBATCH --nodes=2\necho\n#SBATCH --nodes=5\n"
        "srun torchrun --nproc_per_node 8 t.py\n"
    )

    assert 2 == value(job, "workers.replicas")
    assert "#SBATCH --nodes=5" in fates(job, "dropped")


def test_a_job_without_a_name_is_named_as_its_script() -> None:
    assert "train-llama" == value(
        convert("#!/bin/bash\n#SBATCH -N 2\nsrun torchrun --nproc_per_node 8 t.py\n", "train_llama.sbatch"), "name"
    )


def test_letters_behind_a_variable_are_no_part_of_its_name() -> None:
    job = slurm(
        "export OUT=/o/${SLURM_JOB_ID}_x\n"
        "srun torchrun --nproc_per_node 4 t.py --name exp${SLURM_JOB_ID}_v2 --at ${SLURM_JOB_ID}-${SLURM_JOB_ID}b"
    )

    assert '--name \\"exp${DSGEN_RUN}_v2\\" --at \\"$DSGEN_RUN-${DSGEN_RUN}b\\"' in job.text
    assert 'export OUT=\\"/o/${DSGEN_RUN}_x\\"' in job.text


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


@pytest.mark.parametrize("comment", ["\x85name: other", "a \u2028 b", "\x1b[31m red", "tab\tand: {colon}", "# # # x"])
def test_a_comment_stays_a_comment(comment: str) -> None:
    job = slurm(f"# {comment}\nexport A=1\nsrun torchrun --nproc_per_node 4 t.py")

    assert {"A": "1"} == value(job, "training.env")
    assert [] == problems(job)


# -- how the training is started --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "method", "expected"),
    [
        ("srun torchrun --nproc_per_node 4 train.py --a 1", "torchrun", ["train.py", "--a", "1"]),
        ("srun torchrun --nproc-per-node=4 -m team.train", "torchrun", ["team.train"]),
        ("srun torchrun --nproc_per_node 4 --no-python ./prog x", "torchrun", ["./prog", "x"]),
        ("srun python -m torch.distributed.run --nproc_per_node 4 train.py", "torchrun", ["train.py"]),
        ("srun python -u -m torch.distributed.launch --use_env --nproc_per_node 4 t.py", "torchrun", ["t.py"]),
        ("deepspeed --hostfile=hosts --num_gpus 4 train.py --deepspeed", None, ["train.py", "--deepspeed"]),
        ("deepspeed --no_ssh --num_gpus 4 train.py", "deepspeed-no-ssh", ["train.py"]),
        ("mpirun -np 8 --hostfile h python train.py", "openmpi", ["train.py"]),
        ("srun bash -c 'torchrun --nproc_per_node 4 --node_rank $SLURM_PROCID train.py'", "torchrun", ["train.py"]),
        ('srun bash -c "torchrun --nproc_per_node 4 --node_rank \\$SLURM_PROCID train.py"', "torchrun", ["train.py"]),
        ("srun --mpi=pmix -l --cpu-bind=none torchrun --nproc_per_node 4 train.py", "torchrun", ["train.py"]),
        ("time srun torchrun --nproc_per_node 4 train.py 2>&1 | tee log.txt", "torchrun", ["train.py"]),
        ("srun torchrun --nproc_per_node 4 train.py &>> log &\nwait", "torchrun", ["train.py"]),
        ("nohup srun torchrun --nproc_per_node 4 train.py > log 2>&1", "torchrun", ["train.py"]),
    ],
)
def test_launchers_of_one_process_for_each_rank(line: str, method: str | None, expected: list[str]) -> None:
    job = slurm(line)

    assert method == value(job, "launch.method")
    assert expected == command(job)
    assert 4 == value(job, "workers.slots")
    assert 2 == value(job, "workers.replicas")
    assert [] == unexplained(job)


@pytest.mark.parametrize(
    ("line", "part"),
    [
        (
            "srun accelerate launch --num_processes 8 --num_machines 2 --main_process_ip $H train.py",
            '--machine_rank "$NODE_RANK"',
        ),
        ("srun accelerate launch --config_file f.yaml train.py --x 1", '--main_process_ip "$MASTER_ADDR"'),
        ("srun composer -n 4 --world_size 8 --node_rank $SLURM_NODEID train.py", 'composer -n "$NPROC_PER_NODE"'),
        (
            "srun tune run --nnodes 2 --nproc_per_node 4 --rdzv_endpoint $H:29500 recipe --config c",
            '--rdzv_endpoint "$MASTER_ADDR:$MASTER_PORT"',
        ),
        (
            "srun axolotl train c.yaml --launcher torchrun -- --nnodes=2 --nproc_per_node=4",
            "train c.yaml --launcher torchrun --",
        ),
        ("srun ./train.sh a", "./train.sh"),
    ],
)
def test_launchers_that_run_on_every_worker(line: str, part: str) -> None:
    job = slurm(f"H=$(scontrol show hostnames | head -n 1)\n{line}")
    words = value(job, "launch.command")

    assert "worker-command" == value(job, "launch.method")
    assert isinstance(words, list)
    assert part in " ".join(words).replace("\\\n  ", "")
    assert 4 == value(job, "workers.slots")
    assert [] == unexplained(job)


def test_a_process_for_each_task_is_started_as_a_rank() -> None:
    job = slurm("srun python train.py --rank $SLURM_PROCID", "--nodes=2 --ntasks-per-node=4 --gres=gpu:4")

    assert "torchrun" == value(job, "launch.method")
    assert 4 == value(job, "workers.slots")
    assert ["bash", "-c", 'exec python3 -u train.py --rank "$RANK"'] == value(job, "training.exec")


def test_torch_distributed_launch_passes_a_local_rank() -> None:
    job = slurm("srun python -m torch.distributed.launch --nproc_per_node 4 train.py")
    with_deepspeed = slurm("srun python -m torch.distributed.launch --nproc_per_node 4 train.py --deepspeed c.json")

    assert any("--local_rank" in entry.why for entry in job.lost)
    assert "deepspeed-no-ssh" == value(with_deepspeed, "launch.method")
    assert [] == with_deepspeed.lost


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


def test_the_head_node_is_dropped_with_all_that_uses_it() -> None:
    job = slurm(
        f"{HEAD_NODE}srun torchrun --nproc_per_node 4 --rdzv_id $RANDOM --rdzv_backend c10d --rdzv_endpoint "
        f"$head_node_ip:29401 train.py"
    )

    assert {"python": "train.py"} == value(job, "training")
    assert 29401 == value(job, "launch.masterPort")
    assert [] == job.lost
    assert set() == holes(job)


@pytest.mark.parametrize(
    "port", ["$RANDOM", "$((RANDOM % 1000 + 20000))", "$(shuf -i 2000-3000 -n 1)", "$((10000 + SLURM_JOBID % 100))"]
)
def test_a_port_that_changes_is_dropped(port: str) -> None:
    job = slurm(f"export MASTER_PORT={port}\nsrun torchrun --nproc_per_node 4 --master_port $MASTER_PORT train.py")

    assert None is value(job, "launch.masterPort")
    assert [] == job.lost


@pytest.mark.parametrize(
    ("option", "expected"),
    [("$SLURM_NNODES", "2"), ("$SLURM_JOB_NUM_NODES", "2"), ("$SLURM_GPUS_ON_NODE", "4"), ("$((SLURM_NNODES * "
        "4))", "8"),
     ("$SLURM_NTASKS", "2"), ("${SLURM_NNODES}x", "2x")],
)  # fmt: skip
def test_numbers_of_slurm_are_computed(option: str, expected: str) -> None:
    assert ["train.py", "--n", expected] == command(slurm(f"srun torchrun --nproc_per_node 4 train.py --n {option}"))


def test_the_id_of_the_job_becomes_that_of_the_run() -> None:
    job = slurm("srun torchrun --nproc_per_node 4 train.py --out out-$SLURM_JOB_ID-$(date +%s)")

    assert 'exec python3 -u train.py --out "out-$DSGEN_RUN-$DSGEN_RUN"' == command(job)[2]
    assert [] == unexplained(job)


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


def test_strings_of_arguments_are_expanded_three_deep_with_their_quotes() -> None:
    job = slurm(ARGUMENTS)

    assert ["train.py", "--layers", "12", "--name", "a|b", "--data", "/data/x", "--split", "98,2,0"] == command(job)
    assert None is value(job, "training.env")
    assert {"storage.data"} == holes(job)


def test_a_word_in_a_string_has_its_own_place() -> None:
    job = slurm(ARGUMENTS)
    (entry,) = [one for one in job.entries if one.source == "12"]

    assert (5, 14, "training.args[1]") == (entry.position.line, entry.position.column, entry.to)


def test_single_quotes_are_evaluated_on_the_node_with_exported_variables_only() -> None:
    job = slurm("export A=1\nB=2\nsrun bash -c 'torchrun --nproc_per_node 4 train.py --a $A --b=$B.'")

    assert ["train.py", "--a", "1", "--b=."] == command(job)


def test_arrays_are_expanded() -> None:
    job = slurm(
        'ARGS=(--a 1 "--b c")\nARGS+=(--d)\nif [ -n "$X" ]; then MORE=(--x); fi\nsrun torchrun '
        '--nproc_per_node 4 "${MORE[@]}" train.py "${ARGS[@]}" ${#ARGS[@]}'
    )

    assert ["train.py", "--a", "1", "--b c", "--d", "4"] == command(job)


def test_an_item_of_an_array_with_an_unknown_number_is_a_hole() -> None:
    job = slurm(
        "SIZES=(1 2 3)\nsrun torchrun --nproc_per_node 4 train.py "
        "${SIZES[$SLURM_ARRAY_TASK_ID]} ${SIZES[1]} ${SIZES[7]}"
    )

    assert 'exec python3 -u train.py "${SIZES}" 2' in command(job)[2]
    assert {"training.env.SIZES"} == holes(job)


def test_defaults_are_used_and_named() -> None:
    job = slurm(": ${LR:=1e-4}\nsrun torchrun --nproc_per_node 4 train.py --lr $LR --m ${MODEL:-gpt} ${DEBUG:+--debug}")

    assert ["train.py", "--lr", "1e-4", "--m", "gpt"] == command(job)
    assert {
        "LR is not set in the script: its default 1e-4 is used",
        "MODEL is not set in the script: its default gpt is used",
    } <= {entry.why for entry in job.entries}


def test_set_replaces_a_variable() -> None:
    job = slurm(
        "MODEL=a\nsrun torchrun --nproc_per_node 4 train.py $MODEL $1 $DATA",
        variables={"MODEL": "b", "1": "c", "DATA": "d"},
    )

    assert ["train.py", "b", "c", "d"] == command(job)


def test_arguments_of_the_script_are_refused_with_their_names() -> None:
    reason = refused('#!/bin/bash\n#SBATCH -N 2\nsrun torchrun --nproc_per_node 4 train.py --m $1 --d "$2"\n')

    assert "the command line needs arguments of the script: $1, $2" in reason
    assert "--set 1=VALUE" in reason


def test_all_arguments_of_the_script_are_lost() -> None:
    job = slurm('srun torchrun --nproc_per_node 4 train.py "$@"')

    assert ["train.py"] == command(job)
    assert any("arguments that were given to the script" in entry.why for entry in job.lost)


@pytest.mark.parametrize("parser", ["while [[ $# -gt 0 ]]; do case $1 in --m) M=$2; shift;; esac; shift; done",
                                    'while getopts "a:b:" o; do case $o in a) A=$OPTARG;; esac; done',
                                    "case $1 in --model) M=$2;; esac"])  # fmt: skip
def test_parsers_of_arguments_are_dropped(parser: str) -> None:
    assert [] == slurm(f"{parser}\n{TORCHRUN}").lost


def test_a_branch_is_followed_if_its_condition_is_known() -> None:
    job = slurm(
        "SIZE=52\nif [[ $SIZE == 7 ]]; then L=1; elif [[ $SIZE == 52 ]]; then L=2; else L=3; fi\nsrun "
        "torchrun --nproc_per_node 4 train.py $L"
    )

    assert ["train.py", "2"] == command(job)
    assert {"L=1", "L=3"} <= set(fates(job, "dropped"))


def test_a_branch_whose_condition_is_not_known_is_named() -> None:
    job = slurm(f"if [ -d /opt/x ]; then EXTRA=--x; fi\n{TORCHRUN} $EXTRA")

    assert any(entry.source.startswith("if [ -d /opt/x ]") for entry in job.lost)


@pytest.mark.parametrize("test", ['if [ -z "$DATA" ]; then echo usage; exit 1; '
        'fi', '[ -n "$DATA" ] || exit '
        '1', "if [ $# -lt 2 ]; "
        "then exit 1; fi",
                                  'if [[ ! -f "$DATA" ]]; then exit 1; fi'])  # fmt: skip
def test_checks_that_end_the_script_are_dropped(test: str) -> None:
    assert [] == slurm(f"{test}\n{TORCHRUN}").lost


def test_a_script_that_submits_itself_is_read_as_a_job() -> None:
    job = slurm(f'if [ -z "$SLURM_JOB_ID" ]; then sbatch "$0"; exit; fi\n{TORCHRUN}')

    assert ["train.py"] == command(job)
    assert [] == job.lost


@pytest.mark.parametrize(
    "loop", ["for i in 0 1", "for i in $(seq 0 1)", "for ((i=0; i<2; i++))", "for i in $(seq 0 $((SLURM_NNODES - 1)))"]
)
def test_a_loop_over_the_nodes_is_one_launch(loop: str) -> None:
    job = slurm(
        f"{loop}; do\n  srun --nodes=1 --ntasks=1 -w ${{nodes[$i]}} torchrun --nproc_per_node 4 --node_rank "
        f"$i train.py &\ndone\nwait"
    )

    assert ["train.py"] == command(job)
    assert 2 == value(job, "workers.replicas")


def test_several_trainings_are_refused_or_chosen_by_their_line() -> None:
    text = "#!/bin/bash\n#SBATCH -N 2\nsrun torchrun --nproc_per_node 4 a.py\nsrun torchrun --nproc_per_node 4 b.py\n"

    assert "several commands start trainings, on lines 3, 4" in refused(text)
    assert ["b.py"] == command(convert(text, line=4))


def test_a_loop_of_trainings_is_refused() -> None:
    assert "trainings" in refused(
        "#!/bin/bash\n#SBATCH -N 2\nfor lr in 1 2; do srun torchrun --nproc_per_node 4 t.py --lr $lr; done\n"
    )


@pytest.mark.parametrize(
    ("directives", "expected"),
    [("-n 1 --gres=gpu:2", 1), ("--gpus=1", 1), ("-n 16 --ntasks-per-node=4 --gres=gpu:4", 4)],
)
def test_nodes_that_other_options_imply(directives: str, expected: int) -> None:
    job = slurm("srun python train.py", directives)

    assert expected == value(job, "workers.replicas") or (expected, None) == (1, value(job, "workers.replicas"))
    assert "workers.replicas" not in holes(job)


def test_nodes_that_nothing_implies_are_a_hole() -> None:
    assert "workers.replicas" in holes(slurm("srun torchrun --nproc_per_node 4 train.py", "--gres=gpu:4"))


def test_a_line_of_several_programs_is_refused() -> None:
    assert "a line starts several programs" in refused(
        "#!/bin/bash\n#SBATCH -N 2\nsrun bash -c 'python a.py; python b.py'\n"
    )


def test_more_processes_than_devices_are_those_of_the_command_line() -> None:
    job = slurm("srun deepspeed --num_gpus=4 t.py", "--nodes=2 --gpus=4")

    assert (4, None) == (value(job, "workers.slots"), value(job, "workers.accelerator"))
    assert ["--gpus=4"] == fates(job, "lost")


def test_four_lines_for_four_machines_are_one_job() -> None:
    lines = "\n".join(
        f"ssh node{n} torchrun --nnodes 4 --nproc_per_node 8 --node_rank {n} train.py &" for n in range(4)
    )

    assert ["train.py"] == command(slurm(lines, "--nodes=4"))


def test_functions_are_read_where_they_are_called() -> None:
    job = slurm(
        'launch() {\n  local lr=$2\n  srun torchrun --nproc_per_node 4 "$1" --lr $lr "${@:3}"\n}\nlaunch '
        "train.py 1e-4 --x y"
    )

    assert ["train.py", "--lr", "1e-4", "--x", "y"] == command(job)


CONFIG = """
STAGE=3
cat <<EOT > $PWD_DIR/ds.json
{"train_batch_size": 16, "zero_optimization": {"stage": $STAGE}}
EOT
srun torchrun --nproc_per_node 4 train.py --deepspeed --deepspeed_config $PWD_DIR/ds.json --x 1
"""


def test_a_configuration_in_the_script_becomes_deepspeeds() -> None:
    job = slurm(f"PWD_DIR=.\n{CONFIG}")

    assert {"train_batch_size": 16, "zero_optimization": {"stage": 3}} == value(job, "training.deepspeed.config")
    assert ["train.py", "--x", "1"] == command(job)
    assert [] == unexplained(job)


def test_a_configuration_that_is_passed_in_another_way_keeps_its_option() -> None:
    job = slurm(
        'cat > ds.json <<"E"\n{"train_batch_size": "auto"}\nE\nsrun torchrun --nproc_per_node 4 train.py '
        "--deepspeed ds.json"
    )

    assert ["train.py", "--deepspeed", "/job/ds_config.json"] == command(job)
    assert False is value(job, "training.deepspeed.passConfig")


def test_other_files_in_the_script_become_files() -> None:
    job = slurm(
        "cat > a.yaml <<E\nlr: 1\nE\necho 'x: 1' > b.yaml\nsrun accelerate launch --config_file a.yaml "
        "--num_processes 8 train.py c.yaml"
    )

    assert {"a.yaml": "lr: 1\n"} == value(job, "training.files")
    assert "--config_file /job/files/a.yaml" in job.text
    assert ["echo 'x: 1' > b.yaml"] == fates(job, "lost")


@pytest.mark.parametrize("line", ["module load "
        "cuda", "ml "
        "pytorch", "conda activate "
        "x", "source "
        "venv/bin/activate", ". "
        "env.sh",
                                  'eval "$(conda shell.bash hook)"'])  # fmt: skip
def test_what_loads_programs_is_a_comment_at_the_hole_of_the_image(line: str) -> None:
    job = slurm(f"{line}\n{TORCHRUN}")

    assert f"#   {line}\n" in job.text
    assert [] == job.lost


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ("nvcr.io#nvidia/pytorch:24.01-py3", {"repository": "nvcr.io/nvidia/pytorch", "tag": "24.01-py3"}),
        ("docker://team/image:v1", {"repository": "team/image", "tag": "v1"}),
        ("/images/x.sqsh", {"repository": ""}),
        ("$IMAGE", {"repository": ""}),
    ],
)
def test_an_image_of_pyxis(image: str, expected: dict[str, str]) -> None:
    job = slurm(
        f"srun --container-image={image} --container-mounts=/lustre/data:/data,/lustre/out:/out:ro torchrun "
        f"--nproc_per_node 4 t.py"
    )

    assert expected == value(job, "image")
    volumes = cast("dict[str, Any]", value(job, "storage"))
    assert {"/data", "/out"} == {one["mountPath"] for one in volumes.values()}
    assert {"storage.data", "storage.out"} == holes(job)


def test_an_image_of_apptainer() -> None:
    job = slurm("srun apptainer exec --nv -B /scratch/x:/data docker://team/image:v1 torchrun --nproc_per_node 4 t.py")

    assert {"repository": "team/image", "tag": "v1"} == value(job, "image")
    assert "/data" == value(job, "storage.data.mountPath")


def test_exports_become_environment() -> None:
    job = slurm(
        "export NCCL_DEBUG=INFO FI_PROVIDER=efa\nexport OMP_NUM_THREADS=8 \\\n  UCX_TLS=rc\nOTHER=1\nexport "
        "LD_LIBRARY_PATH=/x:$LD_LIBRARY_PATH\n"
        "NCCL_IB_HCA=mlx5 srun torchrun --nproc_per_node 4 t.py"
    )

    assert {
        "NCCL_DEBUG": "INFO",
        "FI_PROVIDER": "efa",
        "OMP_NUM_THREADS": "8",
        "UCX_TLS": "rc",
        "NCCL_IB_HCA": "mlx5",
    } == value(job, "training.env")
    assert 'export LD_LIBRARY_PATH="/x:${LD_LIBRARY_PATH}"' == value(job, "training.setup")


def test_a_folder_of_the_cluster_is_a_hole_and_one_of_the_image_is_not() -> None:
    job = slurm("srun torchrun --nproc_per_node 4 /opt/app/t.py --d /fsx/a/b --c /fsx/c --e /scratch/me/x")

    assert {"storage.fsx", "storage.scratch"} == holes(job)


def test_a_variable_of_the_site_is_a_hole() -> None:
    job = slurm("cd $WORK/code\nexport HF_HOME=$WORK/hf\nsrun torchrun --nproc_per_node 4 $WORK/code/t.py")

    assert {"training.env.WORK", "training.workingDir"} == holes(job)
    assert 'export HF_HOME="${WORK}/hf"' == value(job, "training.setup")


@pytest.mark.parametrize(
    "line",
    [
        "rm -rf out",
        "pkill python",
        "dcgmi group -c x",
        "wandb login abcdefgh12345",
        "huggingface-cli login --token abcdefgh1234",
    ],
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
        "nvidia-smi",
        "echo start",
        "printenv",
        "mkdir -p out",
        "date",
        "sleep 5",
        "set -ex",
        "srun hostname",
        "ulimit -c 0 || true",
    ],
)
def test_what_has_no_effect_on_the_training_is_not_lost(line: str) -> None:
    assert [] == slurm(f"{line}\n{TORCHRUN}").lost


def test_programs_before_the_training_are_lost() -> None:
    job = slurm(f"python prepare.py\nsrun python pre.py\n{TORCHRUN}")

    assert ["python prepare.py", "srun python pre.py"] == fates(job, "lost")


def test_pip_goes_into_setup() -> None:
    assert "pip install -q x" == value(slurm(f"pip install -q x\n{TORCHRUN}"), "training.setup")


def test_a_hostfile_is_dropped_and_its_slots_are_taken() -> None:
    for block in (
        "srun hostname | sed 's/$/ slots=8/' > hosts",
        'scontrol show hostnames $SLURM_NODELIST | while read h; do echo "$h slots=8" >> hosts; done',
        "N=8\nfor h in $(scontrol show hostnames); do\n  echo $h slots=$N >> hosts\ndone",
    ):
        job = slurm(f"{block}\ndeepspeed --hostfile hosts train.py", "--nodes=2")

        assert 8 == value(job, "workers.slots")
        assert [] == job.lost
        assert set() == holes(job)


def test_a_second_role_beside_the_training_is_lost() -> None:
    job = slurm(f"srun -N1 vllm serve model &\n{TORCHRUN}")

    assert any("server" in entry.why for entry in job.lost)


def test_a_script_that_bash_refuses_is_refused_with_its_line() -> None:
    assert "train.sbatch:3:1: bash cannot read the script" in refused("#!/bin/bash\n#SBATCH -N 2\nfi\n")


def test_nothing_is_executed(tmp_path: Path) -> None:
    slurm(
        f"touch {tmp_path}/a; $(touch {tmp_path}/b); `touch {tmp_path}/c`; X=$(touch {tmp_path}/d)\n"
        f"{TORCHRUN} <(touch {tmp_path}/e)"
    )

    assert [] == list(tmp_path.iterdir())


WHOLE = f"""#!/bin/bash
#SBATCH --job-name=whole --nodes=2
#SBATCH --gres=gpu:4
set -e
{HEAD_NODE}
module load cuda
if [ -d /x ]; then A=1; fi
f() {{ echo; }}
f
unset A
{ARGUMENTS}
{CONFIG.replace("srun", "# srun")}
"""


def test_every_statement_is_accounted_for() -> None:
    job = convert(WHOLE)

    assert [] == unaccounted(WHOLE, [job])
