"""What a values file must be as plain text before YAML looks at it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice

MOST_SHOWN = 20
"""Characters that are reported in one file: of something that is no text at all nobody wants to see every byte."""

_UNREADABLE = re.compile("[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")


def unreadable_characters(text: str) -> Iterator[tuple[int, int, str]]:
    """Line, column and character of what YAML does not allow in a file, the first few of them."""
    found = list(islice(_UNREADABLE.finditer(text), MOST_SHOWN))
    starts = [0, *(line.end() for line in _BREAK.finditer(text))] if found else []
    for match in found:
        line = bisect_right(starts, match.start())
        yield line, match.start() - starts[line - 1] + 1, match.group()


def directive_line(text: str) -> int | None:
    """The number of the line in which a YAML directive stands before the document, None when there is none."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("%"):
            return number
        if line.strip() and not line.lstrip().startswith("#"):
            return None
    return None
