"""What a script for sbatch sees of Slurm: the options of srun, the tasks of a step, and variables, on one node.

slurm.json has the options and the commands that are known. All of it was compared with Slurm 22.05.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

TABLE = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
VALUED = {*TABLE["used"], *TABLE["ignored"]}
KNOWN = {*VALUED, *TABLE["flags"], *TABLE["optional"]}
EXACT = ("exact", "exclusive", "cpus-per-task")
"""With one of these, a step uses the CPUs that it asks for; without, all of its node."""
GPUS = ("gres", "gpus", "gpus-per-node", "gpus-per-task")
INPUT = (
    *("kill-bad-exit", "overlap", "exact", "overcommit", "distribution", "gpus-per-task", "gpus-per-node", "nnodes"),
    *("labelio", "export-env", "working-dir", "ntasks-per-node", "ntasks"),
)
"""SLURM_ variables that srun reads as options."""
NAMED = {"labelio": "label", "kill-bad-exit": "kill-on-bad-exit", "export-env": "export", "working-dir": "chdir"}
NAMED["nnodes"] = "nodes"
VISIBLE = ("CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL", "ROCR_VISIBLE_DEVICES", "ZE_AFFINITY_MASK")
OF_GPUS = (*VISIBLE, "SLURM_STEP_GPUS", "SLURM_GPUS_ON_NODE")
REFUSED = 64
"""The exit code of a script that asks for what there is not here."""
SOCKET, JOB = "slurm/socket", "slurm/job.json"
"""Of the script that runs, below /run/dsgen."""
Options = Mapping[str, str]


class UnknownError(Exception):
    """What is asked for exists in Slurm, but not here: the script cannot go on."""


class StepError(Exception):
    """What Slurm refuses, too: srun says it and ends with 1."""


class Job(NamedTuple):
    """The allocation: one node, with its tasks, CPUs and GPUs."""

    node: str
    tasks: int
    cpus: int
    gpus: int


def parse_options(words: list[str]) -> tuple[dict[str, str], list[str]]:
    """Options by their long names, and the command. Raises UnknownError for an option that is not in the table."""
    options: dict[str, str] = {}
    rest = list(words)
    while rest and rest[0].startswith("-") and rest[0] != "-":
        word = rest.pop(0)
        if word == "--":
            break
        name, is_joined, value = word[2:].partition("=")
        if not word.startswith("--"):
            name, value = TABLE["short"].get(word[1], word[1]), word[2:]
            is_joined = value if name in VALUED or value.isdigit() else ""
            if value and not is_joined:
                rest.insert(0, "-" + value)  # -lu
        if name not in KNOWN or (is_joined and name in TABLE["flags"]):
            raise UnknownError(f"the option {word}")
        if name in VALUED and not is_joined:
            value = rest.pop(0) if rest else ""
        options[name] = value if is_joined or name in VALUED else "1"
    if "tasks-per-node" in options:
        options["ntasks-per-node"] = options.pop("tasks-per-node")
    return options, rest


def read_directives(text: str) -> dict[str, str]:
    """The options of the #SBATCH lines before the first command. sbatch has many that say nothing here."""
    options: dict[str, str] = {}
    for line in text.split("\n"):
        if line.strip() and not line.lstrip().startswith("#"):
            break
        words = shlex.split(line[7:], comments=True) if re.match(r"#SBATCH\s", line) else []
        for first in [at for at, word in enumerate(words) if word.startswith("-")]:
            try:
                options.update(parse_options(words[first : first + 2])[0])
            except UnknownError:
                continue
    return options


def read_number(options: Options, name: str, absent: int) -> int:
    """A count, such as 4, or the first number of 1-2."""
    match = re.match(r"([1-9]\d*)([kK]?)(-\d+)?$", options.get(name, str(absent)).strip())
    if not match:
        raise StepError(f'Invalid numeric value "{options[name]}" for --{name}.')
    return int(match.group(1)) * (1024 if match.group(2) else 1)


def read_gpus(text: str) -> int:
    """The number of GPUs in gpu:2, gpu:a100:2, a100:2, 2, gpu or none; other resources are nothing here."""
    found = [re.search(r"^(?:gpu:)?(?:[A-Za-z][\w.-]*:)?(\d+)(?:\(.*\))?$", one) for one in text.split(",")]
    return sum(int(match.group(1)) for match in found if match) or int("gpu" in text.split(","))


