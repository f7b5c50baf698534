"""The ssh key in a pod: a copy of the private key, and the public key."""

from __future__ import annotations

import binascii
from collections.abc import Iterable
from pathlib import Path

from shared import exchange

PRIVATE = "ssh-privatekey"
PUBLIC = "ssh-publickey"
NOT_MADE = "no-key-made"  # a file of the status container: why there will be no key
HOST_ALIAS = "dsgen-worker"  # HostKeyAlias of ssh_config: every worker has this one host key

OPENSSH_BEGIN, OPENSSH_END = b"-----BEGIN OPENSSH PRIVATE KEY-----", b"-----END OPENSSH PRIVATE KEY-----"
# What is before the public key, see PROTOCOL.key of OpenSSH: cipher and key derivation "none", no options, one key.
BEFORE_PUBLIC = b"openssh-key-v1\0" + 2 * b"\0\0\0\4none" + b"\0\0\0\0" + b"\0\0\0\1"


class InvalidKeyError(Exception):
    """The private key cannot be used; the message is for the user and contains no key material."""


def write_private(path: Path, key: bytes) -> None:
    """Write a private key atomically, readable only by this user."""
    whole = key if key.endswith(b"\n") else key + b"\n"  # ssh refuses a key without its last newline
    exchange.replace(path, whole, mode=0o600)


def read_first_content(paths: Iterable[Path]) -> bytes | None:
    """The content of the first existing file that is not empty."""
    for path in paths:
        if path.is_file() and path.stat().st_size > 0:
            return path.read_bytes()
    return None


def derive_public_half(path: Path) -> str:
    """Type and public key, without a comment, as ssh-keygen derives them. Raises InvalidKeyError.

    It is not read from the Secret, which may lack it, or contain another one.
    """
    import subprocess  # takes a tenth of the start of a worker, and is rarely needed there

    command = ["ssh-keygen", "-y", "-P", "", "-f", str(path)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    words = done.stdout.split()
    if done.returncode != 0 or len(words) < 2:
        raise InvalidKeyError(
            f"the private key cannot be used (is it protected by a passphrase?): {done.stderr.strip()}"
        )
    return " ".join(words[:2])


def read_public_half(key: bytes) -> str:
    """Type and public key that a file in OpenSSH's format without a passphrase contains; "" for another file.

    Whether the private key is whole and belongs to it is not checked; ssh-keygen, which does, takes half as long as the
    start of sshd.
    """
    lines = key.split(b"\n")
    if lines[0] != OPENSSH_BEGIN or OPENSSH_END not in lines:
        return ""
    try:
        content = binascii.a2b_base64(b"".join(lines[1 : lines.index(OPENSSH_END)]))
    except binascii.Error:
        return ""
    if not content.startswith(BEFORE_PUBLIC):
        return ""
    public = _read_string(content[len(BEFORE_PUBLIC) :])
    kind = _read_string(public).decode("latin-1")
    return f"{kind} {binascii.b2a_base64(public, newline=False).decode()}" if kind else ""


def _read_string(data: bytes) -> bytes:
    """The string at the beginning, after its length of four bytes (RFC 4251, section 5)."""
    return data[4 : 4 + int.from_bytes(data[:4], "big")]
