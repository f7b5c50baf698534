# dsgen/scripts/launcher_orders.py without its comments.





from __future__ import annotations

import contextlib
import json
import resource
import socket
import sys
import threading
import time
from collections import Counter
from typing import Any

import shared_reports as reports
import shared_tcp as tcp
from shared_output import Output, new_nonce

SHAKE_SECONDS = 5

STRANGERS_OF_ADDRESS, STRANGERS = 8, 256
SILENT_SECONDS = 30
RECONNECT_SECONDS = 30


class Member:


  def __init__(self):
    self.connection = None
    self.gone_at = float("-inf")
    self.life = ""
    self.attempt = 0
    self.free = False
    self.code = None
    self.lost = set()

  def learn(self, said):
    life, attempt, code = str(said["life"]), int(said["attempt"]), said["code"]
    if self.life not in ("", life) or said.get("left"):
      self.lost.add(self.attempt)
    self.free = bool(said.get("free"))
    self.life, self.attempt, self.code = life, attempt, None if code is None else int(code)

  def is_away(self):

    return self.connection is None and time.monotonic() - self.gone_at > RECONNECT_SECONDS


class Strangers:


  def __init__(self):
    self.lock = threading.Lock()
    self.counts = Counter()

  def admit(self, address):

    with self.lock:
      if self.counts[address] >= STRANGERS_OF_ADDRESS or sum(self.counts.values()) >= STRANGERS:
        return False
      self.counts[address] += 1
      return True

  def dismiss(self, address):
    with self.lock:
      self.counts -= Counter([address])


class Orders:


  def __init__(self, hosts):
    self.members = {host.partition(".")[0]: Member() for host in hosts}
    self.order = {"attempt": 0, "signal": "", "over": ""}
    self.output = Output(hosts)

    self.heard = {}
    self.nonce = new_nonce()
    self.lock = threading.Lock()
    self.strangers = Strangers()

  def listen(self, offered = ""):





    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    port, _, nonce = offered.rpartition(":")[2].partition("/")
    try:
      address, server = tcp.pod_server(int(port or 0))
      self.nonce = nonce or self.nonce
    except OSError:
      address, server = tcp.pod_server()
    threading.Thread(target=self._accept, args=(server,), daemon=True).start()
    return f"{address}:{server.getsockname()[1]}/{self.nonce}"

  def tell(self, **order):

    self.order = {**self.order, **order}
    for member in self.members.values():
      self._send(member)

  def begin(self, attempt, output):

    with self.lock:
      self.output = output
      self.order = {"attempt": attempt, "signal": "", "over": ""}
      self.heard = {report: None for report in self.heard if report[0] >= attempt}
      for number, text in self.heard:
        if number == attempt:
          self._learn(text)
    self.tell()

  def connected(self):
    return [member for member in self.members.values() if member.connection]

  def _send(self, member):

    late = {"attempt": 0} if self.order["attempt"] in member.lost else {}
    with contextlib.suppress(OSError):
      if member.connection:
        member.connection.sendall(json.dumps({**self.order, **late}).encode() + b"\n")

  def _accept(self, server):
    while True:
      try:
        connection, (address, *_) = server.accept()
      except OSError:
        time.sleep(1)
        continue
      if not self.strangers.admit(address):
        connection.close()
        continue
      try:
        threading.Thread(target=self._serve, args=(connection, address), daemon=True).start()
      except RuntimeError:
        self.strangers.dismiss(address)
        connection.close()

  def _serve(self, connection, address):


    with contextlib.suppress(Exception), connection:
      try:
        reports.shake(connection, self.nonce, "launcher", SHAKE_SECONDS)
      finally:
        self.strangers.dismiss(address)
      self._hear(connection)

  def _hear(self, connection):

    member = None
    connection.settimeout(SILENT_SECONDS)
    try:
      with connection.makefile("rb") as lines:
        for line in iter(lambda: lines.readline(reports.LIMIT_BYTES), b""):
          said = json.loads(line)
          if "report" in said:
            self._report(str(said["report"]), int(said["attempt"]))
            continue
          sender = self.members[said["host"]]
          sender.learn(said)
          if member is None:
            member, sender.connection = sender, connection
            self._send(sender)
    finally:
      if member and member.connection is connection:
        member.connection, member.gone_at = None, time.monotonic()

  def _report(self, text, attempt):

    with self.lock:
      if attempt < self.order["attempt"] or (attempt, text) in self.heard:
        return
      if not text.startswith(reports.BEAT):
        self.heard[attempt, text] = None
      sys.stdout.buffer.write(self._learn(text))
      sys.stdout.buffer.flush()

  def _learn(self, text):

    return self.output.process_line(self.output.nonce + f" {text}\n".encode())
