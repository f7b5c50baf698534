"""Understands command lines that start a training, by the options of each launcher."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from dsgen.importers import launcher_options as options
from dsgen.importers.fields import Part, Row, lose
from dsgen.importers.launcher_options import Options
from dsgen.importers.texts import SourceMap, Text, UnknownPart, join, place_at

Style = Literal["argparse", "mpi"]
Form = Literal["python", "module", "exec"]


@dataclass(frozen=True)
class Launcher:
    """A program that starts the processes of a training.

    method: launch.method. table: its options. verbs: the words after its name, such as launch of `accelerate launch`.
    style: how it takes options. passes_local_rank: it adds --local_rank to the program's arguments. keeps_program: its
    positional words before `--` belong to the command, and options may follow them.
    """

    method: str
    table: Options
    verbs: tuple[str, ...] = ()
    style: Style = "argparse"
    passes_local_rank: bool = False
    keeps_program: bool = False


TORCHRUN = Launcher("torchrun", options.TORCHRUN)
LAUNCH = Launcher("torchrun", options.TORCHRUN, passes_local_rank=True)
MPI = Launcher("openmpi", options.MPIRUN, style="mpi")
WORKERS = "worker-command"
LAUNCHERS: Mapping[str, Launcher] = {
    "torchrun": TORCHRUN,
    "torch.distributed.run": TORCHRUN,
    "torch.distributed.launch": LAUNCH,
    "dlrover-run": Launcher("torchrun", options.DLROVER),
    "hyperpodrun": Launcher("torchrun", options.HYPERPOD),
    "deepspeed": Launcher("pdsh", options.DEEPSPEED),
    "accelerate": Launcher(WORKERS, options.ACCELERATE, ("launch",)),
    "accelerate-launch": Launcher(WORKERS, options.ACCELERATE),
    "accelerate.commands.launch": Launcher(WORKERS, options.ACCELERATE),
    "composer": Launcher(WORKERS, options.COMPOSER),
    "tune": Launcher(WORKERS, options.TUNE, ("run",)),
    "msrun": Launcher(WORKERS, options.MSRUN),
    "axolotl": Launcher(WORKERS, options.TUNE, ("train",), keeps_program=True),
    "llamafactory-cli": Launcher(WORKERS, {}, ("train",), keeps_program=True),
    "swift": Launcher(WORKERS, {}, ("sft", "pt", "rlhf"), keeps_program=True),
    "xtuner": Launcher(WORKERS, {}, ("train",), keeps_program=True),
    "mpirun": MPI,
    "mpiexec": MPI,
    "mpirun_rsh": MPI,
    "orterun": MPI,
    "mpiexec.hydra": MPI,
    "horovodrun": Launcher("openmpi", options.HOROVODRUN, style="mpi"),
}
OTHER_MPI = ("mpiexec.hydra", "mpirun_rsh")
PYTHON = re.compile(r"python(3(\.\d+)?)?")
FLAGS_WITH_VALUE = ("-X", "-W", "--check-hash-based-pycs")


@dataclass(frozen=True)
class Note:
    """What became of one word of a command line. to: the key; `args` and `command` get their index later."""

    word: Text
    fate: Literal["mapped", "dropped", "lost"]
    to: str = ""
    why: str = ""
    hint: str = ""


@dataclass
class LaunchCommand:
    """How a command line starts a training.

    launcher: the key of LAUNCHERS, `python`, or `` for another program. method: launch.method. form and program: a
    script, a module or any program, with its arguments. interpreter: of Python, if it is named. kept: arguments of the
    launcher itself. command: the whole command line for each worker, with dsgen's variables. facts: values of options,
    such as slots, nodes, processes, port. variables: environment that options set. notes: the fate of each word that is
    not in program or command.
    """

    launcher: str
    method: str
    form: Form = "exec"
    program: list[Text] = field(default_factory=list)
    interpreter: Text | None = None
    kept: list[Text] = field(default_factory=list)
    command: list[Text] = field(default_factory=list)
    facts: dict[str, Text] = field(default_factory=dict)
    variables: list[tuple[str, Text, list[Text]]] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    passes_local_rank: bool = False
    is_other_mpi: bool = False


def rank_command(words: Sequence[str], is_under_srun: bool) -> int:
    """How surely a command starts the training: 3 a launcher, 2 a program of srun, 1 another program, 0 it does not."""
    if find_launcher(words):
        return 3
    name = posixpath.basename(words[0])
    if PYTHON.fullmatch(name) and "-c" in words[1:3]:
        return 0
    return (
        2
        if is_under_srun
        else 1
        if PYTHON.fullmatch(name) or name.endswith((".sh", ".py")) or name in ("bash", "sh")
        else 0
    )


def rank_words(words: Sequence[str]) -> int:
    """How surely a command among words starts the training."""
    return max((rank_command(words[at : at + 3], is_under_srun=False) for at in range(len(words))), default=0)


def find_launcher(words: Sequence[str]) -> tuple[str, int] | None:
    """The launcher that words begin with, and how many words name it."""
    name = posixpath.basename(words[0])
    if PYTHON.fullmatch(name):
        rest = list(words[1:])
        while rest and rest[0] in ("-u", "-B", "-s", "-O"):
            rest.pop(0)
        if len(rest) > 1 and rest[0] == "-m" and rest[1] in LAUNCHERS:
            return rest[1], len(words) - len(rest) + 2
        if rest and posixpath.basename(rest[0]) in ("torchrun", "deepspeed") and not rest[0].endswith(".py"):
            return posixpath.basename(rest[0]), len(words) - len(rest) + 1
        return None
    if name not in LAUNCHERS or ("." in name and name != "mpiexec.hydra"):
        return None
    verbs = LAUNCHERS[name].verbs
    if verbs and (len(words) < 2 or words[1] not in verbs):
        return None
    return name, 2 if verbs else 1


def is_python(word: Text) -> bool:
    return PYTHON.fullmatch(posixpath.basename(word.chars)) is not None


def as_bare_name(word: str) -> str:
    return word.lstrip("-").partition("=")[0]


def read_options(rest: list[Text], launcher: Launcher) -> Iterator[tuple[Row, Text, list[Text]]]:
    """The options at the beginning, each with its row and its values; they are removed from the list."""
    while rest and rest[0].chars.startswith("-") and rest[0].chars not in ("-", "--"):
        word = rest.pop(0)
        name, has_value, value = word.partition("=")
        if launcher.style == "mpi":
            row = launcher.table.get(name.chars.lstrip("-"))
        else:
            row = launcher.table.get(name.chars) or launcher.table.get(name.chars.replace("_", "-"))
        if row is None:
            follows = not has_value and rest and not rest[0].chars.startswith("-") and not _looks_like_program(rest[0])
            row = lose("dsgen does not know this option of the launcher", values=int(bool(follows)))
        values = [value] if has_value and row.values else []
        while len(values) < row.values and rest:
            values.append(rest.pop(0))
        yield row, word, values
    if rest and rest[0].chars == "--":
        rest.pop(0)


def _looks_like_program(word: Text) -> bool:
    return word.chars.endswith((".py", ".sh")) or is_python(word)


KEYS = {
    "nodes": "workers.replicas",
    "slots": "workers.slots",
    "processes": "workers.slots",
    "port": "launch.masterPort",
    "restarts": "lifecycle.maxRestarts",
    "module": "training.module",
    "exec": "training.exec",
    "bind_cores": "training.deepspeed.bindCores",
    "autotuning": "training.deepspeed.autotuning",
    "no_local_rank": "training.deepspeed.localRank",
    "no_ssh": "launch.method",
    "launcher": "launch.method",
    "include": "workers.slots",
    "one_each": "workers.slots",
    "folder": "training.workingDir",
}
DEFAULT_PLACEMENT = {"bind-to": "none", "map-by": "slot"}
PASSED = "dsgen passes it"
REACHED = "dsgen sets how mpirun reaches the workers"


@dataclass(frozen=True)
class LaunchOption(Part):
    """An option of a launcher with its values; what becomes of its words is noted in the command line."""

    started: LaunchCommand
    option: Text
    values: list[Text]

    @property
    def words(self) -> list[Text]:
        """Its words: a value may be a part of the word of its option."""
        return [self.option, *(one for one in self.values if one.places and one.places[0] not in self.option.places)]

    def map(self, to: str, *, is_same: bool = False) -> None:  # noqa: ARG002 - it has no names
        """Its words became this key."""
        self.started.notes += [Note(word, "mapped", to) for word in self.words]

    def drop(self, why: str) -> None:
        """Its words are not needed."""
        self.started.notes += [Note(word, "dropped", why=why) for word in self.words]

    def lose(self, why: str, hint: str = "") -> None:
        """Its words have no equivalent."""
        self.started.notes += [Note(word, "lost", why=why, hint=hint) for word in self.words]

    def keep(self) -> None:
        """The launcher of dsgen gets it, too."""
        self.started.kept += self.words

    def take(self, name: str) -> None:
        """It is a fact about the job, by this name."""
        started, values = self.started, self.values
        variable, has_value, value = values[0].partition("=") if values else (Text(), False, Text())
        if name == "variable" and has_value:
            started.variables.append((variable.chars, value, self.words))
        elif name == "variable":
            self.drop(options.PASSED_ON)
        elif name == "pair" and len(values) == 2:
            started.variables.append((values[0].chars, values[1], self.words))
        elif name == "mca" and len(values) == 2:
            self._keep_unless(re.match(options.MCA, values[0].chars) is not None, REACHED)
        elif name == "placement":
            usual = DEFAULT_PLACEMENT[as_bare_name(self.option.chars)]
            self._keep_unless(bool(values) and values[0].chars == usual, PASSED)
        elif name == "endpoint" and values:
            take_port(values[0], started)
            self.drop(options.RANKS)
        elif name not in KEYS:
            self.lose("its value is missing")
        else:
            started.facts[name] = values[0] if values else self.option
            self.map(KEYS[name])

    def _keep_unless(self, is_dropped: bool, why: str) -> None:
        """The launcher of dsgen gets it too, unless dsgen passes the same itself."""
        if is_dropped:
            self.drop(why)
        else:
            self.keep()


def take_port(endpoint: Text, started: LaunchCommand) -> None:
    """The port of `host:port`."""
    _, has_port, port = endpoint.partition(":")
    if has_port and port.chars.isdigit():
        started.facts.setdefault("port", port)


def take_program(rest: list[Text], started: LaunchCommand) -> None:
    """The program after the options of a launcher."""
    if "module" in started.facts:
        started.form, started.program = "module", rest
    elif "exec" in started.facts or started.method == "openmpi":
        read_program(rest, started)
    else:
        started.form, started.program = "python", rest


def read_program(words: list[Text], started: LaunchCommand) -> LaunchCommand:
    """A command line that is no launcher: a script of Python, a module, or any program."""
    started.form, started.program = "exec", words
    if not words or not is_python(words[0]):
        return started
    rest, flags = words[1:], list[Text]()
    while rest and rest[0].chars.startswith("-") and rest[0].chars not in ("-", "-m", "-c"):
        flags.append(rest.pop(0))
        if flags[-1].chars in FLAGS_WITH_VALUE and rest:
            flags.append(rest.pop(0))
    if any(flag.chars != "-u" for flag in flags) or not rest or rest[0].chars in ("-", "-c"):
        return started
    started.interpreter = words[0]
    started.notes += [Note(flag, "dropped", why="dsgen starts Python without buffers") for flag in flags]
    if rest[0].chars == "-m":
        started.notes.append(Note(rest[0], "mapped", "training.module"))
        started.form, started.program = "module", rest[1:]
    else:
        started.form, started.program = "python", rest
    return started


VARIABLES: dict[str, str] = {
    "WORLD_SIZE": "$((NNODES * NPROC_PER_NODE))",
    "BASE_RANK": "$((NODE_RANK * NPROC_PER_NODE))",
    "ENDPOINT": "$MASTER_ADDR:$MASTER_PORT",
    "RUN": "$DSGEN_RUN",
}


FACTS = {"NNODES": "nodes", "NPROC_PER_NODE": "slots", "WORLD_SIZE": "processes", "MASTER_PORT": "port"}


def read_worker_line(
    words: list[Text], count: int, launcher: Launcher, started: LaunchCommand, atlas: SourceMap
) -> None:
    """The same command line, with dsgen's variables for what differs between workers."""
    started.command = words[:count]
    rest = words[count:]
    if launcher.keeps_program:
        cut = next((index for index, word in enumerate(rest) if word.chars == "--"), len(rest) - 1)
        started.command += rest[: cut + 1]
        rest = rest[cut + 1 :]
    while rest and rest[0].chars.startswith("-") and rest[0].chars != "--":
        word = rest.pop(0)
        name, has_value, value = word.partition("=")
        row = launcher.table.get(name.chars) or launcher.table.get(name.chars.replace("_", "-"))
        row = row or (options.FLAG if not rest or rest[0].chars.startswith("-") else options.KEEP)
        values = [value] if has_value and row.values else []
        while len(values) < row.values and rest:
            values.append(rest.pop(0))
        row(WorkerOption(started, word, values, atlas))
    started.command += rest


