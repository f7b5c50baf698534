"""The state of reading a script: what happened so far, and how statements are handed out to their handlers."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from dsgen.importers.launchers import rank_command
from dsgen.importers.ledger import ImportRefusedError
from dsgen.importers.shell.commands import PREPARES, WRAPPERS, count_wrapper_words, find_meaning
from dsgen.importers.shell.effects import EffectFinder, Effects
from dsgen.importers.shell.expansion import Expansion
from dsgen.importers.shell.scope import ShellScope, Value
from dsgen.importers.shell.substitutions import substitute_command
from dsgen.importers.shell.syntax import Script, parse
from dsgen.importers.texts import OF_STATEMENT, SourceMap, Text, UnknownPart, spend

if TYPE_CHECKING:
    from tree_sitter import Node

EventKind = Literal[
    "assigned", "exported", "dropped", "lost", "setup", "loaded", "sourced", "folder", "file", "slots", "outside"
]
SHELLS = ("bash", "sh", "/bin/bash", "/bin/sh", "/usr/bin/bash", "/usr/bin/env", "dash", "zsh")
DEEPEST = 12
ITSELF = "it controls the script itself"
CHECKS = "it checks the arguments or the environment of the script"
PRINTS = "it only prints or waits"


@dataclass
class ScriptEvent:
    """One statement and what it means.

    text: the statement, with its place. name and value: of a variable or a file. why and hint: for the report. names:
    the variables that a statement changes that dsgen does not follow.
    """

    kind: EventKind
    text: Text
    why: str = ""
    hint: str = ""
    name: str = ""
    value: Value = field(default_factory=Text)
    names: frozenset[str] = frozenset()


@dataclass
class Launch:
    """A command line that may start the training.

    words: the program and its arguments. statement: the whole command. wrappers: the programs before it, such as srun,
    each with its name and its options. exported: the environment, with the place where each variable was exported.
    rank: how sure it is, see `launchers.rank_command`. after: the number of events before it. is_certain: whether it
    runs whatever the cluster is like. loops: the places of the loops around it. has_nodes: a loop or ssh may run it
    once for each node.
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
    loops: tuple[int, ...]
    has_nodes: bool


@dataclass
class Reading:
    """The result: everything in order, the possible launches, and the variables at the end."""

    events: list[ScriptEvent]
    launches: list[Launch]
    scope: ShellScope
    files: dict[str, tuple[Text, Text]]
    """Files that the script writes: by name, the statement and the content."""
    blocked: list[tuple[Text, UnknownPart]] = field(default_factory=list)
    """Commands whose program is not known."""


Handle = Callable[["ScriptReader", Script, "Node"], "bool | None"]
"""Reads a statement; returns whether it succeeds, None if that is not known."""
HandleWords = Callable[["ScriptReader", list[Text], Text, dict[str, Text], "Text | None"], "bool | None"]


@dataclass(frozen=True)
class Handlers:
    """Who reads what: statements by the type of their node, and command lines."""

    statements: Mapping[str, Handle]
    words: HandleWords


