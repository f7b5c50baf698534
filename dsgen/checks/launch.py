"""Launch methods: which settings each one supports, its limits, and starts with another number of ranks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from dsgen import schema
from dsgen.checks.rule import ANY_TEXT, Problem, Problems, Values, error, warning
from dsgen.deepspeed import FILES
from dsgen.generated import helpers
from dsgen.language.functions import list_launch_methods, matching
from dsgen.language.text import scalar
from dsgen.problems import KeyPath, path_text

METHODS: tuple[str, ...] = tuple((schema.find_part(("launch", "method")) or {})["enum"])
COMMANDS, SSH = list_launch_methods("whole"), list_launch_methods("ssh")
OWN_PROGRAM = [one for one in METHODS if one not in COMMANDS]


class Use(NamedTuple):
    """The launch methods that use a key, why others do not, and what to do with them."""

    methods: Sequence[str]
    why: str = ""
    hint: str = "use launch.method: pdsh or openmpi, or remove it"


ONLY_OWN = Use(OWN_PROGRAM, hint="move it to launch.command")
NO_SSHD = Use(SSH, "there is no sshd", "remove it")
USES = {
    "launch.command": Use(
        COMMANDS,
        "the methods worker-command, slurm-script and launcher-command",
        "set launch.method: worker-command, or describe the program in training",
    ),
    "launch.mpirunArgs": Use(("openmpi",), "the method openmpi", "set launch.method: openmpi, or remove the arguments"),
    **{f"training.{key}": ONLY_OWN for key in ("python", "module", "exec", "args")},
    "training.rankLogs": Use(
        [one for one in METHODS if one not in COMMANDS or one not in SSH], hint="let launch.command write the files"
    ),
    "lifecycle.keepWorkers": Use(SSH, "a worker always ends when its program ends"),
    "lifecycle.debug.command": Use(SSH, "it has no effect"),
    "ssh.port": NO_SSHD,
    "ssh.user": NO_SSHD,
    "ssh.secret.mode": Use(SSH, "no ssh key is used", "remove it"),
    "training.deepspeed.autotuning": Use(("pdsh",), "autotuning does not work", "use launch.method: pdsh"),
    "training.deepspeed.args": Use(
        ("pdsh", "deepspeed-no-ssh"),
        "DeepSpeed's launcher is not used",
        "remove them; only the methods pdsh and deepspeed-no-ssh use them",
    ),
    "training.deepspeed.bindCores": Use(
        OWN_PROGRAM, "dsgen does not start the processes", "bind them in launch.command, with numactl"
    ),
}
"""The keys that not every launch method uses. With another method they must have their default, also in a chart."""


def _is_unused(values: Values, path: KeyPath, value: Any) -> bool:
    default = (schema.find_part(path) or {})["default"]
    return bool(value != default and values.launch.method not in USES[path_text(path)].methods)


@error(
    "DS270",
    "launch.command",
    hint="set it to a list that begins with the program, such as [accelerate, launch, train.py]",
)
def require_command(values: Values) -> Problems:
    if values.launch.method in COMMANDS and not values.launch.command:
        yield Problem(f"launch.command is required with launch.method {values.launch.method}")


@error("DS271", "launch.command", "launch.mpirunArgs")
def refuse_command_of_other_method(values: Values, path: KeyPath, value: Any) -> Problems:
    if _is_unused(values, path, value):
        key, method = path_text(path), values.launch.method
        use = USES[key]
        yield Problem(f"{key} is used only by {use.why}, not by launch.method {method}", hint=use.hint)


@error("DS272", *(f"training.{key}" for key in ("python", "module", "exec", "args", "rankLogs")))
def refuse_program_beside_command(values: Values, path: KeyPath, value: Any) -> Problems:
    if _is_unused(values, path, value):
        message = f"{path_text(path)} has no effect: launch.method {values.launch.method} runs only launch.command"
        yield Problem(message, hint=USES[path_text(path)].hint)


@error("DS273", "lifecycle.keepWorkers", "lifecycle.debug.command", "ssh.port", "ssh.user", "ssh.secret.mode")
@error("DS275", "training.deepspeed.args", "training.deepspeed.bindCores")
def refuse_unused(values: Values, path: KeyPath, value: Any) -> Problems:
    """A key that the launch method does not use."""
    if _is_unused(values, path, value):
        use = USES[path_text(path)]
        yield Problem(f"{path_text(path)}: with launch.method {values.launch.method}, {use.why}", hint=use.hint)


@error("DS274", "training.deepspeed.autotuning")
def refuse_autotuning(values: Values) -> Problems:
    yield from refuse_unused(values, ("training", "deepspeed", "autotuning"), values.training.deepspeed.autotuning)


INSTEAD = {
    "processes": "remove it and its value; workers.replicas and workers.slots set them",
    "output": "remove it; training.rankLogs writes the output of each rank into a file",
    "transport": "remove it and its value",
    "start": "remove it; training.workingDir and training.env describe where and how the ranks run",
}
"""By the kind of an argument of mpirun."""


@error("DS371", "launch.mpirunArgs.*")
def refuse_arguments_of_mpirun(_: Values, __: KeyPath, word: str) -> Problems:
    yield Problem(helpers.argument_of_mpirun(word), hint=INSTEAD.get(helpers.kind_of_mpirun(word), ""))


@warning(
    "DS350",
    "lifecycle.ttlSecondsAfterFinished",
    hint="remove it if Argo CD or Flux applies the manifests; a new run id removes the objects of the old run",
)
def warn_of_deleted_jobs(values: Values) -> Problems:
    if values.lifecycle.ttlSecondsAfterFinished is not None:
        yield Problem(
            "lifecycle.ttlSecondsAfterFinished: Argo CD and Flux recreate the Jobs that Kubernetes deletes, and show"
            " them as out of sync in between"
        )


@warning("DS351", "lifecycle.restartExitCodes", hint="set lifecycle.maxRestarts, or remove restartExitCodes")
def warn_of_unused_exit_codes(values: Values) -> Problems:
    if values.lifecycle.restartExitCodes and values.lifecycle.maxRestarts == 0:
        yield Problem("lifecycle.restartExitCodes has no effect while lifecycle.maxRestarts is 0")


@warning(
    "DS352",
    "lifecycle.progress.checkpointTimeoutSeconds",
    hint="set checkpointPath to a file or folder that changes with each checkpoint",
)
def warn_of_unused_timeout(values: Values) -> Problems:
    progress = values.lifecycle.progress
    if progress.checkpointTimeoutSeconds > 0 and not progress.checkpointPath:
        key = "lifecycle.progress.checkpointTimeoutSeconds"
        yield Problem(f"{key} has no effect without lifecycle.progress.checkpointPath")


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


@warning(
    "DS393",
    "launch.command",
    hint="remove the option for torchrun, which reads the variables that dsgen sets; for other programs, use"
    " $NNODES, $NODE_RANK, $MASTER_ADDR and $MASTER_PORT in [bash, -c, ...]",
)
def warn_of_fixed_options(values: Values) -> Problems:
    if values.launch.method != "worker-command" or int(helpers.worker_pods(values)) <= 1:
        return
    words = " ".join(values.launch.command)
    for pattern, what in FIXED:
        if matching(words, f"^{ANY_TEXT} --{pattern}{ANY_TEXT}$"):
            yield Problem(f"launch.command: {helpers.worker_pods(values)} workers run it, {what}")


@warning("DS393", "launch.command")
def warn_of_other_number(values: Values) -> Problems:
    """launch.command with another number of workers than workers.replicas."""
    if values.launch.method != "worker-command":
        return
    count = values.workers.replicas
    words = " ".join(values.launch.command)
    for option, number in re.findall(r"(?<!\S)--(nnodes|num[_-]machines)[= ](\d+)(?=\s|$)", words):
        if int(number) != count:
            message = f"launch.command: --{option} is {number}, but workers.replicas is {count}"
            yield Problem(message, hint=f"set it to {count}, or use $NNODES in [bash, -c, ...]")


@warning("DS398", "lifecycle.hangTimeoutSeconds", hint="use more than the longest pause, such as 1800; 0 means never")
def warn_of_short_silence(values: Values) -> Problems:
    seconds = values.lifecycle.hangTimeoutSeconds
    if 0 < seconds < LEAST_SILENCE:
        yield Problem(
            f"lifecycle.hangTimeoutSeconds: a training that prints nothing for {scalar(seconds)} seconds, as while it"
            " loads the model, would count as hung"
        )


@warning("DS399", "lifecycle.keepWorkers", hint="use failed, which keeps them only after a failure")
def warn_of_kept_workers(values: Values) -> Problems:
    if values.lifecycle.keepWorkers == "always" and helpers.uses_ssh(values):
        yield Problem(
            "lifecycle.keepWorkers: always keeps the workers and their devices also after a success, until somebody"
            " deletes the run"
        )


@error("DS288", "lifecycle.progress.pattern", hint="in YAML, single quotes keep backslashes")
def check_progress_pattern(values: Values) -> Problems:
    try:
        re.compile(values.lifecycle.progress.pattern)
    except re.error as wrong:
        yield Problem(f"lifecycle.progress.pattern is not a regular expression of Python: {wrong}")


ASSIGNS = r"\s*(export\s+)?(?!PATH=|LD_LIBRARY_PATH=)[A-Za-z_]\w*=(\"[^\"`(]*\"|[^\s\"'`;&|()]*)\s*"
"""A line of a script that sets a variable by which the launcher finds no program."""


@warning("DS381", "training.setup")
def warn_of_setup_in_launcher(values: Values) -> Problems:
    """training.setup also runs in the launcher, which does not have all that the workers have."""
    setup = values.training.setup
    is_sourced = setup and helpers.uses_ssh(values) and not helpers.program_in_launcher(values)
    if not is_sourced or "DSGEN_ROLE" in setup:
        return
    values.require(("storage",), ("training", "env"), ("launcher", "env"))
    where = "training.setup also runs in the launcher, which does not"
    for name, value in values.training.env.items():
        is_used = re.search(rf"[$]{{?{name}\b", setup)  # as $NAME or ${NAME...}
        if is_used and not isinstance(value, str) and name not in values.launcher.env:
            yield Problem(f"{where} have the variable {name}", hint=f"repeat it as launcher.env.{name}")
    read = "\n".join(line for line in setup.split("\n") if not re.fullmatch(ASSIGNS, line))
    for name, volume in values.storage.items():
        folder = volume.mountPath
        if folder and f"{folder}/" in read and not helpers.is_mounted_in(values, volume, "launcher"):
            yield Problem(f"{where} mount storage.{name}", hint=f"set storage.{name}.mountIn: both")


# -- resize ------------------------------------------------------------------------------------------------------------

CONFIG = "training.deepspeed.config"
RESIZE = "training.deepspeed.resize"
CANNOT = f"{RESIZE} cannot be used"
BATCH, MICRO, STEPS = "train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps"
ADAM = ("adam", "adamw", "auto")
"""Optimizers whose state DeepSpeed's converter reads (deepspeed/checkpoint/ds_to_universal.py)."""

