"""The launch methods: how the ranks are started. methods.json has a row for each, and names its functions here."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from shared import hostfile, settings
from shared.settings import Settings

HOSTFILE = "/job/hostfile"
RANK_PROGRAM = settings.make_program("worker/rank.py")
CONFIGURATION = "--dsgen-configuration"  # of rank.py
PORTS = 8  # of the attempts without ssh, from launch.masterPort on
PDSH_FANOUT = 1024  # the default of deepspeed; sessions stay open, so further workers would wait forever
# deepspeed passes these through pdsh and a shell, which may change them. The workers have them already.
FORWARDED = ("MLFLOW", "MV2", "UCX", "NCCL")
# Without its own login to the first host, which may time out on a busy node: the sessions show who refuses.
MULTI = ("--force_multi", "--no_ssh_check")
# The autotuner starts `deepspeed` for each experiment without these options, and would train in the launcher pod.
ALWAYS = (*MULTI, "--no_python", "--no_local_rank")
CONFIG_OPTIONS = ("--deepspeed_config", "--deepspeed")
OPENMPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_orte_keep_fqdn_hostnames": "true",  # otherwise names are cut at the first dot, and not found in DNS
    # One session from the launcher to every worker, open during the whole training: its end is the end of the worker.
    "OMPI_MCA_plm_rsh_no_tree_spawn": "true",
    "OMPI_MCA_orte_leave_session_attached": "true",
}


PLACE_OF_COMMAND = ("NODE_RANK", "NNODES")
PLACE_OF_SCRIPT = ("DSGEN_NODE_RANK", "DSGEN_NNODES", "DSGEN_SCRIPT_PORT")
# Options of mpirun that the user can override.
PLACED = (("--map-by", "slot"), ("--bind-to", "none"))


class Start(NamedTuple):
    """The input of a method. `hosts` in rank order; `node`: of this worker, -1 in the launcher; `attempt`: from 1.
    `configuration`: of DeepSpeed for this attempt, instead of the user's; "": none.

    Without ssh, each attempt has its own port, so that processes of an earlier attempt cannot join.
    """

    configured: Settings
    hosts: list[str]
    node: int = -1
    hostfile: str = HOSTFILE
    attempt: int = 1
    configuration: str = ""

    @property
    def port(self) -> int:
        return self.configured.master_port + (self.attempt - 1) % PORTS

    @property
    def program(self) -> list[str]:
        return [*RANK_PROGRAM, *([CONFIGURATION, self.configuration] if self.configuration else [])]

    @property
    def master(self) -> list[str]:
        return ["--master_addr", self.hosts[0], "--master_port", str(self.port)]


def make_pdsh_command(start: Start) -> list[str]:
    """The deepspeed command line, without the arguments of the user's program, which rank.py reads from a file."""
    given, rest = hostfile.parse_options(start.configured.deepspeed_args)
    wide = f"-f {len(start.hosts)}" if len(start.hosts) > PDSH_FANOUT else ""
    valued = {"--include": given["include"], "--exclude": given["exclude"]}
    valued["--launcher_args"] = f"{wide} {given['launcher_args']}".strip()  # pdsh takes the last -f
    # Joined by `=`: argparse takes a value that begins with a dash for an option.
    joined = [f"{option}={value}" for option, value in valued.items() if value]
    own = ["deepspeed", "--hostfile", start.hostfile, *MULTI, *start.master]
    return [*own, *joined, *rest, "--no_python", "--no_local_rank", *start.program]


def make_autotune_command(start: Start) -> list[str]:
    """deepspeed's autotuner, which needs the configuration file as an argument, and replaces it for rank.py."""
    before = make_pdsh_command(start)[: -len(start.program)]
    words = _read_command()["arguments"]
    pairs = [words[at : at + 2] for at, word in enumerate(words) if word in CONFIG_OPTIONS]
    named = next((pair for pair in pairs if pair[1:] and ".json" in pair[1]), [])
    return [*before, "--autotuning", start.configured.autotuning, *start.program, *named]


