"""Processes many jobs, in two processes if there are two processors.

The second process is a fork, so it shares what was read and imported before. It processes every second job and sends
the results back through a pipe, so results must be small. The order of the jobs is kept.
"""

from __future__ import annotations

import os

from dsgen.errors import DsgenError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from typing import Any, BinaryIO, TypeVar

    _Item = TypeVar("_Item")
    _Result = TypeVar("_Result")

FEWEST = 32
"""For fewer jobs, the start of a second process takes longer than it saves."""
PIPE_BYTES = 1 << 20
"""The most that Linux gives a user. With its usual 64 KiB, the processes wait for each other at every job."""


def in_order(work: Callable[[_Item], _Result], items: Sequence[_Item]) -> Generator[_Result]:
    """The results of the function for all items, in order. An exception is raised after the results before it."""
    if len(items) < FEWEST:
        yield from map(work, items)
        return
    import gc  # imported late: few jobs need it

    gc.disable()  # the data is kept, so collections free nothing, but take an eighth of the time
    try:
        yield from map(work, items) if _processors() < 2 else _shared(work, items)
    finally:
        gc.enable()


def _shared(work: Callable[[_Item], _Result], items: Sequence[_Item]) -> Generator[_Result]:
    receiving, sending = os.pipe()
    _enlarge(sending)
    child = os.fork()
    if not child:
        os.close(receiving)
        _send(work, items[1::2], sending)
    os.close(sending)
    try:
        with open(receiving, "rb") as results:  # noqa: PTH123 - a pipe
            for number, item in enumerate(items):
                yield _received(results) if number % 2 else work(item)
    finally:  # the pipe is closed here, so the other process ends
        os.waitpid(child, 0)


def _enlarge(pipe: int) -> None:
    """Enlarge the buffer of the pipe, if the system supports it."""
    try:
        import fcntl

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    except (ImportError, AttributeError, OSError):
        return


def _processors() -> int:
    """The number of processors for this process; 1 if it is unknown, or if the system cannot fork."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") and hasattr(os, "fork") else 1


def _send(work: Callable[[_Item], _Result], items: Sequence[_Item], sending: int) -> None:
    """Run the second process and end it."""
    import pickle

    try:
        with open(sending, "wb") as results:
            for item in items:
                try:
                    answer: tuple[object, Exception | None] = work(item), None
                except Exception as error:  # the first process raises it
                    answer = None, error
                pickle.dump(answer, results, pickle.HIGHEST_PROTOCOL)
                results.flush()
    finally:  # also after an exception, such as that of a closed pipe
        os._exit(0)  # skips the exit handlers of the first process


def _received(results: BinaryIO) -> Any:
    import pickle

    try:
        result, error = pickle.load(results)
    except EOFError:
        raise DsgenError("the second process of dsgen was killed: is there too little memory?") from None
    if error:
        raise error
    return result
