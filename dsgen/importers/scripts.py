"""From a script that was read to values; a script or a command line without a queue is a source itself."""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise

from dsgen.importers.conversion import Conversion, as_dns_name
from dsgen.importers.documents import refuse_private
from dsgen.importers.draft import Draft, walk_keys
from dsgen.importers.environment import (
    FIXED,
    FIXED_HINT,
    FIXED_WHY,
    HOST_LISTS,
    KNOWN_HOSTS,
    WORKER_SHELL,
    choose_place,
    choose_variables,
    format_word,
    is_given,
    is_used,
    write_exported,
)
from dsgen.importers.facts import JobSize
from dsgen.importers.launch import OF_TORCH, make_interpreter, passes_on, write_counts, write_launch
from dsgen.importers.launchers import LAUNCHERS, WORKERS, LaunchCommand, parse_alone
from dsgen.importers.ledger import ImportRefusedError
from dsgen.importers.shell.commands import COPIES, PREPARES, WRAPPERS
from dsgen.importers.shell.reader import EventKind, Launch, ScriptEvent, ScriptReader, format_folder, read_options
from dsgen.importers.shell.syntax import find_mistake, find_units
from dsgen.importers.shell.words import ShellScope
from dsgen.importers.slurm_options import NOT_ABSOLUTE
from dsgen.importers.texts import Kind, Text, UnknownPart, is_private
from dsgen.problems import Position
from dsgen.problems.safe_text import holds_secret
from dsgen.reading.nodes import SourceText
from dsgen.schema.commands import list_programs
from dsgen.schema.scripts import read_commands


@dataclass
class ChosenScript:
    """A script, and the command line in it that starts the training.

    launch: the statement. started: how it does. reading: everything else.
    """

    reading: ScriptReader
    launch: Launch
    started: LaunchCommand


def read_script(
    conversion: Conversion, text: Text, runtime: Mapping[str, Text], name: str = "", own_host: str = "HOSTNAME"
) -> ChosenScript:
    """Read a script and choose its launch. Raises ImportRefusedError if there is none, or more than one.

    own_host: which host the script itself runs on: the first one, or each.
    """
    scope = ShellScope(conversion.source_map, runtime, conversion.read_variables(), name=name, own_host=own_host)
    given = {int(number): value for number, value in scope.given.items() if number.isdigit()}
    if given:
        scope.arguments = [given.get(index, Text()) for index in range(1, min(max(given), 99) + 1)]
    helpers = {
        file: conversion.source_map.add_file(file, content) for file, content in conversion.options.helpers.items()
    }
    reading = ScriptReader(conversion.source_map, scope, helpers)
    reading.read_script(text, read_options(text) if name else "")
    return choose_launch(conversion, reading, text)


def choose_launch(conversion: Conversion, reading: ScriptReader, text: Text) -> ChosenScript:
    """The launch of a script. Raises ImportRefusedError if there is none, or more than one."""
    at = conversion.source_map.locate(text) or Position(conversion.file, 1, 1)
    line = conversion.options.line
    launches = [launch for launch in reading.launches if line in (0, _find_line(conversion, launch))]
    if not launches:
        words = f" on line {line}" if line else ""
        raise ImportRefusedError(
            f"dsgen finds no command in the script{words} that starts a training", at,
            "give the script that calls deepspeed, torchrun or srun",
        )  # fmt: skip
    if len(launches) > 1:
        _refuse_several(conversion, launches)
    return ChosenScript(reading, launches[0], parse_alone(launches[0].words, conversion.source_map))


def _find_line(conversion: Conversion, launch: Launch) -> int:
    at = conversion.source_map.locate(launch.statement)
    return at.line if at else 0


def _refuse_several(conversion: Conversion, launches: Sequence[Launch]) -> None:
    lines = list(dict.fromkeys(_find_line(conversion, launch) for launch in launches))
    if len(lines) == 1:
        hint = "take one of them into a script of its own"
        raise conversion.refuse(launches[0].statement, "the line starts several programs", hint)
    at, listed = conversion.source_map.locate(launches[0].statement), ", ".join(map(str, lines[:12]))
    assert at is not None
    hint = f"choose one by its line, as in --line {lines[0]}"
    raise ImportRefusedError(f"several commands start programs, on lines {listed}", at, hint)


