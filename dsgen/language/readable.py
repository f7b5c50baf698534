"""Values as people read them: in messages and hints, and as YAML with quotes only where they are needed.

dsgen's reader and Helm read this YAML back as the same values: keys in their order, multi-line texts as blocks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from dsgen.language.text import YamlWriter, quote
from dsgen.reading.scalars import UnreadableScalarError, resolve

_WORD = r"[A-Za-z0-9_./@=+-]+(:[A-Za-z0-9_./@=+-]+)*"
_PLAIN = rf"(?=[A-Za-z/_]){_WORD}( {_WORD})*|[0-9]+([KMGTPE]i|m)"
"""Not compiled at import, because every command imports this module, and few write YAML."""
_OF_WORDS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=+-")
"""Characters of a word that needs no quotes, unless YAML reads it as another type."""


def format_value(value: Any) -> str:
    """A value on one line, without secrets; a long one is cut."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return str(value)
    from dsgen.problems.safe_text import redacted  # imported late: only problems need it

    text = redacted(value)  # before it is cut, because a part of a URL is not recognised
    short = text if len(text) <= 60 else text[:57] + "..."
    return '"' + short.replace("\n", "\\n") + '"'


def item(text: str) -> str:
    """A text as an item of a YAML list, whole, in quotes only if it needs them."""
    if is_plain(text):
        return text
    if '"' not in text and "\\" not in text and text.isprintable():
        return f'"{text}"'
    if text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    import json  # imported late: only texts with line ends need it

    return json.dumps(text, ensure_ascii=False)


def is_plain(word: str) -> bool:
    """Whether a word needs no quotes in YAML."""
    if word in ("", "-") or not _OF_WORDS.issuperset(word):
        return False
    try:
        return resolve(word) == word
    except UnreadableScalarError:
        return False


class ReadableWriter(YamlWriter):
    """Writes texts without quotes if no reader can misread them."""

    def keys(self, data: Mapping[str, Any]) -> Iterable[str]:
        """In their order."""
        return data

    def text(self, text: str) -> str:
        """Without quotes, unless a reader could take it for another type, ignoring case."""
        lower = text.lower()
        return text if re.fullmatch(_PLAIN, text) and resolve(lower) == lower else quote(text)

    def scalar(self, value: Any) -> str:
        """A float always has a point or an exponent, so that a large one is not read as an integer."""
        import json  # imported late: few commands write YAML

        return repr(value) if isinstance(value, float) else json.dumps(value)

    def is_block(self, text: str) -> bool:
        """Whether the text can be written below `|` unchanged: no blanks around lines, at most one final newline."""
        lines = text.removesuffix("\n").split("\n")
        return (
            "\n" in text
            and all(_is_printable(line) and line == line.rstrip() for line in lines)
            and not lines[0].startswith(" ")
            and bool(lines[0] and lines[-1])
        )


def _is_printable(line: str) -> bool:
    """Whether only quotes and backslashes need an escape, which a block does not need."""
    plain = line.replace('"', "").replace("\\", "")
    return quote(plain) == f'"{plain}"'
