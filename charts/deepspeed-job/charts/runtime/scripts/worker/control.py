"""A worker's end of its connection to the launcher. launcher/control.py has the other end, and what is said."""

from __future__ import annotations

import json
import os
import signal
import socket
import time
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any

from shared import backoff, control, methods, record, settings
from worker.readiness import ask_for_signals

CONNECT_SECONDS = 3  # the worker does nothing else meanwhile
# Between tries to connect, the first and the longest: the record names the launcher while its container is starting.
RETRY_SECONDS = 0.1, 1.0
SAY_SECONDS = 5  # between two messages while nothing changes
PROOF_SECONDS = 5.0  # for who connects


class Control:
    """The connection to the launcher; its errors never end the worker."""

    def __init__(self, run: settings.Settings) -> None:
        self.run = run
        self.own = {"host": methods.format_worker_name(run), "life": os.urandom(8).hex()}
        self.connection: socket.socket | None = None
        self.talk: control.Conversation | None = None
        self.order: dict[str, Any] = {}
        self.orders = 0  # that have come
        self.received = b""
        self.sent = 0  # reports of this attempt that this launcher has
        self.said: dict[str, Any] = {}
        self.said_at = float("-inf")

    def exchange(
        self, state: dict[str, Any], reported: Sequence[str] = (), beats: Iterable[str] = ()
    ) -> dict[str, Any]:
        """Send the state of this worker and the reports of its ranks; returns the newest order, {} before the first.

        `reported`: all reports of the attempt, because a launcher that takes over needs them; `beats`: those of
        this moment.
        """
        try:
            self.connect()
            if self.connection is None:
                return self.order
            for text in [*reported[self.sent :], *beats]:
                self.send({"attempt": state["attempt"], "report": text})
            self.sent = len(reported)
            if state != self.said or time.monotonic() - self.said_at >= SAY_SECONDS:
                self.send({**self.own, **state})  # after the reports: with it the attempt may end
                self.said, self.said_at = dict(state), time.monotonic()
            self.receive()
        except (OSError, ValueError, KeyError):
            self.drop()
        return self.order

    def connect(self) -> None:
        """Connect to the present launcher, if this is not connected to it."""
        raise NotImplementedError

    def take(self, connection: socket.socket, talk: control.Conversation) -> None:
        """Go on with a launcher that has proved that it is one."""
        self.drop()
        self.connection, self.talk = connection, talk
        self.received, self.sent, self.said = b"", 0, {}
        connection.settimeout(0)
        ask_for_signals(connection)

    def send(self, content: dict[str, Any]) -> None:
        assert self.connection
        assert self.talk
        self.connection.sendall(self.talk.pack(json.dumps(content)))

    def receive(self) -> None:
        assert self.connection
        assert self.talk
        try:
            data = self.connection.recv(control.LIMIT_BYTES)
        except BlockingIOError:
            return
        if not data:
            raise ConnectionError
        *lines, self.received = (self.received + data).split(b"\n")
        for line in lines:
            before, self.order = self.order, dict(json.loads(self.talk.unpack(line)))
            self.orders += 1
            if before.get("attempt") != self.order.get("attempt"):
                self.sent = 0  # a launcher that has just taken over did not listen before

    def drop(self) -> None:
        if self.connection:
            self.connection.close()
        self.connection = None

    def leave(self, state: dict[str, Any]) -> None:
        """Report that the ranks have ended before this pod ends."""
        if self.connection:
            self.exchange({**state, "left": True}, [], [])
        self.drop()


class ControlToRecord(Control):
    """Connects to the launcher in the record, for a worker without ssh."""

    def __init__(self, run: settings.Settings) -> None:
        super().__init__(run)
        self.launcher = ""  # as the record named the launcher to which this is connected
        self.tried_at, self.delay = float("-inf"), RETRY_SECONDS[0]  # until the next try

    def connect(self) -> None:
        named = str(record.read_mounted(self.run.run).get("launcher") or "")
        if named not in ("", self.launcher):  # one without a network never closes its connection
            self.drop()
        if self.connection or not named or time.monotonic() - self.tried_at < self.delay:
            return
        self.tried_at = time.monotonic()
        self.delay = backoff.lengthen(self.delay, *RETRY_SECONDS)
        address, _, nonce = named.rpartition("/")
        host, _, port = address.rpartition(":")
        connection = socket.create_connection((host, int(port)), timeout=CONNECT_SECONDS)
        try:
            self.take(connection, control.shake(connection, nonce.encode(), "worker", CONNECT_SECONDS))
        except OSError:
            connection.close()
            raise
        self.launcher, self.delay = named, RETRY_SECONDS[0]


class ControlFromLauncher(Control):
    """Waits for the launcher at the port of the readiness probe, for a worker with ssh."""

    def __init__(self, run: settings.Settings) -> None:
        super().__init__(run)
        self.strangers = control.UnprovenConnections()
        self.proven: deque[tuple[socket.socket, control.Conversation]] = deque()  # filled by threads

    def serve(self, server: socket.socket) -> None:
        """Take connections until the server is closed. The probe of a kubelet ends its connection at once."""
        secret = control.make_secret((settings.RUN / "id").read_bytes(), self.run)
        control.serve(server, secret, PROOF_SECONDS, self.strangers, self.note_launcher, side="worker")

    def note_launcher(self, connection: socket.socket, talk: control.Conversation) -> None:
        self.proven.append((connection.dup(), talk))  # a copy, because the connection ends with the call
        os.kill(os.getpid(), signal.SIGIO)  # for which the worker waits

    def connect(self) -> None:
        """Who has proved to be the launcher takes the place of the one before."""
        while self.proven:
            self.take(*self.proven.popleft())
