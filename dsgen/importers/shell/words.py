"""Variables of a shell script, and words as bash expands them: quotes, defaults, arrays, arithmetic, splitting.

Nothing is run. Of `$(...)`, host names, numbers of nodes, dates, folders and some commands on known words are
understood; all else stays an unknown part. A condition is decided as far as its values are known.
"""

from __future__ import annotations

import ast
import operator
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from dsgen.importers.ledger import ImportRefusedError, shorten
from dsgen.importers.shell.syntax import EXPANSIONS, Script
from dsgen.importers.texts import (
    OF_OPERATION,
    Kind,
    SourceMap,
    Text,
    TooMuchWorkError,
    UnknownPart,
    add_places,
    join,
    place_at,
    spend,
)

if TYPE_CHECKING:
    from tree_sitter import Node

NOT_COMPUTED = "dsgen does not compute it"


class NotComputedError(ImportRefusedError):
    """A part of a script that dsgen does not follow. The message is why."""


# -- variables ---------------------------------------------------------------------------------------------------------

Value = Text | list[Text]
"""A variable: a text, or the items of an array."""
OWN_HOST = ("HOSTNAME", "SLURMD_NODENAME")
"""Variables with the name of the node on which a shell runs."""
OF_TASK = ("SLURM_PROCID", "SLURM_NODEID", "SLURM_LOCALID")
"""Numbers of a task, which are 0 in the shell of a batch script."""


@dataclass
class ShellScope:
    """Variables, and what is known about those that the script does not set.

    runtime: variables of the system that started the script, such as SLURM_NNODES: numbers that are known, or parts
    that only the cluster knows. given: values from the user, which also replace assignments. arguments: of the script;
    None if they are not known. defaults: those that were used, each with its value. own_host: what the name of the own
    node is, MASTER_ADDR or HOSTNAME. unclear: variables of loops, whose values are not known.
    """

    source_map: SourceMap
    runtime: Mapping[str, Text] = field(default_factory=dict)
    given: Mapping[str, Text] = field(default_factory=dict)
    variables: dict[str, Value] = field(default_factory=dict)
    exported: dict[str, None] = field(default_factory=dict)
    arguments: list[Text] | None = None
    name: str = ""
    defaults: list[tuple[Text, Text]] = field(default_factory=list)
    own_host: str = "HOSTNAME"
    unclear: set[str] = field(default_factory=set)

    def fork(self) -> ShellScope:
        """The scope of a subshell: what it sets does not come back."""
        spend(OF_OPERATION * len(self.variables))
        return replace(self, variables=dict(self.variables), exported=dict(self.exported))

    def make_inner(self) -> ShellScope:
        """The scope of another shell that this one starts: it sees only exported variables, and no arrays."""
        arrays = {name for name, value in self.variables.items() if isinstance(value, list)}
        seen = {*self.exported, "PWD"} - arrays
        kept = {name: value if name in seen else Text() for name, value in self.variables.items()}
        exported = {name: None for name in self.exported if name not in arrays}
        return replace(self, variables=kept, exported=exported, arguments=None)

    def assign(self, name: str, value: Value) -> None:
        """Set a variable, unless the user gave its value."""
        if name not in self.given:
            self.variables[name] = value

    def export(self, name: str) -> None:
        """Mark a variable as exported; the last one is the last."""
        self.exported.pop(name, None)
        self.exported[name] = None

    def unset(self, name: str) -> None:
        """Remove a variable."""
        self.variables.pop(name, None)
        self.exported.pop(name, None)

    def find(self, name: str) -> Value | None:
        """The value of a variable; None if the script does not set it and nothing else is known."""
        if name in self.unclear:
            raise NotComputedError(
                f"dsgen does not follow the loop that sets ${name}", self.source_map.resolve_place(0)
            )
        for known in (self.given, self.variables):
            if name in known:
                return known[name]
        if name in OWN_HOST:
            return self.source_map.add_unknown(UnknownPart("hosts", self.own_host, f"${name}"), ())
        value = self.runtime.get(name)
        if value and name in OF_TASK and self.own_host == "MASTER_ADDR":
            part = self.source_map.resolve_part(value.chars)
            return self.source_map.add_unknown(replace(part, source=f"${name}"), value.places)
        return value

    def resolve_text(self, name: str, places: Iterable[int], source: str = "") -> Text:
        """The value of a variable as one text; an unknown part if it is not set."""
        value = self.find(name)
        if isinstance(value, list):
            return value[0] if value else Text()
        if value is not None:
            return add_places(value, Text("", [*places][:1]))
        return self.source_map.add_unknown(UnknownPart("variable", name, source or f"${{{name}}}"), [*places][:1])


