"""Makes text safe to print: file names, values and messages are escaped here before they are shown.

A terminal executes control characters, invisible characters deceive a reader, and CI systems execute some lines of a
log as commands. Printable text of any language is unchanged.
"""

from __future__ import annotations

import re

from dsgen.problems.redaction import redacted

REPLACEMENT = "\ufffd"
_SHORT = {"\t": r"\t", "\n": r"\n", "\r": r"\r"}
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Characters that `str.isprintable` accepts although they are invisible."""
_COMMAND = re.compile(r"##(?=\w*\[)")
"""GitHub Actions, Azure Pipelines and TeamCity look for ##[...], ##vso[...] and ##teamcity[...] anywhere in a line."""
_FIRST_COMMAND = re.compile(r"^\s*:(?=:)")
"""GitHub Actions takes a line as a command if it begins with two colons, ignoring blanks before them."""
_COLOR = re.compile(r"(\x1b\[[0-9;:]*m)")
"""The only sequences of a terminal that change nothing but the look of the text after them."""
_NO_COLOR = "\x1b[m"


def visible(text: str) -> str:
    """A text inside a line: secrets are replaced by stars, invisible characters by escapes such as \\n or \\u202e."""
    return _without_commands(_escaped(redacted(text)))


def line(text: str) -> str:
    """A whole line; like `visible`, and the line is no command of GitHub Actions."""
    return _without_first_command(visible(text))


def output(text: str, colored: bool) -> str:
    """A line that a training has printed: secrets and tabs stay; a line with carriage returns is its last part.

    `colored`: the line keeps its colors, for a person at a terminal. Otherwise, it is no command of a CI system.
    """
    texts, colors = _part(text.rstrip("\r").rpartition("\r")[2])
    if colored and colors:
        return "".join(map("".join, zip(texts, [*colors, _NO_COLOR], strict=True)))
    return "".join(texts) if colored else _without_first_command(_without_commands("".join(texts)))


def _part(text: str) -> tuple[list[str], list[str]]:
    """The escaped texts around the colors of a line, and the colors between them."""
    parts = _COLOR.split(text)
    return ["\t".join(map(_escaped, part.split("\t"))) for part in parts[::2]], parts[1::2]


def _without_commands(text: str) -> str:
    return _COMMAND.sub(r"#\\x23", text)


def _without_first_command(text: str) -> str:
    return _FIRST_COMMAND.sub(lambda match: match[0][:-1] + r"\x3a", text)


def in_place(text: str) -> str:
    """A line in which every character keeps its column: U+FFFD replaces what cannot be shown.

    The caller removes secrets before, because the text may be only a part of a line.
    """
    text = "".join(" " if char == "\t" else char if _is_shown(char) else REPLACEMENT for char in text)
    text = _COMMAND.sub(f"#{REPLACEMENT}", text)
    return _FIRST_COMMAND.sub(lambda match: match[0][:-1] + REPLACEMENT, text)


def _escaped(text: str) -> str:
    if text.isascii() and text.isprintable():  # most lines
        return text
    return "".join(char if _is_shown(char) else _escape(char) for char in text)


def _is_shown(char: str) -> bool:
    return char.isprintable() and char not in _BLANK


def _escape(char: str) -> str:
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a file name that is not UTF-8
        code -= 0xDC00
    if code < 0x100:
        return _SHORT.get(char, f"\\x{code:02x}")
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
