"""Shows the progress of long work on a terminal."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

from dsgen.cli._printed import stderr_is_terminal, write_error

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    _Item = TypeVar("_Item")

PATIENCE_SECONDS = 1.0
"""Seconds before the progress is shown."""
EVERY_SECONDS = 0.1


def counted(doing: str, items: Iterable[_Item], total: int) -> Iterator[_Item]:
    """The items, with a progress line like `checked 12 of 1000` that is removed at the end."""
    if not stderr_is_terminal():
        yield from items
        return
    next_time, line = time.monotonic() + PATIENCE_SECONDS, ""
    try:
        for done, item in enumerate(items):
            if time.monotonic() > next_time:
                next_time = time.monotonic() + EVERY_SECONDS
                line = f"{doing} {done} of {total}"
                write_error(f"\r{line}")
            yield item
    finally:
        if line:
            write_error(f"\r{' ' * len(line)}\r")