# -- outputs of commands -----------------------------------------------------------------------------------------------

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


def substitute_command(node: Node, expansion: Expansion) -> Text:
    """The output of a command substitution as far as it is known."""
    of, scope = expansion.script.read_text(node), expansion.scope
    commands = list(_find_commands(node))
    programs = [[one for one in command.children if one.type == "command_name"] for command in commands]
    names = [posixpath.basename(expansion.expand_text(program[0]).chars) if program else "" for program in programs]
    if names == ["pwd"]:
        folder = expansion.folder or Text()
        return folder if folder.chars.startswith("/") else scope.resolve_text("PWD", of.places, "$PWD")
    known = _compute_output(commands[0], of, expansion) if len(commands) == 1 and "\\" not in of.chars else None
    if known is not None:
        return Text(known, [of.places[0]] * len(known))
    children = [one for command in commands for one in command.children if one.is_named]
    words = [word for one in children if one.type != "command_substitution" for word in expansion.expand_words([one])]
    parts = [unknown for word in words for unknown in scope.source_map.list_unknowns(word)]
    kind, name = _find_kind(of.chars, names, words, parts, scope.own_host)
    if kind == "command" and of.chars.startswith("`") and "\\" in of.chars:
        raise expansion.refuse(of)
    return scope.source_map.add_unknown(UnknownPart(kind, name, "" if kind == "runtime" else of.chars), of.places)


def _find_kind(
    source: str, names: Sequence[str], words: Sequence[Text], parts: Sequence[UnknownPart], own_host: str
) -> tuple[Kind, str]:
    is_count = "wc" in names or re.search(r"\bgrep\s+-\w*c|\bprint NR\b", source) is not None
    hosts = {part.name for part in parts if part.kind == "hosts"}
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
    if names and names[0] in OF_HOST and "-a" not in shown and (names[0] != "uname" or "-n" in shown):
        is_number = any(re.fullmatch(r"-[iI]+|--ip-address|--all-ip-addresses", one) for one in shown)
        return "hosts", "OTHER" if is_number and own_host != "MASTER_ADDR" else own_host
    if hosts or is_address:
        is_first = hosts == {"MASTER_ADDR"} and names[0] in (*LOOKS_UP, "getent", "echo")
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


def _compute_output(command: Node, of: Text, expansion: Expansion) -> str | None:
    """The output of a known command on a known word, which is alone in its substitution; None of anything else."""
    children = [child for child in command.children if child.is_named]
    parent = command.parent
    if parent is None or parent.type != "command_substitution" or parent.named_child_count != 1:
        return None
    if any(child.type in ("variable_assignment", "herestring_redirect") for child in children):
        return None
    words = expansion.expand_words(children)
    name, *given = [word.chars for word in words] or [""]
    if name not in OUTPUTS or not all(one.is_known for one in words):
        return None
    if len(given) != 1 or not (PROGRAMS if name == "which" else SIMPLE_PATH).fullmatch(given[0]):
        raise expansion.refuse(of)
    return OUTPUTS[name](given[0])


