"""Writes a command line into launch and training: the method, counts, the program and its arguments."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dsgen.importers.conversion import Conversion
from dsgen.importers.draft import SECRET_HOLE, make_secret_reference
from dsgen.importers.environment import (
    AMBIENT,
    NAME,
    OWN,
    RANK_METHODS_SHELL,
    WORKER_SHELL,
    format_script,
    write_value,
)
from dsgen.importers.facts import JobSize
from dsgen.importers.files import WrittenFiles
from dsgen.importers.launchers import OTHER_MPI, WORKERS, LaunchCommand, Note, find_given_variables
from dsgen.importers.ledger import ImportRefusedError
from dsgen.importers.secrets import holds_secret, is_secret_option
from dsgen.importers.texts import Text, UnknownPart, join, place_at

OTHER_PYTHON = "the image may have this Python at another place; dsgen starts python3"


def write_program(conversion: Conversion, started: LaunchCommand, world: JobSize, files: WrittenFiles) -> None:
    """training.python, module or exec with the arguments; through bash if a shell must expand a part."""
    words = files.write_used(conversion, _replace_secrets(conversion, started.program))
    words = [_fill_counts(conversion, word) for word in words]
    if not words:
        conversion.draft.set_hole("training.python", "", "the source names no program: the image starts it by itself")
        return
    if started.interpreter is not None and not world.is_batch and started.interpreter.chars != "python3":
        conversion.map(
            started.interpreter, conversion.draft.set("training.pythonCommand", started.interpreter.chars), is_part=True
        )
    elif started.interpreter is not None and "/" in started.interpreter.chars:
        conversion.lose(started.interpreter, OTHER_PYTHON, "set training.pythonCommand", is_part=True)
    elif started.interpreter is not None:
        conversion.drop(started.interpreter, "dsgen starts training.pythonCommand, which is python3", is_part=True)
    conversion.facts.command = _list_command_words(conversion, started, words)
    words = _lose_given_arguments(conversion, words)
    if all(word.is_known for word in words) and not world.prefix:
        _write_plain(conversion, started, words)
    else:
        _write_through_shell(conversion, started, words, world)


def _list_command_words(conversion: Conversion, started: LaunchCommand, words: Sequence[Text]) -> list[str]:
    shown = [conversion.atlas.format_text(word) for word in words]
    if started.form == "exec":
        return shown
    interpreter = started.interpreter.chars if started.interpreter is not None else "python3"
    return [interpreter, *(["-m"] if started.form == "module" else []), *shown]


def _lose_given_arguments(conversion: Conversion, words: Sequence[Text]) -> list[Text]:
    """Without `"$@"`, the arguments that a person gave to the script."""
    kept = []
    for word in words:
        if any(one.name == "@" and one.kind == "positional" for one in conversion.atlas.list_unknowns(word)):
            conversion.lose(word, "the arguments that were given to the script are not in the source",
                            "add them to training.args", is_part=True)  # fmt: skip
        else:
            kept.append(word)
    return kept


def _write_plain(conversion: Conversion, started: LaunchCommand, words: Sequence[Text]) -> None:
    draft = conversion.draft
    if started.form == "exec":
        for word in words:
            conversion.map(word, draft.add("training.exec", word.chars), is_part=True)
        return
    key = "training.python" if started.form == "python" else "training.module"
    conversion.map(words[0], draft.set(key, words[0].chars), is_part=True)
    for word in words[1:]:
        to = draft.add("training.args", word.chars)
        conversion.map(word, to, is_part=True)


def _write_through_shell(conversion: Conversion, started: LaunchCommand, words: Sequence[Text], world: JobSize) -> None:
    """`training.exec: [bash, -c, ...]`: bash expands what is only known in the pod."""
    start = [] if started.form == "exec" else ["python3", "-u", *(["-m"] if started.form == "module" else [])]
    text = format_script(conversion, words, RANK_METHODS_SHELL, ["exec", *start], world.prefix)
    has_config = conversion.draft.get("training.deepspeed.config") is not None
    if has_config and conversion.draft.get("training.deepspeed.passConfig") is not False:
        text, name = text.rstrip("\n") + ' "$@"', ["bash"]  # dsgen's arguments about DeepSpeed
    else:
        name = []
    conversion.draft.set("training.exec", ["bash", "-c", text, *name])
    for word in words:
        conversion.map(word, "training.exec[2]", is_part=True)


def write_worker_command(conversion: Conversion, started: LaunchCommand, world: JobSize, files: WrittenFiles) -> None:
    """launch.command for worker-command, through bash if it has variables."""
    for name, value, words_of in started.variables:
        write_value(conversion, name, value, words_of, is_part=True)
    words = files.write_used(conversion, _replace_secrets(conversion, started.command))
    words = _lose_given_arguments(conversion, [_fill_counts(conversion, word, keep=True) for word in words])
    if started.launcher.startswith("accelerate"):
        words = _add_machines(conversion, started, words)
    conversion.facts.command = [conversion.atlas.format_text(word) for word in words]
    if all(word.is_known for word in words) and not world.prefix:
        for word in words:
            conversion.map(word, conversion.draft.add("launch.command", word.chars), is_part=True)
        return
    text = format_script(conversion, words, WORKER_SHELL, ["exec"], world.prefix)
    conversion.draft.set("launch.command", ["bash", "-c", text])
    for word in words:
        conversion.map(word, "launch.command[2]", is_part=True)


MACHINES = (
    ("NNODES", "--num_machines"),
    ("NODE_RANK", "--machine_rank"),
    ("WORLD_SIZE", "--num_processes"),
    ("MASTER_ADDR", "--main_process_ip"),
    ("MASTER_PORT", "--main_process_port"),
)


def _add_machines(conversion: Conversion, started: LaunchCommand, words: list[Text]) -> list[Text]:
    """With all options that Accelerate needs on several machines; a configuration file cannot number the workers."""
    if conversion.draft.get("workers.replicas", 1) == 1 and not find_given_variables(started, conversion.atlas):
        return words
    has = find_given_variables(started, conversion.atlas)
    count = 1 if words[0].chars == "accelerate-launch" else 2
    count = 3 if words[1:2] and words[1].chars == "-m" else count
    places, added = words[0].places[:1], list[Text]()
    for name, option in MACHINES:
        if name not in has:
            variable = conversion.atlas.add_unknown(UnknownPart("runtime", name, WORKER_SHELL[name]), places)
            added += [place_at(option, words[0]), variable]
    return [*words[:count], *added, *words[count:]]


def _fill_counts(conversion: Conversion, word: Text, keep: bool = False) -> Text:
    """A word with the numbers of nodes and processes, unless the command has variables for them."""
    if keep or word.is_known:
        return word
    draft = conversion.draft
    known = {"NNODES": draft.get("workers.replicas"), "NPROC_PER_NODE": draft.get("workers.slots")}
    parts = []
    for index in range(len(word.chars)):
        part = word[index : index + 1]
        unknown = conversion.atlas.list_unknowns(part)
        if unknown and unknown[0].kind == "runtime" and known.get(unknown[0].name):
            digits = str(known[unknown[0].name])
            part = place_at(digits, part)
        parts.append(part)
    return join(parts)


def _replace_secrets(conversion: Conversion, words: Sequence[Text]) -> list[Text]:
    """Words in which variables of a Secret replace secrets."""
    kept, before = list[Text](), ""
    for word in words:
        option, has_value, value = word.partition("=")
        if has_value and is_secret_option(option.chars) and value.is_known and value:
            word = join([option, place_at("=", word), _replace_secret(conversion, option.chars, value)])
        elif word.is_known and _follows_login(conversion, kept, word):
            word = _replace_secret(conversion, "TRAINING_SECRET", word)
        elif (is_secret_option(before) and not word.chars.startswith("-") and word.is_known) or (
            word.is_known and holds_secret(word.chars)
        ):
            word = _replace_secret(conversion, before or "TRAINING_SECRET", word)
        kept.append(word)
        before = option.chars if not has_value else ""
    return kept


def _follows_login(conversion: Conversion, before: Sequence[Text], word: Text) -> bool:
    """Whether a word is a secret because of the words before it, as in `wandb login KEY`."""
    words = " ".join(conversion.atlas.format_text(one) for one in before[-3:])
    return holds_secret(f"{words} {word.chars}") and not holds_secret(words) and not holds_secret(word.chars)


def _replace_secret(conversion: Conversion, option: str, value: Text) -> Text:
    name = re.sub(r"\W", "_", option.lstrip("-")).upper().strip("_")
    name = name if re.match("[A-Z_]", name) and len(name) < 60 else "TRAINING_SECRET"
    key = ("training", "env", name)
    if not conversion.draft.get(key):
        conversion.draft.set_hole(key, make_secret_reference(name), SECRET_HOLE)
    return conversion.atlas.add_unknown(UnknownPart("secret", name, f"${name}"), value.places)


NODES_HOLE = "the source does not say how many nodes take part"
SLOTS_HOLE = "the source does not say how many processes each node runs, usually one for each GPU"
OTHER_MPI_WHY = "it is the mpirun of another MPI; dsgen starts the ranks with that of Open MPI"
OTHER_MPI_HINT = "build the image with Open MPI, or use launch.method: torchrun if the program does not call MPI"
LOCAL_RANK = "torch.distributed.launch passes --local_rank to the program, launch.method torchrun does not"
LOCAL_RANK_HINT = "read LOCAL_RANK from the environment, or use launch.method: deepspeed-no-ssh, which passes it"


def refuse_unknown(conversion: Conversion, started: LaunchCommand, loops: Sequence[int] = ()) -> None:
    """Refuse a command line that needs arguments of the script, or what dsgen does not compute.

    A single value that dsgen does not follow is a hole instead, where it cannot be an option. loops: the places of the
    loops around the command line.
    """
    names: dict[str, Text] = {}
    for word in [*started.program, *started.command, *started.kept, *started.facts.values()]:
        for one in conversion.atlas.list_unknowns(word):
            if one.kind == "positional" and one.name != "@":
                names.setdefault(one.name, word)
    if names:
        listed = ", ".join(f"${name}" for name in sorted(names))
        hint = f"give them: --set {min(names)}=VALUE"
        at = conversion.atlas.locate(next(iter(names.values())))
        assert at is not None
        raise ImportRefusedError(f"the command line needs arguments of the script: {listed}", at, hint)
    for number, word in enumerate([*started.program, *started.command, *started.kept]):
        is_first = number == 0 and bool(started.program)
        for one in conversion.atlas.list_unknowns(word):
            if one.kind == "unclear" or (one.is_split and is_first and _is_before_program(started.program)):
                _refuse_unclear(conversion, word, one, loops, is_first)


def _is_before_program(words: Sequence[Text]) -> bool:
    """Whether options of the launcher may be in a variable before the program."""
    return len(words) > 1 and words[1].chars.endswith((".py", ".sh"))


def _refuse_unclear(
    conversion: Conversion, word: Text, part: UnknownPart, loops: Sequence[int], is_first: bool
) -> None:
    at = conversion.atlas.locate(word)
    assert at is not None
    line = f", on line {conversion.atlas.resolve_place(part.cause).line}" if part.cause else ""
    if part.cause in loops:
        raise ImportRefusedError("a loop starts several trainings", at, "take one of them into a script of its own")
    is_variable = NAME.fullmatch(part.name) is not None
    if not is_variable or OWN.fullmatch(part.name) or (is_first and part.is_split) or part.name in AMBIENT:
        hint = f"--set {part.name}=VALUE, or write its words into the command line"
        hint = hint if is_variable else "write its value into the command line"
        raise ImportRefusedError(f"the command line needs {part.shell}, which dsgen does not compute{line}", at, hint)


def write_launch(
    conversion: Conversion, started: LaunchCommand, world: JobSize, files: WrittenFiles, loops: Sequence[int] = ()
) -> None:
    """Fill launch, training and the counts of workers from a command line. loops: the places of those around it."""
    refuse_unknown(conversion, started, loops)
    for note in started.notes:
        _write_note(conversion, note)
    method = _choose_method(conversion, started, world)
    if method != "pdsh":
        conversion.draft.set("launch.method", method)
    _compute_counts(conversion, started, world)
    _write_facts(conversion, started)
    if method == WORKERS:
        write_worker_command(conversion, started, world, files)
        return
    _write_kept(conversion, started, method)
    for name, value, words in started.variables:
        write_value(conversion, name, value, words, is_part=True)
    write_program(conversion, started, world, files)
    if started.passes_local_rank and method == "torchrun":
        at = started.notes[0].word
        conversion.lose(at, LOCAL_RANK, LOCAL_RANK_HINT, is_part=True)


def _write_note(conversion: Conversion, note: Note) -> None:
    if note.fate == "mapped":
        conversion.map(note.word, note.to, is_part=True)
    elif note.fate == "dropped":
        conversion.drop(note.word, note.why, is_part=True)
    else:
        conversion.lose(note.word, note.why, note.hint, is_part=True)


def _choose_method(conversion: Conversion, started: LaunchCommand, world: JobSize) -> str:
    method = started.method
    if started.launcher in ("", "python"):
        method = "torchrun" if world.runs_ranks else WORKERS
        if method == WORKERS:
            started.command = _as_command(started)
    named = started.facts.get("launcher", Text()).chars.lower()
    is_alone = world.nodes == 1 or (world.nodes is None and _count_included(started.facts.get("include")))
    if "no_ssh" in started.facts or (method == "pdsh" and is_alone and not world.is_launcher and not named):
        method = "deepspeed-no-ssh"
    elif named in ("openmpi", "mvapich", "mpich", "impi"):
        method = "openmpi"
    elif named not in ("", "pdsh"):
        conversion.lose(started.facts["launcher"], f"dsgen has no launcher {named}", is_part=True)
    if started.passes_local_rank and any("deepspeed" in word.chars for word in started.program):
        method = "deepspeed-no-ssh"  # it passes --local_rank, too, and the image has DeepSpeed
    if started.is_other_mpi or started.launcher in OTHER_MPI:
        conversion.lose(started.notes[0].word, OTHER_MPI_WHY, OTHER_MPI_HINT, is_part=True)
    return method


def _as_command(started: LaunchCommand) -> list[Text]:
    """The words of a program that no launcher starts."""
    if started.interpreter is None:
        return started.program
    flag = [place_at("-m", started.interpreter)] if started.form == "module" else []
    return [started.interpreter, *flag, *started.program]


def as_number(text: Text | None) -> int | None:
    """A whole number; None for anything else."""
    return int(text.chars) if text is not None and re.fullmatch("[0-9]{1,7}", text.chars) else None


def _compute_counts(conversion: Conversion, started: LaunchCommand, world: JobSize) -> None:
    facts = started.facts
    most = as_number(_choose_largest(facts.get("nodes"), conversion))
    nodes = most if world.nodes is None else world.nodes
    slots, processes = as_number(facts.get("slots")), as_number(facts.get("processes"))
    include = _count_included(facts.get("include"))
    nodes = 1 if include and nodes is None else nodes
    if slots is None and facts.get("slots") is not None and facts["slots"].chars in ("gpu", "auto"):
        slots = world.devices
    slots = slots or include or world.slots
    if "one_each" in facts:
        slots = 1
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
        conversion.lose(facts["processes"], why, "change workers.replicas or workers.slots", is_part=True)
    conversion.facts.replicas, conversion.facts.slots = nodes or 0, slots or 0


def write_counts(conversion: Conversion, nodes: int | None, slots: int | None, world: JobSize) -> None:
    """workers.replicas, slots and the devices of a worker."""
    draft = conversion.draft
    if nodes:
        draft.set("workers.replicas", nodes)
    else:
        draft.set_hole("workers.replicas", 0, NODES_HOLE)
    if slots:
        draft.set("workers.slots", slots)
    else:
        draft.set_hole("workers.slots", 0, SLOTS_HOLE)
    if world.devices is not None and slots and world.devices != slots:
        draft.set("workers.accelerator.count", world.devices)
    if world.devices == 0 and draft.get("launch.method") != WORKERS:
        draft.set("training.env.DS_ACCELERATOR", "cpu")
        draft.add_comment("training.env.DS_ACCELERATOR", "the source requests no device")


def _choose_largest(nodes: Text | None, conversion: Conversion) -> Text | None:
    """The nodes of `2` or `1:4`; the least number is lost."""
    if nodes is None:
        return None
    least, is_range, most = nodes.partition(":")
    if is_range:
        conversion.lose(least, "a run shrinks after a loss only (workers.min)", is_part=True)
        return most
    return nodes


def _count_included(include: Text | None) -> int | None:
    """The slots of `--include localhost:0,1,2,3`."""
    match = re.fullmatch(r"(localhost|127\.0\.0\.1):([0-9]+(?:,[0-9]+)*)", include.chars) if include else None
    return len(match[2].split(",")) if match else None


def _write_facts(conversion: Conversion, started: LaunchCommand) -> None:
    draft, facts = conversion.draft, started.facts
    port = as_number(facts.get("port"))
    if port and 1024 <= port <= 65535:
        draft.set("launch.masterPort", port)
    restarts = as_number(facts.get("restarts"))
    if restarts and restarts <= 1000:
        draft.set("lifecycle.maxRestarts", restarts)
    if "bind_cores" in facts:
        draft.set("training.deepspeed.bindCores", True)
    if "no_local_rank" in facts:
        draft.set("training.deepspeed.localRank", False)
    if facts.get("autotuning", Text()).chars in ("tune", "run"):
        draft.set("training.deepspeed.autotuning", facts["autotuning"].chars)
    folder = facts.get("folder")
    if folder and folder.is_known and folder.chars.startswith("/"):
        draft.set("training.workingDir", folder.chars)


def _write_mpirun_arguments(conversion: Conversion, words: Sequence[Text]) -> None:
    """Arguments of deepspeed, if it would start mpirun: only those that it passes on have a use."""
    for word in words:
        name, has_value, value = word.partition("=")
        if name.chars in ("--launcher_args", "--launcher-args") and has_value:
            for one in value.split():
                to = conversion.draft.add("launch.mpirunArgs", conversion.atlas.format_text(one))
                conversion.map(one, to, is_part=True)
        else:
            conversion.drop(word, "dsgen starts mpirun itself, after all workers answer", is_part=True)


def _write_kept(conversion: Conversion, started: LaunchCommand, method: str) -> None:
    """Arguments of the launcher itself."""
    key = "launch.mpirunArgs" if method == "openmpi" else "training.deepspeed.args"
    if method == "openmpi" and started.launcher == "deepspeed":
        _write_mpirun_arguments(conversion, started.kept)
        return
    if method not in ("openmpi", "pdsh", "deepspeed-no-ssh"):
        for word in started.kept:
            conversion.lose(word, f"launch.method {method} takes no arguments of this launcher", is_part=True)
        return
    for word in started.kept:
        if any(one.kind != "variable" for one in conversion.atlas.list_unknowns(word)):
            conversion.lose(word, "its value is only known on the cluster", "set it in training.env", is_part=True)
        else:
            conversion.map(word, conversion.draft.add(key, conversion.atlas.format_text(word)), is_part=True)
