"""The public half of keys in all formats that ssh takes."""

import binascii
import subprocess
from pathlib import Path

import pytest

from ssh import key as keyfile

pytestmark = pytest.mark.needs("ssh-keygen")


def made(path: Path, *options: str, passphrase: str = "") -> str:
    """Make a key; returns type and public key."""
    subprocess.run(["ssh-keygen", "-q", "-N", passphrase, *options, "-f", str(path)], check=True)
    return " ".join(path.with_suffix(".pub").read_text().split()[:2])


@pytest.mark.parametrize(
    ("options", "written"),
    [
        (["-t", "ed25519"], True),
        (["-t", "rsa", "-b", "2048"], True),
        (["-t", "ecdsa", "-C", "a comment"], True),
        (["-t", "rsa", "-b", "2048", "-m", "PEM"], False),
    ],
)
def test_the_public_half_is_that_of_ssh_keygen(tmp_path: Path, options: list[str], written: bool) -> None:
    path = tmp_path / "key"
    public = made(path, *options)

    assert public == keyfile.derive_public_half(path)
    assert keyfile.read_public_half(path.read_bytes()) == (public if written else "")


@pytest.mark.parametrize("change", [lambda text: text.replace(b"\n", b"\r\n"), lambda text: b"\n" + text])
def test_a_key_with_other_line_ends_is_left_to_ssh_keygen(tmp_path: Path, change: object) -> None:
    made(tmp_path / "key", "-t", "ed25519")
    assert callable(change)

    assert keyfile.read_public_half(change((tmp_path / "key").read_bytes())) == ""


def framed(content: bytes) -> bytes:
    return b"\n".join([keyfile.OPENSSH_BEGIN, content, keyfile.OPENSSH_END])


@pytest.mark.parametrize(
    "content", [b"", keyfile.OPENSSH_BEGIN, framed(b"a"), framed(binascii.b2a_base64(keyfile.BEFORE_PUBLIC))]
)
def test_what_is_no_key_has_no_public_half(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "key"
    path.write_bytes(content)
    path.chmod(0o600)

    assert keyfile.read_public_half(content) == ""
    with pytest.raises(keyfile.InvalidKeyError, match="the private key cannot be used"):
        keyfile.derive_public_half(path)


def test_a_key_with_a_passphrase_is_refused(tmp_path: Path) -> None:
    made(tmp_path / "key", "-t", "ed25519", passphrase="of a user")

    with pytest.raises(keyfile.InvalidKeyError, match="is it protected by a passphrase"):
        keyfile.derive_public_half(tmp_path / "key")
