"""Texts in values that Helm, or the program, cannot get."""

from __future__ import annotations

LONGEST_KEY = 1024
"""Characters of a key as JSON: Helm 3 compares values with a schema by way of JSON that it reads as YAML."""
_SHORT_KEY = 128
"""Characters of a key that cannot be longer as JSON, whatever they are."""


def uncarried_text(text: str) -> str:
    """What is wrong with a text that stops Helm 3 however it is written, empty when nothing is.

    Helm 3 takes U+0085, as a line break when it looks at the schema's patterns: these must not allow it. Half of a
    character, from an escape or a command line, becomes another one in both majors.
    """
    return _uncarried(text.replace("\x85", ""))


def is_uncarried(char: str) -> bool:
    """Whether it is a control character, half of a character, or none."""
    return "\x7f" <= char <= "\x9f" or "\ud800" <= char <= "\udfff" or char in "\ufffe\uffff"


def _uncarried(text: str) -> str:
    if text.replace("\n", "").isprintable():
        return ""
    found = next(filter(is_uncarried, text), "")
    return f"has the character U+{ord(found):04X}, which Helm cannot read" if found else ""


def unpassable_text(text: str) -> str:
    """What is wrong with a text for a program, empty when nothing is; Helm carries it, an exec of Linux does not."""
    return "has the character U+0000, which no argument, variable or path can hold" if "\0" in text else ""


def uncarried_key(key: str) -> str:
    """The same for a key."""
    if key == "<<":
        return "is a merge for Helm, even in quotes"
    if len(key) <= _SHORT_KEY:
        return _uncarried(key)
    import json

    # Go escapes a few more characters than Python.
    size = len(json.dumps(key, ensure_ascii=False)) + len("u003c") * sum(key.count(char) for char in "<>&\u2028\u2029")
    if size > LONGEST_KEY:
        return f"has {size} characters as JSON, Helm reads at most {LONGEST_KEY}"
    return _uncarried(key)
