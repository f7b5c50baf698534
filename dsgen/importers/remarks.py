"""Comments of a source, which go to the first key that became of what they are about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

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


def find_remarks(text: str, code: re.Pattern[str]) -> list[Remark]:
    """The comments of a YAML file or a script: above what begins on a line, and after a value or a statement.

    code: how lines look that were commented out.
    """
    found, block, depth = list[Remark](), list[str](), 0
    lines = [re.sub(r"^#SBATCH\s+", "", line) for line in text.split("\n")]
    for number, line in enumerate(lines, 1):
        own = line.lstrip()
        inner = len(line) - len(own)
        if own.startswith("#!"):
            continue
        if own.startswith("#"):
            block = [*block, own] if block and depth == inner else [own]
            depth = inner
            continue
        if block and own and depth == inner and (texts := _read_prose(block, code)):
            found.append(Remark(number, _find_end(lines, number), texts))
        after = AFTER.match(line) if len(line) <= LONGEST_LINE else None
        if after and (texts := _read_prose([after[2]], code)):
            is_opening = after[1].rstrip().endswith(":")  # its value is below
            last = _find_end(lines, number) if is_opening else number
            found.append(Remark(number, last, texts, is_after=not is_opening))
        block = []
    return found


def _read_prose(lines: Sequence[str], code: re.Pattern[str]) -> list[str]:
    """The lines of a comment without its marks, from the last line on that was commented out."""
    bare = [re.sub(r"^#+\s?", "", line) for line in lines]
    first = max((number for number, line in enumerate(bare, 1) if code.search(line)), default=0)
    texts = [re.sub(r"^[\s#=*~-]*\s|^[#=*~-]+$|[\s#=*~_-]+$", "", line) for line in bare[first:]]
    kept = [text for text in texts if re.search(r"\w", text) and not TOOLS.search(text)]
    return kept if len(kept) <= MOST_LINES else []


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
