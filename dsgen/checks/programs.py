"""Programs: frameworks with commands of their own, how they get DeepSpeed's configuration, and what others do not find.

A pod may lack what a program expects: line ends, files, variables, volumes, programs, rights.
"""

from __future__ import annotations

import posixpath
import re
from typing import Any, NamedTuple

from dsgen.checks.rule import CONTAINERS, Problem, Problems, Values, error, warning
from dsgen.checks.storage import OF_ONE_POD, READ_ONLY, list_sources
from dsgen.deepspeed import FILES, options
from dsgen.generated import helpers
from dsgen.language.text import quote
from dsgen.problems import KeyPath, path_text

MACHINES = (
    '--num_machines "$NNODES" --machine_rank "$NODE_RANK" --num_processes "$((NNODES * NPROC_PER_NODE))"'
    ' --main_process_ip "$MASTER_ADDR" --main_process_port "$MASTER_PORT"'
)
"""The options of accelerate launch, in a shell, for the variables that dsgen sets."""
ACCELERATE = r"accelerate[ -]launch|accelerate[.]commands[.]launch|trl (sft|grpo|dpo|kto|reward|rloo)"
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


# -- what a program does not find --------------------------------------------------------------------------------------

SHORT = r"[\w.~-]*/?[\w./-]+"
"""A text that may be a path."""
WORD = re.compile(r"""[^\s"'=;,:<>|&()]+""")
OF_RANKS = (
    "RANK|LOCAL_RANK|NODE_RANK|GROUP_RANK|WORLD_SIZE|LOCAL_WORLD_SIZE|OMPI_COMM_WORLD_RANK|SLURM_(?:PROCID|NODEID)"
)
"""Variables that only the processes of a training have, not training.setup."""
COMPARES = "-(?:eq|ne|lt|le|gt|ge)"
READS_RANK = (
    rf"(?:[$]{{?[#!]?|\bprintenv\s+|(?:\[|\btest)\s+-v\s+|\s{COMPARES}\s+|(?:\blet\b|[(][(])"
    rf"(?:(?!\blet\b|[(][(])[^\n])*?\b)({OF_RANKS})\b|\b({OF_RANKS})\s+{COMPARES}\s"
)
"""Bash reads a variable after `$`, and by its name alone in arithmetic."""
WITHOUT_SSH = {
    *("pytorch/pytorch", "nvidia/cuda", "nvcr.io/nvidia/cuda", "nvcr.io/nvidia/pytorch", "python", "ubuntu", "debian"),
    *("huggingface/transformers-pytorch-gpu", "huggingface/transformers-pytorch-deepspeed-latest-gpu"),
}
"""Public images that have neither sshd nor pdsh; others may have them, whatever they are named."""
IDENTITIES = (
    *("eks.amazonaws.com/role-arn", "iam.gke.io/gcp-service-account", "azure.workload.identity/client-id"),
    "pod-identity.alibabacloud.com/role-name",
)


@warning(
    *("DS434", "training.setup", "training.python", "training.module", "training.files.*"),
    *("training.env.*", "launcher.env.*", "training.args.*", "training.exec.*", "launch.command.*"),
    hint=r"convert the file with sed -i 's/\r$//', or write the value without \r",
)
def warn_of_line_ends(_: Values, path: KeyPath, text: Any) -> Problems:
    is_data = path[1] == "files" and isinstance(text, str) and not text.startswith("#!")
    if isinstance(text, str) and "\r" in text and not is_data:
        yield Problem(
            rf"{path_text(path)}: a carriage return (\r), the line end of Windows, would be a part of the value"
        )


def _suggest_file(name: str, file: str) -> str:
    escaped = name.replace(".", r"\.")
    return f"--set-file 'training.files.{escaped}={file}'"


@warning("DS435", "training.python", "training.exec.*", "training.args.*", "launch.command.*")
def warn_of_missing_files(values: Values, path: KeyPath, text: str) -> Problems:
    files = values.training.files
    for word in WORD.findall(text):
        name = word.removeprefix(f"{FILES}/")
        if name != word and "/" not in name and name not in files and not re.search(r"[$*?\[{]", name):
            message = f"{path_text(path)}: {quote(name)} is not in training.files, which are mounted at {FILES}"
            hint = f"add it: {_suggest_file(name, name)}"
            yield Problem(message, hint=hint, severity="error" if files else None)


@warning("DS435", "training.files.*")
def warn_of_path_as_content(_: Values, path: KeyPath, content: str) -> Problems:
    name, text = str(path[-1]), content.strip()
    if re.fullmatch(SHORT, text) and text.endswith(posixpath.splitext(name)[1] or f"/{name}"):
        hint = f"write the content itself, or give the file: {_suggest_file(name, text.removeprefix('./'))}"
        yield Problem(f"{path_text(path)}: the content of the file is the text {quote(text)}", hint=hint)


@warning(
    "DS436",
    "training.setup",
    hint="use ${JOB_COMPLETION_INDEX:-}, the number of a worker; the launcher, which also sources setup with ssh, has"
    " DSGEN_ROLE=launcher",
)
def warn_of_variables_of_ranks(values: Values) -> Problems:
    script = re.sub(r"'[^']*'|(?m:^[^\S\n]*#.*$)", "", values.training.setup)
    first = dict[str, re.Match[str]]()
    for match in re.finditer(READS_RANK, script) if script else ():
        first.setdefault(match[1] or match[2], match)
    for name, match in first.items():
        is_set = re.search(rf"(^|[\s;&(]){name}=(?!=)", script[: match.end() + len("=0")]) or re.search(
            rf"\bread\b(?:(?!\bread\b)[^;\n])*\b{name}\b", script[: match.start()]
        )
        if not is_set and name not in values.training.env:
            yield Problem(f"training.setup: {name} is not set yet: setup runs before the processes of the training")
            return


