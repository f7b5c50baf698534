"""Says how far the work is when it takes long, on a terminal only."""

from __future__ import annotations

import time

from dsgen.cli._printed import tell, told_on_terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeVar

    _Item = TypeVar("_Item")

PATIENCE_SECONDS = 1.0
"""Work that is done sooner says nothing."""
EVERY_SECONDS = 0.1


def counted(doing: str, items: Iterable[_Item], total: int) -> Iterator[_Item]:
    """The items one by one, with a line like `checked 12 of 1000` that goes away at the end."""
    if not told_on_terminal():
        yield from items
        return
    next_time, line = time.monotonic() + PATIENCE_SECONDS, ""
    try:
        for done, item in enumerate(items):
            if time.monotonic() > next_time:
                next_time = time.monotonic() + EVERY_SECONDS
                line = f"{doing} {done} of {total}"
                tell(f"\r{line}")
            yield item
    finally:
        if line:
            tell(f"\r{' ' * len(line)}\r")
