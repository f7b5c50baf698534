"""Scripts for sbatch: the directives, srun, containers of pyxis and Apptainer, and the variables of Slurm."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from dsgen.importers.conversion import Conversion
from dsgen.importers.facts import JobSize
from dsgen.importers.fields import as_whole
from dsgen.importers.scripts import (
    ChosenScript,
    name_job,
    read_script,
    refuse_syntax_error,
    report_lone_nodes,
    write_script,
)
from dsgen.importers.shell.reader import Launch, format_folder
from dsgen.importers.slurm_options import OWN_DEVICES, STARTS, Request, write_options
from dsgen.importers.texts import Text, UnknownPart, place_at
from dsgen.importers.volumes import write_image_of_cluster, write_mounts
from dsgen.reading.nodes import SourceText
from dsgen.scripts.slurm.rules import split

DIRECTIVE = re.compile(r"#SBATCH(?=\s)")
HOSTS = {**dict.fromkeys(("JOB_NODELIST", "NODELIST", "STEP_NODELIST"), "LIST"), "LAUNCH_NODE_IPADDR": "MASTER_ADDR",
         **dict.fromkeys(("SUBMIT_HOST", "TOPOLOGY_ADDR"), "OTHER")}  # fmt: skip
"""Variables with names of nodes, and which they are."""
ONLY_A_PART = "with --export, it passes on only a part of the environment"
NO_SRUN = "no srun is before it, so Slurm starts it once, on the first node"
NO_SRUN_HINT = "see workers.replicas"
CLEAN = "the container has only a part of the environment of the script"
CLEAN_HINT = "see which variables the training needs"
OF_CONTAINER = {
    **dict.fromkeys(("-e", "--cleanenv", "-c", "--contain", "-C", "--containall"), (CLEAN, CLEAN_HINT)),
    "--env-file": ("the variables of its file are not in the source", "write them into training.env"),
    **dict.fromkeys(("-H", "--home"), ("it sets the home folder", "set training.env.HOME, and add a volume")),
    "--overlay": ("its files are in the container", "add them to the image, or add a volume to storage"),
}
"""Options of Apptainer that pods have no equivalent of."""
OF_TASKS = "its tasks have SLURM_PROCID and the like; in a run, processes have RANK, LOCAL_RANK and WORLD_SIZE"
OF_TASKS_HINT = "see which of them the program reads; with --as carried, it has those of Slurm"
CHANGES_FOLDER = re.compile("--(chdir|pwd|cwd)|-D")
HOSTFILE = re.compile(r"--(deepspeed[_-])?hostfile|-H")
SPREAD = "Slurm chooses the number of nodes, and dsgen takes one"
NO_DEVICES = "no option asks for GPUs; dsgen requests one for each process"
IGNORED = "it stands after the first command, where sbatch does not read it"


def convert(source: SourceText, conversion: Conversion) -> None:
    """One sbatch script. Raises ImportRefusedError if it cannot be converted."""
    refuse_syntax_error(source.name, source.text)
    text = conversion.source_map.add_file(source.name, source.text)
    request = Request()
    for words in read_directives(conversion, text):
        write_options(request, conversion, words)
    if not request.nodes and request.implied_nodes == 1:
        for one in [*request.of_tasks, *request.of_devices]:
            if one.name in ("ntasks", "gpus") and (as_whole(one.value.chars.rpartition(":")[2]) or 0) > 1:
                conversion.lose(one.words[0], SPREAD, "set workers.replicas")
    request.nodes = request.nodes or request.implied_nodes
    name = posixpath.basename(source.name)
    script = _read_script(conversion, request, text, name)
    world = _make_world(conversion, request, script)
    if not conversion.draft.get("name"):
        name_job(conversion, name)
    write_script(conversion, script, world, text)
    started = [words[0] for name, words in script.launch.wrappers if name == "srun"]
    if started and script.started.launcher in ("", "python"):
        conversion.lose(started[0], OF_TASKS, OF_TASKS_HINT)
    if started and (request.tasks_of_node or 1) > 1 and not request.bind:
        for one in (*request.of_devices, *request.of_tasks):
            if one.name in ("gpus-per-task", "ntasks-per-gpu"):
                conversion.lose(one.words[0], *OWN_DEVICES)
    write_resources(conversion, request)
    _report_counts(conversion, request)


def _read_script(conversion: Conversion, request: Request, text: Text, name: str) -> ChosenScript:
    """The script, read again where its training starts in another folder than the one in which sbatch was called."""
    variables = _make_variables(conversion, request)
    script = read_script(conversion, text, variables, name, own_host="MASTER_ADDR")
    is_read = any("SLURM_SUBMIT_DIR" in one for one in (text.chars, *conversion.options.helpers.values()))
    if is_read and _starts_elsewhere(conversion, script.launch):
        submitted = UnknownPart("variable", "PWD", "$PWD", folder="$SLURM_SUBMIT_DIR")
        variables["SLURM_SUBMIT_DIR"] = conversion.source_map.add_unknown(submitted, ())
        script = read_script(conversion, text, variables, name, own_host="MASTER_ADDR")
    return script


def read_directives(conversion: Conversion, text: Text) -> Iterator[list[Text]]:
    """The options of the `#SBATCH` lines before the first command; later ones are reported and ignored."""
    offset, is_open = 0, True
    for line in text.chars.split("\n"):
        whole = text[offset : offset + len(line)]
        offset += len(line) + 1
        if DIRECTIVE.match(line):
            if is_open:
                yield [*_split_words(whole[7:].strip())]
            else:
                conversion.drop(whole, IGNORED)
        elif line.strip() and not line.lstrip().startswith("#"):
            is_open = False


def _split_words(line: Text) -> Iterator[Text]:
    """The words of a directive, up to a comment."""
    end = 0
    for word in split(line.chars):
        at = line.chars.find(word, end)
        end = max(at + len(word), end)
        yield line[at:end] if at >= 0 else place_at(word, line)


def _make_variables(conversion: Conversion, request: Request) -> dict[str, Text]:
    """SLURM_*: numbers that the directives say, and what dsgen has in its place."""
    tasks, nodes, add = request.tasks_of_node, request.nodes, conversion.source_map.add_unknown
    world = request.all_tasks or (nodes * (tasks or 1) if nodes else None)
    rank = "RANK" if tasks and tasks > 1 else "NODE_RANK"
    found = {name: Text(str(number)) if number is not None else add(UnknownPart("runtime", meaning), ())
             for names, number, meaning in (
                 ("NNODES JOB_NUM_NODES STEP_NUM_NODES", nodes, "NNODES"),
                 ("NTASKS NPROCS STEP_NUM_TASKS", world, "WORLD_SIZE"),
                 ("NTASKS_PER_NODE TASKS_PER_NODE", tasks, "NPROC_PER_NODE"),
                 ("GPUS_ON_NODE GPUS_PER_NODE", request.devices_of_node, "NPROC_PER_NODE"),
                 ("PROCID", None, rank), ("NODEID", None, "NODE_RANK"), ("LOCALID", None, "LOCAL_RANK"),
             ) for name in names.split()}  # fmt: skip
    job = add(UnknownPart("changing", "SLURM_JOB_ID", "$SLURM_JOB_ID"), ())
    found |= {"SUBMIT_DIR": Text("."), **dict.fromkeys(("JOB_ID", "JOBID", "ARRAY_JOB_ID"), job)}
    found |= {name: add(UnknownPart("hosts", which, f"$SLURM_{name}"), ()) for name, which in HOSTS.items()}
    if request.cpus_of_task:
        found["CPUS_PER_TASK"] = Text(str(request.cpus_of_task))
    if name := conversion.draft.get("name", ""):
        found["JOB_NAME"] = Text(name)
    return {f"SLURM_{name}": value for name, value in found.items()}


def _starts_elsewhere(conversion: Conversion, launch: Launch) -> bool:
    """Whether the training starts in another folder than the one in which sbatch was called."""
    options = [word.chars for _, words in launch.wrappers for word in words]
    is_told = conversion.draft.get("training.workingDir") or any(map(CHANGES_FOLDER.match, options))
    return bool(is_told or format_folder(launch.folder, conversion.source_map))


def _make_world(conversion: Conversion, request: Request, script: ChosenScript) -> JobSize:
    """The size of the job, from the directives and from the options of srun."""
    launch, started = script.launch, script.started
    is_program, folder = started.launcher in ("", "python"), conversion.draft.get("training.workingDir")
    for name, words in launch.wrappers:
        if name == "srun":
            conversion.drop(words[0], STARTS)
            _write_srun(conversion, request, words)
            if not is_program and started.method != "openmpi" and (request.tasks_of_node or 1) > 1:
                why = f"it starts {started.launcher} {request.tasks_of_node} times on each node, and a run once"
                conversion.lose(words[0], why, "let it start one task on each node")
        elif name in ("singularity", "apptainer"):
            _write_container(conversion, launch, words)
    if (chosen := conversion.draft.get("training.workingDir")) != folder:
        launch.folder = Text(chosen)  # srun and the container change it after all `cd`
    is_alone = all(name != "srun" for name, _ in launch.wrappers) and started.method != "openmpi"
    options = [word for word in launch.words if word not in started.program]
    if is_alone and (request.nodes or 1) > 1 and not any(HOSTFILE.match(word.chars) for word in options):
        conversion.lose(launch.words[0], NO_SRUN, NO_SRUN_HINT)
        request.nodes = 1 if is_program else request.nodes
    else:
        report_lone_nodes(conversion, script, request.nodes)
    tasks, devices = None if is_alone else request.tasks_of_node, request.devices_of_node
    if devices is None and not request.of_devices:
        conversion.lose(launch.words[0], NO_DEVICES, "with none, set workers.accelerator.count: 0")
    is_each = tasks is not None and tasks > 1
    return JobSize(
        nodes=request.nodes,
        slots=tasks if is_each else None,
        devices=devices,
        runs_ranks=is_each or devices in (None, 1),
        is_batch=True,
    )


def _write_srun(conversion: Conversion, request: Request, words: Sequence[Text]) -> None:
    """The options of srun, which win over the directives."""
    count, nodes = len(request.of_tasks), request.nodes
    write_options(request, conversion, words[1:])
    if (request.nodes or 1) < (nodes or 1):
        raise conversion.refuse(words[0], f"it uses {request.nodes} of {nodes} nodes", "set workers.replicas")
    if [task.name for task in request.of_tasks[count:]] == ["ntasks"]:
        request.tasks = None
    if request.export and "ALL" not in request.export.split(","):
        raise conversion.refuse(words[0], ONLY_A_PART, CLEAN_HINT)


def _write_container(conversion: Conversion, launch: Launch, words: Sequence[Text]) -> None:
    """`singularity exec OPTIONS IMAGE`."""
    *options, image = words
    for index, word in enumerate(options):
        option, has_value, value = word.partition("=")
        value = value if has_value else options[index + 1] if index + 1 < len(options) else Text()
        if option.chars in ("-B", "--bind"):
            write_mounts(conversion, value)
        elif option.chars in ("--pwd", "--cwd"):
            conversion.draft.set("training.workingDir", conversion.source_map.format_text(value))
        for pair in value.split(",") if option.chars == "--env" else ():
            variable, _, content = pair.partition("=")
            launch.prefix[variable.chars] = content
        if option.chars in OF_CONTAINER:
            conversion.lose(word, *OF_CONTAINER[option.chars])
        else:
            conversion.drop(word, "each pod has a container of its own")
    write_image_of_cluster(conversion, image)


def _report_counts(conversion: Conversion, request: Request) -> None:
    """Account for the numbers of tasks and devices, now that the processes are known."""
    slots, devices = conversion.draft.get("workers.slots"), request.devices_of_node
    if slots and devices and slots > devices:
        conversion.draft.remove(("workers", "accelerator", "count"))
        for one in request.of_devices:
            one.lose(f"the command line starts {slots} processes on each node", "set workers.slots")
        request.of_devices.clear()
    has_count = conversion.draft.get("workers.accelerator.count") is not None
    for device in request.of_devices:
        device.map("workers.accelerator.count" if has_count else "workers.slots")
    tasks = (request.nodes or 0) * (request.tasks_of_node or 1)
    for task in request.of_tasks:
        if task.name == "ntasks" and tasks and request.all_tasks not in (None, tasks):
            task.lose(
                f"srun starts as many as {request.all_tasks}, and a run {tasks}",
                "set workers.replicas and workers.slots",
            )
        elif request.tasks_of_node == slots:
            task.map("workers.slots")
        else:
            task.drop("the command line starts the processes of a node")


def write_resources(conversion: Conversion, request: Request) -> None:
    """CPUs and memory of a worker, from those of its tasks and devices."""
    draft = conversion.draft
    tasks, devices = request.tasks_of_node or 1, request.devices_of_node
    if request.cpus_of_task:
        draft.set("workers.resources.requests.cpu", str(request.cpus_of_task * tasks))
    for amount, count in (
        (request.memory_of_cpu, (request.cpus_of_task or 1) * tasks),
        (request.memory_of_device, devices or 1),
    ):
        if amount:
            value = f"{int(amount[:-2]) * count}{amount[-2:]}"
            draft.set("workers.resources.limits.memory", value)
    if request.resource:
        draft.set("workers.accelerator.resource", request.resource)
