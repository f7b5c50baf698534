"""The commands of a shell script, with their lines.

A script is read as far as it takes to find its commands; what variables and substitutions become is not known.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import dropwhile
from typing import NamedTuple

_PRECEDES = re.compile(r"if|then|elif|else|while|until|do|time|-p|!|\{|[A-Za-z_]\w*(\[[^]]*\])?\+?=.*", re.DOTALL)
"""What stands before the program of a command."""
_HEREDOC = re.compile(r"(?<!<)<<-?[ \t]*([\"']?)\\?([A-Za-z_]\w*)\1")
_OF_WORD = r"\\.|\$\{[^}\n]{0,500}\}|\$?\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)|\$\(|"
_PLAIN = re.compile(
    _OF_WORD + r"'[^']*'|[<>]\(|(?<==)\([^()]*\)|(?<![^\s;&|()])#[^\n]*|[^\\$\s;&|()<>`\"'#]+|.", re.DOTALL
)
_QUOTED = re.compile(_OF_WORD + r"[^\\$`\"]+|.", re.DOTALL)
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
        words, self.words = list(dropwhile(_PRECEDES.fullmatch, self.words)), []
        if words:
            yield ScriptCommand(self.line, words)


def remove_heredocs(script: str, is_quoted: bool = False) -> str:
    """The script with empty lines in place of its here-documents; is_quoted: of those that the shell does not read."""
    lines, places, end = script.split("\n"), dict[str, list[int]](), -1
    for number, line in enumerate(lines):
        places.setdefault(line.lstrip("\t"), []).append(number)
    for number, line in enumerate(lines):
        if number <= end:
            lines[number] = ""
            continue
        match = _HEREDOC.search(line)
        ends = places.get(match[2], []) if match else []
        at = bisect_right(ends, number)
        if match and at < len(ends) and (match[1] or not is_quoted):
            lines[number], end = line[: match.start()] + line[match.end() :], ends[at]
    return "\n".join(lines)


def read_commands(script: str) -> Iterator[ScriptCommand]:
    """The commands of a script, also those in substitutions."""
    text = remove_heredocs(script)
    parts, at, line = [_Part()], 0, 1
    while at < len(text):
        part = parts[-1]
        match = (_QUOTED if part.is_quoted else _PLAIN).match(text, at)
        piece, at = (match[0], match.end()) if match else (text[at], at + 1)
        if piece == part.end and not part.is_quoted:
            yield from part.end_command()
            parts.pop()
        elif (piece[0] in "\n;&|()" and not part.is_quoted and piece[-1:] != ")") or piece in ("(", ")"):
            yield from part.end_command()
        elif piece == "\\\n" or (not part.is_quoted and piece[0] in " \t\r<>#" and piece[1:] != "("):
            part.end_word()
        else:
            part.line = part.line if part.words or part.word is not None else line
            part.is_quoted ^= piece == '"'
            if piece in ("$(", "<(", ">(", "`"):
                parts.append(_Part("`" if piece == "`" else ")"))
            shown = piece[1:-1] if piece[0] == "'" and not part.is_quoted else piece.removeprefix("\\")
            part.word = (part.word or "") + ("" if piece == '"' else "$" if piece[-1] in "(`" else shown)
        line += piece.count("\n")
    for part in parts:
        yield from part.end_command()
