"""Checkpoints that are continued with another number of ranks: what training.deepspeed.resize needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dsgen.checks.row import Check, Function, Names, Place, make_diagnostic
from dsgen.deepspeed import batch as batches
from dsgen.problems import Diagnostic, KeyPath

DEEPSPEED: KeyPath = ("training", "deepspeed")
CONFIG: KeyPath = (*DEEPSPEED, "config")
CHECKPOINT: KeyPath = (*DEEPSPEED, "resize", "checkpoint")
ON = "if values.training.deepspeed.resize.checkpoint"
CANNOT = "training.deepspeed.resize cannot be used"
MIN: KeyPath = ("workers", "min")
FEWER = "if values.workers.min"
BATCH, MICRO, STEPS = "train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps"
ADAM = ("adam", "adamw", "auto")
"""Optimizers whose state DeepSpeed's converter reads (deepspeed/checkpoint/ds_to_universal.py)."""

ROWS = (
    Check(
        id="DS376",
        path="launch.command",
        when="runs_command(values)",
        message=f"{CANNOT} with launch.command: only the command could give its program another configuration",
        hint="use another launch.method, or convert checkpoints yourself",
        inside=(ON,),
    ),
    Check(
        id="DS376",
        path="training.deepspeed.autotuning",
        when='values.training.deepspeed.autotuning != "none"',
        message=f"{CANNOT} with autotuning, which starts trainings with other configurations",
        hint="remove one of them",
        inside=(ON,),
    ),
    Check(
        id="DS376",
        path="training.deepspeed.resize.checkpoint",
        when="not values.training.deepspeed.config and not values.training.deepspeed.configFile",
        message="training.deepspeed.resize needs a DeepSpeed configuration, to which it adds checkpoint.load_universal",
        hint="set training.deepspeed.config or configFile",
        inside=(ON,),
    ),
    Check(
        id="DS376",
        path="training.deepspeed.configFile",
        when="not values.training.deepspeed.configFile is starting('/')",
        message=f"{CANNOT} with a configFile that is not an absolute path",
        hint="write the whole path of the file in the image",
        inside=(ON, "if values.training.deepspeed.configFile"),
    ),
    Check(
        id="DS376",
        path="training.deepspeed.passConfig",
        when="not path in values.training.args and not runs_command(values)",
        message=f"{CANNOT} without passConfig, unless training.args has the path << path >>",
        hint="remove passConfig; for the Hugging Face Trainer, set training.args: [--deepspeed, /job/ds_config.json]",
        inside=(
            ON,
            "if not values.training.deepspeed.passConfig",
            "if values.training.deepspeed.config or values.training.deepspeed.configFile",
            'set path = values.training.deepspeed.configFile or "/job/ds_config.json"',
        ),
    ),
    Check(
        id="DS376",
        path="training.deepspeed.version",
        when='values.training.deepspeed.version is matching("^0[.](1[0-7]|[0-9])([.].*)?$")',
        message=f"{CANNOT} with DeepSpeed << values.training.deepspeed.version >>; it needs 0.18 or later",
        hint="use an image with a later version",
        inside=(ON,),
    ),
    Check(
        id="DS377",
        path="storage.<< name >>",
        when=(
            'first_source(volume) in ["emptyDir", "ephemeral"]'
            " and (folder == volume.mountPath or folder is starting(volume.mountPath ~ '/'))"
        ),
        message=("training.deepspeed.resize.checkpoint is on storage.<< name >>, of which each worker has its own"),
        hint="put checkpoints on a volume that all workers share, such as a claim",
        inside=(
            ON,
            "set folder = values.training.deepspeed.resize.checkpoint",
            "for name, volume in values.storage | items",
            "if volume.mountPath",
        ),
    ),
    Check(
        id="DS358",
        path="workers.min",
        when="values.workers.min > values.workers.replicas",
        message="workers.min (<< values.workers.min >>) is more than workers.replicas (<< values.workers.replicas >>)",
        hint="set it to less than workers.replicas",
        inside=(FEWER,),
    ),
    Check(
        id="DS358",
        path="workers.min",
        when="not values.training.deepspeed.resize.checkpoint",
        message="workers.min needs training.deepspeed.resize.checkpoint: without it, fewer workers cannot continue",
        hint="set it to the folder of the checkpoints",
        inside=(FEWER,),
    ),
    Check(
        id="DS358",
        path="workers.min",
        when='values.launch.method not in ["pdsh", "openmpi"]',
        message=(
            "workers.min cannot be used with launch.method << values.launch.method >>:"
            " its number of workers is fixed for the whole run"
        ),
        hint="use launch.method: pdsh or openmpi",
        inside=(FEWER,),
    ),
    Check(
        id="DS358",
        path="lifecycle.resizeAfterSeconds",
        when="values.lifecycle.resizeAfterSeconds >= values.lifecycle.startTimeoutSeconds",
        message=(
            "lifecycle.resizeAfterSeconds (<< values.lifecycle.resizeAfterSeconds >>) must be less than"
            " lifecycle.startTimeoutSeconds (<< values.lifecycle.startTimeoutSeconds >>), after which the run fails"
        ),
        hint="use a longer startTimeoutSeconds",
        inside=(FEWER,),
    ),
)


