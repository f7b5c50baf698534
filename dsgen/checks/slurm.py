"""Scripts for sbatch (launch.method slurm-script): what in them needs a cluster with Slurm, by its line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from dsgen.schema.commands import list_programs
from dsgen.schema.scripts import read_commands, remove_heredocs
from dsgen.scripts.slurm.rules import TABLE, read_directives, read_gpus, read_options

ARRAY = "SLURM_ARRAY_TASK_ID"
READS_ARRAY = re.compile(rf"^(?!\s*#).*\$\{{?{ARRAY}\b(?!:?[-+=])")
GPUS = ("gpus-per-node", "gpus", "gres")
OVER_SSH = dict.fromkeys(("deepspeed", "mpirun", "mpiexec"), "it starts processes on other nodes by ssh, without srun")

NOT_READ = re.compile(r"(?m)\\.|(?<![\w\"])'[^']*'|(?<!\S)#.*$")
READ = re.compile(r"\$(?:([A-Za-z_]\w*)|\{[#!]?([A-Za-z_]\w*)(?!\w|:?[-+=]))")
"""A variable that is read without a default, and what the shell does not read."""
SET = re.compile(
    r"(?m)(?<![-\w$.{])([A-Za-z_]\w*)(?:\[[^]\n]{0,200}\])?[-+*/%|&]?=|\$\{(\w+):?=|\b(?:for|select)\s+(\w+)"
    r"|\b(?:read|mapfile|readarray|getopts|let|printf -v|local|declare|typeset)\b([^;|&)\n]*)"
)
OF_SHELL = re.compile(
    r"SLURM(?!_(MEM_PER|TMPDIR|ACCOUNT|CONF$|HINT|CPUS_PER_GPU|THREADS_PER|ARRAY_TASK_[CMS]|JOB_(ACCOUNT|[QU]|.*_TIME)))\w*"
    r"|(SBATCH|BASH|EPOCH|OPT)\w*|_|HOME|PATH|(OLD)?PWD|RANDOM|SECONDS|LINENO|HOST(NAME|TYPE)|E?UID|PPID|IFS|SHELL"
    r"|SHLVL|LANG|TERM|TMPDIR|FUNCNAME|PIPESTATUS|REPLY|MAPFILE|COPROC|(CUDA_VISIBLE|HIP_VISIBLE|ROCR_VISIBLE)_DEVICES"
    r"|GPU_DEVICE_ORDINAL|ENVIRONMENT|OSTYPE|MACHTYPE|DIRSTACK|GROUPS"
)
"""Variables that a shell or Slurm sets."""


def find_unset(script: str, given: Iterable[str]) -> Iterator[tuple[int, str, str]]:
    """The variables that a script reads, and neither it nor the values set: the first line, the name, what to do."""
    set_here = (part or "" for match in SET.finditer(script) for part in match.groups())
    known = {*given, *(name for part in set_here for name in re.findall(r"\w+", part))}
    plain = NOT_READ.sub(lambda match: "\n" * match[0].count("\n"), remove_heredocs(script, is_quoted=True))
    for number, line in enumerate(plain.split("\n"), 1):
        for name in (match[1] or match[2] for match in READ.finditer(line)):
            if name not in known and not OF_SHELL.fullmatch(name):
                known.add(name)
                yield number, name, f"set training.env.{name}, unless the image does"


def find_obstacles(script: str, nodes: int) -> Iterator[tuple[int, str, str]]:
    """What a script on so many nodes needs that workers do not have: the line, why, and what to do."""
    if not re.match(r"#! *\S", script):
        yield 1, "its first line must begin with #! and the path to a shell, as for sbatch", "write #!/bin/bash"
    commands = {**TABLE["commands"], **(OVER_SSH if nodes > 1 else {})}
    has_steps = nodes == 1
    programs = ((line, words) for line, command in read_commands(script) for words in list_programs(command))
    for line, words in programs:
        name = words[0].rpartition("/")[2]
        has_steps = has_steps or name == "srun"
        if name in commands:
            yield line, f"{name}: {commands[name]}", "remove it, or keep it behind a condition outside of Slurm"
        elif name == "scontrol" and not re.match("show hostn", " ".join(words[1:3])):
            yield line, f"{' '.join(words[:3])}: only `scontrol show hostnames` is known", "remove it"
        elif name == "srun":
            for option in read_options([*words[1:]])[0]:
                if not option.known and "$" not in option.name:
                    written = f"--{option.name}" if option.name[1:] else f"-{option.name}"
                    yield line, f"srun {written} is not known here", "remove the option, or write the job anew"
    if not has_steps:
        yield 1, f"it has no srun, so it uses only one of {nodes} workers", "start the processes by srun"


def find_array(script: str) -> Iterator[int]:
    """The lines of a script that is one of several jobs: the directive, and reads of the number that has no default."""
    yield from (option.line for option in read_directives(script) if option.name == "array")
    yield from (number for number, line in enumerate(script.split("\n"), 1) if READS_ARRAY.match(line))


def find_differences(script: str, values: Mapping[str, Any]) -> Iterator[tuple[int, str, str]]:
    """Directives that contradict the values: the line, why, and what to do."""
    workers = values["workers"]
    devices, nodes = workers["accelerator"]["count"] or workers["slots"], workers["replicas"]
    found = {option.name: option for option in read_directives(script)}
    for line in () if ARRAY in values["training"]["env"] else find_array(script):
        hint = f"set training.env.{ARRAY} for one of them, and make a values file for each"
        yield line, "an array is several jobs, and this is one", hint
    for line, name, value, _ in found.values():
        number = int(match[1]) if (match := re.fullmatch(r"(\d+)(-\d+)?", value)) else 0
        if name == "nodes" and number != nodes:
            yield line, f"--nodes={value}, but workers.replicas is {nodes}", "set both to the same"
        elif name == "ntasks" and "ntasks-per-node" not in found and number % nodes:
            yield line, f"--ntasks={value} cannot be shared evenly by {nodes} workers", "set --ntasks-per-node"
        elif name in GPUS and read_gpus(value) > devices * (nodes if name == "gpus" else 1):
            hint = "set workers.slots, or workers.accelerator.count"
            yield line, f"--{name}={value}, but a worker has {devices}", hint
