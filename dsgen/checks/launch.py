"""Launch methods: which settings each one supports, and its limits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from dsgen.checks.row import ANY_TEXT, Check, Function, Names, Place, load_helpers, make_diagnostic
from dsgen.problems import Diagnostic

NO_SSH = "if not uses_ssh(values)"
COMMAND = "if runs_command(values)"
NOT_PDSH = ('if values.launch.method != "pdsh"',)
MANY = ("if values.workers.replicas > 100 or values.launch.preflight.spares > 100",)
METHOD = "launch.method << values.launch.method >>"
TRY_SSH = "use launch.method: pdsh or openmpi, or remove it"
ARGUMENT_BYTES = 131072
"""The longest argument that Linux accepts; pdsh gets the names and slots of all workers in one."""
OTHER_BYTES = 2048
"""What else that argument contains: exported variables, the path of the interpreter, the launcher's options."""

MPIRUN_PROCESSES = (
    "^--?(n|np|c|N|pernode|npernode|npersocket|H|host|hostfile|machinefile|default-hostfile|rankfile|rf|app)(=.*)?$"
)
MPIRUN_OUTPUT = (
    "^(--?(tag-output|timestamp-output|merge-stderr-to-stdout|output|output-filename|stdin|xml|xml-file)(=.*)?"
    "|(orte|prte)_(tag|timestamp|xml)_output)$"
)
MPIRUN_TRANSPORT = "^(plm|plm_rsh_.*|(orte|prte)_(leave_session_attached|keep_fqdn_hostnames))$"
MPIRUN_START = "^--?(h|help|V|version|do-not-launch|daemonize|report-uri|launch-agent|tune|am|(wd|wdir)|path)(=.*)?$"
MPIRUN = (
    (
        MPIRUN_PROCESSES,
        "dsgen sets the number of processes and their workers",
        "remove it and its value; workers.replicas and workers.slots set them",
    ),
    (
        MPIRUN_OUTPUT,
        "the launcher reads the output of the ranks",
        "remove it; training.rankLogs writes the output of each rank into a file",
    ),
    (MPIRUN_TRANSPORT, "dsgen sets how mpirun reaches the workers", "remove it and its value"),
    (
        MPIRUN_START,
        "the ranks would not start, or would start differently",
        "remove it; training.workingDir and training.env describe where and how the ranks run",
    ),
)
"""Arguments of mpirun that dsgen sets or that break a run, why, and what to do."""
JOINED = 'values.launch.mpirunArgs | join(" ")'


EACH_WORKER = (
    'if values.launch.method == "worker-command"',
    "if worker_pods(values) | int > 1",
    'set words = values.launch.command | join(" ")',
)
FIXED = (
    ("standalone( |$)", "and with --standalone each of them trains alone"),
    ("(machine|node)[_-]rank[= ][^$A-Za-z0-9]?[0-9]", "and all of them would have the same rank"),
    (
        "(main[_-]process[_-]ip|master[_-]addr|rdzv[_-]endpoint)[= ][^$A-Za-z0-9]?[A-Za-z0-9]",
        "but its address of the first worker is fixed",
    ),
)
"""Options of launchers with a value that each worker, or each run, needs another one for, and what happens."""
LEAST_SILENCE = 60


def _refuse_without_ssh(id_: str, path: str, when: str, why: str, hint: str = TRY_SSH, method: str = NO_SSH) -> Check:
    return Check(
        id=id_,
        path=path,
        when=when,
        message=f"{path}: with {METHOD}, {why}",
        hint=hint,
        inside=(
            *NOT_PDSH,
            *((method,) if method else ()),
        ),
    )


