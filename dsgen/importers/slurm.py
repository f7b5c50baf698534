"""Scripts for sbatch: the directives, srun, containers of pyxis and Apptainer, and the variables of Slurm."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

from dsgen.importers import slurm_fields as of
from dsgen.importers.conversion import Conversion, as_dns_name
from dsgen.importers.facts import Fact, JobSize, Role
from dsgen.importers.images import NO_IMAGE, write_image_of_cluster, write_mounts
from dsgen.importers.scripts import write_script
from dsgen.importers.shell.commands import SLURM_VALUED
from dsgen.importers.shell.reading import Launch
from dsgen.importers.slurm_fields import (
    BINDING,
    LOGS,
    NVIDIA,
    QUEUE,
    SELECT,
    STARTS,
    Directive,
    Request,
    Write,
    drop,
    lose,
)
from dsgen.importers.statements import read_script, refuse_syntax_error
from dsgen.importers.texts import Kind, Text, UnknownPart
from dsgen.reading.nodes import SourceText

CLUSTER = "it is a name of the old cluster"


STEPS = (
    "mpi jobid overlap pty propagate het-group bcast multi-prog task-prolog task-epilog prolog epilog immediate"
    " relative network resv-ports threads slurmd-debug gpu-freq cpu-freq acctg-freq profile get-user-env parsable"
    " ignore-pbs environment interactive"
)
"""Options of srun about how it starts processes."""
QUEUEING = (
    "oversubscribe overcommit contiguous spread-job use-min-nodes hold nice priority begin deadline time-min delay-boot"
    " comment power reboot thread-spec uid gid mcs-label bb bbf extra tres-per-task tres-bind cluster-constraint"
)
"""Options about how a job waits, for which there is nothing in its place."""
DIRECTIVES: Mapping[str, Write] = {
    "job-name": of.write_job_name,
    "nodes": of.write_nodes,
    "ntasks-per-node": of.write_count("tasks", "workers.slots"),
    "tasks-per-node": of.write_count("tasks", "workers.slots"),
    "ntasks": of.write_count("all_tasks", "workers.slots"),
    "ntasks-per-gpu": drop("each process has a GPU of its own"),
    "cpus-per-task": of.write_count("cpus_of_task", "workers.resources.requests.cpu"),
    "cpus-per-gpu": lose("dsgen requests CPUs for a whole worker", "set workers.resources.requests.cpu"),
    "gres": of.write_gres,
    "gpus-per-node": of.write_devices("devices"),
    "gpus-per-task": of.write_devices("devices_of_task"),
    "gpus": of.write_devices("all_devices"),
    "mem": of.write_node_memory,
    "mem-per-cpu": of.write_memory_each("memory_of_cpu"),
    "mem-per-gpu": of.write_memory_each("memory_of_device"),
    "time": of.write_time_limit,
    "exclusive": of.write_exclusive,
    "exclude": of.write_excluded_nodes,
    "chdir": of.write_folder,
    "workdir": of.write_folder,
    "signal": of.write_signal,
    "export": of.write_exported_variables,
    "container-image": of.write_pyxis_image,
    "container-mounts": of.write_pyxis_mounts,
    "container-workdir": of.write_folder,
    **dict.fromkeys(("partition", "account", "qos", "reservation", "clusters", "wckey"), lose(CLUSTER, QUEUE)),
    **dict.fromkeys(("nodelist", "nodefile"), lose("it names nodes of the old cluster", SELECT)),
    **dict.fromkeys(("constraint", "prefer", "tmp", "mincpus", "licenses"), lose("it asks for a kind of node", SELECT)),
    "switches": lose("it asks for nodes that are close to each other", "set scheduling.topology"),
    **dict.fromkeys(("output", "error", "open-mode", "input", "label", "unbuffered", "quiet", "verbose"), drop(LOGS)),
    **dict.fromkeys(
        ("hint", "cpu-bind", "cpu_bind", "mem-bind", "mem_bind", "distribution", "gpu-bind", "threads-per-core",
         "ntasks-per-core", "ntasks-per-socket", "sockets-per-node", "cores-per-socket", "core-spec", "extra-node-info",
         "gpus-per-socket", "accel-bind", "gres-flags"),
        lose(BINDING, "set training.deepspeed.bindCores"),
    ),
    **dict.fromkeys(("mail-type", "mail-user"), lose("dsgen sends no mail", "set status.webhook")),
    "array": lose("a job of dsgen is one training", "make a values file for each, or a matrix in dsgen.yaml"),
    "dependency": lose("a job of dsgen waits for no other", "let a workflow engine apply the jobs one after the other"),
    "requeue": drop("a worker that is evicted is replaced, and the training starts again"),
    "no-requeue": drop("a run that has ended does not train again"),
    "wait-all-nodes": drop("the launcher waits for all workers"),
    **dict.fromkeys(("kill-on-bad-exit", "wait", "no-kill"), drop("if a rank fails, all ranks end")),
    **dict.fromkeys(STEPS.split(), drop(STARTS)),
    **dict.fromkeys(QUEUEING.split(), lose("dsgen knows no equivalent of this option of Slurm")),
    **dict.fromkeys(
        ("container-name", "container-save", "container-env", "container-mount-home", "no-container-mount-home",
         "container-remap-root", "no-container-remap-root", "container-entrypoint", "no-container-entrypoint",
         "container-writable", "container-readonly", "container", "container-id"),
        drop("each pod has a container of its own"),
    ),
}  # fmt: skip
"""What becomes of each option of sbatch and srun."""


def write_directive(conversion: Conversion, request: Request, directive: Directive) -> None:
    """Write an option into the values or the request, and account for it."""
    write = DIRECTIVES.get(directive.name)
    if write is None:
        conversion.lose(directive.whole, "dsgen knows no equivalent of this option of Slurm")
    else:
        write(conversion, request, directive)
    for word in directive.words[1:]:
        if word is not directive.value:
            conversion.lose(word, "it belongs to no option")


DIRECTIVE = re.compile(r"#SBATCH(?=\s)")
HOSTS = {
    **dict.fromkeys(("SLURM_JOB_NODELIST", "SLURM_NODELIST", "SLURM_STEP_NODELIST"), "LIST"),
    "SLURM_LAUNCH_NODE_IPADDR": "MASTER_ADDR",
    **dict.fromkeys(("SLURM_SUBMIT_HOST", "SLURM_TOPOLOGY_ADDR"), "OTHER"),
}
"""Variables with names of nodes, and which they are."""
IGNORED = "it stands after the first command, where sbatch does not read it"
SHORT: Mapping[str, str] = {
    "-J": "job-name",
    "-N": "nodes",
    "-n": "ntasks",
    "-c": "cpus-per-task",
    "-t": "time",
    "-p": "partition",
    "-A": "account",
    "-q": "qos",
    "-o": "output",
    "-e": "error",
    "-w": "nodelist",
    "-x": "exclude",
    "-C": "constraint",
    "-d": "dependency",
    "-a": "array",
    "-D": "chdir",
    "-G": "gpus",
    "-L": "licenses",
    "-b": "begin",
    "-W": "wait",
    "-m": "distribution",
    "-l": "label",
    "-u": "unbuffered",
    "-K": "kill-on-bad-exit",
    "-k": "no-kill",
    "-s": "oversubscribe",
    "-i": "input",
    "-H": "hold",
    "-v": "verbose",
    "-Q": "quiet",
}


def convert(source: SourceText, conversion: Conversion) -> None:
    """One sbatch script. Raises ImportRefusedError if it cannot be converted."""
    refuse_syntax_error(source.name, source.text)
    text = conversion.atlas.add_file(source.name, source.text)
    conversion.note_remarks(text)
    request = Request()
    for directive in read_directives(conversion, text):
        write_directive(conversion, request, directive)
    request.nodes = request.nodes or request.implied_nodes
    name = posixpath.basename(source.name)
    script = read_script(conversion, text, _make_variables(conversion, request), name, own_host="MASTER_ADDR")
    world = _make_world(conversion, request, script.launch)
    if not conversion.draft.get("name"):
        stem = re.sub(r"(\.(sh|slurm|sbatch|bash|job))+$", "", name)
        if found := as_dns_name(stem) if stem != "<stdin>" else "":
            conversion.draft.set("name", found)
            conversion.draft.add_comment("name", "Slurm takes the name of the script")
    write_script(conversion, script, world, text)
    _write_resources(conversion, request)
    _report_counts(conversion, request)
    if not conversion.draft.get("image.repository"):
        conversion.draft.set_hole("image.repository", "", NO_IMAGE)


def read_directives(conversion: Conversion, text: Text) -> Iterator[Directive]:
    """The options of the `#SBATCH` lines before the first command; later ones are reported and ignored."""
    offset, is_open = 0, True
    for line in text.chars.split("\n"):
        whole = text[offset : offset + len(line)]
        offset += len(line) + 1
        if DIRECTIVE.match(line):
            if is_open:
                yield from _read_options(_split_words(whole[7:]))
            else:
                conversion.drop(whole, IGNORED)
        elif line.strip() and not line.lstrip().startswith("#"):
            is_open = False


def _split_words(line: Text) -> list[Text]:
    """The words of a directive, up to a comment; quotes group words."""
    words, current, quote, is_word = list[Text](), Text(), "", False
    for index, char in enumerate(line.chars):
        one = line[index : index + 1]
        if quote:
            if char == quote:
                quote = ""
            else:
                current += one
        elif char in "'\"":
            quote, is_word = char, True
        elif char.isspace():
            if is_word:
                words.append(current)
            current, is_word = Text(), False
        elif char == "#" and not is_word:
            break
        else:
            current, is_word = current + one, True
    return [*words, current] if is_word else words


def _read_options(words: Sequence[Text]) -> list[Directive]:
    found, index = list[Directive](), 0
    while index < len(words):
        word = words[index]
        index += 1
        name, has_value, value = word.partition("=")
        if not word.chars.startswith("-"):
            if found and word.chars:
                found[-1].words.append(word)
            elif word.chars:
                found.append(Directive("", [word], Text()))
            continue
        if word.chars.startswith("--"):
            parts = [word]
            if not has_value and name.chars in SLURM_VALUED and index < len(words):
                value = words[index]
                parts.append(value)
                index += 1
            found.append(Directive(name.chars[2:], parts, value))
            continue
        short, rest = word.chars[:2], word[2:]
        parts = [word]
        if not rest and short in SLURM_VALUED and index < len(words):
            rest = words[index]
            parts.append(rest)
            index += 1
        found.append(Directive(SHORT.get(short, short), parts, rest[1:] if rest.chars.startswith("=") else rest))
    return found


def _make_variables(conversion: Conversion, request: Request) -> dict[str, Text]:
    """SLURM_*: numbers that the directives say, and what dsgen has in its place."""
    tasks, devices = request.tasks_of_node, request.devices_of_node
    rank = "RANK" if tasks and tasks > 1 else "NODE_RANK"

    def make_value(value: int | None, kind: Kind, name: str) -> Text:
        if value is not None:
            return Text(str(value))
        return conversion.atlas.add_unknown(UnknownPart(kind, name), ())

    nodes = make_value(request.nodes, "runtime", "NNODES")
    each = make_value(tasks, "runtime", "NPROC_PER_NODE")
    all_tasks = request.all_tasks or (request.nodes * (tasks or 1) if request.nodes else None)
    job = conversion.atlas.add_unknown(UnknownPart("changing", "SLURM_JOB_ID", "$SLURM_JOB_ID"), ())
    name = conversion.draft.get("name", "")
    all_nodes = dict.fromkeys(("SLURM_NNODES", "SLURM_JOB_NUM_NODES", "SLURM_STEP_NUM_NODES"), nodes)
    world = make_value(all_tasks, "runtime", "WORLD_SIZE")
    found = {
        **all_nodes,
        **dict.fromkeys(("SLURM_NTASKS", "SLURM_NPROCS", "SLURM_STEP_NUM_TASKS"), world),
        **dict.fromkeys(("SLURM_NTASKS_PER_NODE", "SLURM_TASKS_PER_NODE"), each),
        **dict.fromkeys(
            ("SLURM_GPUS_ON_NODE", "SLURM_GPUS_PER_NODE"), make_value(devices, "runtime", "NPROC_PER_NODE")
        ),
        "SLURM_PROCID": make_value(None, "runtime", rank),
        "SLURM_NODEID": make_value(None, "runtime", "NODE_RANK"),
        "SLURM_LOCALID": make_value(None, "runtime", "LOCAL_RANK"),
        **dict.fromkeys(("SLURM_JOB_ID", "SLURM_JOBID", "SLURM_ARRAY_JOB_ID"), job),
        **{
            name: conversion.atlas.add_unknown(UnknownPart("hosts", which, f"${name}"), ())
            for name, which in HOSTS.items()
        },
        "SLURM_SUBMIT_DIR": Text("."),
    }
    if request.cpus_of_task:
        found["SLURM_CPUS_PER_TASK"] = Text(str(request.cpus_of_task))
    if name:
        found["SLURM_JOB_NAME"] = Text(name)
    return found


def _make_world(conversion: Conversion, request: Request, launch: Launch) -> JobSize:
    """The size of the job, from the directives and from the options of srun."""
    for name, words in launch.wrappers:
        if name == "srun":
            conversion.drop(words[0], STARTS, is_part=True)
            for directive in _read_options(words[1:]):
                if launch.has_nodes and directive.name in ("nodes", "ntasks", "ntasks-per-node", "nodelist"):
                    conversion.drop(directive.whole, STARTS, is_part=True)  # one srun for each node
                else:
                    write_directive(conversion, request, directive)
        elif name in ("singularity", "apptainer"):
            _write_container(conversion, words)
    tasks, devices = request.tasks_of_node, request.devices_of_node
    is_each = tasks is not None and tasks > 1
    return JobSize(
        nodes=request.nodes,
        slots=tasks if is_each else None,
        devices=devices,
        runs_ranks=is_each or devices in (None, 1),
        is_batch=True,
    )


def _write_container(conversion: Conversion, words: Sequence[Text]) -> None:
    """`singularity exec OPTIONS IMAGE`."""
    *options, image = words
    for index, word in enumerate(options):
        option, has_value, value = word.partition("=")
        if option.chars in ("-B", "--bind"):
            value = value if has_value else options[index + 1] if index + 1 < len(options) else Text()
            write_mounts(conversion, value)
        conversion.drop(word, "each pod has a container of its own", is_part=True)
    write_image_of_cluster(conversion, image)


def _report_counts(conversion: Conversion, request: Request) -> None:
    """Account for the numbers of tasks and devices, now that the processes are known."""
    slots, devices = conversion.draft.get("workers.slots"), request.devices_of_node
    if slots and devices and slots > devices:
        conversion.draft.remove(("workers", "accelerator", "count"))
        for text in request.of_devices:
            conversion.lose(text, f"the command line starts {slots} processes on each node", "set workers.slots")
        request.of_devices.clear()
    for text in request.of_devices:
        has_count = conversion.draft.get("workers.accelerator.count") is not None
        conversion.map(text, "workers.accelerator.count" if has_count else "workers.slots")
    for text in request.of_tasks:
        if request.tasks_of_node == slots:
            conversion.map(text, "workers.slots")
        else:
            conversion.drop(text, "the command line starts the processes of a node")


def _write_resources(conversion: Conversion, request: Request) -> None:
    """CPUs and memory of a worker, from those of its tasks and devices."""
    draft, role = conversion.draft, conversion.facts.workers or Role()
    requests = role.requests
    tasks, devices = request.tasks_of_node or 1, request.devices_of_node
    if request.cpus_of_task:
        draft.set("workers.resources.requests.cpu", str(request.cpus_of_task * tasks))
        requests["cpu"] = Fact(request.cpus_of_task * tasks, "--cpus-per-task")
    for amount, count in (
        (request.memory_of_cpu, (request.cpus_of_task or 1) * tasks),
        (request.memory_of_device, devices or 1),
    ):
        if amount:
            value = f"{int(amount[:-2]) * count}{amount[-2:]}"
            draft.set("workers.resources.requests.memory", value)
            draft.set("workers.resources.limits.memory", value)
    if request.resource:
        draft.set("workers.accelerator.resource", request.resource)
    if memory := draft.get("workers.resources.requests.memory"):
        requests["memory"] = role.limits["memory"] = Fact(memory, "--mem")
    if devices is not None:
        requests[request.resource or NVIDIA] = role.limits[request.resource or NVIDIA] = Fact(devices, "--g")
