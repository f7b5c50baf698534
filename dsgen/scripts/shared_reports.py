"""How a rank's reports reach those who listen.

Where the launcher holds an ssh session to every worker, they are lines of its output. Else the worker reads them from a
file of its pod, and sends them to the launcher by the connection that it holds to it.

Each line begins with a nonce of who listens. Over ssh the launcher hands it to each session, in a variable that ssh
passes on; without ssh the worker hands one to what it starts. It is taken out of the environment before the user's
program starts. That of the connections stands in the record beside the launcher's address.
"""

from __future__ import annotations

import contextlib
import hmac
import json
import os
import secrets
import socket
from typing import Any

import shared_methods as methods
import shared_settings as settings

NONCE = "DSGEN_NONCE"
FILE = settings.RUN / "reports"
LIMIT_BYTES = 1 << 16
WORD_BYTES = 65  # of a proof and its newline


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
        text = f"{self.nonce} dsgen-{kind} {json.dumps({'host': methods.host(self.run), **facts})}\n"
        with contextlib.suppress(OSError):
            if methods.of(self.run).ssh:
                # Standard error: what the program printed last on the other stream may lack its newline.
                os.write(2, text.encode())
                return
            with FILE.open("ab", buffering=0) as file:
                file.write(text.encode())


def shake(connection: socket.socket, nonce: str, side: str) -> None:
    """Prove that this side, launcher or worker, knows the nonce, which is not sent; ConnectionError if the other fails.

    The record, where the nonce stands, can only be written by the run: who has it and the address is the launcher.
    """
    own = secrets.token_hex(32)
    connection.sendall(f"{own}\n".encode())
    other = _word(connection)
    connection.sendall(f"{_proof(nonce, side, own, other)}\n".encode())
    expected = _proof(nonce, {"launcher": "worker", "worker": "launcher"}[side], other, own)
    if not hmac.compare_digest(_word(connection).encode(), expected.encode()):
        raise ConnectionError("it does not know the nonce")


def _proof(nonce: str, side: str, own: str, other: str) -> str:
    return hmac.new(nonce.encode(), f"{side} {own} {other}".encode(), "sha256").hexdigest()


def _word(connection: socket.socket) -> str:
    word = b""
    while len(word) < WORD_BYTES:
        data = connection.recv(WORD_BYTES - len(word))
        if not data:
            raise ConnectionError("it ended too early")
        word += data
    return word.decode("ascii", "replace").strip()
