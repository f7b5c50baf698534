"""TCP connections of this pod, from /proc/net/tcp and /proc/net/tcp6."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

ESTABLISHED, LISTEN = "01", "0A"
# The kernel doubles the time between retransmissions from 0.2 s on: the seventh is sent after about 25 s of silence.
STALLED_AFTER = 7
TABLES = Path("/proc/net")


def _read_rows() -> Iterator[list[str]]:
    for name in ("tcp", "tcp6"):
        try:
            lines = (TABLES / name).read_text().splitlines()
        except OSError:  # no IPv6
            continue
        yield from (line.split() for line in lines[1:])


def list_sockets(ports: set[int], with_itself: bool) -> set[str]:
    """The inodes of the sockets that are connected to or from these ports; with hostNetwork, those of the node.

    `with_itself`: also those of connections whose ends have the same address.
    """
    inodes = set()
    for row in _read_rows():
        (here, port), (there, other) = row[1].split(":"), row[2].split(":")
        if row[3] == ESTABLISHED and ports & {int(port, 16), int(other, 16)} and (with_itself or here != there):
            inodes.add(row[9])
    return inodes


def has_listener(port: int) -> bool:
    """Whether a process in this pod listens on the port."""
    return any(row[3] == LISTEN and row[1].endswith(f":{port:04X}") for row in _read_rows())


def _list_spellings(address: str, port: str) -> set[str]:
    """The forms of an end point in the kernel's tables: IPv4 also as IPv4-mapped IPv6."""
    import ipaddress  # takes a tenth of the start of a session, and is needed seconds later

    packed = ipaddress.ip_address(address.partition("%")[0]).packed
    forms = [packed, bytes(10) + b"\xff\xff" + packed] if len(packed) == 4 else [packed]
    # The kernel writes an address as words of four bytes in native byte order.
    addresses = ["".join(f"{word:08X}" for word in memoryview(form).cast("I")) for form in forms]
    return {f"{written}:{int(port):04X}" for written in addresses}


def has_stalled(ends: str) -> bool:
    """Whether the other end has acknowledged nothing for about 25 s of retransmissions.

    `ends`: sshd's variable SSH_CONNECTION, `CLIENT PORT SERVER PORT`. Its own keepalive never ends a session whose
    command keeps printing.
    """
    client, client_port, server, server_port = ends.split()
    local, remote = _list_spellings(server, server_port), _list_spellings(client, client_port)
    return any(
        row[3] == ESTABLISHED and row[1] in local and row[2] in remote and int(row[6], 16) >= STALLED_AFTER
        for row in _read_rows()
    )