class ScriptReader:
    """Reads one script. Its handlers change this state.

    events and launches: the result so far. folder: the present one. wrappers: programs around the present command line.
    is_certain: the statement runs whatever the cluster is like; loops: the places of the loops around it; has_nodes:
    once for each node; is_over: the script, or the function, has ended. assumed: the variables that the last condition
    took as unset. blocked: commands whose program is not known. prefix: variables that
    the shell got on its own command line.
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
        self.loops: tuple[int, ...] = ()
        self.is_certain, self.has_nodes, self.is_over = True, False, False
        self.assumed: list[str] = []
        self.prefix: dict[str, Text] = {}
        self.blocked: list[tuple[Text, UnknownPart]] = []

    def read_commands(self, text: Text) -> None:
        """Read the commands of a text, such as that of `bash -c`."""
        self._go_deeper(text)
        script = parse(text, self.atlas)
        self.read_statements(script, script.root.children)
        self.depth -= 1

    def _go_deeper(self, text: Text) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            at = self.atlas.resolve_place(text.places[0])
            raise ImportRefusedError("the commands call each other without end", at)

    def read_statements(self, script: Script, nodes: Sequence[Node]) -> bool | None:
        """Read statements in order, until one ends the script; returns whether the last one succeeds."""
        truth: bool | None = None
        for index, node in enumerate(nodes):
            if not node.is_named or node.type in ("comment", "heredoc_body"):
                continue
            if self.is_over:
                self.add_event("dropped", script.read_text(node), "the script has ended before it")
            elif nodes[index + 1 : index + 2] and nodes[index + 1].type == "&":
                with self.fork():
                    self.read_statement(script, node)
                truth = True
            else:
                truth = self.read_statement(script, node)
        return truth

    def read_statement(self, script: Script, node: Node) -> bool | None:
        """Read one statement; returns whether it succeeds, None if that is not known."""
        spend(OF_STATEMENT)
        handle = self.handlers.statements.get(node.type)
        if script.read_text(node).chars.startswith("((") and node.type == "compound_statement":
            handle = self.handlers.statements["test_command"]
        if handle:
            return handle(self, script, node)
        if node.type in ("do_group", "program", "compound_statement", "else_clause"):
            return self.read_statements(script, node.children)
        if node.type not in ("heredoc_redirect", "file_redirect", "herestring_redirect"):
            self.read_outside(script.read_text(node), script, [node.children], "dsgen does not understand it")
        return None

    @contextmanager
    def fork(self) -> Iterator[None]:
        """Inside, variables and the folder change only for the statements that are read there."""
        was = self.scope, self.folder, self.is_over
        self.scope = self.scope.fork()
        yield
        self.scope, self.folder, self.is_over = was

    def read_inner(self, text: Text) -> None:
        """The commands of another shell."""
        was, self.scope = self.scope, self.scope.make_inner()
        if self.wrappers:
            self.scope.own_host = "HOSTNAME"
        self.read_commands(text)
        self.scope = was

    def read_outside(
        self,
        text: Text,
        script: Script,
        bodies: Sequence[Sequence[Node]],
        why: str,
        loop: Node | None = None,
        is_call: bool = False,
    ) -> None:
        """Statements that dsgen does not follow: what they may change is unknown afterwards.

        A command line in them that may start the training is read once; before it, what a loop changes is unknown, too.
        text: the whole statement. bodies: what it may run. loop: the node of a loop. is_call: of a function.
        """
        place = text.places[0] if text else 0
        effects = [EffectFinder(self, script).find(body) for body in ([[loop]] if loop is not None else bodies)]
        kept = [one for body, one in zip(bodies, effects, strict=False) if one.starts or not ends_script(script, body)]
        names = {name for one in kept for name in one.names}
        if any(one.is_all for one in kept):
            names |= set(self.scope.variables)
        starts = any(one.starts for one in kept)
        is_harmless = all(one.is_silent and not one.files and not one.has_folder for one in kept)
        if not starts and is_harmless and not names:
            self.add_event("dropped", text, CHECKS if not kept or any(one.exits for one in kept) else PRINTS)
            return
        name = "" if is_harmless else "runs"
        self.events.append(ScriptEvent("outside", text, why, name=name, names=frozenset(names)))
        if starts:
            self.events[-1].text = text.partition("\n")[0]
            self._read_once(script, bodies, names if loop is not None else set(), place, is_call)
        self._forget(kept, names, place)

    def _read_once(
        self, script: Script, bodies: Sequence[Sequence[Node]], names: set[str], place: int, is_call: bool
    ) -> None:
        """Read the bodies once. names: what a loop changes."""
        was, is_loop = (self.is_certain, self.loops, self.has_nodes), bool(names)
        self.is_certain, self.has_nodes = is_call and self.is_certain, self.has_nodes or is_loop
        self.loops = (*self.loops, place) if is_loop else self.loops
        for body in bodies:
            with self.fork():
                self.scope.blur(names, place)
                if is_call:
                    self.scope.arguments, self.scope.cause = None, place
                self._go_deeper(script.text)
                self.read_statements(script, body)
                self.depth -= 1
        self.is_certain, self.loops, self.has_nodes = was

    def _forget(self, kept: Sequence[Effects], names: set[str], place: int) -> None:
        """Make unknown what statements may change."""
        self.scope.blur(names, place)
        for one in kept:
            for name in one.exported - set(self.scope.exported):
                self.scope.export(name, place)
            if one.has_arguments:
                self.scope.arguments, self.scope.cause = None, place
            if one.has_folder:
                self.folder = self.atlas.add_unknown(UnknownPart("unclear", "PWD", "$PWD", place), [place])
            for target in one.files:
                self.blur_file(self.atlas.format_text(target), place)

    def blur_file(self, name: str, place: int) -> None:
        """Make the content of a file unknown that the script wrote."""
        for known in [one for one in self.files if one.removeprefix("./") == name.removeprefix("./")]:
            unknown = self.atlas.add_unknown(UnknownPart("unclear", "", known, place), [place])
            self.files[known] = (self.files[known][0], unknown)

    def note_function(self, script: Script, node: Node) -> None:
        """Remember the body of a function."""
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is not None and body is not None:
            self.functions[script.read_text(name).chars] = (script, body)

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
        if not names:
            return 0
        rank = rank_command(names, is_under_srun=False)
        return rank if rank == 3 or find_meaning(names) is PREPARES else 0

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
    ) -> bool | None:
        """Read a command line whose words are expanded."""
        return self.handlers.words(self, words, statement, prefix, stdin)


def ends_script(script: Script, body: Sequence[Node]) -> bool:
    """Whether statements end the script in each case."""
    commands = [script.read_text(one).chars.split() for one in body if one.type == "command"]
    return any(words[:1] in (["exit"], ["return"]) for words in commands)


def list_arguments(node: Node) -> list[Node]:
    """The name and the arguments of a command."""
    if node.type != "command":
        return [child for child in node.children if child.is_named]
    skipped = ("variable_assignment", "file_redirect", "heredoc_redirect", "herestring_redirect", "comment")
    return [child for child in node.children if child.is_named and child.type not in skipped]
