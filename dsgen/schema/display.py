"""Texts from values in the form that messages and hints use: in quotes, or as YAML items."""

from __future__ import annotations

from typing import Any

from dsgen.reading.scalars import UnreadableScalarError, resolve

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=+-")
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
    if word in ("", "-") or not _PLAIN.issuperset(word):
        return False
    try:
        return resolve(word) == word
    except UnreadableScalarError:
        return False
