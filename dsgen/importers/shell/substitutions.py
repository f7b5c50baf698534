"""What `$(...)` means in scripts that start trainings: host names, numbers of nodes, ports, dates, folders.

Nothing is run. What is not one of these idioms stays an unknown part.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from dsgen.importers.shell.expansion import Expansion
from dsgen.importers.shell.parameters import compute
from dsgen.importers.texts import Kind, Text, UnknownPart

if TYPE_CHECKING:
    from tree_sitter import Node

HOSTS = frozenset(
    (
        *("scontrol", "hostname", "getent", "host", "nslookup", "dig", "nodeset", "ip", "ifconfig", "nodelist"),
        *("srun", "resolveip", "hostlist", "slurm_nodelist", "ping", "arp", "pbsdsh", "hostnamectl"),
    )
)
CHANGING = frozenset(("date", "shuf", "uuidgen", "mktemp", "od", "ss", "netstat", "lsof", "openssl", "md5sum", "comm"))
DEVICES = frozenset(("nvidia-smi", "rocm-smi", "hl-smi", "npu-smi", "lspci"))
NODE_LIST = re.compile(
    r"SLURM_(JOB_|STEP_)?NODELIST|NODELIST|\bnodes\b|hostfile|PBS_NODEFILE|SKYPILOT_NODE_IPS|/etc/volcano|\bVC_"
)
JOB_ID = re.compile(r"SLURM_(ARRAY_)?JOB_?ID|\bRANDOM\b|\$\$")


def substitute_command(node: Node, expansion: Expansion, folder: Text | None) -> Text:
    """The output of a command substitution as far as it is known. folder: the present one."""
    of = expansion.script.read_text(node)
    commands = list(_find_commands(node))
    names = [_read_name(command, expansion) for command in commands]
    if (folder is not None or names == ["pwd"]) and names == ["pwd"]:
        return folder if folder is not None else expansion.scope.resolve_text("PWD", of.places, "$PWD")
    if commands and (known := _compute_output(commands, expansion)) is not None:
        return Text(known, [of.places[0]] * len(known))
    kind, name = _find_kind(of.chars, names, _expand_words(commands, expansion), expansion)
    source = "" if kind in ("runtime", "hosts") else of.chars
    return expansion.scope.atlas.add_unknown(UnknownPart(kind, name, source), of.places)


def _find_kind(source: str, names: Sequence[str], words: Sequence[Text], expansion: Expansion) -> tuple[Kind, str]:
    unknown = {one.kind for word in words for one in expansion.scope.atlas.list_unknowns(word)}
    is_count = "wc" in names or re.search(r"\bgrep\s+-\w*c|\bprint NR\b", source)
    if not HOSTS.isdisjoint(names) or "hosts" in unknown or NODE_LIST.search(source):
        return ("runtime", "NNODES") if is_count else ("hosts", "MASTER_ADDR")
    if not DEVICES.isdisjoint(names):
        return ("runtime", "NPROC_PER_NODE") if is_count else ("command", names[0])
    if not CHANGING.isdisjoint(names) or "changing" in unknown or JOB_ID.search(source):
        return "changing", names[0] if names else "command"
    return "command", names[0] if names else "command"


def _find_commands(node: Node) -> Iterator[Node]:
    """The commands of a substitution, with those of pipelines in order, and of substitutions inside of it."""
    for child in node.children:
        if child.type == "command":
            yield child
        if child.type != "comment":
            yield from _find_commands(child)


def _read_name(command: Node, expansion: Expansion) -> str:
    names = [child for child in command.children if child.type == "command_name"]
    return posixpath.basename(expansion.expand_text(names[0]).chars) if names else ""


def _expand_words(commands: Sequence[Node], expansion: Expansion) -> list[Text]:
    parts = [child for command in commands for child in command.children if child.is_named]
    return [word for part in parts if part.type != "command_substitution" for word in expansion.expand_words([part])]


def _compute_output(commands: Sequence[Node], expansion: Expansion) -> str | None:
    """The output of a pipeline of known commands on known words; None if it is anything else."""
    first = commands[0]
    parent = first.parent
    if parent is None or parent.type not in ("command_substitution", "pipeline"):
        return None
    stages = [first] if parent.type == "command_substitution" else [one for one in parent.children if one.is_named]
    if any(stage.type != "command" for stage in stages) or (
        parent.type == "command_substitution" and _has_siblings(parent)
    ):
        return None
    output: str | None = None
    for number, stage in enumerate(stages):
        words = expansion.expand_words([child for child in stage.children if child.is_named])
        if not words or any(not word.is_known for word in words):
            return None
        name, arguments = posixpath.basename(words[0].chars), [word.chars for word in words[1:]]
        if number == 0:
            output = SOURCES[name](arguments) if name in SOURCES else None
        else:
            output = FILTERS[name](arguments, output) if name in FILTERS and output is not None else None
        if output is None:
            return None
    return output.rstrip("\n") if output is not None else None


def _has_siblings(node: Node) -> bool:
    return sum(child.is_named for child in node.children) > 1


def _echo(words: list[str]) -> str | None:
    while words and re.fullmatch("-[neE]+", words[0]):
        words = words[1:]
    return " ".join(words)


def _compute_expression(words: list[str]) -> str | None:
    number = compute(" ".join(words).replace("\\*", "*"))
    return None if number is None else str(number)


def _make_sequence(words: list[str]) -> str | None:
    numbers = [compute(word) for word in words]
    if not numbers or len(numbers) > 2 or None in numbers:
        return None
    first, last = (1, numbers[0]) if len(numbers) == 1 else (numbers[0], numbers[1])
    if first is None or last is None or last - first > 1000:
        return None
    return "\n".join(map(str, range(first, last + 1)))


def _take_basename(words: list[str]) -> str | None:
    return posixpath.basename(words[0]).removesuffix(words[1] if len(words) == 2 else "") if words else None


def _take_dirname(words: list[str]) -> str | None:
    return posixpath.dirname(words[-1]) or "." if words else None


def _take_last(words: list[str]) -> str | None:
    return words[-1] if words else None


def _normalize_path(words: list[str]) -> str | None:
    return posixpath.normpath(words[-1]) if words and words[-1].startswith("/") else None


SOURCES: Mapping[str, Callable[[list[str]], str | None]] = {
    "echo": _echo,
    "printf": lambda words: words[0] if len(words) == 1 and "%" not in words[0] else None,
    "expr": _compute_expression,
    "seq": _make_sequence,
    "basename": _take_basename,
    "dirname": _take_dirname,
    "which": _take_last,
    "command": lambda words: _take_last(words) if words[:1] == ["-v"] else None,
    "realpath": _normalize_path,
    "readlink": _normalize_path,
}
"""Commands whose output is known from their words."""


def _translate(words: list[str], text: str) -> str | None:
    if len(words) == 2 and words[0] == "-d":
        return text.translate({ord(char): None for char in words[1]})
    if len(words) != 2 or "[:" in words[0]:
        return None
    old, new = (word.replace("\\n", "\n").replace("\\t", "\t") for word in words)
    return text.translate({ord(one): new[min(index, len(new) - 1)] for index, one in enumerate(old)}) if new else None


def _count(words: list[str], text: str) -> str | None:
    counts = {"-l": len(text.splitlines()), "-w": len(text.split()), "-c": len(text) + 1}
    return str(counts[words[0]]) if len(words) == 1 and words[0] in counts else None


def _take_lines(words: list[str], text: str, *, from_end: bool = False) -> str | None:
    match = re.fullmatch(r"(?:-n ?|-)?(\d{1,6})?", " ".join(words))
    if not match:
        return None
    number, lines = int(match[1] or 10), text.splitlines()
    return "\n".join(lines[-number:] if from_end else lines[:number])


def _cut(words: list[str], text: str) -> str | None:
    match = re.fullmatch(r"-d ?(.) -f ?(\d{1,4})", " ".join(words))
    if not match:
        return None
    return "\n".join(_take_field(line, match[1], int(match[2])) for line in text.splitlines())


def _take_field(line: str, separator: str, number: int) -> str:
    fields = line.split(separator)
    return fields[number - 1] if number <= len(fields) else ""


def _print_field(words: list[str], text: str) -> str | None:
    match = re.fullmatch(r"-F ?(\S) \{ ?print (NF|\$\d+) ?;? ?\}", " ".join(words))
    if not match:
        return None
    lines = text.splitlines()[:1]
    return "".join(
        str(len(line.split(match[1]))) if match[2] == "NF" else _take_field(line, match[1], int(match[2][1:]))
        for line in lines
    )


FILTERS: Mapping[str, Callable[[list[str], str], str | None]] = {
    "tr": _translate,
    "wc": _count,
    "head": _take_lines,
    "tail": lambda words, text: _take_lines(words, text, from_end=True),
    "cut": _cut,
    "awk": _print_field,
    "xargs": lambda words, text: " ".join(text.split()) if not words else None,
}
"""Commands in the middle of a pipeline."""
