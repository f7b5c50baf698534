"""The launcher's end of the connections to its workers: what it orders, and what each worker says.

An order is the state that is wanted, so it can be told again at any time: {"attempt": 2, "signal": "", "over": ""}. It
answers everything that a worker says of itself.
`attempt`: which one is to run (with ssh, the launcher starts its ranks); `signal`: what its ranks get, one of
worker/end_ranks.py; `over`: the phase of the end; `configuration`: of DeepSpeed, instead of the user's. With spares
also `hosts`: who trains, as indices into the hostfile; a worker that does not train has the attempt 0. For a check of
the network `check`: the arguments of worker/preflight.py, of which the fourth names the check. `resize` comes before an
attempt: {"attempt": 2, "ranks": 8, "host": "cifar-1-worker-0"}, by which a worker is to prepare the checkpoint.
"""

from __future__ import annotations

import contextlib
import json
import resource
import socket
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from shared import backoff, control, reports
from shared.output import Output, make_nonce

SHAKE_SECONDS = 5
FIRST_RETRY_SECONDS, LAST_RETRY_SECONDS = 0.1, 0.5  # between two tries to connect to a worker
TRIES_A_SECOND = 250  # of all workers, while they are waited for
TICK_SECONDS = 0.5  # between looks at what has no event
SILENT_SECONDS = 30  # a worker says something every five
HEARD_BYTES = 1 << 26  # of the reports that are kept
RECONNECT_SECONDS = 30  # until a worker whose connection has ended is lost


class ConnectedWorker:
    """A worker, as it was heard of last."""

    def __init__(self) -> None:
        self.connection: socket.socket | None = None
        self.talk: control.Conversation | None = None
        self.lock = threading.Lock()  # lines are signed in the order in which they are sent
        self.own: dict[str, Any] = {}  # of its order, where that differs from the others'
        self.checked: dict[str, Any] = {}  # its report of the last check of the network, with the `token` of the check
        self.gone_at = float("-inf")
        self.refused = ""  # why the launcher does not talk to it
        self.life = ""  # another one is another pod
        self.attempt = 0
        self.free = False  # it was started by the record, and takes no orders
        self.serves = False  # it has what it needs; with ssh: its sshd listens
        self.met = False  # processes of the attempt connected with another worker's
        self.signal = ""  # the last that its ranks got in this attempt
        self.code: int | None = None  # with which its part of the attempt has ended
        self.resize: dict[str, Any] = {}  # the last report of worker/resize.py, and its attempt
        self.lost: set[int] = set()  # attempts in the middle of which its pod went away

    def update(self, said: dict[str, Any]) -> None:
        life, attempt, code = str(said["life"]), int(said["attempt"]), said.get("code")
        if self.life not in ("", life) or said.get("left"):
            self.lost.add(self.attempt)
        self.free, self.met = bool(said.get("free")), bool(said.get("met"))
        self.serves = bool(said.get("serves", True))
        self.signal = str(said.get("signal", ""))
        self.checked = dict(said.get("checked") or {})
        self.life, self.attempt, self.code = life, attempt, None if code is None else int(code)
        self.resize = dict(said.get("resize") or {})

    def is_serving(self) -> bool:
        return self.connection is not None and self.serves

    def has_obeyed(self, order: dict[str, Any]) -> bool:
        """Whether it has said that its ranks got the signal. One without an attempt, or a connection, gets none."""
        told = (order["attempt"], order["signal"])
        return not self.connection or not order["attempt"] or (self.attempt, self.signal) == told

    def is_away(self) -> bool:
        """Whether it has had no connection for too long."""
        return self.connection is None and time.monotonic() - self.gone_at > RECONNECT_SECONDS