def make_openmpi_command(start: Start) -> list[str]:
    """mpirun itself: deepspeed's support for it is broken in several versions, and needs mpi4py."""
    world = str(len(start.hosts) * start.configured.slots)
    master = (f"MASTER_ADDR={start.hosts[0]}", f"MASTER_PORT={start.configured.master_port}")
    exports = [word for variable in master for word in ("-x", variable)]
    given = start.configured.mpirun_args  # mpirun refuses duplicate options
    # With one dash or two:
    options = {"--" + word.lstrip("-").partition("=")[0] for word in given if word.startswith("-")}
    placed = [word for pair in PLACED if pair[0] not in options for word in pair]
    return ["mpirun", "-n", world, "--hostfile", start.hostfile, *placed, *given, *exports, *start.program]


def make_torchrun_command(start: Start) -> list[str]:
    """torchrun on one worker, without its restarts: the launcher restarts all workers."""
    run = start.configured
    python = find_interpreter() or ("" if find_program("torchrun") else "python3")
    program = [python, "-m", "torch.distributed.run"] if python else ["torchrun"]
    size = ["--nnodes", str(run.workers), "--nproc_per_node", str(run.slots), "--max_restarts", "0"]
    place = ["--node_rank", str(start.node), *start.master]
    return [*program, *size, *place, "--no_python", *start.program]


def make_deepspeed_no_ssh_command(start: Start) -> list[str]:
    """deepspeed on one worker."""
    own = ["deepspeed", "--hostfile", start.hostfile, "--no_ssh", "--node_rank", str(start.node)]
    given = start.configured.deepspeed_args
    return [*own, *start.master, *given, "--no_python", "--no_local_rank", *start.program]


def make_worker_command(_: Start) -> list[str]:
    """launch.command on one worker, started by rank.py, which keeps its last lines."""
    return [*RANK_PROGRAM]


def make_launcher_command(_: Start) -> list[str]:
    """launch.command in the launcher."""
    return list(_read_command()["program"])


def find_program(program: str, path: str | None = None) -> str | None:
    """The path of a program of the image, as shutil.which finds it; to load that takes a tenth of a worker's start."""
    files = [Path(folder, program) for folder in (path.split(os.pathsep) if path else os.get_exec_path())]
    return next((str(file) for file in files if os.access(file, os.X_OK) and file.is_file()), None)


def find_interpreter() -> str:
    """training.pythonCommand, whose torch the ranks use; "" for another program."""
    first, *rest = _read_command()["program"]
    return first if rest[:1] == ["-u"] else ""  # as the template writes it for training.python and training.module


def _read_command() -> dict[str, list[str]]:
    return dict(json.loads((settings.CONFIG / "command.json").read_text(encoding="utf-8")))


# The environment of the command.


def copy_environment(_: Start) -> dict[str, str]:
    """The container's."""
    return dict(os.environ)


def make_launcher_environment(start: Start) -> dict[str, str]:
    """The environment with the hostfile of the chosen workers; with spares, it differs from /job/hostfile."""
    return {**os.environ, "DSGEN_HOSTFILE": start.hostfile}


def make_pdsh_environment(_: Start) -> dict[str, str]:
    """The environment in which ssh/pdsh.sh replaces pdsh."""
    links = settings.RUN / "bin"
    links.mkdir(exist_ok=True)
    if not (links / "pdsh").is_symlink():
        (links / "pdsh").symlink_to(settings.SCRIPTS / "ssh/pdsh.sh")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(FORWARDED)}
    path = f"{links}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    return {**kept, "PATH": path, "DSGEN_PDSH": find_program("pdsh") or "pdsh"}


def make_autotune_environment(start: Start) -> dict[str, str]:
    """The environment in which a wrapper also replaces `deepspeed`, which the autotuner starts."""
    whole = make_pdsh_environment(start)
    wrapper = settings.RUN / "bin/deepspeed"
    wrapper.write_text(f'#!/bin/bash\nexec {find_program("deepspeed")} {" ".join(ALWAYS)} "$@"\n')
    wrapper.chmod(0o755)
    return whole


