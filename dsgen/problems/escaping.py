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


def visible(text: str) -> str:
    """A text inside a line: secrets are replaced by stars, invisible characters by escapes such as \\n or \\u202e."""
    return _COMMAND.sub(r"#\\x23", _escaped(redacted(text)))


def line(text: str) -> str:
    """A whole line; like `visible`, and the line is no command of GitHub Actions."""
    return _FIRST_COMMAND.sub(lambda match: match[0][:-1] + r"\x3a", visible(text))


def in_place(text: str) -> str:
    """A line in which every character keeps its column: U+FFFD replaces what cannot be shown.

    The caller removes secrets before, because the text may be only a part of a line.
    """
    text = "".join(" " if char == "\t" else char if _is_shown(char) else REPLACEMENT for char in text)
    text = _COMMAND.sub(f"#{REPLACEMENT}", text)
    return _FIRST_COMMAND.sub(lambda match: match[0][:-1] + REPLACEMENT, text)


def _escaped(text: str) -> str:
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
