# dsgen/scripts/shared_meeting.py without its comments.





from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

import shared_processes as processes
import shared_tcp as tcp

SHORTEST_SECONDS, LONGEST_SECONDS = 0.05, 1.0
AGE_SHARE = 1 / 200
COST_SHARE = 20
OTHER_PORTS_SECONDS = 1.0


class Meeting:






  def __init__(self, port, at_master):
    self.ports = {port}
    self.at_master = at_master
    self.seen = False
    self.began = time.monotonic()
    self.other_ports_at = self.began + OTHER_PORTS_SECONDS
    self.interval = SHORTEST_SECONDS

  def look(self):

    if self.seen:
      return False
    before = time.process_time()
    if time.monotonic() >= self.other_ports_at:
      self.ports.update(other_ports())
      self.other_ports_at = time.monotonic() + OTHER_PORTS_SECONDS
    self.seen = self.connected()
    longest = min(LONGEST_SECONDS, (time.monotonic() - self.began) * AGE_SHARE)
    self.interval = max(SHORTEST_SECONDS, longest, COST_SHARE * (time.process_time() - before))
    return self.seen

  def connected(self):

    inodes = {
      row.inode
      for row in tcp.established()
      if self.ports & {row.local_port, row.remote_port} and (self.at_master or not row.with_itself)
    }
    return bool(inodes) and any(not inodes.isdisjoint(sockets(pid)) for pid in processes.below(os.getpid()))


def other_ports():

  ports = set()
  for pid in processes.below(os.getpid()):
    try:
      variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
      continue
    ports.update(int(text[12:]) for text in variables if text[:12] == b"MASTER_PORT=" and text[12:].isdigit())
  return ports


def sockets(pid):

  inodes = set()
  with contextlib.suppress(OSError):
    for entry in os.scandir(f"/proc/{pid}/fd"):
      with contextlib.suppress(OSError):
        target = os.readlink(entry.path)
        if target.startswith("socket:["):
          inodes.add(target[8:-1])
  return inodes
