"""A cheap probe of the workers' sshd: whether it sends its banner."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from launcher import event_loop
from shared import backoff

PROBES_AT_ONCE = 128
PROBE_SECONDS = 5
FIRST_RETRY_SECONDS, LAST_RETRY_SECONDS = 0.1, 0.5  # between two probes of a worker
PROBES_A_SECOND = 250  # of all workers, while they are waited for
TICK_SECONDS = 0.5  # between looks at what may end the wait


def missing(names: list[str], port: int, keep_waiting: Callable[[], bool]) -> list[str]:
    """Wait until the sshd of every worker has sent its banner, or `keep_waiting` is false; returns the missing workers.

    An exception of `keep_waiting` also ends the wait.
    """
    return event_loop.run(_missing(names, port, keep_waiting))


async def _missing(names: list[str], port: int, keep_waiting: Callable[[], bool]) -> list[str]:
    gate = asyncio.Semaphore(PROBES_AT_ONCE)
    longest = max(LAST_RETRY_SECONDS, len(names) / PROBES_A_SECOND)
    tasks = {name: asyncio.ensure_future(_until_banner(name, port, gate, longest)) for name in names}
    try:
        while True:
            _, waiting = await asyncio.wait(list(tasks.values()), timeout=TICK_SECONDS)
            if not waiting or not keep_waiting():
                return [name for name, task in tasks.items() if not task.done()]
    finally:
        await event_loop.cancel(asyncio.all_tasks() - {asyncio.current_task()})


async def _until_banner(name: str, port: int, gate: asyncio.Semaphore, longest: float) -> None:
    delay = 0.0
    while True:
        async with gate:
            attempt = asyncio.ensure_future(_has_banner(name, port))
            await asyncio.wait([attempt], timeout=PROBE_SECONDS)
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
