"""Reads a script statement by statement, as bash would, without running anything.

The result is what happened in order: variables, files, folders, other commands, and the command lines that start the
training. Assignments, commands and branches whose condition is known are followed; loops, functions and `case` are not:
what they may change is unknown afterwards.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

from dsgen.importers.launchers import parse_launch_command, rank_command
from dsgen.importers.ledger import ImportRefusedError
from dsgen.importers.secrets import is_secret_name
from dsgen.importers.shell.commands import (
    LOADS_CONDA,
    OF_SSH,
    PREPARES,
    SSH,
    WRAPPERS,
    count_wrapper_words,
    find_meaning,
    is_loader,
)
from dsgen.importers.shell.conditions import Conditions
from dsgen.importers.shell.scope import ShellScope, Value
from dsgen.importers.shell.syntax import Script, list_arguments, parse
from dsgen.importers.shell.words import ASSIGNS, LISTS, LOOKS_UP, OF_HOST, Expansion, echo
from dsgen.importers.texts import OF_OPERATION, OF_STATEMENT, SourceMap, Text, UnknownPart, join, place_at, spend

if TYPE_CHECKING:
    from tree_sitter import Node

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
    rank: how surely they start a training, see `launchers.rank_command`. is_silent: they run nothing but what has no
    effect. has_folder: they change the folder; has_arguments: those of the script. exits: they end the script.
    """

    names: set[str] = field(default_factory=set)
    exported: set[str] = field(default_factory=set)
    files: list[Text] = field(default_factory=list)
    is_all: bool = False
    rank: int = 0
    is_silent: bool = True
    has_folder: bool = False
    has_arguments: bool = False
    exits: bool = False


class EffectFinder:
    """Collects the effects of statements of one script."""

    def __init__(self, reader: ScriptReader, script: Script) -> None:
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
        if node.type == "function_definition":
            self.reader.note_function(self.script, node)
            return
        text = self.script.read_text(node).chars
        if node.type == "command":
            self._visit_command(node, is_inner)
        elif node.type == "file_redirect" and text.lstrip("0123456789&")[:1] == ">":
            self.found.files.append(Expansion(self.script, self.reader.scope).expand_text(node.children[-1]))
        elif not is_inner:
            self._visit_names(node, text)
        for child in node.children:
            self._visit(child, is_inner or child.type in INNER)

    def _visit_names(self, node: Node, text: str) -> None:
        names = self.found.names
        if node.type == "variable_assignment" and node.parent is not None and node.parent.type != "command":
            names.update(IDENTIFIER.findall(text)[:1])
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
        of_words = [child for child in node.named_children if child.type != "variable_assignment"]
        words = [self.script.read_text(child).chars for child in of_words]
        name = words[0] if words else ""
        if name in reader.functions:
            if name not in self.seen:
                self.seen.add(name)
                script, body = reader.functions[name]
                inner = EffectFinder(reader, script)
                inner.found, inner.seen = found, self.seen
                inner._visit(body, is_inner)
            return
        if not is_inner:
            found.names.update(list_written(words) if name in READS else ())
            found.exits |= name in ENDS
            found.has_arguments |= name == "shift" or words[:2] == ["set", "--"]
            found.has_folder |= name in ("cd", "pushd", "popd")
            found.is_all |= name in ("eval", "source", ".") and not is_loader(words)
        found.rank = max(found.rank, reader.rank_node(self.script, node))
        if name not in ("cd", "shift", "eval", "export", *READS):
            asks = name == "ssh" and words[-1] in ("true", "exit", "hostname", "date", ":")
            found.is_silent &= asks or (bool(words) and find_meaning(words).role == "silent")


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


# -- reading -----------------------------------------------------------------------------------------------------------

EventKind = Literal[
    "assigned", "exported", "dropped", "lost", "setup", "loaded", "sourced", "folder", "file", "slots", "outside"
]
Variables = Mapping[str, Text]
SHELLS = ("bash", "sh", "/bin/bash", "/bin/sh", "/usr/bin/bash", "/usr/bin/env", "dash", "zsh")
DEEPEST = 12
ITSELF = "it controls the script itself"
CHECKS = "it checks the arguments or the environment of the script"
PRINTS = "it only prints or waits"
NOTHING = "it runs nothing"
NOT_TRUE = "its condition does not hold"
CONDITION = "its condition is only known on the cluster"
FAILS = "it runs only if the command before it fails"
LOOP, CASE, CALL = "dsgen does not follow loops", "dsgen does not follow case", "dsgen does not follow functions"
NOT_COMPUTED = "dsgen does not compute it"
SOURCED = "put the file beside the script, or write what it sets into the script"
HOSTFILE = "dsgen writes the hostfile"
LOG = "the log of the pods has the output"
INPUT = "the training would read it, and pods have no standard input"
INPUT_HINT = "put the text into a file of the image or of training.files, and read that file in the program"
QUESTIONS = re.compile(
    r"[ef]?grep|which|command|type|hash|test|\[|diff|cmp|ping|nc|pgrep|ls|stat|declare|nvidia-smi|false"
)
"""Commands that are asked for their exit code."""