def _is_shared(volume: Any) -> bool:
    return not volume.readOnly and list_sources(volume)[:1] not in [[one] for one in (*READ_ONLY, *OF_ONE_POD)]


@warning(
    *("DS437", "workers.initContainers.*.volumeMounts"),
    hint="mount it with readOnly: true, give each worker its own subPathExpr, or fill the volume in a Job",
)
def warn_of_init_container_of_all(values: Values, path: KeyPath, container: Any) -> Problems:
    """One that waits for the others, or does it only in one worker, names the number of its worker."""
    words = " ".join(map(str, [*(container.command or ()), *(container.args or ())]))
    if int(helpers.worker_pods(values)) <= 1 or re.search("JOB_COMPLETION_INDEX|flock", words):
        return
    for number, mount in enumerate(container.volumeMounts or ()):
        volume = values.storage.get(mount.name) if isinstance(mount.name, str) else None
        if volume and _is_shared(volume) and not mount.readOnly and not mount.subPathExpr:
            where = f"{path_text(path[:2])}: the init container {quote(container.name)}"
            message = f"{where} runs in each worker, and they would write to {quote(mount.name)} at the same time"
            yield Problem(message, (*path, number))


@warning("DS437", *CONTAINERS, hint="add the volume to volumeMounts of the container: {name: NAME, mountPath: PATH}")
def warn_of_unmounted_paths(values: Values, path: KeyPath, container: Any) -> Problems:
    mounted = [one.mountPath for one in container.volumeMounts or () if isinstance(one.mountPath, str)]
    for kind in ("command", "args"):
        for number, text in enumerate(container[kind] or ()):
            for word in WORD.findall(text) if isinstance(text, str) else ():
                inside = [one for one in mounted if f"{word}/".startswith(f"{one.rstrip('/')}/")]
                for name, volume in [] if inside else sorted(values.storage.items()):
                    if volume.mountPath and f"{word}/".startswith(f"{volume.mountPath}/"):
                        message = f"{path_text(path[:2])}: {quote(container.name)} does not mount storage.{name}"
                        yield Problem(f"{message}, so {word} is another folder", (*path, kind, number))


@warning("DS438", "image.repository", hint="use launch.method: torchrun, which needs neither, or another image")
def warn_of_image_without_ssh(values: Values) -> Problems:
    name = re.sub("^((index[.])?docker[.]io/)?(library/)?", "", values.image.repository)
    if name in WITHOUT_SSH and helpers.uses_ssh(values) and not re.search("ssh|pdsh", values.training.setup):
        yield Problem(f"image.repository: {name} has no sshd and pdsh for launch.method {values.launch.method}")


@warning("DS438", "image.tag", hint="use a tag for GPUs, or set workers.accelerator.count: 0")
def warn_of_image_for_cpus(values: Values) -> Problems:
    tag, workers = values.image.tag, values.workers
    if re.search("(^|[-_.])cpu$", tag) and int(helpers.accelerators(workers)) and not values.image.digest:
        yield Problem(
            f"image.tag: {quote(tag)} is an image for CPUs, but a worker asks for {workers.accelerator.resource}"
        )


@warning(
    "DS439", "serviceAccount.annotations", hint="set workers.serviceAccountName to a ServiceAccount with these rights"
)
def warn_of_rights_of_launcher(values: Values) -> Problems:
    if values.workers.serviceAccountName or helpers.program_in_launcher(values):
        return
    for key in IDENTITIES:
        if key in values.serviceAccount.annotations:
            message = f"serviceAccount: {key} gives rights to the launcher, but the program runs in the workers"
            yield Problem(message, ("serviceAccount", "annotations", key))


@error("DS440", "training.python")
def refuse_shell_script(values: Values) -> Problems:
    name = values.training.python
    if re.fullmatch(r".*\.(sh|bash|zsh|ksh)", name) and "python" in values.training.pythonCommand:
        hint = f"set training.exec: [bash, {name}], and remove training.python"
        yield Problem(f"training.python: {quote(name)} is a shell script, which Python cannot run", hint=hint)


OF_RAY = r"\bverl[./]trainer[./]main_\w+|\bopenrlhf[./]cli[./]train_\w*ray\w*|\bray job submit\b"
"""Programs that start their own processes on a cluster of Ray."""


@error(
    *("DS445", "training.python", "training.module", "training.exec"),
    hint="start its training with torchrun or deepspeed, or run it on a Ray cluster, such as a RayJob of KubeRay",
)
def refuse_ray_program(values: Values, path: KeyPath, program: Any) -> Problems:
    found = re.search(OF_RAY, program if isinstance(program, str) else " ".join(program))
    if found and not helpers.runs_command(values):
        message = f"{found[0]} starts its own processes on a Ray cluster, and each process that dsgen starts would"
        yield Problem(f"{path_text(path)}: {message} be one that waits for it or trains alone")
