"""Parses bash with tree-sitter; the only module that imports it."""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from dsgen.importers.ledger import ImportRefusedError, MissingParserError
from dsgen.importers.texts import OF_OPERATION, SourceMap, Text, join, place_at, spend

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_CHARACTERS = 1 << 19
EXPANSIONS = ("simple_expansion", "expansion", "command_substitution", "arithmetic_expansion")
SPLIT, NAME = re.compile(r"(?<![$\\])\$[A-Za-z_]"), re.compile(r"\$([A-Za-z_]\w*)", re.ASCII)
LINE_END = re.compile(r"(?<!\\)\n|#")
BLANK = re.compile(r"\s|\\\n")
ARGUMENT = re.compile(r"\s*\$\{?([1-9@*])(?!:?[-+=])")
REST = re.compile(r"[^\s'\"`;|&<>(){}\\]*")
"""The rest of a word without quotes."""
WORDS = ("variable_assignment", "concatenation", "word", "command_name")
MOST_REPAIRS = 8
"""How often a script is parsed again with braces around names that the parser does not recognise."""
DEEPEST = 200
"""Levels of nesting in a script."""
UNITS = ("command", "variable_assignment", "declaration_command", "unset_command")
"""Statements of a script that carry meaning."""


class Script:
    """A parsed text. Offsets of its nodes are those of the characters of the text."""

    def __init__(self, text: Text, ends: Collection[int] = ()) -> None:
        self.text = text
        # Only ASCII characters matter for the structure, and with them a byte is a character.
        plain = "".join(";" if at in ends else char if char < "\x80" else "x" for at, char in enumerate(text.chars))
        self.root: Node = _load_parser().parse(plain.encode("ascii")).root_node

    def read_text(self, node: Node) -> Text:
        """The text of a node."""
        return self.text[self.find_start(node) : node.end_byte]

    def find_start(self, node: Node) -> int:
        """Where a node begins: in strings, the parser takes blanks before an expansion for a part of it."""
        start = node.start_byte
        if node.type in EXPANSIONS:
            while BLANK.match(self.text.chars, start, node.end_byte):
                start += 1
        return start


@functools.cache
def _load_parser() -> Any:
    try:
        import tree_sitter  # imported late: it may not be installed
        import tree_sitter_bash
    except ImportError as error:
        raise MissingParserError from error
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


def parse(text: Text, source_map: SourceMap) -> Script:
    """A parsed script. Raises ImportRefusedError if it is too large or nested too deeply."""
    if len(text.chars) > MOST_CHARACTERS:
        raise ImportRefusedError("the script is too large", source_map.resolve_place(text.places[0]))
    script = Script(text)
    for _ in range(MOST_REPAIRS):
        offsets = _find_split_values(script)
        if not offsets:
            break
        script = Script(_add_braces(script.text, offsets))
    if ends := _find_line_ends(script):
        script = Script(script.text, ends)
    if _is_deeper_than(script.root, DEEPEST):
        raise ImportRefusedError("the script is nested too deeply", source_map.resolve_place(text.places[0]))
    return script


def _find_line_ends(script: Script) -> set[int]:
    """Where lines of several assignments end: the parser takes them for a part of the command on the next line."""
    nodes = [node for node in walk_nodes(script.root) if node.type == "variable_assignment"]
    pairs = [(one.end_byte, one.next_sibling) for one in nodes if one.parent and one.parent.type == "command"]
    return {end for end, after in pairs if after and LINE_END.search(script.text.chars, end, after.start_byte + 1)}


def _find_split_values(script: Script) -> list[int]:
    """Names that the parser does not take for a part of a word: in `A=$B/x/$C/$D`, it ends the value at `$C`."""
    chars, offsets = script.text.chars, set[int]()
    for node in walk_nodes(script.root):
        end = node.end_byte
        if node.type in WORDS and SPLIT.fullmatch(chars, end - 1, end + 1):
            rest = REST.match(chars, end)
            offsets |= {end, *(match.start(1) for match in NAME.finditer(chars, end, rest.end() if rest else end))}
    return sorted(offsets)


def _add_braces(text: Text, offsets: Sequence[int]) -> Text:
    """`${NAME}` in the place of the `$NAME` whose names begin at these offsets."""
    parts, end = list[Text](), 0
    for offset in offsets:
        name = re.compile(r"\w+", re.ASCII).match(text.chars, offset)
        last = name.end() if name else offset
        parts += [text[end:offset], place_at("{", text[offset:]), text[offset:last], place_at("}", text[offset:])]
        end = last
    return join([*parts, text[end:]])


def _is_deeper_than(root: Node, levels: int) -> bool:
    level = [root]
    for _ in range(levels):
        level = [child for node in level for child in node.children]
        if not level:
            return False
    return True


def walk_nodes(node: Node) -> Iterator[Node]:
    """A node and all nodes below it."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        spend(OF_OPERATION // 2)
        yield one
        waiting.extend(reversed(one.children))


def list_arguments(node: Node) -> list[Node]:
    """The name and the arguments of a command."""
    skipped = ("variable_assignment", "file_redirect", "heredoc_redirect", "herestring_redirect", "comment")
    words = [child for child in node.children if child.is_named or child.type in ("$", "==", "=~")]
    after = node.next_sibling
    if words and after is not None and after.type == "file_redirect" and words[-1].end_byte == after.start_byte:
        words.pop()  # `2` of `2>FILE` after `\` and a line end
    return [child for child in words if node.type != "command" or child.type not in skipped]


def find_units(text: Text, source_map: SourceMap) -> Iterator[Text]:
    """Each command, assignment and definition of a script that is not inside of another one."""
    script = parse(text, source_map)
    for node in _find_statements(script.root):
        if script.read_text(node).chars.strip():
            yield script.read_text(node)


def _find_statements(node: Node) -> Iterator[Node]:
    for child in node.children:
        if child.type in ("command_substitution", "process_substitution", "heredoc_body", "comment"):
            continue
        if child.type in UNITS:
            yield child
        else:
            yield from _find_statements(child)


def find_arguments(text: str) -> dict[str, int]:
    """The arguments that a script reads outside of functions and without a default; each with its first line."""
    source_map, found = SourceMap(), dict[str, int]()
    script = parse(source_map.add_file("", text), source_map)
    bodies = [node for node in walk_nodes(script.root) if node.type == "function_definition"]
    for node in walk_nodes(script.root):
        match = ARGUMENT.match(script.text.chars, node.start_byte) if node.type in EXPANSIONS else None
        if match and not any(body.start_byte <= node.start_byte < body.end_byte for body in bodies):
            found.setdefault(match[1], node.start_point[0] + 1)
    return found


def find_mistake(script: str) -> tuple[int, str] | None:
    """The line and the words of bash about a syntax error; None without one, and if there is no bash.

    bash only reads the script (-n), it runs nothing of it.
    """
    program = shutil.which("bash")
    if not program:
        return None
    try:
        done = subprocess.run(
            [program, "--norc", "--noprofile", "-n", "/dev/stdin"],
            input=script.encode("utf-8", "replace"),
            capture_output=True,
            env={"LC_ALL": "C"},
            timeout=10,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode == 0:
        return None
    words = done.stderr.decode("utf-8", "replace")
    match = re.match(r".*?: line (\d+): (.*)", words)
    return (int(match[1]), match[2]) if match else (1, words.partition("\n")[0])
