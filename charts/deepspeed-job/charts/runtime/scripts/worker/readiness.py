"""Readiness of a worker: whether its port accepts connections, which is what the readiness probe of its pod asks.

With ssh, the launcher connects to the same port (worker/control.py).

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
from collections.abc import Callable

from shared import backoff
from shared.settings import Settings

LATER_SECONDS = 0.2  # it is not ready until one probe has failed, and so much longer; each that fails is an event
FASTEST_SECONDS, SLOWEST_SECONDS = 1.2, 20.0  # for which it is ready in between, at least until it is probed
FASTEST_PER_SECOND, SLOWEST_PER_SECOND = 100, 20  # changes of all workers: the API server stores each
BACKLOG = 4096  # connections that the kernel accepts while this process is busy
DRAINED = 1000  # connections in one look: a kubelet makes one every second


def listen(port: int) -> socket.socket:
    """A server on all addresses of this pod."""
    if socket.has_dualstack_ipv6():
        server = socket.create_server(("", port), family=socket.AF_INET6, backlog=BACKLOG, dualstack_ipv6=True)
    else:
        server = socket.create_server(("", port), backlog=BACKLOG)
    server.setblocking(False)
    return server


def open_early(port: int) -> socket.socket | None:
    """Open it before the other modules are loaded: each probe that fails is an event, which the API server stores.

    None: it cannot be opened. Readiness tries again, and says why.
    """
    with contextlib.suppress(OSError):
        return listen(port)
    return None


class Readiness:
    """The port of the readiness probe. `serve`: takes the connections from `show` on; without, they are closed."""

    def __init__(
        self,
        run: Settings,
        serve: Callable[[socket.socket], None] | None = None,
        opened: socket.socket | None = None,
    ) -> None:
        self.port = run.readiness_port
        self.opened = opened
        self.serve = serve
        self.server: socket.socket | None = None
        self.served: socket.socket | None = None  # the one that is given to `serve`
        self.ready_seconds = self.first = max(FASTEST_SECONDS, run.workers / FASTEST_PER_SECOND)
        self.unready_seconds = max(run.probe_seconds + LATER_SECONDS, run.workers / FASTEST_PER_SECOND)
        self.longest = max(SLOWEST_SECONDS, 2 * run.workers / SLOWEST_PER_SECOND - self.unready_seconds)
        self.probed = False  # since it is ready
        self.changed_at = float("-inf")  # what is waited for may have come while the container started

    def show(self) -> None:
        """Make the pod ready, and keep it so. OSError: the port is in use."""
        self.open()
        if self.serve is None:
            self.drain()
        elif self.server and self.served is not self.server:
            self.server.setblocking(True)
            self.serve(self.server)
            self.served = self.server

    def open(self) -> None:
        if self.server is None:
            self.server, self.opened = self.opened or listen(self.port), None

    def withdraw(self) -> None:
        """Make the pod not ready."""
        if self.server is not None:
            self.server.shutdown(socket.SHUT_RDWR)  # ends a call that waits for a connection
            self.server.close()
            self.server, self.probed = None, False

    def change(self) -> None:
        """Let the readiness change if it is time to, so that the kubelet brings what is mounted."""
        self.drain()
        lasted = time.monotonic() - self.changed_at
        if self.server is None and lasted >= self.unready_seconds:
            self.changed_at = time.monotonic()
            self.open()
        elif self.server is not None and self.probed and lasted >= self.ready_seconds:
            self.changed_at = time.monotonic()
            self.ready_seconds = backoff.lengthen(self.ready_seconds, self.first, self.longest)
            self.withdraw()

    def drain(self) -> None:
        """Close the connections that the kernel has accepted."""
        with contextlib.suppress(BlockingIOError):
            for _ in range(DRAINED if self.server else 0):
                assert self.server is not None
                self.server.accept()[0].close()
                self.probed = True


def ask_for_signals(opened: socket.socket) -> None:
    """Have the kernel send SIGIO to this process when there is something to accept or to read, where it can."""
    with contextlib.suppress(OSError):
        fcntl.fcntl(opened, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(opened, fcntl.F_SETFL, fcntl.fcntl(opened, fcntl.F_GETFL) | os.O_ASYNC)
