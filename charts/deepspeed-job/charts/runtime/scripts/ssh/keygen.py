"""Ensures that the job's Secret contains an ssh key, and writes the private key to the volume of the status container.

The launcher takes it from there, because a kubelet may bring the Secret only after a minute.

The Secret is rendered without data. If several launchers find it empty, one of them fills it with one request, and the
others use its key. Key material is never printed or passed in a command line.
"""

from __future__ import annotations

import base64
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from shared import backoff, exchange, settings
from shared.log import log
from ssh.key import NOT_MADE, PRIVATE, PUBLIC, write_private
from status import api

MANAGER = "dsgen-keygen"
RETRY_SECONDS = 0.2, 2.0  # the first and the longest


class CannotWorkError(Exception):
    """A retry would not help; the message is for the user."""


def provide(client: api.Api, configured: settings.Settings) -> None:
    """Write the key, or the reason why there is none, for the launcher."""
    try:
        key = obtain(client, configured, time.monotonic() + configured.start_timeout_seconds)
        write_private(settings.RUN / PRIVATE, key)
    except CannotWorkError as problem:
        log(str(problem))
        exchange.replace(settings.RUN / NOT_MADE, f"{problem}\n".encode())


def obtain(client: api.Api, configured: settings.Settings, deadline: float) -> bytes:
    """The private key from the Secret, generated if the Secret is empty.

    Raises CannotWorkError, also after `deadline` (monotonic).
    """
    path = api.format_path("secrets", configured.namespace, configured.secret)
    made: dict[str, str] = {}
    problem, delay = "", 0.0
    while True:
        try:
            key = find_key(client.get(path).get("data"), configured.secret)
            if key is not None:
                log(f"using the key in Secret {configured.secret}")
                return key
            made = made or make_key_pair(configured.job)
            client.patch(path, api.make_patch_of_empty(made), api.JSON_PATCH, MANAGER)
            log(f"created a key for Secret {configured.secret}")
            return base64.b64decode(made[PRIVATE])
        except api.ApiError as error:
            # 422: another launcher was first. Other errors may end: Secret, Role and API appear in any order.
            if time.monotonic() > deadline:
                raise CannotWorkError(f"the ssh key could not be read or made in time: {error}") from error
            if str(error) != problem:
                problem = str(error)
                log(f"{problem}; trying again")
        delay = backoff.lengthen(delay, *RETRY_SECONDS)
        time.sleep(delay)


def find_key(data: dict[str, str] | None, name: str) -> bytes | None:
    """The private key in the data of a Secret; None without data. Raises CannotWorkError for data without the key."""
    if not data:
        return None
    if not data.get(PRIVATE):
        raise CannotWorkError(
            f"Secret {name} has data but no {PRIVATE}: add the key, or remove the data and let it be made"
        )
    return base64.b64decode(data[PRIVATE])


def make_key_pair(comment: str) -> dict[str, str]:
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
        halves = {PRIVATE: path, PUBLIC: path.with_suffix(".pub")}
        return {name: base64.b64encode(half.read_bytes()).decode("ascii") for name, half in halves.items()}
