"""Evidence that a rank is connected with others: a TCP connection of its program to the master port.

torch.distributed keeps such a connection as long as a process group exists. A program that trains alone has none, or
only with itself. The environment is not evidence, because dsgen sets it.
"""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

from shared import processes, tcp

SHORTEST_SECONDS, LONGEST_SECONDS = 0.05, 1.0
AGE_SHARE = 1 / 200  # the interval grows with the age of the program, which then does not end at once
COST_SHARE = 20  # the checks take at most a twentieth of a processor
OTHER_PORTS_SECONDS = 1.0  # between two readings of the environments of all processes


class Rendezvous:
    """Checks for the connection regularly, until it was observed once.

    `at_master`: whether the rendezvous is on this worker. On other workers, a connection with the worker itself, as of
    `torchrun --standalone`, does not count.
    """

    def __init__(self, port: int, at_master: bool) -> None:
        self.ports = {port}
        self.at_master = at_master
        self.seen = False
        self.began = time.monotonic()
        self.other_ports_at = self.began + OTHER_PORTS_SECONDS
        self.interval, self.due = SHORTEST_SECONDS, 0.0  # between two looks, and when the next one is due

    def look(self) -> bool:
        """Whether the connection is observed now for the first time. Looks only if that is due."""
        if self.seen or time.monotonic() < self.due:
            return False
        before = time.process_time()
        if time.monotonic() >= self.other_ports_at:
            self.ports.update(list_other_ports())
            self.other_ports_at = time.monotonic() + OTHER_PORTS_SECONDS
        self.seen = self.is_connected()
        longest = min(LONGEST_SECONDS, (time.monotonic() - self.began) * AGE_SHARE)
        self.interval = max(SHORTEST_SECONDS, longest, COST_SHARE * (time.process_time() - before))
        self.due = time.monotonic() + self.interval
        return self.seen

    def is_connected(self) -> bool:
        """Whether a descendant of this process has such a connection."""
        inodes = tcp.list_sockets(self.ports, with_itself=self.at_master)
        return bool(inodes) and any(
            not inodes.isdisjoint(list_sockets(pid)) for pid in processes.list_descendants(os.getpid())
        )


def list_other_ports() -> set[int]:
    """The values of MASTER_PORT in descendants of this process, which a launcher of the user may have set."""
    ports: set[int] = set()
    for pid in processes.list_descendants(os.getpid()):
        try:
            variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        except OSError:
            continue
        ports.update(int(text[12:]) for text in variables if text[:12] == b"MASTER_PORT=" and text[12:].isdigit())
    return ports


def list_sockets(pid: int) -> set[str]:
    """The inodes of the sockets of a process."""
    inodes = set()
    with contextlib.suppress(OSError):  # the process has ended
        for entry in os.scandir(f"/proc/{pid}/fd"):
            with contextlib.suppress(OSError):  # the descriptor was closed
                target = os.readlink(entry.path)  # noqa: PTH115  # many of them
                if target.startswith("socket:["):
                    inodes.add(target[8:-1])
    return inodes
