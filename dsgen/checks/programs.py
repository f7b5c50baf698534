"""Frameworks: the commands that start their own ranks, and how their programs get DeepSpeed's configuration."""

from __future__ import annotations

import re
from typing import NamedTuple

from dsgen.checks.rule import Problem, Problems, Values, error, warning
from dsgen.deepspeed import options
from dsgen.generated import helpers
from dsgen.language.text import quote

MACHINES = (
    '--num_machines "$NNODES" --machine_rank "$NODE_RANK" --num_processes "$((NNODES * NPROC_PER_NODE))"'
    ' --main_process_ip "$MASTER_ADDR" --main_process_port "$MASTER_PORT"'
)
"""The options of accelerate launch, in a shell, for the variables that dsgen sets."""
ACCELERATE = r"accelerate launch|accelerate[.]commands[.]launch|trl (sft|grpo|dpo|kto|reward|rloo)"
IN_FILE = r"--(config_file|accelerate_config)\b"
"""Nothing is known of a file with settings of accelerate."""


class Command(NamedTuple):
    """A command that runs on each worker, and what it lacks. command, lacking: patterns of its words. one: only
    with one process on each worker.
    """

    command: str
    lacking: str
    message: str
    hint: str
    one: bool = False


LACKS = (
    Command(
        rf"(?=.*--(num_machines|machine_rank))({ACCELERATE})",
        rf"^(?=.*--machine_rank\b).*--main_process_ip\b|{IN_FILE}",
        "needs --machine_rank, without which it ends with a TypeError, and --main_process_ip, without which it waits",
        f"in [bash, -c, ...], use {MACHINES}",
    ),
    Command(
        rf"(?=.*--num_machines)(?=.*--use_deepspeed)({ACCELERATE})",
        rf"--deepspeed_multinode_launcher[ =]standard\b|{IN_FILE}",
        "starts all workers with pdsh, so the first one trains alone",
        "add --deepspeed_multinode_launcher standard",
    ),
    Command(
        ACCELERATE,
        rf"--(use_deepspeed|multi_[gnx]pu|use_fsdp|use_megatron_lm|tpu)\b|{IN_FILE}",
        "starts one process that knows nothing of other workers, so each of them trains alone",
        f"in [bash, -c, ...], use --multi_gpu or --use_deepspeed, and {MACHINES}",
        one=True,
    ),
    Command(
        "axolotl([.]cli[.]main)? train",
        "--launcher[ =]torchrun",
        "starts accelerate, which does not read the variables that dsgen sets, so each worker trains alone",
        "add --launcher torchrun",
        one=True,
    ),
    Command(
        "llamafactory-cli train",
        "FORCE_TORCHRUN=(?!0|false)",
        "starts torchrun only for several GPUs, so each worker trains alone",
        'set training.env.FORCE_TORCHRUN: "1"',
        one=True,
    ),
    Command(
        "tune run",
        "--rdzv_endpoint",
        "lets workers meet only with --rdzv_endpoint, whatever --master_addr says",
        "in [bash, -c, ...], use --nnodes $NNODES --node_rank $NODE_RANK --nproc_per_node $NPROC_PER_NODE"
        " --rdzv_backend c10d --rdzv_id run --rdzv_endpoint $MASTER_ADDR:$MASTER_PORT",
    ),
)
"""What was tried on two workers with the variables that dsgen sets."""


@warning("DS411", "launch.command")
def warn_of_lone_workers(values: Values) -> Problems:
    """A framework's own command that would start ranks which do not meet."""
    launch = values.launch
    if launch.method != "worker-command" or int(helpers.worker_pods(values)) <= 1:
        return
    variables = [f"{name}={value}" for name, value in values.training.env.items()]
    words = re.sub(r"\s+", " ", " ".join(["", *variables, *launch.command, ""]))
    words = re.sub(r"--[\w-]+", lambda option: "--" + option[0][2:].replace("-", "_"), words)
    for row in LACKS:
        start = re.search(f"(?<=[ /])({row.command})(?= )", words)
        if start and not re.search(row.lacking, words) and not (row.one and values.workers.slots > 1):
            yield Problem(f"launch.command: {start[0]} {row.message}", hint=row.hint)


@error("DS412", "training.env.ACCELERATE_USE_CPU", hint="remove it; the Trainer's programs take --use_cpu true")
def refuse_cpus_without_deepspeed(values: Values) -> Problems:
    given = values.training.env.get("ACCELERATE_USE_CPU")
    if str(given).lower() in ("1", "true", "yes", "y", "on", "t") and helpers.config_path(values):
        yield Problem("training.env.ACCELERATE_USE_CPU: with it, accelerate trains without DeepSpeed, and is silent")


TAKES_FILE = ("per_device_train_batch_size", "per_device_eval_batch_size", "model_name_or_path", "num_train_epochs")
WITH_FILE = r"(\S*/)?llamafactory-cli train \S+[.](yaml|yml|json)( |$)"


@warning("DS413", "training.deepspeed.passConfig")
def warn_of_unknown_way(values: Values) -> Problems:
    """A program that may not take what dsgen appends."""
    way, training = helpers.config_way(values), values.training
    if way and re.match(WITH_FILE, " ".join(training.exec)) and not helpers.runs_command(values):
        message = "training.exec: llamafactory-cli takes its settings from a YAML file, and no --deepspeed beside it"
        hint = f"write deepspeed: {helpers.config_path(values)} into it; if it is in the image, set passConfig: false"
        yield Problem(message, ("training", "exec"), hint, "error")
    said = [one.written for one in options.list_options(values) if one.name in TAKES_FILE and one.path[1] == "args"]
    if said and way == "deepspeed" and training.deepspeed.passConfig is True:
        message = (
            f"training.deepspeed: {quote(said[0])} is an option of programs of the Hugging Face Trainer, which take"
        )
        hint = "set passConfig: huggingface for them, which passes --deepspeed FILE, and deepspeed for others"
        yield Problem(f"{message} no --deepspeed_config", hint=hint)
