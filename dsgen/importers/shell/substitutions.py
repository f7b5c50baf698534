"""What `$(...)` means in scripts that start trainings: host names, numbers of nodes, dates, folders.

Nothing is run. What is not one of these idioms stays an unknown part.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from dsgen.importers.shell.expansion import Expansion
from dsgen.importers.shell.parameters import add_part, compute
from dsgen.importers.texts import Kind, Text, UnknownPart

if TYPE_CHECKING:
    from tree_sitter import Node

LISTS = frozenset(["scontrol", "nodeset", "hostlist", "slurm_nodelist", "nodelist"])
"""Commands that print the names of the nodes."""
OF_HOST = frozenset(["hostname", "hostnamectl", "uname"])
LOOKS_UP = frozenset(["srun", "ssh", "host", "nslookup", "dig", "resolveip", "ping", "nodeset"])
"""Commands that tell something about the host that they are given."""
CHANGING = frozenset(("date", "uuidgen"))
DEVICES = frozenset(("nvidia-smi", "rocm-smi", "hl-smi", "npu-smi", "lspci"))
NODE_LIST = re.compile(
    r"SLURM_(JOB_|STEP_)?NODELIST|NODELIST|hostfile|PBS_NODEFILE|SKYPILOT_NODE_IPS|/etc/volcano|\bVC_"
)
FIRST = re.compile(
    r"\b(head -n ?1|head -1|sed -n '?1p'?|sed '?1q'?|awk 'NR ?== ?1\b.*|cut -d ?'?,'? -f ?1)(?=\s*[|)`'\"]|\s*$)"
)
"""A stage of a pipeline that keeps the first of the nodes."""
JOB_ID = re.compile(r"^[^|;&]*SLURM_(ARRAY_)?JOB_?ID[^|;&]*$")


def substitute_command(node: Node, expansion: Expansion, folder: Text | None) -> Text:
    """The output of a command substitution as far as it is known. folder: the present one."""
    of = expansion.script.read_text(node)
    commands = list(_find_commands(node))
    names = [_read_name(command, expansion) for command in commands]
    if of.chars.startswith("`") and "\\" in of.chars:
        return add_part(expansion, "unclear", "", of)
    if names == ["pwd"]:
        return folder if folder is not None else expansion.scope.resolve_text("PWD", of.places, "$PWD")
    if commands and (known := _compute_output(commands, expansion)) is not None:
        return Text(known, [of.places[0]] * len(known))
    words = _expand_words(commands, expansion)
    parts = [one for word in words for one in expansion.scope.atlas.list_unknowns(word)]
    if any(one.kind == "unclear" for one in parts):
        return add_part(expansion, "unclear", "", of)
    kind, name = _find_kind(of.chars, names, words, parts, expansion.scope.own_host)
    return expansion.scope.atlas.add_unknown(UnknownPart(kind, name, "" if kind == "runtime" else of.chars), of.places)


def _find_kind(
    source: str, names: Sequence[str], words: Sequence[Text], parts: Sequence[UnknownPart], own_host: str
) -> tuple[Kind, str]:
    is_count = "wc" in names or re.search(r"\bgrep\s+-\w*c|\bprint NR\b", source) is not None
    hosts = {one.name for one in parts if one.kind == "hosts"}
    is_list = not LISTS.isdisjoint(names) or "LIST" in hosts or NODE_LIST.search(source) is not None
    shown = [word.chars for word in words]
    if is_count and (is_list or names[0] == "srun"):
        return "runtime", "NNODES"
    if not DEVICES.isdisjoint(names):
        return ("runtime", "NPROC_PER_NODE") if is_count else ("command", names[0])
    is_address = names[:1] == ["getent"] and any(one.endswith("hosts") for one in shown[1:2])
    if is_list or (names[:1] == ["srun"] and not OF_HOST.isdisjoint(shown) and not hosts):
        is_other = len(names) > 1 or "srun" in names
        return "hosts", "MASTER_ADDR" if FIRST.search(source) else "OTHER" if is_other else "LIST"
    if names and (names[0] in LOOKS_UP or is_address):
        is_first = hosts == {"MASTER_ADDR"}
        return ("hosts", "MASTER_ADDR" if is_first else "OTHER") if hosts or is_address else ("command", names[0])
    if names and names[0] in OF_HOST and "-a" not in shown and (names[0] != "uname" or "-n" in shown):
        is_number = any(re.fullmatch(r"-[iI]+|--ip-address|--all-ip-addresses", one) for one in shown)
        return "hosts", "OTHER" if is_number and own_host != "MASTER_ADDR" else own_host
    if hosts:
        is_first = hosts == {"MASTER_ADDR"} and names[:1] == ["echo"]
        return "hosts", "MASTER_ADDR" if is_first else "OTHER"
    is_changing = names and names[0] in CHANGING and len(names) == 1
    if is_changing or (names[:1] == ["echo"] and len(names) == 1 and JOB_ID.search(source)):
        return "changing", names[0]
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
    outer = parent if parent.type == "command_substitution" else parent.parent
    if any(stage.type != "command" for stage in stages) or outer is None or outer.named_child_count != 1:
        return None
    output: str | None = None
    for number, stage in enumerate(stages):
        children = [child for child in stage.children if child.is_named]
        words = expansion.expand_words(children)
        is_plain = all(child.type not in ("variable_assignment", "herestring_redirect") for child in children)
        if not words or not is_plain or any(not word.is_known for word in words):
            return None
        if any(word.places and word.places[0] in expansion.scope.doubts for word in words):
            return None
        name, arguments = posixpath.basename(words[0].chars), [word.chars for word in words[1:]]
        if number == 0:
            output = SOURCES[name](arguments) if name in SOURCES else None
        else:
            output = FILTERS[name](arguments, output) if name in FILTERS and output is not None else None
        if output is None:
            return None
    return output.rstrip("\n") if output is not None else None


def echo(words: list[str]) -> str | None:
    """What `echo` prints, without the line end; None for options that interpret backslashes."""
    if words and re.fullmatch("-[neE]+", words[0]):
        return " ".join(words[1:]) if words[0] == "-n" else None
    return " ".join(words)


def _compute_expression(words: list[str]) -> str | None:
    is_plain = all(re.fullmatch(r"-?\d+|[-+*/%()]", word) for word in words)
    number = compute(" ".join(words)) if is_plain else None
    return None if number is None else str(number)


def _make_sequence(words: list[str]) -> str | None:
    numbers = [compute(word) if re.fullmatch(r"-?[1-9]\d*|0", word) else None for word in words]
    if not numbers or len(numbers) > 2 or None in numbers:
        return None
    first, last = (1, numbers[0]) if len(numbers) == 1 else (numbers[0], numbers[1])
    if first is None or last is None or last - first > 1000:
        return None
    return "\n".join(map(str, range(first, last + 1)))


def _take_basename(words: list[str]) -> str | None:
    if len(words) not in (1, 2) or words[0].startswith("-") or not words[0].strip("/"):
        return None
    name = posixpath.basename(words[0].rstrip("/"))
    return name if name == words[-1] else name.removesuffix(words[1] if len(words) == 2 else "")


def _take_dirname(words: list[str]) -> str | None:
    if len(words) != 1 or words[0].startswith("-") or not words[0].strip("/"):
        return None
    return posixpath.dirname(words[0].rstrip("/")).rstrip("/") or ("/" if words[0].startswith("/") else ".")


def _normalize_path(words: list[str]) -> str | None:
    is_plain = len(words) == 1 or (len(words) == 2 and words[0] in ("-f", "-m", "-e"))
    return posixpath.normpath(words[-1]) if is_plain and re.match(r"/(?!/)", words[-1]) else None


PROGRAMS = "python3?|torchrun|deepspeed|accelerate"
SOURCES: Mapping[str, Callable[[list[str]], str | None]] = {
    "echo": echo,
    "printf": lambda words: words[0] if len(words) == 1 and not re.search(r"[%\\]|^-", words[0]) else None,
    "expr": _compute_expression,
    "seq": _make_sequence,
    "basename": _take_basename,
    "dirname": _take_dirname,
    "which": lambda words: words[0] if len(words) == 1 and re.fullmatch(PROGRAMS, words[0]) else None,
    "realpath": _normalize_path,
    "readlink": _normalize_path,
}
"""Commands whose output is known from their words."""


def _translate(words: list[str], text: str) -> str | None:
    if any(len(word) != 1 for word in words[-2 if words[0] != "-d" else -1 :]) or len(words) != 2:
        return None
    return text.replace(words[1], "") if words[0] == "-d" else text.replace(words[0], words[1])


def _take_lines(words: list[str], text: str, *, from_end: bool = False) -> str | None:
    match = re.fullmatch(r"(?:-n ?|-)?(\d{1,6})?", " ".join(words))
    if not match:
        return None
    number, lines = int(match[1] or 10), text.split("\n")
    return "\n".join(lines[max(len(lines) - number, 0) :] if from_end else lines[:number])


def _cut(words: list[str], text: str) -> str | None:
    match = re.fullmatch(r"-d ?([^\\\s]) -f ?([1-9]\d{0,3})", " ".join(words))
    return None if not match else "\n".join(_take_field(line, match[1], int(match[2])) for line in text.split("\n"))


def _take_field(line: str, separator: str, number: int) -> str:
    fields = line.split(separator)
    return line if len(fields) == 1 else fields[number - 1] if number <= len(fields) else ""


FILTERS: Mapping[str, Callable[[list[str], str], str | None]] = {
    "tr": lambda words, text: _translate(words, text) if words else None,
    "head": _take_lines,
    "tail": lambda words, text: _take_lines(words, text, from_end=True),
    "cut": _cut,
}
"""Commands in the middle of a pipeline."""
