"""Scripts for sbatch (launch.method slurm-script): what in them needs a cluster with Slurm, by its line.

A script is read as far as it takes to find its commands; what variables and substitutions become is not known.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from dsgen.language.functions import read_json

TABLE = read_json("scripts/shared/slurm.json")
VALUED = {*TABLE["used"], *TABLE["ignored"]}
KNOWN = {*VALUED, *TABLE["flags"], *TABLE["optional"]}
BEFORE = {
    *("if", "then", "elif", "else", "while", "until", "do", "time", "exec", "command", "builtin", "nohup", "eval"),
    *("!", "{", "env", "sudo", "setsid", "stdbuf"),
}
"""What stands before a command."""
ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(\[[^]]*\])?\+?=")
HEREDOC = re.compile(r"<<(-?)[ \t]*([\"']?)([^\s\"';&|<>()]+)\2")
ARITHMETIC = re.compile(r"\$?\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)")
QUOTED = re.compile(r"'[^']*'|\\.|\$\{[^}\n]*\}", re.DOTALL)


class ScriptCommand(NamedTuple):
    """A command of a script: its line, and its words without their quotes."""

    line: int
    words: list[str]


class _Reader:
    """Finds the commands of a script, also those in substitutions."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.found: list[ScriptCommand] = []
        self.bodies: list[tuple[str, str]] = []  # of here-documents that begin on the next line

    def read(self, end: str = "") -> None:
        """Read commands up to the character that ends a substitution, or the whole text."""
        words: list[str] = []
        line = 0
        while self.at < len(self.text):
            char = self.text[self.at]
            if char in " \t\r" or self.text.startswith("\\\n", self.at):
                self.at += 2 if char == "\\" else 1
            elif char == "#":
                self.at = self._find("\n")
            elif ARITHMETIC.match(self.text, self.at) and char == "(":
                self._skip(ARITHMETIC)
            elif char in "\n;&|()`" or (char in "<>" and not self.text.startswith(("<(", ">("), self.at)):
                begins = self._read_operator(char, end)
                if char not in "<>":
                    self._add(line, words)
                    words = []
                if char == end:
                    return
                if begins:
                    self.read(begins)
            else:
                line = line if words else self.text.count("\n", 0, self.at) + 1
                words.append(self._read_word())
        self._add(line, words)

    def _read_operator(self, char: str, end: str) -> str:
        """Skip an operator; returns the end of what it opens."""
        if match := HEREDOC.match(self.text, self.at):
            self.bodies.append((match[1], match[3].lstrip("\\")))
            self.at = match.end()
            return ""
        while self.text[self.at : self.at + 1] == char and char in "<>;&|":
            self.at += 1
        if char in "<>":
            if self.text[self.at : self.at + 1] == "&":
                self.at += 1
            return ""
        if char not in ";&|":
            self.at += 1
        if char == "\n":
            self._skip_bodies()
        return {"(": ")", "`": "`"}.get(char, "") if char != end else ""

    def _skip_bodies(self) -> None:
        for dash, end in self.bodies:
            pattern = re.compile(rf"^{chr(9) + '*' if dash else ''}{re.escape(end)}$", re.MULTILINE)
            match = pattern.search(self.text, self.at)
            self.at = min(match.end() + 1, len(self.text)) if match else len(self.text)
        self.bodies.clear()

    def _read_word(self) -> str:
        word = ""
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == '"':
                self.at += 1
                word += self._read_double()
            elif self._read_substitution():
                word += "$"
            elif match := QUOTED.match(self.text, self.at):
                self.at = match.end()
                word += match[0][1:-1] if char == "'" else match[0][1:] if char == "\\" else match[0]
            elif char == "(" and word.endswith("="):
                self.at = self._find(")") + 1
            elif char in " \t\r\n;&|()<>`":
                break
            else:
                self.at += 1
                word += char
        return word

    def _read_double(self) -> str:
        word = ""
        while self.at < len(self.text):
            char = self.text[self.at]
            if self._read_substitution():
                word += "$"
                continue
            self.at += 2 if char == "\\" else 1
            if char == '"':
                break
            word += self.text[self.at - 1]
        return word

    def _read_substitution(self) -> bool:
        """Read what is substituted here, if something is."""
        if ARITHMETIC.match(self.text, self.at):
            self._skip(ARITHMETIC)
            return True
        if self.text.startswith(("$(", "<(", ">("), self.at):
            self.at += 2
            self.read(")")
            return True
        if self.text[self.at] == "`" and self.text.find("`", self.at + 1) > 0 and not self.is_in_backticks:
            self.is_in_backticks = True
            self.at += 1
            self.read("`")
            self.is_in_backticks = False
            return True
        return False

    is_in_backticks = False

    def _skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self.text, self.at)
        self.at = match.end() if match else self.at + 1

    def _find(self, char: str) -> int:
        found = self.text.find(char, self.at)
        return found if found >= 0 else len(self.text)

    def _add(self, line: int, words: list[str]) -> None:
        """Note a command, without what stands before it."""
        while words and (words[0] in BEFORE or ASSIGNMENT.match(words[0])):
            words = words[1:]
            while words and words[0].startswith("-"):
                words = words[1:]
        if words:
            self.found.append(ScriptCommand(line, words))