class ControlServer:
    """All workers, and what they are told. Each connection has a thread."""

    def __init__(self, hosts: list[str]) -> None:
        self.hosts = hosts
        self.members = {host.partition(".")[0]: ConnectedWorker() for host in hosts}
        self.order: dict[str, Any] = {"attempt": 0, "signal": "", "over": ""}
        self.output = Output(hosts)  # of the attempt
        # Reports of this attempt and later ones, without beats: workers repeat them, and may be ahead of the launcher.
        self.heard: dict[tuple[int, str], None] = {}
        self.heard_bytes = 0
        self.nonce = make_nonce()
        self.lock = threading.Lock()
        self.strangers = control.UnprovenConnections()
        self.changed = threading.Event()  # a worker has said something

    def wait(self, seconds: float) -> None:
        """Wait until a worker says something, for at most so many seconds."""
        self.changed.wait(seconds)
        self.changed.clear()

    def listen(self, offered: str = "") -> str:
        """Take connections for as long as this process lives; the address for the record.

        `offered`: the address that the sidecar has put there already. OSError when this pod has no address.
        """
        raise_descriptor_limit()
        port, _, nonce = offered.rpartition(":")[2].partition("/")
        try:
            address, server = control.open_pod_server(int(port or 0))
            self.nonce = nonce or self.nonce
        except OSError:
            address, server = control.open_pod_server()  # somebody else has taken the port
        control.serve(server, self.nonce.encode(), SHAKE_SECONDS, self.strangers, self._receive)
        return f"{address}:{server.getsockname()[1]}/{self.nonce}"

    def dial(self, port: int, secret: bytes) -> None:
        """Connect to this port of each worker, and again after each end, for as long as this process lives."""
        raise_descriptor_limit()
        longest = max(LAST_RETRY_SECONDS, len(self.hosts) / TRIES_A_SECOND)
        for host in self.hosts:
            threading.Thread(target=self._dial, args=(host, port, secret, longest), daemon=True).start()

    def _dial(self, host: str, port: int, secret: bytes, longest: float) -> None:
        delay, member = 0.0, self.find_member(host)
        while True:
            # Whatever a worker sends, no more than this connection ends.
            with contextlib.suppress(Exception), socket.create_connection((host, port), SHAKE_SECONDS) as connection:
                try:
                    talk = control.shake(connection, secret, "launcher", SHAKE_SECONDS)
                    delay = 0.0
                    self._receive(connection, talk, host.partition(".")[0])
                except control.RefusedError as error:
                    member.refused = str(error)
            delay = backoff.lengthen(delay, FIRST_RETRY_SECONDS, longest)
            time.sleep(delay)

    def find_member(self, host: str) -> ConnectedWorker:
        return self.members[host.partition(".")[0]]

    def find_missing(self, hosts: list[str], keep_waiting: Callable[[], bool]) -> list[str]:
        """Wait until all of these serve, or `keep_waiting`, which may raise, is false; returns those that do not."""
        while True:
            missing = [host for host in hosts if not self.find_member(host).is_serving()]
            if not missing or not keep_waiting():
                return missing
            self.wait(TICK_SECONDS)

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
            self.heard_bytes = sum(len(text) for _, text in self.heard)
            for number, text in self.heard:
                if number == attempt:
                    self._pass_on(text)
        self.tell()

    def choose(self, chosen: list[str]) -> None:
        """Let these hosts train in the next attempt, in this order. Takes effect with the next order."""
        places = {name: index for index, name in enumerate(self.members)}
        names = [host.partition(".")[0] for host in chosen]
        for name, member in self.members.items():
            trains = {"hosts": [places[one] for one in names]} if len(names) < len(places) else {}
            member.own = trains if name in names else {"attempt": 0}

    def order_checks(self, checks: dict[str, list[Any]]) -> None:
        """Let these hosts run worker/preflight.py with these arguments; nobody trains meanwhile."""
        for member in self.members.values():
            member.own = {"attempt": 0}
        for host, words in checks.items():
            self.find_member(host).own["check"] = words
        self.tell()

    def signal(self, name: str, seconds: float, until: Callable[[], bool] = lambda: False) -> None:
        """Send a signal to the ranks of the attempt. Waits until all have got it, for at most so many seconds.

        `until`: ends the wait, and may raise to do so.
        """
        self.tell(signal=name)
        self.wait_for_obedience(seconds, until)

    def wait_for_obedience(self, seconds: float, until: Callable[[], bool] = lambda: False) -> None:
        """Wait until the connected workers have said that they are where the order wants them."""
        deadline = time.monotonic() + seconds
        while not until() and time.monotonic() < deadline:
            if all(member.has_obeyed(self._make_order(member)) for member in self.members.values()):
                return
            self.wait(TICK_SECONDS)

    def list_connected(self) -> list[ConnectedWorker]:
        return [member for member in self.members.values() if member.connection]

    def _make_order(self, member: ConnectedWorker) -> dict[str, Any]:
        # A pod that has come in the middle of an attempt waits for the next one.
        late = {"attempt": 0} if self.order["attempt"] in member.lost else {}
        return {**self.order, **member.own, **late}

    def _send(self, member: ConnectedWorker) -> None:
        with member.lock, contextlib.suppress(OSError):
            if member.connection and member.talk:
                member.connection.sendall(member.talk.pack(json.dumps(self._make_order(member))))

    def _receive(self, connection: socket.socket, talk: control.Conversation, expected: str = "") -> None:
        """Take what a worker says, until its connection ends. `expected`: its name, if it is known."""
        member = None
        connection.settimeout(SILENT_SECONDS)
        try:
            with connection.makefile("rb") as lines:
                for line in iter(lambda: lines.readline(control.LIMIT_BYTES), b""):
                    said = json.loads(talk.unpack(line))
                    if "report" in said:
                        self._take_report(str(said["report"]), int(said["attempt"]))
                        continue
                    if expected not in ("", said["host"]):
                        raise control.RefusedError(f"its address is that of {said['host']}")
                    sender = self.members[said["host"]]
                    sender.update(said)
                    if member is None:
                        member = sender
                        with member.lock:
                            member.connection, member.talk, member.refused = connection, talk, ""
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
                self.heard_bytes += len(text)
                if self.heard_bytes > HEARD_BYTES:  # no training has so much to report
                    return
                self.heard[attempt, text] = None
            sys.stdout.buffer.write(self._pass_on(text))
            sys.stdout.buffer.flush()

    def _pass_on(self, text: str) -> bytes:
        """Give a report to the output of the attempt; the text for the log."""
        return self.output.parse_line(self.output.nonce + f" {text}\n".encode())


def raise_descriptor_limit() -> None:
    """Each connection takes a descriptor, and containers often begin with a limit of 1,024."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
