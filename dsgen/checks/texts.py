"""Texts with characters that look like others, or with templates that nothing renders."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from dsgen.checks.row import Function, Names, Place, make_diagnostic
from dsgen.problems import Diagnostic, KeyPath

FREE: tuple[KeyPath, ...] = (("training", "files"), ("annotations",), ("global",))
"""Texts that dsgen passes on and nobody reads as a name, an argument or a script."""
INVISIBLE = {
    "\u00a0": "a no-break space",
    "\u00ad": "a soft hyphen",
    "\u200b": "a zero width space",
    "\u2060": "a word joiner",
    "\ufeff": "a byte order mark",
}
QUOTES = "\u2018\u2019\u201c\u201d"
SETUP: KeyPath = ("training", "setup")
_TEMPLATE = r"\{\{-? *[$]?[.](Values|Release|Chart|Capabilities|Files)\b"


def check_texts(values: Mapping[str, Any], _: Names, place: Place) -> Iterator[Diagnostic]:
    """Texts that are most likely copied from a chart, a page or a chat."""
    for path, text in _list_texts(values, ()):
        template = re.search(_TEMPLATE, text) if "{{" in text else None
        if template:
            message = f"{{{{ .{template[1]} }}}} stays as it is: neither Helm nor dsgen renders templates in values"
            yield make_diagnostic(
                "DS396", path, message, "write the value itself, or pass it with --set", place, "warning"
            )
        if text.isascii():
            continue
        for char, name in INVISIBLE.items():
            if char in text:
                message = f"the text contains {name} (U+{ord(char):04X}), which is not visible"
                hint = "remove it, or write a plain space; it often comes from copied text"
                yield make_diagnostic("DS397", path, message, hint, place, "warning")
                break
        if text[0] in QUOTES or text[-1] in QUOTES or (path == SETUP and set(QUOTES) & set(text)):
            message = "curly quotes are part of the text: neither YAML nor a shell takes them as quotes"
            yield make_diagnostic("DS397", path, message, "write straight quotes", place, "warning")


def _list_texts(part: Any, path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    """The texts that may be odd, each with its path."""
    if isinstance(part, str):
        if not part.isascii() or "{{" in part:
            yield path, part
    elif isinstance(part, dict):
        for key, below in part.items():
            if (*path, key) not in FREE:
                yield from _list_texts(below, (*path, key))
    elif isinstance(part, list):
        for number, below in enumerate(part):
            yield from _list_texts(below, (*path, number))


FUNCTIONS = (Function(check_texts, {"DS396": (), "DS397": ()}, is_watched=False),)
