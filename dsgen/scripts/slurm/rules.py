"""What a script for sbatch sees of Slurm: the options of srun, where the tasks of a step run, and variables.

rules.json has the options and the commands that are known, the SLURM_ variables that srun reads as options, and the
options of programs that run the rest of their words. What is Slurm's was compared with Slurm 22.05.
"""

from __future__ import annotations

import itertools
import json
import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

TABLE = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
WRAPPERS = {name: row for names, row in TABLE["wrappers"].items() for name in names.split()}
VALUED = {*TABLE["used"], *TABLE["ignored"]}
KNOWN = {*VALUED, *TABLE["flags"], *TABLE["optional"]}
EXACT = ("exact", "exclusive", "cpus-per-task")
"""With one of these, a step uses the CPUs that it asks for; without, all of its node."""
GPUS = ("gres", "gpus", "gpus-per-node", "gpus-per-task")
VISIBLE = ("CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL", "ROCR_VISIBLE_DEVICES", "ZE_AFFINITY_MASK")
OF_GPUS = (*VISIBLE, "SLURM_STEP_GPUS", "SLURM_GPUS_ON_NODE")
NO_GPUS = "Unable to create step for job: Invalid generic resource (gres) specification"
REFUSED = 64
"""The exit code of a script that asks for what there is not here."""
Options = Mapping[str, str]


class UnknownError(Exception):
    """What is asked for exists in Slurm, but not here: the script cannot go on."""


class StepError(Exception):
    """What Slurm refuses, too: srun says it and ends with 1."""


class Job(NamedTuple):
    """The allocation: its nodes, all tasks, and the CPUs and GPUs of each node."""

    nodes: list[str]
    tasks: int
    cpus: int
    gpus: int


class Option(NamedTuple):
    """An option by its long name, and the number of its line. `known`: srun or sbatch of this run reads it."""

    line: int
    name: str
    value: str
    known: bool


def read_options(words: list[str], line: int = 0) -> tuple[list[Option], list[str]]:
    """The options at the beginning, and the rest. One that is not in the table has no value of its own."""
    found: list[Option] = []
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
        if name in VALUED and not is_joined:
            value = rest.pop(0) if rest else ""
        name = "ntasks-per-node" if name == "tasks-per-node" else name
        known = name in KNOWN and not (is_joined and name in TABLE["flags"])
        found.append(Option(line, name, value if is_joined or name in VALUED else "1", known))
    return found, rest


def parse_options(words: list[str]) -> tuple[dict[str, str], list[str]]:
    """Options by their long names, and the command. Raises UnknownError for an option that is not in the table."""
    found, rest = read_options(words)
    for option in found:
        if not option.known:
            raise UnknownError(f"the option {'--' if option.name[1:] else '-'}{option.name}")
    return {option.name: option.value for option in found}, rest


def read_directives(text: str) -> Iterator[Option]:
    """The options of the #SBATCH lines before the first command. sbatch has many that say nothing here."""
    for number, line in enumerate(text.split("\n"), 1):
        if re.match(r"#SBATCH\s", line):
            rest = split(line[7:])
            while rest:
                found, rest = read_options(rest, number)
                yield from found
                rest = rest[1:]  # the value of an option that is not known
        elif line.strip() and not line.lstrip().startswith("#"):
            return


def split(line: str) -> list[str]:
    """The words of a line, without its comment."""
    try:
        return shlex.split(line, comments=True)
    except ValueError:  # no closing quotation
        return line.split()


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


