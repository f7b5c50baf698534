"""Hears the launcher's announcement that the run is over, among the connections of the readiness probe."""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
import time
from pathlib import Path

from shared import announcement

AT_ONCE = 64  # connections; further ones are closed
SECONDS = 5.0  # for an answer


class Announcements:
    """Connections that have got a challenge. `key`: the file of the job's private key."""

    def __init__(self, key: Path) -> None:
        self.key = key
        self.phase = ""  # once it is announced
        self.asked: dict[socket.socket, tuple[bytes, float]] = {}

    def challenge(self, connection: socket.socket) -> None:
        """Send a challenge. The probe of a kubelet ends its connection at once."""
        if len(self.asked) >= AT_ONCE:
            connection.close()
            return
        challenge = announcement.new_challenge()
        self.asked[connection] = challenge, time.monotonic() + SECONDS
        connection.setblocking(False)
        wake(connection)
        with contextlib.suppress(OSError):
            connection.send(challenge)

    def hear(self) -> None:
        """Read the answers that have come."""
        for connection, (challenge, until) in list(self.asked.items()):
            try:
                line = connection.recv(announcement.ANSWER_BYTES)
                self.phase = self.phase or self.announced(challenge, line)
            except BlockingIOError:
                if time.monotonic() < until:
                    continue
            except OSError:  # it is closed
                pass
            del self.asked[connection]
            connection.close()

    def announced(self, challenge: bytes, line: bytes) -> str:
        """The phase that an answer announces. OSError: there is no key yet."""
        return announcement.announced_phase(self.key.read_bytes(), challenge, line) if line else ""


def wake(opened: socket.socket) -> None:
    """Have the kernel send SIGIO to this process when there is something to accept or to read, where it can."""
    with contextlib.suppress(OSError):
        fcntl.fcntl(opened, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(opened, fcntl.F_SETFL, fcntl.fcntl(opened, fcntl.F_GETFL) | os.O_ASYNC)
