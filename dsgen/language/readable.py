"""Values as readable YAML: keys in their order, quotes only where they are needed, multi-line texts as blocks.

dsgen's reader and Helm read the same values back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from dsgen.language.text import YamlWriter, quote
from dsgen.reading.scalars import resolve

_WORD = r"[A-Za-z0-9_./@=+-]+(:[A-Za-z0-9_./@=+-]+)*"
_PLAIN = re.compile(rf"(?=[A-Za-z/_]){_WORD}( {_WORD})*|[0-9]+([KMGTPE]i|m)")


class ReadableWriter(YamlWriter):
    """Writes texts without quotes if no reader can misread them."""

    def keys(self, data: Mapping[str, Any]) -> Iterable[str]:
        """In their order."""
        return data

    def text(self, text: str) -> str:
        """Without quotes, unless a reader could take it for another type, ignoring case."""
        lower = text.lower()
        return text if _PLAIN.fullmatch(text) and resolve(lower) == lower else quote(text)

    def scalar(self, value: Any) -> str:
        """A float always has a point or an exponent, so that a large one is not read as an integer."""
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
