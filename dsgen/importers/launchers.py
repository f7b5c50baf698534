"""Understands command lines that start a training, by the options of each launcher."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from dsgen.importers.conversion import Conversion
from dsgen.importers.environment import WORKER_SHELL
from dsgen.importers.fields import Option, Row, as_count, drop, fix, lose, make_rows, read_option, to, when
from dsgen.importers.texts import SourceMap, Text, UnknownPart, join, place_at

Options = Mapping[str, Row]
RANKS = "dsgen gives every process its rank and the address of worker 0"
LOGS = "the log of the pods has the output of all ranks; training.rankLogs also writes files"
PASSED_ON = "the ranks have it from the environment of the pods"
KEEP, FLAG = Row(lambda part: part.keep()), Row(lambda part: part.keep(), 0)
UNKNOWN, UNKNOWN_FLAG = (lose("dsgen has no equivalent of this option", values=count) for count in (1, 0))
HOSTS = drop("dsgen writes the hostfile")
PORT = "launch.masterPort"
RESTARTS = to("lifecycle.maxRestarts", lambda text: min(as_count(text) or 0, 1000) or None)
WAIT = "set lifecycle.startTimeoutSeconds to how long the run may wait for its workers"
SHRINKS = "a run shrinks after a loss only (workers.min)"


def take(field: str, key: str, values: int = 1) -> Row:
    """The value is a fact about the job, which is this key."""
    return Row(lambda part: part.take(field, key), values)


def replace(field: str) -> Row:
    """In each pod, a variable of dsgen has the value."""
    return Row(lambda part: part.replace(field))


def take_port(part: LaunchOption) -> None:
    """A port of worker 0, or its address with a port."""
    if part.set_port():
        part.map(PORT)
    else:
        part.drop(RANKS)


def take_variable(part: LaunchOption) -> None:
    """`-x NAME=VALUE`, or only the name."""
    variable, has_value, value = part.value.partition("=")
    if has_value:
        part.started.variables.append((variable.chars, value, part.words))
    else:
        take_names(part)


def take_names(part: LaunchOption) -> None:
    """`-envlist NAME,NAME`: variables that the ranks have anyway."""
    part.started.passed += part.value.chars.split(",")
    part.drop(PASSED_ON)


def take_pair(part: LaunchOption) -> None:
    """`-env NAME VALUE`."""
    part.started.variables.append((part.value.chars, join(part.values[1:]), part.words))


def take_parameter(part: LaunchOption) -> None:
    """`--mca NAME VALUE`."""
    if re.match(MCA, part.value.chars):
        part.drop("dsgen sets how mpirun reaches the workers")
    else:
        part.keep()


def take_placement(part: LaunchOption) -> None:
    """`--bind-to` and `--map-by`."""
    if (part.name, part.data) in (("bind-to", "none"), ("map-by", "slot")):
        part.drop("dsgen passes it")
    else:
        part.keep()


TORCHRUN: Options = {
    "nnodes": take("nodes", "workers.replicas"),
    "nproc-per-node": take("slots", "workers.slots"),
    "master-port": Row(take_port),
    "rdzv-endpoint": Row(take_port),
    "max-restarts": when(("0",), drop("it is the default"), RESTARTS),
    **make_rows("m module", take("module", "training.module", 0)),
    "no-python": take("exec", "training.exec", 0),
    **make_rows("node-rank master-addr rdzv-id rdzv-backend local-addr", drop(RANKS)),
    **make_rows("standalone use-env", drop(RANKS, 0)),
    **make_rows(
        "tee t redirects r log-dir local-ranks-filter logs-specs duplicate-stdout-filters duplicate-stderr-filters",
        drop(LOGS),
    ),
    "rdzv-conf": lose("dsgen has its own rendezvous", WAIT),
}
DEEPSPEED: Options = {
    **make_rows("hostfile H", HOSTS),
    "num-nodes": take("nodes", "workers.replicas"),
    **make_rows("num-gpus num-accelerators", take("slots", "workers.slots")),
    "master-port": Row(take_port),
    **make_rows("master-addr node-rank", drop(RANKS)),
    "module": take("module", "training.module", 0),
    "no-python": take("exec", "training.exec", 0),
    "no-local-rank": fix("training.deepspeed.localRank", False, 0),
    "launcher": take("launcher", "launch.method"),
    "autotuning": to("training.deepspeed.autotuning", lambda text: text if text in ("tune", "run") else None),
    "bind-cores-to-rank": fix("training.deepspeed.bindCores", True, 0),
    "no-ssh": take("no_ssh", "launch.method", 0),
    **make_rows("include i", take("include", "workers.slots")),
    **make_rows("exclude e", lose(
        "it names hosts or devices of the old cluster",
        "set workers.excludeNodes, or training.deepspeed.args with the names of the workers",
    )),
    "ssh-port": drop("dsgen starts sshd on ssh.port"),
    "force-multi": drop("dsgen passes it", 0),
    "save-pid": drop("dsgen ends the processes", 0),
    "enable-each-rank-log": drop(LOGS),
    **make_rows("min-elastic-nodes max-elastic-nodes", lose(SHRINKS)),
    **make_rows("launcher-args log-level", KEEP),
    **make_rows("no-ssh-check quiet q", FLAG),
}  # fmt: skip
WORKER: Options = {
    **make_rows("num-machines nnodes", replace("NNODES")),
    **make_rows("machine-rank node-rank", replace("NODE_RANK")),
    **make_rows("num-processes world-size worker-num", replace("WORLD_SIZE")),
    **make_rows("n nproc nproc-per-node local-worker-num", replace("NPROC_PER_NODE")),
    "base-rank": replace("BASE_RANK"),
    **make_rows("main-process-ip master-addr", replace("MASTER_ADDR")),
    **make_rows("main-process-port master-port", replace("MASTER_PORT")),
    "rdzv-endpoint": replace("ENDPOINT"),
    "rdzv-id": replace("RUN"),
    "deepspeed-hostfile": HOSTS,
    **make_rows("aws-access-key-id aws-secret-access-key", lose("it is a secret", "put it into a Secret")),
    **make_rows(
        "quiet q verbose v cpu multi-gpu debug use-deepspeed use-fsdp use-parallelism-config use-megatron-lm"
        " same-network m module module-mode c command-mode no-python downcast-bf16 standalone use-env",
        FLAG,
    ),
}
"""Of Accelerate, Composer, torchtune, msrun and programs that pass options on to torchrun."""
MCA = "^-?-?(plm|plm_rsh_.*|(orte|prte)_(leave_session_attached|keep_fqdn_hostnames|(tag|timestamp|xml)_output))$"
"""Parameters of Open MPI that dsgen sets."""
MPIRUN: Options = {
    **make_rows("np n c", take("processes", "workers.slots")),
    **make_rows("N npernode ppn", take("slots", "workers.slots")),
    "pernode": take("one_each", "workers.slots", 0),
    **make_rows("hostfile machinefile f H host hosts default-hostfile", HOSTS),
    "x": Row(take_variable),
    **make_rows("env genv", Row(take_pair, 2)),
    **make_rows("envlist genvlist", Row(take_names)),
    "genvall": drop(PASSED_ON, 0),
    **make_rows("mca gmca pmca prtemca omca", Row(take_parameter, 2)),
    **make_rows("bind-to map-by", Row(take_placement)),
    "allow-run-as-root": drop("dsgen sets OMPI_ALLOW_RUN_AS_ROOT", 0),
    **make_rows("tag-output timestamp-output merge-stderr-to-stdout xml l prepend-rank", drop(LOGS, 0)),
    **make_rows("output-filename output xml-file outfile-pattern errfile-pattern", drop(LOGS)),
    **make_rows("wdir wd", to("training.workingDir", lambda text: text if (text or "").startswith("/") else None)),
    **make_rows("plm launcher launcher-exec bootstrap bootstrap-exec launch-agent",
                drop("dsgen sets how mpirun reaches the workers")),
    "timeout": lose("it limits the time of the program", "set lifecycle.activeDeadlineSeconds"),
    **make_rows(
        "oversubscribe nooversubscribe report-bindings display-map display-allocation v q quiet verbose"
        " use-hwthread-cpus nolocal bind-to-core bind-to-socket bind-to-none bynode byslot do-not-resolve"
        " enable-recovery disable-recovery leave-session-attached debug-daemons",
        FLAG,
    ),
}  # fmt: skip
HOROVODRUN: Options = {
    **make_rows("np num-proc", take("processes", "workers.slots")),
    **make_rows("H hosts hostfile host-discovery-script", HOSTS),
    **make_rows("p ssh-port i ssh-identity-file", drop("dsgen connects with its own key and port")),
    **make_rows("gloo mpi use-gloo use-mpi verbose", drop("launch.method openmpi starts the ranks", 0)),
}  # fmt: skip


# -- command lines -----------------------------------------------------------------------------------------------------

Form = Literal["python", "module", "exec"]


@dataclass(frozen=True)
class Launcher:
    """A program that starts the processes of a training.

    method: launch.method. table: its  verbs: the words after its name, such as launch of `accelerate launch`.
    passes_local_rank: it adds --local_rank to the program's arguments. keeps_program: its
    positional words before `--` belong to the command, and options may follow them.
    """

    method: str
    table: Options
    verbs: tuple[str, ...] = ()
    passes_local_rank: bool = False
    keeps_program: bool = False


RUN = Launcher("torchrun", TORCHRUN)
MPI = Launcher("openmpi", MPIRUN)
WORKERS = "worker-command"
LAUNCHERS: Mapping[str, Launcher] = {
    "torchrun": RUN,
    "torch.distributed.run": RUN,
    "torch.distributed.launch": Launcher("torchrun", TORCHRUN, passes_local_rank=True),
    "dlrover-run": RUN,
    "hyperpodrun": RUN,
    "deepspeed": Launcher("pdsh", DEEPSPEED),
    "accelerate": Launcher(WORKERS, WORKER, ("launch",)),
    "accelerate-launch": Launcher(WORKERS, WORKER),
    "accelerate.commands.launch": Launcher(WORKERS, WORKER),
    "composer": Launcher(WORKERS, WORKER),
    "tune": Launcher(WORKERS, WORKER, ("run",)),
    "msrun": Launcher(WORKERS, WORKER),
    "axolotl": Launcher(WORKERS, WORKER, ("train",), keeps_program=True),
    "llamafactory-cli": Launcher(WORKERS, {}, ("train",), keeps_program=True),
    "swift": Launcher(WORKERS, {}, ("sft", "pt", "rlhf"), keeps_program=True),
    "xtuner": Launcher(WORKERS, {}, ("train",), keeps_program=True),
    "mpirun": MPI,
    "mpiexec": MPI,
    "mpirun_rsh": MPI,
    "orterun": MPI,
    "mpiexec.hydra": MPI,
    "horovodrun": Launcher("openmpi", HOROVODRUN),
}
OTHER_MPI = ("mpiexec.hydra", "mpirun_rsh")
OF_HYDRA = frozenset(("ppn", "genv", "env", "f", "iface"))
"""Options of another mpirun."""
PYTHON = re.compile(r"python(3(\.\d+)?)?")
FLAGS_WITH_VALUE = ("-X", "-W", "--check-hash-based-pycs")


@dataclass
class LaunchCommand:
    """How a command line starts a training.

    launcher: the key of LAUNCHERS, `python`, or `` for another program. method: launch.method. form and program: a
    script, a module or any program, with its arguments. interpreter: of Python, if it is named. first: the first word
    of a launcher. kept: arguments of the launcher itself. command: the whole command line for
    each worker, with dsgen's variables. facts: values of options, such as slots, nodes, processes. variables:
    environment that options set. passed: names of variables that the launcher passes on.
    """

    launcher: str
    method: str
    form: Form = "exec"
    program: list[Text] = field(default_factory=list)
    interpreter: Text | None = None
    first: Text = field(default_factory=Text)
    kept: list[Text] = field(default_factory=list)
    command: list[Text] = field(default_factory=list)
    facts: dict[str, Text] = field(default_factory=dict)
    variables: list[tuple[str, Text, list[Text]]] = field(default_factory=list)
    passed: list[str] = field(default_factory=list)
    passes_local_rank: bool = False
    is_other_mpi: bool = False


def rank_command(words: Sequence[str], is_under_srun: bool) -> int:
    """How surely a command starts the training: 3 a launcher, 2 a program of srun, 1 another program, 0 it does not."""
    if find_launcher(words):
        return 3
    name = posixpath.basename(words[0])
    is_python = PYTHON.fullmatch(name) is not None
    if is_python and ("-c" in words[1:3] or (words[1:2] == ["-m"] and words[2:3] in (["http.server"], ["pip"]))):
        return 0
    return 2 if is_under_srun else int(is_python or name.endswith((".sh", ".py")) or name in ("bash", "sh"))


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


def _choose_unknown(row: Row, flag: Row, following: Text | None) -> Row:
    """The row of an option that dsgen does not know: it may take the next word."""
    if following is None or following.chars.startswith("-") or following.chars.endswith((".py", ".sh")):
        return flag
    return flag if is_python(following) else row


@dataclass(frozen=True)
class LaunchOption(Option):
    """An option of a launcher."""

    started: LaunchCommand

    def keep(self) -> None:
        """The launcher gets it, too: that of dsgen, or the one that each worker starts."""
        kept = self.started.command if self.started.method == WORKERS else self.started.kept
        kept += self.words

    def set_port(self) -> bool:
        """Use a port, or that of `host:port`; whether there is one."""
        port = re.search(r"(?:^|:)(\d{4,5})$", self.value.chars)
        if port is None or not 1024 <= int(port[1]) <= 65535:
            return False
        if self.started.facts.setdefault("port", self.value) is self.value:
            self.draft.set(PORT, int(port[1]))
        return True

    def replace(self, name: str) -> None:
        """It gets dsgen's variable as its value."""
        started, shell, first = self.started, WORKER_SHELL[name], self.words[0]
        variable = self.conversion.source_map.add_unknown(UnknownPart("runtime", name, shell), first.places)
        if name in FACTS and self.values:
            started.facts[FACTS[name]] = self.value
        if name in ("ENDPOINT", "MASTER_PORT"):
            self.set_port()
        option, is_joined, _ = first.partition("=")
        if is_joined:
            started.command.append(join([option, place_at("=", first), variable]))
        else:
            started.command += [option, variable]
            for value in self.values:
                self.conversion.drop(value, f"each worker has {shell}")

    def take(self, name: str, key: str) -> None:
        """It is a fact about the job, by this name."""
        self.started.facts[name] = self.value or self.words[0]
        self.map(key)


