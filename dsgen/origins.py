"""Merged values as YAML, each key with the place that set it.

The reader makes the same values of it again: what has one obvious reading stands as it is, everything else in quotes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from dsgen.language.text import quote
from dsgen.problems.diagnostics import Path, visible
from dsgen.reading.scalars import resolve
from dsgen.values import Job

DEFAULT = "default"
STEP = "  "

Origin = Callable[[Path], str]

_WORD = r"[A-Za-z0-9_./@=+,-]+(:[A-Za-z0-9_./@=+,-]+)*"
_PLAIN = re.compile(rf"(?=[A-Za-z/_]){_WORD}( {_WORD})*")


def as_yaml(job: Job) -> str:
    """The values of a job without errors; a comment behind each key says what set it."""

    def origin(path: Path) -> str:
        node, found = job.root.find(path)
        place = node.key or node.position
        if len(found) < len(path):
            return DEFAULT
        return place.file if place.file.startswith("-") else f"{visible(place.file)}:{place.line}"

    return "".join(f"{line}\n" for line in _map(job.data, (), "", origin))


def _map(data: Mapping[str, Any], path: Path, margin: str, origin: Origin) -> Iterator[str]:
    for key, value in data.items():
        first, *rest = _value(value, (*path, key), margin, origin)
        yield f"{margin}{_text(key)}:{first} # {origin((*path, key))}"
        yield from rest


def _value(value: Any, path: Path, margin: str, origin: Origin) -> Iterator[str]:
    """What stands behind the colon, then the lines below."""
    if isinstance(value, dict) and value:
        yield ""
        yield from _map(value, path, margin + STEP, origin)
    elif isinstance(value, list) and value:
        yield ""
        for index, item in enumerate(value):
            yield from _item(item, (*path, index), margin + STEP, origin)
    elif isinstance(value, str) and _is_block(value):
        yield " |" if value.endswith("\n") else " |-"
        yield from (f"{margin}{STEP}{line}".rstrip() for line in value.removesuffix("\n").split("\n"))
    else:
        yield f" {_scalar(value)}"


def _item(item: Any, path: Path, margin: str, origin: Origin) -> Iterator[str]:
    """A list item; of a map or a list the first line stands behind the dash."""
    first, *rest = _value(item, path, margin, origin)
    if not first:
        first, *rest = rest
        first = " " + first.removeprefix(margin + STEP)
    yield f"{margin}-{first}"
    yield from rest


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, float):
        return repr(value)  # always with a point or an exponent, so that large numbers are no integers
    return json.dumps(value)


def _text(text: str) -> str:
    return text if _PLAIN.fullmatch(text) and resolve(text) == text else quote(text)


def _is_block(text: str) -> bool:
    """Whether it can stand below `|` and be read as it is: plain lines, no blanks around them, one newline at most."""
    lines = text.removesuffix("\n").split("\n")
    return (
        len(lines) > 1
        and all(line.isprintable() and line == line.rstrip() for line in lines)
        and not lines[0].startswith(" ")
        and bool(lines[0] and lines[-1])
    )
