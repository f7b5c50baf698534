"""Makes text of the user's safe to print: file names, values and messages go through here before they are shown.

A terminal acts on control characters, a reader is deceived by characters without a shape, and CI systems take lines of
a log as commands. Text in any script stays as it is.
"""

from __future__ import annotations

import re

from dsgen.problems.redaction import redacted

REPLACEMENT = "\ufffd"
_SHORT = {"\t": r"\t", "\n": r"\n", "\r": r"\r"}
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Printable to Python, and yet nothing is to be seen of them."""
_COMMAND = re.compile(r"##(?=\w*\[)")
"""GitHub Actions, Azure Pipelines and TeamCity look for ##[...], ##vso[...] and ##teamcity[...] anywhere in a line."""
_FIRST_COMMAND = re.compile(r"^\s*:(?=:)")
"""GitHub Actions takes a line as a command that begins with two colons, blanks before them aside."""


def visible(text: str) -> str:
    """A text inside a line: secrets as stars, an escape such as \\n or \\u202e for what has no shape of its own."""
    return _COMMAND.sub(r"#\\x23", _escaped(redacted(text)))


def line(text: str) -> str:
    """A whole line, as `visible`."""
    return _FIRST_COMMAND.sub(lambda match: match[0][:-1] + r"\x3a", visible(text))


def in_place(text: str) -> str:
    """A whole line in which every character keeps its column: a sign stands for what cannot be shown.

    Secrets are to be taken out before: this may be a part of a line.
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
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a file's name that is no UTF-8
        code -= 0xDC00
    if code < 0x100:
        return _SHORT.get(char, f"\\x{code:02x}")
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
