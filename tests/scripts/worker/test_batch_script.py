"""Scripts for sbatch run as with Slurm 22.05, with which the expected output was made."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests.scripts.conftest import program

NODE = "cifar-1-worker-0"
HEAD = "#!/bin/bash\n#SBATCH --job-name=x --nodes=1 --ntasks-per-node=2 --gres=gpu:4 # two\n"
Run = Callable[..., tuple[int, str]]


@pytest.fixture
def start(pod: Any) -> Callable[..., "subprocess.Popen[str]"]:
    """Start a script with its arguments; without #! it gets directives for two tasks and four GPUs."""

    def start_script(text: str, *arguments: str, **environment: str) -> "subprocess.Popen[str]":
        script = pod.root / "job.sbatch"
        script.write_text(text if text.startswith("#!") else HEAD + text)
        (pod.run / "hostfile").write_text(f"{NODE} slots=1\n")
        pod.settings(method="slurm-script")
        argv = [sys.executable, "-ESs", str(pod.scripts / "worker/batch_script.py"), str(script), *arguments]
        kept = {"cwd": pod.root, "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        return subprocess.Popen(argv, env={**pod.environment, **environment}, text=True, **kept)

    return start_script


@pytest.fixture
def run(start: Callable[..., "subprocess.Popen[str]"]) -> Run:
    """Run a script; its exit code, and what it has printed."""

    def run_script(text: str, *arguments: str, **environment: str) -> tuple[int, str]:
        process = start(text, *arguments, **environment)
        output = process.communicate(timeout=60)[0]
        return process.returncode, output

    return run_script


TASK = (
    "'echo $SLURM_PROCID $SLURM_LOCALID of $SLURM_NTASKS on $SLURM_STEP_NODELIST"
    " gpus=$CUDA_VISIBLE_DEVICES/$SLURM_GPUS_ON_NODE cpus=$SLURM_CPUS_ON_NODE'"
)


@pytest.mark.parametrize(
    ("directives", "options", "expected"),
    [
        ("", "", ["0 0 of 2 N gpus=0,1,2,3/4 cpus=2", "1 1 of 2 N gpus=0,1,2,3/4 cpus=2"]),
        ("", "-N1 -n1", ["0 0 of 1 N gpus=0,1,2,3/4 cpus=2"]),
        ("", "--nodes=1-3 --ntasks-per-node=1 -n1", ["0 0 of 1 N gpus=0,1,2,3/4 cpus=2"]),
        ("", "--ntasks-per-node=1", ["0 0 of 2 N gpus=0,1,2,3/4 cpus=2", "1 1 of 2 N gpus=0,1,2,3/4 cpus=2"]),
        ("", "-n1 --gres=gpu:a100:2", ["0 0 of 1 N gpus=0,1/2 cpus=2"]),
        ("", "-n1 --gres=none", ["0 0 of 1 N gpus=/ cpus=2"]),
        ("", "--gpus-per-task=1", ["0 0 of 2 N gpus=0/2 cpus=2", "1 1 of 2 N gpus=1/2 cpus=2"]),
        ("", "--exact -n1 -G 1", ["0 0 of 1 N gpus=0/1 cpus=1"]),
        ("", "-c1 -n 1", ["0 0 of 1 N gpus=0,1,2,3/4 cpus=1"]),
        ("--cpus-per-task=4", "-n1", ["0 0 of 1 N gpus=0,1,2,3/4 cpus=8"]),
        ("--gpus-per-node=2", "-n1", ["0 0 of 1 N gpus=0,1/2 cpus=2"]),
        ("", "-n 3", ["srun: error: Unable to create step for job: More processors requested than permitted"]),
        ("", "-N 2", ["srun: error: Only allocated 1 nodes asked for 2"]),
        ("", "-n x", ['srun: error: Invalid numeric value "x" for --ntasks.']),
        ("", "-w other", ["srun: error: Unable to create step for job: Requested node configuration is not available"]),
        ("", "--gres=gpu:9", ["srun: error: Unable to create step for job: Invalid generic resource (gres) "
         "specification"]),
    ],
)  # fmt: skip
def test_the_tasks_of_a_step(run: Run, directives: str, options: str, expected: list[str]) -> None:
    head = HEAD if not directives else HEAD.replace("--gres=gpu:4", "") if "gpus" in directives else HEAD
    code, output = run(
        f"{head}#SBATCH {directives}\nsrun {options} bash -c {TASK} 2>&1 | sort; exit ${{PIPESTATUS[0]}}"
    )
    named = [line.replace(" N ", f" on {NODE} ") for line in expected]

    assert (int("error" in expected[0]), named) == (code, output.splitlines())


def test_the_batch_shell_has_the_variables_of_slurm(run: Run) -> None:
    names = (
        "JOB_NAME NNODES NTASKS NTASKS_PER_NODE TASKS_PER_NODE JOB_NODELIST CPUS_ON_NODE PROCID JOB_GPUS ARRAY_TASK_ID"
    )
    shown = " ".join(f"$SLURM_{name}" for name in names.split())
    code, output = run(
        f"echo {shown} ${{MASTER_ADDR-none}} ${{RANK-none}} ${{NNODES-none}} $1", "a b", SLURM_ARRAY_TASK_ID="7"
    )

    assert (0, f"x 1 2 2 2 {NODE} 2 0 0,1,2,3 7 none none none a b\n") == (code, output)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("srun -ln2 bash -c 'echo a; printf b' | sort", "0: a\n0: b\n1: a\n1: b\n"),
        ("srun -n2 cat <<< in", "in\nin\n"),
        ("srun -n2 -i1 cat <<< in", "in\n"),
        ("echo eaten | while read a; do srun -n1 true; echo $a; done", "eaten\n"),
        ("srun -n2 -o o.%t.%s echo x; cat o.0.0 o.1.0", "x\nx\n"),
        ("srun -n1 -o none bash -c 'echo a; echo b >&2'", ""),
        ("echo a > o; srun -n1 -o o --open-mode=append echo b; cat o", "a\nb\n"),
        ("printf '0 echo zero\\n* echo rest %%t %%o\\n' > m; srun --multi-prog m | sort", "rest 1 0\nzero\n"),
        ("A=1 srun -n1 --export=B=2 /bin/bash -c 'echo ${A-no} $B ${HOME-no} $SLURM_PROCID'", "no 2 no 0\n"),
        ("srun -n1 --chdir=/usr pwd", "/usr\n"),
        ("export A=1; f() { srun -n1 bash -c 'echo $A'; }; f", "1\n"),
        ("scontrol show hostnames 'a[1,3-4]b,c'", "a1b\na3b\na4b\nc\n"),
        ("srun -n1 nosuch; echo $?", "srun: error: execve(): nosuch: No such file or directory\n"
         f"srun: error: {NODE}: task 0: Exited with exit code 2\n2\n"),
        ("cat > s.sh <<'END'\necho file $1\nEND\nsrun -n1 bash s.sh x", "file x\n"),
        ("PATH=/usr/bin:/bin; srun -n1 echo found", "found\n"),
        ("srun -n1 bash -c 'touch r; sleep 1000' 2>/dev/null &\nuntil [ -e r ]; do :; done\nkill $!; wait $!; echo $?",
         "137\n"),
        ("srun --overlap -n1 bash -c 'srun --overlap -n1 echo nested'", "nested\n"),
    ],
)  # fmt: skip
def test_what_scripts_do(run: Run, line: str, expected: str) -> None:
    assert expected == run(line + "; true" if "exit code" not in expected else line + "; srun -n1 true")[1]


