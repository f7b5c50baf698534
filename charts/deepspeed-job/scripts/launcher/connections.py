"""Connects to the workers with ssh, to all at once: to see whether sshd answers, and to announce the end of the run.

Nothing here waits for the threads of name lookups, which may hang for minutes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from typing import Any

from shared import backoff, control

AT_ONCE = 128
SECONDS = 5  # for one worker
FIRST_RETRY_SECONDS, LAST_RETRY_SECONDS = 0.1, 0.5  # between two probes of a worker
PROBES_A_SECOND = 250  # of all workers, while they are waited for
TICK_SECONDS = 0.5  # between looks at what may end the wait
ANNOUNCE_SECONDS = 20  # for all workers


def find_missing(names: list[str], port: int, keep_waiting: Callable[[], bool]) -> list[str]:
    """Wait until the sshd of every worker has sent its banner, or `keep_waiting` is false; returns the missing workers.

    An exception of `keep_waiting` also ends the wait.
    """
    return _run(_find_missing(names, port, keep_waiting))


async def _find_missing(names: list[str], port: int, keep_waiting: Callable[[], bool]) -> list[str]:
    gate = asyncio.Semaphore(AT_ONCE)
    longest = max(LAST_RETRY_SECONDS, len(names) / PROBES_A_SECOND)
    tasks = {name: asyncio.ensure_future(_wait_for_banner(name, port, gate, longest)) for name in names}
    try:
        while True:
            _, waiting = await asyncio.wait(list(tasks.values()), timeout=TICK_SECONDS)
            if not waiting or not keep_waiting():
                return [name for name, task in tasks.items() if not task.done()]
    finally:
        await _cancel(asyncio.all_tasks() - {asyncio.current_task()})


async def _wait_for_banner(name: str, port: int, gate: asyncio.Semaphore, longest: float) -> None:
    delay = 0.0
    while True:
        async with gate:
            attempt = asyncio.ensure_future(_has_banner(name, port))
            await asyncio.wait([attempt], timeout=SECONDS)
            if attempt.done() and attempt.result():
                return
            attempt.cancel()
        delay = backoff.lengthen(delay, FIRST_RETRY_SECONDS, longest)
        await asyncio.sleep(delay)


async def _has_banner(name: str, port: int) -> bool:
    try:
        reader, writer = await asyncio.open_connection(name, port)
    except OSError:
        return False
    try:
        return (await reader.readline()).startswith(b"SSH-")
    except (OSError, ValueError):
        return False
    finally:
        writer.close()


def announce(names: list[str], port: int, key: bytes, phase: str) -> list[str]:
    """Tell each worker that can be reached how the run has ended, as shared/control.py says.

    Returns the others, which read the record.
    """
    return _run(_announce(names, port, key, phase))


async def _announce(names: list[str], port: int, key: bytes, phase: str) -> list[str]:
    gate = asyncio.Semaphore(AT_ONCE)
    tasks = {name: asyncio.ensure_future(_tell(name, port, key, phase, gate)) for name in names}
    done, left = await asyncio.wait(tasks.values(), timeout=ANNOUNCE_SECONDS)
    await _cancel(left)
    return [name for name, task in tasks.items() if task not in done or task.exception()]


async def _tell(name: str, port: int, key: bytes, phase: str, gate: asyncio.Semaphore) -> None:
    async with gate:
        await asyncio.wait_for(_answer(name, port, key, phase), SECONDS)


async def _answer(name: str, port: int, key: bytes, phase: str) -> None:
    reader, writer = await asyncio.open_connection(name, port)
    try:
        challenge = await reader.readexactly(control.CHALLENGE_BYTES)
        writer.write(control.make_answer(key, challenge, phase))
        await reader.read()  # the worker closes the connection when it has read the answer
    finally:
        writer.close()


def _run(main: Coroutine[Any, Any, list[str]]) -> list[str]:
    """The result of a coroutine. Unlike asyncio.run, it does not wait for threads."""
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(main)
    finally:
        loop.close()


async def _cancel(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel tasks, and wait until they have ended."""
    left = list(tasks)
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