def read_commands(script: str) -> list[ScriptCommand]:
    """The commands of a script."""
    reader = _Reader(script)
    reader.read()
    return reader.found


def read_directives(script: str) -> Iterator[tuple[int, str, str]]:
    """Line, name and value of the options that sbatch reads: those before the first command."""
    for number, line in enumerate(script.split("\n"), 1):
        if re.match(r"#SBATCH\s", line):
            for name, value, _ in _read_options(_split(line[7:])):
                yield number, name, value
        elif line.strip() and not line.lstrip().startswith("#"):
            return


def _split(line: str) -> list[str]:
    try:
        return shlex.split(line, comments=True)
    except ValueError:  # no closing quotation
        return line.split()


def _read_options(words: Sequence[str]) -> Iterator[tuple[str, str, bool]]:
    """Name, value and whether srun here knows it, of the options before the command."""
    rest = list(words)
    while rest and rest[0].startswith("-") and rest[0] not in ("-", "--"):
        word = rest.pop(0)
        name, is_joined, value = word.lstrip("-").partition("=")
        if not word.startswith("--"):
            name = TABLE["short"].get(word[1], word[1])
            value = word[2:].removeprefix("=") if name in VALUED else ""
            if name in TABLE["flags"] and word[2:]:
                rest.insert(0, "-" + word[2:])
        is_value = bool(rest) and not is_joined and not value and (name in VALUED or not rest[0].startswith("-"))
        if is_value and name not in KNOWN - VALUED:
            value = rest.pop(0)
        yield name, value, name in KNOWN


def find_obstacles(script: str) -> Iterator[tuple[int, str, str]]:
    """What a script needs that workers do not have: the line, why, and what to do."""
    if not re.match(r"#! *\S", script):
        yield 1, "its first line must begin with #! and the path to a shell, as for sbatch", "write #!/bin/bash"
    for line, words in read_commands(script):
        name = words[0].rpartition("/")[2]
        if name in TABLE["commands"]:
            yield (
                line,
                f"{name}: {TABLE['commands'][name]}",
                "remove it, or keep it behind a condition outside of Slurm",
            )
        elif name == "scontrol" and not re.match("show hostn", " ".join(words[1:3])):
            yield line, f"{' '.join(words[:3])}: only `scontrol show hostnames` is known", "remove it"
        elif name == "srun":
            for option, _, is_known in _read_options(words[1:]):
                if not is_known and "$" not in option:
                    written = f"--{option}" if option[1:] else f"-{option}"
                    yield line, f"srun {written} is not known here", "remove the option, or write the job anew"


ARRAY = "SLURM_ARRAY_TASK_ID"


def find_differences(script: str, values: Mapping[str, Any]) -> Iterator[tuple[int, str, str]]:
    """Directives that contradict the values: the line, why, and what to do."""
    workers = values["workers"]
    devices = workers["accelerator"]["count"] or workers["slots"]
    tasks = 1
    for line, name, value in read_directives(script):
        number = int(match[1]) if (match := re.fullmatch(r"(\d+)(-\d+)?", value)) else 0
        count = int(match[1]) if (match := re.search(r"(?:^|[:,])(\d+)$", value)) else 1
        tasks = number if name == "ntasks-per-node" else tasks
        if name == "nodes" and number != workers["replicas"]:
            yield line, f"--nodes={value}, but workers.replicas is {workers['replicas']}", "set both to the same"
        elif name in ("array", "a") and ARRAY not in values["training"]["env"]:
            hint = f"set training.env.{ARRAY} for one of them, and make a values file for each"
            yield line, "an array is several jobs, and this is one", hint
        elif (name in ("gpus-per-node", "gpus") or (name == "gres" and "gpu" in value)) and count > devices:
            hint = "set workers.slots, or workers.accelerator.count"
            yield line, f"--{name}={value}, but a worker has {devices}", hint
