"""The program to train: environment, files, DeepSpeed configuration."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from typing import Any

from dsgen.checks.row import ANY_TEXT, Check, Function, Names, Place, make_diagnostic
from dsgen.problems import Diagnostic

RESERVED_ENV = "^(DSGEN_.*|RANK|LOCAL_RANK|WORLD_SIZE|MASTER_.*)$"
COMMAND_ENV = "^(NNODES|NODE_RANK|NPROC_PER_NODE|PET_(NNODES|NODE_RANK|NPROC_PER_NODE|MASTER_ADDR|MASTER_PORT))$"
LITERAL_PATH = "^([^$]|[$])*[$]([{(]?)(LD_LIBRARY_PATH|PATH|PYTHONPATH)([^A-Za-z0-9_]([^$]|[$])*)?$"
INSTALLS = (
    f"^({ANY_TEXT}[^!-~])?(((python3? -m )?pip3?|uv pip|conda|mamba|(sudo )?(apt|apt-get|yum|dnf)) ([^ ]* )*install"
    f"|git (clone|pull|checkout|fetch)|wget|curl|python3? setup[.]py|make) {ANY_TEXT}$"
)
"""A script with a command that often fails, and without whose result the training is another one."""
CHECKS_FAILURE = f"^{ANY_TEXT}(set -[a-z]*e|set -o errexit|[|][|]){ANY_TEXT}$"
BASH_SECONDS = 5
STDIN = "/dev/stdin"
LINE_OF_BASH = re.compile(rf"^{STDIN}: (line \d+: .*)$")
TUNING = ('if values.training.deepspeed.autotuning != "none"',)


def _make_environment_rows(path: str) -> tuple[Check, ...]:
    """The rows about the environment variables of a key."""
    inside = (f"for key, value in values.{path} | items",)
    return (
        Check(
            id="DS220",
            path=f"{path}.<< key >>",
            when=(
                f'key is matching("{RESERVED_ENV}")'
                f' or values.launch.method == "worker-command" and key is matching("{COMMAND_ENV}")'
            ),
            message=f"{path}: << key | quote >> is set by dsgen or DeepSpeed",
            hint="remove it; your program can read the value that is set",
            inside=inside,
            at_key=True,
        ),
        Check(
            id="DS222",
            path=f"{path}.<< key >>",
            when=f'value is string and value is matching("{LITERAL_PATH}")',
            message=f"{path}: << key | quote >> contains the name of a variable after $, which is not expanded",
            hint="set it in training.setup, which is a shell script: export NAME=/more:$NAME",
            inside=inside,
            severity="warning",
        ),
    )


ROWS = (
    Check(
        id="DS202",
        path="training",
        when=(
            "not (values.training.python or values.training.module or values.training.exec) and not"
            " runs_command(values)"
        ),
        message="training: one of python, module and exec is required",
        hint="set python: train.py (a script), module: team.train (a module) or exec: [bash, -c, ...] (any program)",
    ),
    Check(
        id="DS203",
        path="training",
        when=(
            "(values.training.python and (values.training.module or values.training.exec)"
            " or values.training.module and values.training.exec)"
            " and not runs_command(values)"
        ),
        message="training: python, module and exec are mutually exclusive",
        hint="keep one of them",
        inside=("if values.training.module or values.training.exec",),
    ),
    Check(
        id="DS221",
        path="training.deepspeed.configFile",
        when="values.training.deepspeed.config",
        message="training.deepspeed: config and configFile are mutually exclusive",
        hint="keep one of them",
        inside=("if values.training.deepspeed.configFile",),
    ),
    Check(
        id="DS225",
        path="training.deepspeed.autotuning",
        when=(
            "not values.training.deepspeed.passConfig"
            " or not (values.training.deepspeed.config or values.training.deepspeed.configFile)"
        ),
        message="training.deepspeed.autotuning needs a DeepSpeed configuration to start from",
        hint="set training.deepspeed.config or configFile, and leave passConfig true",
        inside=TUNING,
    ),
    Check(
        id="DS225",
        path="training.deepspeed.configFile",
        when='not values.training.deepspeed.configFile is matching("^(.*[.]json.*)?$")',
        message=(
            "training.deepspeed.configFile: the autotuner needs .json in the name of the file, which"
            " << values.training.deepspeed.configFile | quote >> does not have"
        ),
        hint="rename the file, for example to ds_config.json",
        inside=TUNING,
    ),
    Check(
        id="DS286",
        path="lifecycle.debug.command",
        when="uses_ssh(values) and not values.lifecycle.debug.enabled",
        message="lifecycle.debug.command is not run, because lifecycle.debug.enabled is false",
        hint="set lifecycle.debug.enabled: true, or remove the command",
        inside=("if values.lifecycle.debug.command",),
        severity="warning",
    ),
    *_make_environment_rows("training.env"),
    *_make_environment_rows("launcher.env"),
    Check(
        id="DS223",
        path="training.envFrom[source].prefix",
        when='source.prefix is string and source.prefix is matching("^(DSGEN|MASTER)_.*$")',
        message="training.envFrom: variables that begin with << source.prefix | quote >> are set by dsgen or DeepSpeed",
        hint="choose another prefix",
        inside=("for source in values.training.envFrom",),
    ),
    Check(
        id="DS224",
        path="training.args[argument]",
        when=(
            "values.training.deepspeed.passConfig"
            " and (values.training.deepspeed.config or values.training.deepspeed.configFile)"
            ' and argument is matching("^--deepspeed(_config(=.*)?)?$")'
        ),
        message="training.args: dsgen already passes << argument | quote >>, from training.deepspeed",
        hint="remove it, or set training.deepspeed.passConfig: false",
        inside=("for argument in values.training.args",),
        severity="warning",
    ),
    Check(
        id="DS395",
        path="training.setup",
        when=f'setup is matching("{INSTALLS}") and not setup is matching("{CHECKS_FAILURE}")',
        message="training.setup: if a command fails, the next one and the training run nevertheless",
        hint="write set -e as the first line, or || exit after the command",
        inside=("if values.training.setup", "set setup = values.training.setup"),
        severity="warning",
    ),
)


def check_setup_syntax(values: Mapping[str, Any], _: Names, place: Place) -> Iterator[Diagnostic]:
    """training.setup must be a script for bash, which the pods check in the same way before they source it."""
    setup = values["training"]["setup"]
    if setup and (error := _find_syntax_error(setup)):
        message = f"training.setup is not a valid script of bash: {error}"
        yield make_diagnostic("DS394", ("training", "setup"), message, "try it with bash -n", place)


@functools.lru_cache(maxsize=64)
def _find_syntax_error(script: str) -> str:
    """What is wrong with the syntax of a script, such as `line 2: syntax error: unexpected end of file`.

    Empty for a valid script, and on a machine without bash, where the pods are the first to check it. Nothing of the
    script is executed (`bash -n`).
    """
    import shutil  # imported late, as the next: few jobs have such a script
    import subprocess

    program = shutil.which("bash")
    if not program:
        return ""
    command = [program, "--norc", "--noprofile", "-O", "extglob", "-n", STDIN]
    try:
        done = subprocess.run(
            command,
            input=script.encode(errors="replace"),
            capture_output=True,
            timeout=BASH_SECONDS,
            env={"LC_ALL": "C"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    lines = done.stderr.decode(errors="replace").splitlines() if done.returncode else []
    found = LINE_OF_BASH.match(lines[0]) if lines else None
    return found[1] if found else ""


FUNCTIONS = (Function(check_setup_syntax, {"DS394": ()}),)
