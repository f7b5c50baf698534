"""How the launcher and a worker prove who they are, without ssh's login.

Without ssh, each has a connection to the other. With ssh, the launcher announces the end of the run at the port of the
readiness probe: a login would take fifty times as much CPU time, and the workers hold their GPUs until they know.
"""

from __future__ import annotations

import os
import socket
import time

from shared.record import ENDS

LIMIT_BYTES = 1 << 16  # of a line
WORD_BYTES = 65  # of a proof and its newline
CHALLENGE_BYTES = 32
ANSWER_BYTES = 100  # at most


def open_pod_server(port: int = 0) -> tuple[str, socket.socket]:
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
    other = _read_word(connection, until)
    connection.sendall(f"{_make_proof(nonce, side, own, other)}\n".encode())
    expected = _make_proof(nonce, {"launcher": "worker", "worker": "launcher"}[side], other, own)
    if not _are_same(_read_word(connection, until).encode(), expected.encode()):
        raise ConnectionError("it does not know the nonce")


def _make_proof(nonce: str, side: str, own: str, other: str) -> str:
    return _sign(nonce.encode(), f"{side} {own} {other}".encode())


def _sign(key: bytes, data: bytes) -> str:
    import hmac  # loads OpenSSL, which a worker with ssh needs only at the end

    return hmac.new(key, data, "sha256").hexdigest()


def _are_same(one: bytes, other: bytes) -> bool:
    """Compares in a time that says nothing of the content."""
    import hmac

    return hmac.compare_digest(one, other)


def _read_word(connection: socket.socket, until: float) -> str:
    word = b""
    while len(word) < WORD_BYTES:
        connection.settimeout(max(until - time.monotonic(), 0.001))
        data = connection.recv(WORD_BYTES - len(word))
        if not data:
            raise ConnectionError("it ended too early")
        word += data
    return word.decode("ascii", "replace").strip()


def make_challenge() -> bytes:
    """What a worker with ssh sends to whom connects."""
    return os.urandom(CHALLENGE_BYTES)


def make_answer(key: bytes, challenge: bytes, phase: str) -> bytes:
    """The launcher's line with the phase, and a signature with the job's ssh key."""
    return f"{phase} {_sign(key, challenge + phase.encode())}\n".encode()


def read_answer(key: bytes, challenge: bytes, line: bytes) -> str:
    """The phase of an answer; "" if the signature is wrong."""
    return next((phase for phase in ENDS if _are_same(make_answer(key, challenge, phase), line)), "")
