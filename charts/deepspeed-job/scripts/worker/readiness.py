"""Readiness of a worker: whether its port accepts connections, which is what the readiness probe of its pod asks.

A kubelet brings new content of a mounted Secret or ConfigMap when it synchronises the pod: every 60 to 90 s, or at
once after its readiness has changed. A worker that waits for such content therefore lets its readiness change, until
it has what it needs; afterwards it stays ready.
"""

from __future__ import annotations

import contextlib
import socket
import time

from shared import backoff
from worker.announcement import Announcements, wake

FASTEST_SECONDS, SLOWEST_SECONDS = 1.2, 15.0  # between two changes; the probe asks once a second
FASTEST_PER_SECOND, SLOWEST_PER_SECOND = 100, 20  # changes of all workers: the API server stores each
DRAINED = 1000  # connections in one look: a kubelet makes one a second
BACKLOG = 4096  # connections that the kernel accepts while this process is busy


class Readiness:
    """The port of the readiness probe, to which the launcher sends its announcements, too."""

    def __init__(self, port: int, workers: int, announcements: Announcements | None = None) -> None:
        self.port = port
        self.announcements = announcements
        self.server: socket.socket | None = None
        self.interval = self.first = max(FASTEST_SECONDS, workers / FASTEST_PER_SECOND)
        self.longest = max(SLOWEST_SECONDS, workers / SLOWEST_PER_SECOND)
        self.changed_at = float("-inf")  # what is waited for may have come while the container started

    def show(self) -> None:
        """Make the pod ready, and keep it so. OSError: the port is in use."""
        if self.server is None:
            self.server = listen(self.port)
            if self.announcements:
                wake(self.server)
        self.drain()

    def withdraw(self) -> None:
        """Make the pod not ready."""
        if self.server is not None:
            self.server.close()
            self.server = None

    def change(self) -> None:
        """Let the readiness change if it is time to, so that the kubelet brings what is mounted."""
        if time.monotonic() - self.changed_at >= self.interval:
            self.changed_at = time.monotonic()
            self.interval = backoff.lengthen(self.interval, self.first, self.longest)
            if self.server is None:
                self.show()
            else:
                self.withdraw()
        self.drain()

    def drain(self) -> None:
        """Close the connections that the kernel has accepted, or send a challenge."""
        with contextlib.suppress(BlockingIOError):
            for _ in range(DRAINED if self.server else 0):
                assert self.server is not None
                connection = self.server.accept()[0]
                if self.announcements:
                    self.announcements.challenge(connection)
                else:
                    connection.close()


def listen(port: int) -> socket.socket:
    """A server on all addresses of this pod."""
    if socket.has_dualstack_ipv6():
        server = socket.create_server(("", port), family=socket.AF_INET6, backlog=BACKLOG, dualstack_ipv6=True)
    else:
        server = socket.create_server(("", port), backlog=BACKLOG)
    server.setblocking(False)
    return server