ROWS = (
    Check(
        id="DS270",
        path="launch.command",
        when="not values.launch.command",
        message=f"launch.command is required with {METHOD}",
        hint="set it to a list that begins with the program, such as [accelerate, launch, train.py]",
        inside=(
            *NOT_PDSH,
            COMMAND,
        ),
    ),
    Check(
        id="DS271",
        path="launch.command",
        when="not runs_command(values)",
        message=f"launch.command is used only by the methods worker-command and launcher-command, not by {METHOD}",
        hint="set launch.method: worker-command, or describe the program in training",
        inside=("if values.launch.command",),
    ),
    *(
        Check(
            id="DS272",
            path=f"training.{key}",
            when=f"values.training.{key}",
            message=f"training.{key} has no effect: {METHOD} runs only launch.command",
            hint="move it to launch.command",
            inside=(
                *NOT_PDSH,
                COMMAND,
            ),
        )
        for key in ("python", "module", "exec", "args")
    ),
    Check(
        id="DS272",
        path="training.rankLogs",
        when='values.launch.method == "launcher-command"',
        message=f"training.rankLogs has no effect: {METHOD} runs only launch.command",
        hint="let launch.command write the files",
        inside=("if values.training.rankLogs",),
    ),
    Check(
        id="DS271",
        path="launch.mpirunArgs",
        when='values.launch.method != "openmpi"',
        message=f"launch.mpirunArgs is used only by the method openmpi, not by {METHOD}",
        hint="set launch.method: openmpi, or remove the arguments",
        inside=("if values.launch.mpirunArgs",),
    ),
    Check(
        id="DS371",
        path="launch.mpirunArgs",
        when=f'not {JOINED} is matching("^-{ANY_TEXT}$")',
        message=f"launch.mpirunArgs: mpirun would take << {JOINED} | quote >> as the program",
        hint="begin with an option; the program of the ranks is set in training",
        inside=("if values.launch.mpirunArgs",),
    ),
    *(
        Check(
            id="DS371",
            path="launch.mpirunArgs[word]",
            when=f'word is matching("{pattern}")',
            message=f"launch.mpirunArgs: << word | quote >>: {why}",
            hint=hint,
            inside=("for word in values.launch.mpirunArgs",),
        )
        for pattern, why, hint in MPIRUN
    ),
    _refuse_without_ssh(
        ("DS273"),
        "lifecycle.keepWorkers",
        'values.lifecycle.keepWorkers != "none"',
        "a worker always ends when its program ends",
    ),
    _refuse_without_ssh("DS273", "lifecycle.debug.command", "values.lifecycle.debug.command", "it has no effect"),
    _refuse_without_ssh("DS273", "ssh.port", "values.ssh.port != 2222", "there is no sshd", "remove it"),
    _refuse_without_ssh("DS273", "ssh.user", "values.ssh.user", "there is no sshd", "remove it"),
    _refuse_without_ssh(
        "DS273", "ssh.secret.mode", 'values.ssh.secret.mode != "cluster"', "no ssh key is used", "remove it"
    ),
    _refuse_without_ssh(
        "DS274",
        "training.deepspeed.autotuning",
        'values.training.deepspeed.autotuning != "none"',
        "autotuning does not work",
        "use launch.method: pdsh",
        "",
    ),
    _refuse_without_ssh(
        "DS275",
        "training.deepspeed.args",
        "values.training.deepspeed.args",
        "DeepSpeed's launcher is not used",
        "remove them; only the methods pdsh and deepspeed-no-ssh use them",
        'if values.launch.method != "deepspeed-no-ssh"',
    ),
    _refuse_without_ssh(
        "DS275",
        "training.deepspeed.bindCores",
        "values.training.deepspeed.bindCores",
        "dsgen does not start the processes",
        "bind them in launch.command, with numactl",
        COMMAND,
    ),
    Check(
        id="DS276",
        path="workers.replicas",
        when=(
            'values.launch.method == "pdsh" and'
            f" 4 * (world_bytes(values, release) | int) > 3 * ({ARGUMENT_BYTES} - {OTHER_BYTES})"
        ),
        message=(
            "workers.replicas: << worker_pods(values) | int >> workers are too many for pdsh: their names and slots"
            " (<< world_bytes(values, release) | int >> bytes, in base64 a third more) and"
            f" {OTHER_BYTES} other bytes do not fit into one argument of {ARGUMENT_BYTES} bytes"
        ),
        hint=("use launch.method: torchrun, which has no such limit; a shorter job name makes room for more workers"),
        inside=MANY,
    ),
    Check(
        id="DS350",
        path="lifecycle.ttlSecondsAfterFinished",
        when="values.lifecycle.ttlSecondsAfterFinished is not none",
        message=(
            "lifecycle.ttlSecondsAfterFinished: Argo CD and Flux recreate the Jobs that Kubernetes deletes, and show"
            " them as out of sync in between"
        ),
        hint="remove it if Argo CD or Flux applies the manifests; a new run id removes the objects of the old run",
        severity="warning",
        worlds="flat",
    ),
    Check(
        id="DS351",
        path="lifecycle.restartExitCodes",
        when="values.lifecycle.maxRestarts == 0",
        message="lifecycle.restartExitCodes has no effect while lifecycle.maxRestarts is 0",
        hint="set lifecycle.maxRestarts, or remove restartExitCodes",
        inside=("if values.lifecycle.restartExitCodes",),
        severity="warning",
    ),
    Check(
        id="DS352",
        path="lifecycle.progress.checkpointTimeoutSeconds",
        when="not values.lifecycle.progress.checkpointPath",
        message="lifecycle.progress.checkpointTimeoutSeconds has no effect without lifecycle.progress.checkpointPath",
        hint="set checkpointPath to a file or folder that changes with each checkpoint",
        inside=("if values.lifecycle.progress.checkpointTimeoutSeconds > 0",),
        severity="warning",
    ),
    *(
        Check(
            id="DS393",
            path="launch.command",
            when=f'words is matching("^{ANY_TEXT} --{pattern}{ANY_TEXT}$")',
            message=f"launch.command: << worker_pods(values) | int >> workers run it, {what}",
            hint=(
                "remove the option for torchrun, which reads the variables that dsgen sets; for other programs, use"
                " $NNODES, $NODE_RANK, $MASTER_ADDR and $MASTER_PORT in [bash, -c, ...]"
            ),
            inside=EACH_WORKER,
            severity="warning",
        )
        for pattern, what in FIXED
    ),
    Check(
        id="DS398",
        path="lifecycle.hangTimeoutSeconds",
        when=f"values.lifecycle.hangTimeoutSeconds < {LEAST_SILENCE}",
        message=(
            "lifecycle.hangTimeoutSeconds: a training that prints nothing for << values.lifecycle.hangTimeoutSeconds >>"
            " seconds, as while it loads the model, would count as hung"
        ),
        hint="use more than the longest pause, such as 1800; 0 means never",
        inside=("if values.lifecycle.hangTimeoutSeconds > 0",),
        severity="warning",
    ),
    Check(
        id="DS399",
        path="lifecycle.keepWorkers",
        when='values.lifecycle.keepWorkers == "always" and uses_ssh(values)',
        message=(
            "lifecycle.keepWorkers: always keeps the workers and their devices also after a success, until somebody"
            " deletes the run"
        ),
        hint="use failed, which keeps them only after a failure",
        inside=('if values.lifecycle.keepWorkers != "none"',),
        severity="warning",
    ),
)


