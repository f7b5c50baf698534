"""Values as text: exactly as Helm's engine writes them, and below as people read them.

Python writes flat manifests, and Go writes those of the chart. A text inside an object, such as `ds_config.json` in a
ConfigMap, must be the same in both, so quoting, JSON and numbers follow Go's strconv and encoding/json.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from dsgen.reading.scalars import UnreadableScalarError, resolve

_SHORT_ESCAPES = {7: r"\a", 8: r"\b", 12: r"\f", 10: r"\n", 13: r"\r", 9: r"\t", 11: r"\v", 34: r"\"", 92: r"\\"}

# What Go's `%q` escapes: control and format characters, separators, private use, noncharacters. A list of ranges rather
# than str.isprintable(), which depends on the Unicode version of Python: the bytes must not. Unassigned characters are
# not escaped (Go escapes them); YAML reads both in the same way.
_ESCAPED = (
    r"[\x00-\x1f\"\\\x7f-\xa0\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u1680\u180e\u2000-\u200f\u2028-\u202f"
    r"\u205f-\u206f\u3000\ud800-\uf8ff\ufdd0-\ufdef\ufeff\ufff0-\ufffb\ufffe\uffff\U000110bd\U000110cd"
    r"\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U0001fffe\U0001ffff\U0002fffe\U0002ffff"
    r"\U0003fffe\U0003ffff\U000e0000-\U000e0fff\U000efffe-\U0010ffff]"
)

_ASCII_ESCAPES = {code: _SHORT_ESCAPES.get(code, f"\\x{code:02x}") for code in (*range(32), 34, 92, 127)}

_QUOTE_IN_JSON = json.JSONEncoder(ensure_ascii=False).encode

# YAML accepts every character above U+FFFF.
_NOT_PLAIN = "[\x7f-\uffff]"


def quote(value: object) -> str:
    """A scalar in double quotes, as Go's `%q` writes it; every YAML reader reads the same text."""
    text = value if isinstance(value, str) else scalar(value)
    # Most texts are plain, and compiling the pattern for others takes longer than rendering many objects.
    if not (text.isascii() and text.isprintable() and '"' not in text and "\\" not in text):
        text = text.translate(_ASCII_ESCAPES) if text.isascii() else re.sub(_ESCAPED, _escape, text)
    return f'"{text}"'


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code in _ASCII_ESCAPES:
        return _ASCII_ESCAPES[code]
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def scalar(value: object) -> str:
    """The text that `<< value >>` prints: text unchanged, true or false, integers without an exponent.

    Raises TypeError for other values: lists, maps and fractions need `json` or `yaml`, and `none` is a mistake.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    raise TypeError(f"cannot print {value!r}; use json or yaml")


def format_number(value: int | float) -> str:
    """A number as Go's encoding/json writes a float64: shortest form, an exponent below 1e-6 and from 1e21."""
    if isinstance(value, int) and abs(value) < 2**53:
        return str(value)
    double = float(value)
    if double == 0:
        return "-0" if str(double).startswith("-") else "0"
    from decimal import Decimal  # imported late: few values need it

    decimal = Decimal(repr(double))
    if 1e-6 <= abs(double) < 1e21:
        return format(decimal, "f").removesuffix(".0")
    mantissa, _, exponent = f"{decimal.normalize():E}".partition("E")
    return f"{mantissa}e{exponent[0]}{exponent[1:].lstrip('0')}"


def to_json(value: Any) -> str:
    """JSON without blanks, keys sorted by code point, `<`, `>` and `&` as they are: Sprig's `toRawJson`."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _QUOTE_IN_JSON(value).replace("\u2028", r"\u2028").replace("\u2029", r"\u2029")
    if isinstance(value, int | float):
        return format_number(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{to_json(key)}:{to_json(value[key])}" for key in sorted(value)) + "}"
    return "[" + ",".join(map(to_json, value)) + "]"


def to_plain_json(value: Any) -> str:
    """JSON for a block of text, without characters that YAML refuses or changes there.

    The chart's helper `plainJson` writes the same text.
    """
    text = to_json(value)
    is_plain = text.isascii() and "\x7f" not in text
    return text if is_plain else re.sub(_NOT_PLAIN, lambda match: f"\\u{ord(match[0]):04x}", text)


def to_yaml(value: Any) -> str:
    """Block YAML in which every string is quoted, so that no value is lost or misread.

    The chart's helper `yaml` writes the same text.
    """
    return "\n".join(_write_lines(value))


def _write_lines(value: Any) -> Iterator[str]:
    if not value or not isinstance(value, dict | list | tuple):
        yield quote(value) if isinstance(value, str) else to_json(value)
    elif isinstance(value, dict):
        for key in sorted(value):
            lines = _write_lines(value[key])
            if value[key] and isinstance(value[key], dict | list | tuple):
                yield f"{quote(key)}:"
            else:
                yield f"{quote(key)}: {next(lines)}"
            yield from (f"  {line}" for line in lines)
    else:
        for one in value:
            lines = _write_lines(one)
            yield f"- {next(lines)}"
            yield from (f"  {line}" for line in lines)


@functools.lru_cache(maxsize=1000)  # the scripts are the same in all jobs of a call
def indent(text: str, width: int) -> str:
    """The text with every line but the first, which is at the tag, indented by `width` blanks.

    Empty lines stay empty, so there are no trailing blanks.
    """
    if not width or "\n" not in text:
        return text
    line_end = "\n" + " " * width
    moved = text.replace("\n", line_end)
    while f"{line_end}\n" in moved:  # one pass leaves every second of adjacent empty lines
        moved = moved.replace(f"{line_end}\n", "\n\n")
    return moved[:-width] if moved.endswith(line_end) else moved


# -- for people -------------------------------------------------------------------------------------------------------

_OF_WORDS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=+-")
"""Characters of a word that needs no quotes, unless YAML reads it as another type."""


def format_value(value: Any) -> str:
    """A value on one line, without secrets; a long one is cut."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return str(value)
    from dsgen.problems.safe_text import redact  # imported late: only problems need it

    text = redact(value)  # before it is cut, because a part of a URL is not recognised
    short = text if len(text) <= 60 else text[:57] + "..."
    return '"' + short.replace("\n", "\\n") + '"'


def format_item(text: str) -> str:
    """A text as an item of a YAML list, whole, in quotes only if it needs them."""
    if is_plain(text):
        return text
    if '"' not in text and "\\" not in text and text.isprintable():
        return f'"{text}"'
    if text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    return json.dumps(text, ensure_ascii=False)


def is_plain(word: str) -> bool:
    """Whether a word needs no quotes in YAML."""
    if word in ("", "-") or not _OF_WORDS.issuperset(word):
        return False
    try:
        return resolve(word) == word
    except UnreadableScalarError:
        return False


def align(rows: Iterable[Sequence[str]], gap: str = "  ") -> Iterator[str]:
    """A line for each row; the cells of a column begin at the same place. All rows have the same number of cells."""
    lines = [*rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        yield gap.join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
