"""Processes many jobs, in two processes if there are two processors (dsgen/cli/_second.py)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Sequence

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
    return _ended_after_errors(_shared(work, items) if _is_shared(items) else map(work, items))


def in_turns(
    make: Callable[[_Item], _Result], use: Callable[[_Result], object], items: Sequence[_Item]
) -> Generator[object]:
    """Calls `use(make(item))` for all items, and yields after each; `use` is called in order.

    Each process uses the results of its own items, so that large results are not sent.
    """
    whole = (use(make(item)) for item in items)
    return _ended_after_errors(_taking_turns(make, use, items) if _is_shared(items) else whole)


def _is_shared(items: Sequence[_Item]) -> bool:
    return len(items) >= FEWEST and _processors() >= 2


def _ended_after_errors(results: Iterable[_Result]) -> Generator[_Result]:
    """The results; if one of them is an exception, the second process ends."""
    try:
        yield from results
    except BaseException:
        end()
        raise


def _shared(work: Callable[[_Item], _Result], items: Sequence[_Item]) -> Generator[_Result]:
    second = _started(items)
    second.give(work, items[1::2])
    for number, item in enumerate(items):
        yield second.take() if number % 2 else work(item)


def _taking_turns(
    make: Callable[[_Item], _Result], use: Callable[[_Result], object], items: Sequence[_Item]
) -> Generator[object]:
    second = _started(items)
    second.give(make, items[1::2], use)
    made = make(items[0])
    for number in range(0, len(items), 2):
        yield use(made)
        if number + 1 < len(items):
            second.let_use()
            if number + 2 < len(items):
                made = make(items[number + 2])
            yield second.take()


def _started(items: Sequence[_Item]) -> Second:
    """The second process; it is started once."""
    global _second
    if not _second:
        from dsgen.cli._second import Second  # imported late: few calls need it

        _second = Second(items)
    return _second


def end() -> None:
    """End the second process, if there is one."""
    global _second
    if _second:
        second, _second = _second, None
        second.end()


def _processors() -> int:
    """The number of processors for this process; 1 if it is unknown, or if the system cannot fork."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") and hasattr(os, "fork") else 1
