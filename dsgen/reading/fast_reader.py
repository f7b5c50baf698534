"""Reads the subset of YAML that most values files use, without a library.

The subset: block maps and lists, literal texts, and on one line flow maps and lists, plain and quoted texts. The result
is the same as that of `yaml_reader`, or None if the file has other YAML or any problem. Tests compare both readers on a
corpus and on mutated files.
"""

from __future__ import annotations

from dsgen.problems import Position
from dsgen.reading.nodes import MAX_TEXT, Node, SourceText, Tree
from dsgen.reading.scalars import FALSE, NULL, TRUE, UnreadableScalarError, explain_surprise, resolve

MAX_DEPTH = 50
MAX_VALUES = 20_000
"""`yaml_reader` reads larger files, and reports those that are too large."""
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_IN_KEYS = _LETTERS | frozenset("0123456789_-./")
_WORDS = TRUE | FALSE | NULL
_INDICATORS = frozenset("&*!|>%@`{}[],?:#\"'")
"""A plain text does not begin with one of these."""
_END_IN_FLOW = frozenset(",[]{}#:?\"'")
_LONGEST_KEY = 200


def read(source: SourceText) -> Tree | None:
    """The tree of a file; None if the file is not in the subset."""
    text = source.text
    is_long = len(text) > MAX_TEXT or text.count("\n") + text.count(",") > MAX_VALUES
    if is_long or not text.endswith("\n") or not text.replace("\n", "").isprintable():
        return None
    try:
        return Tree(_FastReader(source.name, text).read_document())
    except (_NotInSubsetError, UnreadableScalarError):
        return None


class _NotInSubsetError(Exception):
    pass


