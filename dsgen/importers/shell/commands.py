"""What the commands of a script mean for a job, and programs that start another one: what they take before it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from dsgen.importers.texts import Text
from dsgen.schema import commands
from dsgen.scripts.slurm.rules import read_options

CHOSEN = "it chooses the environment of Python, and dsgen starts the python3 that is first in PATH"
NEEDLESS = "it changes nothing that a pod needs"
WRAPPERS: Mapping[str, str] = {
    **dict.fromkeys(("time", "nohup", "setsid", "exec", "command", "nice"), NEEDLESS),
    **dict.fromkeys(("srun", "singularity", "apptainer"), ""),  # the origin reads their options
    **dict.fromkeys(("conda", "mamba", "micromamba", "uv", "poetry", "pixi"), CHOSEN),
    "timeout": "it limits the time of the program, as lifecycle.activeDeadlineSeconds does",
    "numactl": "it binds processes to cores and memory, as training.deepspeed.bindCores does",
}
"""Programs that start another one which may be the training, and why they are not needed, or what they change."""
REMOTE = ("ssh", "pdsh", "clush")
"""Those that start it on another host."""


def count_wrapper_words(name: str, words: Sequence[Text]) -> int:
    """How many words belong to a wrapper, its name and the skipped ones included; 0 if it starts nothing here."""
    chars = [word.chars for word in words]
    if name == "srun":
        return len(words) - len(read_options(chars[1:])[1])
    return commands.count_wrapper_words(commands.WRAPPERS[name], chars)


Kind = Literal["silent", "dropped", "setup", "loaded", "lost"]


@dataclass(frozen=True)
class Meaning:
    """The meaning of a command.

    kind: `silent`, it has no effect on the training; `dropped`, dsgen does it itself; `setup`, it prepares a container;
    `loaded`, it makes programs available, which an image does for a pod; `lost`, it must not run in every pod. why and
    hint: for the report.
    """

    kind: Kind
    why: str
    hint: str = ""


def _make_meanings(names: str, kind: Kind, why: str, hint: str = "") -> dict[str, Meaning]:
    return dict.fromkeys(names.split(), Meaning(kind, why, hint))


ONCE_HINT = "run it once as a job of its own, or in workers.initContainers if every worker needs it"
KEY = "it would put a key into the values file"
MEANINGS: Mapping[str, Meaning] = {
    **_make_meanings(
        "echo printf nvidia-smi rocm-smi printenv date clear hostname pwd which type ls df free lscpu ibstat uname tree"
        " cat head tail tee env whoami id lsof ps top nvcc gcc locale ifconfig ip ibv_devinfo ds_report time w uptime"
        " squeue sinfo sacct sstat nproc tput stty reset du wc sort md5sum stat file awk sed grep cut tr"
        " nslookup getent host dig nc ping", "silent", "it only prints"),
    **_make_meanings(
        "set shopt trap wait exit return true false : sleep sync read shift local break continue hash let test [ ["
        " getopts mapfile readarray builtin disown jobs fg bg history", "silent", "it controls the script itself"),
    **_make_meanings("mkdir touch", "silent", "folders are on the volumes of the job"),
    **_make_meanings("scontrol sbcast sattach", "dropped", "it asks Slurm for the nodes, which dsgen knows"),
    **_make_meanings("sbatch salloc qsub", "lost", "it submits another job", "import the script of that job"),
    **_make_meanings("sshd /usr/sbin/sshd ssh-keygen ssh-keyscan ssh-copy-id", "dropped",
                     "dsgen starts sshd with keys of its own"),
    **_make_meanings(
        "pip pip3 uv pipx conda-install apt apt-get yum dnf apk git wget curl huggingface-cli hf modelscope tar unzip"
        " gunzip ln chmod ulimit umask ldconfig pre-commit make cmake python-build npm", "setup", ""),
    **_make_meanings("module ml conda mamba micromamba source . spack activate pyenv singularity-load enroot", "loaded",
                     "the image of the pods contains the programs"),
    **_make_meanings("cp mv rsync scp azcopy aws gsutil gcloud s3cmd rclone dd", "lost",
                     "it copies files once, before the training",
                     "mount the files as a volume of storage, or copy them in workers.initContainers"),
    **_make_meanings("rm rmdir", "lost", "it deletes files, and setup would run it on every worker", ONCE_HINT),
    **_make_meanings("pkill kill killall fuser scancel", "lost", "it ends processes; a pod begins without any"),
    **_make_meanings(
        "dcgmi nvidia-cuda-mps-control sudo reboot modprobe sysctl mount umount nvidia-persistenced", "lost",
        "it changes the node", "ask the administrators of the cluster for it"),
    **_make_meanings("wandb", "lost", KEY,
                     "put the key into a Secret, and name the Secret in training.env or training.envFrom"),
    **_make_meanings("tensorboard", "lost", "it serves the event files", "set monitoring.tensorboard"),
    **_make_meanings(
        "vllm ray redis-server mongod uvicorn gunicorn", "lost", "it is a server beside the training",
        "deploy it as objects of its own; a job of dsgen has only workers and a launcher"),
}  # fmt: skip
LOGIN = Meaning("lost", KEY, "put the token into a Secret, and name the Secret in training.env or training.envFrom")
HOSTFILE = Meaning("dropped", "dsgen writes the hostfile")
SSH = Meaning("dropped", "dsgen generates the ssh key in the cluster, and configures ssh and sshd")
OF_SSH = ("/.ssh", "/etc/ssh", "/run/sshd")
"""Folders of ssh in a container."""
FILES = ("cp", "mv", "install", "ln", "chmod", "chown", "cat", "rm")
CHANGES = Meaning("lost", "it changes a file", "mount the changed file, or write it into training.files")
TRAP = Meaning("lost", "dsgen runs nothing at a signal", "handle SIGTERM in the program")
COPIES = MEANINGS["cp"]
PREPARES = Meaning("lost", "it is a program that runs before the training", ONCE_HINT)
SERVERS = ("http.server", "vllm.entrypoints.openai.api_server", "sglang.launch_server", "uvicorn", "fastapi", "flask")
MODULES = {"pip": MEANINGS["pip"], "venv": MEANINGS["module"], **dict.fromkeys(SERVERS, MEANINGS["gunicorn"])}
"""Modules of Python that train nothing."""
LOADS_CONDA = ("activate", "deactivate", "init", "env")
CREATES = Meaning("lost", MEANINGS["conda"].why)
CLEANS = ("rm", "kill", "pkill", "killall")
"""What a script does when it ends, and a pod need not."""


LOADERS = re.compile(
    r"activate|(conda|mamba|setvars|lmod|modules?)\.sh|(bash|zsh|shell)rc|(bash_)?profile|/init/(bash|sh|profile)|conda\b|mamba\b"
    r"|modulecmd|spack|pyenv|ssh-agent"
)
"""Files and programs that prepare a shell, and set no variables of the script itself."""


def is_loader(words: Sequence[str]) -> bool:
    """Whether `source FILE` or `eval "$(...)"` prepares the shell."""
    return LOADERS.search(" ".join(words[1:])) is not None


def find_meaning(words: Sequence[str]) -> Meaning:
    """The meaning of a command that starts no training; words: its name and its arguments."""
    name = words[0] if words[0] in MEANINGS else posixpath.basename(words[0])
    if name in ("sed", "perl") and any(word.startswith(("-i", "--in-place")) for word in words[1:]):
        return CHANGES
    if name == "trap" and len(words) > 2 and words[1].split()[:1] and words[1].split()[0] not in CLEANS:
        return MEANINGS[name] if find_meaning(words[1].split()).kind == "silent" else TRAP
    if name == "rm" and (files := [word for word in words[1:] if not word.startswith("-")]):
        return HOSTFILE if all("host" in posixpath.basename(file) for file in files) else MEANINGS[name]
    if name in FILES and any(folder in word for word in words[1:] for folder in OF_SSH):
        return SSH
    if name in ("huggingface-cli", "hf", "modelscope", "gcloud") and not {"login", "auth"}.isdisjoint(words[1:3]):
        return LOGIN
    if name in ("conda", "mamba", "micromamba") and words[1:] and words[1] not in LOADS_CONDA:
        return MEANINGS["pip"] if words[1] == "install" else CREATES
    if name in ("python", "python3") and words[1:2] == ["-m"]:
        return MODULES.get(words[2] if words[2:] else "", PREPARES)
    return MEANINGS.get(name, PREPARES)