def read_program(words: list[Text], started: LaunchCommand, conversion: Conversion) -> LaunchCommand:
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
    for flag in flags:
        conversion.drop(flag, "dsgen starts Python without buffers")
    if rest[0].chars == "-m":
        conversion.map(rest[0], "training.module")
        started.form, started.program = "module", rest[1:]
    else:
        started.form, started.program = "python", rest
    return started


FACTS = {"NNODES": "nodes", "NPROC_PER_NODE": "slots", "WORLD_SIZE": "processes"}


def _read_worker_line(words: list[Text], count: int, started: LaunchCommand, conversion: Conversion) -> None:
    """The same command line, with dsgen's variables for what differs between workers."""
    started.command, rest, launcher = words[:count], words[count:], LAUNCHERS[started.launcher]
    if launcher.keeps_program:
        cut = next((index for index, word in enumerate(rest) if word.chars == "--"), len(rest) - 1)
        started.command += rest[: cut + 1]
        rest = rest[cut + 1 :]
    while rest and rest[0].chars.startswith("-") and rest[0].chars != "--":
        row, name, found, values = read_option(rest, launcher.table, partial(_choose_unknown, KEEP, FLAG))
        row(LaunchOption(conversion, name, found, values, started))
    started.command += rest
    started.program = rest


