"""What statements may change that dsgen does not follow: loops, functions, branches of unknown conditions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

from dsgen.importers.shell.commands import find_meaning, is_loader
from dsgen.importers.shell.parameters import ASSIGNS
from dsgen.importers.texts import OF_OPERATION, Text, spend

if TYPE_CHECKING:
    from tree_sitter import Node

    from dsgen.importers.shell.expansion import Expansion
    from dsgen.importers.shell.syntax import Script

INNER = ("subshell", "command_substitution", "process_substitution", "pipeline")
"""Whose assignments do not come back."""
OPEN = ("command_substitution", "simple_expansion", "string")
"""Words of a declaration whose names are only known when it runs."""
READS = ("read", "mapfile", "readarray", "getopts", "let", "printf", "unset", "wait")
"""Commands that set the variables that they name."""
ENDS = ("exit", "return", "break", "continue")
IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.ASCII)


@dataclass
class Effects:
    """What statements may change.

    names: variables; exported: those that they also export. is_all: all variables. files: targets of their output.
    starts: they may start a training. is_silent: they run nothing but what has no effect. has_folder: they change the
    folder; has_arguments: those of the script. exits: they end the script.
    """

    names: set[str] = field(default_factory=set)
    exported: set[str] = field(default_factory=set)
    files: list[Text] = field(default_factory=list)
    is_all: bool = False
    starts: bool = False
    is_silent: bool = True
    has_folder: bool = False
    has_arguments: bool = False
    exits: bool = False


class Reads(Protocol):
    """What reads a script. functions: their bodies."""

    functions: dict[str, tuple[Script, Node]]

    def note_function(self, script: Script, node: Node) -> None:
        """Remember the body of a function."""

    def rank_node(self, script: Script, node: Node) -> int:
        """How surely a command starts the training."""

    def make_expansion(self, script: Script) -> Expansion:
        """Expands the words of a script."""


class EffectFinder:
    """Collects the effects of statements of one script."""

    def __init__(self, reader: Reads, script: Script) -> None:
        self.reader, self.script = reader, script
        self.found = Effects()
        self.seen: set[str] = set()

    def find(self, nodes: Sequence[Node]) -> Effects:
        """The effects of these statements."""
        for node in nodes:
            self._visit(node, is_inner=False)
        return self.found

    def _visit(self, node: Node, is_inner: bool) -> None:
        spend(OF_OPERATION)
        kind = node.type
        if kind == "function_definition":
            self.reader.note_function(self.script, node)
            return
        if kind == "command":
            self._visit_command(node, is_inner)
        elif kind == "file_redirect" and self.script.read_text(node).chars.lstrip("0123456789&")[:1] == ">":
            self.found.files.append(self.reader.make_expansion(self.script).expand_text(node.children[-1]))
        elif not is_inner:
            self._visit_names(node)
        for child in node.children:
            self._visit(child, is_inner or child.type in INNER)

    def _visit_names(self, node: Node) -> None:
        names, text = self.found.names, self.script.read_text(node).chars
        if node.type == "variable_assignment" and node.parent is not None and node.parent.type != "command":
            match = IDENTIFIER.match(text)
            names.update({match[0]} if match else set())
        elif node.type in ("declaration_command", "unset_command"):
            given = [name for child in node.children[1:] for name in IDENTIFIER.findall(self._read_name(child))]
            names.update(given)
            self.found.exported.update(given if text.startswith("export") or re.match(r"\w+ -\w*x", text) else ())
            is_open = any(child.type in OPEN for child in node.children)
            self.found.is_all |= is_open and node.type == "declaration_command"
        elif node.type in ("for_statement", "select_statement"):
            names.update(self.script.read_text(node.children[1]).chars.split()[:1])
        elif node.type in ("arithmetic_expansion", "c_style_for_statement", "test_command") or text.startswith("(("):
            head = text.partition("do")[0] if node.type == "c_style_for_statement" else text
            names.update(match[1] or match[2] for match in ASSIGNS.finditer(head) if "((" in head)
        elif node.type == "expansion" and (match := re.match(r"\$\{(\w+):?=", text)):
            names.add(match[1])

    def _read_name(self, node: Node) -> str:
        text = self.script.read_text(node).chars
        return "" if text.startswith("-") else re.split(r"\+?=|\[", text.strip("'\""))[0]

    def _visit_command(self, node: Node, is_inner: bool) -> None:
        found, reader = self.found, self.reader
        words = [self.script.read_text(child).chars for child in node.children if child.is_named]
        words = [word for child, word in zip(_named(node), words, strict=True) if child.type != "variable_assignment"]
        name = words[0] if words else ""
        if name in reader.functions:
            if name not in self.seen:
                self.seen.add(name)
                script, body = reader.functions[name]
                inner = EffectFinder(reader, script)
                inner.found, inner.seen = found, self.seen
                inner._visit(body, is_inner)
            return
        if name in READS and not is_inner:
            found.names.update(list_written(words))
        found.exits |= name in ENDS and not is_inner
        found.has_arguments |= (name == "shift" or words[:2] == ["set", "--"]) and not is_inner
        found.has_folder |= name in ("cd", "pushd", "popd") and not is_inner
        found.is_all |= name in ("eval", "source", ".") and not is_loader(words) and not is_inner
        found.starts |= reader.rank_node(self.script, node) > 0
        if name not in ("cd", "shift", "eval", "export", *READS):
            asks = name == "ssh" and words[-1] in ("true", "exit", "hostname", "date", ":")
            found.is_silent &= asks or (bool(words) and find_meaning(words).role == "silent")


def _named(node: Node) -> Iterator[Node]:
    return (child for child in node.children if child.is_named)


def list_written(words: Sequence[str]) -> list[str]:
    """The variables that a builtin sets."""
    name, rest = words[0], [word.strip("'\"") for word in words[1:]]
    if name == "let":
        return [match[1] or match[2] for word in rest for match in ASSIGNS.finditer(word)]
    if name in ("printf", "wait"):
        return [following for word, following in pairwise(rest) if word in ("-v", "-p")]
    if name == "getopts":
        return [*rest[1:2], "OPTARG", "OPTIND"]
    defaults = {"read": ["REPLY"], "mapfile": ["MAPFILE"], "readarray": ["MAPFILE"]}
    return [word for word in rest if IDENTIFIER.fullmatch(word)] or defaults.get(name, [])
