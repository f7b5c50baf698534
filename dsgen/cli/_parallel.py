"""Processes many jobs, in two processes if there are two processors (dsgen/cli/_second.py)."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from typing import TypeVar

    from dsgen.cli._second import Second

    _Item = TypeVar("_Item")
    _Result = TypeVar("_Result")

FEWEST = 32
"""For fewer jobs, the start of a second process takes longer than it saves."""

_second: Second | None = None


def in_order(work: Callable[[_Item], _Result], items: Sequence[_Item]) -> Generator[_Result]:
    """The results of the function for all items, in order. An exception is raised after the results before it.

    The second process runs the function for every second item. The first call starts it, so it has these items; what
    it keeps in one of them is there in the next call.
    """
    if len(items) < FEWEST:
        yield from map(work, items)
        return
    try:
        yield from map(work, items) if _processors() < 2 else _shared(work, items)
    except BaseException:
        end()
        raise


def _shared(work: Callable[[_Item], _Result], items: Sequence[_Item]) -> Generator[_Result]:
    global _second
    if not _second:
        from dsgen.cli._second import Second  # imported late: few calls need it

        _second = Second(items)
    _second.give(work, items[1::2])
    for number, item in enumerate(items):
        yield _second.take() if number % 2 else work(item)


def end() -> None:
    """End the second process, if there is one."""
    global _second
    if _second:
        second, _second = _second, None
        second.end()


def _processors() -> int:
    """The number of processors for this process; 1 if it is unknown, or if the system cannot fork."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") and hasattr(os, "fork") else 1
