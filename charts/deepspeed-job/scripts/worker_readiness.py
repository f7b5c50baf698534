# dsgen/scripts/worker_readiness.py without its comments.






from __future__ import annotations

import contextlib
import socket
import time

FASTEST_SECONDS, SLOWEST_SECONDS = 1.2, 15.0
FASTEST_PER_SECOND, SLOWEST_PER_SECOND = 100, 20
GROWTH = 1.3
DRAINED = 1000
BACKLOG = 4096


class Readiness:


  def __init__(self, port, workers):
    self.port = port
    self.server = None
    self.interval = max(FASTEST_SECONDS, workers / FASTEST_PER_SECOND)
    self.longest = max(SLOWEST_SECONDS, workers / SLOWEST_PER_SECOND)
    self.changed_at = float("-inf")

  def show(self):

    if self.server is None:
      self.server = listen(self.port)
    self.drain()

  def withdraw(self):

    if self.server is not None:
      self.server.close()
      self.server = None

  def change(self):

    if time.monotonic() - self.changed_at >= self.interval:
      self.changed_at = time.monotonic()
      self.interval = min(self.interval * GROWTH, self.longest)
      if self.server is None:
        self.show()
      else:
        self.withdraw()
    self.drain()

  def drain(self):

    with contextlib.suppress(BlockingIOError):
      for _ in range(DRAINED if self.server else 0):
        assert self.server is not None
        self.server.accept()[0].close()


def listen(port):

  if socket.has_dualstack_ipv6():
    server = socket.create_server(("", port), family=socket.AF_INET6, backlog=BACKLOG, dualstack_ipv6=True)
  else:
    server = socket.create_server(("", port), backlog=BACKLOG)
  server.setblocking(False)
  return server