def count_gpus(options: Options, tasks: int) -> int | None:
    """The GPUs that options ask for; None if they say nothing of them."""
    for name in GPUS:
        if name in options:
            return read_gpus(options[name]) * (tasks if name == "gpus-per-task" else 1)
    return None


def make_job(node: str, options: Options, cpus: int) -> Job:
    """What sbatch would allocate for the directives. `cpus`: of the node, for --exclusive."""
    tasks = read_number(options, "ntasks", read_number(options, "ntasks-per-node", 1))
    own = max(tasks, read_number(options, "ntasks-per-node", 1)) * read_number(options, "cpus-per-task", 1)
    return Job(node, tasks, max(cpus, own) if "exclusive" in options else own, count_gpus(options, tasks) or 0)


def expand(text: str) -> list[str]:
    """The names in a list of hosts: node[000-002,7]-x,y."""
    names: list[str] = []
    parts, is_inside = [""], False
    for char in text:
        is_inside = char == "[" or (is_inside and char != "]")
        if char == "," and not is_inside:
            parts.append("")
        else:
            parts[-1] += char
    for part in filter(None, parts):
        before, is_list, rest = part.partition("[")
        listed, _, after = rest.partition("]")
        for piece in listed.split(",") if is_list else []:
            first, _, last = piece.partition("-")
            for number in range(int(first), int(last or first) + 1):
                names += expand(before + str(number).zfill(len(first)) + after)
        names += [] if is_list else [part]
    return names


def complete_options(options: Options, environment: Options) -> dict[str, str]:
    """The options of srun with those of its variables. Raises UnknownError for what Slurm mixes in its own ways."""
    pairs = [(name, environment.get(f"SLURM_{name.upper().replace('-', '_')}")) for name in INPUT]
    given = {NAMED.get(name, name): value for name, value in pairs if value}
    asked = [name for name in GPUS if name in options]
    of_job = [name for name in GPUS if name in given and name not in options]
    if options.get("gpu-bind", "closest") != "closest" or ("gpu-bind" in options and "gpus-per-task" in given):
        raise UnknownError(f"--gpu-bind={options['gpu-bind']}")
    if asked == ["gres"] and not read_gpus(options["gres"]) and "SLURM_GPUS" in environment:
        raise UnknownError(f"--gres={options['gres']} in a job with --gpus")
    if asked and of_job and (asked != ["gres"] or of_job != ["gpus-per-node"] or not read_gpus(options["gres"])):
        raise UnknownError(f"--{asked[0]} in a job with --{of_job[0]}")
    return {**{name: value for name, value in given.items() if not (asked and name in of_job)}, **options}


def count_tasks(job: Job, options: Options) -> int:
    """The tasks of a step. SLURM_NTASKS counts more than --ntasks-per-node. Raises StepError where srun does."""
    if read_number(options, "nodes", 1) > 1:
        raise StepError(f"Only allocated 1 nodes asked for {options['nodes']}")
    if options.get("relative", "0") != "0":
        raise StepError("--relative and SLURM_JOB_NUM_NODES option incompatible with count of allocated nodes")
    own = {job.node, job.node.partition(".")[0]}
    if {*expand(options.get("nodelist", ""))} - own:
        raise StepError("Unable to create step for job: Requested node configuration is not available")
    if {*expand(options.get("exclude", ""))} & own:
        raise StepError("Hostlist is empty!  Can't run job.")
    tasks = read_number(options, "ntasks", read_number(options, "ntasks-per-node", 1))
    if "overcommit" not in options and tasks * read_number(options, "cpus-per-task", 1) > job.cpus:
        raise StepError("Unable to create step for job: More processors requested than permitted")
    if (count_gpus(options, tasks) or 0) > job.gpus:
        raise StepError("Unable to create step for job: Invalid generic resource (gres) specification")
    return tasks


