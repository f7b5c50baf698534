"""Characters and lines that a values file cannot contain."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice

from dsgen.reading.helm_limits import is_refused

MOST_SHOWN = 20
"""Characters and lines that are reported for one file; a binary file has far more."""

_PLAIN = re.compile("[\t\n\r -~]*")
_UNREADABLE = "[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
"""Not compiled at import: that takes 9 ms, and most files match `_PLAIN`."""
_UTF_16 = re.compile("\udcff\udcfe|\udcfe\udcff|([ -~]\0){2}|(\0[ -~]){2}")
"""The beginning of a UTF-16 file that is read as UTF-8: a byte order mark, or ASCII with zero bytes between."""
_SEPARATOR = re.compile("^---(?![ \\t\\r]*$|[ \\t]+#)", re.MULTILINE)
LINE_END = re.compile("\r\n|[\n\r\x85\u2028\u2029]")


def find_unreadable_characters(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Line, column, message and hint for the first characters that YAML does not allow."""
    if _PLAIN.fullmatch(text):
        return
    if _UTF_16.match(text):
        yield 1, 1, "the file is UTF-16", "save it as UTF-8"
        return
    matches = list(islice(re.finditer(_UNREADABLE, text), MOST_SHOWN))
    starts = [0, *(line.end() for line in LINE_END.finditer(text))] if matches else []
    for match in matches:
        line = bisect_right(starts, match.start())
        yield line, match.start() - starts[line - 1] + 1, *_unreadable(match.group())


def _unreadable(char: str) -> tuple[str, str]:
    if "\udc80" <= char <= "\udcff":
        return f"byte 0x{ord(char) - 0xDC00:02x} is not UTF-8", "save the file as UTF-8"
    hint = "remove it" if is_refused(char) else 'write it as an escape in double quotes, such as "\\x07"'
    return f"the character U+{ord(char):04X} is not allowed in YAML", hint


def find_directive(text: str) -> int | None:
    """The number of the line with a YAML directive before the document, or None."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("%"):
            return number
        if line.strip() and not line.lstrip().startswith("#"):
            return None
    return None


def find_separators(text: str) -> list[int]:
    """The numbers of the first lines that begin with `---` and have more text, on which Helm 4 fails.

    Helm 4 splits the text at such lines before it parses YAML, so `---a: 1` fails, and `---` at the start of a line
    inside quotes.
    """
    return [text.count("\n", 0, match.start()) + 1 for match in islice(_SEPARATOR.finditer(text), MOST_SHOWN)]
