"""Reads a script statement by statement, as bash would, without running anything.

The result is what happened in order: variables, files, folders, other commands, and the command lines that start the
training. Assignments, commands and branches whose condition is known are followed. Other statements that only print or
wait are dropped; at any other one, NotComputedError ends the reading, and the script itself has to run.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from dsgen.importers.launchers import parse_alone, rank_command, rank_words
from dsgen.importers.ledger import ImportRefusedError, shorten
from dsgen.importers.shell.commands import (
    HOSTFILE,
    NEEDLESS,
    OF_SSH,
    PREPARES,
    REMOTE,
    SSH,
    WRAPPERS,
    Kind,
    count_wrapper_words,
    find_meaning,
    is_loader,
)
from dsgen.importers.shell.syntax import Script, list_arguments, parse, walk_nodes
from dsgen.importers.shell.words import (
    ASSIGNS,
    LISTS,
    LOOKS_UP,
    NOT_COMPUTED,
    OF_HOST,
    Expansion,
    NotComputedError,
    ShellScope,
    Value,
    decide,
)
from dsgen.importers.texts import OF_STATEMENT, SourceMap, Text, UnknownPart, join, place_at, spend

if TYPE_CHECKING:
    from tree_sitter import Node

EventKind = Kind | Literal["assigned", "exported", "folder", "file", "slots"]
Variables = Mapping[str, Text]
SHELLS = ("bash", "sh", "dash", "zsh")
DEEPEST = 12
ITSELF = "it controls the script itself"
ENDS_WELL = re.compile(r"\b(exit|return)\s+0\b")
ARGUMENTS = re.compile(r"\$\{?[#@*\d]")
CHECKS = "it checks the arguments or the environment of the script"
PRINTS = "it only prints, waits or makes folders"
NOTHING = "it runs nothing"
NOT_TRUE = "its condition does not hold"
CONDITION = "dsgen does not compute its condition"
FAILS = "it runs only if the command before it fails"
CALL = "dsgen does not follow functions"
NOT_FOLLOWED = {
    **dict.fromkeys(("for_statement", "c_style_for_statement", "while_statement"), "dsgen does not follow loops"),
    "case_statement": "dsgen does not follow case",
}
SHELL_OPTIONS = re.compile(r"\A#!.*sh[ \t]+-[il]*([abefhkmnpuvxBCEHPT]+).*")
"""The first line of a script that gives its shell options of `set`, such as -e."""
OUTSIDE = "import the command line that starts the training, with its values"
SOURCED = "put the file beside the script, or write what it sets into the script"
FOLLOWED = "the commands of {} were read"
LOG = "the log of the pods has the output"
INPUT = "the training would read it, and pods have no standard input"
INPUT_HINT = "put the text into a file of the image or of training.files, and read that file in the program"
QUESTIONS = re.compile(
    r"[ef]?grep|which|command|type|hash|test|\[|diff|cmp|ping|nc|pgrep|ls|stat|declare|nvidia-smi|false"
)
"""Commands that are asked for their exit code."""
CHANGING = (
    "read", "mapfile", "readarray", "getopts", "let", "shift", "set", "cd", "pushd", "popd", "eval", "source", "."
)  # fmt: skip
"""Commands that change variables, arguments or the folder."""
CHANGES = (
    "variable_assignment", "declaration_command", "unset_command", "c_style_for_statement", "function_definition"
)  # fmt: skip
"""Statements that change variables."""
OPEN = ("command_substitution", "simple_expansion", "string", "concatenation")
"""Words of a declaration whose names are only known when it runs."""
IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.ASCII)
TO_FILE = re.compile(r"[\d&]?>>?(?![>&]|\s*/dev/)")
"""A redirection to a file."""


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
    each with its name and its options. exported: the environment. prefix: the variables on the command line itself.
    after: the number of events before it.
    """

    words: list[Text]
    statement: Text
    wrappers: list[tuple[str, list[Text]]]
    exported: dict[str, Value]
    prefix: dict[str, Text]
    folder: Text | None
    after: int


