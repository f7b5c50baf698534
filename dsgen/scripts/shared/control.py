"""Both ends of the connections between the launcher and workers without ssh: the server, and how each proves itself."""

from __future__ import annotations

import hmac
import os
import socket
import time

LIMIT_BYTES = 1 << 16  # of a line
WORD_BYTES = 65  # of a proof and its newline


def pod_server(port: int = 0) -> tuple[str, socket.socket]:
    """The address of this pod, and a server on all of its addresses. OSError: it has none, or the port is in use."""
    address = str(socket.getaddrinfo(socket.gethostname(), None, type=socket.SOCK_STREAM)[0][4][0])
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return address, socket.create_server(("", port), family=family, backlog=1024)


def shake(connection: socket.socket, nonce: str, side: str, seconds: float) -> None:
    """Prove that this side (launcher or worker) knows the nonce, unsent. OSError if the other fails, or is too slow.

    Only the run can write the record with the nonce and the address, so a process that knows both is the launcher.
    """
    until = time.monotonic() + seconds
    own = os.urandom(32).hex()
    connection.sendall(f"{own}\n".encode())
    other = _word(connection, until)
    connection.sendall(f"{_proof(nonce, side, own, other)}\n".encode())
    expected = _proof(nonce, {"launcher": "worker", "worker": "launcher"}[side], other, own)
    if not hmac.compare_digest(_word(connection, until).encode(), expected.encode()):
        raise ConnectionError("it does not know the nonce")


def _proof(nonce: str, side: str, own: str, other: str) -> str:
    return hmac.new(nonce.encode(), f"{side} {own} {other}".encode(), "sha256").hexdigest()


def _word(connection: socket.socket, until: float) -> str:
    word = b""
    while len(word) < WORD_BYTES:
        connection.settimeout(max(until - time.monotonic(), 0.001))
        data = connection.recv(WORD_BYTES - len(word))
        if not data:
            raise ConnectionError("it ended too early")
        word += data
    return word.decode("ascii", "replace").strip()
