"""The launcher's end of the connections to workers without ssh: what it orders, and what each worker says.

An order is the state that is wanted, so it can be told again at any time: {"attempt": 2, "signal": "", "over": ""}.
`attempt`: which one is to run; `signal`: what its ranks get, one of worker/end_ranks.py; `over`: the phase of the end;
`configuration`: of DeepSpeed, instead of the user's. With spares also `hosts`: who trains, as indices into the
hostfile; a worker that does not train has the attempt 0. For a check of the network `check`: the arguments of
worker/preflight.py, of which the fifth names the check. `resize` comes before an attempt: {"attempt": 2, "ranks": 8,
"host": "cifar-1-worker-0"}, by which a worker is to prepare the checkpoint.
"""

from __future__ import annotations

import contextlib
import json
import resource
import socket
import sys
import threading
import time
from collections import Counter
from typing import Any

from shared import control, reports
from shared.output import Output, make_nonce

SHAKE_SECONDS = 5
# Connections that have not proved that they know the nonce: of one address, and of all. The others try again.
STRANGERS_OF_ADDRESS, STRANGERS = 8, 256
SILENT_SECONDS = 30  # a worker says something every five
RECONNECT_SECONDS = 30  # until a worker whose connection has ended is lost


class Member:
    """A worker, as it was heard of last."""

    def __init__(self) -> None:
        self.connection: socket.socket | None = None
        self.own: dict[str, Any] = {}  # of its order, where that differs from the others'
        self.checked: dict[str, Any] = {}  # its report of the last check of the network, with the `token` of the check
        self.gone_at = float("-inf")
        self.life = ""  # another one is another pod
        self.attempt = 0
        self.free = False  # it was started by the record, and takes no orders
        self.code: int | None = None  # with which its part of the attempt has ended
        self.resize: dict[str, Any] = {}  # the last report of worker/resize.py, and its attempt
        self.lost: set[int] = set()  # attempts in the middle of which its pod went away

    def learn(self, said: dict[str, Any]) -> None:
        life, attempt, code = str(said["life"]), int(said["attempt"]), said["code"]
        if self.life not in ("", life) or said.get("left"):
            self.lost.add(self.attempt)
        self.free = bool(said.get("free"))
        self.checked = dict(said.get("checked") or {})
        self.life, self.attempt, self.code = life, attempt, None if code is None else int(code)
        self.resize = dict(said.get("resize") or {})

    def is_away(self) -> bool:
        """Whether it has had no connection for too long."""
        return self.connection is None and time.monotonic() - self.gone_at > RECONNECT_SECONDS