def check_progress_pattern(values: Mapping[str, Any], _: Names, place: Place) -> Iterator[Diagnostic]:
    """lifecycle.progress.pattern must be a regular expression."""
    pattern = values["lifecycle"]["progress"]["pattern"]
    if not pattern:
        return
    try:
        re.compile(pattern)
    except re.error as error:
        path = ("lifecycle", "progress", "pattern")
        message = f"lifecycle.progress.pattern is not a regular expression of Python: {error}"
        yield make_diagnostic("DS288", path, message, "in YAML, single quotes keep backslashes", place)


def check_setup_in_launcher(values: Mapping[str, Any], _: Names, place: Place) -> Iterator[Diagnostic]:
    """training.setup also runs in the launcher, which does not have all that the workers have."""
    setup, path = values["training"]["setup"], ("training", "setup")
    is_sourced = setup and load_helpers().uses_ssh(values) and not load_helpers().program_in_launcher(values)
    if not is_sourced or "DSGEN_ROLE" in setup:
        return
    for name, value in values["training"]["env"].items():
        if not isinstance(value, str) and name not in values["launcher"]["env"] and _uses_variable(setup, name):
            message = f"training.setup also runs in the launcher, which does not have the variable {name}"
            yield make_diagnostic("DS381", path, message, f"repeat it as launcher.env.{name}", place, "warning")
    read = "\n".join(line for line in setup.split("\n") if not _only_assigns(line))
    for name, volume in values["storage"].items():
        where = volume["mountPath"]
        if where and f"{where}/" in read and not load_helpers().is_mounted_in(values, volume, "launcher"):
            message = f"training.setup also runs in the launcher, which does not mount storage.{name}"
            yield make_diagnostic("DS381", path, message, f"set storage.{name}.mountIn: both", place, "warning")


def _only_assigns(line: str) -> bool:
    """Whether a line of a script sets a variable by which the launcher finds no program."""
    return bool(
        re.fullmatch(r"\s*(export\s+)?(?!PATH=|LD_LIBRARY_PATH=)[A-Za-z_]\w*=(\"[^\"`(]*\"|[^\s\"'`;&|()]*)\s*", line)
    )


def _uses_variable(script: str, name: str) -> bool:
    """Whether a shell script has $NAME or ${NAME...}."""
    return bool(re.search(rf"[$]{{?{name}\b", script))


def check_number_of_workers(values: Mapping[str, Any], _: Names, place: Place) -> Iterator[Diagnostic]:
    """launch.command with another number of workers than workers.replicas."""
    if values["launch"]["method"] != "worker-command":
        return
    count = values["workers"]["replicas"]
    words = " ".join(values["launch"]["command"])
    for option, number in re.findall(r"(?<!\S)--(nnodes|num[_-]machines)[= ](\d+)(?=\s|$)", words):
        if int(number) != count:
            message = f"launch.command: --{option} is {number}, but workers.replicas is {count}"
            hint = f"set it to {count}, or use $NNODES in [bash, -c, ...]"
            yield make_diagnostic("DS393", ("launch", "command"), message, hint, place, "warning")


FUNCTIONS = (
    Function(check_number_of_workers, {"DS393": (("workers", "replicas"),)}),
    Function(check_progress_pattern, {"DS288": ()}),
    Function(check_setup_in_launcher, {"DS381": (("storage",), ("training", "env"), ("launcher", "env"))}),
)