def refuse_syntax_error(name: str, text: str) -> None:
    """Refuse a script that bash refuses, with its line."""
    refuse_private(text, name)
    if found := find_mistake(text):
        line, words = found
        raise ImportRefusedError(f"bash cannot read the script: {words}", Position(name, line, 1))


# -- values ------------------------------------------------------------------------------------------------------------

SHELL = re.compile(r"(^|/)(ba|da|z)?sh$")
COMMENT = re.compile(r"(?m)^\s*#.*$")
FROM_LAUNCHER = {name for name, one in LAUNCHERS.items() if one.method in ("pdsh", "openmpi")}
"""Programs that start processes on all hosts of a hostfile, which the launcher has."""
OWN_HOSTS = re.compile(r"--?(deepspeed_)?(hostfile|machinefile)\b|\s-H\b|--?hosts?\b|--(in|ex)clude\b|--no_ssh\b")
NOT_CHOSEN = "it is another command line than the one that was chosen"
LEFTOVERS = re.compile(
    r"\bSLURM_\w+|\b(?:srun|scontrol|singularity|apptainer|shifter)\b(?=\s)|\bmodule (?:load|use|purge)\b|\{\{"
    r"|\$\{(?![A-Za-z_#!@*\d])"
)
"""What only the old cluster has."""
AFTER, AFTER_HINT = "it stands after the command line", "run it as a job of its own"
ONCE = re.compile(r"(wget|curl|git|tar|unzip|ln|chmod)\b")
"""Commands that prepare a cluster once, and not each container."""
LOADED = "the image has to contain what it loads; it is a comment at image"
OTHER_FOLDER = "it has a folder that is not the one in which the training starts"
OTHER_FOLDER_HINT = "write its absolute path into the script"
NO_FOLDER = "the working directory of the image takes its place"
IN_LINE, IN_FILE = "its value is in the command line", "its value is in a file that the script writes"
UNUSED = "the command line does not use it"
VARIABLE = re.compile(r"\$\{?([A-Za-z_]\w*)")
COUNTS = {
    **dict.fromkeys(("NNODES", "NUM_NODES", "N_NODES", "NUM_MACHINES"), "workers.replicas"),
    **dict.fromkeys(("NPROC_PER_NODE", "GPUS_PER_NODE", "NUM_GPUS", "N_GPUS", "NGPUS"), "workers.slots"),
}
"""Variables with numbers that launchers read, such as that of LLaMA-Factory."""
DEVICES = re.compile(r"(CUDA|HIP|ROCR|ASCEND_RT)_VISIBLE_DEVICES")
OWN_DEVICES = "a worker sees only its own devices, which are numbered from 0"
IN_CONTAINER = re.compile("^(SINGULARITY|APPTAINER)ENV_(?!(PREPEND|APPEND)_PATH$)")
"""What Apptainer removes from the names of the variables in a container."""
OF_RUNTIME = "Apptainer reads it, and pods have no Apptainer"
OF_RUNTIME_HINT = "write what it sets into training.env, storage or the image"
BACKGROUND = re.compile(r"^/(dev|proc|sys|etc|usr|bin|sbin|lib|lib64|opt|tmp|var|run|root|app|job)(/|$)")
"""Folders that belong to an image or to the system."""
FOLDER = re.compile(r"(?<![\w/.~$}:*-])(/[A-Za-z0-9_][\w.-]*)(?:/[\w.+-]+)+/?|(?<=^)(/[A-Za-z0-9_][\w.-]*)$")
CLAIM = "write the claim that has these files"
RUNTIME = {
    **dict.fromkeys(("NNODES", "NUM_NODES", "PET_NNODES"), "NNODES"),
    **dict.fromkeys(("NODE_RANK", "PET_NODE_RANK", "MACHINE_RANK"), "NODE_RANK"),
    **dict.fromkeys(("NPROC_PER_NODE", "PET_NPROC_PER_NODE", "GPUS_PER_NODE"), "NPROC_PER_NODE"),
    "MASTER_ADDR": "MASTER_ADDR",
}
"""Variables that scripts expect from whoever starts them, which dsgen provides."""


