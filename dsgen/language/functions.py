"""The Python functions that templates may call; those for text are in dsgen/language/text.py.

Generated code imports these functions, so this module is cheap to import.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn

from dsgen.errors import DsgenError


class TemplateError(DsgenError):
    """A template called `fail`; the message is for the user."""


def overlay(*maps: Mapping[str, Any]) -> dict[str, Any]:
    """The maps merged: later maps take precedence, lists and scalars are replaced; no argument is changed."""
    merged: dict[str, Any] = {}
    for layer in maps:
        for key, value in layer.items():
            both = isinstance(value, dict) and isinstance(merged.get(key), dict)
            merged[key] = overlay(merged[key], value) if both else value
    return merged


def get(tree: Mapping[str, Any], *path: Any) -> Any:
    """`get(tree, key, ..., default)`: the value at the end of the keys, or the default if one of them is absent."""
    *keys, default = path
    value: Any = tree
    for key in keys:
        if key not in value:
            return default
        value = value[key]
    return value


def fail(message: str) -> NoReturn:
    """Ends rendering with this message."""
    raise TemplateError(message)


def items(tree: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Keys and values, sorted by code point, as in Go's `range`."""
    return sorted(tree.items())


def matching(text: str, pattern: str) -> bool:
    """Whether the whole text matches `^...$`; patterns use the ASCII subset that Python and RE2 share."""
    if pattern not in _FULLMATCH:
        _FULLMATCH[pattern] = re.compile(pattern).fullmatch
    return _FULLMATCH[pattern](text) is not None


def starting(text: str, beginning: str) -> bool:
    """Whether a text begins with another one."""
    return text.startswith(beginning)


def whole_bytes(quantity: str) -> str:
    """A quantity such as 1.5Gi in whole bytes, rounded down, at most 2^53; 0 for a text without a number."""
    from dsgen.reading.quantities import parse_whole  # imported late: only some values need it

    try:
        return str(min(parse_whole(quantity), 2**53))
    except ValueError:
        return "0"


_FULLMATCH: dict[str, Callable[[str], object]] = {}
"""The compiled patterns."""


def replace(text: str, old: str, new: str) -> str:
    """The text with every `old` replaced by `new`."""
    return text.replace(old, new)


def join(texts: Iterable[str], separator: str) -> str:
    """The texts joined with the separator."""
    return separator.join(texts)


def join_blocks(blocks: Iterable[Any]) -> str:
    """The blocks that are not empty, below each other."""
    return "\n".join(block for block in blocks if block)


def basename(path: str) -> str:
    """The last part of a path."""
    return path.rpartition("/")[2]


def count_to(end: int) -> range:
    """The integers from 0 to `end` - 1."""
    return range(int(end))


def is_none(value: Any) -> bool:
    """Whether there is no value."""
    return value is None


def is_string(value: Any) -> bool:
    """Whether the value is a text."""
    return isinstance(value, str)


def is_mapping(value: Any) -> bool:
    """Whether the value is a map."""
    return isinstance(value, dict)
