"""Evidence that a rank has met the others: a TCP connection of its program with the rendezvous at the master's port.

torch.distributed keeps such a connection for as long as a process group lives. A program that trains alone has none, or
has it with itself. The environment is no evidence: dsgen has set it.
"""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

import shared_processes as processes
import shared_tcp as tcp

SHORTEST_SECONDS, LONGEST_SECONDS = 0.05, 1.0
AGE_SHARE = 1 / 200  # a program that needs a minute until it connects does not end in the next second
COST_SHARE = 20  # the looks take at most a twentieth of a processor
OTHER_PORTS_EVERY = 20  # looks


class Meeting:
    """Looks for the connection from time to time, until it was seen once.

    `at_master`: whether the rendezvous is on this worker. On any other one a connection with the worker itself, as
    `torchrun --standalone` makes it, does not count.
    """

    def __init__(self, port: int, at_master: bool) -> None:
        self.ports = {port}
        self.at_master = at_master
        self.seen = False
        self.looks = 0
        self.began = time.monotonic()
        self.interval = SHORTEST_SECONDS

    def look(self) -> bool:
        """Whether it is seen now for the first time."""
        if self.seen:
            return False
        before = time.process_time()
        self.looks += 1
        if self.looks % OTHER_PORTS_EVERY == 0:
            self.ports.update(other_ports())
        self.seen = self.connected()
        longest = min(LONGEST_SECONDS, (time.monotonic() - self.began) * AGE_SHARE)
        self.interval = max(SHORTEST_SECONDS, longest, COST_SHARE * (time.process_time() - before))
        return self.seen

    def connected(self) -> bool:
        """Whether a process below this one holds such a connection."""
        found = {
            row.inode
            for row in tcp.established()
            if self.ports & {row.local_port, row.remote_port} and (self.at_master or not row.with_itself)
        }
        return bool(found) and any(not found.isdisjoint(sockets(pid)) for pid in processes.below(os.getpid()))


def other_ports() -> set[int]:
    """The master's port for programs below this one: what starts them may be a launcher of the user's own."""
    found: set[int] = set()
    for pid in processes.below(os.getpid()):
        try:
            variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        except OSError:
            continue
        found.update(int(text[12:]) for text in variables if text[:12] == b"MASTER_PORT=" and text[12:].isdigit())
    return found


def sockets(pid: int) -> set[str]:
    """Inodes of the sockets that a process holds."""
    found = set()
    with contextlib.suppress(OSError):  # it has ended meanwhile
        for entry in os.scandir(f"/proc/{pid}/fd"):
            with contextlib.suppress(OSError):  # it has closed this one
                target = os.readlink(entry.path)  # noqa: PTH115  # many of them
                if target.startswith("socket:["):
                    found.add(target[8:-1])
    return found
