"""Command lines as text for bash, with dsgen's variables for what differs between processes."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence

from dsgen.importers.conversion import Conversion
from dsgen.importers.texts import Text, Unknown

RANK_METHODS_SHELL: Mapping[str, str] = {
    "RUN": "$DSGEN_RUN",
    "ENDPOINT": "$MASTER_ADDR:$MASTER_PORT",
    "WORLD_SIZE": "$WORLD_SIZE",
    "RANK": "$RANK",
    "LOCAL_RANK": "$LOCAL_RANK",
    "MASTER_ADDR": "$MASTER_ADDR",
    "MASTER_PORT": "$MASTER_PORT",
}
"""dsgen's variables in the environment of a rank."""


WORKER_SHELL: Mapping[str, str] = {
    **RANK_METHODS_SHELL,
    "WORLD_SIZE": "$((NNODES * NPROC_PER_NODE))",
    "BASE_RANK": "$((NODE_RANK * NPROC_PER_NODE))",
    "NNODES": "$NNODES",
    "NODE_RANK": "$NODE_RANK",
    "NPROC_PER_NODE": "$NPROC_PER_NODE",
    "RANK": "$NODE_RANK",
}
"""The same in the environment of launch.command on a worker."""


SAFE = re.compile(r"[A-Za-z0-9_@%+=:,./-]+")


ENDS_IN_NAME = re.compile(r"(?<!\\)\$([A-Za-z_]\w*)$", re.ASCII)
"""A variable without braces, of whose name letters behind it would be a part."""


LINE = 96


AMBIENT = frozenset(
    (
        *("HOME", "PWD", "USER", "HOSTNAME", "LANG", "PATH", "LD_LIBRARY_PATH", "LIBRARY_PATH", "PYTHONPATH", "CPATH"),
        *("LD_PRELOAD", "MANPATH", "SHELL", "TMPDIR", "CUDA_HOME"),
    )
)
"""Variables that every container has, or may lack without harm."""


EACH_PROCESS = "it changes with each submission; the id of the run takes its place"


def format_script(
    conversion: Conversion,
    words: Sequence[Text],
    variables: Mapping[str, str],
    start: Sequence[str],
    prefix: Sequence[str] = (),
) -> str:
    """A command line for bash, over several lines: an option stays with its value."""
    pieces = [" ".join(start), *(format_word(conversion, word, variables) for word in words)]
    if sum(len(piece) + 1 for piece in pieces) <= LINE and not prefix:
        return " ".join(pieces)
    groups: list[str] = []
    for piece in pieces:
        follows = groups and groups[-1].startswith("-") and " " not in groups[-1] and "=" not in groups[-1]
        if follows and not piece.startswith("-"):
            groups[-1] += f" {piece}"
        else:
            groups.append(piece)
    lines = [groups[0]]
    for group in groups[1:]:
        if len(lines[-1]) + len(group) < LINE:
            lines[-1] += f" {group}"
        else:
            lines.append(f"  {group}")
    return "\n".join([*prefix, " \\\n".join(lines)]) + "\n"


def format_word(conversion: Conversion, word: Text, variables: Mapping[str, str]) -> str:
    """One word in bash, quoted where it must be."""
    pieces = list(conversion.atlas.split_pieces(word))
    if all(isinstance(piece, str) for piece in pieces):
        text = "".join(map(str, pieces))
        return text if SAFE.fullmatch(text) else shlex.quote(text)
    inner = ""
    for piece in pieces:
        if isinstance(piece, str):
            if re.match(r"\w", piece, re.ASCII):
                inner = ENDS_IN_NAME.sub(r"${\1}", inner)
            inner += re.sub(r'([\\"$`])', r"\\\1", piece)
        else:
            inner += _format_unknown(conversion, piece, word, variables)
    return f'"{inner}"'


def _format_unknown(conversion: Conversion, part: Unknown, word: Text, variables: Mapping[str, str]) -> str:
    if part.kind == "runtime":
        return variables.get(part.name) or _format_count(conversion, part.name)
    if part.kind == "hosts":
        return "$MASTER_ADDR"
    if part.kind == "changing":
        conversion.drop(word, EACH_PROCESS, is_part=True)
        return "$DSGEN_RUN"
    if part.kind == "secret":
        return f"${{{part.name}}}"
    if part.kind == "command":
        conversion.lose(word, "every process runs this command by itself", "write its value instead", is_part=True)
        return part.shell
    ask_for_variable(conversion, part)
    return f"${{{part.name}}}"


def _format_count(conversion: Conversion, name: str) -> str:
    """A number of the job that a rank computes."""
    slots = conversion.draft.get("workers.slots") or 1
    return {
        "NODE_RANK": f"$((RANK / {slots}))",
        "NNODES": f"$((WORLD_SIZE / {slots}))",
        "NPROC_PER_NODE": str(slots),
        "BASE_RANK": f"$((RANK / {slots} * {slots}))",
    }.get(name, f"${name}")


def ask_for_variable(conversion: Conversion, part: Unknown) -> None:
    """A hole for a variable that the source never sets."""
    if conversion.is_container:
        return
    if part.name in AMBIENT:
        if part.name == "HOME":
            why = "the source uses files below $HOME: write the claim that has them, and the path of the home folder"
            conversion.draft.set_hole("storage.home", {"mountPath": "", "existingClaim": ""}, why)
        return
    key = ("training", "env", part.name)
    if conversion.draft.get(key) is None:
        conversion.draft.set_hole(key, {}, f"${part.name} is not set in the source: write its value")
