"""Environment variables of a source: what dsgen sets itself, what is constant, what only a pod can compute."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from dsgen.importers.conversion import Conversion
from dsgen.importers.draft import SECRET_HOLE, make_secret_reference
from dsgen.importers.secrets import is_secret
from dsgen.importers.shell_text import WORKER_SHELL, ask_for_variable, format_word
from dsgen.importers.texts import Text

OWN = re.compile(
    r"RANK|LOCAL_RANK|WORLD_SIZE|LOCAL_WORLD_SIZE|GROUP_RANK|NODE_RANK|NODERANK|NNODES|NUM_NODES|N_NODES|NPROC_PER_NODE"
    r"|NPROC|GPUS_PER_NODE|N_GPUS|NUM_GPUS|NGPUS|GPU_COUNT|NUM_PROCESSES|WORKER_NUM|MACHINE_RANK|NUM_MACHINES"
    r"|(MASTER|RDZV|HEAD|MAIN|RENDEZVOUS)_?(ADDR|ADDRESS|PORT|HOST|IP|ID|ENDPOINT|BACKEND|NODE|NODE_IP|NAME|PROCESS_IP"
    r"|PROCESS_PORT)|PET_\w+|OMPI_MCA_\w+|HOSTFILE|HOST_FILE|PDSH_RCMD_TYPE|PDSH_SSH_ARGS\w*|SLURM_\w+|SRUN_\w+|DSGEN_\w+"
    r"|HYDRA_\w+|JOB_ID|JOBID|PRIMARY_(ADDR|PORT)|HOSTS|HOSTNAMES|NODELIST|NODES|DLTS_HOSTFILE"
)
NAMES_A_PROGRAM = re.compile(r"\w*(SCRIPT|LAUNCHER|TORCHRUN|CMD|COMMAND|PYTHON|PROGRAM|EXECUTABLE|ARGS|OPTIONS|EXE)")
"""Variables that are parts of a command line and no environment."""
RANKS = "dsgen gives every process its rank, the size of the world and the address of worker 0"
SEARCHED = re.compile(r"(LD_LIBRARY_|LIBRARY_|PYTHON|MAN|C_INCLUDE_|C|CPLUS_INCLUDE_|PKG_CONFIG_)?PATH|LD_PRELOAD")
IN_LINE = "its value is in the command line"
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
UNKNOWN_HINT = "export it in training.setup, or set its value in training.env"


def write_value(
    conversion: Conversion, name: str, value: Text, words: Sequence[Text], *, is_part: bool = False
) -> None:
    """One variable of an option, with an entry in the report for each of its words."""
    key = ("training", "env", name)
    for word in words:
        if OWN.fullmatch(name):
            conversion.drop(word, RANKS, is_part=is_part)
        elif not NAME.fullmatch(name):
            conversion.lose(word, "it is no name of a variable", is_part=is_part)
        elif not value.is_known:
            conversion.lose(word, "its value is only known on the cluster", UNKNOWN_HINT, is_part=is_part)
        elif is_secret(name, value.chars):
            conversion.map(
                word, conversion.draft.set_hole(key, make_secret_reference(name), SECRET_HOLE), is_part=is_part
            )
        else:
            conversion.map(word, conversion.draft.set(key, value.chars), is_part=is_part)


def write_exported(
    conversion: Conversion, name: str, value: Text | list[Text], statement: Text, words: Sequence[Text]
) -> str | None:
    """One exported variable of a script, with its entry in the report. Returns a line for training.setup, or None.

    words: the command line. A variable whose text is a part of it is not environment.
    """
    if isinstance(value, list) or not NAME.fullmatch(name):
        conversion.drop(statement, IN_LINE)
        return None
    if OWN.fullmatch(name):
        conversion.drop(statement, RANKS)
        return None
    if (NAMES_A_PROGRAM.fullmatch(name) or len(value.split()) > 1) and _is_used(value, words):
        conversion.drop(statement, IN_LINE)
        return None
    shown = conversion.atlas.format_text(value)
    if "PWD" in {one.name for one in conversion.atlas.list_unknowns(value)}:
        conversion.lose(
            statement, "it is a folder of the old cluster", f"set training.env.{name} if the program needs it"
        )
        return None
    if value.is_known and not (SEARCHED.fullmatch(name) and "$" in shown):
        return _write_constant(conversion, name, value, statement)
    return _write_computed(conversion, name, value, statement)


def _write_constant(conversion: Conversion, name: str, value: Text, statement: Text) -> str | None:
    key = ("training", "env", name)
    if is_secret(name, value.chars):
        conversion.map(statement, conversion.draft.set_hole(key, make_secret_reference(name), SECRET_HOLE))
    else:
        conversion.map(statement, conversion.draft.set(key, value.chars.replace("\0", "")))
    return None


def _write_computed(conversion: Conversion, name: str, value: Text, statement: Text) -> str | None:
    """A variable with parts that only a pod knows: a line of training.setup, where bash expands it."""
    kinds = {one.kind for one in conversion.atlas.list_unknowns(value)}
    names = {one.name for one in conversion.atlas.list_unknowns(value)}
    if names == {name} and len(value.chars) == 1:
        # `export A=$A` and `export A=${A}` pass on what the shell of the user had.
        ask_for_variable(conversion, conversion.atlas.list_unknowns(value)[0])
        conversion.map(statement, f"training.env.{name}")
        return None
    if kinds & {"positional", "hosts"}:
        if "hosts" in kinds:
            conversion.drop(statement, RANKS)
        else:
            conversion.lose(
                statement, "its value is an argument of the script", f"--set 1=VALUE, or set training.env.{name}"
            )
        return None
    known: Mapping[str, str] = {**WORKER_SHELL, name: f"${name}"}
    line = f"export {name}={format_word(conversion, value, known)}"
    conversion.map(statement, "training.setup")
    return line


def _is_used(value: Text, words: Sequence[Text]) -> bool:
    """Whether characters of a value are in the words of the command line."""
    places = set(value.places)
    return any(place in places for word in words for place in word.places)
