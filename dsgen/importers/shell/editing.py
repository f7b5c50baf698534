"""Edits the texts of a shell: backslashes, prefixes and suffixes, parts that are replaced, case."""

from __future__ import annotations

import re
from collections.abc import Mapping

from dsgen.importers.shell.arithmetic import compute
from dsgen.importers.texts import Text, place_at

LONGEST = 4096
"""Characters of a value that is matched with a pattern."""
_ANSI: Mapping[str, str] = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
}


def unescape(text: Text, only: str | None) -> Text:
    """Without backslashes; in quotes only before some characters. A backslash before a line break joins the lines."""
    if "\\" not in text.chars:
        return text
    kept, index = list[int](), 0
    while index < len(text.chars):
        char, following = text.chars[index], text.chars[index + 1 : index + 2]
        if char == "\\" and following == "\n":
            index += 2
            continue
        if char == "\\" and following and (only is None or following in only):
            index += 1
        kept.append(index)
        index += 1
    return Text("".join(text.chars[one] for one in kept), [text.places[one] for one in kept])


def decode_ansi(text: Text) -> Text:
    """The characters of `$'...'`."""
    chars, places, index = "", list[int](), 0
    while index < len(text.chars):
        if text.chars[index] == "\\" and text.chars[index + 1 : index + 2] in _ANSI:
            index += 1
            chars += _ANSI[text.chars[index]]
        else:
            chars += text.chars[index]
        places.append(text.places[index])
        index += 1
    return Text(chars, places)


def edit(value: Text, sign: str, argument: str) -> Text | None:
    """Prefixes and suffixes removed, parts replaced or cut, or case changed."""
    text = value.chars
    if sign in ("#", "##", "%", "%%"):
        return _strip(value, sign, argument)
    if sign in ("^", "^^", ",", ",,"):
        changed = text.upper() if sign == "^^" else text.lower() if sign == ",," else text[:1].swapcase() + text[1:]
        return Text(changed, value.places) if len(changed) == len(text) else value
    if sign in ("/", "//"):
        old, _, new = argument.partition("/")
        replaced = text.replace(old, new, -1 if sign == "//" else 1) if old and not re.search(r"[*?\[]", old) else text
        return place_at(replaced, value)
    start, _, length = argument.partition(":")
    first, size = compute(start), compute(length) if length else None
    if first is None:
        return value
    first = first if first >= 0 else max(len(text) + first, 0)
    return value[first : first + size] if size is not None and size >= 0 else value[first:]


def _strip(value: Text, sign: str, pattern: str) -> Text:
    """The value without the shortest or longest beginning or end that matches a pattern."""
    if len(pattern) > 100 or pattern.count("*") > 5 or len(value.chars) > LONGEST:
        return value
    rule = re.compile("".join(".*" if one == "*" else "." if one == "?" else re.escape(one) for one in pattern), re.S)
    ends = range(len(value.chars) + 1)
    if sign[0] == "#":
        order = ends if sign == "#" else reversed(ends)
        return next((value[end:] for end in order if rule.fullmatch(value.chars[:end])), value)
    order = reversed(ends) if sign == "%" else ends
    return next((value[:start] for start in order if rule.fullmatch(value.chars[start:])), value)
