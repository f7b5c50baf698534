"""Comments of a source, which go to the first key that became of what they are about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dsgen.importers.shell.syntax import parse, walk_nodes
from dsgen.importers.texts import SourceMap, Text

TOOLS = re.compile(r"(?i)^(yamllint|shellcheck|noqa|prettier|spdx-|copyright|nosec|todo: remove|usage)\b|\bsbatch\b")
"""Comments for programs, and about the file itself."""
MOST_LINES = 8
"""Lines of a comment; a longer one is no remark about a line."""
LONGEST_RANGE = 200
"""Lines that a comment can be about."""
LONGEST_LINE = 500
"""Characters of a line with a comment after its key."""
AFTER = re.compile(r"""((?:[^"'#]|"(?:[^"\\]|\\.)*"|'[^']*'|(?<!\s)#)*)\s(#.*)$""")
"""A line with a comment after its value."""
YAML_CODE = re.compile(r"^(@|-?\s*[\w./-]+:(\s|$)|- |-?-?[\w-]+=|(image|command)\b)")
SHELL_CODE = re.compile(
    r"^(SBATCH|[A-Za-z_]\w*\+?=|-{1,2}[A-Za-z]|[\"')}(]|(export|source|module|ml|conda|cd|srun|sbatch|torchrun|deepspeed"
    r"|accelerate|mpirun|python3?|pip3?|echo|mkdir|git|rm|ls|cp|bash|sh|nvidia-smi|unset|ulimit) [^ ]"
    r"|(if|while|for|case|elif) .*(\[|;|\bin\b)|(fi|done|else|then|do|esac|set [-+]))|\\$"
)
"""Lines that were commented out."""


@dataclass(frozen=True)
class Remark:
    """A comment. first and last: the lines that it is about. is_after: it stands after a line, else above it."""

    first: int
    last: int
    lines: Sequence[str]
    is_after: bool = False


def read_prose(lines: Sequence[str], code: re.Pattern[str]) -> list[str]:
    """The lines of a comment without its marks, from the last line on that was commented out."""
    bare = [re.sub(r"^#+\s?", "", line) for line in lines]
    first = max((number for number, line in enumerate(bare, 1) if code.search(line)), default=0)
    texts = [re.sub(r"^[\s#=*~-]*\s|^[#=*~-]+$|[\s#=*~_-]+$", "", line) for line in bare[first:]]
    kept = [text for text in texts if re.search(r"\w", text) and not TOOLS.search(text)]
    return kept if len(kept) <= MOST_LINES else []


def find_yaml_remarks(lines: Sequence[str]) -> list[Remark]:
    """The comments above keys and items of a YAML file, and those after their values."""
    found: list[Remark] = []
    block: list[str] = []
    depth = 0
    for number, line in enumerate(lines, 1):
        stripped = line.lstrip()
        if stripped.startswith("#"):
            block = [*block, stripped] if block and depth == len(line) - len(stripped) else [stripped]
            depth = len(line) - len(stripped)
            continue
        if block and stripped and depth == len(line) - len(stripped) and (texts := read_prose(block, YAML_CODE)):
            found.append(Remark(number, _find_end(lines, number), texts))
        after = AFTER.match(line) if len(line) <= LONGEST_LINE else None
        if after and (texts := read_prose([after[2]], YAML_CODE)):
            is_opening = after[1].rstrip().endswith(":")  # its value is below
            last = _find_end(lines, number) if is_opening else number
            found.append(Remark(number, last, texts, is_after=not is_opening))
        block = []
    return found


def _find_end(lines: Sequence[str], first: int) -> int:
    """The last line of what begins on a line."""
    own = lines[first - 1]
    depth, is_item = len(own) - len(own.lstrip()), own.lstrip().startswith("- ")
    last = first
    for number, line in enumerate(lines[first : first + LONGEST_RANGE], first + 1):
        stripped = line.lstrip()
        inner = len(line) - len(stripped)
        if stripped and (inner < depth or (inner == depth and (is_item or not stripped.startswith("- ")))):
            break
        last = number if stripped else last
    return last


DIRECTIVE = "#SBATCH"


def find_shell_remarks(text: Text, source_map: SourceMap) -> Iterator[Remark]:
    """The comments of a script, with the lines of its file.

    A comment on lines of its own is about the next line, one after a statement about its line.
    """
    rows = text.chars.split("\n")
    nodes = walk_nodes(parse(text, source_map).root)
    comments = {node.start_point[0]: node.start_point[1] for node in nodes if node.type == "comment"}
    first = _find_line(text, source_map, rows, 0)
    if len(rows) > 1 and _find_line(text, source_map, rows, len(rows) - 1) == first:
        return  # all lines of a quoted or folded scalar have its place
    block: list[str] = []
    for row, line in enumerate(rows):
        own, at = line.strip(), comments.get(row, len(line))
        is_directive = own.startswith(DIRECTIVE)
        if own.startswith("#") and at < len(line) and not is_directive and not own.startswith("#!"):
            block.append(own)
            continue
        if block and own and (texts := read_prose(block, SHELL_CODE)):
            yield Remark(first + row, first + row, texts)
        block = []
        after = own.partition(" #")[2] if is_directive else line[at:]
        if after and (texts := read_prose([after], SHELL_CODE)):
            yield Remark(first + row, first + row, texts, is_after=True)


def _find_line(text: Text, source_map: SourceMap, rows: list[str], row: int) -> int:
    offset = sum(len(line) + 1 for line in rows[:row])
    places = text.places
    return source_map.resolve_place(places[min(offset, len(places) - 1)]).line if places else 0
