"""Announces the end of the run to the workers with ssh, see shared/announcement.py."""

from __future__ import annotations

import asyncio

from launcher import event_loop
from shared import announcement

AT_ONCE = 128
SECONDS = 5  # for one worker
ALL_SECONDS = 20


def announce(names: list[str], port: int, key: bytes, phase: str) -> list[str]:
    """Tell each worker that can be reached. Returns the others, which read the record."""
    return event_loop.run(_announce(names, port, key, phase))


async def _announce(names: list[str], port: int, key: bytes, phase: str) -> list[str]:
    gate = asyncio.Semaphore(AT_ONCE)
    tasks = {name: asyncio.ensure_future(_tell(name, port, key, phase, gate)) for name in names}
    done, left = await asyncio.wait(tasks.values(), timeout=ALL_SECONDS)
    await event_loop.cancel(left)
    return [name for name, task in tasks.items() if task not in done or task.exception()]


async def _tell(name: str, port: int, key: bytes, phase: str, gate: asyncio.Semaphore) -> None:
    async with gate:
        await asyncio.wait_for(_answer(name, port, key, phase), SECONDS)


async def _answer(name: str, port: int, key: bytes, phase: str) -> None:
    reader, writer = await asyncio.open_connection(name, port)
    try:
        challenge = await reader.readexactly(announcement.CHALLENGE_BYTES)
        writer.write(announcement.answer(key, challenge, phase))
        await reader.read()  # the worker closes the connection when it has read the answer
    finally:
        writer.close()