def make_job_variables(job: Job, options: Options, environment: Options, folder: str) -> dict[str, str]:
    """The variables of the batch shell."""
    tasks = read_number(options, "ntasks-per-node", job.tasks)
    found = {
        "SLURM_JOBID": environment["SLURM_JOB_ID"],
        "SLURM_JOB_NAME": options.get("job-name", environment["SLURM_JOB_NAME"]),
        **dict.fromkeys(("SLURM_JOB_NODELIST", "SLURM_NODELIST", "SLURMD_NODENAME", "SLURM_TOPOLOGY_ADDR"), job.node),
        **dict.fromkeys(("SLURM_NNODES", "SLURM_JOB_NUM_NODES"), "1"),
        **dict.fromkeys(("SLURM_NODEID", "SLURM_PROCID", "SLURM_LOCALID", "SLURM_GTIDS"), "0"),
        "SLURM_TASKS_PER_NODE": str(tasks),
        **dict.fromkeys(("SLURM_CPUS_ON_NODE", "SLURM_JOB_CPUS_PER_NODE"), str(job.cpus)),
        "SLURM_SUBMIT_HOST": job.node,
        "SLURM_SUBMIT_DIR": folder,
        "SLURM_TOPOLOGY_ADDR_PATTERN": "node",
        "SLURM_CLUSTER_NAME": "dsgen",
        "SLURM_JOB_PARTITION": options.get("partition", "dsgen"),
        "ENVIRONMENT": "BATCH",
        "TMPDIR": environment.get("TMPDIR", "/tmp"),
    }
    if "ntasks" in options or "ntasks-per-node" in options:
        found.update(dict.fromkeys(("SLURM_NTASKS", "SLURM_NPROCS"), str(job.tasks)))
    if "SLURM_ARRAY_TASK_ID" in environment:
        found["SLURM_ARRAY_JOB_ID"] = environment["SLURM_JOB_ID"]
    names = ("ntasks-per-node", "cpus-per-task", "gpus", "gpus-per-node", "gpus-per-task", "distribution")
    found.update({f"SLURM_{name.upper().replace('-', '_')}": options[name] for name in names if name in options})
    if options.get("export", "ALL") != "ALL":
        found["SLURM_EXPORT_ENV"] = options["export"]
    if job.gpus:
        every = ",".join(map(str, range(job.gpus)))
        found.update(dict.fromkeys((*VISIBLE, "SLURM_JOB_GPUS"), every), SLURM_GPUS_ON_NODE=str(job.gpus))
    return found


def make_task_variables(
    job: Job, options: Options, step: int, tasks: int, devices: list[int] | None
) -> list[dict[str, str]]:
    """The variables of each task of a step. `devices`: its GPUs, None if it did not ask for some of the job's."""
    each = read_number(options, "cpus-per-task", 1)
    is_exact = any(name in options for name in EXACT)
    common = {
        **dict.fromkeys(("SLURM_STEP_ID", "SLURM_STEPID"), str(step)),
        **dict.fromkeys(("SLURM_NTASKS", "SLURM_NPROCS", "SLURM_STEP_NUM_TASKS"), str(tasks)),
        **dict.fromkeys(("SLURM_NNODES", "SLURM_STEP_NUM_NODES"), "1"),
        **dict.fromkeys(("SLURM_TASKS_PER_NODE", "SLURM_STEP_TASKS_PER_NODE"), str(tasks)),
        **dict.fromkeys(("SLURM_STEP_NODELIST", "SLURM_LAUNCH_NODE_IPADDR", "SLURM_SRUN_COMM_HOST"), job.node),
        "SLURM_DISTRIBUTION": options.get("distribution") or ("cyclic" if tasks == 1 else "block"),
        "SLURM_GTIDS": ",".join(map(str, range(tasks))),
        "SLURM_CPUS_ON_NODE": str(min(tasks * each, job.cpus) if is_exact else job.cpus),
        **({"SLURM_CPUS_PER_TASK": str(each)} if "cpus-per-task" in options else {}),
        **({"SLURM_NTASKS_PER_NODE": str(tasks)} if "ntasks-per-node" in options and "ntasks" not in options else {}),
        **({"SLURM_JOB_NAME": options["job-name"]} if "job-name" in options else {}),
    }
    own = list(range(job.gpus)) if devices is None else devices
    share = len(own) // tasks if "gpus-per-task" in options else 0
    found = []
    for rank in range(tasks):
        listed = ",".join(map(str, own[rank * share : (rank + 1) * share] if share else own))
        gpus = {**dict.fromkeys(OF_GPUS, listed), "SLURM_GPUS_ON_NODE": str(len(own))} if own else {}
        found.append({**common, **gpus, **dict.fromkeys(("SLURM_PROCID", "SLURM_LOCALID"), str(rank))})
    return found