OF_MPI = re.compile(r"\bmpi(run|exec)\b")
HOSTFILE = (
    'export OMPI_MCA_orte_default_hostfile="$DSGEN_HOSTFILE" PRTE_MCA_prte_default_hostfile="$DSGEN_HOSTFILE"\n'
    "export OMPI_MCA_orte_keep_fqdn_hostnames=1\n"
    'exec "$0" "$@"'
)
"""mpirun knows the workers from these variables, which the MPI Operator sets, too."""
OF_NODES = {*OF_TORCH, "deepspeed", "accelerate"}
SAYS_NODES = re.compile(r"--(nnodes|num[_-](nodes|machines)|config[_-]file|(deepspeed[_-])?hostfile)\b|-H$")
BY_ITSELF = "its options do not join all nodes, and in a run all nodes train together"
BY_ITSELF_HINT = "set workers.replicas: 1 for a training on one node"


def make_runtime(conversion: Conversion, names: Mapping[str, str]) -> dict[str, Text]:
    """Variables that another system sets, by what dsgen has in their place: NODE_RANK, NNODES, MASTER_ADDR, ..."""
    found = {}
    for name, meaning in names.items():
        is_list = meaning in HOST_LISTS
        kind: Kind = "changing" if meaning == "RUN" else "hosts" if is_list or meaning in KNOWN_HOSTS else "runtime"
        source = f"${name}" if kind == "changing" or is_list else ""
        found[name] = conversion.source_map.add_unknown(UnknownPart(kind, meaning, source), ())
    return found


def convert(source: SourceText, conversion: Conversion) -> None:
    """One script. Raises ImportRefusedError if it cannot be converted."""
    refuse_syntax_error(source.name, source.text)
    text = conversion.source_map.add_file(source.name, source.text)
    name = posixpath.basename(source.name)
    script = read_script(conversion, text, make_runtime(conversion, RUNTIME), name)
    name_job(conversion, name)
    write_script(conversion, script, JobSize(is_batch=True), text)


def name_job(conversion: Conversion, file: str) -> None:
    """Name a job as its script."""
    stem = re.sub(r"(\.(sh|bash|txt|slurm|sbatch|job))+$", "", file)
    if found := as_dns_name(stem) if stem != "<stdin>" else "":
        conversion.draft.set("name", found)
        conversion.draft.add_comment("name", "the name of the script")


def add_claims(draft: Draft, texts: Sequence[str]) -> None:
    """A volume for each top folder of the cluster in the texts of a job, with a hole for its claim."""
    mounted = [one.get("mountPath", "") for one in draft.get("storage", {}).values()]
    for top in [path[1] or path[2] for text in texts for path in FOLDER.finditer(text)]:
        if BACKGROUND.match(top) or any(top == one or one.startswith(top + "/") for one in mounted):
            continue
        mounted.append(top)
        why = f"{CLAIM}: {top} is a folder of the cluster"
        draft.set_hole(("storage", draft.choose_volume(top)), {"mountPath": top, "existingClaim": ""}, why)


def write_kept(
    conversion: Conversion,
    words: list[str],
    texts: Sequence[Text],
    runtime: Mapping[str, Text],
    is_launcher: bool = False,
) -> int:
    """A command that each worker runs as it is, with the variables that its system would set; or the launcher, once.

    texts: the parts of the source that it comes from. Returns how many words stand before it in launch.command.
    """
    if is_launcher:
        before = (
            ["bash", "-c", HOSTFILE] if "OMPI_COMM_WORLD_SIZE" in runtime and OF_MPI.search(" ".join(words)) else []
        )
        conversion.draft.set("launch.method", "launcher-command")
        conversion.draft.set("launch.command", [*before, *words])
        return len(before)
    shell = {**WORKER_SHELL, **HOST_LISTS}
    exports = [f'export {name}="{shell.get(part.name, f"${part.name}")}"'
               for name, text in runtime.items() for part in conversion.source_map.list_unknowns(text)
               if name not in (part.name, f"PET_{part.name}") and part.kind != "changing"
               and any(re.search(rf"\b{name}\b", one) for one in words)]  # fmt: skip
    before = list[str]()
    if exports and SHELL.search(words[0]) and len(words) > 2:
        words = [*words[:2], "\n".join([*exports, words[2]]), *words[3:]]
    elif exports:
        before = ["bash", "-c", "\n".join([*exports, 'exec "$0" "$@"'])]
    conversion.draft.set("launch.method", WORKERS)
    conversion.draft.set("launch.command", [*before, *words])
    for text in texts:
        for match in FIXED.finditer(text.chars):
            line = text.chars[text.chars.rfind("\n", 0, match.start()) + 1 : match.start()]
            if not line.lstrip().startswith("#"):
                conversion.lose(text[match.start() : match.end()], FIXED_WHY, FIXED_HINT)
    return len(before)