def test_a_step_waits_for_another_that_owns_the_node(run: Run) -> None:
    """Unless it overlaps, or both ask for a part: then each has GPUs of its own."""
    ends = "srun -n1 bash -c 'mkdir used || exit 9; for i in 1 2 3; do :; done; rmdir used'"
    code, output = run(f"{ends} & {ends} & {ends} & wait; srun -n1 true")
    assert (0, "") == (
        code,
        output.replace("srun: Job step creation temporarily disabled, retrying (Requested nodes are busy)\n", ""),
    )
    pair = "srun --exact -n1 --gres=gpu:1 bash -c 'echo $CUDA_VISIBLE_DEVICES > $0; until [ -s 1 -a -s 2 ]; do :; done'"
    assert (0, "0\n1\n") == run(f"{pair} 1 & {pair} 2 & wait; sort 1 2")
    over = "srun --overlap -n1 bash -c 'touch $0; until [ -e 3 -a -e 4 ]; do :; done'"
    assert (0, "") == run(f"{over} 3 & {over} 4 & wait")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("srun -n2 bash -c 'exit $((3 + SLURM_PROCID))'", 4),
        ("srun -n1 false; true", 1),
        ("srun -n1 false; srun -n1 true", 0),
        ("srun -n1 false; exit 7", 7),
        ("srun -n1 bash -c 'kill -9 $$'; true", 137),
        ("srun -K -n2 bash -c '[ $SLURM_PROCID = 0 ] && exit 3; sleep 1000'", 143),
        ("srun --overlap sleep 1000 & srun --overlap -n1 true", 0),
        ("exit 3", 3),
    ],
)
def test_the_exit_code(run: Run, text: str, code: int) -> None:
    assert code == run(text)[0]


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("srun --bcast=/x hostname", "srun: the option --bcast=/x"),
        ("srun --gpus=1 --gpu-bind=none hostname", "srun: --gpu-bind=none"),
        ("x=$(squeue -h)", "squeue -h"),
        ("bash -c 'scontrol show job 1'", "scontrol show job 1"),
    ],
)
def test_what_is_not_known_ends_the_script(run: Run, line: str, named: str) -> None:
    """It would go on otherwise, and may end with 0."""
    assert (64, f"[dsgen] {named}: not known here, so the script ends\n") == run(f"{line}; echo goes on; exit 0")


