"""Work on many jobs, in two processes where there are two processors.

The second process is a fork of the first one: what was read and imported before is there in both. It does every second
job and sends back what comes of it. So results have to be small, and the order of the jobs is kept.
"""

from __future__ import annotations

import gc
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
    """What the function returns for each item. An exception of one ends all, after the results of those before it."""
    if len(items) < FEWEST:
        yield from map(work, items)
        return
    gc.disable()  # what is read is kept, and to search it for garbage again and again takes an eighth of the time
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
    finally:  # the pipe is closed, so the other process ends
        os.waitpid(child, 0)


def _enlarge(pipe: int) -> None:
    """Where the system can."""
    try:
        import fcntl

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    except (ImportError, AttributeError, OSError):
        return


def _processors() -> int:
    """How many this process may use; 1 where it is not known, or a process cannot be forked."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") and hasattr(os, "fork") else 1


def _send(work: Callable[[_Item], _Result], items: Sequence[_Item], sending: int) -> None:
    """The whole life of the second process."""
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
    finally:  # also where an exception is on its way, such as that of a closed pipe
        os._exit(0)  # not what the first process does when it ends


def _received(results: BinaryIO) -> Any:
    import pickle

    try:
        result, error = pickle.load(results)
    except EOFError:
        raise DsgenError(
            "the second process of dsgen was ended by something else: is there too little memory?"
        ) from None
    if error:
        raise error
    return result
