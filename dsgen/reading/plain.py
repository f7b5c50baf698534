"""Reads the YAML that most values files are made of, without a library: maps and lists in blocks, and, in one line,
lists, maps, plain and quoted texts.

It gives what `source` gives for the same file, or nothing: for any other YAML, and for whatever there is to say about
the file. Tests compare both, on a corpus and on mutated files.
"""

from __future__ import annotations

from dsgen.problems.diagnostics import Position
from dsgen.reading.nodes import Node, SourceText, Tree
from dsgen.reading.scalars import FALSE, NULL, TRUE, Unreadable, resolve, surprise

MAX_DEPTH = 50
MAX_VALUES = 20_000
"""Larger files are left to the other reader, which says what is too much."""
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_IN_KEYS = _LETTERS | frozenset("0123456789_-./")
_WORDS = TRUE | FALSE | NULL
_INDICATORS = frozenset("&*!|>%@`{}[],?:#\"'")
"""None of them begins a plain text."""
_END_IN_FLOW = frozenset(",[]{}#:?\"'")
_LONGEST_KEY = 200


def read(source: SourceText) -> Tree | None:
    """The tree of a file; None if the file has anything else than what is read here."""
    text = source.text
    is_long = text.count("\n") + text.count(",") > MAX_VALUES
    if is_long or not text.endswith("\n") or not text.replace("\n", "").isprintable():
        return None
    try:
        return Tree(_Reader(source.name, text).document())
    except (_Other, Unreadable):
        return None


class _Other(Exception):  # noqa: N818 - control flow inside this module: the file has other YAML
    pass


