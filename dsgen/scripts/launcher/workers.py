"""Access to the workers over ssh: a cheap probe of their sshd, and commands over ssh and pdsh."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator

from shared.output import Output

PROBES_AT_ONCE = 128
PROBE_SECONDS = 5
FIRST_RETRY_SECONDS, LAST_RETRY_SECONDS = 0.1, 0.5  # between two probes of a worker
PROBES_A_SECOND = 250  # of all workers, while they are waited for
TICK_SECONDS = 0.5  # between looks at what may end the wait
POLL_SECONDS = 0.05  # between looks at pdsh, the clock and what may end it
CONNECT_SECONDS = 5
COMMAND_SECONDS = 20
LOGINS_AT_ONCE = 128
LOGINS_A_SECOND = 20  # a low estimate for one launcher
TOUCH_CONTACT = "touch /run/dsgen/contact"


def missing(names: list[str], port: int, keep_waiting: Callable[[], bool]) -> list[str]:
    """Wait until the sshd of every worker has sent its banner, or `keep_waiting` is false; returns the missing workers.

    An exception of `keep_waiting` also ends the wait.
    """
    # Not asyncio.run, which would wait for hanging name lookups.
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(_missing(names, port, keep_waiting))
    finally:
        loop.close()


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
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)


async def _until_banner(name: str, port: int, gate: asyncio.Semaphore, longest: float) -> None:
    delay = FIRST_RETRY_SECONDS
    while True:
        async with gate:
            attempt = asyncio.ensure_future(_has_banner(name, port))
            await asyncio.wait([attempt], timeout=PROBE_SECONDS)
            if attempt.done() and attempt.result():
                return
            attempt.cancel()
        await asyncio.sleep(delay)
        delay = min(delay * 1.5, longest)


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


class Workers:
    """All workers of the run. Helper processes have their own groups, and end with the call that starts them."""

    def __init__(self, names: list[str], port: int, orphan_seconds: float) -> None:
        self.names = names
        self.chosen = names  # those that train, in rank order; a network check may exclude some
        self.port = port
        self.children: set[int] = set()  # process ids that the reaper leaves alone
        self.contact_every = orphan_seconds / 4
        self.contacted_at = time.monotonic()
        self.contact: subprocess.Popen[bytes] | None = None

    def missing(self, keep_waiting: Callable[[], bool]) -> list[str]:
        """The chosen workers that do not answer until `keep_waiting` is false."""
        return missing(self.chosen, self.port, keep_waiting)

    def refusals(self, names: list[str], wait: Callable[[], object]) -> dict[str, str]:
        """Log in to each of them, to check key, host key and session wrapper; failed workers with their messages.

        `wait` is called repeatedly, and may raise to end the logins.
        """
        if not names:
            return {}
        heard = Output(names, pdsh=True)
        words: dict[str, str] = {}
        seconds = COMMAND_SECONDS + len(names) // LOGINS_A_SECOND
        for line in self.listen(names, "true", seconds, wait, LOGINS_AT_ONCE).splitlines(keepends=True):
            heard.process_line(line)
            label, _, said = line.decode(errors="replace").strip().partition(": ")
            words.setdefault(label.partition(".")[0], said)
        ended = heard.ssh_ended.items()
        return {name: words.get(name.partition(".")[0], f"ssh exit code {code}") for name, code in ended}

    def everywhere(self, command: str, seconds: float, until: Callable[[], bool] = lambda: False) -> None:
        """Run `command` on all workers, for at most so many seconds or until `until`. pdsh expands a `%` in it."""
        deadline = time.monotonic() + seconds
        with self._child(self._pdsh(command), errors=subprocess.DEVNULL) as process:
            while process.poll() is None and time.monotonic() < deadline and not until():
                time.sleep(POLL_SECONDS)

    def listen(
        self,
        names: list[str],
        command: str,
        seconds: float,
        wait: Callable[[], object],
        at_once: int = 0,
        hear: Callable[[bytes], object] = lambda _: None,
    ) -> bytes:
        """The standard error of `command` on these workers, at most `at_once` at a time, and the messages of pdsh.

        For at most so many seconds; `wait` is called repeatedly, and may raise to end the command; `hear` then gets
        what was read so far.
        """
        deadline, said = time.monotonic() + seconds, b""
        bounds = ["-R", "ssh", "-f", str(at_once or len(names)), "-t", str(CONNECT_SECONDS)]
        argv = ["pdsh", *bounds, "-w", ",".join(names), command]
        with self._child(argv, errors=subprocess.PIPE) as process:
            assert process.stderr is not None
            os.set_blocking(process.stderr.fileno(), False)
            while process.poll() is None and time.monotonic() < deadline:
                wait()
                said += process.stderr.read() or b""
                hear(said)
                time.sleep(POLL_SECONDS)
            return said + (process.stderr.read() or b"")

    def met(self) -> set[str]:
        """The chosen workers whose sessions connected with others; names without their domain."""
        token = os.urandom(8).hex()
        said = self.listen(self.chosen, ask_meeting(token), COMMAND_SECONDS, lambda: None).decode(errors="replace")
        return {line.partition(":")[0].partition(".")[0] for line in said.splitlines() if line.endswith(f": {token}")}

    def keep_contact(self) -> None:
        """Regularly reset the orphan timeout of waiting workers, in the background."""
        if self.contact and self.contact.poll() is not None:
            self.children.discard(self.contact.pid)
            self.contact = None
        if self.contact is None and time.monotonic() - self.contacted_at >= self.contact_every:
            self.contacted_at = time.monotonic()
            self.contact = self._start(self._pdsh(TOUCH_CONTACT), errors=subprocess.DEVNULL)

    def _pdsh(self, command: str) -> list[str]:
        bounds = ["-R", "ssh", "-f", "256", "-t", str(CONNECT_SECONDS), "-u", str(COMMAND_SECONDS)]
        return ["pdsh", *bounds, "-w", ",".join(self.names), command]

    def _start(self, argv: list[str], errors: int) -> subprocess.Popen[bytes]:
        null = subprocess.DEVNULL
        process = subprocess.Popen(argv, stdin=null, stdout=null, stderr=errors, start_new_session=True)
        self.children.add(process.pid)
        return process

    @contextlib.contextmanager
    def _child(self, argv: list[str], errors: int) -> Iterator[subprocess.Popen[bytes]]:
        with self._start(argv, errors) as process:
            try:
                yield process
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                self.children.discard(process.pid)

    def reap(self) -> None:
        """Reap orphans that process 1 has inherited, but not the launcher's own children, for which others wait."""
        while True:
            try:
                child = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return
            if child is None or child.si_pid in self.children:
                return
            os.waitpid(child.si_pid, 0)


def forget_meeting() -> str:
    """The command that resets the evidence of a worker that its processes connected with others."""
    return "rm -f $DSGEN_ROOT/run/dsgen/met"


def ask_meeting(token: str) -> str:
    """The command with which a worker prints the token if its processes have connected with others."""
    return f"test ! -e $DSGEN_ROOT/run/dsgen/met || echo {token} >&2"


def announce_end(phase: str) -> str:
    """The command that announces the end of the run to a worker. The file is created atomically."""
    return f"echo {phase} >/run/dsgen/over.new && mv /run/dsgen/over.new /run/dsgen/over"


def signal_ranks(name: str) -> str:
    """The command that sends TERM, KILL or STACKS to the ranks of a worker."""
    return f"python3 -ESs /etc/dsgen/worker/end_ranks.py {name}"
