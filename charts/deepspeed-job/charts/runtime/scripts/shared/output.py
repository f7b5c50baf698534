"""Reads the output of the ranks: the protocol lines of rank.py and ssh/session.py, and messages of pdsh.

A protocol line begins with the nonce of its attempt, so that a program cannot print one by chance, and the log does not
contain it. The line is also recognised after other text, because a program may end without a newline. All other output
is written to the log unchanged.
"""

from __future__ import annotations

import json
import os
import re
from typing import Any

from shared import reports
from shared.log import reports_lost_peer

LABEL = re.compile(rb"^([A-Za-z0-9.-]+): $")  # pdsh begins each line with `HOST: `
PROTOCOL = re.compile(rb"^ dsgen-(rank-(?:met|end|beat|stack)|rank|session-end) (\{.*\})\s*$", re.DOTALL)
NOTED_BYTES = 1 << 26  # of the reports of one attempt, beats aside; further ones are only printed
# What mpirun, or its ssh, which may end first, says of a worker that is gone; and of a rank.py that a signal has ended.
MPI_LOST = re.compile(
    rb"^(?: *Remote daemon: \S+ on node ([A-Za-z0-9.-]+)"
    rb"|Connection to ([A-Za-z0-9.-]+) closed by remote host\.|Read from remote host ([A-Za-z0-9.-]+): .*)$"
)
MPI_KILLED = re.compile(rb"noticed that process rank (\d+) with PID \d+ on node (\S+) exited on signal (\d+)")
SSH_ENDED = re.compile(rb"^pdsh@[^:]*: ([A-Za-z0-9.-]+): (?:ssh exited with exit code (\d+)|.*)")


def make_nonce() -> str:
    return os.urandom(16).hex()