class ScriptReader:
    """Reads one script, and keeps the result.

    events and launches: what happened, and what may start the training. files: those that the script writes, by name,
    with the statement and the content. script: the present one. folder: the present one. wrappers: programs around the
    present command line. ended_by: exit or return, once the script has ended. is_strict: a command that fails ends it.

    A method for a statement returns whether it succeeds, None if that is not known. It raises NotComputedError for what
    dsgen does not follow.
    """

    script: Script

    def __init__(self, source_map: SourceMap, scope: ShellScope, helpers: Variables) -> None:
        self.source_map, self.scope, self.helpers = source_map, scope, helpers
        self.events: list[ScriptEvent] = []
        self.launches: list[Launch] = []
        self.functions: set[str] = set()
        self.constants = {"IFS"}  # variables whose assignment is not followed
        self.files: dict[str, tuple[Text, Text]] = {}
        self.folder: Text | None = None
        self.wrappers: list[tuple[str, list[Text]]] = []
        self.depth = 0
        self.ended_by, self.is_strict = "", False

    # -- the state ----------------------------------------------------------------------------------------------------

    @contextmanager
    def using(self, **state: Any) -> Iterator[None]:
        """Inside, these attributes have other values."""
        was = {name: self.__dict__.get(name) for name in state}
        self.__dict__.update(state)
        try:
            yield
        finally:
            self.__dict__.update(was)

    def fork(self) -> Any:
        """Inside, variables and the folder change only for the statements that are read there."""
        return self.using(scope=self.scope.fork(), folder=self.folder, ended_by=self.ended_by)

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

    def refuse(self, of: Text, why: str = NOT_COMPUTED, hint: str = OUTSIDE) -> NotComputedError:
        """The error for a statement that dsgen does not follow."""
        shown = shorten(" ".join(of.chars.split()), 60)
        return NotComputedError(f"{shown}: {why}", self.source_map.resolve_place(of.places[0]), hint)

    # -- statements ---------------------------------------------------------------------------------------------------

    def read_commands(self, text: Text) -> None:
        """Read the commands of a text, such as that of `bash -c`. Raises ImportRefusedError if they have no end."""
        if self.depth >= DEEPEST:
            at = self.source_map.resolve_place(text.places[0])
            raise ImportRefusedError("the commands call each other without end", at)
        with self.using(depth=self.depth + 1, script=parse(text, self.source_map)):
            self.read_statements(self.script.root.children)

    def read_statements(self, nodes: Sequence[Node]) -> bool | None:
        """Read statements in order, until one ends the script; returns whether the last one succeeds."""
        truth: bool | None = None
        for index, node in enumerate(nodes):
            if not node.is_named or node.type in ("comment", "heredoc_body"):
                continue
            if self.ended_by:
                self._drop(node, "the script has ended before it")
            elif nodes[index + 1 : index + 2] and nodes[index + 1].type == "&":
                with self.fork():
                    self.read_statement(node)
                truth = True
            else:
                truth = self.read_statement(node)
                is_alone = node.type in ("command", "test_command") and node.parent and node.parent.type == "program"
                if self.is_strict and truth is False and is_alone:
                    self.ended_by = "exit"
        return truth

    def read_statement(self, node: Node) -> bool | None:
        """Read one statement."""
        spend(OF_STATEMENT)
        if node.start_byte == node.end_byte or self._is_hostfile(node):  # the parser adds what is missing
            return None
        try:
            if handle := STATEMENTS.get(node.type):
                return handle(self, node)
            if node.type not in ("heredoc_redirect", "file_redirect", "herestring_redirect"):
                raise self.refuse(self.text_of(node), NOT_FOLLOWED.get(node.type, "dsgen does not understand it"))
        except NotComputedError:
            if not self._is_harmless(node):
                raise
            loops = (one for one in walk_nodes(node) if one.type == "for_statement")
            self.scope.unclear |= {self.text_of(one.children[1]).chars for one in loops}
            self._drop(node, CHECKS if re.search(r"\b(exit|return)\b", self.text_of(node).chars) else PRINTS)
        return None

    def _drop(self, node: Node, why: str) -> None:
        self.add_event("dropped", self.text_of(node), why)

    def _read_block(self, node: Node) -> bool | None:
        """`{ ... }`, `[ ... ]`, or `(( ... ))`, which may change variables."""
        if self.text_of(node).chars.startswith("(("):
            raise self.refuse(self.text_of(node))
        is_test = node.type == "test_command"
        return decide(self.expansion, node) if is_test else self.read_statements(node.children)

    def _read_assignment(self, node: Node) -> bool:
        name = self.text_of(node.children[0]).chars
        self.scope.assign(name, self._read_value(node))
        self._note_variable(name, self.text_of(node), is_exported=False)
        return True

    def _read_value(self, node: Node) -> Value:
        """The value that an assignment gives to its variable."""
        first, value, of = node.children[0], node.child_by_field_name("value"), self.text_of(node)
        name = self.text_of(first).chars
        if first.type == "subscript" or name in self.constants or ":~" in of.chars:
            raise self.refuse(of)
        new: Value = Text()
        is_item = isinstance(self.scope.variables.get(name), list) and (value is None or value.type != "array")
        if is_item:  # bash assigns it to the first item
            raise self.refuse(of)
        if value is not None:
            new = self.expansion.expand_array(value) if value.type == "array" else self.expansion.expand_text(value)
        if any(self.text_of(child).chars == "+=" for child in node.children):
            before = self.scope.find(name)
            if isinstance(before, list) and isinstance(new, list):
                new = [*before, *new]
            elif isinstance(before, Text) and isinstance(new, Text):
                new = before + new
            elif before is not None:
                raise self.refuse(of)
        return new

    def _note_variable(self, name: str, of: Text, is_exported: bool) -> None:
        if is_exported:
            self.scope.export(name)
        value = self.scope.variables.get(name, Text())
        self.add_event("exported" if is_exported else "assigned", of, name=name, value=value)

    def _read_declaration(self, node: Node) -> bool:
        words = [child for child in node.children if child.is_named]
        of, command = self.text_of(node), self.text_of(node.children[0]).chars
        options = "".join(text for one in words if (text := self.text_of(one).chars).startswith(("-", "+")))
        if command == "local" or re.search(r"[^-apxrg]", options):
            raise self.refuse(of)
        if any(one.type in OPEN for one in words):
            raise self.refuse(of, "dsgen does not compute which variables it sets")
        is_export = command == "export" or "x" in options
        nodes = [word for word in words if word.type in ("variable_assignment", "variable_name")]
        names = [self.text_of(one).chars.partition("=")[0].rstrip("+") for one in nodes]
        values = [self._read_value(one) if one.type == "variable_assignment" else None for one in nodes]
        if names[1:] and (any(isinstance(one, list) for one in values) or len({*names}) < len(names)):
            raise self.refuse(of)  # bash sets an array before it expands the words behind it
        for node, name, value in zip(nodes, names, values, strict=True):
            if value is not None:
                self.scope.assign(name, value)
            self._note_variable(name, self.text_of(node), is_export)
        if command == "readonly" or "r" in options:
            self.constants |= {*names}
        if not names:
            self.add_event("dropped", of, ITSELF)
        return True

    def _read_unset(self, node: Node) -> bool:
        of = self.text_of(node)
        names = [self.text_of(child).chars for child in node.named_children]
        if not all(map(IDENTIFIER.fullmatch, names)) or self.constants.intersection(names):
            raise self.refuse(of)
        for name in names:
            self.scope.unset(name)
        self.add_event("dropped", of, "the variable is not set in a pod")
        return True

    # -- conditions and branches --------------------------------------------------------------------------------------

    def _is_question(self, node: Node) -> bool:
        """Whether a command is asked for its exit code."""
        if node.type in ("list", "redirected_statement"):
            return any(self._is_question(child) for child in node.named_children if child.type != "file_redirect")
        text = self.text_of(node).chars
        is_test = node.type in ("test_command", "negated_command") or text.startswith("((")
        return is_test or (node.type == "command" and QUESTIONS.fullmatch(text.split()[0]) is not None)

    def _read_list(self, node: Node) -> bool | None:
        left, right = node.children[0], node.children[-1]
        is_and = self.text_of(node.children[1]).chars == "&&"
        truth = self.read_statement(left)
        is_question = self._is_question(left)
        if truth is is_and or (truth is None and is_and and not is_question):
            return self.read_statement(right)
        if truth is None and not self._is_harmless(right):
            raise self.refuse(self.text_of(right), CONDITION if is_question else FAILS)
        self._drop(right, PRINTS if truth is None else NOT_TRUE)
        return truth

    def _read_if(self, node: Node) -> None:
        is_open = True
        for condition, body in _find_branches(node):
            truth = None if not is_open else self.read_statements(condition) if condition else True
            ends = truth is None and self._ends_script(body) and not self._is_guard(node)
            if not is_open or truth is False or ends:
                for one in [one for one in body if one.is_named and one.type != "comment"]:
                    self._drop(one, CHECKS if is_open and truth is None else NOT_TRUE)
            elif truth is None:
                raise self.refuse(self.text_of(node), CONDITION)
            else:
                self.read_statements(body)
                is_open = False

    def _ends_script(self, body: Sequence[Node]) -> bool:
        """Whether statements end the script in each case."""
        commands = [self.text_of(one).chars.split() for one in body if one.type == "command"]
        return any(words[:1] in (["exit"], ["return"]) for words in commands)

    def _is_guard(self, node: Node) -> bool:
        """Whether a condition ends the script with success, and is no check of its arguments."""
        text = self.text_of(node).chars
        return ENDS_WELL.search(text) is not None and ARGUMENTS.search(text) is None

    def _read_subshell(self, node: Node) -> bool | None:
        with self.fork():
            return self.read_statements(node.children)

    # -- what is not followed -----------------------------------------------------------------------------------------

    def _read_function(self, node: Node) -> bool:
        if name := node.child_by_field_name("name"):
            self.functions.add(self.text_of(name).chars)
        self._drop(node, "it only defines a function")
        return True

    def _is_harmless(self, statement: Node) -> bool:
        """Whether a statement changes nothing: it prints, waits, or ends the script."""
        return not self._is_guard(statement) and all(map(self._changes_nothing, walk_nodes(statement)))

    def _changes_nothing(self, node: Node) -> bool:
        """Whether a node changes nothing by itself."""
        text = self.text_of(node).chars
        if node.type in CHANGES:
            return node.type == "variable_assignment" and node.parent is not None and node.parent.type == "command"
        if node.type == "file_redirect":
            return not TO_FILE.match(text)
        if node.type != "command":
            return not (ASSIGNS.search(text) if "((" in text[:3] else re.match(r"\$\{\w+:?=", text))
        words = [self.text_of(argument).chars for argument in list_arguments(node)]
        if words[:1] == ["ssh"] and words[-1] in ("true", "exit", "hostname", "date", ":"):
            return True  # it waits for the host
        is_plain = bool(words) and words[0] not in (*CHANGING, *self.functions) and "-v" not in words
        return is_plain and find_meaning(words).kind == "silent" and not rank_words(words)

    # -- redirections and files ---------------------------------------------------------------------------------------

    def _read_pipeline(self, node: Node) -> None:
        for child in node.named_children:
            with self.fork():
                self.read_statement(child)

    def _read_redirected(self, node: Node) -> bool | None:
        body = node.child_by_field_name("body")
        redirects = [child for child in node.children if child.type.endswith("_redirect")]
        heredoc = next((one for one in redirects if one.type == "heredoc_redirect"), None)
        for redirect in redirects:
            if redirect.children_by_field_name("destination")[1:] or redirect.children_by_field_name("argument"):
                raise self.refuse(self.text_of(node), "dsgen does not read arguments behind a redirection")
        target, is_more = self._find_target([*redirects, *(heredoc.children if heredoc else ())])
        if heredoc is not None:
            self._read_heredoc(node, body, heredoc, target, is_more)
            return None
        if body is None:
            return None
        before = len(self.launches)
        truth = self.read_statement(body)
        if len(self.launches) > before:
            self._note_redirects(redirects)
        elif target and not target.chars.startswith("/dev/"):
            of = self.text_of(node)
            self._note_file(of, target, self.expansion.add_part("command", "", of), is_more)
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
            content = self.expansion.expand_heredoc(inner, first, is_quoted)
            if heredoc.children[0].type == "<<-" and re.search(r"^\t", content.chars, re.MULTILINE):
                raise self.refuse(of)  # the lines lose their tabs
        if target and name in ("cat", "tee"):
            self._note_file(of, target, content, is_more)
        elif not {posixpath.basename(word.chars) for word in words}.isdisjoint((*SHELLS, "ssh")):
            raise self.refuse(of, "dsgen does not follow a shell that reads its commands")
        elif body is not None:
            before = len(self.launches)
            self.read_statement(body)
            if len(self.launches) > before:
                self.add_event("lost", of[len(self.text_of(body).chars) :].strip(), INPUT, INPUT_HINT)

    def _note_file(self, statement: Text, target: Text, content: Text, is_more: bool) -> None:
        name = self.source_map.format_text(target)
        if is_more:
            before = self.files[name][1] if name in self.files else self.expansion.add_part("command", "", statement)
            content = before + content
        if hosts := re.findall(r"(?m)^\S+[ \t]+slots=(\d{1,4})\s*$", content.chars):
            self.add_event("slots", statement, HOSTFILE.why, name=str(len(hosts)), value=place_at(hosts[0], statement))
        elif any(folder in name for folder in OF_SSH):
            self.add_event("dropped", statement, SSH.why)
        else:
            self.files[name] = (statement, content)
            self.add_event("file", statement, name=name, value=content)

    def _is_hostfile(self, node: Node) -> bool:
        """Whether a statement writes a hostfile from the names of the nodes."""
        if node.type not in ("for_statement", "while_statement", "pipeline", "redirected_statement", "command"):
            return False
        text = self.text_of(node)
        asks = re.search(rf"\b({'|'.join(LISTS | LOOKS_UP | OF_HOST)})\b|NODELIST|hosts", text.chars)
        if "slots=" not in text.chars or "<<" in text.chars or not asks or len(text.chars) > 2000:
            return False
        match, value = re.search(r"slots=\\?[\"']?(\$\{?(\w+)\}?|\d{1,4})", text.chars), Text()
        if match:
            value = self.scope.resolve_text(match[2], text.places[:1]) if match[2] else place_at(match[1], text)
        self.add_event("slots", text, HOSTFILE.why, value=value)
        return True

    # -- command lines ------------------------------------------------------------------------------------------------

    def _read_command(self, node: Node) -> bool | None:
        of, prefix = self.text_of(node), dict[str, Text]()
        for child in [child for child in node.children if child.type == "variable_assignment"]:
            value = self._read_value(child)
            if isinstance(value, list):
                raise self.refuse(of)
            prefix[self.text_of(child.children[0]).chars] = value
        words = self.expansion.expand_words(list_arguments(node))
        if words and words[0].chars in ("test", "[", "true", "false", ":"):
            self.add_event("dropped", of, ITSELF)
            return decide(self.expansion, node)
        before = len(self.launches)
        truth = self.read_words(words, of, prefix)
        if len(self.launches) > before:
            self._note_redirects([one for one in node.children if one.type == "herestring_redirect"])
        return truth

    def read_words(self, words: list[Text], statement: Text, prefix: dict[str, Text]) -> bool | None:
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
        if len(words[0].chars) == 1 and not words[0].is_known:
            raise self.refuse(statement, "the program that it starts is not known")
        if handle and handle(self, words, statement, prefix):
            return True if name == "cd" else None
        is_changing = name in CHANGING or (name == "printf" and words[1:2] and words[1].chars == "-v")
        if name in REMOTE:
            raise self.refuse(statement, "it runs on another host")
        if name in self.functions or (is_changing and not handle):
            raise self.refuse(statement, CALL if name in self.functions else NOT_COMPUTED)
        if name in WRAPPERS and (end := count_wrapper_words(name, words)):
            self._read_wrapped(name, words, end, statement, prefix)
        else:
            self._read_plain(words, statement, prefix)
        return None

    def _read_wrapped(self, name: str, words: list[Text], end: int, statement: Text, prefix: dict[str, Text]) -> None:
        rest = words[end:]
        if any(word.chars == "--multi-prog" for word in words[:end]):
            raise self.refuse(statement, "srun --multi-prog starts several programs")
        with self.using(wrappers=[*self.wrappers, (name, words[:end])]):
            if rest:
                self.read_words(rest, statement, prefix)
            else:
                self.add_event("dropped", statement, NOTHING)

    def _read_inner(self, text: Text, words: list[Text], options: str, prefix: Variables | None = None) -> None:
        """The commands of another shell. words: its name and its arguments. options: as those of `set`, such as -e."""
        scope = self.scope.make_inner()
        scope.arguments, scope.name = words[1:], words[0].chars
        if self.wrappers:
            scope.own_host = "HOSTNAME"
        with self.using(scope=scope, folder=self.folder, ended_by=self.ended_by, is_strict=False):
            for variable, value in (prefix or {}).items():
                scope.assign(variable, value)
                self._note_variable(variable, value, is_exported=True)
            self.read_script(text, options)

    def read_script(self, text: Text, options: str) -> None:
        """Read the commands of a shell that was started with these options."""
        if options and text:
            self.read_commands(place_at(f"set {options}", text))
        self.read_commands(text)

    def _read_shell(self, words: list[Text], statement: Text, prefix: dict[str, Text]) -> bool:
        """`bash -c TEXT`, `bash FILE`."""
        rest, options, has_text = words[1:], list[str](), False
        while rest and rest[0].chars.startswith("-"):
            word = rest.pop(0).chars
            if word.startswith("--"):
                continue
            has_text |= "c" in word
            letters = re.sub("[cils]", "", word)
            options += [letters] if letters != "-" else []
            if word.endswith("o") and rest:
                options.append(rest.pop(0).chars)
        if not rest:
            return False
        if not has_text:
            return self._read_file(rest, statement, " ".join(options))
        if any(one.kind == "command" for one in self.source_map.list_unknowns(rest[0][:1])):
            raise self.refuse(statement, "the commands that it runs are not known")
        self._read_inner(rest[0], rest[1:] or words[:1], " ".join(options), prefix)
        return True

    def _read_file(self, words: list[Text], statement: Text, options: str | None = None) -> bool:
        """A script that this one wrote, or that was given beside it. options: of its shell, None if it has its own."""
        path = self.source_map.format_text(words[0])
        path = next((file for file in self.files if file.removeprefix("./") == path.removeprefix("./")), path)
        content, name = self.files[path][1] if path in self.files else self._find_helper(path), posixpath.basename(path)
        if content is None:
            return False
        for text in (statement, *self.files.pop(path, ())[:1]):
            self.add_event("dropped", text, FOLLOWED.format(name))
        self._read_inner(
            content, [place_at(name, words[0]), *words[1:]], read_options(content) if options is None else options
        )
        return True

    def _find_helper(self, name: str) -> Text | None:
        """A script that was given beside this one, by its path or its file name."""
        return self.helpers.get(name, self.helpers.get(posixpath.basename(name)))

    def _read_source(self, words: list[Text], statement: Text, *_: object) -> bool:
        content = self._find_helper(words[1].chars) if len(words) > 1 else None
        if content is not None:
            self.add_event("dropped", statement, FOLLOWED.format(posixpath.basename(words[1].chars)))
            self.read_commands(content)
            self.ended_by = self.ended_by if self.ended_by == "exit" else ""
        elif is_loader([word.chars for word in words]):
            return False
        else:
            raise self.refuse(statement, "the variables that this file sets are not known", SOURCED)
        return True

    def _read_eval(self, words: list[Text], statement: Text, *_: object) -> bool:
        text = join(words[1:], " ")
        unknown = [one for one in self.source_map.list_unknowns(text) if one.kind in ("command", "variable")]
        if is_loader(self.source_map.format_words(words)):
            self.add_event("loaded", statement, "it prepares the shell")
        elif not text or unknown:
            raise self.refuse(statement, "the commands that it runs are not known")
        else:
            self.add_event("dropped", statement, "the commands that it runs were read")
            self.read_commands(text)
        return True

    def _read_cd(self, words: list[Text], statement: Text, *_: object) -> bool:
        target = words[-1] if len(words) > 1 else self.scope.resolve_text("HOME", statement.places[:1], "$HOME")
        if words[0].chars != "cd" or target.chars == "-":
            raise self.refuse(statement)
        is_absolute = target.chars.startswith("/") or not target[:1].is_known
        if not is_absolute and self.folder is not None:
            target = join([self.folder, target], "/")
        self.folder = target
        if not (is_absolute and target.is_known):
            here = UnknownPart("variable", "PWD", "$PWD", folder=format_folder(target, self.source_map))
            self.scope.assign("PWD", self.source_map.add_unknown(here, ()))
        else:
            self.scope.assign("PWD", target)
        self.add_event("folder", statement, value=target)
        return True

    def _read_exit(self, words: list[Text], statement: Text, *_: object) -> bool:
        self.ended_by = "" if self.wrappers else words[0].chars
        self.add_event("dropped", statement, "it ends the script" if words[0].chars == "exit" else ITSELF)
        return True

    def _read_set(self, words: list[Text], statement: Text, *_: object) -> bool:
        options = " ".join(word.chars for word in words[1:])
        if re.search(r"(^| )(--( |$)|-[a-z]*[an])|^[^-+]|allexport|noexec", options):
            raise self.refuse(statement)
        ends = re.search(r"(^| )-[a-z]*e|errexit", options) is not None and not self.wrappers
        self.is_strict = ends or (self.is_strict and "+" not in options)
        self.add_event("setup" if ends else "dropped", statement, ITSELF, name="set")
        return True

    def _read_env(self, words: list[Text], statement: Text, prefix: dict[str, Text]) -> bool:
        if words[1:2] and words[1].chars.startswith("-"):
            raise self.refuse(statement, "dsgen does not change the environment or the folder of one command")
        self.read_words(words[1:], statement, prefix) if words[1:] else None
        return bool(words[1:])

    def _read_plain(self, words: list[Text], statement: Text, prefix: dict[str, Text]) -> None:
        """A command that is no wrapper: it may start the training."""
        if words[0].chars.endswith(".sh") and self._read_file(words, statement):
            return
        shown = self.source_map.format_words(words)
        rank = _rank(shown, any(name == "srun" for name, _ in self.wrappers))
        if rank == 3 and (launcher := self._find_inner_launcher(words)):
            raise self.refuse(statement, f"mpirun starts {launcher} on each node")
        if rank_words(shown[1:]) > rank and rank_command(shown, False) == 0 and find_meaning(shown) is PREPARES:
            raise self.refuse(statement, f"dsgen does not know how {shown[0]} starts the program")
        if rank > 0:
            for wrapper, _ in self.wrappers:
                if WRAPPERS[wrapper] not in ("", NEEDLESS):
                    raise self.refuse(statement, WRAPPERS[wrapper])
            scope, places = self.scope, statement.places[:1]
            exported = {name: scope.variables.get(name, scope.resolve_text(name, places, f"${name}"))
                        for name in scope.exported}  # fmt: skip
            launch = Launch(words, statement, self.wrappers, exported, prefix, self.folder, len(self.events))
            self.launches.append(launch)
            return
        found = find_meaning([word.chars for word in words])
        if found.kind != "silent" and not self.files.keys().isdisjoint(shown[1:]):
            raise self.refuse(statement, "it may change a file that the script writes")
        self.add_event(found.kind, statement, found.why, found.hint, name=words[0].chars, value=words)

    def _find_inner_launcher(self, words: list[Text]) -> str:
        """The launcher that mpirun starts on each node in place of the ranks; "" if there is none."""
        started = parse_alone(words, self.source_map)
        inner = " ".join(one.chars for one in started.program).split()
        found = (word for at, word in enumerate(inner) if rank_command(inner[at : at + 3], False) == 3)
        return next(found, "") if started.method == "openmpi" else ""