def parse_launch_command(words: Sequence[Text], conversion: Conversion) -> LaunchCommand:
    """How a command line starts a training; the conversion gets what its options mean alone."""
    begin = find_launcher(conversion.source_map.format_words(words))
    if not begin:
        started = LaunchCommand("python" if is_python(words[0]) else "", "torchrun")
        return read_program(list(words), started, conversion)
    name, count = begin
    launcher = LAUNCHERS[name]
    started = LaunchCommand(name, launcher.method)
    if launcher.method == WORKERS:
        _read_worker_line(list(words), count, started, conversion)
        return started
    started.first = words[0]
    for word in words[:count]:
        conversion.map(word, "launch.method")
    rest = list(words[count:])
    names = set[str]()
    while rest and rest[0].chars.startswith("-") and rest[0].chars not in ("-", "--"):
        row, option, found, values = read_option(rest, launcher.table, partial(_choose_unknown, UNKNOWN, UNKNOWN_FLAG))
        names.add(option)
        row(LaunchOption(conversion, option, found, values, started))
    if rest and rest[0].chars == "--":
        rest.pop(0)
    started.passes_local_rank = launcher.passes_local_rank and names.isdisjoint(("use_env", "use-env"))
    started.is_other_mpi = launcher is MPI and (not OF_HYDRA.isdisjoint(names) or name in OTHER_MPI)
    if "module" not in started.facts and ("exec" in started.facts or started.method == "openmpi"):
        return read_program(rest, started, conversion)
    started.form, started.program = "module" if "module" in started.facts else "python", rest
    return started


def parse_alone(words: Sequence[Text], source_map: SourceMap) -> LaunchCommand:
    """How a command line starts a training, without a conversion."""
    return parse_launch_command(words, Conversion("", source_map=source_map))