class Strangers:
    """Bounds the connections that have not proved that they know the nonce. Each has a thread meanwhile."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.counts: Counter[str] = Counter()  # by address

    def admit(self, address: str) -> bool:
        """Count one more, unless there are too many."""
        with self.lock:
            if self.counts[address] >= STRANGERS_OF_ADDRESS or sum(self.counts.values()) >= STRANGERS:
                return False
            self.counts[address] += 1
            return True

    def dismiss(self, address: str) -> None:
        with self.lock:
            self.counts -= Counter([address])


class ControlServer:
    """All workers, and what they are told. Each connection has a thread."""

    def __init__(self, hosts: list[str]) -> None:
        self.members = {host.partition(".")[0]: Member() for host in hosts}
        self.order: dict[str, Any] = {"attempt": 0, "signal": "", "over": ""}
        self.output = Output(hosts)  # of the attempt
        # Reports of this attempt and later ones, without beats: workers repeat them, and may be ahead of the launcher.
        self.heard: dict[tuple[int, str], None] = {}
        self.nonce = make_nonce()
        self.lock = threading.Lock()
        self.strangers = Strangers()
        self.changed = threading.Event()  # a worker has said something

    def wait(self, seconds: float) -> None:
        """Wait until a worker says something, for at most so many seconds."""
        self.changed.wait(seconds)
        self.changed.clear()

    def listen(self, offered: str = "") -> str:
        """Take connections for as long as this process lives; the address for the record.

        `offered`: the address that the sidecar has put there already. OSError when this pod has no address.
        """
        # Each connection takes a descriptor, and containers often begin with a limit of 1,024.
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        port, _, nonce = offered.rpartition(":")[2].partition("/")
        try:
            address, server = control.open_pod_server(int(port or 0))
            self.nonce = nonce or self.nonce
        except OSError:
            address, server = control.open_pod_server()  # somebody else has taken the port
        threading.Thread(target=self._accept, args=(server,), daemon=True).start()
        return f"{address}:{server.getsockname()[1]}/{self.nonce}"

    def tell(self, **order: Any) -> None:
        """Change the order, and tell it to all."""
        self.order = {**self.order, **order}
        for member in self.members.values():
            self._send(member)

    def begin(self, attempt: int, output: Output, configuration: str = "") -> None:
        """Order an attempt. The workers may be at it, or even have ended it, when another launcher has begun it."""
        with self.lock:
            self.output = output
            self.order = {"attempt": attempt, "signal": "", "over": "", "configuration": configuration}
            self.heard = {report: None for report in self.heard if report[0] >= attempt}
            for number, text in self.heard:
                if number == attempt:
                    self._learn(text)
        self.tell()

    def choose(self, chosen: list[str]) -> None:
        """Let these hosts train in the next attempt, in this order. Takes effect with the next order."""
        places = {name: index for index, name in enumerate(self.members)}
        names = [host.partition(".")[0] for host in chosen]
        for name, member in self.members.items():
            trains = {"hosts": [places[one] for one in names]} if len(names) < len(places) else {}
            member.own = trains if name in names else {"attempt": 0}

    def list_connected(self) -> list[Member]:
        return [member for member in self.members.values() if member.connection]

    def _send(self, member: Member) -> None:
        # A pod that has come in the middle of an attempt waits for the next one.
        late = {"attempt": 0} if self.order["attempt"] in member.lost else {}
        with contextlib.suppress(OSError):
            if member.connection:
                member.connection.sendall(json.dumps({**self.order, **member.own, **late}).encode() + b"\n")

    def _accept(self, server: socket.socket) -> None:
        while True:
            try:
                connection, (address, *_) = server.accept()
            except OSError:  # no descriptor is left: the worker tries again
                time.sleep(1)
                continue
            if not self.strangers.admit(address):
                connection.close()
                continue
            try:
                threading.Thread(target=self._serve, args=(connection, address), daemon=True).start()
            except RuntimeError:  # no thread is left
                self.strangers.dismiss(address)
                connection.close()

    def _serve(self, connection: socket.socket, address: str) -> None:
        """One connection from its beginning to its end."""
        # Whatever is sent, no more than this connection ends.
        with contextlib.suppress(Exception), connection:
            try:
                control.shake(connection, self.nonce, "launcher", SHAKE_SECONDS)
            finally:
                self.strangers.dismiss(address)
            self._hear(connection)

    def _hear(self, connection: socket.socket) -> None:
        """Take what a worker says, until its connection ends."""
        member = None
        connection.settimeout(SILENT_SECONDS)
        try:
            with connection.makefile("rb") as lines:
                for line in iter(lambda: lines.readline(control.LIMIT_BYTES), b""):
                    said = json.loads(line)
                    if "report" in said:
                        self._take_report(str(said["report"]), int(said["attempt"]))
                        continue
                    sender = self.members[said["host"]]
                    sender.learn(said)
                    if member is None:
                        member, sender.connection = sender, connection
                        self._send(sender)
                    self.changed.set()
        finally:
            if member and member.connection is connection:
                member.connection, member.gone_at = None, time.monotonic()
                self.changed.set()

    def _take_report(self, text: str, attempt: int) -> None:
        """What a rank has reported to its worker. Of an attempt before this one it is late."""
        with self.lock:
            if attempt < self.order["attempt"] or (attempt, text) in self.heard:
                return
            if not text.startswith(reports.BEAT):
                self.heard[attempt, text] = None
            sys.stdout.buffer.write(self._learn(text))
            sys.stdout.buffer.flush()

    def _learn(self, text: str) -> bytes:
        """Give a report to the output of the attempt; the text for the log."""
        return self.output.parse_line(self.output.nonce + f" {text}\n".encode())
