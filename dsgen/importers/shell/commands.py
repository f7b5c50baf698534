"""What the commands of a script mean for a job, and programs that start another one: what they take before it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from dsgen.importers.texts import Text

SLURM_VALUED = frozenset((
    "-A", "-b", "-c", "-C", "-d", "-D", "-e", "-g", "-G", "-i", "-J", "-L", "-m", "-M", "-n", "-N", "-o", "-p", "-q",
    "-r", "-S", "-t", "-T", "-w", "-x", "-B", "-F", "-a", "--account", "--acctg-freq", "--array", "--batch", "--bb",
    "--bbf", "--bcast", "--begin", "--chdir", "--cluster-constraint", "--clusters", "--comment", "--constraint",
    "--container", "--container-env", "--container-id", "--container-image", "--container-mounts", "--container-name",
    "--container-save", "--container-workdir", "--core-spec", "--cores-per-socket", "--cpu-bind", "--cpu-freq",
    "--cpus-per-gpu", "--cpus-per-task", "--deadline", "--delay-boot", "--dependency", "--distribution", "--epilog",
    "--error", "--exclude", "--export", "--export-file", "--extra", "--extra-node-info", "--gid", "--gpu-bind",
    "--gpu-freq", "--gpus", "--gpus-per-node", "--gpus-per-socket", "--gpus-per-task", "--gres", "--gres-flags",
    "--het-group", "--hint", "--input", "--job-name", "--jobid", "--licenses", "--mail-type", "--mail-user",
    "--mcs-label", "--mem", "--mem-bind", "--mem-per-cpu", "--mem-per-gpu", "--mincpus", "--mpi", "--msg-timeout",
    "--multi-prog", "--network", "--nodefile", "--nodelist", "--nodes", "--ntasks", "--ntasks-per-core",
    "--ntasks-per-gpu", "--ntasks-per-node", "--ntasks-per-socket", "--open-mode", "--output", "--partition",
    "--power", "--prefer", "--priority", "--profile", "--prolog", "--qos", "--relative", "--reservation", "--signal",
    "--slurmd-debug", "--sockets-per-node", "--switches", "--task-epilog", "--task-prolog", "--thread-spec",
    "--threads", "--threads-per-core", "--time", "--time-min", "--tmp", "--tres-bind", "--tres-per-task", "--uid",
    "--wait", "--wait-all-nodes", "--wckey", "--workdir", "--wrap", "--environment"
))  # fmt: skip
"""Options that take a value, in the next word or after `=`. `--exclusive`, `--nice` and `--requeue` may stand alone."""


@dataclass(frozen=True)
class Wrapper:
    """A program that starts another one.

    valued: its options that take a value in the next word. skipped: words after the options and before the program.
    verb: the word after its name, such as exec of `singularity exec`. why: why it is dropped; lost and hint: if its
    effect is lost instead. is_remote: the rest is a command line for another host.
    """

    valued: frozenset[str] = frozenset()
    skipped: int = 0
    verbs: tuple[str, ...] = ()
    why: str = ""
    lost: str = ""
    hint: str = ""
    is_remote: bool = False


def _make_wrapper(valued: str = "", **fields: object) -> Wrapper:
    return Wrapper(frozenset(valued.split()), **fields)  # type: ignore[arg-type]  # the fields of Wrapper


CONTAINER = (
    "-B --bind --home -H --env --env-file -W --workdir --pwd --mount --network --overlay --scratch -S --shell --app"
    " --dns --hostname --security --apply-cgroups --fakeroot-map --device --cwd"
)
BINDS_CORES = "it binds processes to cores and memory"
TIME = "the record of the run has its times"
WRAPPERS: Mapping[str, Wrapper] = {
    "srun": Wrapper(SLURM_VALUED, why="dsgen starts the processes on all workers"),
    "time": _make_wrapper("-f -o", why=TIME),
    "/usr/bin/time": _make_wrapper("-f -o", why=TIME),
    "nohup": _make_wrapper(why="a pod has no terminal"),
    "exec": _make_wrapper("-a", why="dsgen starts the program"),
    "command": _make_wrapper(why="dsgen starts the program"),
    "nice": _make_wrapper("-n", why="a pod has its own share of the CPUs"),
    "ionice": _make_wrapper("-c -n -p", why="a pod has its own share of the node"),
    "stdbuf": _make_wrapper("-i -o -e", why="dsgen starts Python without buffers"),
    "unbuffer": _make_wrapper(why="dsgen starts Python without buffers"),
    "setsid": _make_wrapper(why="a pod has no terminal"),
    "timeout": _make_wrapper(
        "-s -k --signal --kill-after",
        skipped=1,
        lost="it limits the time of the program",
        hint="set lifecycle.activeDeadlineSeconds",
    ),
    "numactl": _make_wrapper("-N -m -C -i -p -l", lost=BINDS_CORES, hint="set training.deepspeed.bindCores"),
    "taskset": _make_wrapper("", skipped=1, lost=BINDS_CORES, hint="set training.deepspeed.bindCores"),
    "singularity": _make_wrapper(CONTAINER, skipped=1, verbs=("exec", "run")),
    "apptainer": _make_wrapper(CONTAINER, skipped=1, verbs=("exec", "run")),
    "nsys": _make_wrapper(
        "-o -t -w -s -c -x -f -y -d --output --trace --sample --capture-range --duration --delay --stats"
        " --force-overwrite --export",
        verbs=("profile",),
        lost="it profiles the program",
        hint="set launch.method: worker-command and start nsys in launch.command",
    ),
    "ncu": _make_wrapper(
        "-o -k -c",
        lost="it profiles the program",
        hint="set launch.method: worker-command and start ncu in launch.command",
    ),
    "conda": _make_wrapper("-n -p --name --prefix --cwd", verbs=("run",), why="the image has the environment"),
    "mamba": _make_wrapper("-n -p --name --prefix --cwd", verbs=("run",), why="the image has the environment"),
    "micromamba": _make_wrapper("-n -p --name --prefix --cwd", verbs=("run",), why="the image has the environment"),
    "uv": _make_wrapper(
        "--extra --group --python -p --with --project --directory --env-file --index",
        verbs=("run",),
        why="the image has the environment",
    ),
    "poetry": _make_wrapper("-C -P --directory --project", verbs=("run",), why="the image has the environment"),
    "pixi": _make_wrapper("-e --environment --manifest-path", verbs=("run",), why="the image has the environment"),
    "ssh": _make_wrapper(
        "-p -i -o -l -F -J -L -R -D -E -b -c -m",
        skipped=1,
        is_remote=True,
        why="dsgen starts the processes on all workers",
    ),
    "pdsh": _make_wrapper("-w -x -f -R -l -t -u -g", is_remote=True, why="dsgen starts the processes on all workers"),
    "clush": _make_wrapper("-w -x -g -f -l", is_remote=True, why="dsgen starts the processes on all workers"),
}


def count_wrapper_words(wrapper: Wrapper, words: Sequence[Text]) -> int:
    """How many words after the name belong to a wrapper, the skipped ones included."""
    index = 0
    while index < len(words) and words[index].chars.startswith("-") and words[index].chars != "-":
        word = words[index].chars
        index += 1
        if word == "--":
            break
        if word in wrapper.valued:
            index += 1
    return min(index + wrapper.skipped, len(words))


Role = Literal["silent", "setup", "loader", "never", "slurm", "once"]


@dataclass(frozen=True)
class Meaning:
    """The meaning of a command.

    role: `silent`, it has no effect on the training; `setup`, it prepares a container; `loader`, it makes programs
    available, which an image does for a pod; `never`, it must not run in every pod; `slurm`, it describes the job to
    Slurm; `once`, it is a program that runs before the training, once. why and hint: for the report.
    """

    role: Role
    why: str
    hint: str = ""


def _make_meanings(names: str, role: Role, why: str, hint: str = "") -> dict[str, Meaning]:
    return {name: Meaning(role, why, hint) for name in names.split()}


ONCE_HINT = "run it once as a job of its own, or in workers.initContainers if every worker needs it"
IMAGE = "the image of the pods contains the programs"
MEANINGS: Mapping[str, Meaning] = {
    **_make_meanings(
        "echo printf nvidia-smi rocm-smi printenv date clear hostname pwd which type ls df free lscpu ibstat uname tree"
        " cat head tail tee env whoami id lsof ps top nvcc gcc locale ifconfig ip ibv_devinfo ds_report time w uptime"
        " squeue sinfo sacct sstat nproc tput stty reset du wc sort md5sum stat file awk sed grep cut tr"
        " nslookup getent host dig nc ping",
        "silent",
        "it only prints",
    ),
    **_make_meanings(
        "set shopt trap wait exit return true false : sleep sync read shift local break continue hash let test [ ["
        " getopts mapfile readarray builtin disown jobs fg bg history",
        "silent",
        "it controls the script itself",
    ),
    **_make_meanings("mkdir touch", "silent", "folders are on the volumes of the job"),
    **_make_meanings("scontrol srun_cr sbcast sattach", "slurm", "it asks Slurm for the nodes, which dsgen knows"),
    **_make_meanings("sbatch salloc qsub", "slurm", "applying the manifests submits the job"),
    **_make_meanings(
        "sshd /usr/sbin/sshd ssh-keygen ssh-keyscan ssh-copy-id", "slurm", "dsgen starts sshd with keys of its own"
    ),
    **_make_meanings(
        "pip pip3 uv pipx conda-install apt apt-get yum dnf apk git wget curl huggingface-cli hf modelscope tar unzip"
        " gunzip ln chmod ulimit umask ldconfig pre-commit make cmake python-build npm",
        "setup",
        "",
    ),
    **_make_meanings(
        "module ml conda mamba micromamba source . spack activate pyenv singularity-load enroot", "loader", IMAGE
    ),
    **_make_meanings(
        "cp mv rsync scp azcopy aws gsutil gcloud s3cmd rclone dd",
        "once",
        "it copies files once, before the training",
        "mount the files as a volume of storage, or copy them in workers.initContainers",
    ),
    **_make_meanings("rm rmdir", "never", "it deletes files, and setup would run it on every worker", ONCE_HINT),
    **_make_meanings("pkill kill killall fuser scancel", "never", "it ends processes; a pod begins without any"),
    **_make_meanings(
        "dcgmi nvidia-cuda-mps-control sudo reboot modprobe sysctl mount umount nvidia-persistenced",
        "never",
        "it changes the node",
        "ask the administrators of the cluster for it",
    ),
    **_make_meanings(
        "wandb",
        "never",
        "it would put a key into the values file",
        "put the key into a Secret, and name the Secret in training.env or training.envFrom",
    ),
    **_make_meanings("tensorboard", "once", "it serves the event files", "set monitoring.tensorboard"),
    **_make_meanings(
        "vllm ray redis-server mongod uvicorn gunicorn",
        "once",
        "it is a server beside the training",
        "deploy it as objects of its own; a job of dsgen has only workers and a launcher",
    ),
}
LOGIN = Meaning(
    "never",
    "it would put a key into the values file",
    "put the token into a Secret, and name the Secret in training.env or training.envFrom",
)
SSH = Meaning("slurm", "dsgen generates the ssh key in the cluster, and configures ssh and sshd")
OF_SSH = ("/.ssh", "/etc/ssh", "/run/sshd")
"""Folders of ssh in a container."""
FILES = ("cp", "mv", "install", "ln", "chmod", "chown", "cat", "rm")
CHANGES = Meaning("once", "it changes a file", "mount the changed file, or write it into training.files")
TRAP = Meaning("once", "dsgen runs nothing at a signal", "handle SIGTERM in the program")
PREPARES = Meaning("once", "it is a program that runs before the training", ONCE_HINT)
LOADS_CONDA = ("activate", "deactivate", "init", "env")


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
    if name == "trap" and find_meaning(words[1].split() or ["-"]).role not in ("silent", "never") and len(words) > 2:
        return TRAP
    if name in FILES and any(folder in word for word in words[1:] for folder in OF_SSH):
        return SSH
    if name in ("huggingface-cli", "hf", "modelscope") and "login" in words[1:3]:
        return LOGIN
    if name in ("conda", "mamba", "micromamba") and words[1:2] == ["install"]:
        return MEANINGS["pip"]
    if name in ("python", "python3") and words[1:3] == ["-m", "pip"]:
        return MEANINGS["pip"]
    if name in ("python", "python3") and words[1:2] == ["-m"] and words[2:3] == ["venv"]:
        return MEANINGS["module"]
    return MEANINGS.get(name, PREPARES)
