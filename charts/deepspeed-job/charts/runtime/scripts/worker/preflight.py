"""On a worker, when the launcher orders it: exchanges data with another worker, and reports the throughput.

    worker/preflight.py PORT CONNECT TRANSFER TOKEN PLAN

PLAN is a pair of indices into the hostfile, MINE:OTHER. CONNECT and TRANSFER are seconds. The lower index listens. Each
end reports what it has received: the sender's clock would measure buffers.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import sys
import time
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.append(str(Path(__file__).parents[1]))  # the folder of the packages, behind those of Python
    from shared import compiled

    compiled.use()

from shared import control, settings

HOSTFILE = settings.ROOT / "job/hostfile"
BYTES = 64 << 20  # each way
CHUNK = 1 << 20
RETRY_SECONDS = 0.2  # the other worker may not listen yet
GREETING_SECONDS = 2.0


class PeerConnection:
    """A connection to the other worker, with time limits."""

    def __init__(self) -> None:
        self.until = 0.0
        self.socket = socket.socket()

    def allow(self, seconds: float) -> None:
        """Set the time limit for the next operations."""
        self.until = time.monotonic() + seconds

    def count_seconds_left(self) -> float:
        """The remaining seconds. Raises TimeoutError."""
        left = self.until - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        return left

    def listen(self, host: str, other: str, port: int, token: bytes) -> None:
        """Wait until the worker `other` connects, whoever else does."""
        family, *_, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.create_server(where[:2], family=family) as listener:
            self.socket.close()
            self.socket = Greetings(token, list_addresses(other)).find(listener, self)
        self.send(token)

    def connect(self, host: str, port: int, token: bytes) -> None:
        """Connect until the other worker listens and knows the token."""
        while True:
            try:
                self.socket.close()
                self.socket = socket.create_connection((host, port), timeout=min(self.count_seconds_left(), 5))
                self.send(token)
                if self.receive(len(token)) == token:
                    return
            except OSError:
                if time.monotonic() + RETRY_SECONDS > self.until:
                    raise
            time.sleep(RETRY_SECONDS)

    def send(self, data: bytes) -> None:
        self.socket.settimeout(self.count_seconds_left())
        self.socket.sendall(data)

    def receive(self, size: int) -> bytes:
        """At most `size` bytes: fewer at the end of the stream. Raises TimeoutError."""
        data = b""
        while len(data) < size:
            self.socket.settimeout(self.count_seconds_left())
            more = self.socket.recv(size - len(data))
            if not more:
                break
            data += more
        return data

    def send_data(self) -> None:
        """Send BYTES bytes."""
        chunk = bytes(CHUNK)
        for _ in range(BYTES // CHUNK):
            self.send(chunk)

    def receive_data(self) -> dict[str, Any]:
        """Receive BYTES bytes, or fewer when time is up; returns their number, and the seconds since the first."""
        buffer, received, begun = bytearray(CHUNK), 0, time.monotonic()
        try:
            while received < BYTES:
                self.socket.settimeout(self.count_seconds_left())
                size = self.socket.recv_into(buffer, min(CHUNK, BYTES - received))
                if not size:
                    raise ConnectionError("the connection was closed")
                begun = begun if received else time.monotonic()
                received += size
        except (socket.timeout, TimeoutError):  # noqa: UP041  # two classes before Python 3.10
            if not received:
                raise
        return {"bytes": received, "seconds": round(max(time.monotonic() - begun, 1e-6), 6)}


class Greetings:
    """Connections that have not sent the token. `known`: the addresses of the other worker."""

    def __init__(self, token: bytes, known: set[str]) -> None:
        self.token = token
        self.strangers = control.UnprovenConnections(known)
        self.waiting: dict[socket.socket, Greeting] = {}

    def find(self, listener: socket.socket, line: PeerConnection) -> socket.socket:
        """The connection that sends the token; the others are closed. TimeoutError: there is none in time."""
        try:
            while True:
                patience = min(line.count_seconds_left(), GREETING_SECONDS)
                for ready in select.select([listener, *self.waiting], [], [], patience)[0]:
                    if ready is listener:
                        self.admit(*listener.accept())
                    elif self.receive(ready):
                        del self.waiting[ready]
                        return ready
                for connection in [each for each, said in self.waiting.items() if time.monotonic() > said.until]:
                    self.dismiss(connection)
        finally:
            for connection in list(self.waiting):
                self.dismiss(connection)

    def admit(self, connection: socket.socket, where: tuple[Any, ...]) -> None:
        if self.strangers.admit(where[0]):
            self.waiting[connection] = Greeting(where[0], time.monotonic() + GREETING_SECONDS)
        else:
            connection.close()

    def receive(self, connection: socket.socket) -> bool:
        """Read what has come; whether it is the token."""
        said, more = self.waiting[connection], b""
        with contextlib.suppress(OSError):
            more = connection.recv(len(self.token) - len(said.data))
        said.data += more
        if said.data == self.token:
            return True
        if not more or len(said.data) == len(self.token):
            self.dismiss(connection)
        return False

    def dismiss(self, connection: socket.socket) -> None:
        self.strangers.dismiss(self.waiting.pop(connection).address)
        connection.close()


class Greeting:
    """What a connection has sent, and until when it may send the rest (monotonic)."""

    def __init__(self, address: str, until: float) -> None:
        self.address, self.until = address, until
        self.data = b""


def list_addresses(host: str) -> set[str]:
    """The addresses of a host; none if its name is not known."""
    with contextlib.suppress(OSError):
        return {str(found[4][0]) for found in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)}
    return set()


def meet(mine: int, other: int, port: int, seconds: list[float], token: bytes) -> dict[str, Any]:
    """Exchange BYTES bytes in both directions, one after the other; returns what was received."""
    hosts = [line.split()[0] for line in HOSTFILE.read_text(encoding="utf-8").splitlines() if line.strip()]
    line = PeerConnection()
    line.allow(seconds[0])
    if mine < other:
        line.listen(hosts[mine], hosts[other], port, token)
        line.allow(seconds[1])
        received = line.receive_data()
        if received["bytes"] == BYTES:
            line.send_data()
    else:
        line.connect(hosts[other], port, token)
        line.allow(seconds[1])
        line.send_data()
        received = line.receive_data()
    line.socket.close()
    return received


def main(arguments: list[str]) -> int:
    port, connect, transfer, token, plan = arguments
    mine, other = (int(index) for index in plan.split(":"))
    try:
        report = meet(mine, other, int(port), [float(connect), float(transfer)], token.encode())
    except OSError as error:
        report = {"problem": str(error.strerror or error)}
    os.write(2, f"{token} dsgen-preflight {json.dumps({'index': mine, **report})}\n".encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
