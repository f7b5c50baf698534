"""Texts and keys that Helm cannot read, or that cannot be passed to a program."""

from __future__ import annotations

LONGEST_KEY = 1024
"""Characters of a key as JSON: to validate values, Helm 3 converts them to JSON and reads that as YAML."""
_SHORT_KEY = 128
"""A key of so many characters is short enough as JSON, whatever its characters are."""


def explain_text(text: str) -> str:
    """The reason why Helm 3 fails on a text, however it is quoted; empty if it does not.

    U+0085 is allowed here: Helm 3 reads it as a line break when it checks the patterns of the schema, and those reject
    it. Both versions of Helm change a lone surrogate, from an escape or a command line, to another character.
    """
    return _explain_uncarried(text.replace("\x85", ""))


def is_refused(char: str) -> bool:
    """Whether it is a control character, a lone surrogate or a noncharacter."""
    return "\x7f" <= char <= "\x9f" or "\ud800" <= char <= "\udfff" or char in "\ufffe\uffff"


def _explain_uncarried(text: str) -> str:
    if text.replace("\n", "").isprintable():
        return ""
    char = next(filter(is_refused, text), "")
    return f"has the character U+{ord(char):04X}, which Helm cannot read" if char else ""


def explain_argument(text: str) -> str:
    """The reason why a text that Helm can read cannot be passed to a program; empty if it can."""
    return "has the character U+0000, which no argument, variable or path can hold" if "\0" in text else ""


def explain_key(key: str) -> str:
    """The reason why Helm cannot read a key; empty if it can."""
    if key == "<<":
        return "is read as a merge by Helm, even in quotes"
    if len(key) <= _SHORT_KEY:
        return _explain_uncarried(key)
    import json  # imported late: few keys are so long

    # Go escapes a few more characters than Python.
    size = len(json.dumps(key, ensure_ascii=False)) + len("u003c") * sum(key.count(char) for char in "<>&\u2028\u2029")
    if size > LONGEST_KEY:
        return f"has {size} characters as JSON; Helm reads at most {LONGEST_KEY}"
    return _explain_uncarried(key)
