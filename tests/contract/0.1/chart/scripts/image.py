"""What an image must have so that its pods can serve ssh; each missing thing with what to do about it."""

from __future__ import annotations

import os
import pwd
import shutil
from pathlib import Path

from settings import ROOT

SBIN = "/usr/sbin:/usr/local/sbin:/sbin"  # where sshd lies and the PATH of a user may not look


class UnusableImageError(Exception):
    """The message says what is missing and what to do."""


def find_sshd() -> str:
    """The absolute path of sshd, which starts itself again by that path for every login."""
    found = shutil.which("sshd") or shutil.which("sshd", path=SBIN)
    if not found:
        raise UnusableImageError(
            "there is no sshd in this image: use an image with openssh-server, or install it in training.setup "
            "(apt-get update && apt-get install -y openssh-server), which needs root"
        )
    return found


def check_tools() -> None:
    """The other programs that a worker runs."""
    for tool in ("ssh-keygen", "bash"):
        if not shutil.which(tool):
            raise UnusableImageError(
                f"there is no {tool} in this image: add it to the image or install it in training.setup"
            )


def check_user() -> None:
    """sshd lets a user in only with a passwd entry, a shell, and no lock on the account."""
    uid = os.getuid()
    try:
        user = pwd.getpwuid(uid)
    except KeyError:
        raise UnusableImageError(
            f"user id {uid} has no entry in /etc/passwd, so ssh cannot log in: set ssh.passwdEntry: auto, "
            "give security.podSecurityContext a runAsUser that the image knows, or add the user to the image"
        ) from None
    check_shell(user)
    if uid == 0 and root_is_locked(ROOT / "etc/shadow"):
        raise UnusableImageError(
            "the root account of this image is locked and sshd refuses it: put `usermod -p '*' root` into "
            "training.setup, or run as another user"
        )


def check_shell(user: pwd.struct_passwd) -> None:
    """sshd starts commands with the user's shell."""
    shell = user.pw_shell or "/bin/sh"
    if Path(shell).name in ("nologin", "false") or not os.access(shell, os.X_OK):
        raise UnusableImageError(
            f"user {user.pw_name} cannot log in with the shell {shell}: set ssh.passwdEntry: auto, "
            "or give the user a shell in the image's /etc/passwd"
        )


def root_is_locked(shadow: Path) -> bool:
    """Whether sshd without PAM refuses root: its password in the shadow file begins with an exclamation mark."""
    try:
        lines = shadow.read_text().splitlines()
    except OSError:
        return False
    return any(line.startswith("root:!") for line in lines)
