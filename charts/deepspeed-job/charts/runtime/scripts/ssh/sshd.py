"""Prepares sshd in a worker: programs of the image, a user that can log in, keys, and the command line.

Everything that is missing is reported with a hint.
"""

from __future__ import annotations

import os
import pwd
import re
import shlex
from pathlib import Path

from shared import methods, settings
from ssh import key as keyfile
from worker.exit import CANNOT_WORK, WorkerExitError

SHADOW = settings.ROOT / "etc/shadow"
# Options that sshd knows from a version on. The first bounds what one address can take of MaxStartups. Without the
# second, sshd would hold off an address that connects without logging in, as a waiting launcher does.
OPTIONS = (((8, 5), "PerSourceMaxStartups=16"), ((9, 8), "PerSourcePenalties=no"))
VERSION = re.compile(rb"OpenSSH_(\d+)\.(\d+)p\d")
# Logins that have not proved anything: the launcher makes few at a time, launch.command may make one from each worker.
LOGINS = 32
SBIN = "/usr/sbin:/usr/local/sbin:/sbin"  # where sshd lies and the PATH of a user may not look


class UnusableImageError(WorkerExitError):
    """The message says what is missing and what to do."""

    def __init__(self, message: str) -> None:
        super().__init__(CANNOT_WORK, message)


def derive_public_half(secret: str) -> str:
    """The public key of the staged one, which is that of the Secret."""
    try:
        return keyfile.derive_public_half(settings.RUN / "id")
    except keyfile.InvalidKeyError as error:
        raise WorkerExitError(CANNOT_WORK, f"secret {secret}: {error}") from None


def find_sshd() -> str:
    """The absolute path of sshd, which starts itself again by that path for every login."""
    path = methods.find_program("sshd") or methods.find_program("sshd", path=SBIN)
    if not path:
        raise UnusableImageError(
            "there is no sshd in this image: use an image with openssh-server, or install it in training.setup "
            "(apt-get update && apt-get install -y openssh-server), which needs root"
        )
    return path


def check_tools() -> None:
    """The other programs that a worker runs."""
    for tool in ("ssh-keygen", "bash"):
        if not methods.find_program(tool):
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
    if uid == 0 and is_locked("root"):
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


def is_locked(name: str) -> bool:
    """Whether sshd without PAM refuses a user: its password in the shadow file begins with an exclamation mark."""
    try:
        return bool(re.search(f"(?m)^{re.escape(name)}:!", SHADOW.read_text(encoding="utf-8")))
    except OSError:
        return False


def find_other_user(name: str) -> pwd.struct_passwd | None:
    """The passwd entry of ssh.user: sshd runs as root, and the ranks as this user. None if it is root, too.

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
    if not is_locked(name):
        return
    try:
        opened = re.sub(rf"(?m)^({re.escape(name)}:)[^:\n]*", r"\1*", SHADOW.read_text(encoding="utf-8"))
        SHADOW.write_text(opened, encoding="utf-8")
    except OSError as error:
        raise UnusableImageError(
            f"ssh.user: the account {name} is locked and sshd refuses it, and /etc/shadow cannot be changed "
            f"({error.strerror}): put `usermod -p '*' {name}` into the image"
        ) from None


def share_files(entry: pwd.struct_passwd, key: bool) -> None:
    """Let the user read what its sessions need, and change nothing of it; make it the owner of the key if wanted.

    The key can then do no more than the user, because of AllowUsers.
    """
    settings.RUN.chmod(0o1777)  # the user removes and renames nothing of root's
    environment = settings.RUN / "env"
    own = {"HOME": entry.pw_dir, "USER": entry.pw_name, "LOGNAME": entry.pw_name, "SHELL": entry.pw_shell}
    with environment.open("a", encoding="utf-8") as file:
        file.writelines(f"export {name}={shlex.quote(value)}\n" for name, value in own.items())
    os.chown(environment, -1, entry.pw_gid)
    environment.chmod(0o640)
    for name in ("authorized_keys", "known_hosts"):
        (settings.RUN / name).chmod(0o644)
    if key:  # ssh wants a key of one's own that nobody else can read; sshd does not care about a host key of others
        os.chown(settings.RUN / "id", entry.pw_uid, entry.pw_gid)


def stage(key: bytes, secret: str) -> None:
    """Put the job's one key pair where sshd.conf and client.conf look for it: it is user key and host key alike."""
    keyfile.write_private(settings.RUN / "id", key)
    public = keyfile.read_public_half(key) or derive_public_half(secret)
    (settings.RUN / "authorized_keys").write_text(f"{public}\n")
    (settings.RUN / "known_hosts").write_text(f"{keyfile.HOST_ALIAS} {public}\n")


def make_command(sshd: str, run: settings.Settings, options: int) -> list[str]:
    """sshd in the foreground with its log on standard error, what depends on the run, and so many of OPTIONS."""
    logins = LOGINS + (run.workers + run.spares if methods.choose_method(run).whole else 0)
    own = [f"Port={run.ssh_port}", f"MaxStartups={logins}:30:{2 * logins}"]
    own += [f"AllowUsers={run.ssh_user}"] if run.ssh_user else []
    words = [word for option in (*own, *(option for _, option in OPTIONS[:options])) for word in ("-o", option)]
    return [sshd, "-D", "-e", "-f", str(settings.SCRIPTS / "ssh/sshd.conf"), *words]


def choose_first_command(sshd: str, run: settings.Settings) -> list[str]:
    """The command for the version that is written in the program: to ask sshd takes as long as to start it.

    Raises what find_tested_command does if there is none.
    """
    if os.getuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, parents=True, exist_ok=True)  # for Debian's sshd as root
    found = VERSION.search(Path(sshd).read_bytes())
    if not found:
        return find_tested_command(sshd, run)
    version = int(found[1]), int(found[2])
    return make_command(sshd, run, sum(version >= since for since, _ in OPTIONS))


def find_tested_command(sshd: str, run: settings.Settings) -> list[str]:
    """The command with as many options as sshd accepts, if it can start with the key. Raises WorkerExitError."""
    import subprocess  # takes a tenth of the start of a worker, and is rarely needed

    derive_public_half(run.secret)
    for options in range(len(OPTIONS), -1, -1):
        tested = make_command(sshd, run, options)
        test = subprocess.run([*tested, "-t"], capture_output=True, text=True, check=False)
        if not test.returncode:
            return tested
    raise UnusableImageError(f"sshd cannot start: {' '.join(test.stderr.split())}")
