"""Scripts for sbatch (launch.method slurm-script): what in them needs a cluster with Slurm, by its line.

A script is read as far as it takes to find its commands; what variables and substitutions become is not known.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from dsgen.scripts.slurm.rules import TABLE, read_directives, read_gpus, read_options

BEFORE = {
    *("if", "then", "elif", "else", "while", "until", "do", "time", "exec", "command", "builtin", "nohup", "eval"),
    *("!", "{", "env", "sudo", "setsid", "stdbuf"),
}
"""What stands before a command."""
ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(\[[^]]*\])?\+?=")
HEREDOC = re.compile(r"(?<!<)<<-?[ \t]*([\"']?)\\?([A-Za-z_]\w*)\1")
OF_WORD = r"\\.|\$\{[^}\n]*\}|\$?\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)|\$\(|"
PLAIN = re.compile(
    OF_WORD + r"'[^']*'|[<>]\(|(?<==)\([^()]*\)|(?<![^\s;&|()])#[^\n]*|[^\\$\s;&|()<>`\"'#]+|.", re.DOTALL
)
QUOTED = re.compile(OF_WORD + r"[^\\$`\"]+|.", re.DOTALL)
"""The pieces of a script, outside and inside of double quotes."""


class ScriptCommand(NamedTuple):
    """A command of a script: its line, and its words without their quotes."""

    line: int
    words: list[str]


class _Part:
    """The script, or a substitution in it, with the command that is being read."""

    def __init__(self, end: str = "") -> None:
        self.end, self.is_quoted = end, False
        self.words: list[str] = []
        self.word: str | None = None
        self.line = 0

    def end_word(self) -> None:
        self.words += [] if self.word is None else [self.word]
        self.word = None

    def end_command(self) -> Iterator[ScriptCommand]:
        """The command, without what stands before it."""
        self.end_word()
        words, self.words = self.words, []
        while words and (words[0] in BEFORE or ASSIGNMENT.match(words[0])):
            words = words[1:]
            while words and words[0].startswith("-"):
                words = words[1:]
        if words:
            yield ScriptCommand(self.line, words)


def _leave_out_heredocs(script: str) -> str:
    """The script with empty lines in place of its here-documents."""
    lines, places, end = script.split("\n"), dict[str, list[int]](), -1
    for number, line in enumerate(lines):
        places.setdefault(line.lstrip("\t"), []).append(number)
    for number, line in enumerate(lines):
        if number <= end:
            lines[number] = ""
            continue
        match = HEREDOC.search(line)
        ends = places.get(match[2], []) if match else []
        at = bisect_right(ends, number)
        if match and at < len(ends):
            lines[number], end = line[: match.start()] + line[match.end() :], ends[at]
    return "\n".join(lines)


def read_commands(script: str) -> Iterator[ScriptCommand]:
    """The commands of a script, also those in substitutions."""
    text = _leave_out_heredocs(script)
    parts, at = [_Part()], 0
    while at < len(text):
        part = parts[-1]
        match = (QUOTED if part.is_quoted else PLAIN).match(text, at)
        piece, at = (match[0], match.end()) if match else (text[at], at + 1)
        if piece == part.end and not part.is_quoted:
            yield from part.end_command()
            parts.pop()
        elif (piece[0] in "\n;&|()" and not part.is_quoted and piece[-1:] != ")") or piece in ("(", ")"):
            yield from part.end_command()
        elif piece == "\\\n" or (not part.is_quoted and piece[0] in " \t\r<>#" and piece[1:] != "("):
            part.end_word()
        else:
            part.line = part.line if part.words or part.word is not None else text.count("\n", 0, at - len(piece)) + 1
            part.is_quoted ^= piece == '"'
            if piece in ("$(", "<(", ">(", "`"):
                parts.append(_Part("`" if piece == "`" else ")"))
            shown = piece[1:-1] if piece[0] == "'" and not part.is_quoted else piece.removeprefix("\\")
            part.word = (part.word or "") + ("" if piece == '"' else "$" if piece[-1] in "(`" else shown)
    for part in parts:
        yield from part.end_command()


ARRAY = "SLURM_ARRAY_TASK_ID"
READS_ARRAY = re.compile(rf"^(?!\s*#).*\$\{{?{ARRAY}\b(?!:?[-+=])")
GPUS = ("gpus-per-node", "gpus", "gres")
OVER_SSH = dict.fromkeys(("deepspeed", "mpirun", "mpiexec"), "it starts processes on other nodes by ssh, without srun")


def find_obstacles(script: str, nodes: int) -> Iterator[tuple[int, str, str]]:
    """What a script on so many nodes needs that workers do not have: the line, why, and what to do."""
    if not re.match(r"#! *\S", script):
        yield 1, "its first line must begin with #! and the path to a shell, as for sbatch", "write #!/bin/bash"
    commands = {**TABLE["commands"], **(OVER_SSH if nodes > 1 else {})}
    has_steps = nodes == 1
    for line, words in read_commands(script):
        name = words[0].rpartition("/")[2]
        has_steps = has_steps or name == "srun"
        if name in commands:
            yield line, f"{name}: {commands[name]}", "remove it, or keep it behind a condition outside of Slurm"
        elif name == "scontrol" and not re.match("show hostn", " ".join(words[1:3])):
            yield line, f"{' '.join(words[:3])}: only `scontrol show hostnames` is known", "remove it"
        elif name == "srun":
            for option in read_options(words[1:])[0]:
                if not option.known and "$" not in option.name:
                    written = f"--{option.name}" if option.name[1:] else f"-{option.name}"
                    yield line, f"srun {written} is not known here", "remove the option, or write the job anew"
    if not has_steps:
        yield 1, f"it has no srun, so it uses only one of {nodes} workers", "start the processes by srun"


def find_array(script: str) -> Iterator[int]:
    """The lines of a script that is one of several jobs: the directive, and reads of the number that has no default."""
    yield from (option.line for option in read_directives(script) if option.name == "array")
    yield from (number for number, line in enumerate(script.split("\n"), 1) if READS_ARRAY.match(line))


def find_differences(script: str, values: Mapping[str, Any]) -> Iterator[tuple[int, str, str]]:
    """Directives that contradict the values: the line, why, and what to do."""
    workers = values["workers"]
    devices, nodes = workers["accelerator"]["count"] or workers["slots"], workers["replicas"]
    found = {option.name: option for option in read_directives(script)}
    for line in () if ARRAY in values["training"]["env"] else find_array(script):
        hint = f"set training.env.{ARRAY} for one of them, and make a values file for each"
        yield line, "an array is several jobs, and this is one", hint
    for line, name, value, _ in found.values():
        number = int(match[1]) if (match := re.fullmatch(r"(\d+)(-\d+)?", value)) else 0
        if name == "nodes" and number != nodes:
            yield line, f"--nodes={value}, but workers.replicas is {nodes}", "set both to the same"
        elif name == "ntasks" and "ntasks-per-node" not in found and number % nodes:
            yield line, f"--ntasks={value} cannot be shared evenly by {nodes} workers", "set --ntasks-per-node"
        elif name in GPUS and read_gpus(value) > devices * (nodes if name == "gpus" else 1):
            hint = "set workers.slots, or workers.accelerator.count"
            yield line, f"--{name}={value}, but a worker has {devices}", hint
