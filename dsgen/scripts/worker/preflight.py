"""On a worker, when the launcher orders it: exchanges data with another worker, and reports the throughput.

    worker/preflight.py PORT CONNECT TRANSFER TOKEN PLAN

PLAN is a pair of indices into the hostfile, MINE:OTHER. CONNECT and TRANSFER are seconds. The lower index listens. Each
end reports what it has received: the sender's clock would measure buffers.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import socket
import time
from typing import Any

from shared import control, hostfile, settings

HOSTFILE = settings.ROOT / "job/hostfile"
BYTES = 64 << 20  # each way
CHUNK = 1 << 20
RETRY_SECONDS = 0.2  # the other worker may not listen yet
GREETING_SECONDS = 2.0
LATE = "timed out"


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
            raise TimeoutError(LATE)
        return left

    def listen(self, host: str, other: str, port: int, token: bytes) -> None:
        """Wait until the worker `other` connects, whoever else does."""
        family, *_, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        found: queue.SimpleQueue[socket.socket] = queue.SimpleQueue()
        strangers = control.UnprovenConnections(list_addresses(other))
        self.socket.close()
        with socket.create_server(where[:2], family=family) as listener:
            # A copy, because the connection ends with the call.
            control.serve(listener, token, GREETING_SECONDS, strangers, lambda line, _: found.put(line.dup()))
            try:
                self.socket = found.get(timeout=self.count_seconds_left())
            except queue.Empty:
                raise TimeoutError(LATE) from None
            listener.shutdown(socket.SHUT_RDWR)

    def connect(self, host: str, port: int, token: bytes) -> None:
        """Connect until the other worker listens and knows the token."""
        while True:
            try:
                self.socket.close()
                self.socket = socket.create_connection((host, port), timeout=min(self.count_seconds_left(), 5))
                control.shake(self.socket, token, "worker", min(self.count_seconds_left(), 5))
                return
            except OSError:
                if time.monotonic() + RETRY_SECONDS > self.until:
                    raise
            time.sleep(RETRY_SECONDS)

    def send(self, data: bytes) -> None:
        self.socket.settimeout(self.count_seconds_left())
        self.socket.sendall(data)

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


def list_addresses(host: str) -> set[str]:
    """The addresses of a host; none if its name is not known."""
    with contextlib.suppress(OSError):
        return {str(found[4][0]) for found in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)}
    return set()


def meet(mine: int, other: int, port: int, seconds: list[float], token: bytes) -> dict[str, Any]:
    """Exchange BYTES bytes in both directions, one after the other; returns what was received."""
    hosts = hostfile.read_hosts(HOSTFILE)
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
