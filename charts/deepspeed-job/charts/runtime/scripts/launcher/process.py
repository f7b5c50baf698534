"""The process that starts the ranks, and its output."""

from __future__ import annotations

import contextlib
import select
import subprocess
import sys
import threading
import time

from launcher.control import ControlServer
from shared import processes, reports
from shared.output import Output

LINE_BYTES = 1 << 16
DRAIN_SECONDS, IDLE_SECONDS, POLL_SECONDS = 60, 2, 0.1  # limits for reading output after the end
LOOK_SECONDS = 5  # between looks at the children, of which there is one for each worker


class WorkerProcesses:
    """The parts of all workers, as one process that ends when all of them have ended."""

    def __init__(self, control: ControlServer, attempt: int, output: Output) -> None:
        self.control, self.attempt, self.output = control, attempt, output

    def poll(self) -> int | None:
        """None while a part is running; then the first exit code that is not 0, or 0."""
        hosts = self.output.hosts
        for name in hosts:
            member = self.control.members[name]
            if self.attempt in member.lost or member.is_away():
                self.output.ssh_ended.setdefault(hosts[name], reports.LOST)
            elif member.attempt == self.attempt and member.code is not None:
                self.output.close(hosts[name], member.code)
        ended = {**self.output.ssh_ended, **self.output.closed}
        return None if len(ended) < len(hosts) else next((code for code in ended.values() if code), 0)

    def wait(self, seconds: float) -> None:
        """Wait until a worker has said something, for at most so many seconds."""
        self.control.wait(seconds)

    def kill(self) -> None:
        """Does nothing: the remaining workers have no connection."""

    def finish(self) -> None:
        """Does nothing: reports arrive before the end, on the same connection."""

    def has_unread_output(self) -> bool:
        return False

    def was_signalled(self) -> bool:
        return False

    def count_seconds_alone(self) -> float:
        return 0.0


class LaunchProcess:
    """A command in its own process group. Its output is written to the log line by line, and parsed by `output`."""

    def __init__(self, argv: list[str], env: dict[str, str], output: Output, children: set[int]) -> None:
        """`children`: process ids that the reaper leaves alone; this one is added while the process exists."""
        self.output, self.children = output, children
        self.process = subprocess.Popen(
            argv,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        children.add(self.process.pid)
        self._looked = self._alone_since = 0.0
        self._pump = threading.Thread(target=self._forward, daemon=True)
        self._pump.start()

    def poll(self) -> int | None:
        """The exit code, 128 + n after a signal; None while the process is running."""
        code = self.process.poll()
        return code if code is None or code >= 0 else 128 - code

    def wait(self, seconds: float) -> None:
        """Wait until the process has ended, for at most so many seconds."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)

    def was_signalled(self) -> bool:
        """Whether a signal ended the process itself."""
        return self.process.returncode < 0

    def count_seconds_alone(self) -> float:
        """For how long the processes that it has started have been gone; 0 while there is one."""
        now = time.monotonic()
        if now - self._looked >= LOOK_SECONDS:
            self._looked = now
            self._alone_since = 0.0 if processes.list_descendants(self.process.pid) else self._alone_since or now
        return now - self._alone_since if self._alone_since else 0.0

    def kill(self) -> None:
        """Kill the process group, which closes every ssh connection and so ends all sessions on the workers."""
        processes.kill_group(self.process.pid)
        self.process.wait()
        self.children.discard(self.process.pid)

    def finish(self) -> None:
        """Read the rest of the output. Another process that keeps the pipe open but is silent is ignored."""
        until = time.monotonic() + DRAIN_SECONDS
        while self._pump.is_alive() and time.monotonic() < until:
            if not self.has_unread_output():
                self._pump.join(IDLE_SECONDS)
                if not self.has_unread_output():
                    return
            self._pump.join(POLL_SECONDS)

    def has_unread_output(self) -> bool:
        """Whether there is unread output, for example because the processor is busy."""
        assert self.process.stdout is not None
        try:
            return bool(select.select([self.process.stdout], [], [], 0)[0]) and self._pump.is_alive()
        except (ValueError, OSError):  # the pipe was read to its end and closed
            return False

    def _forward(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in iter(lambda: lines.readline(LINE_BYTES), b""):
                sys.stdout.buffer.write(self.output.parse_line(line))
                sys.stdout.buffer.flush()
