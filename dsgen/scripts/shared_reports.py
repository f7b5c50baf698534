"""How a rank's reports reach those who listen.

Where the launcher holds an ssh session to every worker, they are lines of its output. Else the worker reads them from a
file of its pod, and the launcher, whose address is in the record, from a connection for each. The launcher takes from
them words for the record and no decision: where a network lets none through, a run goes as well.

Each line begins with a nonce of who listens. Over ssh the launcher hands it to each session, in a variable that ssh
passes on; without ssh the worker hands one to what it starts. It is taken out of the environment before the user's
program starts. The one for connections stands in the record beside the launcher's address.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
import threading
from collections.abc import Callable
from typing import Any

import shared_methods as methods
import shared_record as record
import shared_settings as settings

NONCE = "DSGEN_NONCE"
FILE = settings.RUN / "reports"
SEND_SECONDS = 3
RECEIVE_SECONDS = 2
LIMIT_BYTES = 1 << 16


class Reporter:
    """Of one rank or session: what it has to say to those who listen."""

    def __init__(self, run: settings.Settings) -> None:
        """Takes the nonce out of the environment; without one nobody listens: a person has started this by hand."""
        self.run = run
        self.nonce = os.environ.pop(NONCE, "")

    def say(self, kind: str, facts: dict[str, Any]) -> None:
        """Send one line. Nobody may listen any more: that is not the failure of who reports."""
        if not self.nonce:
            return
        text = f"dsgen-{kind} {json.dumps({'host': methods.host(self.run), **facts})}\n"
        for way in (self.to_output,) if methods.of(self.run).ssh else (self.to_file, self.to_launcher):
            with contextlib.suppress(OSError, ValueError, KeyError):
                way(text)

    def to_output(self, text: str) -> None:
        # Standard error: what the program printed last on the other stream may lack its newline.
        os.write(2, f"{self.nonce} {text}".encode())

    def to_file(self, text: str) -> None:
        with FILE.open("ab", buffering=0) as file:
            file.write(f"{self.nonce} {text}".encode())

    def to_launcher(self, text: str) -> None:
        address, _, nonce = str(record.mounted(self.run.run)["launcher"]).rpartition("/")
        host, _, port = address.rpartition(":")
        with socket.create_connection((host, int(port)), timeout=SEND_SECONDS) as connection:
            connection.sendall(f"{nonce} {text}".encode())


def listen(process_line: Callable[[bytes], bytes], nonce: bytes) -> str:
    """Take reports for as long as this process lives, and print what `process_line` makes of each; where to send them.

    OSError when this pod has no address.
    """
    address = socket.getaddrinfo(socket.gethostname(), None, type=socket.SOCK_STREAM)[0][4][0]
    family = socket.AF_INET6 if ":" in str(address) else socket.AF_INET
    server = socket.create_server(("", 0), family=family, backlog=1024)
    threading.Thread(target=_serve, args=(server, process_line, nonce), daemon=True).start()
    return f"{address}:{server.getsockname()[1]}/{nonce.decode()}"


def _serve(server: socket.socket, process_line: Callable[[bytes], bytes], nonce: bytes) -> None:
    while True:
        connection, _ = server.accept()
        with connection, contextlib.suppress(OSError):
            connection.settimeout(RECEIVE_SECONDS)
            line = _received(connection)
            if line.startswith(nonce):  # whoever else connects does not write to the log
                sys.stdout.buffer.write(process_line(line))
                sys.stdout.buffer.flush()


def _received(connection: socket.socket) -> bytes:
    line = b""
    while not line.endswith(b"\n") and len(line) < LIMIT_BYTES:
        data = connection.recv(LIMIT_BYTES)
        if not data:
            break
        line += data
    return line
