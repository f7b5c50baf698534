"""Environment variables of a source, and command lines as text for bash: what dsgen sets, what only a pod computes."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Mapping, Sequence

from dsgen.importers.conversion import Conversion
from dsgen.importers.draft import SECRET_HOLE, Draft, make_secret_reference
from dsgen.importers.fields import Option, Part
from dsgen.importers.texts import Text, UnknownPart
from dsgen.problems import KeyPath
from dsgen.problems.safe_text import is_secret, is_secret_name

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
    "LOCAL_RANK": "0",
    "NNODES": "$NNODES",
    "NODE_RANK": "$NODE_RANK",
    "NPROC_PER_NODE": "$NPROC_PER_NODE",
    "RANK": "$NODE_RANK",
}
"""The same in the environment of launch.command on a worker."""
HOST_LISTS: Mapping[str, str] = {
    "LIST": "$(cut -d ' ' -f 1 /job/hostfile)",
    "LIST_WITH_COMMAS": "$(cut -d ' ' -f 1 /job/hostfile | paste -sd ,)",
}
"""The names of all workers, for a script that each of them runs."""
SAFE = re.compile(r"[A-Za-z0-9_@%+=:,./-]+")
ENDS_IN_NAME = re.compile(r"(?<!\\)\$([A-Za-z_]\w*)$", re.ASCII)
"""A variable without braces, of whose name letters behind it would be a part."""
LINE = 80
AMBIENT = frozenset(
    ("HOME", "PWD", "HOSTNAME", "LANG", "PATH", "LD_LIBRARY_PATH", "LIBRARY_PATH", "PYTHONPATH", "CPATH", "LD_PRELOAD",
     "MANPATH")
)  # fmt: skip
"""Variables that every container has, or may lack without harm."""
KNOWN_HOSTS = ("MASTER_ADDR", "HOSTNAME")
OTHER_HOST = "only the old cluster knows the hosts that it names"
OTHER_HOST_HINT = "in a run, $MASTER_ADDR is the first host and $HOSTNAME the own one"
IN_BATCH = "in the shell of sbatch, {} is 0; in a run, each process has its own number"
EACH_RUNS = "every process would run this command by itself"
EACH_PROCESS = "it changes with each submission; the id of the run takes its place"


def format_script(
    conversion: Conversion, words: Sequence[Text], variables: Mapping[str, str], start: Sequence[str]
) -> str:
    """A command line for bash, over several lines, which begin with options."""
    lines = [" ".join(start)]
    for piece in [format_word(conversion, word, variables) for word in words]:
        if len(lines[-1]) + len(piece) < LINE or not piece.startswith(("-", '"-')):
            lines[-1] += f" {piece}"
        else:
            lines.append(f"  {piece}")
    return " \\\n".join(lines) + "\n" * (len(lines) > 1)


def format_word(conversion: Conversion, word: Text, variables: Mapping[str, str]) -> str:
    """One word in bash, quoted where it must be."""
    pieces = list(conversion.source_map.split_pieces(word))
    if all(isinstance(piece, str) for piece in pieces):
        text = "".join(map(str, pieces))
        return text if SAFE.fullmatch(text) else shlex.quote(text)
    inner = ""
    if len(pieces) == 1 and isinstance(pieces[0], UnknownPart) and pieces[0].is_split:
        shown = _format_unknown(conversion, pieces[0], word, variables)
        # Without quotes, as in the source: it may be several words.
        return shown if pieces[0].kind == "command" else f"${pieces[0].name}"
    for piece in pieces:
        if isinstance(piece, str):
            if re.match(r"\w", piece, re.ASCII):
                inner = ENDS_IN_NAME.sub(r"${\1}", inner)
            inner += re.sub(r'([\\"$`])', r"\\\1", piece)
        else:
            inner += _format_unknown(conversion, piece, word, variables)
    return f'"{inner}"'


def _format_unknown(conversion: Conversion, part: UnknownPart, word: Text, variables: Mapping[str, str]) -> str:
    if part.kind == "runtime":
        if part.source.startswith("$SLURM_"):
            conversion.lose(word, IN_BATCH.format(part.source), "see whether the program needs 0")
        return variables.get(part.name) or _format_count(conversion, part.name)
    if part.kind == "hosts":
        if part.name not in KNOWN_HOSTS:
            conversion.lose(word, OTHER_HOST, OTHER_HOST_HINT)
        return f"${part.name}" if part.name in KNOWN_HOSTS else part.shell
    if part.kind == "changing":
        if "SLURM" in part.source:
            conversion.drop(word, EACH_PROCESS)
        else:
            conversion.lose(word, EACH_PROCESS, "see whether the program needs another value")
        return "$DSGEN_RUN"
    if part.kind == "secret":
        return f"${{{part.name}}}"
    if part.kind == "command":
        conversion.lose(word, EACH_RUNS, "write its value instead")
        return part.shell
    is_set_by_image = conversion.is_container and not conversion.has_other_variables
    is_given = conversion.draft.get(("training", "env", part.name)) is not None
    if is_set_by_image and not is_given and part.name not in AMBIENT:
        hint = f"set training.env.{part.name} if the image does not set it"
        conversion.lose(word, f"nothing in the source sets ${part.name}", hint)
    ask_for_variable(conversion, part)
    return part.shell if part.shell.startswith("${") else f"${{{part.name}}}"


def _format_count(conversion: Conversion, name: str) -> str:
    """A number of the job that a rank computes."""
    slots = conversion.draft.get("workers.slots") or 1
    return {
        "NODE_RANK": f"$((RANK / {slots}))",
        "NNODES": f"$((WORLD_SIZE / {slots}))",
        "NPROC_PER_NODE": str(slots),
        "BASE_RANK": f"$((RANK / {slots} * {slots}))",
    }.get(name, f"${name}")


def choose_variables(conversion: Conversion) -> Mapping[str, str]:
    """dsgen's variables in the environment of the user's command."""
    is_worker = conversion.draft.get("launch.method") == "worker-command"
    return WORKER_SHELL if is_worker else RANK_METHODS_SHELL


def choose_place(conversion: Conversion, texts: Sequence[Text]) -> str:
    """The key for a line with these words: training.setup has no variables that only the processes have."""
    unknown = [one for text in texts for one in conversion.source_map.list_unknowns(text)]
    if all(one.kind != "runtime" and (one.kind, one.name) != ("hosts", "MASTER_ADDR") for one in unknown):
        return "training.setup"
    return "launch.command" if conversion.draft.get("launch.command") else "training.exec"


def ask_for_variable(conversion: Conversion, part: UnknownPart) -> None:
    """A hole for a variable that the source never sets."""
    if conversion.is_container:
        return
    if part.name in AMBIENT:
        if part.name == "HOME":
            why = "the source uses files below $HOME: write the claim that has them, and the path of the home folder"
            conversion.draft.set_hole("storage.home", {"mountPath": "", "existingClaim": ""}, why)
        return
    if conversion.draft.get(("training", "env", part.name)) is None:
        set_missing(conversion.draft, part.name, f"${part.name} is not set in the source")


def set_missing(draft: Draft, name: str, why: str) -> str:
    """A hole for the value of a variable, or for the Secret that has it. Returns its key."""
    key, is_secret_value = ("training", "env", name), is_secret_name(name)
    value = make_secret_reference(name) if is_secret_value else {}
    what = "put it into a Secret, and write the Secret's name" if is_secret_value else "write its value"
    return draft.set_hole(key, value, f"{why}: {what}")


OWN = re.compile(
    r"DSGEN_\w+|(LOCAL_|NODE_|GROUP_|MACHINE_)?RANK|NODERANK|(LOCAL_)?WORLD_SIZE|NNODES|NPROC_PER_NODE|MASTER_(ADDR|PORT)"
    r"|PET_(NNODES|NODE_RANK|NPROC_PER_NODE|(MASTER|RDZV)_\w+)|PDSH_RCMD_TYPE|PDSH_SSH_ARGS\w*|OMPI_MCA_(plm_\w+"
    r"|orte_default_hostfile|orte_keep_fqdn_hostnames)|HYDRA_(HOST_FILE|LAUNCH_METHOD)|(DLTS_)?HOST_?FILE"
)
"""Variables that dsgen sets, or that only say how the processes find each other."""
ADDRESS = re.compile(
    r"MASTER_\w+|(RDZV|HEAD|MAIN|RENDEZVOUS|PRIMARY|COORDINATOR)_?(NODE_?)?(ADDR|ADDRESS|HOST|IP|ENDPOINT|NODE)\w*"
)
ADDRESS_WHY = "it names a pod of the source, and dsgen sets only MASTER_ADDR and MASTER_PORT"
ADDRESS_HINT = "let the program read MASTER_ADDR"
NAMES_A_PROGRAM = re.compile(r"\w*(SCRIPT|LAUNCHER|TORCHRUN|CMD|COMMAND|PYTHON|PROGRAM|EXECUTABLE|ARGS|OPTIONS|EXE)")
"""Variables that are parts of a command line and no environment."""
RANK = r"(LOCAL_)?RANK|WORLD_SIZE"
SETS = {
    "torchrun": rf"{RANK}|GROUP_RANK|LOCAL_WORLD_SIZE",
    "openmpi": rf"{RANK}|LOCAL_WORLD_SIZE",
    # Programs such as accelerate set the others for their processes.
    "worker-command": rf"{RANK}|GROUP_RANK|LOCAL_WORLD_SIZE|NODE_RANK|NNODES|NPROC_PER_NODE",
}
"""The numbers and ranks in the environment of the user's program, by launch method."""
READ = re.compile(r"(LOCAL_|NODE_|GROUP_|MACHINE_)?RANK|NODERANK|(LOCAL_)?WORLD_SIZE|NNODES|NPROC_PER_NODE|HOST_?FILE")
"""Those of OWN that a program may read, and not only a launcher."""
NOT_SET = "with launch.method {}, the processes do not have it"
NOT_SET_HINT = "let the program read {} in its place"
RANKS = "dsgen gives every process its rank, the size of the world and the address of worker 0"
COUNT_HINT = "change workers.replicas or workers.slots"
SEARCHED = re.compile(r"(LD_LIBRARY_|LIBRARY_|PYTHON|MAN|C_INCLUDE_|C|CPLUS_INCLUDE_|PKG_CONFIG_)?PATH|LD_PRELOAD")
IN_LINE = "its value is in the command line"
OF_HOST = "(master[-_]addr|main[-_]process[-_]ip|rdzv[-_]endpoint|(node|machine)[-_]rank)"
FIXED = re.compile(
    rf"(?i)(?<![\w$-])(--?{OF_HOST}[ \t]+|(--?)?{OF_HOST}=)[\"']?(?!127\.0\.0\.1|localhost)[a-z\d][\w.-]*"
)
"""An address or a number of a host in a command that all workers get."""
FIXED_WHY, FIXED_HINT = "all workers get it as it is", "write $MASTER_ADDR, or $NODE_RANK, in its place"
COUNTS: Mapping[str, Sequence[str]] = {
    "WORLD_SIZE": ("workers.replicas", "workers.slots"),
    **dict.fromkeys(("NNODES", "PET_NNODES"), ("workers.replicas",)),
    **dict.fromkeys(("NPROC_PER_NODE", "PET_NPROC_PER_NODE", "LOCAL_WORLD_SIZE"), ("workers.slots",)),
}
"""The keys whose product dsgen gives to the processes."""
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
UNKNOWN_HINT = "export it in training.setup, or set its value in training.env"