CONVERT_INSTEAD = {
    "launch.command": "use another launch.method, or convert checkpoints yourself",
    "training.deepspeed.autotuning": "remove one of them",
    "training.deepspeed.resize.checkpoint": "set training.deepspeed.config or configFile",
    "training.deepspeed.configFile": "write the whole path of the file in the image",
    "training.deepspeed.passConfig": "remove passConfig, or put the path into training.args",
    "training.deepspeed.version": "use an image with a later version",
}
"""The keys that may keep checkpoints from being converted, and what to do."""


@error("DS376", *CONVERT_INSTEAD)
def refuse_resize(values: Values, path: KeyPath, _: Any) -> Problems:
    key = path_text(path)
    yield Problem(helpers.refused_resize(values, key), hint=CONVERT_INSTEAD[key])


LIMITS = {
    "workers.replicas": ("workers.min", "set it to less than workers.replicas"),
    "training.deepspeed.resize.checkpoint": ("workers.min", "set it to the folder of the checkpoints"),
    "launch.method": ("workers.min", "use launch.method: pdsh or openmpi"),
    "lifecycle.startTimeoutSeconds": ("lifecycle.resizeAfterSeconds", "use a longer startTimeoutSeconds"),
}
"""The keys that may contradict workers.min, the key to point at, and what to do."""