def list_started(text: str) -> set[str]:
    """The names of the programs that a script starts."""
    return {words[0].rpartition("/")[2] for one in read_commands(text) for words in list_programs(one.words)}


def names_hosts(text: str, programs: Collection[str]) -> bool:
    """Whether a script starts processes on hosts of its own, which a run does not have. programs: what it starts."""
    return not FROM_LAUNCHER.isdisjoint(programs) and OWN_HOSTS.search(COMMENT.sub("", text)) is not None


def write_shell(conversion: Conversion, text: Text, runtime: Mapping[str, Text], world: JobSize) -> bool:
    """Fill the values from commands of a shell; each worker runs them as they are if they are not understood.

    Returns whether they are understood.
    """
    try:
        with conversion.undo_if_refused():
            script = read_script(conversion, text, runtime)
            write_script(conversion, script, world, text)
            report_lone_nodes(conversion, script, world.nodes, runtime)
    except ImportRefusedError:
        if not text.is_known or names_hosts(text.chars, list_started(text.chars)):
            raise
        write_counts(conversion, world.nodes, world.slots or world.devices or 1, world)
        write_kept(conversion, ["bash", "-c", text.chars], [text], runtime)
        conversion.decided = conversion.source_map.locate(text)
        return False
    return True


def report_lone_nodes(
    conversion: Conversion, script: ChosenScript, nodes: int | None, runtime: Collection[str] = ()
) -> None:
    """Name a launcher that takes other nodes than all into its world. runtime: variables that its system sets."""
    launcher, program = script.started.launcher, script.started.program
    words = [word for word in script.launch.words if word not in program]
    said = [(word.partition("=")[2] or after).chars for word, after in pairwise([*words, Text()])
            if SAYS_NODES.match(word.chars)]  # fmt: skip
    is_told = bool(said) or (launcher in OF_TORCH and "PET_NNODES" in runtime)
    is_other = any(one.isdigit() and int(one) != nodes for one in said)
    is_lone = not is_told or is_other or any(word.chars == "--standalone" for word in words)
    if (nodes or 1) > 1 and launcher in OF_NODES and is_lone:
        conversion.lose(script.launch.words[0], BY_ITSELF, BY_ITSELF_HINT)


def write_script(conversion: Conversion, script: ChosenScript, world: JobSize, text: Text) -> None:
    """Fill the values from a script, and account for all of its statements."""
    ScriptWriter(conversion, script, world).write(text)


def find_unread(conversion: Conversion, text: Text) -> Iterator[Text]:
    """The statements of a text that have no entry in the report."""
    known = list(conversion.accounted)
    for unit in find_units(text, conversion.source_map):
        start, end = unit.places[0], unit.places[-1]
        if not any(start <= first <= end or first <= start <= last for first, last in known):
            yield unit