def write_value(part: Part, name: str, value: Text) -> None:
    """One variable, from an option of a command line."""
    if OWN.fullmatch(name):
        report_own(part, name, value.chars)
    elif not NAME.fullmatch(name):
        part.lose("it is no name of a variable")
    elif not value.is_known:
        part.lose("its value is only known on the cluster", UNKNOWN_HINT)
    else:
        write_constant(part, ("training", "env", name), value.chars)


def write_constant(part: Part, key: KeyPath, text: str) -> None:
    """A variable with a known value, or a hole for a secret."""
    name = str(key[-1])
    if is_secret(name, text):
        part.map(part.draft.set_hole(key, make_secret_reference(name), SECRET_HOLE))
    else:
        part.set(key, text)


def is_given(draft: Draft, name: str) -> bool:
    """Whether dsgen gives a variable to the user's program, or only a launcher reads it."""
    method = draft.get("launch.method", "pdsh")
    is_read = READ.fullmatch(name) is not None and method != "launcher-command"
    return OWN.fullmatch(name) is not None and (not is_read or bool(re.fullmatch(SETS.get(method, RANK), name)))


def report_own(part: Part, name: str, text: str) -> None:
    """A variable that dsgen sets itself: dropped, unless its number is another one, or the launch method has none."""
    known = [part.draft.get(key, 1) for key in COUNTS.get(name, ())]
    is_known = text.isdigit() and all(isinstance(one, int) and one for one in known)
    # In the pods of some operators, WORLD_SIZE is the number of pods.
    if known and is_known and int(text) not in (math.prod(known), known[0]):
        part.lose(f"the source sets {text} here, and dsgen {math.prod(known)}", COUNT_HINT)
    elif is_given(part.draft, name):
        part.drop(RANKS)
    elif known and is_known:
        part.set(("training", "env", name), text)
    else:
        method = part.draft.get("launch.method", "pdsh")
        part.lose(NOT_SET.format(method), NOT_SET_HINT.format("/job/hostfile" if "HOST" in name else "RANK"))


