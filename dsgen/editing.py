"""Writes a value into the text of a values file; comments and layout elsewhere keep their bytes.

The caller reads the new text again and compares the values: a change of an anchor, for example, changes other values.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import yaml

from dsgen.language.text import is_plain, quote
from dsgen.reading.yaml_errors import find_index

Key = str | int
BLOCKS = ("|", ">")
WIDTH = 120


class NotWritableError(Exception):
    """The value cannot be written; the message says why."""


class _Change(NamedTuple):
    """The start and the end of a part of the text, and its replacement."""

    start: int
    end: int
    text: str


def set_value(text: str, path: Sequence[Key], value: Any, after: Sequence[str] = ()) -> str:
    """The text with a value at a path; missing maps are added.

    after: a key that is added at the top stands after the first of these that the file has, otherwise at the end.
    Raises NotWritableError if the text has no place for the value.
    """
    root = yaml.compose(text, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))
    if root is None:
        return f"{text}{_format_entry(path[0], _nest(path[1:], value), False)}{_find_line_end(text)}"
    node, known = _find(root, path)
    is_json = _is_quoted(root)
    if known == len(path):
        change = _replace(text, node, value, is_json)
    elif isinstance(node, yaml.MappingNode):
        neighbor = (
            _find_child(node, after[0])
            if known == 0 and (after := [key for key in after if _find_child(node, key)])
            else None
        )
        change = _add(text, node, neighbor, path[known], _nest(path[known + 1 :], value), is_json)
    elif isinstance(node, yaml.SequenceNode) and path[known] == len(node.value):
        change = _append(text, node, format_flow(_nest(path[known + 1 :], value), is_json))
    else:
        raise NotWritableError("the file has no place for it")
    return text[: change.start] + change.text + text[change.end :]


def _find(root: yaml.Node, path: Sequence[Key]) -> tuple[yaml.Node, int]:
    """The last existing node on the way to a path, and how many keys lead to it."""
    node = root
    for depth, key in enumerate(path):
        child = _find_child(node, key)
        if child is None:
            return node, depth
        node = child
    return node, len(path)


def _find_child(node: yaml.Node, key: Key) -> yaml.Node | None:
    if isinstance(node, yaml.MappingNode):
        return next((value for name, value in node.value if name.value == key), None)
    is_there = isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value)
    found: yaml.Node | None = node.value[key] if is_there else None
    return found


def _nest(path: Sequence[Key], value: Any) -> Any:
    """The value below these keys."""
    for key in reversed(path):
        if isinstance(key, int) and key > 0:
            raise NotWritableError("the file has no such list")
        value = [value] if isinstance(key, int) else {key: value}
    return value


def _replace(text: str, node: yaml.Node, value: Any, is_json: bool) -> _Change:
    start, end = find_index(node.start_mark), _find_end(text, node)
    style = node.style if isinstance(node, yaml.ScalarNode) and isinstance(value, str) else None
    new = format_flow(value, is_json or style == '"')
    if style == "'" and is_plain(f"x{value}"):
        new = f"'{value}'"
    return _Change(start, end, f" {new}" if start == end else new)


def _add(text: str, node: yaml.MappingNode, neighbor: yaml.Node | None, key: Key, value: Any, is_json: bool) -> _Change:
    """An entry after a value of a map, by default after the last one."""
    entry = _format_entry(key, value, is_json)
    if not node.value:
        start = find_index(node.start_mark) + 1
        return _Change(start, start, entry)
    end = _find_end(text, neighbor or node.value[-1][1])
    if node.flow_style:
        return _Change(end, end, f", {entry}")
    return _insert_line(text, end, _find_line_end(text).join(_format_lines(key, value, _read_margin(text, node))))


def _format_lines(key: Key, value: Any, margin: str) -> Iterator[str]:
    """The lines of an entry in a block; a map that is too long for one line has a line for each key."""
    line = margin + _format_entry(key, value, False)
    if len(line) <= WIDTH or not isinstance(value, dict):
        yield line
        return
    yield f"{margin}{format_flow(str(key))}:"
    for below, part in value.items():
        yield from _format_lines(below, part, f"{margin}  ")


def _append(text: str, node: yaml.SequenceNode, item: str) -> _Change:
    """An item at the end of a list."""
    if not node.value:
        start = find_index(node.start_mark) + 1
        return _Change(start, start, item)
    end = _find_end(text, node.value[-1])
    if node.flow_style:
        return _Change(end, end, f", {item}")
    return _insert_line(text, end, f"{_read_margin(text, node)}- {item}")


def _insert_line(text: str, index: int, line: str) -> _Change:
    """A new line after the line of an index."""
    start = text.find("\n", index) + 1 or len(text)
    before = "" if text[:start].endswith("\n") else _find_line_end(text)
    return _Change(start, start, f"{before}{line}{_find_line_end(text)}")


def _read_margin(text: str, node: yaml.Node) -> str:
    """The indentation of a block; that of a map in a list is as wide as the dash before it."""
    start = find_index(node.start_mark)
    before = text[text.rfind("\n", 0, start) + 1 : start]
    if before.strip(" -"):
        raise NotWritableError("its map begins in the middle of a line")
    return " " * len(before)


def _find_end(text: str, node: yaml.Node) -> int:
    """The end of a value, without the comments and empty lines after it."""
    if node.value and isinstance(node, yaml.CollectionNode) and not node.flow_style:
        last = node.value[-1]
        return _find_end(text, last[1] if isinstance(last, tuple) else last)
    end = find_index(node.end_mark)
    is_block = isinstance(node, yaml.ScalarNode) and node.style in BLOCKS
    return len(text[:end].rstrip()) if is_block else end


def _is_quoted(root: yaml.Node) -> bool:
    """Whether the file is JSON, in which keys and texts need quotes."""
    return (
        isinstance(root, yaml.MappingNode) and bool(root.flow_style) and all(key.style == '"' for key, _ in root.value)
    )


def _find_line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _format_entry(key: Key, value: Any, is_json: bool) -> str:
    return f"{format_flow(str(key), is_json)}: {format_flow(value, is_json)}"


def format_flow(value: Any, is_json: bool = False) -> str:
    """A value in one line of YAML, or of JSON."""
    if isinstance(value, dict):
        return "{" + ", ".join(_format_entry(key, part, is_json) for key, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(format_flow(part, is_json) for part in value) + "]"
    if isinstance(value, str):
        return value if is_plain(value) and not is_json else quote(value)
    return json.dumps(value)
