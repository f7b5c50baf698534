"""Scripts for sbatch run as with Slurm 22.05, with which the expected output was made.

slurm.txt has lines of scripts, what they print, and their exit codes. With DSGEN_TEST_SLURM, a folder for slurm.sh,
they run in real Slurm, and with --update it writes the file.
"""

import json
import os
import re
import shlex
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.scripts.conftest import Pod, free_port, program

NODE = "node000"
HEAD = "#!/bin/bash\n#SBATCH --job-name=x --nodes=1 --ntasks-per-node=2 --gres=gpu:4 # two\n"
TWO = HEAD.replace("nodes=1", "nodes=2")
Run = Callable[..., tuple[int, str]]
Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(pod: Any) -> Start:
    """Start a script with its arguments; without #! it gets directives for two tasks and four GPUs on each node."""

    def start_script(text: str, *arguments: str, **environment: str) -> "subprocess.Popen[str]":
        script = pod.root / "job.sbatch"
        script.write_text(text if text.startswith("#!") else HEAD + text)
        nodes = int(re.findall(r"nodes=(\d)|$", script.read_text())[0] or 1)
        pods = [pod, *(Pod(pod.root / f"worker-{number}") for number in range(1, nodes))]
        place = {"DSGEN_NNODES": str(nodes), "DSGEN_SCRIPT_PORT": str(free_port())}
        for number, one in reversed([*enumerate(pods)]):
            (one.run / "hostfile").write_text("".join(f"node00{other} slots=1\n" for other in range(nodes)))
            one.settings(method="slurm-script", workers=nodes)
            one.record("Running", launcher="127.0.0.1:1/secret")
            if number:
                one.patch("slurm/batch_script.py", "Setup(job, job.nodes[0],", 'Setup(job, "127.0.0.1",')
            argv = [*one.program("slurm/batch_script.py"), str(script), *arguments]
            output = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT} if not number else {}
            own = {**one.environment, **place, "DSGEN_NODE_RANK": str(number), **environment}
            kept = {"cwd": pod.root, "stdin": subprocess.DEVNULL, **output}
            pod.started.append(subprocess.Popen(argv, env=own, text=True, **kept))
        return pod.started[-1]  # that of worker 0

    return start_script


@pytest.fixture
def run(start: Start) -> Run:
    """Run a script; its exit code, and what it has printed."""

    def run_script(text: str, *arguments: str, **environment: str) -> tuple[int, str]:
        process = start(text, *arguments, **environment)
        output = process.communicate(timeout=60)[0]
        return process.returncode, output

    return run_script


TABLE = Path(__file__).with_name("slurm.txt")
BLOCKS = re.findall(r"^## .*\n(?:[^#].*\n)*", TABLE.read_text(), re.MULTILINE)
# The first task prints the size of the step, each its place, GPUs and CPUs. Hosts are node000 to node003.
SHOWN = r"""
t() {
  local size=$SLURM_NTASKS/$SLURM_NNODES/$SLURM_TASKS_PER_NODE/$SLURM_STEP_NODELIST/$SLURM_DISTRIBUTION
  [ $SLURM_PROCID != 0 ] || echo "$size/${SLURM_CPUS_PER_TASK-}"
  echo "$SLURM_PROCID $SLURM_NODEID.$SLURM_LOCALID ${SLURMD_NODENAME#node00}"\
    "g$CUDA_VISIBLE_DEVICES/${SLURM_GPUS_ON_NODE-} c$SLURM_CPUS_ON_NODE"
}
v() {
  local name
  for name in JOB_NUM_NODES NNODES NTASKS NTASKS_PER_NODE TASKS_PER_NODE JOB_NODELIST CPUS_ON_NODE JOB_CPUS_PER_NODE\
    JOB_GPUS GPUS_ON_NODE GPUS_PER_NODE GPUS_PER_TASK NODEID PROCID; do name=SLURM_$name; printf '%s ' "${!name}"; done
}
export -f t
mkdir bin && printf '#!/bin/bash\nt\n' >bin/t && chmod +x bin/t && PATH=$PATH:$PWD/bin
c() { local out code; out=$( (eval "$1") 2>/dev/null); code=$?; out=$(sort <<<"$out" | paste -sd,)
  echo "\$ $1"; echo "${out:+$out }= $code"; }
"""


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.partition("\n")[0])
def test_lines_of_scripts(run: Run, tmp_path: Path, block: str, update: bool) -> None:
    title, *lines = block.splitlines()
    called = "".join(f"c {shlex.quote(line[2:])}\n" for line in lines[::2])
    text = f"#!/bin/bash\n#SBATCH {title[3:]}\n{SHOWN}{called}"
    if folder := os.environ.get("DSGEN_TEST_SLURM"):
        script = tmp_path / "script"
        script.write_text(text)
        command = [str(TABLE.with_suffix(".sh")), folder, str(script)]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        if update:
            TABLE.write_text(TABLE.read_text().replace(block, f"{title}\n{output}"))
            return
    else:
        output = run(text)[1]
    assert block == f"{title}\n{output}"


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
        ("echo eaten | while read a; do srun -n1 true; echo $a; done", "eaten\n"),
        ("srun -n1 -o none bash -c 'echo a; echo b >&2'", ""),
        ("echo a > o; srun -n1 -o o --open-mode=append echo b; cat o", "a\nb\n"),
        ("export A=1; f() { srun -n1 bash -c 'echo $A'; }; f", "1\n"),
        ("scontrol show hostnames 'a[1,3-4]b,c'", "a1b\na3b\na4b\nc\n"),
        ("srun -n1 nosuch; echo $?", "srun: error: execve(): nosuch: No such file or directory\n"
         f"srun: error: {NODE}: task 0: Exited with exit code 2\n2\n"),
        ("cat > s.sh <<'END'\necho file $1\nEND\nsrun -n1 bash s.sh x", "file x\n"),
        ("PATH=/usr/bin:/bin; srun -n1 echo found", "found\n"),
        ("srun -r x true 2>/dev/null; srun -w 'a[x-y]' true 2>/dev/null; echo $?", "1\n"),
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
        ("srun -n1 false; true", 1),
        ("srun -n1 false; srun -n1 true", 0),
        ("srun -n1 false; exit 7", 7),
        ("srun --overlap sleep 1000 & srun --overlap -n1 true", 0),
        ("exit 3", 3),
    ],
)
def test_the_exit_code(run: Run, text: str, code: int) -> None:
    assert code == run(text)[0]


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("srun --bcast=/x hostname", "srun: the option --bcast"),
        ("srun --gpus=1 --gpu-bind=none hostname", "srun: --gpu-bind=none"),
        ("x=$(squeue -h)", "squeue -h"),
        ("bash -c 'scontrol show job 1'", "scontrol show job 1"),
        ("srun -m plane=2 hostname", "srun: --distribution=plane=2"),
        (TWO + "srun -N1 -n1 -w node001 squeue", "squeue"),
    ],
)
def test_what_is_not_known_ends_the_script(run: Run, line: str, named: str) -> None:
    """It would go on otherwise, and may end with 0."""
    assert (64, f"[dsgen] {named}: not known here, so the script ends\n") == run(f"{line}; echo goes on; exit 0")


