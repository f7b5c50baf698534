"""The workers as the launcher reaches them: a cheap probe of their sshd, and commands over ssh and pdsh."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

PROBES_AT_ONCE = 128
PROBE_SECONDS = 5
TICK_SECONDS = 0.5
CONNECT_SECONDS = 5
COMMAND_SECONDS = 20


def hosts(hostfile: Path) -> list[str]:
    """Names of the workers in rank order. OSError without the file: deepspeed would train in the launcher's own pod."""
    return [line.split()[0] for line in hostfile.read_text(encoding="utf-8").splitlines() if line.strip()]


def missing(names: list[str], port: int, go_on: Callable[[], bool]) -> list[str]:
    """Wait until every worker's sshd has sent its banner; those that had not when `go_on` said False.

    What `go_on` raises ends the wait, too.
    """
    # Not asyncio.run: it would wait for name lookups that hang.
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(_missing(names, port, go_on))
    finally:
        loop.close()


async def _missing(names: list[str], port: int, go_on: Callable[[], bool]) -> list[str]:
    gate = asyncio.Semaphore(PROBES_AT_ONCE)
    tasks = {name: asyncio.ensure_future(_until_banner(name, port, gate)) for name in names}
    try:
        while True:
            _, waiting = await asyncio.wait(list(tasks.values()), timeout=TICK_SECONDS)
            if not waiting or not go_on():
                return [name for name, task in tasks.items() if not task.done()]
    finally:
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)


async def _until_banner(name: str, port: int, gate: asyncio.Semaphore) -> None:
    delay = 0.2
    while True:
        async with gate:
            attempt = asyncio.ensure_future(_has_banner(name, port))
            await asyncio.wait([attempt], timeout=PROBE_SECONDS)
            if attempt.done() and attempt.result():
                return
            attempt.cancel()
        await asyncio.sleep(delay)
        delay = min(delay * 2, 3)


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


def login(name: str) -> subprocess.Popen[bytes]:
    """One real login: proves that keys, host key and session wrapper are right."""
    return _quiet(["ssh", "-n", name, "true"], dict(os.environ), errors=subprocess.PIPE)


def everywhere(names: list[str], command: str) -> subprocess.Popen[bytes]:
    """Run `command` on all workers at once, each bounded in time. It must hold no `%`, which pdsh would expand."""
    argv = ["pdsh", "-f", "256", "-t", str(CONNECT_SECONDS), "-u", str(COMMAND_SECONDS), "-w", ",".join(names), command]
    return _quiet(argv, dict(os.environ, PDSH_RCMD_TYPE="ssh"), errors=subprocess.DEVNULL)


def say_over(phase: str) -> str:
    """The command that tells a worker that the run is over. The file appears with its text in it."""
    return f"echo {phase} >/run/dsgen/over.new && mv /run/dsgen/over.new /run/dsgen/over"


def signal_ranks(name: str) -> str:
    """The command that sends TERM or KILL to what is left of the training on a worker."""
    return f"python3 -ESs /etc/dsgen/endranks.py {name}"


def end(process: subprocess.Popen[bytes]) -> None:
    """End a helper process and what it has started (each has a process group of its own)."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, 9)
    process.wait()


def _quiet(argv: list[str], environment: dict[str, str], errors: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        argv,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        start_new_session=True,
    )
