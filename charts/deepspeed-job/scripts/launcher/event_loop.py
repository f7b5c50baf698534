"""Runs coroutines of the launcher, without waiting for the threads of name lookups, which may hang for minutes."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any


def run(main: Coroutine[Any, Any, list[str]]) -> list[str]:
    """The result of a coroutine. Unlike asyncio.run, it does not wait for threads."""
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(main)
    finally:
        loop.close()


async def cancel(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel tasks, and wait until they have ended."""
    left = list(tasks)
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
