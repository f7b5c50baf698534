"""--set, --set-string, --set-json and --set-file, as Helm's strvals package reads them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any

from dsgen.errors import DsgenError, UsageError
from dsgen.problems import Position
from dsgen.problems.safe_text import redact
from dsgen.reading import read_bytes
from dsgen.reading.nodes import MAX_TEXT, Node, Override, build_nodes, merge
from dsgen.reading.scalars import LONGEST_INTEGER, resolve

__all__ = ["DECODER", "FLAGS", "Override", "apply_overrides", "parse_typed"]

FLAGS = ("--set-json", "--set", "--set-string", "--set-file")
"""Helm applies them in this order, whatever their order on the command line."""
MAX_INDEX = 65536
MAX_LEVEL = 30
MAX_DEPTH = 100
"""As in a values file."""


def apply_overrides(root: Node, overrides: Iterable[Override]) -> tuple[Node, dict[str, str]]:
    """A copy of the tree with the overrides, and the text of each flag for messages.

    A position inside an override has the flag as its file, and as its line the number of the override among those with
    the same flag. Raises UsageError for text that Helm cannot read.
    """
    result = root.copy()
    texts: dict[str, list[str]] = {}
    for override in sorted(overrides, key=lambda override: FLAGS.index(override.flag)):
        lines = texts.setdefault(override.flag, [])
        lines.append(re.sub(r"\s", " ", override.text))
        try:
            result = _apply(result, override, len(lines))
        except RecursionError:
            raise _make_depth_error(override) from None
        if result.is_deeper_than(MAX_DEPTH):
            raise _make_depth_error(override)
    return result, {flag: "\n".join(lines) for flag, lines in texts.items()}


def _make_depth_error(override: Override) -> UsageError:
    return UsageError(f"{override.flag}: the values are nested more than {MAX_DEPTH} levels deep")


def _apply(root: Node, override: Override, line: int) -> Node:
    if override.flag == "--set-json" and override.text.lstrip().startswith("{"):
        try:
            whole = DECODER.decode(override.text.strip())
        except ValueError as error:
            raise UsageError(f"{override.flag} {override.text}: this is not JSON: {error}") from error
        return merge(root, build_nodes(whole, Position(override.flag, line, 1)))
    parser = _Parser(override, line)
    assert isinstance(root.value, dict)
    while not parser.is_at_end():
        parser.read_key(root.value, 0)
    return root


def _parse_number(text: str) -> Any:
    number = resolve(text)
    if isinstance(number, str):
        raise ValueError(f"{text} is not a finite number")
    return number


DECODER = json.JSONDecoder(parse_constant=_parse_number, parse_int=_parse_number, parse_float=_parse_number)


class _Parser:
    """Reads the text once and writes each value into the tree at once, as Helm does."""

    def __init__(self, override: Override, line: int) -> None:
        self.override = override
        self.line = line
        self.text = override.text
        self.index = 0
        types: dict[str, Callable[[str], Any]] = {"--set": parse_typed, "--set-file": _read_file_text}
        self.read = types.get(override.flag, str)

    def is_at_end(self) -> bool:
        return self.index >= len(self.text)

    def read_key(self, target: dict[str, Node], level: int) -> None:
        """Read one key and its value into the map `target`."""
        start = self.index
        name, stop = self._read_until("=[,.")
        if not stop:
            raise self._make_error(f'the key "{self._redact_since(start)}" has no value')
        if stop == ",":
            raise self._make_error(
                f'the key "{self._redact_since(start).removesuffix(",")}" has no value (a comma follows)'
            )
        if stop == "=":
            node = self._read_value()
        elif stop == "[":
            items = self._open_container(target.get(name), list, name)
            self._read_item(items, self._read_list_index(), level)
            node = Node(items, self._make_position(start))
        else:
            if level >= MAX_LEVEL:
                raise self._make_error(f"keys are nested more than {MAX_LEVEL} levels deep")
            inner = self._open_container(target.get(name), dict, name)
            self.read_key(inner, level + 1)
            if not inner:
                raise self._make_error(f'the key "{name}" has no value')
            node = Node(inner, self._make_position(start))
        if name:
            node = merge(target.get(name), node) if node.value is None else node
            node.key = self._make_position(start)
            target[name] = node

    def _read_item(self, items: list[Node], index: int, level: int) -> None:
        start = self.index
        rest, stop = self._read_until("[.=")
        if rest or not stop:
            raise self._make_error(f'"{rest}" after a list index' if rest else "a list index has no value")
        here = items[index] if index < len(items) and items[index].value is not None else None
        if stop == "=":
            item = self._read_value()
        elif stop == "[":
            nested = self._open_container(here, list, "the item")
            self._read_item(nested, self._read_list_index(), level)
            item = Node(nested, self._make_position(start))
        else:
            # Helm replaces an item that is not a map, but refuses a key whose value is not a map.
            inner = here.value if here and isinstance(here.value, dict) else {}
            self.read_key(inner, level)
            item = Node(inner, self._make_position(start))
        items.extend(Node(None, self._make_position(start)) for _ in range(index + 1 - len(items)))
        items[index] = item

    def _read_list_index(self) -> int:
        text, stop = self._read_until("]")
        if not stop or not re.fullmatch("[+-]?[0-9]+", text):
            raise self._make_error(f'"{text}" is not a list index')
        index = int(text) if len(text) <= LONGEST_INTEGER else MAX_INDEX + 1
        if not 0 <= index <= MAX_INDEX:
            raise self._make_error(f"a list index is between 0 and {MAX_INDEX}, not {text}")
        return index

    def _open_container(self, node: Node | None, kind: type, name: str) -> Any:
        if node is None:
            return kind()
        if not isinstance(node.value, kind):
            raise self._make_error(f"{name} already has a value that is not a {'map' if kind is dict else 'list'}")
        return node.value

    # -- values -----------------------------------------------------------------------------------------------------

    def _read_value(self) -> Node:
        at = self._make_position(self.index)
        if self.override.flag == "--set-json":
            return self._read_json_value(at)
        if self.text[self.index : self.index + 1] == "{":
            return self._read_list(at)
        return build_nodes(self.read(self._read_until(",")[0]), at)

    def _read_list(self, at: Position) -> Node:
        self.index += 1
        items: list[Node] = []
        while True:
            start = self._make_position(self.index)
            text, stop = self._read_until(",}")
            if not stop:
                raise self._make_error("a list ends with }")
            items.append(build_nodes(self.read(text), start))
            if stop == "}":
                if self.text[self.index : self.index + 1] == ",":
                    self.index += 1
                return Node(items, at)

    def _read_json_value(self, at: Position) -> Node:
        if self._skip_to_comma():
            return Node(None, at)
        try:
            value, self.index = DECODER.raw_decode(self.text, self.index)
        except ValueError as error:
            raise self._make_error(f"this is not JSON: {error}") from error
        self._skip_to_comma()
        return merge(None, build_nodes(value, at))

    def _skip_to_comma(self) -> bool:
        """Skip blanks and one comma; whether there was a comma or the end."""
        while not self.is_at_end() and self.text[self.index].isspace():
            self.index += 1
        if self.is_at_end():
            return True
        comma = self.text[self.index] == ","
        self.index += comma
        return comma

    def _read_until(self, stops: str) -> tuple[str, str]:
        """The text up to one of the stops, and the stop, which is read too; a backslash escapes the next character."""
        text = ""
        while not self.is_at_end():
            char = self.text[self.index]
            self.index += 1
            if char in stops:
                return text, char
            if char == "\\":
                char = self.text[self.index : self.index + 1]
                self.index += 1
            text += char
        return text, ""

    def _make_position(self, index: int) -> Position:
        return Position(self.override.flag, self.line, index + 1)

    def _redact_since(self, start: int) -> str:
        """The text since `start`, without secrets; redacted first, because a part of a URL is not recognised."""
        return redact(self.text)[start : self.index]

    def _make_error(self, reason: str) -> UsageError:
        return UsageError(f"{self.override.flag} {self.text}: {reason}")


def parse_typed(text: str) -> str | int | bool | None:
    """The value of a text in --set: true, false, null, a decimal 64-bit integer without leading zeros, or a text."""
    words: dict[str, bool | None] = {"true": True, "false": False, "null": None}
    if text.lower() in words:
        return words[text.lower()]
    figures = text.lstrip("+-0")
    is_integer = text == "0" or (re.fullmatch("[+-]?[0-9]+", text) and text[0] != "0")
    if is_integer and len(figures) <= LONGEST_INTEGER:
        number = int(f"{'-' * (text[0] == '-')}{figures or 0}")
        return number if -(2**63) <= number < 2**63 else text
    return text


def _read_file_text(path: str) -> str:
    try:
        return read_bytes(path, MAX_TEXT).decode("utf-8")  # keeps line ends
    except OSError as error:
        raise DsgenError(f"--set-file: cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DsgenError(f"--set-file: {path} is not UTF-8 text") from error
