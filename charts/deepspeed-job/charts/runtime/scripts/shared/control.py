"""How launcher and worker talk to each other: each proves that it knows a secret, and signs every line.

Without ssh, a worker connects to the launcher; address and secret are in the record, which only the run can write.
With ssh, the launcher connects to the port of the readiness probe, because a kubelet needs a minute to bring an address
to a pod. The secret is then made of the job's key. A login for each order would take fifty times as much CPU time.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection

from shared.settings import Settings

LIMIT_BYTES = 1 << 16  # of a line
SIGNATURE_BYTES = 64
WORD_BYTES = SIGNATURE_BYTES + 1  # of a random word or a proof, with its newline
OTHER_SIDE = {"launcher": "worker", "worker": "launcher"}
# Connections that have not proved who they are: of one address, and of all. The others try again.
STRANGERS_OF_ADDRESS, STRANGERS = 8, 256


class UnprovenConnections:
    """Bounds the connections that have not proved who they are. `known`: addresses for which there is always room."""

    def __init__(self, known: Collection[str] = ()) -> None:
        self.known = known
        self.counts: Counter[str] = Counter()  # by address
        self.lock = threading.Lock()

    def admit(self, address: str) -> bool:
        """Count one more, unless there are too many."""
        with self.lock:
            full = sum(self.counts.values()) >= STRANGERS and address not in self.known
            if full or self.counts[address] >= STRANGERS_OF_ADDRESS:
                return False
            self.counts[address] += 1
            return True

    def dismiss(self, address: str) -> None:
        with self.lock:
            self.counts -= Counter([address])


def open_pod_server(port: int = 0) -> tuple[str, socket.socket]:
    """The address of this pod, and a server on all of its addresses. OSError: it has none, or the port is in use."""
    address = str(socket.getaddrinfo(socket.gethostname(), None, type=socket.SOCK_STREAM)[0][4][0])
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return address, socket.create_server(("", port), family=family, backlog=1024)


def make_secret(key: bytes, run: Settings) -> bytes:
    """The secret of a run with ssh; other runs of the job have the same private key."""
    return _sign(key, f"{run.namespace}/{run.run_name}").encode()


def make_word() -> str:
    """What a side sends first, in a line."""
    return os.urandom(SIGNATURE_BYTES // 2).hex()


class RefusedError(ConnectionError):
    """The other side is not the one that it should be."""


class Conversation:
    """Signs the lines of one side of a connection, and checks those of the other.

    The key of the signatures is made of the secret and of a random word of each side, so a line is valid only in its
    connection, once, in its place, and from its side. The first line of each is empty: the proof.
    """

    def __init__(self, secret: bytes, side: str, own: str, other: str) -> None:
        words = (own, other) if side == "launcher" else (other, own)
        self.key = _sign(secret, " ".join(words)).encode()
        self.side = side
        self.sent = self.received = 0  # lines

    def pack(self, text: str = "") -> bytes:
        """The next line of this side."""
        self.sent += 1
        return f"{_sign(self.key, f'{self.side} {self.sent} {text}')}{text}\n".encode()

    def unpack(self, line: bytes) -> str:
        """The text of the next line of the other side. Raises RefusedError if its signature is wrong."""
        import hmac

        self.received += 1
        signature, text = line[:SIGNATURE_BYTES], line[SIGNATURE_BYTES:].decode().rstrip("\n")
        expected = _sign(self.key, f"{OTHER_SIDE[self.side]} {self.received} {text}").encode()
        if not hmac.compare_digest(signature, expected):
            raise RefusedError("it does not have the key of this run")
        return text


def _sign(key: bytes, text: str) -> str:
    import hmac  # loads OpenSSL, which a process that only shows its readiness does not need

    return hmac.new(key, text.encode(), "sha256").hexdigest()


def shake(connection: socket.socket, secret: bytes, side: str, seconds: float) -> Conversation:
    """Prove that this side (launcher or worker) knows the secret. OSError if the other fails to, or is too slow."""
    until = time.monotonic() + seconds
    own = make_word()
    connection.sendall(f"{own}\n".encode())
    started = Conversation(secret, side, own, _read_word(connection, until).decode("ascii", "replace").strip())
    connection.sendall(started.pack())
    started.unpack(_read_word(connection, until))
    return started


def serve(
    server: socket.socket,
    secret: bytes,
    seconds: float,
    strangers: UnprovenConnections,
    receive: Callable[[socket.socket, Conversation], None],
    side: str = "launcher",
) -> None:
    """Call `receive` with each connection that proves itself, in a thread of its own, until the server is closed.

    The connection ends with the call, and so it does after so many seconds without a proof.
    """

    def take(connection: socket.socket, address: str) -> None:
        # Whatever is sent, no more than this connection ends.
        with contextlib.suppress(Exception), connection:
            try:
                talk = shake(connection, secret, side, seconds)
            finally:
                strangers.dismiss(address)
            receive(connection, talk)

    def accept() -> None:
        while server.fileno() >= 0:
            try:
                connection, (address, *_) = server.accept()
            except OSError:  # no descriptor is left: the other side tries again
                time.sleep(1)
                continue
            if not strangers.admit(address):
                connection.close()
                continue
            try:
                threading.Thread(target=take, args=(connection, address), daemon=True).start()
            except RuntimeError:  # no thread is left
                strangers.dismiss(address)
                connection.close()

    threading.Thread(target=accept, daemon=True).start()


def _read_word(connection: socket.socket, until: float) -> bytes:
    word = b""
    while len(word) < WORD_BYTES:
        connection.settimeout(max(until - time.monotonic(), 0.001))
        data = connection.recv(WORD_BYTES - len(word))
        if not data:
            raise ConnectionError("it ended too early")
        word += data
    return word
