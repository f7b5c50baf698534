"""The state of reading a script: what happened so far, and how statements are handed out to their handlers."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from dsgen.importers.errors import ImportRefusedError
from dsgen.importers.launchers import rank_command
from dsgen.importers.shell.commands import PREPARES, WRAPPERS, Meaning, count_wrapper_words, find_meaning
from dsgen.importers.shell.expansion import Expansion
from dsgen.importers.shell.scope import ShellScope, Value
from dsgen.importers.shell.substitutions import substitute_command
from dsgen.importers.shell.syntax import Script, parse
from dsgen.importers.texts import OF_STATEMENT, SourceMap, Text, spend

if TYPE_CHECKING:
    from tree_sitter import Node

EventKind = Literal["assigned", "exported", "dropped", "lost", "setup", "loaded", "folder", "file", "slots"]
SHELLS = ("bash", "sh", "/bin/bash", "/bin/sh", "/usr/bin/bash", "/usr/bin/env", "dash", "zsh")
DEEPEST = 12
ITSELF = "it controls the script itself"


@dataclass
class ScriptEvent:
    """One statement and what it means.

    text: the statement, with its place. name and value: of a variable or a file. why and hint: for the report.
    """

    kind: EventKind
    text: Text
    why: str = ""
    hint: str = ""
    name: str = ""
    value: Value = field(default_factory=Text)


@dataclass
class Launch:
    """A command line that may start the training.

    words: the program and its arguments. statement: the whole command. wrappers: the programs before it, such as srun,
    each with its name and its options. exported: the environment, with the place where each variable was exported.
    rank: how sure it is, see `launchers.rank_command`. after: the number of events before it. is_certain: whether it
    runs whatever the cluster is like. is_repeated: a loop over unknown words runs it several times. has_nodes: a loop
    over the nodes, or ssh, runs it once for each.
    """

    words: list[Text]
    statement: Text
    wrappers: list[tuple[str, list[Text]]]
    exported: dict[str, tuple[Value, int]]
    prefix: dict[str, Text]
    folder: Text | None
    rank: int
    after: int
    is_certain: bool
    is_repeated: bool
    has_nodes: bool


@dataclass
class Reading:
    """The result: everything in order, the possible launches, and the variables at the end."""

    events: list[ScriptEvent]
    launches: list[Launch]
    scope: ShellScope
    files: dict[str, tuple[Text, Text]]
    """Files that the script writes: by name, the statement and the content."""


Handle = Callable[["ScriptReader", Script, "Node"], None]
HandleWords = Callable[["ScriptReader", list[Text], Text, dict[str, Text], "Text | None"], None]


@dataclass(frozen=True)
class Handlers:
    """Who reads what: statements by the type of their node, and command lines."""

    statements: Mapping[str, Handle]
    words: HandleWords


class ScriptReader:
    """Reads one script. Its handlers change this state.

    events and launches: the result so far. folder: the present one. wrappers: programs around the present command line.
    is_certain: the statement runs whatever the cluster is like; is_repeated: in a loop over words that are not known;
    has_nodes: once for each node; is_over: the script has ended.
    """

    def __init__(self, atlas: SourceMap, scope: ShellScope, helpers: Mapping[str, Text], handlers: Handlers) -> None:
        self.atlas, self.scope, self.helpers, self.handlers = atlas, scope, helpers, handlers
        self.events: list[ScriptEvent] = []
        self.launches: list[Launch] = []
        self.functions: dict[str, tuple[Script, Node]] = {}
        self.files: dict[str, tuple[Text, Text]] = {}
        self.folder: Text | None = None
        self.wrappers: list[tuple[str, list[Text]]] = []
        self.depth = 0
        self.is_certain, self.is_repeated, self.has_nodes, self.is_over = True, False, False, False

    def read_commands(self, text: Text) -> None:
        """Read the commands of a text, such as that of `bash -c`."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise ImportRefusedError(
                "the commands call each other without end", self.atlas.resolve_place(text.places[0])
            )
        script = parse(text, self.atlas)
        self.read_statements(script, script.root.children)
        self.depth -= 1

    def read_statements(self, script: Script, nodes: Sequence[Node]) -> None:
        """Read statements in order, until one ends the script."""
        for node in nodes:
            if not node.is_named or node.type in ("comment", "heredoc_body"):
                continue
            if self.is_over:
                self.add_event("dropped", script.read_text(node), "the script has ended before it")
            else:
                self.read_statement(script, node)

    def read_statement(self, script: Script, node: Node) -> None:
        """Read one statement."""
        spend(OF_STATEMENT)
        handle = self.handlers.statements.get(node.type)
        if handle:
            handle(self, script, node)
        elif node.type in ("do_group", "program", "compound_statement", "subshell", "ERROR", "else_clause"):
            self.read_block(script, node)
        elif node.type not in ("heredoc_redirect", "file_redirect"):
            self.add_event("dropped", script.read_text(node), ITSELF)

    def read_block(self, script: Script, node: Node) -> None:
        """Read the statements in braces, parentheses or a branch."""
        if script.read_text(node).chars.startswith("(("):
            self.add_event("dropped", script.read_text(node), ITSELF)
        elif node.type == "subshell":
            folder = self.folder
            self.read_statements(script, node.children)
            self.folder = folder
        else:
            self.read_statements(script, node.children)

    def read_inner(self, text: Text) -> None:
        """The commands of another shell."""
        was, self.scope = self.scope, self.scope.make_inner()
        self.read_commands(text)
        self.scope = was

    def rank_node(self, script: Script, node: Node) -> int:
        """The rank of a command without reading it."""
        words = self.make_expansion(script).expand_words(list_arguments(node))
        names = [word.chars for word in words]
        for index, name in enumerate(names[:-1]):
            if posixpath.basename(name) in WRAPPERS and index < 2:
                rest = words[index + 1 + count_wrapper_words(WRAPPERS[posixpath.basename(name)], words[index + 1 :]) :]
                names = [word.chars for word in rest]
                break
        if names and names[0] in SHELLS and "-c" in " ".join(names[:3]):
            names = names[-1].split() or names
        return (
            rank_command(names, is_under_srun=False)
            if (names and find_meaning(names) is PREPARES) or rank_command(names, False) == 3
            else 0
        )

    def read_meaning(self, script: Script, node: Node) -> Meaning:
        """What a command means if it does not start the training."""
        words = [word.chars for word in self.make_expansion(script).expand_words(list_arguments(node))]
        return find_meaning(words) if words else PREPARES

    def make_expansion(self, script: Script) -> Expansion:
        """Expands the words of a script in the present scope."""
        expansion: Expansion

        def substitute(node: Node, inside: Script) -> Text:
            return substitute_command(node, Expansion(inside, self.scope, substitute), self.folder)

        expansion = Expansion(script, self.scope, substitute)
        return expansion

    def add_event(
        self, kind: EventKind, text: Text, why: str = "", hint: str = "", name: str = "", value: Value | None = None
    ) -> None:
        """Note what a statement means."""
        self.events.append(ScriptEvent(kind, text, why, hint, name, value if value is not None else Text()))

    def read_words(
        self, words: list[Text], statement: Text, prefix: dict[str, Text], stdin: Text | None = None
    ) -> None:
        """Read a command line whose words are expanded."""
        self.handlers.words(self, words, statement, prefix, stdin)


def list_arguments(node: Node) -> list[Node]:
    """The name and the arguments of a command."""
    if node.type != "command":
        return [child for child in node.children if child.is_named]
    skipped = ("variable_assignment", "file_redirect", "heredoc_redirect", "herestring_redirect", "comment")
    return [child for child in node.children if child.is_named and child.type not in skipped]
