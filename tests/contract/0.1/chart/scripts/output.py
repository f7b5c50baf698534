"""What the launcher reads from the ranks' output: the protocol lines of rank.py and session.py, and pdsh's own.

pdsh puts `HOST: ` before each line. A protocol line is recognised behind other text too: a program that ends without a
newline must not hide the line that follows. Everything else goes to the log byte for byte.
"""

from __future__ import annotations

import json
import re
from typing import Any

LABEL = re.compile(rb"^([A-Za-z0-9.-]+): ")
PROTOCOL = re.compile(rb"dsgen-(rank-failed|rank|session-end) (\{.*\}|-?\d+)\s*$", re.DOTALL)
SSH_ENDED = re.compile(rb"^pdsh@[^:]*: ([A-Za-z0-9.-]+): (?:ssh exited with exit code (\d+)|.*)")


class Output:
    """All that was learned from the output of one attempt; written by one thread, read by another."""

    def __init__(self, hosts: list[str]) -> None:
        self.hosts = {_short(host): host for host in hosts}
        self.ranks: set[int] = set()
        self.world_sizes: set[int] = set()
        self.first_failure: dict[str, Any] | None = None  # host, rank, exitCode, tail
        self.closed: dict[str, int] = {}
        self.ssh_ended: dict[str, int] = {}

    def take(self, line: bytes) -> bytes:
        """Learn from one line, and return what the log gets for it."""
        found = SSH_ENDED.match(line)
        if found:
            self.ssh_ended.setdefault(self._host(found.group(1)), int(found.group(2) or 255))
            return line
        label = LABEL.match(line)
        host = self._host(label.group(1)) if label else ""
        protocol = PROTOCOL.search(line) if host in self.hosts.values() else None
        said = self._learn(host, protocol.group(1), protocol.group(2)) if protocol else ""
        if not protocol or not label or not said:
            return line
        before = line[: protocol.start()]
        rest = before + b"\n" if len(before) > label.end() else b""
        return rest + f"[dsgen] {said}\n".encode()

    def lost(self) -> list[str]:
        """Hosts whose session has ended for ssh without the closing line: the worker is gone, or not reachable."""
        return [host for host in self.hosts.values() if host in self.ssh_ended and host not in self.closed]

    def unclosed(self) -> list[str]:
        """Hosts without a closing line. Once pdsh has ended, their workers are gone."""
        return [host for host in self.hosts.values() if host not in self.closed]

    def went_wrong(self) -> bool:
        """Whether any host's session has ended, and not well."""
        return bool(self.lost()) or any(code != 0 for code in list(self.closed.values()))

    def began(self) -> bool:
        """Whether any session was started at all."""
        return bool(self.ranks or self.closed or self.ssh_ended)

    def _learn(self, host: str, kind: bytes, text: bytes) -> str:
        """Note one protocol line; the words for the log, "" when the line is none of ours after all."""
        try:
            content = json.loads(text)
            if kind == b"session-end":
                self.closed.setdefault(host, int(content))
                return f"{host} ended with {int(content)}"
            return self._rank_failed(host, content) if kind == b"rank-failed" else self._rank(host, content)
        except (ValueError, TypeError, KeyError):
            return ""

    def _rank(self, host: str, content: dict[str, Any]) -> str:
        rank, size = int(content["rank"]), int(content["worldSize"])
        if rank in self.ranks:  # torchrun has started all of them anew: what failed before is not why the run ended
            self.first_failure = None
        self.world_sizes.add(size)
        self.ranks.add(rank)
        return f"rank {rank} of {size} started on {host}"

    def _rank_failed(self, host: str, content: dict[str, Any]) -> str:
        rank, code = int(content["rank"]), int(content["exitCode"])
        tail = [str(line) for line in content.get("tail", [])]
        if self.first_failure is None:
            self.first_failure = {"host": host, "rank": rank, "exitCode": code, "tail": tail}
        return f"rank {rank} on {host} ended with {code}"

    def _host(self, label: bytes) -> str:
        # pdsh cuts the domain from its labels when it is the same for all hosts.
        name = label.decode("ascii")
        return self.hosts.get(_short(name), name)


def first_code(output: Output, code: int) -> int:
    """The training's own exit code: of the rank that failed first, else of the first host that did, else `code`."""
    if output.first_failure:
        return int(output.first_failure["exitCode"])
    return next((ended for ended in output.closed.values() if ended != 0), code)


def _short(host: str) -> str:
    return host.split(".", 1)[0]
