"""Readiness of a worker: whether its port accepts connections, which is what the readiness probe of its pod asks.

With ssh, the launcher announces the end of the run at the same port (shared/control.py).

A kubelet brings new content of a mounted Secret or ConfigMap when it synchronises the pod: every 60 to 90 s, or at
once after its readiness has changed. A worker that waits for such content therefore lets its readiness change, until
it has what it needs; afterwards it stays ready.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
import time
from pathlib import Path

from shared import backoff, control
from shared.settings import Settings
from worker.port import listen

LATER_SECONDS = 0.2  # it is not ready until one probe has failed, and so much longer; each that fails is an event
FASTEST_SECONDS, SLOWEST_SECONDS = 1.2, 20.0  # for which it is ready in between, at least until it is probed
FASTEST_PER_SECOND, SLOWEST_PER_SECOND = 100, 20  # changes of all workers: the API server stores each
DRAINED = 1000  # connections in one look: a kubelet makes one every second
ANSWERS_AT_ONCE, ANSWER_SECONDS = 64, 5.0  # connections that have got a challenge; further ones are closed


class Readiness:
    """The port of the readiness probe, to which the launcher sends its announcements, too."""

    def __init__(
        self, run: Settings, announcements: Announcements | None = None, opened: socket.socket | None = None
    ) -> None:
        self.port = run.readiness_port
        self.opened = opened
        self.announcements = announcements
        self.server: socket.socket | None = None
        self.ready_seconds = self.first = max(FASTEST_SECONDS, run.workers / FASTEST_PER_SECOND)
        self.unready_seconds = max(run.probe_seconds + LATER_SECONDS, run.workers / FASTEST_PER_SECOND)
        self.longest = max(SLOWEST_SECONDS, 2 * run.workers / SLOWEST_PER_SECOND - self.unready_seconds)
        self.probed = False  # since it is ready
        self.changed_at = float("-inf")  # what is waited for may have come while the container started

    def show(self) -> None:
        """Make the pod ready, and keep it so. OSError: the port is in use."""
        if self.server is None:
            self.server, self.opened = self.opened or listen(self.port), None
            if self.announcements:
                ask_for_signals(self.server)
        self.drain()

    def withdraw(self) -> None:
        """Make the pod not ready."""
        if self.server is not None:
            self.server.close()
            self.server, self.probed = None, False

    def change(self) -> None:
        """Let the readiness change if it is time to, so that the kubelet brings what is mounted."""
        self.drain()
        lasted = time.monotonic() - self.changed_at
        if self.server is None and lasted >= self.unready_seconds:
            self.changed_at = time.monotonic()
            self.show()
        elif self.server is not None and self.probed and lasted >= self.ready_seconds:
            self.changed_at = time.monotonic()
            self.ready_seconds = backoff.lengthen(self.ready_seconds, self.first, self.longest)
            self.withdraw()

    def drain(self) -> None:
        """Close the connections that the kernel has accepted, or send a challenge."""
        with contextlib.suppress(BlockingIOError):
            for _ in range(DRAINED if self.server else 0):
                assert self.server is not None
                connection = self.server.accept()[0]
                self.probed = True
                if self.announcements:
                    self.announcements.challenge(connection)
                else:
                    connection.close()


class Announcements:
    """Connections that have got a challenge. `key`: the file of the job's private key."""

    def __init__(self, key: Path) -> None:
        self.key = key
        self.phase = ""  # once it is announced
        self.asked: dict[socket.socket, tuple[bytes, float]] = {}

    def challenge(self, connection: socket.socket) -> None:
        """Send a challenge. The probe of a kubelet ends its connection at once."""
        if len(self.asked) >= ANSWERS_AT_ONCE:
            connection.close()
            return
        challenge = control.make_challenge()
        self.asked[connection] = challenge, time.monotonic() + ANSWER_SECONDS
        connection.setblocking(False)
        ask_for_signals(connection)
        with contextlib.suppress(OSError):
            connection.send(challenge)

    def hear(self) -> None:
        """Read the answers that have come."""
        for connection, (challenge, until) in list(self.asked.items()):
            try:
                line = connection.recv(control.ANSWER_BYTES)
                self.phase = self.phase or self.read_answer(challenge, line)
            except BlockingIOError:
                if time.monotonic() < until:
                    continue
            except OSError:  # it is closed
                pass
            del self.asked[connection]
            connection.close()

    def read_answer(self, challenge: bytes, line: bytes) -> str:
        """The phase that an answer announces. OSError: there is no key yet."""
        return control.read_answer(self.key.read_bytes(), challenge, line) if line else ""


def ask_for_signals(opened: socket.socket) -> None:
    """Have the kernel send SIGIO to this process when there is something to accept or to read, where it can."""
    with contextlib.suppress(OSError):
        fcntl.fcntl(opened, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(opened, fcntl.F_SETFL, fcntl.fcntl(opened, fcntl.F_GETFL) | os.O_ASYNC)