def make_openmpi_environment(start: Start) -> dict[str, str]:
    """Options of mpirun that the user has not set, and room for all sessions at once."""
    return {**OPENMPI, "OMPI_MCA_plm_rsh_num_concurrent": str(max(len(start.hosts), 128)), **os.environ}


def make_torchrun_environment(start: Start) -> dict[str, str]:
    """The environment with OMP_NUM_THREADS for bindCores: torchrun would set it to 1, like a value of the user."""
    share = max(len(os.sched_getaffinity(0)) // start.configured.slots, 1)
    return {**({"OMP_NUM_THREADS": str(share)} if start.configured.bind_cores else {}), **os.environ}


def make_worker_environment(start: Start) -> dict[str, str]:
    """The variables of the world for most launchers, and those with torchrun's defaults."""
    run = start.configured
    master = {"MASTER_ADDR": start.hosts[0], "MASTER_PORT": str(start.port)}
    size = {"NNODES": str(run.workers), "NODE_RANK": str(start.node), "NPROC_PER_NODE": str(run.slots), **master}
    return {**os.environ, **size, **{f"PET_{name}": value for name, value in size.items()}}


def make_script_environment(start: Start) -> dict[str, str]:
    """The variables for rank.py alone: the script gets those of Slurm, see slurm/batch_script.py."""
    place = map(str, (start.node, len(start.hosts), start.port + PORTS))  # scripts often use launch.masterPort itself
    return {**os.environ, **dict(zip(PLACE_OF_SCRIPT, place))}  # noqa: B905 - Python 3.8


class Method(NamedTuple):
    """One way to start the ranks: a row of methods.json.

    `command`, `environment`: the names of functions of this module. `words`: of users for it, for hints.
    `ssh`: the launcher starts them over ssh; else each worker starts its own. `tools`: programs that the image needs.
    `ranks`: each rank is a rank.py that reports to the launcher; else only the exit code of the command is known.
    `pdsh`: pdsh opens the sessions; it begins each line with its worker, and prints how each session ended for ssh.
    `whole`: the user's command is one program for a whole worker, and nothing is added to it.
    `local_rank`: programs expect `--local_rank=N`, which DeepSpeed's launcher adds, but other launchers do not.
    `waits`: the program that starts the ranks never ends if several hosts are lost at once.
    `runner`: the script of dsgen that runs the user's command, instead of rank.py alone.
    `module`: what a worker may load before the order to start, see local/preload.py; `main` there is the program.
    """

    command: Callable[[Start], list[str]]
    environment: Callable[[Start], dict[str, str]]
    ssh: bool = False
    tools: Sequence[str] = ()
    words: Sequence[str] = ()
    ranks: bool = True
    pdsh: bool = False
    whole: bool = False
    local_rank: bool = False
    waits: bool = False
    runner: str = ""
    module: str = ""


def _make_method(row: dict[str, Any]) -> Method:
    named = {key: globals()[row.get(key, "copy_environment")] for key in ("command", "environment")}
    return Method(**{**row, **named})


ROWS = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
METHODS = {name: _make_method(row) for name, row in ROWS.items()}


def choose_method(configured: Settings) -> Method:
    """The method of the run. The experiments of the autotuner have other worlds, so only its exit code is used."""
    method = METHODS[configured.method]
    if configured.autotuning == "none":
        return method
    return method._replace(command=make_autotune_command, environment=make_autotune_environment, ranks=False)


def meets_in_sessions(configured: Settings) -> bool:
    """Whether only the sessions on the workers can observe the connections between the workers of launch.command."""
    method = choose_method(configured)
    return method.ssh and method.whole and configured.expect_world and configured.workers > 1


def explain_missing_tools(method: Method) -> str:
    """A message about the programs that the image lacks, or ""."""
    missing = ", ".join(tool for tool in method.tools if find_program(tool) is None)
    return f"the image has no {missing}: add it to the image or in training.setup" if missing else ""


def format_worker_name(configured: Settings) -> str:
    """The name of this worker without its domain; not the host name, which is that of the node with hostNetwork."""
    return f"{configured.run_name}-worker-{os.environ.get('JOB_COMPLETION_INDEX', '0')}"