@dataclass
class ScriptEvent:
    """One statement and what it means.

    text: the statement, with its place. name and value: of a variable or a file. why and hint: for the report. names:
    the variables that a statement changes that dsgen does not follow. rank: how surely it starts a training.
    """

    kind: EventKind
    text: Text
    why: str = ""
    hint: str = ""
    name: str = ""
    value: Value = field(default_factory=Text)
    names: frozenset[str] = frozenset()
    rank: int = 0


@dataclass
class Launch:
    """A command line that may start the training.

    words: the program and its arguments. statement: the whole command. wrappers: the programs before it, such as srun,
    each with its name and its options. exported: the environment, with the place where each variable was exported.
    rank: how sure it is, see `launchers.rank_command`. after: the number of events before it. is_beside: the script
    does not wait for it.
    """

    words: list[Text]
    statement: Text
    wrappers: list[tuple[str, list[Text]]]
    exported: dict[str, tuple[Value, int]]
    prefix: dict[str, Text]
    folder: Text | None
    rank: int
    after: int
    is_beside: bool = False


class ScriptReader:
    """Reads one script, and keeps the result.

    events and launches: what happened, and what may start the training. files: those that the script writes, by name,
    with the statement and the content. blocked: commands whose program is not known. script: the present one. folder:
    the present one. wrappers: programs around the present command line. is_over: the script has ended. assumed: the
    variables that the last condition took as unset. prefix: variables that the shell got on its own command line.

    A method for a statement returns whether it succeeds, None if that is not known.
    """

    script: Script

    def __init__(self, atlas: SourceMap, scope: ShellScope, helpers: Variables) -> None:
        self.atlas, self.scope, self.helpers = atlas, scope, helpers
        self.events: list[ScriptEvent] = []
        self.launches: list[Launch] = []
        self.functions: dict[str, tuple[Script, Node]] = {}
        self.files: dict[str, tuple[Text, Text]] = {}
        self.folder: Text | None = None
        self.wrappers: list[tuple[str, list[Text]]] = []
        self.depth = 0
        self.is_over, self.is_beside = False, False
        self.assumed: list[str] = []
        self.prefix: dict[str, Text] = {}
        self.blocked: list[tuple[Text, UnknownPart]] = []

    # -- the state ----------------------------------------------------------------------------------------------------

    @contextmanager
    def using(self, **state: Any) -> Iterator[None]:
        """Inside, these attributes have other values."""
        was = {name: self.__dict__.get(name) for name in state}
        self.__dict__.update(state)
        yield
        self.__dict__.update(was)

    def fork(self) -> Any:
        """Inside, variables and the folder change only for the statements that are read there."""
        return self.using(scope=self.scope.fork(), folder=self.folder, is_over=self.is_over)

    def text_of(self, node: Node) -> Text:
        """The text of a node."""
        return self.script.read_text(node)

    @property
    def expansion(self) -> Expansion:
        """Expands words in the present scope."""
        return Expansion(self.script, self.scope, self.folder)

    def add_event(
        self, kind: EventKind, text: Text, why: str = "", hint: str = "", name: str = "", value: Value | None = None
    ) -> None:
        """Note what a statement means."""
        self.events.append(ScriptEvent(kind, text, why, hint, name, value if value is not None else Text()))

    def find_effects(self, nodes: Sequence[Node]) -> Effects:
        """What statements may change."""
        return EffectFinder(self, self.script).find(nodes)

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

    # -- statements ---------------------------------------------------------------------------------------------------

    def read_commands(self, text: Text) -> None:
        """Read the commands of a text, such as that of `bash -c`. Raises ImportRefusedError if they have no end."""
        if self.depth >= DEEPEST:
            at = self.atlas.resolve_place(text.places[0])
            raise ImportRefusedError("the commands call each other without end", at)
        with self.using(depth=self.depth + 1, script=parse(text, self.atlas)):
            self.read_statements(self.script.root.children)

    def read_statements(self, nodes: Sequence[Node]) -> bool | None:
        """Read statements in order, until one ends the script; returns whether the last one succeeds."""
        truth: bool | None = None
        for index, node in enumerate(nodes):
            if not node.is_named or node.type in ("comment", "heredoc_body"):
                continue
            if self.is_over:
                self.add_event("dropped", self.text_of(node), "the script has ended before it")
            elif nodes[index + 1 : index + 2] and nodes[index + 1].type == "&":
                with self.fork(), self.using(is_beside=True):
                    self.read_statement(node)
                truth = True
            else:
                truth = self.read_statement(node)
        return truth

    def read_statement(self, node: Node) -> bool | None:
        """Read one statement."""
        spend(OF_STATEMENT)
        is_arithmetic = node.type == "compound_statement" and self.text_of(node).chars.startswith("((")
        if handle := STATEMENTS.get("test_command" if is_arithmetic else node.type):
            return handle(self, node)
        if node.type in ("do_group", "program", "compound_statement", "else_clause"):
            return self.read_statements(node.children)
        if node.type not in ("heredoc_redirect", "file_redirect", "herestring_redirect"):
            self._read_outside(self.text_of(node), [node.children], "dsgen does not understand it")
        return None

    def _read_assignment(self, node: Node, is_exported: bool = False) -> bool:
        first, value, of = node.children[0], node.child_by_field_name("value"), self.text_of(node)
        name = self.text_of(first.children[0] if first.type == "subscript" else first).chars
        new: Value | None = Text()
        if first.type == "subscript":
            new = None
        elif value is not None:
            new = self.expansion.expand_array(value) if value.type == "array" else self.expansion.expand_text(value)
        if new is not None and any(self.text_of(child).chars == "+=" for child in node.children):
            new = _join_values(self.scope.find(name), new)
        unknown = [one for item in new for one in self.atlas.list_unknowns(item)] if isinstance(new, list) else ()
        if new is None or any(one.kind == "unclear" and not one.name for one in unknown):
            self.scope.blur([name], of.places[0])
        else:
            self.scope.assign(name, new, of.places[0])
        self._note_variable(name, of, is_exported)
        return True

    def _note_variable(self, name: str, of: Text, is_exported: bool) -> None:
        if is_exported:
            self.scope.export(name, of.places[0])
        value = self.scope.variables.get(name, Text())
        self.add_event("exported" if is_exported else "assigned", of, name=name, value=value)

    def _read_declaration(self, node: Node) -> bool:
        words = [child for child in node.children if child.is_named]
        of, command = self.text_of(node), self.text_of(node.children[0]).chars
        options = "".join(text for one in words if (text := self.text_of(one).chars).startswith(("-", "+")))
        is_export = command == "export" and "n" not in options
        is_export |= "x" in options and command in ("declare", "typeset")
        if re.search("[fF]", options):
            self.add_event("dropped", of, "it is about functions")
        elif command == "local" or re.search(r"[^-apxrgn]|\+|n", options.replace("-p", "")):
            self._read_unclear(node, of)
        elif not sum(self._declare(one, is_export) for one in words):  # all of them
            if any(one.type in (*OPEN, "concatenation") for one in words):
                why = "the variables that it sets are only known on the cluster"
                self._lose_all(of, why, "set them in training.env, or their file in training.envFrom")
            else:
                self.add_event("dropped", of, ITSELF)
        return True

    def _declare(self, node: Node, is_export: bool) -> bool:
        """Read one word of a declaration; returns whether it names a variable."""
        if node.type == "variable_assignment":
            return self._read_assignment(node, is_export)
        named = False
        for word in self.expansion.expand_words([node]):
            name, has_value, value = word.partition("=")
            if re.fullmatch(r"[A-Za-z_]\w*", name.chars):
                named = True
                if has_value:
                    self.scope.assign(name.chars, value, word.places[0])
                self._note_variable(name.chars, word, is_export)
        return named

    def _read_unclear(self, node: Node, of: Text) -> None:
        """A statement that sets variables in a way that dsgen does not compute."""
        found = self.find_effects([node])
        self.scope.blur(found.names, of.places[0])
        for name in found.exported:
            self.scope.export(name, of.places[0])
        self.events.append(ScriptEvent("outside", of, NOT_COMPUTED, names=frozenset(found.names)))

    def _lose_all(self, statement: Text, why: str, hint: str) -> None:
        """A statement that may set all variables."""
        self.scope.blur(set(self.scope.variables), statement.places[0])
        self.add_event("lost", statement, why, hint)

    def _read_unset(self, node: Node) -> bool:
        of = self.text_of(node)
        names = [self.text_of(child).chars.strip("'\"") for child in node.named_children]
        if any("[" in name or "$" in name for name in names):
            self._read_unclear(node, of)
            return True
        for name in names:
            self.scope.unset(name)
        self.add_event("dropped", of, "the variable is not set in a pod")
        return True

    # -- conditions and branches --------------------------------------------------------------------------------------

    def _decide(self, node: Node) -> bool | None:
        conditions = Conditions(self.expansion)
        truth = conditions.decide(node)
        self.assumed = sorted({one.name for one in conditions.assumed})
        return truth

    def _read_test(self, node: Node) -> bool | None:
        of, truth = self.text_of(node), self._decide(node)
        if of.chars.startswith("((") and ASSIGNS.search(of.chars):
            self._read_unclear(node, of)
            return None
        return truth

    def _is_question(self, node: Node) -> bool:
        """Whether a command is asked for its exit code."""
        text = self.text_of(node).chars
        if node.type in ("test_command", "negated_command") or text.startswith("(("):
            return True
        if node.type == "list":
            return any(self._is_question(child) for child in node.children if child.is_named)
        if node.type in ("redirected_statement", "pipeline"):
            return self._is_question(node.named_children[0 if node.type == "redirected_statement" else -1])
        return node.type == "command" and QUESTIONS.fullmatch(text.split()[0]) is not None

    def _read_list(self, node: Node) -> bool | None:
        left, right = node.children[0], node.children[-1]
        is_and = self.text_of(node.children[1]).chars == "&&"
        self.assumed = []
        truth = self.read_statement(left)
        assumed, self.assumed = self.assumed, []
        of = self.text_of(right)
        if truth is None:
            is_question = self._is_question(left)
            if is_and and not is_question:
                return self.read_statement(right)
            found = self.find_effects([right])
            if not is_question and not found.rank and not found.names:
                self.add_event("dropped", of, FAILS)
            else:
                self._read_outside(of, [[right]], CONDITION if is_question else FAILS)
            return None
        if assumed:
            if self._ends_script([right]):
                self.add_event("dropped", of, CHECKS)
                return None
            self._report_assumed(assumed, left, [right])
        if truth is is_and:
            return self.read_statement(right)
        self.add_event("dropped", of, NOT_TRUE)
        self.assumed = assumed
        return truth

    def _report_assumed(self, assumed: Sequence[str], condition: Node, body: Sequence[Node]) -> None:
        """Say which variables were taken as unset for a condition, if that changes something."""
        found = self.find_effects(body)
        if found.is_silent and not found.names and not found.files and not found.rank:
            self.add_event("dropped", self.text_of(condition), CHECKS)
            return
        hint = "" if any(map(is_secret_name, assumed)) else f"--set {assumed[0]}=VALUE changes it"
        why = f"{', '.join(assumed)} not set in the script: taken as unset here"
        self.add_event("lost", self.text_of(condition), why, hint)

    def _read_if(self, node: Node) -> None:
        branches = list(_find_branches(node))
        is_open = True
        for number, (condition, body) in enumerate(branches):
            if not is_open:
                self._skip(body)
                continue
            self.assumed = []
            truth = self.read_statements(condition) if condition else True
            assumed, self.assumed = self.assumed, []
            if truth is None:
                self._read_outside(self.text_of(node), [one for _, one in branches[number:]], CONDITION)
                return
            if assumed and self._ends_script(body):
                self._skip(body, CHECKS)
                continue
            if assumed:
                self._report_assumed(assumed, condition[0], [one for _, rest in branches[number:] for one in rest])
            if truth:
                self.read_statements(body)
                is_open = False
            else:
                self._skip(body)

    def _skip(self, body: Sequence[Node], why: str = NOT_TRUE) -> None:
        for one in body:
            if one.is_named and one.type != "comment":
                self.add_event("dropped", self.text_of(one), why)

    def _ends_script(self, body: Sequence[Node]) -> bool:
        """Whether statements end the script in each case."""
        commands = [self.text_of(one).chars.split() for one in body if one.type == "command"]
        return any(words[:1] in (["exit"], ["return"]) for words in commands)

    def _read_subshell(self, node: Node) -> bool | None:
        with self.fork():
            return self.read_statements(node.children)

    # -- what is not followed -----------------------------------------------------------------------------------------

    def _read_loop(self, node: Node) -> None:
        if not self._is_hostfile(node):
            self._read_outside(self.text_of(node), [[node]], LOOP)

    def _read_case(self, node: Node) -> None:
        bodies = []
        for item in [child for child in node.children if child.type == "case_item"]:
            cut = next((index for index, one in enumerate(item.children) if self.text_of(one).chars == ")"), 0)
            bodies.append(item.children[cut + 1 :])
        self._read_outside(self.text_of(node), bodies, CASE)

    def _read_function(self, node: Node) -> bool:
        self.note_function(self.script, node)
        self.add_event("dropped", self.text_of(node), "it only defines a function")
        return True

    def _read_outside(self, text: Text, bodies: Sequence[Sequence[Node]], why: str) -> None:
        """Statements that dsgen does not follow: what they may change is unknown afterwards.

        text: the whole statement. bodies: what it may run.
        """
        place = text.places[0] if text else 0
        effects = [self.find_effects(body) for body in bodies]
        kept = [one for body, one in zip(bodies, effects, strict=True) if one.rank or not self._ends_script(body)]
        names = {name for one in kept for name in one.names}
        if any(one.is_all for one in kept):
            names |= set(self.scope.variables)
        rank = max((one.rank for one in kept), default=0)
        is_harmless = all(one.is_silent and not one.files and not one.has_folder for one in kept)
        if not rank and is_harmless and not names:
            self.add_event("dropped", text, CHECKS if not kept or any(one.exits for one in kept) else PRINTS)
            return
        name = "" if is_harmless else "runs"
        self.events.append(ScriptEvent("outside", text, why, name=name, names=frozenset(names), rank=rank))
        self._forget(kept, names, place)

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

    # -- redirections and files ---------------------------------------------------------------------------------------

    def _read_pipeline(self, node: Node) -> None:
        if not self._is_hostfile(node):
            for child in node.named_children:
                with self.fork():
                    self.read_statement(child)

    def _read_redirected(self, node: Node) -> bool | None:
        body = node.child_by_field_name("body")
        redirects = [child for child in node.children if child.type.endswith("_redirect")]
        heredoc = next((one for one in redirects if one.type == "heredoc_redirect"), None)
        if heredoc is not None:
            redirects += heredoc.children
        elif self._is_hostfile(node):
            return None
        target, is_more = self._find_target(redirects)
        if heredoc is not None:
            self._read_heredoc(node, body, heredoc, target, is_more)
            return None
        if body is None:
            return None
        if target and body.type == "command" and self._read_echo(node, body, target, is_more):
            return True
        before = len(self.launches)
        truth = self.read_statement(body)
        if len(self.launches) > before:
            self._note_redirects(redirects)
        elif target:
            self.blur_file(self.atlas.format_text(target), self.text_of(node).places[0])
        return truth

    def _note_redirects(self, redirects: Sequence[Node]) -> None:
        """The output of a training is in the log of its pods; nothing is its input."""
        for text in map(self.text_of, redirects):
            if text.chars.startswith("<") and "/dev/null" not in text.chars:
                self.add_event("lost", text, INPUT, INPUT_HINT)
            else:
                self.add_event("dropped", text, LOG)

    def _find_target(self, redirects: Sequence[Node]) -> tuple[Text, bool]:
        """The file to which a command writes, and whether its text comes after the present one."""
        for one in redirects:
            sign = self.text_of(one).chars
            if one.type == "file_redirect" and one.named_children and sign[0] == ">" and not sign.startswith(">&"):
                return self.expansion.expand_text(one.named_children[-1]), sign.startswith(">>")
        return Text(), False

    def _read_heredoc(self, node: Node, body: Node | None, heredoc: Node, target: Text, is_more: bool) -> None:
        start = next((one for one in heredoc.children if one.type == "heredoc_start"), None)
        inner = next((one for one in heredoc.children if one.type == "heredoc_body"), None)
        words = self.expansion.expand_words(list_arguments(body)) if body is not None else []
        name, content, of = words[0].chars if words else "", Text(), self.text_of(node)
        if start is not None and inner is not None:
            is_quoted = self.text_of(start).chars[:1] in ("'", '"', "\\")
            end = self.script.text.chars.find("\n", start.end_byte)
            first = end + 1 if end >= 0 else start.end_byte
            content = self.expansion.expand_heredoc(inner, first, is_quoted, heredoc.children[0].type == "<<-")
        if target and name in ("cat", "tee"):
            self._note_file(of, target, content, is_more)
        elif posixpath.basename(name) in ("bash", "sh", "srun") and not target:
            self.read_words(words, of, {}, content)
        elif body is not None:
            before = len(self.launches)
            self.read_statement(body)
            if len(self.launches) > before:
                self.add_event("lost", of[len(self.text_of(body).chars) :].strip(), INPUT, INPUT_HINT)

    def _read_echo(self, node: Node, body: Node, target: Text, is_more: bool) -> bool:
        """`echo TEXT > FILE`."""
        words = self.expansion.expand_words(list_arguments(body))
        if not words or words[0].chars != "echo" or body.named_children[0].type == "variable_assignment":
            return False
        text, content = self.text_of(node), join(words[1:], " ")
        if echo([word.chars for word in words[1:]]) != content.chars:
            content = self.atlas.add_unknown(UnknownPart("unclear", "", text.chars, text.places[0]), text.places)
        self._note_file(text, target, content + place_at("\n", text), is_more)
        return True

    def _note_file(self, statement: Text, target: Text, content: Text, is_more: bool) -> None:
        name = self.atlas.format_text(target)
        if is_more and name in self.files:
            content = self.files[name][1] + content
        elif is_more:
            content = self.atlas.add_unknown(UnknownPart("unclear", "", name, statement.places[0]), [0])
        if hosts := re.findall(r"(?m)^\S+[ \t]+slots=(\d{1,4})\s*$", content.chars):
            self.add_event("slots", statement, HOSTFILE, name=str(len(hosts)), value=place_at(hosts[0], statement))
        elif any(folder in name for folder in OF_SSH):
            self.add_event("dropped", statement, SSH.why)
        else:
            self.files[name] = (statement, content)
            self.add_event("file", statement, name=name, value=content)

    def _is_hostfile(self, node: Node) -> bool:
        """Whether a statement writes a hostfile from the names of the nodes."""
        text = self.text_of(node)
        asks = re.search(rf"\b({'|'.join(LISTS | LOOKS_UP | OF_HOST)})\b|NODELIST|hosts", text.chars)
        if "slots=" not in text.chars or not asks or len(text.chars) > 2000:
            return False
        match, value = re.search(r"slots=\\?[\"']?(\$\{?(\w+)\}?|\d{1,4})", text.chars), Text()
        if match:
            value = self.scope.resolve_text(match[2], text.places[:1]) if match[2] else place_at(match[1], text)
        self.add_event("slots", text, HOSTFILE, value=value)
        return True

    # -- command lines ------------------------------------------------------------------------------------------------

    def _read_command(self, node: Node) -> bool | None:
        of, prefix = self.text_of(node), dict[str, Text]()
        for child in [child for child in node.children if child.type == "variable_assignment"]:
            value = child.child_by_field_name("value")
            known = self.expansion.expand_text(value) if value is not None else Text()
            prefix[self.text_of(child.children[0]).chars] = known
        words = self.expansion.expand_words(list_arguments(node))
        name = words[0].chars if words else ""
        if name in ("perl", "awk", "python", "python3") and self._is_hostfile(node):
            return None
        if name in ("test", "[", "true", "false", ":"):
            self.add_event("dropped", of, ITSELF)
            return self._decide(node)
        before = len(self.launches)
        truth = self.read_words(words, of, prefix)
        if len(self.launches) > before:
            self._note_redirects([one for one in node.children if one.type == "herestring_redirect"])
        return truth

    def read_words(
        self, words: list[Text], statement: Text, prefix: dict[str, Text], stdin: Text | None = None
    ) -> bool | None:
        """Read a command line whose words are expanded."""
        while words and (match := re.match(r"([A-Za-z_]\w*)=", words[0].chars)) and len(words) > 1:
            prefix = {**prefix, match[1]: words[0][match.end() :]}
            words = words[1:]
        if not words:
            for name, value in prefix.items():
                self.scope.assign(name, value)
            self.add_event("dropped", statement, NOTHING)
            return True
        name = words[0].chars if words[0].chars in WRAPPERS else posixpath.basename(words[0].chars)
        handle = COMMANDS.get(name)
        if unclear := [one for one in self.atlas.list_unknowns(words[0]) if one.kind == "unclear"]:
            self.blocked.append((statement, unclear[0]))
            self.add_event("lost", statement, "the program that it starts is not known")
        elif handle and handle(self, words, statement, prefix, stdin):
            return True if name == "cd" else None
        elif name in self.functions:
            script, body = self.functions[name]
            with self.using(script=script):
                if self._is_hostfile(body):
                    self.add_event("dropped", statement, HOSTFILE)
                else:
                    self._read_outside(statement, [[body]], CALL)
        elif name in READS and (written := list_written([word.chars for word in words])):
            self.scope.blur(written, statement.places[0])
            self.events.append(ScriptEvent("outside", statement, NOT_COMPUTED, names=frozenset(written)))
        elif name in WRAPPERS and (end := count_wrapper_words(WRAPPERS[name], words)):
            self._read_wrapped(name, words, end, statement, prefix, stdin)
        else:
            self._read_plain(words, statement, prefix)
        return None

    def _read_wrapped(
        self, name: str, words: list[Text], end: int, statement: Text, prefix: dict[str, Text], stdin: Text | None
    ) -> None:
        is_remote, rest = WRAPPERS[name].is_remote, words[end:]
        wrappers = [*self.wrappers, (name, words[:end])]
        with self.using(wrappers=wrappers):
            if stdin and not rest:
                self._read_inner(stdin)
            elif is_remote and rest:
                self._read_inner(join(rest, " "))
            elif rest:
                self.read_words(rest, statement, prefix, stdin)
            else:
                self.add_event("dropped", statement, NOTHING)

    def _read_inner(
        self, text: Text, arguments: list[Text] | None = None, name: str = "", prefix: Variables | None = None
    ) -> None:
        """The commands of another shell. arguments, name and prefix: those of its command line, if it has one."""
        scope = self.scope.make_inner()
        if arguments is not None:
            scope.arguments, scope.cause, scope.name = arguments, 0, name
        for variable, value in (prefix or {}).items():
            scope.assign(variable, value)
            scope.export(variable, value.places[0] if value.places else 0)
        if self.wrappers:
            scope.own_host = "HOSTNAME"
        with self.using(scope=scope, is_over=self.is_over, prefix={**self.prefix, **(prefix or {})}):
            self.read_commands(text)

    def _read_shell(self, words: list[Text], statement: Text, prefix: dict[str, Text], stdin: Text | None) -> bool:
        """`bash -c TEXT`, `bash FILE`, `bash <<EOF`."""
        for index, word in enumerate(words[1:], 1):
            if re.fullmatch(r"-[a-z]*c[a-z]*", word.chars) and index + 1 < len(words):
                name = words[index + 2].chars if words[index + 2 :] else words[0].chars
                self._read_inner(words[index + 1], words[index + 3 :], name, prefix)
                return True
            if not word.chars.startswith("-"):
                return self._read_file(words[index:], statement)
        if stdin:
            self._read_inner(stdin)
        return bool(stdin)

    def _read_file(self, words: list[Text], statement: Text) -> bool:
        """A script that this one wrote, or that was given beside it."""
        path = self.atlas.format_text(words[0])
        path = next((one for one in self.files if one.removeprefix("./") == path.removeprefix("./")), path)
        content, name = self.files[path][1] if path in self.files else self._find_helper(path), posixpath.basename(path)
        if content is None:
            return False
        for text in (statement, *self.files.pop(path, ())[:1]):
            self.add_event("dropped", text, f"the commands of {name} were read")
        self._read_inner(content, words[1:], name)
        return True

    def _find_helper(self, name: str) -> Text | None:
        """A script that was given beside this one, by its path or its file name."""
        return self.helpers.get(name, self.helpers.get(posixpath.basename(name)))

    def _read_source(self, words: list[Text], statement: Text, *_: object) -> bool:
        content = self._find_helper(words[1].chars) if len(words) > 1 else None
        if content is not None:
            self.add_event("dropped", statement, f"the commands of {posixpath.basename(words[1].chars)} were read")
            self.read_commands(content)
        elif is_loader([word.chars for word in words]):
            return False
        else:
            self.scope.blur(set(self.scope.variables), statement.places[0])
            self.add_event("sourced", statement, "the variables that this file sets are not known", SOURCED)
        return True

    def _read_eval(self, words: list[Text], statement: Text, *_: object) -> bool:
        text = join(words[1:], " ")
        unknown = [one for one in self.atlas.list_unknowns(text) if one.kind in ("command", "unclear", "variable")]
        if is_loader(self.atlas.format_words(words)):
            self.add_event("loaded", statement, "it prepares the shell")
        elif not text or unknown:
            self._lose_all(statement, "the commands that it runs are not known", "write them into the script")
            self.blocked += [(statement, one) for one in unknown]
        else:
            self.add_event("dropped", statement, "the commands that it runs were read")
            self.read_commands(text)
        return True

    def _read_cd(self, words: list[Text], statement: Text, *_: object) -> bool:
        if words[0].chars == "popd":
            self.add_event("dropped", statement, ITSELF)
            return True
        target = words[-1] if len(words) > 1 else self.scope.resolve_text("HOME", statement.places[:1], "$HOME")
        is_absolute = target.chars.startswith("/") or not target[:1].is_known
        if target.chars == "-":
            target = self.scope.resolve_text("OLDPWD", statement.places[:1], "$OLDPWD")
        elif not is_absolute and self.folder is not None:
            target = join([self.folder, target], "/")
        self.folder = target
        if is_absolute and target.is_known:
            self.scope.assign("PWD", target)
        else:
            self.scope.unset("PWD")
        self.add_event("folder", statement, value=target)
        return True

    def _read_exit(self, words: list[Text], statement: Text, *_: object) -> bool:
        self.is_over = not self.wrappers
        self.add_event("dropped", statement, "it ends the script" if words[0].chars == "exit" else ITSELF)
        return True

    def _read_shift(self, _: list[Text], statement: Text, *__: object) -> bool:
        self.scope.arguments, self.scope.cause = None, statement.places[0]
        self.add_event("dropped", statement, ITSELF)
        return True

    def _read_set(self, words: list[Text], statement: Text, *_: object) -> bool:
        options = " ".join(word.chars for word in words[1:])
        if re.search(r"(^| )[-+][a-z]*a|allexport", options):
            self.scope.exports_all = not re.search(r"\+[a-z]*a|\+o allexport", options)
        if words[1:2] and words[1].chars == "--":
            return self._read_shift(words, statement)
        ends = re.search(r"(^| )-[a-z]*e|errexit", options) is not None and not self.wrappers
        self.add_event("setup" if ends else "dropped", statement, ITSELF, name="set")
        return True

    def _read_env(self, words: list[Text], statement: Text, prefix: dict[str, Text], stdin: Text | None) -> bool:
        rest = words[1:]
        while rest and rest[0].chars.startswith("-"):
            if rest[0].chars not in ("-0", "--"):
                self.add_event("lost", rest[0], "dsgen does not change the environment or the folder of one command")
            rest = rest[2:] if rest[0].chars in ("-u", "--unset", "-C") else rest[1:]
        if rest:
            self.read_words(rest, statement, prefix, stdin)
        return bool(rest)

    def _read_plain(self, words: list[Text], statement: Text, prefix: dict[str, Text]) -> None:
        """A command that is no wrapper: it may start the training."""
        if words[0].chars.endswith(".sh") and self._read_file(words, statement):
            return
        shown = self.atlas.format_words(words)
        rank = _rank(shown, any(name == "srun" for name, _ in self.wrappers))
        if rank == 3 and self._read_inside_mpirun(words, statement, prefix):
            return
        if rank > 0:
            variables = self.scope.variables
            exported = {name: (variables.get(name, self.scope.resolve_text(name, [place], f"${name}")), place)
                        for name, place in self.scope.exported.items()}  # fmt: skip
            given = {name: one for name, one in self.prefix.items() if variables.get(name) is one}
            self.launches.append(
                Launch(
                    words, statement, self.wrappers, exported, {**given, **prefix}, self.folder, rank, len(self.events),
                    self.is_beside,
                )
            )  # fmt: skip
            return
        found = find_meaning([word.chars for word in words])
        files = [posixpath.basename(word.chars) for word in words[1:] if not word.chars.startswith("-")]
        if words[0].chars == "rm" and files and all("host" in file for file in files):
            self.add_event("dropped", statement, HOSTFILE)
            return
        if found.role != "silent" or words[0].chars in ("sed", "awk"):
            for name in shown[1:]:
                self.blur_file(name, statement.places[0])
        kinds: dict[str, EventKind] = {"setup": "setup", "loader": "loaded", "never": "lost", "once": "lost"}
        is_loading = words[0].chars == "conda" and words[1:2] and words[1].chars not in LOADS_CONDA
        kind = kinds.get("once" if is_loading else found.role, "dropped")
        self.add_event(kind, statement, found.why, found.hint, name=words[0].chars, value=words)

    def _read_inside_mpirun(self, words: list[Text], statement: Text, prefix: dict[str, Text]) -> bool:
        """mpirun that starts the launcher of each node: the commands of its shell, or another launcher."""
        started = parse_launch_command(words, self.atlas)
        inner = started.program
        if started.method != "openmpi" or not inner:
            return False
        is_launcher = rank_command([one.chars for one in inner], False) == 3
        if not is_launcher and inner[0].chars not in SHELLS and posixpath.basename(inner[0].chars) not in WRAPPERS:
            return False
        if is_launcher and parse_launch_command(inner, self.atlas).method == "openmpi":
            return False
        before = len(self.launches), len(self.events)
        given = {variable: value for variable, value, _ in started.variables}
        with self.using(wrappers=[*self.wrappers, ("mpirun", words[: words.index(inner[0])])]):
            self.read_words(list(inner), statement, {**prefix, **given})
        if any(one.rank == 3 for one in self.launches[before[0] :]):
            return True
        del self.launches[before[0] :], self.events[before[1] :]
        return False

    def rank_node(self, script: Script, node: Node) -> int:
        """The rank of a command without reading it."""
        words = Expansion(script, self.scope, self.folder).expand_words(list_arguments(node))
        for index, word in enumerate(words[:2]):
            if (name := posixpath.basename(word.chars)) in WRAPPERS and len(words) > index + 1:
                words = words[index + count_wrapper_words(WRAPPERS[name], words[index:]) :]
                break
        names = [word.chars for word in words]
        if names and names[0] in SHELLS and "-c" in " ".join(names[:3]):
            names = names[-1].split() or names
        return _rank(names, False) if names else 0