@error("DS358", *LIMITS)
def refuse_fewer_workers(values: Values, path: KeyPath, _: Any) -> Problems:
    key, hint = LIMITS[path_text(path)]
    yield Problem(helpers.refused_fewer_workers(values, path_text(path)), tuple(key.split(".")), hint)


def _find_config(values: Values) -> Mapping[str, Any]:
    """The configuration in the values of a job whose checkpoints are converted; else {}."""
    given = values.training.deepspeed
    values.require(("training", "deepspeed", "config"), ("training", "deepspeed", "resize", "checkpoint"))
    return given.config if given.resize.checkpoint and not given.configFile else {}


UNFIT: dict[str, tuple[Callable[[Any], bool], str, str]] = {
    "optimizer.type": (
        lambda name: isinstance(name, str) and name.lower() not in ADAM,
        f"{CANNOT} with the optimizer {{}}: only the state of Adam and AdamW is converted",
        "use AdamW, or remove resize",
    ),
    "optimizer.params.amsgrad": (
        lambda amsgrad: amsgrad is True,
        f"{CANNOT} with amsgrad, whose state is not converted",
        "remove it",
    ),
    **{
        f"zero_optimization.{part}.device": (
            lambda device: device == "nvme",
            f"{CANNOT} with {part} to nvme, whose files are not converted",
            "offload to cpu, or remove resize",
        )
        for part in ("offload_optimizer", "offload_param")
    },
    "checkpoint.use_node_local_storage": (
        lambda is_local: is_local is True,
        f"{CANNOT} with use_node_local_storage: the first worker needs the files of all",
        "write checkpoints to a volume that all workers share, or remove resize",
    ),
    "checkpoint.load_universal": (
        lambda given: given is not None,
        "checkpoint.load_universal: training.deepspeed.resize sets it for the attempts that need it",
        "remove it: with it, each restart loads the converted checkpoint, which gets older than the latest",
    ),
}
"""Keys of the configuration -> which values cannot be resized, why, and what to do."""


