"""Scripts for sbatch in the form of public ones, put together from fragments that many share, and what runs them.

public_scripts.sh has the fragments, by the section `#= NAME`; in an argument, `RUN` is the command line.
"""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from dsgen.importers import ImportedJob
from tests.importers.imports import value

HERE = Path(__file__).parent
SECTIONS = {name: body.strip("\n").split("\n#\n")
            for section in (HERE / "public_scripts.sh").read_text("utf-8").split("#= ")[1:]
            for name, _, body in (section.partition("\n"),)}  # fmt: skip
SHAPES = ("nodes", "nodes", "nodes", "tasks", "single", "single", "loops")
BASH = "#!/bin/bash\n"
SAME = {"torchrun": "deepspeed accelerate", "python3": "python", "apptainer": "singularity"}
PRINTS = {"scontrol": "seq -f n%.0f 0 $((SLURM_NNODES - 1))", "hostname": "echo ${SLURMD_NODENAME:-n0}",
          "date": "echo $SLURM_JOB_ID", "uv": 'shift; exec "$@"',
          **dict.fromkeys(("nvidia-smi", "pip", "conda", "clear", "module"), ":")}  # fmt: skip
"""Programs of a cluster beside those in stubs: there, a launcher becomes one process for each node, srun one for each
task, and Python is recorded."""
OF_PODS = ("DSGEN_RUN", "MASTER_ADDR", "MASTER_PORT", "NNODES", "NPROC_PER_NODE", "WORLD_SIZE", "RANK", "NODE_RANK",
           "LOCAL_RANK", "HOSTNAME", "SLURMD_NODENAME")  # fmt: skip
"""Variables of the processes of a run."""
Call = tuple[list[str], dict[str, str]]
"""The arguments and the environment of a program."""


def make_script(number: int) -> tuple[str, int, int]:
    """A script, its number of nodes, and its tasks on each node."""
    rng = random.Random(number)
    shape = rng.choice(SHAPES)
    nodes = 2 if shape == "nodes" else rng.choice((1, 2)) if shape == "tasks" else 1
    tasks = 4 if shape == "tasks" else 1
    head = [f"--job-name=job{number}", f"--nodes={nodes}", f"--ntasks-per-node={tasks}", "--gres=gpu:4"]
    head += sorted(rng.sample(SECTIONS["directives"], rng.randint(1, 4)))
    sets, _, words = rng.choice(SECTIONS["unclear" if rng.random() < 0.2 else "arguments"]).rpartition("RUN ")
    before = [*rng.sample(SECTIONS["prepares"], rng.randint(0, 2)), *rng.sample(SECTIONS["exports"], rng.randint(0, 3))]
    rng.shuffle(before)
    hosts = [rng.choice(SECTIONS["hosts"])] if shape == "nodes" else []
    launch = rng.choice(SECTIONS[shape]).replace("@", words)
    lines = [*(f"#SBATCH {one}" for one in head), *before, *hosts, sets + launch]
    return BASH + "\n".join(lines) + "\n", nodes, tasks


def install(folder: Path) -> dict[str, str]:
    """Write the stubs; returns the environment in which they are found, as that of a batch script."""
    stubs, venv = folder / "stubs", folder / "work/venv/bin"
    stubs.mkdir()
    venv.mkdir(parents=True)
    for file in (venv / "activate", folder / ".bashrc"):
        file.touch()
    texts = {one.name: one.read_text("utf-8") for one in (HERE / "stubs").iterdir()}
    texts |= {other: texts[name] for name, names in SAME.items() for other in names.split()}
    for name, text in {**texts, **{name: BASH + line for name, line in PRINTS.items()}}.items():
        (stubs / name).write_text(text)
        (stubs / name).chmod(0o755)
    (venv / "torchrun").symlink_to(stubs / "torchrun")
    return {"PATH": f"{stubs}:/usr/bin:/bin", "CALLS": str(folder / "calls"), "HOME": str(folder), "USER": "me"}


def run(folder: Path, command: Sequence[str], env: Mapping[str, str]) -> list[Call]:
    """The arguments and the environment of each Python that a command starts."""
    calls = folder / "calls"
    calls.unlink(missing_ok=True)
    subprocess.run(command, cwd=folder / "work", env=dict(env), capture_output=True, timeout=60, check=False)
    found = []
    for call in os.fsdecode(calls.read_bytes()).split("\2")[:-1] if calls.exists() else ():
        words, _, rest = call.partition("\1")
        found.append((words.split("\0")[:-1], dict(one.partition("=")[::2] for one in rest.split("\0") if "=" in one)))
    return found


def start(job: ImportedJob, folder: Path, env: dict[str, str], tasks: int = 1) -> list[Call]:
    """What the processes of the values start: the first ones of each worker, as many as it has tasks."""
    method, training = value(job, "launch.method"), value(job, "training") or {}
    nodes, slots = (value(job, f"workers.{key}") or 1 for key in ("replicas", "slots"))
    assert isinstance(training, dict)
    assert isinstance(nodes, int)
    assert isinstance(slots, int)
    words = value(job, "launch.command") if method == "worker-command" else training.get("exec")
    if not isinstance(words, list):
        module = ["-m", training["module"]] if "module" in training else [training.get("python", "")]
        words = ["python3", *module, *training.get("args", ())]
        config = training.get("deepspeed", {})
        if config.get("config") and config.get("passConfig", True):
            words += ["--deepspeed", "--deepspeed_config", "/job/ds_config.json"]
    script = f'{training.get("setup", "")}\nexec "$@"'
    known = {**env, **{name: one for name, one in training.get("env", {}).items() if isinstance(one, str)}}
    found = []
    for rank in range(0, nodes * slots, max(slots // tasks, 1)):
        node, local = divmod(rank, slots)
        numbers = ("77", "n0", 29500, nodes, slots, nodes * slots, rank, node, local, f"n{node}", f"n{node}")
        pod = dict(zip(OF_PODS, map(str, numbers), strict=True))
        found += run(folder, ["bash", "-c", script, "bash", *map(str, words)], {**known, **pod})
    return found
