"""The comments of a shell script."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dsgen.importers.remarks import SHELL_CODE, Remark, read_prose
from dsgen.importers.shell.syntax import parse, walk_nodes
from dsgen.importers.texts import Atlas, Text

DIRECTIVE = "#SBATCH"


def find_shell_remarks(text: Text, atlas: Atlas) -> Iterator[Remark]:
    """The comments of a script, with the lines of its file.

    A comment on lines of its own is about the statement or the word on the next line, one after a statement about its
    line.
    """
    rows = text.chars.split("\n")
    ends: dict[int, int] = {}
    comments: dict[int, int] = {}
    for node in walk_nodes(parse(text, atlas).root):
        row = node.start_point[0]
        if node.type == "comment":
            comments[row] = node.start_point[1]
        elif node.is_named and node.parent is not None:
            ends[row] = max(ends.get(row, row), node.end_point[0])
    first = _find_line(text, atlas, rows, 0)
    if len(rows) > 1 and _find_line(text, atlas, rows, len(rows) - 1) == first:
        return  # all lines of a quoted or folded scalar have its place
    block: list[str] = []
    for row, line in enumerate(rows):
        own = line.strip()
        at = comments.get(row, -1)
        if at >= 0 and own.startswith("#") and not own.startswith((DIRECTIVE, "#!")):
            block.append(own)
            continue
        if block and own and (texts := read_prose(block, SHELL_CODE)):
            yield Remark(first + row, first + ends.get(row, row), texts)
        block = []
        after = _find_comment(line) if own.startswith(DIRECTIVE) else line[at:] if at > 0 else ""
        if after and (texts := read_prose([after], SHELL_CODE)):
            yield Remark(first + row, first + row, texts, is_after=True)


def _find_comment(line: str) -> str:
    """The comment behind the options of a directive."""
    match = re.search(r"\s(#.*)$", line[len(DIRECTIVE) :])
    return match[1] if match else ""


def _find_line(text: Text, atlas: Atlas, rows: list[str], row: int) -> int:
    offset = sum(len(line) + 1 for line in rows[:row])
    places = text.places
    return atlas.resolve_place(places[min(offset, len(places) - 1)]).line if places else 0