@dataclass
class ScriptWriter:
    """What the statements of a script become. lines: what bash runs, by the key. loaded: what the image must contain.

    folder: where the script itself starts, "" if that is not known. final: the last event of each variable.
    """

    conversion: Conversion
    script: ChosenScript
    world: JobSize
    lines: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    loaded: list[str] = field(default_factory=list)
    folder: str = ""
    final: dict[str, ScriptEvent] = field(default_factory=dict)

    def write(self, text: Text) -> None:
        """Fill the values, and account for everything."""
        conversion, launch = self.conversion, self.script.launch
        mounted = {path: (text, text) for path, text in conversion.mounted.items() if posixpath.basename(path)}
        files = {**mounted, **self.script.reading.files}
        for name, words in launch.wrappers:
            for word in words if WRAPPERS[name] else ():
                conversion.drop(word, WRAPPERS[name])
        at = conversion.source_map.locate(launch.statement)
        self.script.started = write_launch(conversion, launch.words, self.world, files)
        self._refuse_words()
        for word in launch.words:
            if self._has_other_folder([word]):
                raise conversion.refuse(word, OTHER_FOLDER, OTHER_FOLDER_HINT)
        conversion.decided = conversion.decided or at
        conversion.accounted.append((launch.statement.places[0], launch.statement.places[-1]))
        self._write_folder()
        self._write_events()
        self._write_prefix()
        self._write_setup()
        self._write_last_lines()
        for other in [one for one in self.script.reading.launches if one is not launch]:
            conversion.lose(other.statement, NOT_CHOSEN, "import it with its own line")
        self._report_guesses()
        if self.world.is_batch:
            add_claims(conversion.draft, self._list_texts())
        for unit in find_unread(conversion, text):
            raise conversion.refuse(unit, "dsgen does not understand it")
        self._refuse_leftovers()

    # -- the command line ---------------------------------------------------------------------------------------------

    def _refuse_words(self) -> None:
        """Refuse words of the command line that are neither in the values nor in the report."""
        spans = sorted(self.conversion.accounted)
        starts, ends = [first for first, _ in spans], [*accumulate((last for _, last in spans), max)]
        known = {*starts}
        for word in [word for word in self.script.launch.words if word.places]:
            at = bisect_right(starts, word.places[0])
            if known.isdisjoint(word.places) and not (at and word.places[0] <= ends[at - 1]):
                raise self.conversion.refuse(word, "dsgen does not know what it is for")

    def _has_other_folder(self, words: Sequence[Text]) -> bool:
        """Whether words have the folder that the shell had before it went to that of the training."""
        source_map = self.conversion.source_map
        here = format_folder(self.script.launch.folder, source_map)
        unknown = (one for word in words for one in source_map.list_unknowns(word))
        return any(one.name == "PWD" and one.folder != here for one in unknown)

    def _refuse_leftovers(self) -> None:
        """Refuse what belongs to the old cluster and is in the values all the same."""
        lost = (entry.source for entry in self.conversion.ledger.entries if entry.fate == "lost")
        named = " ".join([*lost, *self.conversion.draft.get("training.env", {})])
        for word in dict.fromkeys(match[0] for text in self._list_texts() for match in LEFTOVERS.finditer(text)):
            if word not in named:
                why = f"{word} is in the values, and only the old cluster has it"
                raise self.conversion.refuse(self.script.launch.statement, why)

    def _list_texts(self) -> list[str]:
        """The texts of training and launch.command."""
        draft = self.conversion.draft
        paths = [path for path in walk_keys(draft.data) if path[0] == "training" or path[:2] == ("launch", "command")]
        return [value for value in map(draft.get, paths) if isinstance(value, str)]

    def _report_guesses(self) -> None:
        """Name the defaults that were used."""
        conversion = self.conversion
        for of, value in self.script.reading.scope.defaults:
            why = f"the script does not set it: its default {conversion.source_map.format_text(value)} is used"
            conversion.drop(of, why)

    def _write_prefix(self) -> None:
        """The variables before the command line."""
        conversion, launch = self.conversion, self.script.launch
        parts = (one for word in launch.words for one in conversion.source_map.list_unknowns(word))
        unknown = {part.name for part in parts if part.kind == "variable"}
        for name, value in launch.prefix.items():
            statement = value or launch.statement
            if name in unknown:
                raise conversion.refuse(statement, f"the command line needs the value that ${name} has before")
            self._export(name, value, statement)

    def _export(self, name: str, value: Text | list[Text], statement: Text) -> None:
        """A variable of the environment: a number of workers or processes for a hole, or one of the program."""
        name = IN_CONTAINER.sub("", name)
        key, count = COUNTS.get(name, ""), value.number if isinstance(value, Text) else None
        if self.world.is_launcher and not passes_on(self.script.started, self.world, name):
            hint = f"set launcher.env.{name} if mpirun needs it, or pass it on with -x"
            self.conversion.lose(statement, "it is a variable of the launcher, which does not pass it on", hint)
        elif key and count and self.conversion.draft.get(key) == 0:
            self.conversion.draft.set(key, count)
            self.conversion.map(statement, key)
            if not is_given(self.conversion.draft, name):
                self.conversion.draft.set(("training", "env", name), str(count))
        elif DEVICES.fullmatch(name) and isinstance(value, Text) and self._take_devices(value):
            self.conversion.lose(statement, OWN_DEVICES, "see workers.slots and workers.accelerator.count")
        elif name.startswith(("SINGULARITY", "APPTAINER")):
            self.conversion.lose(statement, OF_RUNTIME, OF_RUNTIME_HINT)
        elif found := write_exported(self.conversion, name, value, statement, self.script.launch.words):
            self.lines[found[0]].append(found[1])

    def _take_devices(self, value: Text) -> bool:
        """The number of devices that a script chooses on its host, if a worker does not have them."""
        draft, numbers = self.conversion.draft, [int(one) for one in value.chars.split(",") if one.isdigit()]
        slots = draft.get("workers.slots", 1)
        if not self.world.is_batch or not numbers or max(numbers) < draft.get("workers.accelerator.count", slots):
            return False
        if self.world.devices is None:
            key = "workers.accelerator.count" if slots == 1 < len(numbers) else "workers.slots"
            draft.set(key, len(numbers) if slots in (0, 1) else slots)
        return True

    def _write_folder(self) -> None:
        """The folder in which the training starts."""
        folder, draft = self.script.launch.folder, self.conversion.draft
        self.folder = draft.get("training.workingDir", "")
        if folder is None or folder.chars in (".", ""):
            return
        path = posixpath.normpath(folder.chars) if folder.is_known else self.conversion.source_map.format_text(folder)
        if path.startswith("/") and path != "/":
            draft.set("training.workingDir", path)
        elif self.world.is_batch and path not in (".", "/"):
            draft.set_hole("training.workingDir", path, NOT_ABSOLUTE)

    def _write_setup(self) -> None:
        if self.loaded:
            shown = [line for text in dict.fromkeys(self.loaded) for line in text.split("\n")[:1]]
            lines = ["The script gets its programs from:", *(f"  {line}" for line in shown)]
            self.conversion.draft.add_above("image", lines)
        before, lines = (
            self.conversion.draft.get("training.setup", ""),
            list(dict.fromkeys(self.lines["training.setup"])),
        )
        if lines:
            text = "\n".join([*before.splitlines(), *lines])
            self.conversion.draft.set("training.setup", text + "\n" if "\n" in text else text)

    def _write_last_lines(self) -> None:
        """Let bash run lines before it starts the program, with the variables of the process."""
        conversion, draft = self.conversion, self.conversion.draft
        key = next((one for one in self.lines if one != "training.setup"), "")
        if not key:
            return
        text, words = "\n".join(dict.fromkeys(self.lines[key])), draft.get(key)
        if words and words[:2] == ["bash", "-c"]:
            draft.set(key, [*words[:2], f"{text}\n{words[2]}", *words[3:]])
            return
        form = next((one for one in ("python", "module") if draft.get(f"training.{one}")), "")
        if not words and not form:
            raise conversion.refuse(self.script.launch.statement, "the source names no program")
        start = ["bash", "-c", f'{text}\nexec "$0" "$@"']
        if form:
            start += make_interpreter(draft, form)
            words = [draft.get(f"training.{form}")]
            draft.remove(f"training.{form}")
        draft.set(key, [*start, *words])
        for at, one in enumerate(conversion.ledger.entries):
            number = re.fullmatch(rf"{key}\[(\d+)\]", one.to)
            if number or one.to == f"training.{form}":
                to = f"{key}[{len(start) + int(number[1] if number else 0)}]"
                conversion.ledger.entries[at] = replace(one, to=to)

    # -- statements ---------------------------------------------------------------------------------------------------

    def _write_events(self) -> None:
        """Account for the statements, and collect the lines of training.setup."""
        events, cut = self.script.reading.events, self.script.launch.after
        self.final = {event.name: event for event in events[:cut] if event.kind in ("exported", "assigned")}
        prepares = any(self._choose_place(one) == "setup" and one.name != "set" for one in events[:cut])
        for number, event in enumerate(events):
            is_after = number >= cut
            if event.name == "mkdir" and not is_after and self._names_folder(event):
                self._add_line(event)
            elif event.kind == "lost":
                is_once = is_after and event.why in (PREPARES.why, COPIES.why)
                self.conversion.lose(event.text, *((AFTER, AFTER_HINT) if is_once else (event.why, event.hint)))
            elif event.kind in ("silent", "dropped") or (event.name == "set" and not is_after and not prepares):
                self.conversion.drop(event.text, event.why)
            elif not is_after:
                WRITES[event.kind](self, event)
            elif event.kind == "setup" and event.name != "set":
                raise self.conversion.refuse(event.text, AFTER)
            elif event.kind != "file":
                self.conversion.drop(event.text, AFTER)

    def _choose_place(self, event: ScriptEvent) -> str:
        """Where a command that prepares a container is in the values: in setup, or in a comment at the image."""
        if not self.world.is_batch or event.kind not in ("loaded", "setup"):
            return "setup" if event.kind in ("loaded", "setup") else ""
        return "image" if event.kind == "loaded" else "" if ONCE.match(event.text.chars) else "setup"

    def _names_folder(self, event: ScriptEvent) -> bool:
        """Whether the command line or the environment has a folder that mkdir makes."""
        format_text, launch = self.conversion.source_map.format_text, self.script.launch
        values = [value for value in launch.exported.values() if isinstance(value, Text)]
        texts = [format_text(one) for one in (*launch.words, *values)]
        words = event.value[1:] if isinstance(event.value, list) else []
        folders = [format_text(word) for word in words if not word.chars.startswith("-")]
        return any(folder in text for folder in folders for text in texts)

    def _write_preparation(self, event: ScriptEvent) -> None:
        place = self._choose_place(event)
        if place == "setup":
            self._add_line(event)
        elif place == "image":
            self.loaded.append(self.conversion.source_map.format_text(event.text))
            self.conversion.drop(event.text, LOADED)
        else:
            self.conversion.lose(event.text, "it runs once, before the training", PREPARES.hint)

    def _add_line(self, event: ScriptEvent) -> None:
        shown = self.conversion.source_map.format_text(event.text)
        words, variables = event.value if isinstance(event.value, list) else [], choose_variables(self.conversion)
        place = choose_place(self.conversion, words)
        if words:
            shown = " ".join(format_word(self.conversion, word, variables) for word in words)
        if self._has_other_folder(words):
            self.conversion.lose(event.text, OTHER_FOLDER, OTHER_FOLDER_HINT)
            return
        if holds_secret(shown) or any(map(is_private, event.text.chars)):
            hint = "put the secret into a Secret and read it in training.setup"
            self.conversion.lose(event.text, "it may contain a secret", hint)
            return
        self.lines[place].append("\n".join(line.rstrip() for line in shown.split("\n")))
        self.conversion.map(event.text, place)

    def _write_cd(self, event: ScriptEvent) -> None:
        """`cd`: the folder of the training, or of the commands in setup."""
        folder, target = self.conversion.draft.get("training.workingDir"), event.value
        is_start = self.script.launch.folder is target and not self.lines["training.setup"]
        is_own = is_start and isinstance(target, Text) and folder == posixpath.normpath(target.chars)
        if not self.world.is_batch and not is_own:
            self._add_line(event)
            self.conversion.draft.remove("training.workingDir")
            if self.folder:
                self.conversion.draft.set("training.workingDir", self.folder)
        elif folder:
            self.conversion.map(event.text, "training.workingDir")
        else:
            self.conversion.drop(event.text, NO_FOLDER)

    def _write_variable(self, event: ScriptEvent) -> None:
        launch = self.script.launch
        if event.name not in launch.exported:
            files = [content for _, content in self.script.reading.files.values()]
            why = IN_LINE if is_used(event.value, launch.words) else IN_FILE if is_used(event.value, files) else UNUSED
            self.conversion.drop(event.text, why)
        elif self.final.get(event.name) is not event:
            self.conversion.drop(event.text, "it is set again later")
        else:
            self._export(event.name, launch.exported[event.name], event.text)

    def _write_slots(self, event: ScriptEvent) -> None:
        """A hostfile that the script writes: dsgen's has as many slots."""
        slots = event.value.number if isinstance(event.value, Text) else None
        for key, number in (("workers.slots", slots), ("workers.replicas", Text(event.name).number)):
            if number and self.conversion.draft.get(key) in (None, 0):
                self.conversion.draft.set(key, number)
        self.conversion.drop(event.text, event.why)


WRITES: Mapping[EventKind, Callable[[ScriptWriter, ScriptEvent], None]] = {
    **dict.fromkeys(("loaded", "setup"), ScriptWriter._write_preparation),
    **dict.fromkeys(("assigned", "exported"), ScriptWriter._write_variable),
    "folder": ScriptWriter._write_cd,
    "slots": ScriptWriter._write_slots,
    "file": lambda *_: None,  # the command line decides
}
"""What becomes of an event before the command line."""