def format_folder(folder: Text | None, source_map: SourceMap) -> str:
    """A folder as the script says it; "" for the one in which it starts."""
    path = posixpath.normpath(source_map.format_text(folder)) if folder else "."
    return "" if path == "." else path


def read_options(text: Text) -> str:
    """The options of `set` that the first line of a script gives to its shell."""
    match = SHELL_OPTIONS.match(text.chars)
    return f"-{match[1]}" if match else ""


def _rank(words: Sequence[str], is_under_srun: bool) -> int:
    """The rank of a command that may start the training; 0 of one whose meaning is another."""
    rank = rank_command(words, is_under_srun)
    return rank if rank == 3 or find_meaning(words) is PREPARES else 0


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
    "declaration_command": ScriptReader._read_declaration,
    "unset_command": ScriptReader._read_unset,
    "negated_command": lambda reader, node: NOT[reader.read_statement(node.children[-1])],
    "subshell": ScriptReader._read_subshell,
    "pipeline": ScriptReader._read_pipeline,
    "list": ScriptReader._read_list,
    "redirected_statement": ScriptReader._read_redirected,
    "if_statement": ScriptReader._read_if,
    "function_definition": ScriptReader._read_function,
    **dict.fromkeys(("compound_statement", "test_command"), ScriptReader._read_block),
    **dict.fromkeys(("variable_assignments", "do_group", "program", "else_clause"),
                    lambda reader, node: reader.read_statements(node.children)),
}  # fmt: skip
"""Who reads a statement, by the type of its node."""
COMMANDS: Mapping[str, Callable[[ScriptReader, list[Text], Text, dict[str, Text]], bool]] = {
    **dict.fromkeys(SHELLS, ScriptReader._read_shell),
    **dict.fromkeys(("cd", "pushd", "popd"), ScriptReader._read_cd),
    "eval": ScriptReader._read_eval,
    **dict.fromkeys(("exit", "return", "break", "continue"), ScriptReader._read_exit),
    "set": ScriptReader._read_set,
    "env": ScriptReader._read_env,
    **dict.fromkeys(("source", "."), ScriptReader._read_source),
}
"""Who reads a command line, by its program; it returns whether it did."""
