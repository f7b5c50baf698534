"""A worker's end of its connection to the launcher, for workers without ssh. launcher/control.py has the other end."""

from __future__ import annotations

import json
import os
import socket
import time
from typing import Any

from shared import backoff, control, methods, record, settings
from worker.readiness import ask_for_signals

CONNECT_SECONDS = 3  # the worker does nothing else meanwhile
# Between tries to connect, the first and the longest: the record names the launcher while its container is starting.
RETRY_SECONDS = 0.1, 1.0
SAY_SECONDS = 5  # between two messages while nothing changes


class ControlClient:
    """Connects to the launcher in the record, repeatedly; errors never end the worker."""

    def __init__(self, run: settings.Settings) -> None:
        self.run = run
        self.own = {"host": methods.format_worker_name(run), "life": os.urandom(8).hex()}
        self.connection: socket.socket | None = None
        self.launcher = ""  # as the record named the launcher to which this is connected
        self.order: dict[str, Any] = {}
        self.received = b""
        self.sent = 0  # reports of this attempt that this launcher has
        self.said: dict[str, Any] = {}
        self.said_at = self.tried_at = float("-inf")
        self.delay = RETRY_SECONDS[0]  # until the next try

    def exchange(self, state: dict[str, Any], reported: list[str], beats: list[str]) -> dict[str, Any]:
        """Send the state of this worker and the reports of its ranks; returns the newest order, {} before the first.

        `reported`: all reports of the attempt, because a launcher that takes over needs them; `beats`: those of
        this moment.
        """
        try:
            named = str(record.read_mounted(self.run.run).get("launcher") or "")
            if named not in ("", self.launcher):  # one without a network never closes its connection
                self.drop()
            if self.connection is None and not self.connect(named):
                return self.order
            for text in [*reported[self.sent :], *beats]:
                self.send({"attempt": state["attempt"], "report": text})
            self.sent = len(reported)
            self.say(state)  # after the reports: with it the attempt may end
            self.receive()
        except (OSError, ValueError, KeyError):
            self.drop()
        return self.order

    def connect(self, named: str) -> bool:
        """Connect to the launcher in the record if a try is due."""
        if not named or time.monotonic() - self.tried_at < self.delay:
            return False
        self.tried_at = time.monotonic()
        self.delay = backoff.lengthen(self.delay, *RETRY_SECONDS)
        address, _, nonce = named.rpartition("/")
        host, _, port = address.rpartition(":")
        self.connection = socket.create_connection((host, int(port)), timeout=CONNECT_SECONDS)
        control.shake(self.connection, nonce, "worker", CONNECT_SECONDS)
        self.connection.settimeout(0)
        ask_for_signals(self.connection)
        self.received, self.sent, self.said, self.launcher = b"", 0, {}, named
        self.delay = RETRY_SECONDS[0]
        return True

    def say(self, state: dict[str, Any]) -> None:
        if state != self.said or time.monotonic() - self.said_at >= SAY_SECONDS:
            self.send({**self.own, **state})
            self.said, self.said_at = dict(state), time.monotonic()

    def send(self, content: dict[str, Any]) -> None:
        assert self.connection is not None
        self.connection.sendall(json.dumps(content).encode() + b"\n")

    def receive(self) -> None:
        assert self.connection is not None
        try:
            data = self.connection.recv(control.LIMIT_BYTES)
        except BlockingIOError:
            return
        if not data:
            raise ConnectionError
        *lines, self.received = (self.received + data).split(b"\n")
        if lines:
            before, self.order = self.order, dict(json.loads(lines[-1]))
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
