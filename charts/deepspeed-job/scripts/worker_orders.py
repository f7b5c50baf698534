# dsgen/scripts/worker_orders.py without its comments.

from __future__ import annotations

import fcntl
import json
import os
import secrets
import socket
import time
from typing import Any

import shared_methods as methods
import shared_record as record
import shared_reports as reports
import shared_settings as settings

CONNECT_SECONDS = 3
AGAIN_SECONDS = 1
SAY_SECONDS = 5


class Orders:


  def __init__(self, run):
    self.run = run
    self.own = {"host": methods.host(run), "life": secrets.token_hex(8)}
    self.connection = None
    self.launcher = ""
    self.order = {}
    self.received = b""
    self.sent = 0
    self.said = {}
    self.said_at = self.tried_at = float("-inf")

  def exchange(self, state, reported, beats):





    try:
      named = str(record.mounted(self.run.run).get("launcher") or "")
      if named not in ("", self.launcher):
        self.drop()
      if self.connection is None and not self.connect(named):
        return self.order
      for text in [*reported[self.sent :], *beats]:
        self.send({"attempt": state["attempt"], "report": text})
      self.sent = len(reported)
      self.say(state)
      self.receive()
    except (OSError, ValueError, KeyError):
      self.drop()
    return self.order

  def connect(self, named):

    if not named or time.monotonic() - self.tried_at < AGAIN_SECONDS:
      return False
    self.tried_at = time.monotonic()
    address, _, nonce = named.rpartition("/")
    host, _, port = address.rpartition(":")
    self.connection = socket.create_connection((host, int(port)), timeout=CONNECT_SECONDS)
    reports.shake(self.connection, nonce, "worker", CONNECT_SECONDS)
    self.connection.settimeout(0)
    wake(self.connection)
    self.received, self.sent, self.said, self.launcher = b"", 0, {}, named
    return True

  def say(self, state):
    if state != self.said or time.monotonic() - self.said_at >= SAY_SECONDS:
      self.send({**self.own, **state})
      self.said, self.said_at = dict(state), time.monotonic()

  def send(self, content):
    assert self.connection is not None
    self.connection.sendall(json.dumps(content).encode() + b"\n")

  def receive(self):
    assert self.connection is not None
    try:
      data = self.connection.recv(reports.LIMIT_BYTES)
    except BlockingIOError:
      return
    if not data:
      raise ConnectionError
    *lines, self.received = (self.received + data).split(b"\n")
    if lines:
      before, self.order = self.order, dict(json.loads(lines[-1]))
      if before.get("attempt") != self.order.get("attempt"):
        self.sent = 0

  def drop(self):
    if self.connection:
      self.connection.close()
    self.connection = None

  def leave(self, state):

    if self.connection:
      self.exchange({**state, "left": True}, [], [])
    self.drop()


def wake(connection):

  fcntl.fcntl(connection, fcntl.F_SETOWN, os.getpid())
  fcntl.fcntl(connection, fcntl.F_SETFL, fcntl.fcntl(connection, fcntl.F_GETFL) | os.O_ASYNC)