class Output:
    """The facts from the output of one attempt; one thread writes them, another one reads them.

    `pdsh`: whether pdsh also writes to this stream. `progress`: that of launcher/progress.py, gets its reports.
    """

    def __init__(self, hosts: list[str], nonce: str = "", pdsh: bool = False, progress: Any = None) -> None:
        self.progress = progress
        self.hosts = {_remove_domain(host): host for host in hosts}
        self.nonce = (nonce or make_nonce()).encode()
        self.pdsh = pdsh
        self.unfinished = False  # the last piece was not the end of a line
        self.ranks: set[int] = set()
        self.world_sizes: set[int] = set()
        self.met: set[int] = set()  # ranks that reported a connection with others
        self.places: dict[int, str] = {}  # rank -> host
        self.ends: list[dict[str, Any]] = []  # of ranks, in order of arrival: host, rank, exitCode, tail
        self.failures: list[dict[str, Any]] = []  # of ranks and hosts, in order of arrival
        self.ending = False  # the launcher is ending the ranks: hosts that end from now on have not failed
        self.closed: dict[str, int] = {}
        self.ssh_ended: dict[str, int] = {}
        self.noted = 0  # bytes
        self.given_up: set[str] = set()  # lost hosts for which mpirun has ended all others

    def parse_line(self, line: bytes) -> bytes:
        """Parse a line, or a piece of a long line, and return the text for the log."""
        continues, self.unfinished = self.unfinished, not line.endswith(b"\n")
        ssh_end = SSH_ENDED.match(line) if self.pdsh and not continues else None
        if ssh_end:
            self.ssh_ended.setdefault(self._find_host(ssh_end.group(1)), int(ssh_end.group(2) or reports.LOST))
        if not self.pdsh and not continues:
            self._read_mpirun(line)
        before, nonce, after = line.partition(self.nonce)
        if not nonce:
            if self.progress:
                self.progress.read_command(line)
            return line
        protocol = PROTOCOL.match(after)
        said = self._note_report(protocol.group(1), protocol.group(2)) if protocol else None
        if said is None:
            return line.replace(self.nonce, b"")
        rest = before + b"\n" if before and not LABEL.match(before) else b""
        return rest + (f"[dsgen] {said}\n".encode("utf-8", "replace") if said else b"")

    def list_lost_hosts(self) -> list[str]:
        """Hosts whose ssh session ended without the closing line: the worker is lost or unreachable."""
        return [host for host in self.hosts.values() if host in self.ssh_ended and host not in self.closed]

    def list_unclosed_hosts(self) -> list[str]:
        """Hosts without a closing line; they are lost if mpirun or pdsh has ended.

        Only those that mpirun named, or else those whose ranks have not reported their end, if there are any: mpirun
        also closes the sessions of the other hosts.
        """
        left = [host for host in self.hosts.values() if host not in self.closed]
        silent = {self.places[rank] for rank in self.list_ranks_without_end()}
        return [host for host in left if host in (self.given_up or silent)] or left

    def has_failed_host(self) -> bool:
        """Whether the session of a host has failed."""
        return bool(self.list_lost_hosts()) or any(code != 0 for code in list(self.closed.values()))

    def has_started(self) -> bool:
        """Whether any session was started."""
        return bool(self.ranks or self.closed or self.ssh_ended)

    def find_failure(self) -> dict[str, Any]:
        """The cause of the failure: host and, if known, rank, exitCode and tail; {} without a failure.

        It is the first failure that is not the consequence of another one. A rank whose last lines report a lost
        connection failed because of another rank, even if that one has ended without a report, so that only its host
        is known.
        """
        spoken = {end["host"] for end in self.failures if "rank" in end}
        failures = [end for end in self.failures if "rank" in end or end["host"] not in spoken]
        own = [end for end in failures if end["exitCode"] == 137 or not reports_lost_peer(_join_tail(end))]
        return dict(next(iter([*own, *failures]), {}))

    def explain_failure(self) -> str:
        """The cause of the failure as text."""
        failure = self.find_failure()
        if "rank" not in failure:
            silent = [rank for rank in self.list_ranks_without_end() if self.places[rank] == failure["host"]]
            of = f"; no report of rank {', '.join(map(str, silent))}" if silent else ""
            return f"{failure['host']} ended with exit code {failure['exitCode']}{of}"
        words = f"rank {failure['rank']} on {failure['host']} ended with exit code {failure['exitCode']}"
        before = next((end for end in self.ends if not end["exitCode"]), None)  # its report may arrive later
        if before and reports_lost_peer(_join_tail(failure)):
            words += f" after rank {before['rank']} on {before['host']} had ended with exit code 0"
        return words

    def list_ranks_without_end(self) -> list[int]:
        """Ranks that have not reported their end."""
        return sorted(self.ranks - {end["rank"] for end in self.ends})

    def list_strangers(self) -> list[int]:
        """Ranks that never reported a connection with others."""
        return sorted(self.ranks - self.met)

    def close(self, host: str, code: int) -> None:
        """Note that the part of this host has ended with a closing line."""
        if host in self.closed:
            return
        self.closed[host] = code
        if code and not self.ending:
            self.failures.append({"host": host, "exitCode": code})

    def _note_report(self, kind: bytes, text: bytes) -> str | None:
        """Note a protocol line; returns the text for the log, or "". None if it is not a valid protocol line."""
        try:
            if kind != b"rank-beat" and not self._has_room(text):
                return None
            content = json.loads(text)
            host = self.hosts[_remove_domain(content["host"])]
            if kind == b"session-end":
                self.close(host, int(content["exitCode"]))
                return f"{host} ended with {int(content['exitCode'])}"
            return self._note_rank(kind, host, int(content["rank"]), content)
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
            return None

    def _has_room(self, text: bytes) -> bool:
        self.noted += len(text)
        return self.noted <= NOTED_BYTES

    def _read_mpirun(self, line: bytes) -> None:
        lost, killed = MPI_LOST.match(line.rstrip()), MPI_KILLED.search(line)
        if (lost or killed) and not self._has_room(line):
            return
        if lost:
            self.given_up.add(self._find_host(lost[lost.lastindex or 0]))
        if killed and not self.ending:
            rank, name, number = killed.groups()
            end = {"host": self._find_host(name), "rank": int(rank), "exitCode": 128 + int(number), "tail": []}
            self.failures.append(end)

    def _note_rank(self, kind: bytes, host: str, rank: int, content: dict[str, Any]) -> str:
        if kind == b"rank-beat":
            if self.progress:
                self.progress.add_report(rank, content)
            return ""
        if kind == b"rank-met":
            self.met.add(rank)
            return f"rank {rank} on {host} is connected with the others"
        if kind == b"rank-stack":
            stack = [str(frame) for frame in content["stack"]]
            if self.progress:
                self.progress.stacks[rank] = (host, stack)
            return f"rank {rank} on {host} is in {' < '.join(stack[:3]) or 'no program that shows its stack'}"
        if kind == b"rank-end":
            code, tail = int(content["exitCode"]), [str(line) for line in content.get("tail", [])]
            end = {"host": host, "rank": rank, "exitCode": code, "tail": tail}
            self.ends.append(end)
            self.failures += [end] if code else []
            return f"rank {rank} on {host} ended with {code}"
        size = int(content["worldSize"])
        self.world_sizes.add(size)
        self.ranks.add(rank)
        self.places[rank] = host
        return f"rank {rank} of {size} started on {host}"

    def _find_host(self, label: bytes) -> str:
        # pdsh removes the domain from its labels if all hosts have the same.
        name = label.decode("ascii")
        return self.hosts.get(_remove_domain(name), name)


def _join_tail(end: dict[str, Any]) -> str:
    return "\n".join(end.get("tail", []))


def _remove_domain(host: str) -> str:
    return host.split(".", 1)[0]
