"""The second process, which works on every second job.

It is a fork, so it has what was read and imported before. It gets functions with their items through one pipe, and
returns results through another one. An item that both processes have is sent as its number: each process keeps the
loaded jobs of its own items, and no job is sent. Results should be small.
"""

import fcntl
import os
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, NoReturn, TypeVar

from dsgen.errors import DsgenError

_Item = TypeVar("_Item")
PIPE_BYTES = 1 << 20
"""The largest size of a pipe that Linux allows a user. With the usual 64 KiB, each job makes a process wait."""


class Second:
    """The second process. items: what both processes have from the start."""

    def __init__(self, items: Sequence[Any]) -> None:
        self._items = [*items]
        self._numbers = {id(item): number for number, item in enumerate(self._items)}
        reading, sending = os.pipe()
        receiving, writing = os.pipe()
        with suppress(AttributeError, OSError):  # it is only faster, and not every system has it
            fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        self._process = os.fork()
        if not self._process:
            os.close(sending)
            os.close(receiving)
            self._serve(reading, writing)
        os.close(reading)
        os.close(writing)
        self._orders, self._results = open(sending, "wb"), open(receiving, "rb")  # noqa: PTH123, SIM115 - pipes

    def give(
        self, work: Callable[[_Item], Any], items: Sequence[_Item], use: Callable[[Any], object] | None = None
    ) -> None:
        """Make the process run the function for these items. use: what it does with each result when it may."""
        with _named():
            _Pickler(self._orders, self._numbers).dump((work, use, [*items]))
            self._orders.flush()

    def let_use(self) -> None:
        """Let the process use its next result."""
        with _named():
            self._orders.write(b".")
            self._orders.flush()

    def take(self) -> Any:
        """The next result; raises the exception of its item."""
        with _named():
            result, error = pickle.load(self._results)
        if error:
            raise error
        return result

    def end(self) -> None:
        """End the process: it finishes its present item and finds the pipes closed."""
        self._results.close()
        with suppress(BrokenPipeError):  # it was killed
            self._orders.close()
        os.waitpid(self._process, 0)

    def _serve(self, reading: int, writing: int) -> NoReturn:
        """Run the second process."""
        try:
            with open(reading, "rb") as orders, open(writing, "wb") as results:
                while True:
                    work, use, items = _Unpickler(orders, self._items).load()
                    for item in items:
                        try:
                            result = work(item)
                            if use:
                                _wait_for_turn(orders)
                                result = use(result)
                            answer: tuple[Any, BaseException | None] = result, None
                        except (Exception, SystemExit) as error:  # the first process raises it
                            answer = None, error
                        pickle.dump(answer, results, pickle.HIGHEST_PROTOCOL)
                        results.flush()
        finally:  # also after an exception: the first process has ended, or has closed the pipes
            os._exit(0)  # skips the exit handlers of the first process


def _wait_for_turn(orders: BinaryIO) -> None:
    if not orders.read(1):
        raise EOFError  # the first process has ended


class _Pickler(pickle.Pickler):
    def __init__(self, file: BinaryIO, numbers: Mapping[int, int]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._numbers = numbers

    def persistent_id(self, item: object) -> int | None:
        """The number of an item that both processes have."""
        return self._numbers.get(id(item))


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: BinaryIO, items: Sequence[Any]) -> None:
        super().__init__(file)
        self._items = items

    def persistent_load(self, number: int) -> Any:
        """The item with this number."""
        return self._items[number]


@contextmanager
def _named() -> Iterator[None]:
    """Raises DsgenError if the pipe ends, also in the middle of a result."""
    try:
        yield
    except (BrokenPipeError, EOFError, pickle.UnpicklingError):
        raise DsgenError("the second process of dsgen was killed: is there too little memory?") from None
