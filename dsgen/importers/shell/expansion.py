"""Expands words as bash does: quotes, variables, defaults, arrays, arithmetic and field splitting."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dsgen.importers.shell.parameters import (
    ASSIGNS,
    NAME,
    WordPart,
    add_part,
    compute,
    decode_ansi,
    read_parameter,
    unescape,
)
from dsgen.importers.shell.scope import ShellScope
from dsgen.importers.shell.syntax import EXPANSIONS, Script
from dsgen.importers.texts import OF_OPERATION, Text, UnknownPart, join, place_at, spend

if TYPE_CHECKING:
    from tree_sitter import Node

LONGEST = 1 << 18
"""Characters of one word. Variables that double each other could make more than fits into memory."""


class TooLongError(Exception):
    """A word would be longer than any command line."""


Substitute = Callable[["Node", Script], Text]
"""Computes `$(...)` of a node in a script."""


@dataclass
class Expansion:
    """Expands nodes of one script."""

    script: Script
    scope: ShellScope
    substitute: Substitute

    def expand_words(self, nodes: Sequence[Node]) -> list[Text]:
        """The words of a command line."""
        return [word for group in self._group_nodes(nodes) for word in self._expand_group(group)]

    def _expand_group(self, group: Sequence[Node]) -> list[Text]:
        """The words that one word of the script becomes."""
        start, end = self.script.find_start(group[0]), group[-1].end_byte
        of = self.script.cut_text(start, end)
        bare = self._blank_quotes(group, of.chars, start)
        if BRACES.search(bare):
            return [add_part(self, "unclear", "", of)]
        words = list(_split_fields(self._join_group(group)))
        if words and words[0].places and (GLOB.search(bare) or re.match(r"~[^/]", bare)):
            self.scope.doubts[words[0].places[0]] = "bash puts the names of files that match in its place"
        return words

    def _blank_quotes(self, nodes: Sequence[Node], text: str, start: int) -> str:
        """The text of nodes with blanks in place of what is quoted or expanded."""
        if not re.search(r"[{*?\[~]", text):
            return ""
        waiting, chars = list(nodes), list(re.sub(r"\\.", "  ", text, flags=re.DOTALL))
        while waiting:
            node = waiting.pop()
            if node.type in RUNS and node.type != "concatenation":
                first, last = self.script.find_start(node) - start, node.end_byte - start
                chars[first:last] = " " * (last - first)
            else:
                waiting.extend(node.children)
        return "".join(chars)

    def _group_nodes(self, nodes: Sequence[Node]) -> Iterator[list[Node]]:
        """The nodes of each word: the parser ends a word at a backslash, as in `$A\\ b` and `$A\\$B`."""
        group: list[Node] = []
        for node in nodes:
            if group and not BLANKS.fullmatch(self.script.text.chars, group[-1].end_byte, self.script.find_start(node)):
                yield group
                group = []
            group.append(node)
        if group:
            yield group

    def _join_group(self, group: Sequence[Node]) -> Iterator[WordPart]:
        for number, node in enumerate(group):
            if number:
                between = self.script.cut_text(group[number - 1].end_byte, self.script.find_start(node))
                yield WordPart(unescape(between, None), "literal")
            yield from self._expand_node(node)

    def expand_text(self, node: Node) -> Text:
        """The value of a node that is not split into words, as in an assignment."""
        runs = [
            place_at(" ", self.script.read_text(node)) if run.mode == "break" else run.text
            for run in self._expand_node(node)
        ]
        return self._check_length(join(runs))

    def expand_array(self, node: Node) -> list[Text]:
        """The items of an array in parentheses."""
        items = [child for child in node.children if child.is_named and child.type != "comment"]
        if any(re.match(r"\[[^\]]*\]\+?=", self.script.read_text(item).chars) for item in items):
            return [add_part(self, "unclear", "", self.script.read_text(node))]
        return self.expand_words(items)

    def expand_heredoc(self, node: Node, start: int, is_quoted: bool, is_stripped: bool = False) -> Text:
        """The text of a here document. is_stripped: of `<<-`, whose lines lose their tabs."""
        whole = self.script.cut_text(start, node.end_byte)
        if is_stripped and re.search(r"^\t", whole.chars, re.MULTILINE):
            return add_part(self, "unclear", "", whole)
        if is_quoted or not node.children:
            return whole if is_quoted else unescape(whole, "$`\\\n")
        return join([run.text for run in self._expand_inside(node, start, node.end_byte, "$`\\\n")])

    def expand_arithmetic(self, node: Node) -> Text:
        """The number of `$(( ))` as a text; an unknown part if not all is known."""
        start = self.script.find_start(node) + (2 if self.script.read_text(node).chars.startswith("((") else 3)
        inner = self.script.cut_text(start, node.end_byte - 2)
        return self._compute(node, inner)

    def _compute(self, node: Node, inner: Text) -> Text:
        expression = ""
        for run in self._replace_names(node, inner):
            expression += run
        spend(4 * len(expression))
        names = [match[1] or match[2] for match in ASSIGNS.finditer(inner.chars)]
        if names:
            self.scope.blur(names, inner.places[0])
            return add_part(self, "unclear", "", self.script.read_text(node))
        number = compute(expression)
        places = [inner.places[0]] if inner.places else []
        if number is None:
            unknown = self._find_unknowns(node)
            if not unknown or any(one.kind in ("unclear", "hosts", "positional") for one in unknown):
                return add_part(self, "unclear", "", self.script.read_text(node))
            source = f"$(({self.scope.atlas.format_text(self._expand_expression(node, inner))}))"
            return self.scope.atlas.add_unknown(UnknownPart("command", "arithmetic", source), places)
        return Text(str(number), places * len(str(number)))

    def _replace_names(self, node: Node, inner: Text) -> Iterator[str]:
        expanded = self._expand_expression(node, inner).chars
        end = 0
        for match in NAME.finditer(expanded):
            yield expanded[end : match.start()]
            end = match.end()
            value = self.scope.find(match[0])
            known = isinstance(value, Text) and value.is_known
            yield f"({value.chars.strip() or 0})" if isinstance(value, Text) and known else match[0]
        yield expanded[end:]

    def _expand_expression(self, node: Node, inner: Text) -> Text:
        """An arithmetic expression with its `$` parts expanded."""
        start = self.script.find_start(node) + (2 if self.script.read_text(node).chars.startswith("((") else 3)
        parts, at = list[Text](), start
        for child in _find_expansions(node):
            parts.append(self.script.cut_text(at, self.script.find_start(child)))
            parts.append(join([run.text for run in self._expand_node(child)]))
            at = child.end_byte
        return join([*parts, self.script.cut_text(at, start + len(inner.chars))])

    def _find_unknowns(self, node: Node) -> list[UnknownPart]:
        found = list[UnknownPart]()
        for match in NAME.finditer(self.script.read_text(node).chars):
            value = self.scope.find(match[0])
            found += (
                self.scope.atlas.list_unknowns(value)
                if isinstance(value, Text)
                else [UnknownPart("variable", match[0])]
            )
        return found

    # -- parts of words -----------------------------------------------------------------------------------------------

    def _expand_node(self, node: Node) -> Iterator[WordPart]:
        spend(4 * OF_OPERATION)
        of = self.script.read_text(node)
        if node.type in PLAIN and not node.children:
            starts = self.script.text.chars[self.script.find_start(node) - 1 : self.script.find_start(node)] in STARTS
            yield WordPart(self._expand_home(unescape(of, None)) if starts else unescape(of, None), "literal")
        elif node.type in PLAIN:
            for child in node.children:
                yield from self._expand_node(child)
        elif node.type in RUNS:
            yield from RUNS[node.type](self, node)
        else:
            yield WordPart(of, "literal")

    def _expand_home(self, word: Text) -> Text:
        """`~` is the home folder."""
        if word.chars == "~" or word.chars.startswith("~/"):
            return self.scope.resolve_text("HOME", word.places, "$HOME") + word[1:]
        return word

    def _expand_concatenation(self, node: Node) -> Iterator[WordPart]:
        end = node.start_byte
        for child in node.children:
            yield WordPart(self.script.cut_text(end, self.script.find_start(child)), "literal")
            yield from self._expand_node(child)
            end = child.end_byte

    def _expand_quoted(self, node: Node) -> Iterator[WordPart]:
        start = node.start_byte + (2 if node.type == "translated_string" else 1)
        runs = list(self._expand_inside(node, start, node.end_byte - 1, '$`"\\\n'))
        # "${ARRAY[@]}" alone is no word at all if the array is empty; any other string is one.
        is_items = re.fullmatch(r'"\$(\{\w+\[@\]\}|\{?@\}?)"', self.script.read_text(node).chars)
        if not (is_items and not any(run.text or run.mode == "break" for run in runs)):
            yield WordPart(Text("", ()), "quoted")
            yield from runs

    def _expand_inside(self, node: Node, start: int, end: int, escapes: str) -> Iterator[WordPart]:
        """The text of a double-quoted string or a here document, with its expansions."""
        at = start
        for child in _find_expansions(node):
            yield WordPart(unescape(self.script.cut_text(at, self.script.find_start(child)), escapes), "quoted")
            for run in read_parameter(self, child, "quoted") if "expansion" in child.type else self._expand_node(child):
                yield WordPart(run.text, "quoted" if run.mode == "split" else run.mode)
            at = child.end_byte
        yield WordPart(unescape(self.script.cut_text(at, end), escapes), "quoted")

    def _check_length(self, text: Text) -> Text:
        if len(text.chars) > LONGEST:
            raise TooLongError
        return text


BRACES = re.compile(r"\{[^{}\s]*(,|\.\.)[^\s]*\}")
GLOB = re.compile(r"[*?]|\[[^\]\s]+\]")
BLANKS = re.compile(r"(\\[ \n])*")
"""What can be between the parts of a word."""
STARTS = ("", " ", "\t", "\n", "=", ":", "(", ";", "&", "|")
"""What can be before a word, or a part of one in which `~` is the home folder."""
PLAIN = ("word", "number", "extglob_pattern", "regex", "variable_name", "test_operator", "command_name")
"""Nodes of plain characters; some have parts."""
RUNS: Mapping[str, Callable[[Expansion, Node], Iterator[WordPart]]] = {
    "raw_string": lambda words, node: iter([WordPart(words.script.read_text(node)[1:-1], "quoted")]),
    "ansi_c_string": lambda words, node: iter([WordPart(_expand_ansi(words, node), "quoted")]),
    "string": Expansion._expand_quoted,
    "translated_string": Expansion._expand_quoted,
    "concatenation": Expansion._expand_concatenation,
    "array": lambda words, node: (WordPart(item, "quoted") for item in words.expand_array(node)),
    "simple_expansion": lambda words, node: read_parameter(words, node, "split"),
    "expansion": lambda words, node: read_parameter(words, node, "split"),
    "arithmetic_expansion": lambda words, node: iter([WordPart(words.expand_arithmetic(node), "split")]),
    "command_substitution": lambda words, node: iter([WordPart(words.substitute(node, words.script), "split")]),
    "process_substitution": lambda words, node: iter(
        [WordPart(add_part(words, "command", node.type, words.script.read_text(node)), "quoted")]
    ),
}
"""The parts of a node, by its type."""


def _expand_ansi(words: Expansion, node: Node) -> Text:
    of = words.script.read_text(node)
    text = decode_ansi(of[2:-1])
    return add_part(words, "unclear", "", of) if text is None else text


def _find_expansions(node: Node) -> Iterator[Node]:
    """The expansions inside of a string or an arithmetic expression, without those inside of each other."""
    for child in node.children:
        if child.type in EXPANSIONS:
            yield child
        elif child.type != "raw_string":
            yield from _find_expansions(child)


def _split_fields(runs: Iterator[WordPart]) -> Iterator[Text]:
    """The words that the parts form. An expansion without quotes is split at blanks; an empty one is no word."""
    current: Text | None = None
    length = 0
    for text, mode in runs:
        length += len(text.chars)
        if length > LONGEST:
            raise TooLongError
        if mode == "break":
            yield current if current is not None else Text()
            current = None
        elif mode != "split":
            current = text if current is None and (text or mode == "quoted") else (current or Text()) + text
            current = current if current or mode == "quoted" or current is None else None
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
