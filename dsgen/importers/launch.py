"""Writes a command line into launch and training: the method, counts, the program and its arguments."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Mapping, Sequence
from typing import Any

from dsgen.deepspeed import FILES
from dsgen.editing import compare_text
from dsgen.importers.conversion import Conversion
from dsgen.importers.draft import SECRET_HOLE, Draft, make_secret_reference
from dsgen.importers.environment import EACH_RUNS, RANK_METHODS_SHELL, WORKER_SHELL, format_script, write_value
from dsgen.importers.facts import JobSize
from dsgen.importers.fields import Option
from dsgen.importers.launchers import OTHER_MPI, WORKERS, LaunchCommand, is_python, parse_launch_command
from dsgen.importers.ledger import ImportRefusedError
from dsgen.importers.texts import Text, UnknownPart, join, place_at
from dsgen.problems.safe_text import holds_secret, is_secret_argument

Files = Mapping[str, tuple[Text, Text]]
"""Files by name, each with the statement that writes it, and its content."""
OTHER_PYTHON = "the image may have this Python at another place; dsgen starts python3"
NO_PROGRAM = "the source names no program: the image starts it by itself"
GIVEN = "the arguments that were given to the script are not in the source"
NODES_HOLE = "the source does not say how many nodes take part"
SLOTS_HOLE = "the source does not say how many processes each node runs, usually one for each GPU"
OTHER_MPI_WHY = "it is the mpirun of another MPI; dsgen starts the ranks with that of Open MPI"
OTHER_MPI_HINT = "build the image with Open MPI, or use launch.method: torchrun if the program does not call MPI"
SEVERAL = "it starts several programs, and a run has one"
SEVERAL_HINT = "let one program choose by its rank what it does"
LOCAL_RANK = "torch.distributed.launch passes --local_rank to the program, launch.method torchrun does not"
LOCAL_RANK_HINT = "read LOCAL_RANK from the environment, or use launch.method: deepspeed-no-ssh, which passes it"
OF_TORCH = ("torchrun", "torch.distributed.run", "torch.distributed.launch")
IN_ALL = "without --num_processes, it starts as many processes in all as one node has devices; a run fills all slots"
IN_ALL_HINT = "see workers.slots"
MACHINES = (
    ("NNODES", "--num_machines"),
    ("NODE_RANK", "--machine_rank"),
    ("WORLD_SIZE", "--num_processes"),
    ("MASTER_ADDR", "--main_process_ip"),
    ("MASTER_PORT", "--main_process_port"),
)


DEEPSPEED_PASSES = ("NCCL", "UCX", "MV2", "PYTHON", "MLFLOW")
"""How the names of variables begin that deepspeed passes on to other nodes."""


def passes_on(started: LaunchCommand, world: JobSize, name: str) -> bool:
    """Whether a variable of the launcher reaches the ranks on the workers."""
    if started.launcher == "horovodrun" or started.is_other_mpi or world.passes_environment:
        return True
    if started.launcher == "deepspeed":
        return name.startswith(DEEPSPEED_PASSES)
    given = (*started.passed, *(one for one, _, _ in started.variables))
    return name in given or name.startswith(("OMPI_", "PMIX_"))


def write_launch(conversion: Conversion, line: Sequence[Text], world: JobSize, files: Files) -> LaunchCommand:
    """Fill launch, training and the counts of workers from a command line."""
    started = parse_launch_command(line, conversion)
    _refuse_unknown(conversion, started)
    method = _choose_method(conversion, started, world)
    if method != "pdsh":
        conversion.draft.set("launch.method", method)
    _compute_counts(conversion, started, world)
    if method != WORKERS:
        _write_kept(conversion, started, method)
    for name, text, words in started.variables:
        write_value(Option(conversion, name, words, [text]), name, text)
    if method == WORKERS:
        _write_worker_command(conversion, started, files)
    else:
        _write_chosen(conversion, started, world)
        _write_program(conversion, started, world, files)
    if started.passes_local_rank and method == "torchrun":
        conversion.lose(started.first, LOCAL_RANK, LOCAL_RANK_HINT)
    return started


def _write_chosen(conversion: Conversion, started: LaunchCommand, world: JobSize) -> None:
    """The interpreter that the source chose by the path or the version of the launcher."""
    program = started.first
    folder, name = posixpath.split(conversion.source_map.format_text(program))
    if not folder and not is_python(program):
        return
    if world.is_batch or not program.is_known or (started.method == "openmpi" and not is_python(program)):
        if folder or "." in name:
            hint = "let PATH of the image begin with its folder"
            conversion.lose(
                program, f"dsgen starts the {'python3' if is_python(program) else name} that is first in PATH", hint
            )
    elif is_python(program) or not conversion.draft.get("training.pythonCommand"):
        command = program.chars if is_python(program) else f"{folder}/python3"
        conversion.map(program, conversion.draft.set("training.pythonCommand", command))


def make_interpreter(draft: Draft, form: str) -> list[str]:
    """The words with which dsgen starts a script or, if `form` is module, a module."""
    return [draft.get("training.pythonCommand") or "python3", "-u", *(["-m"] if form == "module" else [])]


def _write_program(conversion: Conversion, started: LaunchCommand, world: JobSize, files: Files) -> None:
    """training.python, module or exec with the arguments; through bash if a shell must expand a part."""
    draft, python = conversion.draft, started.interpreter
    words = write_files(conversion, files, _replace_secrets(conversion, started.program))
    if not words:
        draft.set_hole("training.python", "", NO_PROGRAM)
        return
    if python is not None and not world.is_batch and python.chars != "python3":
        conversion.map(python, draft.set("training.pythonCommand", python.chars))
    elif python is not None and "/" in python.chars:
        conversion.lose(python, OTHER_PYTHON, "set training.pythonCommand")
    elif python is not None:
        conversion.drop(python, "dsgen starts training.pythonCommand, which is python3")
    module = ["-m"] if started.form == "module" else []
    of_batch = python.chars if python is not None else "python3"
    command = draft.get("training.pythonCommand") or "python3"
    before = [] if started.form == "exec" else [of_batch if world.is_batch else command, *module]
    conversion.facts.command = [*before, *conversion.source_map.format_words(words)]
    words = _lose_given_arguments(conversion, words)
    if all(word.is_known for word in words):
        for index, word in enumerate(words):
            is_first = index == 0 and started.form != "exec"
            key = f"training.{started.form}" if index == 0 or started.form == "exec" else "training.args"
            conversion.map(word, draft.set(key, word.chars) if is_first else draft.add(key, word.chars))
        return
    start = make_interpreter(draft, started.form) if before else []
    text = format_script(conversion, words, RANK_METHODS_SHELL, ["exec", *start])
    shell = ["bash", "-c", text]
    if draft.get("training.deepspeed.config") is not None and draft.get("training.deepspeed.passConfig") is not False:
        shell[2:] = [text.rstrip("\n") + ' "$@"', "bash"]  # dsgen's arguments about DeepSpeed
    draft.set("training.exec", shell)
    for word in words:
        conversion.map(word, "training.exec[2]")


def _lose_given_arguments(conversion: Conversion, words: Sequence[Text]) -> list[Text]:
    """Without `"$@"`, the arguments that a person gave to the script."""
    kept = []
    for word in words:
        if any(one.name == "@" and one.kind == "positional" for one in conversion.source_map.list_unknowns(word)):
            conversion.lose(word, GIVEN, "add them to training.args")
        else:
            kept.append(word)
    return kept


def _write_worker_command(conversion: Conversion, started: LaunchCommand, files: Files) -> None:
    """launch.command for worker-command, through bash if it has variables."""
    words = write_files(conversion, files, _replace_secrets(conversion, started.command))
    words = _lose_given_arguments(conversion, words)
    if started.launcher.startswith("accelerate"):
        words = _add_machines(conversion, started, words)
    conversion.facts.command = conversion.source_map.format_words(words)
    is_known = all(word.is_known for word in words)
    if not is_known:
        text = format_script(conversion, words, WORKER_SHELL, ["exec"])
        conversion.draft.set("launch.command", ["bash", "-c", text])
    for word in words:
        to = conversion.draft.add("launch.command", word.chars) if is_known else "launch.command[2]"
        conversion.map(word, to)


def _add_machines(conversion: Conversion, started: LaunchCommand, words: list[Text]) -> list[Text]:
    """With all options that Accelerate needs on several machines; a configuration file cannot number the workers."""
    unknown = [one for word in started.command for one in conversion.source_map.list_unknowns(word)]
    has = {one.name for one in unknown if one.kind == "runtime"}
    if conversion.draft.get("workers.replicas", 1) == 1 and not has:
        return words
    count = 1 if words[0].chars == "accelerate-launch" else 3 if words[1:2] and words[1].chars == "-m" else 2
    has_file = any(re.match("--config[_-]file", word.chars) for word in words)
    if "NNODES" in has and "WORLD_SIZE" not in has and not has_file:
        conversion.lose(words[0], IN_ALL, IN_ALL_HINT)
    places, added = words[0].places[:1], list[Text]()
    for name, option in MACHINES:
        if name not in has:
            variable = conversion.source_map.add_unknown(UnknownPart("runtime", name, WORKER_SHELL[name]), places)
            added += [place_at(option, words[0]), variable]
    return [*words[:count], *added, *words[count:]]


def _replace_secrets(conversion: Conversion, words: Sequence[Text]) -> list[Text]:
    """Words in which variables of a Secret replace secrets."""
    kept, before = list[Text](), ""
    for word in words:
        option, has_value, value = word.partition("=")
        if has_value and is_secret_argument(option.chars, value.chars) and value.is_known:
            word = join([option, place_at("=", word), _replace_secret(conversion, option.chars, value)])
        elif word.is_known and (
            is_secret_argument(before, word.chars)
            or holds_secret(" ".join([*conversion.source_map.format_words(kept[-3:]), word.chars]))
        ):
            word = _replace_secret(conversion, before if before.startswith("-") else "TRAINING_SECRET", word)
        kept.append(word)
        before = option.chars if not has_value else ""
    return kept


def _replace_secret(conversion: Conversion, option: str, value: Text) -> Text:
    name = re.sub(r"\W", "_", option.lstrip("-")).upper().strip("_")
    name = name if re.match("[A-Z_]", name) and len(name) < 60 else "TRAINING_SECRET"
    key = ("training", "env", name)
    if not conversion.draft.get(key):
        conversion.draft.set_hole(key, make_secret_reference(name), SECRET_HOLE)
    return conversion.source_map.add_unknown(UnknownPart("secret", name, f"${name}"), value.places)


def _refuse_unknown(conversion: Conversion, started: LaunchCommand) -> None:
    """Refuse several programs, and a command line with arguments of the script, or variables that may be options."""
    for word in started.program if started.method == "openmpi" else ():
        if word.chars == ":":
            raise conversion.refuse(started.first, SEVERAL, SEVERAL_HINT)
    source_map, words = conversion.source_map, [*started.program, *started.command, *started.kept]
    names = {part.name: word for word in reversed([*words, *started.facts.values()])
             for part in source_map.list_unknowns(word) if part.kind == "positional" and part.name != "@"}  # fmt: skip
    if names:
        listed = ", ".join(f"${name}" for name in sorted(names))
        hint = f"give them: --set {min(names)}=VALUE"
        at = source_map.resolve_place([*names.values()][-1].places[0])
        raise ImportRefusedError(f"the command line needs arguments of the script: {listed}", at, hint)
    for word in words if not conversion.is_container else ():
        if any(one.kind == "command" for one in source_map.list_unknowns(word)):
            raise conversion.refuse(word, EACH_RUNS)
    # Options of the launcher may be in a variable before the program.
    may_be_options = any(word.chars.endswith((".py", ".sh")) for word in started.program[1:])
    first = source_map.list_unknowns(started.program[0]) if may_be_options else []
    if found := next((one for one in first if one.is_split), None):
        why = f"the command line needs {found.shell}, which nothing in the source sets"
        hint = f"--set {found.name}=VALUE, or write its words into the command line"
        raise ImportRefusedError(why, source_map.resolve_place(started.program[0].places[0]), hint)


def _choose_method(conversion: Conversion, started: LaunchCommand, world: JobSize) -> str:
    method, python = started.method, started.interpreter
    if started.launcher in ("", "python"):
        method = "torchrun" if world.runs_ranks else WORKERS
        if method == WORKERS:
            flag = [place_at("-m", started.program[0])] if started.form == "module" else []
            started.command = [*([python] if python is not None else []), *flag, *started.program]
    named = started.facts.get("launcher", Text()).chars.lower()
    is_alone = world.nodes == 1 or (world.nodes is None and _count_included(started.facts.get("include")))
    if "no_ssh" in started.facts or (method == "pdsh" and is_alone and not world.is_launcher and not named):
        method = "deepspeed-no-ssh"
    elif named in ("openmpi", "mvapich", "mpich", "impi"):
        method = "openmpi"
    elif named not in ("", "pdsh"):
        conversion.lose(started.facts["launcher"], f"dsgen has no launcher {named}")
    if started.passes_local_rank and any("deepspeed" in word.chars for word in started.program):
        method = "deepspeed-no-ssh"  # it passes --local_rank, too, and the image has DeepSpeed
    if started.is_other_mpi or started.launcher in OTHER_MPI:
        conversion.lose(started.first, OTHER_MPI_WHY, OTHER_MPI_HINT)
    return method


def _compute_counts(conversion: Conversion, started: LaunchCommand, world: JobSize) -> None:
    facts, nothing = started.facts, Text()
    least, is_range, most = facts.get("nodes", nothing).partition(":")
    if is_range:
        conversion.lose(least, "a run shrinks after a loss only (workers.min)")
    nodes = world.nodes or (most if is_range else least).number if world.nodes is None else world.nodes
    given, processes = facts.get("slots", nothing), facts.get("processes", nothing).number
    include = _count_included(facts.get("include"))
    nodes = 1 if include and nodes is None else nodes
    slots = world.devices if given.chars in ("gpu", "auto") else given.number
    slots = 1 if "one_each" in facts else slots or include or world.slots
    if not slots and world.is_batch and started.launcher in OF_TORCH and not given:
        slots = 1  # its default
    if not slots and started.launcher in ("", "python"):
        slots = world.devices if conversion.draft.get("launch.method") == WORKERS else 1
    if not slots and processes and nodes and processes % nodes == 0:
        slots = processes // nodes
    slots = slots or world.devices or (1 if world.devices == 0 else None)
    if nodes is None and processes and slots and processes % slots == 0:
        nodes = processes // slots
    write_counts(conversion, nodes, slots, world)
    if processes and nodes and slots and processes != nodes * slots:
        why = f"it starts {processes} processes, but dsgen starts one on each of {nodes} x {slots} slots"
        conversion.lose(facts["processes"], why, "change workers.replicas or workers.slots")
    conversion.facts.replicas, conversion.facts.slots = nodes or 0, slots or 0


def write_counts(conversion: Conversion, nodes: int | None, slots: int | None, world: JobSize) -> None:
    """workers.replicas, slots and the devices of a worker."""
    draft = conversion.draft
    for key, number, why in (("workers.replicas", nodes, NODES_HOLE), ("workers.slots", slots, SLOTS_HOLE)):
        if number:
            draft.set(key, number)
        else:
            draft.set_hole(key, 0, why)
    if world.devices is not None and slots and world.devices != slots:
        draft.set("workers.accelerator.count", world.devices)
    if world.devices == 0 and draft.get("launch.method") != WORKERS:
        draft.set("training.env.DS_ACCELERATOR", "cpu")
        draft.add_comment("training.env.DS_ACCELERATOR", "the source requests no device")


def _count_included(include: Text | None) -> int | None:
    """The slots of `--include localhost:0,1,2,3`."""
    match = re.fullmatch(r"(localhost|127\.0\.0\.1):([0-9]+(?:,[0-9]+)*)", include.chars) if include else None
    return len(match[2].split(",")) if match else None


def _write_kept(conversion: Conversion, started: LaunchCommand, method: str) -> None:
    """Arguments of the launcher itself. deepspeed does not start mpirun in a run, so mpirun takes none of its own."""
    draft, source_map = conversion.draft, conversion.source_map
    takes = ("pdsh", "deepspeed-no-ssh", *(() if started.launcher == "deepspeed" else ("openmpi",)))
    for word in started.kept:
        if method not in takes:
            why = f"launch.method {method} takes no arguments of this launcher"
            conversion.lose(word, why, "set launch.mpirunArgs" if method == "openmpi" else "")
        elif any(unknown.kind != "variable" for unknown in source_map.list_unknowns(word)):
            conversion.lose(word, "its value is only known on the cluster", "set it in training.env")
        else:
            key = "launch.mpirunArgs" if method == "openmpi" else "training.deepspeed.args"
            conversion.map(word, draft.add(key, source_map.format_text(word)))


# -- files that a script writes ----------------------------------------------------------------------------------------

CONFIG = "/job/ds_config.json"
OF_CONFIG = ("--deepspeed", "--deepspeed_config", "--deepspeed_config_file", "--ds_config", "--deepspeed-config")
"""Options of programs with the configuration of DeepSpeed."""
FILE = re.compile(r"[.]?[A-Za-z0-9_-][A-Za-z0-9_.-]{0,250}")
MOST_BYTES, LARGEST_CONFIG = 200_000, 20_000
UNUSED = "the command line does not name this file"
UNUSED_HINT = "add it to training.files if the program reads it"
OTHER_FOLDER = f"it is in {FILES} of a pod, where Python finds no modules that are beside it in the source"
OTHER_FOLDER_HINT = "add them to training.files, or set training.env.PYTHONPATH to their folder"
UNKNOWN, NOT_COPIED = "dsgen does not compute its content", "its content is too long, or holds a secret"


def write_files(conversion: Conversion, files: Files, words: Sequence[Text]) -> list[Text]:
    """Write the files that a command line names; returns its words, with their places in a pod."""
    result = list(words)
    for name, (statement, content) in files.items():
        found = [at for at, word in enumerate(result) if _names_file(conversion, word, name)]
        if not found:
            if name not in conversion.mounted:
                conversion.lose(statement, UNUSED, UNUSED_HINT)
            continue
        if not content.is_known or holds_secret(content.chars) or len(content.chars) > MOST_BYTES:
            why = NOT_COPIED if content.is_known else UNKNOWN
            raise conversion.refuse(statement, why, "write it into training.files")
        config, base = parse_deepspeed_config(name, content.chars), posixpath.basename(name)
        options = (result[at] if "=" in result[at].chars else result[max(at - 1, 0)] for at in found)
        if config is not None and any(option.chars.partition("=")[0] in OF_CONFIG for option in options):
            conversion.map(statement, conversion.draft.set("training.deepspeed.config", config))
            if conversion.draft.get("launch.method") not in ("worker-command", "launcher-command"):
                conversion.draft.set("training.deepspeed.passConfig", False)
            result = _replace_paths(result, found, CONFIG)
        elif FILE.fullmatch(base):
            lines = content.chars if content.chars.endswith("\n") else content.chars + "\n"
            conversion.map(statement, conversion.draft.set(("training", "files", base), lines))
            if found[0] == 0 and base.endswith(".py"):
                conversion.lose(result[0], OTHER_FOLDER, OTHER_FOLDER_HINT)
            result = _replace_paths(result, found, f"{FILES}/{base}")
        else:
            conversion.lose(statement, "its name is no name of a file in training.files", UNUSED_HINT)
    return result


def _names_file(conversion: Conversion, word: Text, name: str) -> bool:
    shown = conversion.source_map.format_text(word)
    shown = shown.partition("=")[2] or shown
    return shown.removeprefix("./") == name.removeprefix("./")


def parse_deepspeed_config(name: str, content: str) -> dict[str, Any] | None:
    """The configuration of DeepSpeed in a JSON file; None if it is another file."""
    if not name.endswith(".json") or len(content) > LARGEST_CONFIG:
        return None
    try:
        data = json.loads(content)
        values = {"training": {"deepspeed": {"config": data}}}
        compare_text(json.dumps(values), values)  # a number or a nesting that a values file cannot have
    except (ValueError, RecursionError, RuntimeError):
        return None
    return data if isinstance(data, dict) and not _has_null(data) else None


def _has_null(data: Any) -> bool:
    if isinstance(data, dict):
        return any(map(_has_null, data.values()))
    return any(map(_has_null, data)) if isinstance(data, list) else data is None


def _replace_paths(words: Sequence[Text], found: Sequence[int], path: str) -> list[Text]:
    """The words with another path in some of them."""
    parts = [word.partition("=") for word in words]
    return [place_at(f"{option.chars}={path}" if is_joined else path, word) if at in found else word
            for at, (word, (option, is_joined, _)) in enumerate(zip(words, parts, strict=True))]  # fmt: skip
