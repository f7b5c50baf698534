# dsgen/scripts/keygen.py without its comments.






from __future__ import annotations

import base64
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import shared_api as api
import shared_exchange as exchange
import shared_key as keyfile
import shared_settings as settings
from shared_key import PRIVATE, PUBLIC
from shared_log import last_words, log

MANAGER = "dsgen-keygen"
RETRY_SECONDS = 2
CANNOT_WORK = 78
FAILED = "no-key-made"


class CannotWorkError(Exception):
  pass


def main():
  signal.signal(signal.SIGTERM, lambda *_: os._exit(143))
  configured = settings.load()
  deadline = time.monotonic() + configured.start_timeout_seconds
  try:
    key = obtain(api.in_cluster(), configured, deadline)
    keyfile.write_private(settings.RUN / PRIVATE, key)
  except CannotWorkError as problem:
    log(str(problem))
    exchange.replace(settings.RUN / FAILED, f"{problem}\n".encode())
    last_words(settings.TERMINATION_LOG, str(problem))
    return CANNOT_WORK
  return 0


def obtain(client, configured, deadline):




  path = api.secret_path(configured.namespace, configured.secret)
  made = {}
  problem = ""
  while True:
    try:
      key = found_key(client.get(path).get("data"), configured.secret)
      if key is not None:
        log(f"using the key in Secret {configured.secret}")
        return key
      made = made or make(configured.job)
      client.patch(path, fill(made), api.JSON_PATCH, MANAGER)
      log(f"created a key for Secret {configured.secret}")
      return base64.b64decode(made[PRIVATE])
    except api.ApiError as error:

      if time.monotonic() > deadline:
        raise CannotWorkError(f"the ssh key could not be read or made in time: {error}") from error
      if str(error) != problem:
        problem = str(error)
        log(f"{problem}; trying again")
    time.sleep(RETRY_SECONDS)


def found_key(data, name):

  if not data:
    return None
  if not data.get(PRIVATE):
    raise CannotWorkError(
      f"Secret {name} has data but no {PRIVATE}: add the key, or remove the data and let it be made"
    )
  return base64.b64decode(data[PRIVATE])


def fill(made):

  return [{"op": "test", "path": "/data", "value": None}, {"op": "add", "path": "/data", "value": made}]


def make(comment):

  if shutil.which("ssh-keygen") is None:
    raise CannotWorkError(
      "the image has no ssh-keygen: add openssh-client to it, "
      "or use ssh.secret.mode: existing with a Secret of your own"
    )
  with tempfile.TemporaryDirectory(dir=settings.RUN) as folder:
    path = Path(folder) / "key"
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", str(path)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
      raise CannotWorkError(f"ssh-keygen failed: {done.stderr.strip()}")
    return {PRIVATE: _encoded(path), PUBLIC: _encoded(path.with_suffix(".pub"))}


def _encoded(path):
  return base64.b64encode(path.read_bytes()).decode("ascii")


if __name__ == "__main__":
  sys.exit(main())