def test_told_to_stop_the_tasks_end_first(start: Start) -> None:
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


def test_several_workers(run: Run, pod: Any) -> None:
    """What the script has changed travels; folders, variables and other programs are those of each worker."""
    code, output = run(
        f"{TWO}export A=1; cd /proc/self; PATH=$PATH:/x\n"
        "srun -n2 bash -c 'echo $A $DSGEN_ROOT $MASTER_ADDR' 2>/dev/null | sort\n"
        "srun -N1 -n1 -w node001 bash -c 'scontrol show hostnames; srun --overlap -n1 -N1 echo nested'\n"
        "srun -n2 bash -c 'exit $((SLURM_PROCID * 7))' 2>/dev/null"
    )
    shown = [f"1 {pod.root}", f"1 {pod.root}/worker-1", "node000", "node001", "nested"]
    assert (7, shown) == (code, output.splitlines())


@pytest.mark.parametrize("lost", [0, 1])
def test_a_lost_worker_ends_the_script(start: Start, pod: Any, lost: int) -> None:
    """All others end, and with them their tasks."""
    process = start(f"{TWO}trap '' TERM; srun -n2 bash -c 'echo ready; exec sleep 12345'; exit 0")
    assert process.stdout
    assert ["ready\n", "ready\n"] == [process.stdout.readline(), process.stdout.readline()]
    other, first = pod.started
    (first if lost == 0 else other).kill()
    process.stdout.close() if lost == 0 else None

    assert 255 == (other if lost == 0 else first).wait(30)
    assert lost == 0 or "[dsgen] node001 is lost, so the script ends\n" in process.communicate()[0]
    pod.wait_until(lambda: [] == [*pod.marked("12345")])


def test_all_workers_told_to_stop(start: Start, pod: Any) -> None:
    """Each task gets one signal, from its own worker or from the first."""
    process = start(
        f"{TWO}srun -n2 bash -c 'trap \"echo told\" TERM; echo ready; until [ -e end ]; do :; done; exit 3'\nexit 5"
    )
    assert process.stdout
    assert ["ready\n", "ready\n"] == [process.stdout.readline(), process.stdout.readline()]
    for one in pod.started:
        one.send_signal(signal.SIGTERM)
    assert ["told\n", "told\n"] == [process.stdout.readline(), process.stdout.readline()]
    (pod.root / "end").touch()

    assert ([0, 143], False) == ([one.wait(30) for one in pod.started], "told" in process.communicate()[0])


def test_programs_of_a_cluster_are_replaced_by_those_of_the_image(run: Run, pod: Any) -> None:
    own = program(pod.root / "programs/conda", "echo own $*").parent
    assert (0, "own list\n") == run("conda list", PATH=f"{own}:{pod.environment['PATH']}")
    code, output = run(
        "#!/bin/bash -l\nmodule load cuda 2>/dev/null; source activate x 2>/dev/null\n"
        'deactivate 2>/dev/null || exit; eval "$(conda shell.bash hook)"; conda run -n e --cwd /usr pwd; echo C=3 >f\n'
        "export SINGULARITYENV_A=1; singularity exec --env-file f -W /d --mount x --env B=2 i bash -c 'echo $A $B$C'\n"
        "srun -n1 apptainer exec --bind=/x --cwd /etc image.sif pwd; shifter -w /var pwd\n"
        "srun -n1 --container-workdir /opt pwd\n",
        PATH="/usr/bin:/bin",
    )
    assert (0, "/usr\n1 23\n/etc\n/var\n/opt\n") == (code, output)


def test_a_worker_runs_it_and_ends_with_its_code(pod: Any) -> None:
    """Through the supervisor of the rank, which keeps the last lines."""
    script = pod.root / "job.sbatch"
    script.write_text(HEAD + "srun -n1 bash -c 'echo last; exit 6'\n")
    pod.settings(method="slurm-script", workers=1)
    (pod.config / "hostfile").write_text("cifar-1-worker-0 slots=1\n")
    (pod.config / "command.json").write_text(json.dumps({"program": [str(script)], "arguments": []}))
    pod.record("Running")

    assert 6 == pod.start(JOB_COMPLETION_INDEX="0").wait(30), pod.log()
    assert pod.termination_message().startswith("rank 0 ended with exit code 6\nlast\n")
