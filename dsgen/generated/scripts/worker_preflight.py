# dsgen/scripts/worker_preflight.py without its comments.








from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
import time
from typing import Any

import shared_settings as settings

HOSTFILE = settings.ROOT / "job/hostfile"
BYTES = 64 << 20
CHUNK = 1 << 20
RETRY_SECONDS = 0.2
GREETING_SECONDS = 2.0


class Line:


  def __init__(self):
    self.until = 0.0
    self.socket = socket.socket()

  def allow(self, seconds):

    self.until = time.monotonic() + seconds

  def left(self):

    left = self.until - time.monotonic()
    if left <= 0:
      raise TimeoutError("timed out")
    return left

  def listen(self, host, port, token):

    family, *_, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    with socket.create_server(where[:2], family=family) as listener:
      while True:
        listener.settimeout(self.left())
        self.socket.close()
        self.socket, _ = listener.accept()
        with contextlib.suppress(OSError):
          if self.receive(len(token), GREETING_SECONDS) == token:
            self.send(token)
            return

  def connect(self, host, port, token):

    while True:
      try:
        self.socket.close()
        self.socket = socket.create_connection((host, port), timeout=min(self.left(), 5))
        self.send(token)
        if self.receive(len(token)) == token:
          return
      except OSError:
        if time.monotonic() + RETRY_SECONDS > self.until:
          raise
      time.sleep(RETRY_SECONDS)

  def send(self, data):
    self.socket.settimeout(self.left())
    self.socket.sendall(data)

  def receive(self, size, seconds = float("inf")):

    data, until = b"", time.monotonic() + seconds
    while len(data) < size:
      self.socket.settimeout(max(min(self.left(), until - time.monotonic()), 0.001))
      more = self.socket.recv(size - len(data))
      if not more:
        break
      data += more
    return data

  def send_data(self):

    chunk = bytes(CHUNK)
    for _ in range(BYTES // CHUNK):
      self.send(chunk)

  def receive_data(self):

    buffer, received, begun = bytearray(CHUNK), 0, time.monotonic()
    try:
      while received < BYTES:
        self.socket.settimeout(self.left())
        size = self.socket.recv_into(buffer, min(CHUNK, BYTES - received))
        if not size:
          raise ConnectionError("the connection was closed")
        begun = begun if received else time.monotonic()
        received += size
    except (socket.timeout, TimeoutError):
      if not received:
        raise
    return {"bytes": received, "seconds": round(max(time.monotonic() - begun, 1e-6), 6)}


def meet(mine, other, port, seconds, token):

  hosts = [line.split()[0] for line in HOSTFILE.read_text(encoding="utf-8").splitlines() if line.strip()]
  line = Line()
  line.allow(seconds[0])
  if mine < other:
    line.listen(hosts[mine], port, token)
    line.allow(seconds[1])
    received = line.receive_data()
    if received["bytes"] == BYTES:
      line.send_data()
  else:
    line.connect(hosts[other], port, token)
    line.allow(seconds[1])
    line.send_data()
    received = line.receive_data()
  line.socket.close()
  return received


def main(arguments):
  position, port, connect, transfer, token, plan = arguments
  mine, other = (int(index) for index in plan.split(",")[int(position)].split(":"))
  try:
    report = meet(mine, other, int(port), [float(connect), float(transfer)], token.encode())
  except OSError as error:
    report = {"problem": str(error.strerror or error)}
  os.write(2, f"{token} dsgen-preflight {json.dumps({'index': mine, **report})}\n".encode())
  return 0


if __name__ == "__main__":
  sys.exit(main(sys.argv[1:]))