PROGRAMS = re.compile("python3?|torchrun|deepspeed|accelerate")
SIMPLE_PATH = re.compile(r"(/?[\w.][\w.+-]*)+")
OUTPUTS: Mapping[str, Callable[[str], str]] = {
    "echo": str,
    "basename": posixpath.basename,
    "dirname": lambda path: posixpath.dirname(path) or ".",
    "which": str,
}
"""Commands whose output is known from their word."""


# -- arithmetic -------------------------------------------------------------------------------------------------------

LARGEST = 1 << 62
_BINARY: Mapping[type[ast.AST], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda a, b: int(a / b) if abs(a) < 1 << 50 else a // b,
    ast.Mod: lambda a, b: a - b * int(a / b),
}


def compute(expression: str) -> int | None:
    """The number of an expression without variables; None if it has others parts, or is not arithmetic."""
    if len(expression) > 500 or re.search(r"\*\*|//|_", expression):
        return None
    try:
        return _evaluate(ast.parse(expression.strip(), mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError, MemoryError, OverflowError):
        return None


def _evaluate(node: Any) -> int:
    """The value of a node. Raises ValueError if it is not arithmetic of small numbers."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        number = node.value
    elif isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        number = _BINARY[type(node.op)](_evaluate(node.left), _evaluate(node.right))
    else:
        raise ValueError
    if abs(number) >= LARGEST:
        raise ValueError
    return int(number)


# -- words -------------------------------------------------------------------------------------------------------------

LONGEST = 1 << 18
"""Characters of one word. Variables that double each other could make more than fits into memory."""
Mode = Literal["literal", "quoted", "split", "break"]
NAME = re.compile(r"(?<!\w)[A-Za-z_]\w*", re.ASCII)
ASSIGNS = re.compile(
    r"([A-Za-z_]\w*)(?:\[[^\]]*\])?\s*(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)?=(?!=))|(?:\+\+|--)\s*([A-Za-z_]\w*)"
)
"""An assignment in an arithmetic expression."""
OF_SHELL = re.compile(r"S?RANDOM|SECONDS|LINENO|E?UID|P?PID|BASHPID|EPOCH(SECONDS|REALTIME)|BASH_SUBSHELL|OSTYPE")
"""Variables that each shell sets by itself."""
PARAMETER = re.compile(r"([#!]?)([A-Za-z_]\w*|[0-9]+|[@*#?$!_-])(?:\[([^\]]*)\])?(.*)", re.ASCII | re.DOTALL)
BLANK_WORD = re.compile(r"(?:[ \t]|\\\n)+\\[ \t]")
QUOTED = re.compile(r'\$\{\w+:?[-+=]"[\w./:+-]*"\}')
"""A default in quotes that change nothing."""
SIGN = re.compile(r":?[-=?+]|##?|%%?|//?|\^\^?|,,?|:|@")
BRACES = re.compile(r"\{[^{}\s]*(,|\.\.)[^\s]*\}")
GLOB = re.compile(r"[*?]|\[[^\]\s]+\]")
STARTS = ("", " ", "\t", "\n", "=", ":", "(", ";", "&", "|")
"""What can be before a word, or a part of one in which `~` is the home folder."""
PLAIN = ("word", "number", "extglob_pattern", "regex", "variable_name", "test_operator", "command_name")
"""Nodes of plain characters; some have parts."""


class WordPart(NamedTuple):
    """A part of a word: literal or quoted, or the result of an expansion, which is split at blanks.

    break: the items of an array are words of their own.
    """

    text: Text
    mode: Mode


@dataclass
class Expansion:
    """Expands nodes of one script. folder: the present one."""

    script: Script
    scope: ShellScope
    folder: Text | None = None

    def add_part(self, kind: Kind, name: str, of: Text) -> Text:
        """An unknown part for an expansion of a script."""
        return self.scope.source_map.add_unknown(UnknownPart(kind, name, of.chars), of.places)

    def refuse(self, of: Text) -> NotComputedError:
        """The error for a part of a script."""
        at = self.scope.source_map.resolve_place(of.places[0] if of.places else 0)
        return NotComputedError(f"dsgen does not compute {shorten(of.chars, 60)}" if of.chars else NOT_COMPUTED, at)

    # -- words and values ---------------------------------------------------------------------------------------------

    def expand_words(self, nodes: Sequence[Node]) -> list[Text]:
        """The words of a command line."""
        for node, following in pairwise(nodes):
            # The parser ends a word at a backslash, as in `$A\\ b`.
            between = self.script.text[node.end_byte : self.script.find_start(following)]
            if not re.match(r"\s|\\\n\s", between.chars):
                raise self.refuse(self.script.text[self.script.find_start(node) : following.end_byte])
        for node in nodes:  # the parser skips a word that is a backslash and a blank
            if BLANK_WORD.match(self.script.text.chars, node.end_byte):
                raise self.refuse(self.script.text[self.script.find_start(node) : node.end_byte + 3])
        return [word for node in nodes for word in self._expand_word(node)]

    def _expand_word(self, node: Node) -> list[Text]:
        """The words that one word of the script becomes."""
        parts = list(self._expand_node(node))
        bare = "".join(part.text.chars if part.mode == "literal" else " " for part in parts)
        if BRACES.search(bare) or GLOB.search(bare) or re.match(r"~[^/]", bare):
            raise self.refuse(self.script.read_text(node))
        return list(_split_fields(parts))

    def expand_text(self, node: Node) -> Text:
        """The value of a node that is not split into words, as in an assignment."""
        of = self.script.read_text(node)
        text = join([place_at(" ", of) if run.mode == "break" else run.text for run in self._expand_node(node)])
        if len(text.chars) > LONGEST:
            raise TooMuchWorkError
        return text

    def expand_array(self, node: Node) -> list[Text]:
        """The items of an array in parentheses."""
        items = [child for child in node.children if child.is_named and child.type != "comment"]
        if any(re.match(r"\[[^\]]*\]\+?=", self.script.read_text(item).chars) for item in items):
            raise self.refuse(self.script.read_text(node))
        return self.expand_words(items)

    def expand_heredoc(self, node: Node, start: int, is_quoted: bool) -> Text:
        """The text of a here document."""
        whole = self.script.text[start : node.end_byte]
        parts = [] if is_quoted else self._expand_inside(node, start, node.end_byte, "$`\\\n")
        return whole if is_quoted else join([part.text for part in parts])

    def expand_arithmetic(self, node: Node) -> Text:
        """The number of `$(( ))` as a text; an unknown part if not all is known."""
        of, source_map = self.script.read_text(node), self.scope.source_map
        start, end = self.script.find_start(node) + (2 if of.chars.startswith("((") else 3), node.end_byte - 2
        inner = self.script.text[start:end]
        if ASSIGNS.search(inner.chars):
            raise self.refuse(of)
        expanded = join([run.text for run in self._expand_inside(node, start, end, "\n")])
        unknown = source_map.list_unknowns(expanded)

        def insert_value(match: re.Match[str]) -> str:
            value = self.scope.find(match[0])
            known = value if isinstance(value, Text) else self.add_part("variable", match[0], of)
            unknown.extend(source_map.list_unknowns(known))
            return f"({known.chars.strip() or 0})"

        expression = NAME.sub(insert_value, expanded.chars)
        spend(4 * len(expression))
        number = compute(expression) if not unknown else None
        if number is not None:
            return place_at(str(number), inner)
        if not unknown or {one.kind for one in unknown} & {"hosts", "positional"}:
            raise self.refuse(of)
        source = f"$(({source_map.format_text(expanded)}))"
        return source_map.add_unknown(UnknownPart("command", "arithmetic", source), inner.places)

    # -- parts of words -----------------------------------------------------------------------------------------------

    def _expand_node(self, node: Node) -> Iterator[WordPart]:
        spend(4 * OF_OPERATION)
        of = self.script.read_text(node)
        if node.type in PLAIN and not node.children:
            text, start = unescape(of, None), self.script.find_start(node)
            is_home = re.match(r"~(/|$)", text.chars) and self.script.text.chars[start - 1 : start] in STARTS
            home = self.scope.resolve_text("HOME", text.places, "$HOME") if is_home else Text()
            yield WordPart(home + text[1:] if is_home else text, "literal")
        elif node.type in PLAIN:
            for child in node.children:
                yield from self._expand_node(child)
        elif node.type in ("ansi_c_string", "translated_string"):
            raise self.refuse(of)
        elif node.type in RUNS:
            yield from RUNS[node.type](self, node)
        else:
            yield WordPart(of, "literal")

    def _expand_concatenation(self, node: Node) -> Iterator[WordPart]:
        end = node.start_byte
        for child in node.children:
            yield WordPart(self.script.text[end : self.script.find_start(child)], "literal")
            yield from self._expand_node(child)
            end = child.end_byte

    def _expand_quoted(self, node: Node) -> Iterator[WordPart]:
        runs = list(self._expand_inside(node, node.start_byte + 1, node.end_byte - 1, '$`"\\\n'))
        # "${ARRAY[@]}" alone is no word at all if the array is empty; any other string is one.
        is_items = re.fullmatch(r'"\$(\{\w+\[@\]\}|\{?@\}?)"', self.script.read_text(node).chars)
        if not (is_items and not any(run.text or run.mode == "break" for run in runs)):
            yield WordPart(Text("", ()), "quoted")
            yield from runs

    def _expand_inside(self, node: Node, start: int, end: int, escapes: str) -> Iterator[WordPart]:
        """The text of a double-quoted string or a here document, with its expansions."""
        at = start
        for child in _find_expansions(node):
            yield WordPart(unescape(self.script.text[at : self.script.find_start(child)], escapes), "quoted")
            for run in (
                self._expand_parameter(child, "quoted") if "expansion" in child.type else self._expand_node(child)
            ):
                yield WordPart(run.text, "quoted" if run.mode == "split" else run.mode)
            at = child.end_byte
        yield WordPart(unescape(self.script.text[at:end], escapes), "quoted")

    # -- parameters ---------------------------------------------------------------------------------------------------

    def _expand_parameter(self, node: Node, mode: Mode) -> Iterator[WordPart]:
        """`$NAME`, `${NAME:-x}`, `${ARRAY[@]}`, `$1`, `${#NAME}`."""
        if node.type == "arithmetic_expansion":
            yield WordPart(self.expand_arithmetic(node), mode)
            return
        of = self.script.read_text(node)
        match = PARAMETER.fullmatch(of.chars[1:] if node.type == "simple_expansion" else of.chars[2:-1])
        if not match or match[1] == "!":
            raise self.refuse(of)
        prefix, name, index, rest = match[1], match[2], match[3] or "", match[4]
        is_all = name in ("@", "*") or index in ("@", "*")
        if (prefix == "#" and not is_all) or (is_all and (rest or (mode == "quoted" and "*" in (name, index)))):
            raise self.refuse(of)
        if prefix == "#":
            yield WordPart(self._count_items(name, of), mode)
        elif is_all:
            yield from self._expand_items(name, mode, of)
        else:
            yield self._mark_split(self._modify(self._find_value(name, index, of), name, rest, node, of), mode, of)

    def _mark_split(self, value: Text, mode: Mode, of: Text) -> WordPart:
        """The value of an expansion without quotes: it may become several words, or the names of files."""
        if mode != "split":
            return WordPart(value, mode)
        scope = self.scope
        unknown = scope.source_map.list_unknowns(value) if len(value.chars) == 1 else []
        if unknown and unknown[0].kind in ("variable", "command"):
            return WordPart(scope.source_map.add_unknown(replace(unknown[0], is_split=True), value.places), mode)
        if "IFS" in scope.variables or GLOB.search(value.chars):
            raise self.refuse(of)
        return WordPart(value, mode)

    def _find_value(self, name: str, index: str, of: Text) -> Text | None:
        """The value of a parameter, None if it is not set."""
        if name.isdigit():
            return self._find_argument(int(name), of)
        if name == "#":
            known = self.scope.arguments
            return self.add_part("positional", "#", of) if known is None else place_at(str(len(known)), of)
        if name in "?$!_-" or (OF_SHELL.fullmatch(name) and self.scope.find(name) is None):
            return self.add_part("command", name, of)
        value = self.scope.find(name)
        if isinstance(value, list):
            return self._find_item(index, value, of)
        if index not in ("", "0") and value is not None and not self.scope.source_map.list_unknowns(value):
            raise self.refuse(of)
        return None if value is None else add_places(value, of)

    def _find_item(self, index: str, items: list[Text], of: Text) -> Text:
        """An item of an array. What stands behind an item that may be several words has no known number."""
        known = self.scope.find(index.lstrip("$").strip("{}"))
        number = compute(known.chars if isinstance(known, Text) else index) if index else 0
        at = self._find_open(items)
        if number is not None and number < at:
            if number >= (-len(items) if at == len(items) else 0):
                return items[number]
        elif number is not None and at == len(items):
            return Text()
        elif number is not None and self._is_list(items[at]):
            return self.add_part("hosts", "MASTER_ADDR" if number == at else "OTHER", of)
        raise self.refuse(of)

    def _find_open(self, items: Sequence[Text]) -> int:
        """The index of the first item that may be several words."""
        parts = (self.scope.source_map.list_unknowns(item) for item in items)
        is_open = (any(one.is_split or one.kind == "command" or one.name in ("LIST", "OTHER") for one in part)
                   for part in parts)  # fmt: skip
        return next((at for at, one in enumerate(is_open) if one), len(items))

    def _is_list(self, item: Text) -> bool:
        """Whether an item is the names of all nodes."""
        return [one.name for one in self.scope.source_map.list_unknowns(item)] == ["LIST"] and len(item.chars) == 1

    def _find_argument(self, number: int, of: Text) -> Text | None:
        known = self.scope.arguments
        if number == 0:
            return place_at(self.scope.name, of)
        given = self.scope.given.get(str(number)) if known is None else ([*known, *[None] * number])[number - 1]
        return None if given is None else add_places(given, of)

    def _resolve_missing(self, name: str, of: Text) -> Text:
        if name.isdigit():
            return Text() if self.scope.arguments is not None else self.add_part("positional", name, of)
        return self.scope.resolve_text(name, of.places, f"${{{name}}}" if of.chars.startswith("${") else f"${name}")

    def _count_items(self, name: str, of: Text) -> Text:
        value = self.scope.find(name) if name not in ("@", "*") else self.scope.arguments
        if isinstance(value, list) and self._find_open(value) == len(value):
            return place_at(str(len(value)), of)
        if isinstance(value, list) and len(value) == 1 and self._is_list(value[0]):
            return self.add_part("runtime", "NNODES", of)
        raise self.refuse(of)

    def _expand_items(self, name: str, mode: Mode, of: Text) -> Iterator[WordPart]:
        """`$@` and `${ARRAY[@]}`."""
        value: Value | None = self.scope.arguments if name in ("@", "*") else self.scope.find(name)
        if isinstance(value, Text):
            value = value.split() if name in self.scope.given else [value]
        elif value is None and name in ("@", "*"):
            value = [self.scope.source_map.add_unknown(UnknownPart("positional", "@", '"$@"'), of.places)]
        if not value:
            yield WordPart(Text(), "split")
        for number, item in enumerate(value or ()):
            if number:
                yield WordPart(place_at(" ", of), mode) if mode == "split" else WordPart(Text(), "break")
            yield self._mark_split(add_places(item, of), mode, of)

    def _modify(self, value: Text | None, name: str, rest: str, node: Node, of: Text) -> Text:
        """`${VAR:-x}`; other operators are not computed."""
        match = SIGN.match(rest)
        if not match or match[0][-1] == "?":
            return value if value is not None else self._resolve_missing(name, of)
        sign = match[0]
        argument = self._expand_argument(node, len(of.chars) - 1 - len(rest) + len(sign))
        if sign[-1] in "-=+":
            return self._choose_default(value, name, sign, argument, of)
        if value is None or all(one.kind != "hosts" for one in self.scope.source_map.list_unknowns(value)):
            raise self.refuse(of)
        return self.add_part("hosts", "OTHER", of)

    def _choose_default(self, value: Text | None, name: str, sign: str, argument: Text, of: Text) -> Text:
        is_empty = value is None or (not value.chars and sign[0] == ":")
        is_used = is_empty != (sign[-1] == "+")
        if is_used and re.search(r"['\"\\]", of.chars) and not QUOTED.fullmatch(of.chars):
            raise self.refuse(of)
        if value is None and name.startswith("SLURM_") and name != "SLURM_CPUS_PER_TASK":
            raise self.refuse(of)  # in some jobs Slurm sets it, such as arrays and restarts
        if name.isdigit() or value is None:
            self.scope.defaults.append((of, Text() if sign[-1] == "+" else argument))
        if sign[-1] == "+":
            return Text() if is_empty else argument
        if not is_empty:
            return value or Text()
        if sign[-1] == "=":
            self.scope.assign(name, argument)
        return argument

    def _expand_argument(self, node: Node, offset: int) -> Text:
        """The expanded text after the operator."""
        at, end = self.script.find_start(node) + offset, node.end_byte - 1
        parts = list[Text]()
        for child in [child for child in node.children if child.is_named and child.start_byte >= at]:
            parts += [self.script.text[at : self.script.find_start(child)], self.expand_text(child)]
            at = child.end_byte
        return join([*parts, self.script.text[at:end]]).strip()


RUNS: Mapping[str, Callable[[Expansion, Node], Iterator[WordPart]]] = {
    "raw_string": lambda words, node: iter([WordPart(words.script.read_text(node)[1:-1], "quoted")]),
    "string": Expansion._expand_quoted,
    "concatenation": Expansion._expand_concatenation,
    "array": lambda words, node: (WordPart(item, "quoted") for item in words.expand_array(node)),
    "simple_expansion": lambda words, node: words._expand_parameter(node, "split"),
    "expansion": lambda words, node: words._expand_parameter(node, "split"),
    "arithmetic_expansion": lambda words, node: iter([WordPart(words.expand_arithmetic(node), "split")]),
    "command_substitution": lambda words, node: iter(
        [words._mark_split(substitute_command(node, words), "split", words.script.read_text(node))]
    ),
    "process_substitution": lambda words, node: iter(
        [WordPart(words.add_part("command", node.type, words.script.read_text(node)), "quoted")]
    ),
}
"""The parts of a node, by its type."""


def _find_expansions(node: Node) -> Iterator[Node]:
    """The expansions inside of a string or an arithmetic expression, without those inside of each other."""
    for child in node.children:
        if child.type in EXPANSIONS:
            yield child
        elif child.type != "raw_string":
            yield from _find_expansions(child)


def unescape(text: Text, only: str | None) -> Text:
    """Without backslashes; in quotes only before some characters. A backslash before a line break joins the lines."""
    if "\\" not in text.chars:
        return text
    kept, index = list[int](), 0
    while index < len(text.chars):
        char, following = text.chars[index], text.chars[index + 1 : index + 2]
        if char == "\\" and following == "\n":
            index += 2
            continue
        if char == "\\" and following and (only is None or following in only):
            index += 1
        kept.append(index)
        index += 1
    return Text("".join(text.chars[one] for one in kept), [text.places[one] for one in kept])


def _split_fields(runs: Sequence[WordPart]) -> Iterator[Text]:
    """The words that the parts form. An expansion without quotes is split at blanks; an empty one is no word."""
    current: Text | None = None
    length = 0
    for text, mode in runs:
        length += len(text.chars)
        if length > LONGEST:
            raise TooMuchWorkError
        if mode == "break":
            yield current if current is not None else Text()
            current = None
        elif mode != "split":
            current = (current or Text()) + text if text or mode == "quoted" else current
        else:
            if text.chars[:1].isspace() and current is not None:
                yield current
                current = None
            words = text.split()
            for number, word in enumerate(words):
                if number and current is not None:
                    yield current
                    current = None
                current = (current or Text()) + word
            if text.chars[-1:].isspace() and current is not None and words:
                yield current
                current = None
    if current is not None:
        yield current


# -- conditions --------------------------------------------------------------------------------------------------------

NUMBERS: Mapping[str, Callable[[int, int], bool]] = {
    f"-{name}": getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")
}
EQUAL = ("==", "=")


def decide(expansion: Expansion, node: Node) -> bool | None:
    """Whether a condition holds; None if that is not known."""
    try:
        return _decide(expansion, node)
    except NotComputedError:
        return None


def _decide(expansion: Expansion, node: Node) -> bool:
    """Whether a condition holds. Raises NotComputedError if that is not known."""
    of, inner = expansion.script.read_text(node), node.named_children
    if node.type == "binary_expression":
        return _decide_binary(expansion, node)
    if node.type in ("unary_expression", "negated_command"):
        sign = expansion.script.read_text(node.children[0]).chars
        if sign == "!":
            return not _decide(expansion, node.children[1])
        if sign in ("-z", "-n"):
            return _is_filled(expansion, node.children[1]) == (sign == "-n")
    elif node.type in ("parenthesized_expression", "test_command"):
        if len(inner) == 1 and not of.chars.startswith("(("):
            return _decide(expansion, inner[0])
    elif node.type == "command":
        if (word := of.chars.split()[0]) in ("true", ":", "false"):
            return word != "false"
    elif node.type in ("word", "string", "raw_string", "concatenation", "simple_expansion", "expansion", "number"):
        return _is_filled(expansion, node)
    raise expansion.refuse(of)


def _decide_binary(expansion: Expansion, node: Node) -> bool:
    left, sign, right = node.children[0], expansion.script.read_text(node.children[1]).chars, node.children[-1]
    if sign in ("&&", "-a"):
        return _decide(expansion, left) and _decide(expansion, right)
    if sign in ("||", "-o"):
        return _decide(expansion, left) or _decide(expansion, right)
    one, other = expansion.expand_text(left), expansion.expand_text(right)
    is_pattern = right.type not in ("string", "raw_string") and re.search(r"[*?\[\]\\()'\"]", other.chars)
    if sign in (*EQUAL, "!=") and not is_pattern:  # a pattern in [[ ]]
        if one.is_known and other.is_known:
            return (one.chars == other.chars) == (sign in EQUAL)
        if not one or not other:
            return _is_filled(expansion, left if one else right) == (sign == "!=")
    elif sign in NUMBERS and one.is_known and other.is_known:
        first, second = compute(one.chars or "0"), compute(other.chars or "0")
        if first is not None and second is not None:
            return NUMBERS[sign](first, second)
    raise expansion.refuse(expansion.script.read_text(node))


def _is_filled(expansion: Expansion, node: Node) -> bool:
    """Whether a word has characters; of its unknown parts, those are not empty that only the cluster knows."""
    value = expansion.expand_text(node)
    unknown = expansion.scope.source_map.list_unknowns(value)
    if any(part.kind not in ("runtime", "hosts", "changing") for part in unknown):
        raise expansion.refuse(expansion.script.read_text(node))
    return bool(value)
