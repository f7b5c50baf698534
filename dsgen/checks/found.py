"""What a program does not find in its pod as it expects it: line ends, files, variables, volumes, programs, rights."""

from __future__ import annotations

import posixpath
import re
from typing import Any

from dsgen.checks.rule import CONTAINERS, Problem, Problems, Values, error, warning
from dsgen.checks.storage import OF_ONE_POD, READ_ONLY, list_sources
from dsgen.generated import helpers
from dsgen.language.text import quote
from dsgen.problems import KeyPath, path_text

FILES = "/job/files"
SHORT = re.compile(r"[\w.~-]*/?[\w./-]+")
"""A text that may be a path."""
WORD = re.compile(r"""[^\s"'=;,:<>|&()]+""")
OF_RANKS = (
    "RANK|LOCAL_RANK|NODE_RANK|GROUP_RANK|WORLD_SIZE|LOCAL_WORLD_SIZE|OMPI_COMM_WORLD_RANK|SLURM_(?:PROCID|NODEID)"
)
"""Variables that only the processes of a training have, not training.setup."""
WITHOUT_SSH = {
    *("pytorch/pytorch", "nvidia/cuda", "nvcr.io/nvidia/cuda", "nvcr.io/nvidia/pytorch", "python", "ubuntu", "debian"),
    *("huggingface/transformers-pytorch-gpu", "huggingface/transformers-pytorch-deepspeed-latest-gpu"),
}
"""Public images that have neither sshd nor pdsh; others may have them, whatever they are named."""
IDENTITIES = ("eks.amazonaws.com/role-arn", "iam.gke.io/gcp-service-account", "azure.workload.identity/client-id")


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
    if SHORT.fullmatch(text) and text.endswith(posixpath.splitext(name)[1] or f"/{name}"):
        hint = f"write the content itself, or give the file: {_suggest_file(name, text.removeprefix('./'))}"
        yield Problem(f"{path_text(path)}: the content of the file is the text {quote(text)}", hint=hint)


@warning(
    "DS436",
    "training.setup",
    hint="use ${JOB_COMPLETION_INDEX:-}, the number of a worker; the launcher, which also sources setup with ssh, has"
    " DSGEN_ROLE=launcher",
)
def warn_of_variables_of_ranks(values: Values) -> Problems:
    script = re.sub(r"'[^']*'|(?m:^\s*#.*$)", "", values.training.setup)
    for match in re.finditer(rf"[$]{{?({OF_RANKS})\b", script):
        is_set = re.search(rf"(^|[\s;&]){match[1]}=|\bread\b[^;\n]*\b{match[1]}\b", script[: match.start()])
        if not is_set and match[1] not in values.training.env:
            yield Problem(f"training.setup: {match[1]} is not set yet: setup runs before the processes of the training")
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
