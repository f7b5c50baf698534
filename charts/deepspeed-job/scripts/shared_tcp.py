# dsgen/scripts/shared_tcp.py without its comments.

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ESTABLISHED, LISTEN = "01", "0A"

STALLED_AFTER = 7
TABLES = Path("/proc/net")


def _rows():
  for name in ("tcp", "tcp6"):
    try:
      lines = (TABLES / name).read_text().splitlines()
    except OSError:
      continue
    yield from (line.split() for line in lines[1:])


class Established(NamedTuple):


  local_port: int
  remote_port: int
  with_itself: bool
  inode: str


def established():

  for row in _rows():
    if row[3] == ESTABLISHED:
      (here, port), (there, other) = row[1].split(":"), row[2].split(":")
      yield Established(int(port, 16), int(other, 16), here == there, row[9])


def listening(port):

  return any(row[3] == LISTEN and row[1].endswith(f":{port:04X}") for row in _rows())


def pod_server(port = 0):

  address = str(socket.getaddrinfo(socket.gethostname(), None, type=socket.SOCK_STREAM)[0][4][0])
  family = socket.AF_INET6 if ":" in address else socket.AF_INET
  return address, socket.create_server(("", port), family=family, backlog=1024)


def _hex(packed):

  words = (packed[i : i + 4] for i in range(0, len(packed), 4))
  return "".join(f"{int.from_bytes(word, sys.byteorder):08X}" for word in words)


def _spellings(address, port):

  host = address.partition("%")[0]
  if ":" in host:
    forms = [socket.inet_pton(socket.AF_INET6, host)]
  else:
    packed = socket.inet_pton(socket.AF_INET, host)
    forms = [packed, bytes(10) + b"\xff\xff" + packed]
  return {f"{_hex(form)}:{int(port):04X}" for form in forms}


class Connection:


  def __init__(self, text = os.environ.get("SSH_CONNECTION", "")):
    client, client_port, server, server_port = text.split()
    self.local, self.remote = _spellings(server, server_port), _spellings(client, client_port)

  def stalled(self):




    return any(
      row[3] == ESTABLISHED
      and row[1] in self.local
      and row[2] in self.remote
      and int(row[6], 16) >= STALLED_AFTER
      for row in _rows()
    )