def write_exported(
    conversion: Conversion, name: str, value: Text | list[Text], statement: Text, words: Sequence[Text]
) -> tuple[str, str] | None:
    """One exported variable of a script, with its entry in the report.

    Returns the key of a line that bash expands, and the line; None if there is nothing to expand.

    words: the command line. A variable whose text is a part of it is not environment.
    """
    part = Option(conversion, name, [statement], [])
    is_line = isinstance(value, Text) and value.chars.startswith("-") and len(value.split()) > 1
    is_in_line = (is_line or NAMES_A_PROGRAM.fullmatch(name)) and is_used(value, words)
    if isinstance(value, list) or not NAME.fullmatch(name) or is_in_line:
        part.drop(IN_LINE)
        return None
    unknown = conversion.source_map.list_unknowns(value)
    names = {one.name for one in unknown}
    if OWN.fullmatch(name):
        report_own(part, name, value.chars)
    elif "PWD" in names:
        part.lose("it is a folder of the old cluster", f"set training.env.{name} if the program needs it")
    elif not unknown and not (SEARCHED.fullmatch(name) and "$" in value.chars):
        write_constant(part, ("training", "env", name), value.chars.replace("\0", ""))
    elif names == {name} and len(value.chars) == 1:
        # `export A=$A` and `export A=${A}` pass on what the shell of the user had.
        ask_for_variable(conversion, unknown[0])
        part.map(f"training.env.{name}")
    elif not conversion.is_container and any(one.kind == "command" for one in unknown):
        raise conversion.refuse(statement, EACH_RUNS)
    elif why := _explain_unknown(unknown):
        part.lose(why, f"set training.env.{name}, or give {name} with --set")
    else:
        place = choose_place(conversion, [value])
        part.map(place)
        return place, f"export {name}={format_word(conversion, value, choose_variables(conversion))}"
    return None


def _explain_unknown(unknown: Sequence[UnknownPart]) -> str:
    """Why a pod cannot compute a value; "" if it can."""
    hosts = {one.name for one in unknown if one.kind == "hosts"}
    if any(one.kind == "positional" for one in unknown):
        return "its value is an argument of the script"
    return OTHER_HOST if hosts - set(KNOWN_HOSTS) else ""


def is_used(value: Text | list[Text], texts: Sequence[Text]) -> bool:
    """Whether one of these texts has characters of a value."""
    places = {place for one in (value if isinstance(value, list) else [value]) for place in one.places}
    return any(place in places for text in texts for place in text.places)
