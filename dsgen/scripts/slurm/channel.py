"""Messages between a script for sbatch and its workers, over connections of shared/control.py."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from typing import Any

from shared import control


class Channel:
    """Signed messages, each a JSON object; several threads may send."""

    def __init__(self, connection: socket.socket, talk: control.Conversation) -> None:
        self.connection, self.lock, self.talk = connection, threading.Lock(), talk
        connection.settimeout(None)
        self.lines = connection.makefile("rb")

    def send(self, **message: Any) -> None:
        """Send a message; who reads finds out if the connection has ended."""
        with self.lock, contextlib.suppress(OSError):
            self.connection.sendall(self.talk.pack(json.dumps(message)))

    def read(self) -> dict[str, Any] | None:
        """The next message; None at the end."""
        try:
            line = self.lines.readline()
            return dict(json.loads(self.talk.unpack(line))) if line else None
        except (OSError, ValueError):
            return None
