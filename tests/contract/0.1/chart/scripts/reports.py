"""How a rank's reports reach those who listen.

Where the launcher holds an ssh session to every worker, they are lines of its output. Else the worker reads them from a
file of its pod, and the launcher, whose address is in the record, from a connection for each. The launcher takes from
them words for the record and no decision: where a network lets none through, a run goes as well.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
import threading
from collections.abc import Callable

import methods
import settings

FILE = settings.RUN / "reports"
SEND_SECONDS = 3
RECEIVE_SECONDS = 2
LIMIT_BYTES = 1 << 16


def report(run: settings.Settings, text: str) -> None:
    """Send one line. Nobody may listen any more: that is not the failure of who reports."""
    method = methods.of(run)
    label = f"{methods.host(run)}: " if method.labelled else ""
    line = f"{label}{text}\n".encode()
    for way in (to_output,) if method.ssh else (to_file, to_launcher):
        with contextlib.suppress(OSError, ValueError, KeyError):
            way(run, line)


def to_output(_: settings.Settings, line: bytes) -> None:
    os.write(2, line)


def to_file(_: settings.Settings, line: bytes) -> None:
    with FILE.open("ab", buffering=0) as file:
        file.write(line)


def to_launcher(run: settings.Settings, line: bytes) -> None:
    host, _, port = json.loads((settings.STATUS / run.run).read_text(encoding="utf-8"))["launcher"].rpartition(":")
    with socket.create_connection((host, int(port)), timeout=SEND_SECONDS) as connection:
        connection.sendall(line)


def listen(take: Callable[[bytes], bytes]) -> str:
    """Take reports for as long as this process lives, and print what `take` makes of each; where to send them.

    OSError when this pod has no address.
    """
    address = socket.getaddrinfo(socket.gethostname(), None, type=socket.SOCK_STREAM)[0][4][0]
    family = socket.AF_INET6 if ":" in str(address) else socket.AF_INET
    server = socket.create_server(("", 0), family=family, backlog=1024)
    threading.Thread(target=_serve, args=(server, take), daemon=True).start()
    return f"{address}:{server.getsockname()[1]}"


def _serve(server: socket.socket, take: Callable[[bytes], bytes]) -> None:
    while True:
        connection, _ = server.accept()
        with connection, contextlib.suppress(OSError):
            connection.settimeout(RECEIVE_SECONDS)
            line = _received(connection)
            sys.stdout.buffer.write(take(line) if line else b"")
            sys.stdout.buffer.flush()


def _received(connection: socket.socket) -> bytes:
    line = b""
    while not line.endswith(b"\n") and len(line) < LIMIT_BYTES:
        data = connection.recv(LIMIT_BYTES)
        if not data:
            break
        line += data
    return line
