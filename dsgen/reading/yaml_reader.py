"""Reads a values file exactly as Helm does, and keeps the place of every key, value and list item.

It interprets the events of PyYAML. What versions of Helm read differently, and what Helm reads with a loss, is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NoReturn

import yaml

from dsgen.problems import Diagnostic, Position, has_errors
from dsgen.reading.nodes import MAX_TEXT, Node, SourceText, Tree, name_type
from dsgen.reading.scalars import LONGEST_INTEGER, UnreadableScalarError, explain_surprise, format_key, resolve
from dsgen.reading.yaml_errors import (
    LineColumn,
    find_directive,
    find_hidden_line_ends,
    find_index,
    find_mistake,
    find_other_format,
    find_place,
    find_separators,
    find_stop,
    find_unreadable_characters,
    shorten_tag,
)

MAX_DEPTH = 100
MAX_NODES = 20_000
"""Values in one file, with aliases expanded: a few lines of aliases can expand to billions of values."""
MOST_PROBLEMS = 1000  # that are reported for one file
MAX_KEY, FEW_NODES, ALIASES_TO_OTHERS = 1000, 300, 30
"""The last two: values from aliases that are always allowed, and allowed per other value (Helm counts keys too)."""
DIRECTIVE = "YAML directives are not read by Helm"
SEPARATOR = "Helm 4 fails on a line that begins with --- and continues"
TAG_HINT, QUOTES_HINT = "remove it; put a string in quotes", "put it in quotes if it is a string"
DOCUMENT_HINT = "a values file has one document; put the other one into its own file"
STRING_TAGS = (None, "!", "tag:yaml.org,2002:str")


def read(source: SourceText) -> Tree:
    """The tree of one file with all its problems; raises nothing."""
    tree = _YamlReader(source).read()
    if has_errors(tree.diagnostics) and (problem := find_other_format(source)):
        return Tree(Node({}, Position(source.name, 1, 1)), [problem], complete=False)
    return tree


class _StopError(Exception):
    pass


class _YamlReader:
    def __init__(self, source: SourceText) -> None:
        self.name = source.name
        self.text = source.text.removeprefix("\ufeff")
        self.ends = self.text.endswith(("\n", "\r"))
        self.problems: list[Diagnostic] = []
        self.anchors: dict[str, tuple[Node, int, int] | None] = {}
        self.count = self.aliased = self.surprises = self.length = 0
        self.in_flow = False
        self.root = Node({}, Position(self.name, 1, 1))
        self.last: tuple[Node, int] | None = None
        self.quoted: tuple[LineColumn, LineColumn] | None = None
        self.spans: list[tuple[int, int]] = []
        """Begin and end of each quoted text."""

    def read(self) -> Tree:
        self._add_characters(find_unreadable_characters(self.text))
        if self.problems or self._check_lines():
            return Tree(self.root, self.problems, complete=False)
        loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
        self.next = loader(self.text if self.ends else self.text + "\n").get_event
        try:
            self._read_document()
            self._add_characters(find_hidden_line_ends(self.text, self.spans))
            return Tree(self.root, self.problems)
        except _StopError:
            self._forget_last(0)
        except yaml.MarkedYAMLError as error:
            self._add_syntax_error(error)
        except yaml.YAMLError as error:
            self._add_problem("DS001", f"this is not YAML: {error}", Position(self.name, 1, 1))
        return Tree(self.root, self.problems, complete=False)

    # -- problems ---------------------------------------------------------------------------------------------------

    def _make_position(self, mark: Any) -> Position:
        return Position(self.name, mark.line + 1, mark.column + 1)

    def _add_problem(self, id_: str, message: str, at: Position, hint: str = "") -> None:
        self.problems.append(Diagnostic(id_, message, at, hint=hint))

    def _stop(self, message: str, at: Position, id_: str = "DS011", hint: str = "") -> NoReturn:
        """Report a problem after which the rest of the file is not read."""
        self._add_problem(id_, message, at, hint)
        raise _StopError

    def _add_syntax_error(self, error: yaml.MarkedYAMLError) -> None:
        cause = find_mistake(error, self.text, self.quoted)
        at = Position(self.name, cause.place[0] + 1, cause.place[1] + 1)
        self._add_problem("DS001", f"this is not YAML: {cause.message}", at, cause.hint)
        self._forget_last(find_stop(error)[0])

    def _forget_last(self, line: int) -> None:
        """Mark the last value as broken if the syntax error may be in it: if it is empty or extends to the line."""
        if self.last and (self.last[0].value is None or self.last[1] >= line > 0):
            self.last[0].broken = True

    def _add_characters(self, found: Iterable[tuple[int, int, str, str]]) -> None:
        for line, column, message, hint in found:
            self._add_problem("DS002", message, Position(self.name, line, column), hint)

    def _check_lines(self) -> bool:
        if line := find_directive(self.text):
            self._add_problem("DS006", DIRECTIVE, Position(self.name, line, 1), "remove the line")
        for line in find_separators(self.text):
            self._add_problem("DS015", SEPARATOR, Position(self.name, line, 1), "indent it, or put a key into quotes")
        return bool(self.problems)

    # -- the document -----------------------------------------------------------------------------------------------

    def _read_document(self) -> None:
        while not isinstance(event := self.next(), yaml.DocumentStartEvent):
            if isinstance(event, yaml.StreamEndEvent):
                return
        root = self._read_node(self.next(), 0)
        self._read_end_of_document()
        if root.value is not None and not isinstance(root.value, dict) and not root.broken:
            self._stop(f"a values file is a map of keys, not {name_type(root.value)}", root.position, "DS003")

    def _read_end_of_document(self) -> None:
        end = self.next()
        explicit = isinstance(end, yaml.DocumentEndEvent) and end.explicit
        if explicit and re.match(r"\s*%", self.text[find_index(end.end_mark) :]):
            self._stop(DIRECTIVE, self._make_position(end.end_mark), "DS006", "remove the line")
        if not isinstance(following := self.next(), yaml.StreamEndEvent):
            self._stop(
                "a second document begins here", self._make_position(following.start_mark), "DS006", DOCUMENT_HINT
            )

    def _read_node(self, event: yaml.Event, depth: int) -> Node:
        at = self._make_position(event.start_mark)
        before = self.count + 1, self.length
        self.count, self.length = before[0], before[1] + len(getattr(event, "value", ""))
        if depth > MAX_DEPTH:
            self._stop(f"the file is nested more than {MAX_DEPTH} levels deep", at)
        self._check_size(at)
        if len(self.problems) - min(self.surprises, MOST_PROBLEMS) >= MOST_PROBLEMS:
            self._stop(f"there are more than {MOST_PROBLEMS} problems; the others are not listed", at)
        if isinstance(event, yaml.AliasEvent):
            return self._read_alias(event, at)
        node = Node(None, at)
        anchor, outside = getattr(event, "anchor", None), self.in_flow
        self.in_flow = outside or bool(getattr(event, "flow_style", False))
        if anchor:
            self.anchors[anchor] = None
        if isinstance(event, yaml.ScalarEvent):
            self._read_scalar(event, node)
        elif isinstance(event, yaml.MappingStartEvent):
            self._read_mapping(event, node, depth)
        elif isinstance(event, yaml.SequenceStartEvent):
            self._read_sequence(event, node, depth)
        self.in_flow = outside
        if anchor:
            self.anchors[anchor] = (node, self.count - before[0], self.length - before[1])
        return node

    def _check_size(self, at: Position) -> None:
        """Stop if checking the values would take long."""
        if self.count > MAX_NODES or self.length > MAX_TEXT:
            self.root = Node({}, self.root.position)
            most = f"{MAX_NODES} values" if self.count > MAX_NODES else f"{MAX_TEXT >> 20} MiB of text"
            self._stop(f"the file has more than {most}", at)

    def _read_alias(self, event: yaml.AliasEvent, at: Position) -> Node:
        target = self.anchors.get(event.anchor or "")
        if target is None:
            inside = event.anchor in self.anchors
            reason = "is part of the value that it repeats" if inside else "has no anchor before it"
            self._add_problem("DS009", f"the alias *{event.anchor} {reason}", at)
            return Node(None, at, broken=True)
        node, size, length = target
        self.count, self.aliased, self.length = self.count + size, self.aliased + size, self.length + length
        if self.count > MAX_NODES or self.aliased > max(FEW_NODES, ALIASES_TO_OTHERS * (self.count - self.aliased)):
            self._stop(f"the aliases up to here expand to {self.aliased} values, too many for Helm", at, "DS009")
        self._check_size(at)
        return Node(node.value, at, text=node.text, broken=node.broken, is_partial=node.is_partial)

    def _read_sequence(self, event: yaml.SequenceStartEvent, node: Node, depth: int) -> None:
        self._check_tag(event, node)
        items: list[Node] = []
        node.value = items
        while not isinstance(item := self.next(), yaml.SequenceEndEvent):
            items.append(self._read_node(item, depth + 1))

    def _read_mapping(self, event: yaml.MappingStartEvent, node: Node, depth: int) -> None:
        self._check_tag(event, node)
        entries: dict[str, Node] = {}
        node.value = entries
        if depth == 0:
            self.root = node  # set early: the values before a syntax error are still checked
        written: dict[str, Position] = {}
        while not isinstance(event := self.next(), yaml.MappingEndEvent):
            at = self._make_position(event.start_mark)
            if isinstance(event, yaml.ScalarEvent) and event.value == "<<" and event.implicit[0]:
                self._merge(self._read_node(self.next(), depth + 1), at, node, written)
                continue
            key, value = self._read_key(event, at, depth), self._read_node(self.next(), depth + 1)
            if key is None:
                node.is_partial = True
            elif key in written:
                self._add_problem("DS004", f'duplicate key "{key}"; the first is on line {written[key].line}', at)
            else:
                value.key = written[key] = at
                entries[key] = value

    # -- keys and merges --------------------------------------------------------------------------------------------

    def _read_key(self, event: yaml.Event, at: Position, depth: int) -> str | None:
        if not isinstance(event, yaml.ScalarEvent):
            if not isinstance(event, yaml.AliasEvent):
                self._read_node(event, depth + 1)
            self._add_problem("DS010", "a key must be a string, not an alias, a map or a list", at)
            return None
        if event.anchor:
            self._add_problem("DS010", "a key cannot have an anchor", at)
        if event.tag not in STRING_TAGS:
            self._add_problem("DS007", f"the tag {shorten_tag(event.tag)} is not supported", at, TAG_HINT)
        if find_index(event.end_mark) - find_index(event.start_mark) > MAX_KEY:
            self._add_problem("DS010", f"a key can have at most {MAX_KEY} characters", at)
        self._check_spelling(event, at)
        return self._read_plain_key(event.value, at) if event.implicit[0] else event.value

    def _read_plain_key(self, text: str, at: Position) -> str | None:
        try:
            key = format_key(text)
        except UnreadableScalarError as error:
            self._add_problem("DS010", f'the key "{text}" cannot be used: {error}', at, "put it in quotes")
            return None
        if explain_surprise(text):
            self._warn(f'Helm reads the key {text} as "{key}"', at, QUOTES_HINT)
        return key

    def _merge(self, node: Node, at: Position, into: Node, written: dict[str, Position]) -> None:
        # In a list, the first map takes precedence, so it is merged last.
        for part in reversed(node.value) if isinstance(node.value, list) else [node]:
            if not isinstance(part.value, dict):
                into.is_partial = True
                if not (part.broken or node.broken):
                    self._add_problem("DS005", f"<< merges maps, not {name_type(part.value)}", at)
                continue
            into.is_partial |= part.is_partial
            for key in sorted(part.value.keys() & written.keys()):
                message = f'Helm lets << override the key "{key}" on line {written[key].line}'
                self._add_problem("DS005", message, at, "write << before the map's own keys")
            assert isinstance(into.value, dict)
            into.value.update((key, value) for key, value in part.value.items() if key not in written)

    # -- scalars ----------------------------------------------------------------------------------------------------

    def _read_scalar(self, event: yaml.ScalarEvent, node: Node) -> None:
        self._check_tag(event, node)
        self._check_spelling(event, node.position)
        self.last = node, find_place(event.end_mark)[0]
        if event.style in ("'", '"'):
            self.quoted = find_place(event.start_mark), find_place(event.end_mark)
        node.value = event.value
        # Helm 4 adds a newline to a text that ends without one here, Helm 3 does not.
        is_cut = not self.ends and find_index(event.end_mark) >= len(self.text)
        if event.style in ("|", ">") and is_cut and event.value.endswith("\n"):
            hint = "end the file with a newline, or write |- for a string without one"
            self._add_problem("DS012", "the file ends inside this block scalar, without a newline", node.position, hint)
        if not event.implicit[0] or event.tag is not None:
            return
        node.text = event.value
        try:
            node.value = resolve(event.value)
        except UnreadableScalarError as error:
            self._add_problem("DS008", f"{_shorten(event.value)} cannot be used: {error}", node.position, QUOTES_HINT)
            node.broken = True
        else:
            if surprising := explain_surprise(event.value):
                hint = f"write {surprising[1]}, or put it in quotes if it is a string"
                self._warn(f"Helm reads {_shorten(event.value)} as the {' '.join(surprising)}", node.position, hint)

    def _warn(self, message: str, at: Position, hint: str) -> None:
        self.surprises += 1
        if self.surprises == MOST_PROBLEMS:
            message, hint = f"there are {MOST_PROBLEMS} of these warnings, or more; the others are not listed", ""
        if self.surprises <= MOST_PROBLEMS:
            self.problems.append(Diagnostic("DS050", message, at, hint=hint, severity="warning"))

    def _check_tag(self, event: yaml.Event, node: Node) -> None:
        tag = getattr(event, "tag", None)
        if tag is None or (isinstance(event, yaml.ScalarEvent) and tag in STRING_TAGS):
            return
        self._add_problem("DS007", f"the tag {shorten_tag(tag)} is not supported", node.position, TAG_HINT)
        node.broken = True

    def _check_spelling(self, event: yaml.ScalarEvent, at: Position) -> None:
        if self.in_flow and not event.style and "?" in event.value:
            self._add_problem(
                "DS014", "Helm cannot read ? without quotes inside [] or {}", at, "put the string in quotes"
            )
        if event.style in ("'", '"'):
            self.spans.append((find_index(event.start_mark), find_index(event.end_mark)))
        if event.style != '"':
            return
        written = self.text[find_index(event.start_mark) : find_index(event.end_mark)]
        if "\\/" in written.replace("\\\\", ""):
            self._add_problem("DS013", "Helm cannot read the escape \\/", at, "write / without the backslash")


def _shorten(text: str) -> str:
    """A scalar for a message."""
    return text if len(text) <= LONGEST_INTEGER else f"{text[:LONGEST_INTEGER]}..."