def _find_config(values: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration in the values of a job whose checkpoints are converted; else {}."""
    given = values["training"]["deepspeed"]
    return dict(given["config"]) if given["resize"]["checkpoint"] and not given["configFile"] else {}


def _find_value(config: Mapping[str, Any], *path: str) -> Any:
    """The value at a path; None without it."""
    value: Any = config
    for key in path:
        value = value.get(key) if hasattr(value, "get") else None
    return value


def check_config(values: Mapping[str, Any], _: Names, place: Place) -> Iterator[Diagnostic]:
    """Settings of DeepSpeed whose checkpoints are not converted."""
    config = _find_config(values)
    optimizer = _find_value(config, "optimizer", "type")
    if isinstance(optimizer, str) and optimizer.lower() not in ADAM:
        message = f"{CANNOT} with the optimizer {optimizer}: only the state of Adam and AdamW is converted"
        yield make_diagnostic("DS378", (*CONFIG, "optimizer", "type"), message, "use AdamW, or remove resize", place)
    if _find_value(config, "optimizer", "params", "amsgrad") is True:
        message = f"{CANNOT} with amsgrad, whose state is not converted"
        yield make_diagnostic("DS378", (*CONFIG, "optimizer", "params", "amsgrad"), message, "remove it", place)
    for part in ("offload_optimizer", "offload_param"):
        path = ("zero_optimization", part, "device")
        if _find_value(config, *path) == "nvme":
            message = f"{CANNOT} with {part} to nvme, whose files are not converted"
            yield make_diagnostic("DS378", (*CONFIG, *path), message, "offload to cpu, or remove resize", place)
    if _find_value(config, "checkpoint", "use_node_local_storage") is True:
        message = f"{CANNOT} with use_node_local_storage: the first worker needs the files of all"
        hint = "write checkpoints to a volume that all workers share, or remove resize"
        yield make_diagnostic("DS378", (*CONFIG, "checkpoint", "use_node_local_storage"), message, hint, place)
    if _find_value(config, "checkpoint", "load_universal") is not None:
        message = "checkpoint.load_universal: training.deepspeed.resize sets it for the attempts that need it"
        hint = "remove it: with it, each restart loads the converted checkpoint, which gets older than the latest"
        yield make_diagnostic("DS378", (*CONFIG, "checkpoint", "load_universal"), message, hint, place)


def check_batch(values: Mapping[str, Any], _: Names, place: Place) -> Iterator[Diagnostic]:
    """Batch sizes that allow one number of workers only, or with which the global batch changes."""
    config = _find_config(values)
    total, micro, steps = (_find_value(config, key) for key in (BATCH, MICRO, STEPS))
    if total is None and micro is not None:
        message = f"training.deepspeed.resize: without {BATCH} the global batch changes with the number of workers"
        hint = f"set {BATCH}, and leave {STEPS} to DeepSpeed"
        yield make_diagnostic("DS379", (*CONFIG, MICRO), message, hint, place, "warning")
    if total == "auto":
        message = f"training.deepspeed.resize: {BATCH} auto changes with the workers and the Trainer's arguments"
        hint = "set it to a number: the Trainer then refuses --gradient_accumulation_steps that would change it"
        yield make_diagnostic("DS379", (*CONFIG, BATCH), message, hint, place, "warning")
    if None not in (total, micro, steps) and "auto" not in (total, micro, steps):
        message = f"training.deepspeed.resize: {BATCH}, {MICRO} and {STEPS} together allow one number of workers only"
        yield make_diagnostic("DS378", (*CONFIG, STEPS), message, f"remove {STEPS}: DeepSpeed computes it", place)


def check_fewer_workers(values: Mapping[str, Any], _: Names, place: Place) -> Iterator[Diagnostic]:
    """Batches that no smaller number of workers from workers.min on can share."""
    config, workers = values["training"]["deepspeed"]["config"], values["workers"]
    least, all_of_them, slots = workers["min"], workers["replicas"], workers["slots"]
    if not 0 < least < all_of_them:
        return
    sizes = batches.sizes(config, slots)
    if not sizes:
        message = f"workers.min needs {BATCH} in training.deepspeed.config, and {MICRO} as a number if it is there"
        yield make_diagnostic(
            "DS410", MIN, message, "set them: the launcher computes which numbers of workers fit", place
        )
    elif not any(least <= size < all_of_them for size in sizes):
        numbers = f"{least} to {all_of_them - 1}" if least < all_of_them - 1 else f"{least}"
        message = f"{BATCH} cannot be divided among {numbers} workers (workers.min to replicas - 1)"
        yield make_diagnostic("DS410", MIN, message, batches.suggest_workers(config, all_of_them, slots), place)


FUNCTIONS = (
    Function(check_fewer_workers, {"DS410": (CONFIG, MIN)}),
    Function(check_config, {"DS378": (CONFIG, CHECKPOINT)}),
    Function(check_batch, {"DS378": (CONFIG, CHECKPOINT), "DS379": (CONFIG, CHECKPOINT)}),
)
