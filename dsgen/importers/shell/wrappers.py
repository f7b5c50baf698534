"""Programs that start another program: what they take before it, and what they mean for a job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dsgen.importers.slurm_options import VALUED as SLURM_VALUED
from dsgen.importers.texts import Text


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
