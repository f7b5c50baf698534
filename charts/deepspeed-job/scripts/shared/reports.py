"""The transport of the reports of ranks.

With ssh, reports are lines in the output of the session. Without ssh, the worker reads them from a file in its pod, and
sends them to the launcher over its connection.

Each line begins with a nonce of the reader. With ssh, the launcher passes it to each session in an environment
variable; without ssh, the worker passes its own nonce to the processes that it starts. It is removed from the
environment before the user's program starts. The nonce of the connections is in the record.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import time
from typing import Any

from shared import methods, settings

NONCE = "DSGEN_NONCE"
FILE = settings.RUN / "reports"
BEAT = "dsgen-rank-beat "  # begins reports of progress, which are not repeated
LIMIT_BYTES = 1 << 16
WORD_BYTES = 65  # of a proof and its newline


class Reporter:
    """Sends the reports of one rank or session."""

    def __init__(self, run: settings.Settings) -> None:
        """Remove the nonce from the environment; without a nonce, nothing is sent (a user started the rank by hand)."""
        self.run = run
        self.nonce = os.environ.pop(NONCE, "")

    def say(self, kind: str, facts: dict[str, Any]) -> None:
        """Send one line; errors are ignored, because the reader may have ended."""
        if not self.nonce:
            return
        text = f"{self.nonce} dsgen-{kind} {json.dumps({'host': methods.host(self.run), **facts})}\n"
        with contextlib.suppress(OSError):
            if methods.of(self.run).ssh:
                # Standard error: what the program printed last on the other stream may lack its newline.
                os.write(2, text.encode())
                return
            with FILE.open("ab", buffering=0) as file:
                file.write(text.encode())


def shake(connection: socket.socket, nonce: str, side: str, seconds: float) -> None:
    """Prove that this side (launcher or worker) knows the nonce, unsent. OSError if the other fails, or is too slow.

    Only the run can write the record with the nonce and the address, so a process that knows both is the launcher.
    """
    until = time.monotonic() + seconds
    own = os.urandom(32).hex()
    connection.sendall(f"{own}\n".encode())
    other = _word(connection, until)
    connection.sendall(f"{_proof(nonce, side, own, other)}\n".encode())
    import hmac  # loads OpenSSL, which a rank and a session do not need

    expected = _proof(nonce, {"launcher": "worker", "worker": "launcher"}[side], other, own)
    if not hmac.compare_digest(_word(connection, until).encode(), expected.encode()):
        raise ConnectionError("it does not know the nonce")


def _proof(nonce: str, side: str, own: str, other: str) -> str:
    import hmac

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
