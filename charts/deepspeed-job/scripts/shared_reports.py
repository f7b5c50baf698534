# dsgen/scripts/shared_reports.py without its comments.









from __future__ import annotations

import contextlib
import hmac
import json
import os
import secrets
import socket
import time
from typing import Any

import shared_methods as methods
import shared_settings as settings

NONCE = "DSGEN_NONCE"
FILE = settings.RUN / "reports"
BEAT = "dsgen-rank-beat "
LIMIT_BYTES = 1 << 16
WORD_BYTES = 65


class Reporter:


  def __init__(self, run):

    self.run = run
    self.nonce = os.environ.pop(NONCE, "")

  def say(self, kind, facts):

    if not self.nonce:
      return
    text = f"{self.nonce} dsgen-{kind} {json.dumps({'host': methods.host(self.run), **facts})}\n"
    with contextlib.suppress(OSError):
      if methods.of(self.run).ssh:

        os.write(2, text.encode())
        return
      with FILE.open("ab", buffering=0) as file:
        file.write(text.encode())


def shake(connection, nonce, side, seconds):




  until = time.monotonic() + seconds
  own = secrets.token_hex(32)
  connection.sendall(f"{own}\n".encode())
  other = _word(connection, until)
  connection.sendall(f"{_proof(nonce, side, own, other)}\n".encode())
  expected = _proof(nonce, {"launcher": "worker", "worker": "launcher"}[side], other, own)
  if not hmac.compare_digest(_word(connection, until).encode(), expected.encode()):
    raise ConnectionError("it does not know the nonce")


def _proof(nonce, side, own, other):
  return hmac.new(nonce.encode(), f"{side} {own} {other}".encode(), "sha256").hexdigest()


def _word(connection, until):
  word = b""
  while len(word) < WORD_BYTES:
    connection.settimeout(max(until - time.monotonic(), 0.001))
    data = connection.recv(WORD_BYTES - len(word))
    if not data:
      raise ConnectionError("it ended too early")
    word += data
  return word.decode("ascii", "replace").strip()
