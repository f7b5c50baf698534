"""Init container of the launcher pod: see that the job's Secret holds an ssh key, and leave the private key to
the launcher, in this container's own volume.

The Secret is rendered without data. Of several launchers that find it so, one fills it in one request and the others
use its key. Nothing here prints key material or puts it into a command line.
"""

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
    """Trying again would not help; the message is for the user."""


def main() -> int:
    signal.signal(signal.SIGTERM, lambda *_: os._exit(143))  # as process 1 it would be ignored otherwise
    configured = settings.load()
    deadline = time.monotonic() + configured.start_timeout_seconds
    try:
        key = obtain(api.in_cluster(), configured, deadline)
        keyfile.write_private(settings.RUN / PRIVATE, key)
    except CannotWorkError as problem:
        log(str(problem))
        exchange.replace(settings.RUN / FAILED, f"{problem}\n".encode())  # for the sidecar: see absent.py
        last_words(settings.TERMINATION_LOG, str(problem))
        return CANNOT_WORK
    return 0


def obtain(client: api.Api, configured: settings.Settings, deadline: float) -> bytes:
    """The private key that the Secret holds in the end.

    Raises CannotWorkError, also when `deadline` (monotonic) passes.
    """
    path = api.secret_path(configured.namespace, configured.secret)
    made: dict[str, str] = {}
    problem = ""
    while True:
        try:
            found = found_key(client.get(path).get("data"), configured.secret)
            if found is not None:
                log(f"using the key in Secret {configured.secret}")
                return found
            made = made or make(configured.job)
            client.patch(path, fill(made), api.JSON_PATCH, MANAGER)
            log(f"made a key for Secret {configured.secret}")
            return base64.b64decode(made[PRIVATE])
        except api.ApiError as error:
            # 422: another launcher was first. All else can be a matter of time: Secret, Role and API come in any order.
            if time.monotonic() > deadline:
                raise CannotWorkError(f"the ssh key could not be read or made in time: {error}") from error
            if str(error) != problem:
                problem = str(error)
                log(f"{problem}; trying again")
        time.sleep(RETRY_SECONDS)


def found_key(data: dict[str, str] | None, name: str) -> bytes | None:
    """The private key in a Secret's data; None where there is no data. Raises CannotWorkError for data without it."""
    if not data:
        return None
    if not data.get(PRIVATE):
        raise CannotWorkError(
            f"Secret {name} has data but no {PRIVATE}: add the key, or remove the data and let it be made"
        )
    return base64.b64decode(data[PRIVATE])


def fill(made: dict[str, str]) -> list[dict[str, Any]]:
    """The patch that fills a Secret without data, and no other."""
    return [{"op": "test", "path": "/data", "value": None}, {"op": "add", "path": "/data", "value": made}]


def make(comment: str) -> dict[str, str]:
    """A new ed25519 key pair as the data of a Secret. Raises CannotWorkError."""
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


def _encoded(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode("ascii")


if __name__ == "__main__":
    sys.exit(main())
