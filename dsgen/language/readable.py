"""Values as YAML for people: keys in their order, quotes only where they are needed, programs as blocks of lines.

The reader and Helm make the same values of it again.
"""

from __future__ import annotations

import json
import re

from dsgen.language.text import YamlWriter, quote
from dsgen.reading.scalars import resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

_WORD = r"[A-Za-z0-9_./@=+-]+(:[A-Za-z0-9_./@=+-]+)*"
_PLAIN = re.compile(rf"(?=[A-Za-z/_]){_WORD}( {_WORD})*|[0-9]+([KMGTPE]i|m)")


class ReadableWriter(YamlWriter):
    """Every text that has one obvious reading stands as it is."""

    def keys(self, data: Mapping[str, Any]) -> Iterable[str]:
        """As they were given."""
        return data

    def text(self, text: str) -> str:
        """Plain, unless some reader could take it for something else, whatever its capitals."""
        lower = text.lower()
        return text if _PLAIN.fullmatch(text) and resolve(lower) == lower else quote(text)

    def scalar(self, value: Any) -> str:
        """A float always has a point or an exponent, so that a large one is no integer."""
        return repr(value) if isinstance(value, float) else json.dumps(value)

    def is_block(self, text: str) -> bool:
        """Lines that can stand below `|` and be read as they are: no blanks around them, one newline at most."""
        lines = text.removesuffix("\n").split("\n")
        return (
            "\n" in text
            and all(_is_printable(line) and line == line.rstrip() for line in lines)
            and not lines[0].startswith(" ")
            and bool(lines[0] and lines[-1])
        )


def _is_printable(line: str) -> bool:
    """Whether nothing in it needs an escape but quotes and backslashes, which stand for themselves in a block."""
    plain = line.replace('"', "").replace("\\", "")
    return quote(plain) == f'"{plain}"'
