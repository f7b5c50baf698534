"""Scripts for sbatch that are carried, and those that are not."""

import pytest

from dsgen.importers import ImportedJob, ImportOptions, ImportRefusedError, SourceText, import_jobs
from tests.importers.imports import problems

HEAD = "#!/bin/bash\n#SBATCH --nodes=1 --ntasks-per-node=2 --gres=gpu:4 --cpus-per-task=3\n"
LOOP = HEAD + "for lr in 1 2; do\n  srun python train.py --lr $lr --data /data/corpus || exit\ndone\n"


def convert(text: str, form: str = "", **variables: str) -> ImportedJob:
    (job,) = import_jobs([SourceText("sweep.sbatch", text)], ImportOptions(variables=variables, form=form))
    return job


def test_a_script_that_is_not_understood_is_a_file_of_the_run() -> None:
    job = convert(LOOP, **{"1": "a", "SEED": "3"})

    assert LOOP == job.data["training"]["files"]["sweep.sbatch"]
    assert {"method": "slurm-script", "command": ["/job/files/sweep.sbatch", "a"]} == job.data["launch"]
    assert {"slots": 4, "resources": {"requests": {"cpu": "6"}}} == job.data["workers"]
    assert {"SEED": "3"} == job.data["training"]["env"]
    assert {"namespace", "image.repository", "storage.data"} == {hole.key for hole in job.holes}
    assert job.decided
    assert 3 == job.decided.line
    assert job.carried.endswith(": dsgen does not follow loops")
    assert [] == problems(job)


@pytest.mark.parametrize(
    ("text", "form", "carried"),
    [
        (HEAD + "srun python train.py\n", "", False),
        (HEAD + "srun python train.py\n", "carried", True),
        (HEAD + "timeout 60 nice srun python train.py\n", "", True),
        (HEAD + "f() { srun python train.py; }\nf\n", "", True),
        (HEAD + "if [ -f last ]; then A=1; fi\nsrun python train.py\n", "", True),
        (HEAD + "time python prepare.py *.txt\nsrun python train.py\n", "", True),
        (HEAD + "A=(1 2)\nsrun python train.py ${A[$SLURM_LOCALID]}\n", "", True),
        (HEAD.replace("nodes=1", "nodes=4") + "srun -N 2 python train.py\n", "", True),
        (HEAD + "export PORT=$RANDOM\nsrun python train.py\n", "", True),
        (HEAD + "[ -f done ] && exit 0\nsrun python train.py\n", "", True),
        (HEAD + "D=$(pwd)\ncd /x\nsrun python train.py --o $D/out\n", "", True),
        (HEAD + "cd /x\nsrun python train.py --o $SLURM_SUBMIT_DIR/out\n", "", True),
        (HEAD + "X=$(cat <<'E'\npython train.py\nE\n)\nsrun bash -c \"$X\"\n", "", True),
        (HEAD + "echo 'exec $* $SLURM_LOCALID' > f.sh\nsrun bash f.sh python train.py\n", "", True),
        (HEAD + "srun python prepare.py\nsrun torchrun train.py\nsrun torchrun test.py\n", "", True),
    ],
)
def test_which_scripts_are_carried(text: str, form: str, carried: bool) -> None:
    job = convert(text, form)

    assert carried == (job.data["launch"]["method"] == "slurm-script") == bool(job.carried)


@pytest.mark.parametrize(
    ("text", "form", "line", "words"),
    [
        (LOOP, "native", 3, "does not follow loops"),
        (LOOP.replace("gpu:4", "gpu:4 --array=1-3"), "carried", 2, "an array is several jobs"),
        (LOOP + "echo $SLURM_ARRAY_TASK_ID\n", "carried", 6, "an array is several jobs"),
        (LOOP + "ssh a b\n", "carried", 6, "ssh: there is no sshd"),
        (
            LOOP + "squeue\n",
            "",
            3,
            "refused: for .*: dsgen does not follow loops; the script cannot be carried either: line 6: squeue",
        ),
        (LOOP.replace("nodes=1", "nodes=2").replace("srun ", ""), "carried", 1, "one of 2 workers"),
        (LOOP + "export HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyz0123\n", "carried", 6, "secret"),
    ],
)
def test_what_decides_is_named_with_its_line(text: str, form: str, line: int, words: str) -> None:
    with pytest.raises(ImportRefusedError, match=words) as refused:
        convert(text, form)
    assert line == refused.value.position.line


def test_workers_variables_and_arguments_of_a_script_that_is_carried() -> None:
    job = convert(LOOP.replace("nodes=1", "nodes=2"))

    assert {"replicas": 2, "slots": 4, "resources": {"requests": {"cpu": "6"}}} == job.data["workers"]
    assert [] == problems(job)
    mounts = convert(LOOP + "srun --container-mounts=$PWD,/c:/c python t.py; singularity exec -B /a:/a,/c i.sif ls\n")
    assert ["--container-mounts=$PWD,/c:/c"] == [one.source for one in mounts.lost]
    reads = convert(LOOP + 'f() { echo $2; }\nA=$HOME/x/$PATH/$PWD; echo $SLURM_TMPDIR $SLURM_NNODES $1 ${2:-x} "$@"\n')
    assert ["$SLURM_TMPDIR", "$1", "$@"] == [one.source for one in reads.lost]
    array = convert(LOOP.replace("gpu:4", "gpu:4 --array=1-3"), SLURM_ARRAY_TASK_ID="2")
    assert {"SLURM_ARRAY_TASK_ID": "2"} == array.data["training"]["env"]


def test_a_script_without_a_queue_is_the_command_of_each_worker() -> None:
    text = 'cd "$(dirname "${BASH_SOURCE[0]}")"\nfor i in 1; do\ntorchrun --nnodes $NUM_NODES --node_rank 0 t.py\ndone'
    (job,) = import_jobs([SourceText("run.sh", text)], ImportOptions(variables={"1": "a"}))
    body = 'export NUM_NODES="$NNODES"\n' + text.replace("${BASH_SOURCE[0]}", "$0")

    assert {"method": "worker-command", "command": ["bash", "-c", body, "run.sh", "a"]} == job.data["launch"]
    assert ["--node_rank 0"] == [one.source for one in job.lost]


def test_a_script_that_takes_its_options_itself_is_kept_without_arguments() -> None:
    loop = 'while [ -n "$1" ]; do LR=$1; shift; done\ntorchrun --nnodes $NNODES t.py --lr $LR'
    (job,) = import_jobs([SourceText("run.sh", loop)], ImportOptions())
    assert ["$1"] == [one.source for one in job.lost]
    with pytest.raises(ImportRefusedError, match="arguments of the script"):
        import_jobs([SourceText("run.sh", "torchrun --nnodes $NNODES t.py --lr $1")], ImportOptions())