@error("DS378", *(f"{CONFIG}.{key}" for key in UNFIT))
def refuse_unfit_configuration(values: Values, path: KeyPath, value: Any) -> Problems:
    is_unfit, message, hint = UNFIT[path_text(path[3:])]
    if _find_config(values) and is_unfit(value):
        yield Problem(message.format(value), hint=hint)


@warning("DS379", f"{CONFIG}.{MICRO}", hint=f"set {BATCH}, and leave {STEPS} to DeepSpeed")
def warn_of_missing_batch(values: Values) -> Problems:
    config = _find_config(values)
    if config.get(BATCH) is None and config.get(MICRO) is not None:
        yield Problem(f"{RESIZE}: without {BATCH} the global batch changes with the number of workers")


@warning(
    "DS379",
    f"{CONFIG}.{BATCH}",
    hint="set it to a number: the Trainer then refuses --gradient_accumulation_steps that would change it",
)
def warn_of_automatic_batch(values: Values) -> Problems:
    if _find_config(values).get(BATCH) == "auto":
        yield Problem(f"{RESIZE}: {BATCH} auto changes with the workers and the Trainer's arguments")


@error("DS378", f"{CONFIG}.{STEPS}", hint=f"remove {STEPS}: DeepSpeed computes it")
def refuse_fixed_steps(values: Values) -> Problems:
    """Batch sizes that allow one number of workers only."""
    sizes = [_find_config(values).get(key) for key in (BATCH, MICRO, STEPS)]
    if None not in sizes and "auto" not in sizes:
        yield Problem(f"{RESIZE}: {BATCH}, {MICRO} and {STEPS} together allow one number of workers only")


