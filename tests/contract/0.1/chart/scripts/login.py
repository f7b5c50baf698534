"""ssh.user: sshd runs as root, and the ranks as another user of the image."""

from __future__ import annotations

import os
import pwd
import shlex

import settings
from image import UnusableImageError, check_shell

SHADOW = settings.ROOT / "etc/shadow"


def user(name: str) -> pwd.struct_passwd | None:
    """The entry of ssh.user, None where it is the user of this process anyway.

    Raises UnusableImageError.
    """
    if not name:
        return None
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        raise UnusableImageError(
            f"ssh.user: this image has no user {name}: add it to the image (useradd --create-home {name}), create it "
            "in training.setup, or name another one"
        ) from None
    if entry.pw_uid == os.getuid():
        return None
    if os.getuid() != 0:
        raise UnusableImageError(
            f"ssh.user: only root can let ranks run as {name}, and this worker runs as user id {os.getuid()}: leave "
            f"ssh.user empty and set security.podSecurityContext.runAsUser: {entry.pw_uid}"
        )
    check_shell(entry)
    unlock(name)
    return entry


def unlock(name: str) -> None:
    """Let a user without a password in: sshd without PAM takes the `!` that useradd writes for a locked account.

    `*` is no password either, and no lock; it is what system users have. Only this container's file is changed.
    """
    try:
        lines = SHADOW.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return
    fields = next((line.split(":") for line in lines if line.startswith(f"{name}:")), ["", ""])
    if not fields[1].startswith("!"):
        return
    opened = ":".join([fields[0], "*", *fields[2:]])
    try:
        SHADOW.write_text("\n".join([opened if line.startswith(f"{name}:") else line for line in lines]) + "\n")
    except OSError as error:
        raise UnusableImageError(
            f"ssh.user: the account {name} is locked and sshd refuses it, and /etc/shadow cannot be changed "
            f"({error.strerror}): put `usermod -p '*' {name}` into the image"
        ) from None


def hand_over(entry: pwd.struct_passwd, key: bool) -> None:
    """Give the user what its sessions read: the worker's environment with a home of its own; the key if it needs it."""
    settings.RUN.chmod(0o1777)  # the user removes and renames nothing of root's
    environment, key_file = settings.RUN / "env", settings.RUN / "id"
    own = {"HOME": entry.pw_dir, "USER": entry.pw_name, "LOGNAME": entry.pw_name, "SHELL": entry.pw_shell}
    with environment.open("a", encoding="utf-8") as file:
        file.writelines(f"export {name}={shlex.quote(value)}\n" for name, value in own.items())
    given = [environment, settings.RUN / "authorized_keys", settings.RUN / "known_hosts", *([key_file] if key else [])]
    for path in given:  # root reads them all the same, and sshd takes a host key that is another's as it is
        os.chown(path, entry.pw_uid, entry.pw_gid)
