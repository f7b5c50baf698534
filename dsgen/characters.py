"""What a values file must be as plain text before YAML looks at it."""

from __future__ import annotations

import re
from collections.abc import Iterator

_UNREADABLE = re.compile("[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")


def unreadable_characters(text: str) -> Iterator[tuple[int, int, str]]:
    """Line, column and character of what YAML does not allow in a file."""
    for match in _UNREADABLE.finditer(text):
        breaks = list(_BREAK.finditer(text, 0, match.start()))
        start = breaks[-1].end() if breaks else 0
        yield len(breaks) + 1, match.start() - start + 1, match.group()


def directive_line(text: str) -> int | None:
    """The number of the line in which a YAML directive stands before the document, None when there is none."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("%"):
            return number
        if line.strip() and not line.lstrip().startswith("#"):
            return None
    return None
