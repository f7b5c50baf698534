"""Announces the end of the run to the workers with ssh, see shared/announcement.py."""

from __future__ import annotations

import asyncio
import contextlib

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
    told: set[str] = set()
    tasks = [asyncio.ensure_future(_tell(name, port, key, phase, gate, told)) for name in names]
    _, left = await asyncio.wait(tasks, timeout=ALL_SECONDS)
    await event_loop.cancel(left)
    return [name for name in names if name not in told]


async def _tell(name: str, port: int, key: bytes, phase: str, gate: asyncio.Semaphore, told: set[str]) -> None:
    async with gate:
        with contextlib.suppress(OSError, EOFError, asyncio.TimeoutError):
            await asyncio.wait_for(_answer(name, port, key, phase), SECONDS)
            told.add(name)


async def _answer(name: str, port: int, key: bytes, phase: str) -> None:
    reader, writer = await asyncio.open_connection(name, port)
    try:
        challenge = await reader.readexactly(announcement.CHALLENGE_BYTES)
        writer.write(announcement.answer(key, challenge, phase))
        await reader.read()  # the worker closes the connection when it has read the answer
    finally:
        writer.close()