@error("DS410", "workers.min")
def refuse_batches_for_fewer_workers(values: Values) -> Problems:
    """Batches that no smaller number of workers from workers.min on can share."""
    config, workers = values.training.deepspeed.config, values.workers
    least, all_of_them, slots = workers.min, workers.replicas, workers.slots
    values.require(("training", "deepspeed", "config"), ("workers", "min"))
    if not 0 < least < all_of_them:
        return
    from dsgen.deepspeed import batch as batches  # imported late: many jobs have no configuration of DeepSpeed

    sizes = batches.sizes(config, slots)
    if not sizes:
        message = f"workers.min needs {BATCH} in training.deepspeed.config, and {MICRO} as a number if it is there"
        yield Problem(message, hint="set them: the launcher computes which numbers of workers fit")
    elif not any(least <= size < all_of_them for size in sizes):
        numbers = f"{least} to {all_of_them - 1}" if least < all_of_them - 1 else f"{least}"
        message = f"{BATCH} cannot be divided among {numbers} workers (workers.min to replicas - 1)"
        yield Problem(message, hint=batches.suggest_workers(config, all_of_them, slots))


# Templates refuse these, too: condition and message are their helpers.
error("DS371", "launch.mpirunArgs", hint="begin with an option; the program of the ranks is set in training")(
    lambda values: helpers.program_of_mpirun(" ".join(values.launch.mpirunArgs))
)
error(
    "DS276",
    "workers.replicas",
    hint="use launch.method: torchrun, which has no such limit; a shorter job name makes room for more workers",
)(lambda values: helpers.too_many_for_pdsh(values, values.release))
error("DS377", "storage.*", hint="put checkpoints on a volume that all workers share, such as a claim")(
    lambda values, path, volume: helpers.checkpoint_of_one_worker(values, str(path[-1]), volume)
)


# -- scripts for sbatch ------------------------------------------------------------------------------------------------

SCRIPT, FOLDER = "slurm-script", f"{FILES}/"


def _find_script(values: Values) -> str:
    """The name in training.files of the script that is run; "" if it is not there."""
    program = values.launch.command[0] if values.launch.command else ""
    name = program.removeprefix(FOLDER)
    return name if values.launch.method == SCRIPT and program != name and name in values.training.files else ""


@error("DS442", "launch.command", hint="write the text of the script into training.files, and its name here")
def require_script(values: Values) -> Problems:
    if values.launch.method == SCRIPT and values.launch.command and not _find_script(values):
        yield Problem(
            f"launch.command: with launch.method {SCRIPT}, it begins with a file of training.files: {FOLDER}NAME"
        )


@error("DS443", "training.files.*")
def refuse_script(values: Values, path: KeyPath, text: str) -> Problems:
    """A script that needs what the workers do not have, or that contradicts the values."""
    if path[-1] != _find_script(values):
        return
    from dsgen.checks import slurm  # imported late: few jobs have a script

    for line, why, hint in [
        *slurm.find_obstacles(text, values.workers.replicas),
        *slurm.find_differences(text, values),
    ]:
        yield Problem(f"training.files.{path[-1]}: line {line}: {why}", hint=hint)
    for line, name, hint in () if values.training.envFrom else slurm.find_unset(text, values.training.env):
        message = f"training.files.{path[-1]}: line {line}: nothing in the script sets {name}"
        yield Problem(message, hint=hint, severity="warning")
