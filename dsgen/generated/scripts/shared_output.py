# Generated from dsgen/scripts/shared_output.py, which has the comments.






from __future__ import annotations

import json
import re
import secrets
from typing import Any

LABEL = re.compile(rb"^([A-Za-z0-9.-]+): $")
PROTOCOL = re.compile(rb"^ dsgen-(rank-failed|rank|session-end) (\{.*\})\s*$", re.DOTALL)
SSH_ENDED = re.compile(rb"^pdsh@[^:]*: ([A-Za-z0-9.-]+): (?:ssh exited with exit code (\d+)|.*)")


def new_nonce() -> str:
    return secrets.token_hex(16)


class Output:





    def __init__(self, hosts: list[str], nonce: str = "", pdsh: bool = False) -> None:
        self.hosts = {_short(host): host for host in hosts}
        self.nonce = (nonce or new_nonce()).encode()
        self.pdsh = pdsh
        self.unfinished = False
        self.ranks: set[int] = set()
        self.world_sizes: set[int] = set()
        self.first_failure: dict[str, Any] | None = None
        self.closed: dict[str, int] = {}
        self.ssh_ended: dict[str, int] = {}

    def process_line(self, line: bytes) -> bytes:

        continues, self.unfinished = self.unfinished, not line.endswith(b"\n")
        found = SSH_ENDED.match(line) if self.pdsh and not continues else None
        if found:
            self.ssh_ended.setdefault(self._host(found.group(1)), int(found.group(2) or 255))
        before, nonce, after = line.partition(self.nonce)
        if not nonce:
            return line
        protocol = PROTOCOL.match(after)
        said = self._learn(protocol.group(1), protocol.group(2)) if protocol else ""
        if not said:
            return line.replace(self.nonce, b"")
        rest = before + b"\n" if before and not LABEL.match(before) else b""
        return rest + f"[dsgen] {said}\n".encode("utf-8", "replace")

    def lost(self) -> list[str]:

        return [host for host in self.hosts.values() if host in self.ssh_ended and host not in self.closed]

    def unclosed(self) -> list[str]:

        return [host for host in self.hosts.values() if host not in self.closed]

    def any_failed(self) -> bool:

        return bool(self.lost()) or any(code != 0 for code in list(self.closed.values()))

    def any_started(self) -> bool:

        return bool(self.ranks or self.closed or self.ssh_ended)

    def _learn(self, kind: bytes, text: bytes) -> str:

        try:
            content = json.loads(text)
            host = self.hosts[_short(content["host"])]
            if kind == b"session-end":
                self.closed.setdefault(host, int(content["exitCode"]))
                return f"{host} ended with {int(content['exitCode'])}"
            return self._rank_failed(host, content) if kind == b"rank-failed" else self._rank(host, content)
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
            return ""

    def _rank(self, host: str, content: dict[str, Any]) -> str:
        rank, size = int(content["rank"]), int(content["worldSize"])
        if rank in self.ranks:
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

        name = label.decode("ascii")
        return self.hosts.get(_short(name), name)


def first_code(output: Output, code: int) -> int:

    if output.first_failure:
        return int(output.first_failure["exitCode"])
    return next((ended for ended in output.closed.values() if ended != 0), code)


def _short(host: str) -> str:
    return host.split(".", 1)[0]