class _Reader:
    """Goes through the lines; `number` is that of the next one, from 0."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.lines = text.split("\n")
        self.number = 1 if self.lines[0] == "---" else 0

    def document(self) -> Node:
        width, words = self._next()
        if not words:
            return Node({}, Position(self.name, 1, 1))
        if width:
            raise _Other
        root = self._map(0, 0, self._at(0))
        if self.number < len(self.lines):
            raise _Other
        return root

    def _at(self, column: int) -> Position:
        return Position(self.name, self.number + 1, column + 1)

    def _next(self) -> tuple[int, str]:
        """Goes to the next line that is neither empty nor a comment: its indentation and the rest; -1 at the end."""
        lines = self.lines
        while self.number < len(lines):
            line = lines[self.number]
            words = line.lstrip(" ")
            if words and words[0] != "#":
                return len(line) - len(words), words
            self.number += 1
        return -1, ""

    # -- blocks -----------------------------------------------------------------------------------------------------

    def _map(self, width: int, depth: int, at: Position) -> Node:
        """The map whose first key is in this line and column."""
        entries: dict[str, Node] = {}
        words = self.lines[self.number][width:]
        while True:
            name, colon, rest = words.partition(":")
            key = name[1:-1] if name[:1] == '"' == name[-1:] and len(name) > 2 else name
            if not colon or (rest and rest[0] != " ") or not _is_key(key, name) or key in entries:
                raise _Other
            place = self._at(width)
            value = rest.lstrip(" ")
            if not value or value[0] == "#":
                node = self._below(width, depth + 1, self._at(width + len(name) + 1))
            else:
                node = self._value(value.rstrip(" "), width + len(words) - len(value), width, depth + 1)
            node.key = place
            entries[key] = node
            found, words = self._next()
            if found < width:
                return Node(entries, at)
            if found > width:
                raise _Other

    def _list(self, width: int, depth: int) -> Node:
        """The list whose first dash is in this line and column."""
        items: list[Node] = []
        at = self._at(width)
        while True:
            found, words = self._next()
            if found != width or (words[:2] != "- " and words != "-"):
                if found > width:
                    raise _Other
                return Node(items, at)
            item = words[1:].lstrip(" ")
            column = width + len(words) - len(item)
            if not item or item[0] == "#":
                raise _Other
            item = item.rstrip(" ")
            plain = item.partition(" #")[0].rstrip(" ")
            if item[0] not in _INDICATORS and (": " in plain or plain[-1] == ":"):
                items.append(self._map(column, depth + 1, self._at(column)))
            else:
                items.append(self._value(item, column, width, depth + 1))

    def _below(self, width: int, depth: int, at: Position) -> Node:
        """What stands in the lines below a key of this indentation; nothing is null, at the end of the key."""
        if depth > MAX_DEPTH:
            raise _Other
        self.number += 1
        found, words = self._next()
        is_list = words[:2] == "- " or words == "-"
        if is_list and found >= width:
            return self._list(found, depth)
        return self._map(found, depth, self._at(found)) if found > width else Node(None, at)

    # -- values in the line of their key, or of their dash ------------------------------------------------------------

    def _value(self, text: str, column: int, width: int, depth: int) -> Node:
        at = self._at(column)
        first = text[0]
        if first == "|":
            return Node(self._literal(text, width), at)
        if first in "\"'[{":
            node, end = self._in_flow(text, 0, column, depth)
            rest = text[end:]
            if (rest and not rest.startswith(" ")) or rest.lstrip(" ")[:1] not in ("", "#"):
                raise _Other
        else:
            plain = text.partition(" #")[0].rstrip(" ")
            if ": " in plain or plain[-1] == ":":
                raise _Other
            node = self._plain(plain, at)
        self.number += 1
        return node

    def _plain(self, text: str, at: Position) -> Node:
        if not text or text[0] in _INDICATORS or text == "-" or text[:2] == "- " or text in ("<<", "="):
            raise _Other
        if surprise(text):
            raise _Other
        return Node(resolve(text), at, None, text)

    def _literal(self, head: str, width: int) -> str:
        """The text in the lines below `|` or `|-`, all of them indented more than the key or the dash."""
        if head not in ("|", "|-"):
            raise _Other
        found: list[str] = []
        inside = 0
        self.number += 1
        while self.number < len(self.lines):
            line = self.lines[self.number]
            words = line.lstrip(" ")
            indent = len(line) - len(words)
            if not words:
                if line and indent != inside:
                    raise _Other
                found.append("")
                self.number += 1
                continue
            inside = inside or indent
            if indent < inside or inside <= width:
                if indent > width:
                    raise _Other
                break
            found.append(line[inside:])
            self.number += 1
        while found and not found[-1]:
            found.pop()
        if not found:
            raise _Other
        return "\n".join(found) + ("\n" if head == "|" else "")

    # -- lists and maps in one line -----------------------------------------------------------------------------------

    def _in_flow(self, text: str, start: int, column: int, depth: int) -> tuple[Node, int]:
        """The value that begins at this character of the text, which begins at the column; and where it ends."""
        at = self._at(column + start)
        first = text[start : start + 1]
        if depth > MAX_DEPTH or not first:
            raise _Other
        if first in "\"'":
            end = text.find(first, start + 1)
            value = text[start + 1 : end]
            if end < 0 or text[end + 1 : end + 2] == first or (first == '"' and "\\" in value):
                raise _Other
            return Node(value, at), end + 1
        if first == "[":
            return self._flow_list(text, start, column, depth, at)
        if first == "{":
            return self._flow_map(text, start, column, depth, at)
        end = start
        while end < len(text) and (text[end] not in _END_IN_FLOW or _is_inside(text, end)):
            end += 1
        if text[end : end + 1] not in (",", "]", "}"):
            raise _Other
        return self._plain(text[start:end].rstrip(" "), at), end

    def _flow_list(self, text: str, start: int, column: int, depth: int, at: Position) -> tuple[Node, int]:
        items: list[Node] = []
        index = _over_blanks(text, start + 1)
        if text[index : index + 1] == "]":
            return Node(items, at), index + 1
        while True:
            item, index = self._in_flow(text, _over_blanks(text, index), column, depth + 1)
            items.append(item)
            index = _over_blanks(text, index)
            if text[index : index + 1] == "]":
                return Node(items, at), index + 1
            if text[index : index + 1] != ",":
                raise _Other
            index += 1

    def _flow_map(self, text: str, start: int, column: int, depth: int, at: Position) -> tuple[Node, int]:
        entries: dict[str, Node] = {}
        index = _over_blanks(text, start + 1)
        if text[index : index + 1] == "}":
            return Node(entries, at), index + 1
        while True:
            index = _over_blanks(text, index)
            colon = text.find(": ", index)
            key = text[index:colon]
            if colon < 0 or not _is_key(key, key) or key in entries:
                raise _Other
            value, end = self._in_flow(text, _over_blanks(text, colon + 1), column, depth + 1)
            value.key = self._at(column + index)
            entries[key] = value
            index = _over_blanks(text, end)
            if text[index : index + 1] == "}":
                return Node(entries, at), index + 1
            if text[index : index + 1] != ",":
                raise _Other
            index += 1


def _is_key(key: str, written: str) -> bool:
    """Whether it is a text in quotes and without them, as which it means the same."""
    if not key or len(key) > _LONGEST_KEY or key[0] not in _LETTERS or not _IN_KEYS.issuperset(key):
        return False
    return written != key or key not in _WORDS


def _is_inside(text: str, index: int) -> bool:
    """Whether it is a colon inside a word, such as that of an address."""
    return (text[index] == ":" and text[index + 1 : index + 2].isalnum()) or text[index : index + 2] == ":/"


def _over_blanks(text: str, index: int) -> int:
    while text[index : index + 1] == " ":
        index += 1
    return index
