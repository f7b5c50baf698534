"""The ssh key in a pod: a copy of the private key, and the public key."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path

from shared import exchange

PRIVATE = "ssh-privatekey"
PUBLIC = "ssh-publickey"
NOT_MADE = "no-key-made"  # a file of the status container: why there will be no key
HOST_ALIAS = "dsgen-worker"  # HostKeyAlias of ssh_config: every worker has this one host key


class InvalidKeyError(Exception):
    """The private key cannot be used; the message is for the user and contains no key material."""


def write_private(path: Path, key: bytes) -> None:
    """Write a private key atomically, readable only by this user."""
    whole = key if key.endswith(b"\n") else key + b"\n"  # ssh refuses a key without its last newline
    exchange.replace(path, whole, mode=0o600)


def first_content(paths: Iterable[Path]) -> bytes | None:
    """The content of the first existing file that is not empty."""
    for path in paths:
        if path.is_file() and path.stat().st_size > 0:
            return path.read_bytes()
    return None


def public_half(path: Path) -> str:
    """Type and public key, without a comment. Raises InvalidKeyError.

    It is derived from the private key, because the Secret may lack it, or contain another one.
    """
    command = ["ssh-keygen", "-y", "-P", "", "-f", str(path)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    words = done.stdout.split()
    if done.returncode != 0 or len(words) < 2:
        raise InvalidKeyError(
            f"the private key cannot be used (is it protected by a passphrase?): {done.stderr.strip()}"
        )
    return " ".join(words[:2])