@dataclass(frozen=True)
class WorkerOption(LaunchOption):
    """An option of a launcher that each worker starts itself."""

    atlas: SourceMap

    def keep(self) -> None:
        """It is a part of the command of each worker."""
        self.started.command += self.words

    def replace(self, name: str) -> None:
        """It gets dsgen's variable as its value."""
        started, shell = self.started, VARIABLES.get(name, f"${name}")
        variable = self.atlas.add_unknown(UnknownPart("runtime", name, shell), self.option.places)
        if name in FACTS and self.values:
            started.facts[FACTS[name]] = self.values[0]
        if name == "ENDPOINT" and self.values:
            take_port(self.values[0], started)
        option, is_joined, _ = self.option.partition("=")
        if is_joined:
            started.command.append(join([option, place_at("=", self.option), variable]))
        else:
            started.command += [option, variable]
            started.notes += [Note(value, "dropped", why=f"each worker has {shell}") for value in self.values]


def find_given_variables(started: LaunchCommand, atlas: SourceMap) -> set[str]:
    """Which of dsgen's variables a command line uses."""
    return {one.name for word in started.command for one in atlas.list_unknowns(word) if one.kind == "runtime"}


def parse_launch_command(words: Sequence[Text], atlas: SourceMap) -> LaunchCommand:
    """How a command line starts a training."""
    found = find_launcher([atlas.format_text(word) for word in words])
    if not found:
        return read_program(list(words), LaunchCommand("python" if is_python(words[0]) else "", "torchrun"))
    name, count = found
    launcher = LAUNCHERS[name]
    started = LaunchCommand(name, launcher.method, passes_local_rank=launcher.passes_local_rank)
    if launcher.method == WORKERS:
        read_worker_line(list(words), count, launcher, started, atlas)
        return started
    started.notes += [Note(word, "mapped", "launch.method") for word in words[:count]]
    rest = list(words[count:])
    for row, option, values in read_options(rest, launcher):
        row(LaunchOption(started, option, values))
    is_hydra = {"ppn", "genv", "env", "f", "iface"} & {as_bare_name(note.word.chars) for note in started.notes}
    started.is_other_mpi = launcher is MPI and (bool(is_hydra) or name in OTHER_MPI)
    take_program(rest, started)
    return started
