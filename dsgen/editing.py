"""Values files for people, with ruamel.yaml: `write_values` writes one, `set_value` a value into the text of one.

Imported late: ruamel.yaml takes as long as all other modules of a command. What was written is read again: by the
caller of `set_value`, since a change of an anchor, for example, changes other values, and by `compare_text`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import StringIO
from typing import Any, NamedTuple

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.emitter import Emitter
from ruamel.yaml.error import CommentMark, YAMLError
from ruamel.yaml.nodes import CollectionNode, MappingNode, Node, ScalarNode, SequenceNode
from ruamel.yaml.representer import RoundTripRepresenter
from ruamel.yaml.scalarstring import DoubleQuotedScalarString, LiteralScalarString
from ruamel.yaml.tokens import CommentToken

from dsgen.language.text import is_plain, quote
from dsgen.problems import KeyPath
from dsgen.problems.safe_text import escape_text
from dsgen.reading import read
from dsgen.reading.nodes import SourceText
from dsgen.reading.scalars import resolve
from dsgen.reading.yaml_errors import find_index

WIDTH, LONGEST = 100, 124
"""Columns after which a list continues in the next line, and of a line with its comment; a longer one stands above."""
MOST_INLINE = 4
"""Values of a map that is written on one line."""
_WORD = r"[\w./@=+^-]+(:[\w./@=+^-]+)*"
_PLAIN = re.compile(rf"(?=-{{0,2}}[A-Za-z_/.])-{{0,2}}{_WORD}( {_WORD})*|[0-9]+([KMGTPE]i|m)", re.ASCII)

ENDLESS = 1 << 30
Comment = Callable[[KeyPath], str]
"""The comment after a key or an item; "" for none."""


class _WholeTexts(Emitter):
    """Writes each text on one line: a line end in a text is legal, but nobody expects it."""

    def process_scalar(self) -> None:
        width, self.best_width = self.best_width, ENDLESS
        super().process_scalar()
        self.best_width = width


class _Representer(RoundTripRepresenter):
    """Writes null, which is empty otherwise."""


_Representer.add_representer(type(None), lambda one, _: one.represent_scalar("tag:yaml.org,2002:null", "null"))


def write_values(data: Any, comment: Comment, above: Mapping[KeyPath, Sequence[str]], is_short: bool = True) -> str:
    """A values file. above: comments in lines above a key. is_short: whether short maps and lists are on one line."""
    return _dump(_Layout(comment, above, is_short).build(data, ()), WIDTH)


def format_flow(value: Any, is_json: bool = False) -> str:
    """A value in one line of YAML, or of JSON."""
    if is_json:
        return json.dumps(value, ensure_ascii=False)
    entry = CommentedMap(x=_build_plain(value))
    entry.fa.set_flow_style()
    return _dump(entry, ENDLESS)[len("{x: ") : -len("}\n")]


def _dump(node: Any, width: int) -> str:
    yaml = YAML()
    yaml.width, yaml.Emitter, yaml.Representer = width, _WholeTexts, _Representer
    yaml.indent(mapping=2, sequence=4, offset=2)
    yaml.brace_single_entry_mapping_in_flow_sequence = True
    text = StringIO()
    yaml.dump(node, text)
    return text.getvalue()


def _build_plain(value: Any) -> Any:
    """A value for the dumper, with quotes around texts that a reader could take for another type."""
    if isinstance(value, dict):
        return CommentedMap((_build_plain(key), _build_plain(one)) for key, one in value.items())
    if isinstance(value, list | tuple):
        return CommentedSeq(map(_build_plain, value))
    return DoubleQuotedScalarString(value) if isinstance(value, str) and not _is_plain(value) else value


def _is_plain(text: str) -> bool:
    """Whether no reader can take a text without quotes for another type or for syntax, ignoring case."""
    lower = text.lower()
    return bool(_PLAIN.fullmatch(text)) and resolve(lower) == lower


def _is_block(text: str) -> bool:
    """Whether a text can be written below `|`: of several lines without blanks around them, and nothing to escape."""
    lines = text.removesuffix("\n").split("\n")
    plain = re.sub(r'["\\]', "", text.replace("\n", ""))
    is_clean = quote(plain) == f'"{plain}"' and all(line == line.rstrip() for line in lines)
    return "\n" in text and is_clean and not text.startswith((" ", "\n")) and bool(lines[-1])


def _format_comment(text: str) -> str:
    """A comment of a values file, with text of any origin, that ends with its line and holds no secret.

    A line end in the text would begin a key, and readers of YAML take more than one character for a line end. An escape
    shows each of them, as it does every other character that cannot be seen. Blanks at the beginning stay.
    """
    return f"# {escape_text(text)}".rstrip()


class _Layout:
    """Decides where line ends and comments are."""

    def __init__(self, comment: Comment, above: Mapping[KeyPath, Sequence[str]], is_short: bool) -> None:
        self.comment, self.above, self.is_short = comment, above, is_short

    def build(self, value: Any, path: KeyPath) -> Any:
        if isinstance(value, str) and _is_block(value):
            return LiteralScalarString(value)
        node = _build_plain(value)
        if not isinstance(value, dict | list) or not value:
            return node
        if path and self._is_flow(value, path):
            node.fa.set_flow_style()
            return node
        for name, key in zip(node if isinstance(value, dict) else range(len(value)), _list_keys(value), strict=True):
            node[name] = self.build(value[key], (*path, key))
            self._add_comments(node, name, value[key], (*path, key))
        return node

    def _add_comments(self, node: Any, name: Any, value: Any, path: KeyPath) -> None:
        """Comments above an entry of a block, and beside it; those inside of brackets are beside them."""
        # After the dash of an item there is no place above the first entry.
        is_first = len(path) > 1 and isinstance(path[-2], int) and name == next(iter(_list_keys(node)))
        lines = [] if is_first else [_format_comment(line) for line in self._list_above(value, path)]
        below = node[name]
        is_line = not isinstance(below, CommentedMap | CommentedSeq) or not below or below.fa.flow_style() is True
        beside = "; ".join(dict.fromkeys(self._find_comments(value, path))) if is_line else self.comment(path)
        text = f"  {_format_comment(beside)}" if beside else ""
        is_block = isinstance(below, LiteralScalarString)
        if text and is_block and not lines:
            below.comment, text = text, ""
        elif text and (is_block or (is_line and not is_first and _is_wide(name, value, text, path))):
            lines, text = [*lines, text.lstrip()], ""
        above = [CommentToken(f"{line}\n", CommentMark(2 * len(path) - 2), None) for line in lines] or None
        after = CommentToken(f"{text[1:]}\n", CommentMark(0), None) if text else None
        if above or after:
            is_item = isinstance(node, CommentedSeq)
            node.ca.items[name] = [after if is_item else None, above, None if is_item else after, None]

    def _list_above(self, value: Any, path: KeyPath) -> list[str]:
        """The comments above an entry; above an item of a list also those of its first entry."""
        keys = _list_keys(value)[:1] if isinstance(path[-1], int) else []
        return [*self.above.get(path, ()), *(one for key in keys for one in self._list_above(value[key], (*path, key)))]

    def _find_comments(self, value: Any, path: KeyPath) -> list[str]:
        """The comments of a value and of all parts of it."""
        below = (comment for key in _list_keys(value) for comment in self._find_comments(value[key], (*path, key)))
        return [one for one in (self.comment(path), *below) if one]

    def _is_flow(self, value: Any, path: KeyPath) -> bool:
        """Whether a map or list is written in brackets: short, or a list of words, with one comment at most."""
        comments, leaves = self._find_comments(value, path), [*_list_leaves(value)]
        is_told = any(where[: len(path)] == path != where for where in self.above)
        if not self.is_short or is_told or any("\n" in str(leaf) for leaf in leaves):
            return False
        if isinstance(value, list) and len(value) > 3 and all(isinstance(one, str) for one in value):
            return len(comments) == bool(self.comment(path))
        if isinstance(value, dict) and (len(leaves) > MOST_INLINE or _compute_depth(value) > 2):
            return False
        is_clear = not comments or (len(comments) == 1 and (len(leaves) < 3 or bool(self.comment(path))))
        return is_clear and len(format_flow(value)) + 2 * len(path) <= WIDTH


def _is_wide(name: Any, value: Any, comment: str, path: KeyPath) -> bool:
    return len(comment) + len(format_flow({str(name): value})) + 2 * len(path) > LONGEST


def _list_keys(value: Any) -> list[Any]:
    return [*value] if isinstance(value, dict) else [*range(len(value))] if isinstance(value, list) else []


def _list_leaves(value: Any) -> list[Any]:
    keys = _list_keys(value)
    return [leaf for key in keys for leaf in _list_leaves(value[key])] if keys else [value]


def _compute_depth(value: Any) -> int:
    """How many maps and lists are inside each other."""
    below = (_compute_depth(value[key]) for key in _list_keys(value))
    return 1 + max(below, default=0) if isinstance(value, dict | list) else 0


# -- a value of an existing file ---------------------------------------------------------------------------------------

Key = str | int
LONGEST_ENTRY = 120
"""Columns of a line that is added to a file."""


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
    try:
        root = YAML(typ="safe", pure=True).compose(text)
    except YAMLError as error:
        raise NotWritableError("the file has YAML that cannot be edited") from error
    if root is None:
        return f"{text}{_format_entry(path[0], _nest(path[1:], value), False)}{_find_line_end(text)}"
    node, known = _find(root, path)
    # In JSON, keys and texts need quotes.
    is_json = isinstance(root, MappingNode) and bool(root.flow_style) and all(key.style == '"' for key, _ in root.value)
    if known == len(path):
        change = _replace(text, node, value, is_json, _find(root, path[:-1])[0])
    elif isinstance(node, MappingNode):
        key, below = path[known], _nest(path[known + 1 :], value)
        others = (_find_child(node, other) for other in after if known == 0)
        entry = _format_entry(key, below, is_json)
        change = _extend(
            text, node, next(filter(None, others), None), entry, lambda pad: _format_lines(key, below, pad)
        )
    elif isinstance(node, SequenceNode) and path[known] == len(node.value):
        item = format_flow(_nest(path[known + 1 :], value), is_json)
        change = _extend(text, node, None, item, lambda pad: [f"{pad}- {item}"])
    else:
        raise NotWritableError("the file has no place for it")
    return text[: change.start] + change.text + text[change.end :]


def compare_text(text: str, data: Any) -> None:
    """Make sure, before a values file is delivered, that it is read as the values that were meant.

    Raises RuntimeError if dsgen's reader finds an error or other values, which is a mistake of dsgen.
    """
    tree = read(SourceText("", text))
    errors = [diagnostic.message for diagnostic in tree.diagnostics if diagnostic.severity == "error"]
    if errors or json.dumps(tree.root.as_data(), sort_keys=True) != json.dumps(data, sort_keys=True):
        raise RuntimeError(
            f"the values file would be read otherwise than it was meant: {'; '.join(errors) or 'values'}"
        )


def _find(root: Node, path: Sequence[Key]) -> tuple[Node, int]:
    """The last existing node on the way to a path, and how many keys lead to it."""
    node = root
    for depth, key in enumerate(path):
        child = _find_child(node, key)
        if child is None:
            return node, depth
        node = child
    return node, len(path)


def _find_child(node: Node, key: Key) -> Node | None:
    if isinstance(node, MappingNode):
        return next((value for name, value in node.value if name.value == key), None)
    is_there = isinstance(node, SequenceNode) and isinstance(key, int) and key < len(node.value)
    found: Node | None = node.value[key] if is_there else None
    return found


def _nest(path: Sequence[Key], value: Any) -> Any:
    """The value below these keys."""
    for key in reversed(path):
        if isinstance(key, int) and key > 0:
            raise NotWritableError("the file has no such list")
        value = [value] if isinstance(key, int) else {key: value}
    return value


def _replace(text: str, node: Node, value: Any, is_json: bool, parent: Node) -> _Change:
    start, end = find_index(node.start_mark), _find_end(text, node)
    style = node.style if isinstance(node, ScalarNode) and isinstance(value, str) else None
    new = format_flow(value, is_json or style == '"')
    if style == "'" and is_plain(f"x{value}"):
        new = f"'{value}'"
    if start < end:
        return _Change(start, end, new)
    # ruamel.yaml says that an empty value is in the next line; it is written after its colon or dash.
    keys = parent.value if isinstance(parent, MappingNode) else ()
    colons = (text.find(":", find_index(key.end_mark)) + 1 for key, one in keys if one is node)
    at = next(colons, len(text[:start].rstrip()))
    return _Change(at, at, f" {new}")


def _extend(
    text: str, node: CollectionNode, after: Node | None, flow: str, lines: Callable[[str], Iterable[str]]
) -> _Change:
    """An entry or an item after another one of a map or list, by default after the last one.

    flow: in brackets; lines: in a block, with this margin.
    """
    if not node.value:
        start = find_index(node.start_mark) + 1
        return _Change(start, start, flow)
    last = node.value[-1]
    end = _find_end(text, after or (last[1] if isinstance(last, tuple) else last))
    if node.flow_style:
        return _Change(end, end, f", {flow}")
    start, line_end = text.find("\n", end) + 1 or len(text), _find_line_end(text)
    before = "" if text[:start].endswith("\n") else line_end
    return _Change(start, start, before + "".join(f"{line}{line_end}" for line in lines(_read_margin(text, node))))


def _format_lines(key: Key, value: Any, margin: str) -> Iterator[str]:
    """The lines of an entry in a block; a map that is too long for one line has a line for each key."""
    line = margin + _format_entry(key, value, False)
    if len(line) <= LONGEST_ENTRY or not isinstance(value, dict):
        yield line
        return
    yield f"{margin}{format_flow(str(key))}:"
    for below, part in value.items():
        yield from _format_lines(below, part, f"{margin}  ")


def _read_margin(text: str, node: Node) -> str:
    """The indentation of a block; that of a map in a list is as wide as the dash before it."""
    start = find_index(node.start_mark)
    before = text[text.rfind("\n", 0, start) + 1 : start]
    if before.strip(" -"):
        raise NotWritableError("its map begins in the middle of a line")
    return " " * len(before)


def _find_end(text: str, node: Node) -> int:
    """The end of a value, without the comments and empty lines after it."""
    if node.value and isinstance(node, CollectionNode) and not node.flow_style:
        last = node.value[-1]
        return _find_end(text, last[1] if isinstance(last, tuple) else last)
    end = find_index(node.end_mark)
    is_block = isinstance(node, ScalarNode) and node.style in ("|", ">")
    return len(text[:end].rstrip()) if is_block else end


def _find_line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _format_entry(key: Key, value: Any, is_json: bool) -> str:
    return f"{format_flow(str(key), is_json)}: {format_flow(value, is_json)}"
