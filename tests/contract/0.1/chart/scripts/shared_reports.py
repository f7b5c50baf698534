# Generated from dsgen/scripts/shared_reports.py, which has the comments.










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


    def __init__(self, run: settings.Settings) -> None:

        self.run = run
        self.nonce = os.environ.pop(NONCE, "")

    def say(self, kind: str, facts: dict[str, Any]) -> None:

        if not self.nonce:
            return
        text = f"dsgen-{kind} {json.dumps({'host': methods.host(self.run), **facts})}\n"
        for way in (self.to_output,) if methods.of(self.run).ssh else (self.to_file, self.to_launcher):
            with contextlib.suppress(OSError, ValueError, KeyError):
                way(text)

    def to_output(self, text: str) -> None:

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
            if line.startswith(nonce):
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
