"""Init container of the launcher pod: ensures that the job's Secret contains an ssh key, and writes the private key to
the volume of this container, for the launcher.

The Secret is rendered without data. If several launchers find it empty, one of them fills it with one request, and the
others use its key. Key material is never printed or passed in a command line.
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

if __name__ == "__main__":
    sys.path.append(str(Path(__file__).parents[1]))  # the folder of the packages, behind those of Python

from shared import exchange, settings
from shared import key as keyfile
from shared.key import PRIVATE, PUBLIC
from shared.log import last_words, log
from status import api

MANAGER = "dsgen-keygen"
RETRY_SECONDS = 2
CANNOT_WORK = 78
FAILED = "no-key-made"


class CannotWorkError(Exception):
    """A retry would not help; the message is for the user."""


def main() -> int:
    signal.signal(signal.SIGTERM, lambda *_: os._exit(143))  # process 1 ignores signals without a handler
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
    """The private key from the Secret, generated if the Secret is empty.

    Raises CannotWorkError, also after `deadline` (monotonic).
    """
    path = api.secret_path(configured.namespace, configured.secret)
    made: dict[str, str] = {}
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
            # 422: another launcher was first. Other errors may end: Secret, Role and API appear in any order.
            if time.monotonic() > deadline:
                raise CannotWorkError(f"the ssh key could not be read or made in time: {error}") from error
            if str(error) != problem:
                problem = str(error)
                log(f"{problem}; trying again")
        time.sleep(RETRY_SECONDS)


def found_key(data: dict[str, str] | None, name: str) -> bytes | None:
    """The private key in the data of a Secret; None without data. Raises CannotWorkError for data without the key."""
    if not data:
        return None
    if not data.get(PRIVATE):
        raise CannotWorkError(
            f"Secret {name} has data but no {PRIVATE}: add the key, or remove the data and let it be made"
        )
    return base64.b64decode(data[PRIVATE])


def fill(made: dict[str, str]) -> list[dict[str, Any]]:
    """The patch that fills a Secret only if it has no data."""
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
