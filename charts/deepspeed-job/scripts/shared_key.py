# dsgen/scripts/shared_key.py without its comments.

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path

import shared_exchange as exchange

PRIVATE = "ssh-privatekey"
PUBLIC = "ssh-publickey"
HOST_ALIAS = "dsgen-worker"


class BadKey(Exception):
  pass


def write_private(path, key):

  whole = key if key.endswith(b"\n") else key + b"\n"
  exchange.replace(path, whole, mode=0o600)


def first_content(paths):

  for path in paths:
    if path.is_file() and path.stat().st_size > 0:
      return path.read_bytes()
  return None


def public_half(path):




  command = ["ssh-keygen", "-y", "-P", "", "-f", str(path)]
  done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
  words = done.stdout.split()
  if done.returncode != 0 or len(words) < 2:
    raise BadKey(f"the private key cannot be used (is it protected by a passphrase?): {done.stderr.strip()}")
  return " ".join(words[:2])