class _FastReader:
    """Reads line by line; `number` is the index of the next line."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.lines = text.split("\n")
        self.number = 1 if self.lines[0] == "---" else 0

    def read_document(self) -> Node:
        width, words = self._skip_to_next()
        if not words:
            return Node({}, Position(self.name, 1, 1))
        if width:
            raise _NotInSubsetError
        root = self._read_map(0, 0, self._make_position(0))
        if self.number < len(self.lines):
            raise _NotInSubsetError
        return root

    def _make_position(self, column: int) -> Position:
        return Position(self.name, self.number + 1, column + 1)

    def _skip_to_next(self) -> tuple[int, str]:
        """Skip empty lines and comments: the indentation of the next line and its text; -1 at the end."""
        lines = self.lines
        while self.number < len(lines):
            line = lines[self.number]
            words = line.lstrip(" ")
            if words and words[0] != "#":
                return len(line) - len(words), words
            self.number += 1
        return -1, ""

    # -- blocks -----------------------------------------------------------------------------------------------------

    def _read_map(self, width: int, depth: int, at: Position) -> Node:
        """The map whose first key is in the current line, at column `width`."""
        entries: dict[str, Node] = {}
        words = self.lines[self.number][width:]
        while True:
            name, colon, rest = words.partition(":")
            key = name[1:-1] if name[:1] == '"' == name[-1:] and len(name) > 2 else name
            if not colon or (rest and rest[0] != " ") or not _is_key(key, name) or key in entries:
                raise _NotInSubsetError
            place = self._make_position(width)
            value = rest.lstrip(" ")
            if not value or value[0] == "#":
                node = self._read_below(width, depth + 1, self._make_position(width + len(name) + 1))
            else:
                node = self._read_value(value.rstrip(" "), width + len(words) - len(value), width, depth + 1)
            node.key = place
            entries[key] = node
            indent, words = self._skip_to_next()
            if indent < width:
                return Node(entries, at)
            if indent > width:
                raise _NotInSubsetError

    def _read_list(self, width: int, depth: int) -> Node:
        """The list whose first dash is in the current line, at column `width`."""
        items: list[Node] = []
        at = self._make_position(width)
        while True:
            indent, words = self._skip_to_next()
            if indent != width or (words[:2] != "- " and words != "-"):
                if indent > width:
                    raise _NotInSubsetError
                return Node(items, at)
            item = words[1:].lstrip(" ")
            column = width + len(words) - len(item)
            if not item or item[0] == "#":
                raise _NotInSubsetError
            item = item.rstrip(" ")
            plain = item.partition(" #")[0].rstrip(" ")
            if item[0] not in _INDICATORS and (": " in plain or plain[-1] == ":"):
                items.append(self._read_map(column, depth + 1, self._make_position(column)))
            else:
                items.append(self._read_value(item, column, width, depth + 1))

    def _read_below(self, width: int, depth: int, at: Position) -> Node:
        """The value in the lines below a key with this indentation; null, at the end of the key, if there are none."""
        if depth > MAX_DEPTH:
            raise _NotInSubsetError
        self.number += 1
        indent, words = self._skip_to_next()
        is_list = words[:2] == "- " or words == "-"
        if is_list and indent >= width:
            return self._read_list(indent, depth)
        return self._read_map(indent, depth, self._make_position(indent)) if indent > width else Node(None, at)

    # -- values on the line of their key or dash ----------------------------------------------------------------------

    def _read_value(self, text: str, column: int, width: int, depth: int) -> Node:
        at = self._make_position(column)
        first = text[0]
        if first == "|":
            return Node(self._read_literal(text, width), at)
        if first in "\"'[{":
            node, end = self._read_in_flow(text, 0, column, depth)
            rest = text[end:]
            if (rest and not rest.startswith(" ")) or rest.lstrip(" ")[:1] not in ("", "#"):
                raise _NotInSubsetError
        else:
            plain = text.partition(" #")[0].rstrip(" ")
            if ": " in plain or plain[-1] == ":":
                raise _NotInSubsetError
            node = self._read_plain(plain, at)
        self.number += 1
        return node

    def _read_plain(self, text: str, at: Position) -> Node:
        if not text or text[0] in _INDICATORS or text == "-" or text[:2] == "- " or text in ("<<", "="):
            raise _NotInSubsetError
        if explain_surprise(text):
            raise _NotInSubsetError
        return Node(resolve(text), at, None, text)

    def _read_literal(self, head: str, width: int) -> str:
        """The text in the lines below `|` or `|-`, which are indented more than the key or the dash."""
        if head not in ("|", "|-"):
            raise _NotInSubsetError
        lines: list[str] = []
        inside = 0
        self.number += 1
        while self.number < len(self.lines):
            line = self.lines[self.number]
            words = line.lstrip(" ")
            indent = len(line) - len(words)
            if not words:
                if line and indent != inside:
                    raise _NotInSubsetError
                lines.append("")
                self.number += 1
                continue
            inside = inside or indent
            if indent < inside or inside <= width:
                if indent > width:
                    raise _NotInSubsetError
                break
            lines.append(line[inside:])
            self.number += 1
        while lines and not lines[-1]:
            lines.pop()
        if not lines:
            raise _NotInSubsetError
        return "\n".join(lines) + ("\n" if head == "|" else "")

    # -- lists and maps on one line -----------------------------------------------------------------------------------

    def _read_in_flow(self, text: str, start: int, column: int, depth: int) -> tuple[Node, int]:
        """The value at index `start` of the text, and the index of its end; `column`: of the beginning of the text."""
        at = self._make_position(column + start)
        first = text[start : start + 1]
        if depth > MAX_DEPTH or not first:
            raise _NotInSubsetError
        if first in "\"'":
            end = text.find(first, start + 1)
            value = text[start + 1 : end]
            if end < 0 or text[end + 1 : end + 2] == first or (first == '"' and "\\" in value):
                raise _NotInSubsetError
            return Node(value, at), end + 1
        if first == "[":
            return self._read_flow_list(text, start, column, depth, at)
        if first == "{":
            return self._read_flow_map(text, start, column, depth, at)
        end = start
        while end < len(text) and (text[end] not in _END_IN_FLOW or _is_inside(text, end)):
            end += 1
        if text[end : end + 1] not in (",", "]", "}"):
            raise _NotInSubsetError
        return self._read_plain(text[start:end].rstrip(" "), at), end

    def _read_flow_list(self, text: str, start: int, column: int, depth: int, at: Position) -> tuple[Node, int]:
        items: list[Node] = []
        index = _skip_blanks(text, start + 1)
        while text[index : index + 1] != "]":
            item, index = self._read_in_flow(text, index, column, depth + 1)
            items.append(item)
            index = _skip_comma(text, index, "]")
        return Node(items, at), index + 1

    def _read_flow_map(self, text: str, start: int, column: int, depth: int, at: Position) -> tuple[Node, int]:
        entries: dict[str, Node] = {}
        index = _skip_blanks(text, start + 1)
        while text[index : index + 1] != "}":
            colon = text.find(": ", index)
            key = text[index:colon]
            if colon < 0 or not _is_key(key, key) or key in entries:
                raise _NotInSubsetError
            value, end = self._read_in_flow(text, _skip_blanks(text, colon + 1), column, depth + 1)
            value.key = self._make_position(column + index)
            entries[key] = value
            index = _skip_comma(text, end, "}")
        return Node(entries, at), index + 1


def _skip_comma(text: str, index: int, closing: str) -> int:
    """The index of the next item after a comma, or of the end of a list or map; of both after a comma at the end."""
    index = _skip_blanks(text, index)
    if text[index : index + 1] == closing:
        return index
    if text[index : index + 1] != ",":
        raise _NotInSubsetError
    return _skip_blanks(text, index + 1)


def _is_key(key: str, written: str) -> bool:
    """Whether the key is a text that has the same meaning with and without quotes, or is quoted."""
    if not key or len(key) > _LONGEST_KEY or key[0] not in _LETTERS or not _IN_KEYS.issuperset(key):
        return False
    return written != key or key not in _WORDS


def _is_inside(text: str, index: int) -> bool:
    """Whether this is a colon inside a word, such as in a URL."""
    return (text[index] == ":" and text[index + 1 : index + 2].isalnum()) or text[index : index + 2] == ":/"


def _skip_blanks(text: str, index: int) -> int:
    while text[index : index + 1] == " ":
        index += 1
    return index