def test_told_to_stop_the_tasks_end_first(start: Callable[..., "subprocess.Popen[str]"]) -> None:
    process = start(
        "trap 'echo shell' TERM\n"
        "srun -n2 bash -c 'trap \"echo task; exit 3\" TERM; echo ready; until false; do :; done'\n"
        "echo srun $?; srun -n1 echo never; exit 5"
    )
    assert process.stdout
    assert ["ready\n", "ready\n"] == [process.stdout.readline(), process.stdout.readline()]
    process.send_signal(signal.SIGTERM)
    lines = [line for line in process.communicate(timeout=60)[0].splitlines() if not line.startswith("srun: ")]

    assert (5, ["task", "task"], ["shell", "srun 3"]) == (process.returncode, lines[:2], sorted(lines[2:]))


def test_programs_of_a_cluster_are_replaced_by_those_of_the_image(run: Run, pod: Any) -> None:
    own = program(pod.root / "programs/conda", "echo own $*").parent
    assert (0, "own list\n") == run("conda list", PATH=f"{own}:{pod.environment['PATH']}")
    code, output = run(
        "#!/bin/bash -l\nmodule load cuda 2>/dev/null; source activate x 2>/dev/null\n"
        'eval "$(conda shell.bash hook)"; conda run -n env echo conda\n'
        "export SINGULARITYENV_A=1; singularity exec --nv -B /data:/data --env B=2 image.sif bash -c 'echo $A $B'\n"
        "srun -n1 apptainer exec --bind=/x image.sif echo in a step\n"
    )
    assert (0, "conda\n1 2\nin a step\n") == (code, output)


def test_a_worker_runs_it_and_ends_with_its_code(pod: Any) -> None:
    """Through the supervisor of the rank, which keeps the last lines."""
    script = pod.root / "job.sbatch"
    script.write_text(HEAD + "srun -n1 bash -c 'echo last; exit 6'\n")
    pod.settings(method="slurm-script", workers=1)
    (pod.config / "hostfile").write_text(f"{NODE} slots=1\n")
    (pod.config / "command.json").write_text(json.dumps({"program": [str(script)], "arguments": []}))
    pod.record("Running")

    assert 6 == pod.start(JOB_COMPLETION_INDEX="0").wait(30), pod.log()
    assert pod.termination_message().startswith("rank 0 ended with exit code 6\nlast\n")
