"""Opens the port of a worker that the readiness probe of its pod asks."""

from __future__ import annotations

import contextlib
import socket

BACKLOG = 4096  # connections that the kernel accepts while this process is busy


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