def _rank(words: Sequence[str], is_under_srun: bool) -> int:
    """The rank of a command that may start the training; 0 of one whose meaning is another."""
    rank = rank_command(words, is_under_srun)
    return rank if rank == 3 or find_meaning(words) is PREPARES else 0


def _join_values(before: Value | None, more: Value) -> Value | None:
    if isinstance(before, list):
        return [*before, *more] if isinstance(more, list) else None
    if isinstance(more, list):
        return [*([before] if before is not None else []), *more]
    return (before or Text()) + more


def _find_branches(node: Node) -> Iterator[tuple[list[Node], list[Node]]]:
    """The conditions and commands of `if`, `elif` and `else`; the condition of `else` is empty."""
    children = [child for child in node.children if child.type not in ("elif_clause", "else_clause")]
    then = next((index for index, child in enumerate(children) if child.type == "then"), len(children))
    yield children[1:then], children[then + 1 :]
    for clause in node.children:
        if clause.type == "elif_clause":
            yield from _find_branches(clause)
        elif clause.type == "else_clause":
            yield [], clause.children


NOT: Mapping[bool | None, bool | None] = {True: False, False: True, None: None}
STATEMENTS: Mapping[str, Callable[[ScriptReader, Node], bool | None]] = {
    "command": ScriptReader._read_command,
    "variable_assignment": ScriptReader._read_assignment,
    "variable_assignments": lambda reader, node: reader.read_statements(node.children),
    "declaration_command": ScriptReader._read_declaration,
    "unset_command": ScriptReader._read_unset,
    "test_command": ScriptReader._read_test,
    "negated_command": lambda reader, node: NOT[reader.read_statement(node.children[-1])],
    "subshell": ScriptReader._read_subshell,
    "pipeline": ScriptReader._read_pipeline,
    "list": ScriptReader._read_list,
    "redirected_statement": ScriptReader._read_redirected,
    "if_statement": ScriptReader._read_if,
    "case_statement": ScriptReader._read_case,
    **dict.fromkeys(("for_statement", "c_style_for_statement", "while_statement"), ScriptReader._read_loop),
    "function_definition": ScriptReader._read_function,
}
"""Who reads a statement, by the type of its node."""
COMMANDS: Mapping[str, Callable[[ScriptReader, list[Text], Text, dict[str, Text], Text | None], bool]] = {
    **dict.fromkeys(("bash", "sh", "dash", "zsh"), ScriptReader._read_shell),
    **dict.fromkeys(("cd", "pushd", "popd"), ScriptReader._read_cd),
    "eval": ScriptReader._read_eval,
    **dict.fromkeys(("exit", "return", "break", "continue"), ScriptReader._read_exit),
    "shift": ScriptReader._read_shift,
    "set": ScriptReader._read_set,
    "env": ScriptReader._read_env,
    **dict.fromkeys(("source", "."), ScriptReader._read_source),
}
"""Who reads a command line, by its program; it returns whether it did."""