def share(count: int, parts: int) -> list[int]:
    """So many for each part, the first ones with one more."""
    return [count // parts + (part < count % parts) for part in range(parts)]


def count_gpus(options: Options, counts: list[int]) -> list[int] | None:
    """The GPUs that options ask for on each node, of which `counts` has the tasks; None if they say nothing of them."""
    name = next((name for name in GPUS if name in options), "")
    number = read_gpus(options.get(name, ""))
    is_word = name != "gres" and not number and not re.search("(^|:)0*$|^none$", options.get(name, ""))
    if is_word or (name == "gpus" and 0 < number < len(counts)):
        raise StepError(NO_GPUS)
    if name == "gpus":
        return share(number, len(counts))
    return [number * (count if name == "gpus-per-task" else 1) for count in counts] if name else None


def make_job(nodes: list[str], options: Options, cpus: int) -> Job:
    """What sbatch would allocate for the directives. `cpus`: of a node, for --exclusive."""
    each = read_number(options, "ntasks-per-node", 1)
    tasks = read_number(options, "ntasks", each * len(nodes))
    if "nodes" in options and read_number(options, "nodes", 1) != len(nodes):
        raise StepError(f"--nodes={options['nodes']}, but the run has {len(nodes)} workers")
    if tasks % len(nodes) and "ntasks-per-node" not in options:
        raise StepError(f"--ntasks={tasks} cannot be shared evenly by {len(nodes)} workers")
    counts = share(tasks, len(nodes))
    own = max(counts[0], each) * read_number(options, "cpus-per-task", 1)
    cpus = max(cpus, own) if "exclusive" in options else own
    return Job(nodes, tasks, cpus, max(count_gpus(options, counts) or [0]))


def expand(text: str) -> list[str]:
    """The names in a list of hosts: node[000-002,7]-x,y."""
    names: list[str] = []
    for part in re.findall(r"(?:[^,[]|\[[^]]*\]?)+", text):
        before, is_list, rest = part.partition("[")
        listed, _, after = rest.partition("]")
        for piece in listed.split(",") if is_list else []:
            first, _, last = piece.partition("-")
            for number in range(int(first), int(last or first) + 1):
                names += expand(before + str(number).zfill(len(first)) + after)
        names += [] if is_list else [part]
    return names


def compress(names: list[str]) -> str:
    """The list of hosts whose names differ in one number, which increases by one: node[000-002].run."""
    ends = [re.fullmatch(r"(.*?)(\d+)(\..*)?", name) for name in names]
    first, last = ends[0], ends[-1]
    if len(names) < 2 or not first or not last:
        return ",".join(names)
    short = f"{first[1]}[{first[2]}-{last[2]}]{first[3] or ''}"
    return short if expand(short) == names else ",".join(names)


def group(counts: list[int]) -> str:
    """2(x3),1: the tasks of each node."""
    runs = [(count, len(list(same))) for count, same in itertools.groupby(counts)]
    return ",".join(f"{count}(x{times})" if times > 1 else str(count) for count, times in runs)


def complete_options(options: Options, environment: Options) -> dict[str, str]:
    """The options of srun with those of its variables. Raises UnknownError for what Slurm mixes in its own ways."""
    named = ((option, environment.get(name_variable(name))) for name, option in TABLE["variables"].items())
    given = {option: value for option, value in named if value}
    asked = [name for name in GPUS if name in options]
    of_job = [name for name in GPUS if name in given and name not in options]
    if options.get("gpu-bind", "closest") != "closest" or ("gpu-bind" in options and "gpus-per-task" in given):
        raise UnknownError(f"--gpu-bind={options['gpu-bind']}")
    if asked == ["gres"] and not read_gpus(options["gres"]) and "SLURM_GPUS" in environment:
        raise UnknownError(f"--gres={options['gres']} in a job with --gpus")
    if asked and of_job and (asked != ["gres"] or of_job != ["gpus-per-node"] or not read_gpus(options["gres"])):
        raise UnknownError(f"--{asked[0]} in a job with --{of_job[0]}")
    every = {**{name: value for name, value in given.items() if not (asked and name in of_job)}, **options}
    if not re.match("(block|cyclic)(:|$)", every.get("distribution", "block")):
        raise UnknownError(f"--distribution={every['distribution']}")
    return every


def count_tasks(job: Job, options: Options, ranked: list[int]) -> dict[int, int]:
    """Node -> tasks of a step, in the order of nodes; StepError where srun has one. `ranked`: which nodes to prefer."""
    short = [node.partition(".")[0] for node in job.nodes]
    names = {name: at for listed in (short, job.nodes) for at, name in enumerate(listed)}
    first = int(options.get("relative", "0"))
    excluded = {names.get(name) for name in expand(options.get("exclude", ""))}
    usable = [at for at in (sorted(ranked)[first:] if first else ranked) if at not in excluded]
    least = read_number(options, "nodes", 1)
    tasks = read_number(options, "ntasks", least * read_number(options, "ntasks-per-node", 1))
    if min(least, tasks) > len(usable):
        raise StepError(f"Only allocated {len(usable)} nodes asked for {min(least, tasks)}")
    most = options.get("nodes", "").rpartition("-")[2]
    wanted = min(int(most) if most.isdigit() else least, tasks, len(usable))
    named = expand(options.get("nodelist", ""))[:wanted]
    if {names.get(name) for name in named} - {*usable}:
        raise StepError("Unable to create step for job: Requested node configuration is not available")
    chosen = list(dict.fromkeys([*(names[name] for name in named), *usable]))[:wanted]
    counts = share(tasks, wanted)
    if "overcommit" not in options and counts[0] * read_number(options, "cpus-per-task", 1) > job.cpus:
        raise StepError("Unable to create step for job: More processors requested than permitted")
    if max(count_gpus(options, counts) or [0]) > job.gpus:
        raise StepError(NO_GPUS)
    return dict(zip(sorted(chosen), counts))  # noqa: B905 - Python 3.8


def name_variable(option: str) -> str:
    return f"SLURM_{option.upper().replace('-', '_')}"


def make_job_variables(job: Job, options: Options, environment: Options, folder: str) -> dict[str, str]:
    """The variables of the batch shell."""
    nodes, node, count = compress(job.nodes), job.nodes[0], len(job.nodes)
    found = {
        "SLURM_JOBID": environment["SLURM_JOB_ID"],
        "SLURM_JOB_NAME": options.get("job-name", environment["SLURM_JOB_NAME"]),
        **dict.fromkeys(("SLURM_JOB_NODELIST", "SLURM_NODELIST"), nodes),
        **dict.fromkeys(("SLURMD_NODENAME", "SLURM_TOPOLOGY_ADDR", "SLURM_SUBMIT_HOST"), node),
        **dict.fromkeys(("SLURM_NNODES", "SLURM_JOB_NUM_NODES"), str(count)),
        **dict.fromkeys(("SLURM_NODEID", "SLURM_PROCID", "SLURM_LOCALID", "SLURM_GTIDS"), "0"),
        "SLURM_TASKS_PER_NODE": group(share(job.tasks, count)),
        "SLURM_CPUS_ON_NODE": str(job.cpus),
        "SLURM_JOB_CPUS_PER_NODE": group([job.cpus] * count),
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
    found.update({name_variable(name): options[name] for name in names if name in options})
    if options.get("export", "ALL") != "ALL":
        found.update(dict(one.split("=", 1) for one in options["export"].split(",") if "=" in one))
        found["SLURM_EXPORT_ENV"] = options["export"]
    if job.gpus:
        every = ",".join(map(str, range(job.gpus)))
        found.update(dict.fromkeys((*VISIBLE, "SLURM_JOB_GPUS"), every), SLURM_GPUS_ON_NODE=str(job.gpus))
    return found


class Share(NamedTuple):
    """What a step has of a node: its tasks, the CPUs that it keeps from others, and its GPUs, None for all of them."""

    node: int
    tasks: int
    cpus: int
    devices: list[int] | None


def make_task_variables(job: Job, options: Options, step: int, plan: list[Share]) -> list[list[dict[str, str]]]:
    """The variables of the tasks of a step: a list for each node of the plan, with one for each task."""
    counts, each = [part.tasks for part in plan], read_number(options, "cpus-per-task", 1)
    tasks, is_exact = sum(counts), any(name in options for name in EXACT)
    default = "cyclic" if tasks <= read_number(options, "nodes", 1) else "block"
    distribution = options.get("distribution") or default
    places = [(node, local) for node, count in enumerate(counts) for local in range(count)]
    if distribution.startswith("cyclic"):
        places.sort(key=lambda place: place[::-1])
    common = {
        **dict.fromkeys(("SLURM_STEP_ID", "SLURM_STEPID"), str(step)),
        **dict.fromkeys(("SLURM_NTASKS", "SLURM_NPROCS", "SLURM_STEP_NUM_TASKS"), str(tasks)),
        **dict.fromkeys(("SLURM_NNODES", "SLURM_STEP_NUM_NODES"), str(len(plan))),
        **dict.fromkeys(("SLURM_TASKS_PER_NODE", "SLURM_STEP_TASKS_PER_NODE"), group(counts)),
        **dict.fromkeys(("SLURM_LAUNCH_NODE_IPADDR", "SLURM_SRUN_COMM_HOST"), job.nodes[0]),
        "SLURM_STEP_NODELIST": compress([job.nodes[part.node] for part in plan]),
        "SLURM_DISTRIBUTION": distribution,
        **{name_variable(name): options[name] for name in ("cpus-per-task", "job-name") if name in options},
    }
    found: list[list[dict[str, str]]] = []
    for node, part in enumerate(plan):
        own = list(range(job.gpus)) if part.devices is None else part.devices
        of_task = len(own) // part.tasks if "gpus-per-task" in options else 0
        ranks = [rank for rank, (at, _) in enumerate(places) if at == node]
        of_node = {
            **common,
            **dict.fromkeys(("SLURMD_NODENAME", "SLURM_TOPOLOGY_ADDR"), job.nodes[part.node]),
            "SLURM_NODEID": str(node),
            "SLURM_GTIDS": ",".join(map(str, ranks)),
            "SLURM_CPUS_ON_NODE": str(min(part.tasks * each, job.cpus) if is_exact else job.cpus),
        }
        found.append([])
        for local, rank in enumerate(ranks):
            listed = ",".join(map(str, own[local * of_task : (local + 1) * of_task] if of_task else own))
            gpus = {**dict.fromkeys(OF_GPUS, listed), "SLURM_GPUS_ON_NODE": str(len(own))} if own else {}
            found[-1].append({**of_node, **gpus, "SLURM_PROCID": str(rank), "SLURM_LOCALID": str(local)})
    return found
