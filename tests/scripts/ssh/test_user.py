"""ssh.user: a worker runs as root, its ranks as another user, in a mount namespace with its own accounts."""

import os
import subprocess
from typing import Any

import pytest

pytestmark = pytest.mark.needs("root", "unshare", "setpriv")

PASSWD = "root:x:0:0::/:/bin/bash\nsshd:x:101:65534::/run/sshd:/usr/sbin/nologin\nclosed:x:1235:1235::/:/bin/false\n"
PUBLIC = ("authorized_keys", "known_hosts")
FILES = ("env", "id", *PUBLIC)
MOUNTS = 'for name in passwd shadow; do mount --bind "$DSGEN_ROOT/etc/$name" "/etc/$name" || exit; done; exec "$@"'


@pytest.fixture
def accounts(pod: Any) -> Any:
    """The pod with a user `trainer` that has no password, as useradd makes it: sshd takes that for a locked account."""
    (pod.root / "home").mkdir()
    os.chown(pod.root / "home", 1234, 1234)
    (pod.root / "etc/passwd").write_text(f"{PASSWD}trainer:x:1234:1234::{pod.root}/home:/bin/bash\n")
    (pod.root / "etc/shadow").write_text("root:*:1::::::\ntrainer:!:19000:0:99999:7:::\nclosed:!:1::::::\n")
    pod.run.chmod(0o777)
    pod.write_ssh_files("trainer")
    return pod


def start(pod: Any, **changes: Any) -> "subprocess.Popen[bytes]":
    pod.settings(**changes)
    pod.make_key()
    # Root of a container may not look into the processes of others (cap_38 is perfmon).
    blind = ("setpriv", "--bounding-set=-sys_ptrace,-sys_admin,-cap_38")
    within = ("unshare", "--mount", "sh", "-c", MOUNTS, "sh", *blind)
    process: subprocess.Popen[bytes] = pod.start(
        *within, "bash", pod.scripts / "shared/start.sh", SECRET="s3cret $x", HOME="/"
    )
    pod.wait_until(lambda: process.poll() is not None or pod.serves(), 30)
    return process


def test_a_session_is_the_users_with_the_workers_environment(accounts: Any) -> None:
    start(accounts, sshUser="trainer")

    done = accounts.ssh('id -un; pwd; echo "$HOME $USER $LOGNAME $SHELL"; echo "$SECRET"')

    home = f"{accounts.root}/home"
    assert done.stdout.splitlines() == ["trainer", home, f"{home} trainer trainer /bin/bash", "s3cret $x"]
    assert done.stderr == ""
    assert (accounts.root / "etc/shadow").read_text().splitlines()[1] == "trainer:*:19000:0:99999:7:::"


@pytest.mark.parametrize(("method", "readable"), [("pdsh", False), ("launcher-command", True)])
def test_the_key_is_the_users_only_where_its_own_program_may_need_it(
    accounts: Any, method: str, readable: bool
) -> None:
    start(accounts, sshUser="trainer", method=method)

    done = accounts.ssh(f"cat {accounts.run}/id >/dev/null && cd {accounts.run} && stat -c '%a %U' id")

    assert (done.returncode == 0) is readable
    assert done.stdout == ("600 trainer\n" if readable else "")
    found = {path.name: path.stat() for path in accounts.run.iterdir() if path.is_file()}
    modes = {name: (oct(found[name].st_mode & 0o777), found[name].st_uid) for name in FILES}
    owner = 1234 if readable else 0
    assert modes == {"env": ("0o640", 0), "id": ("0o600", owner), **dict.fromkeys(PUBLIC, ("0o644", 0))}


@pytest.mark.parametrize("method", ["pdsh", "launcher-command"])
def test_a_rank_cannot_read_the_secret(accounts: Any, method: str) -> None:
    """Its file is readable for all, or with an fsGroup for the user's group; the folder around it is not."""
    start(accounts, sshUser="trainer", method=method)
    secret = accounts.keys / "ssh-privatekey"
    os.chown(secret, 0, 1234)

    done = accounts.ssh(
        f"cat {secret} || ls {accounts.keys} {accounts.keys.parent} || chmod 777 {accounts.keys.parent}"
    )

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("ermission denied") + done.stderr.count("not permitted") == 4, done.stderr


ROOT_BY_NEW_KEY = """
cd RUN
ssh-keygen -q -t ed25519 -N '' -f ./mine
cat mine.pub >>authorized_keys
mv authorized_keys gone
rm -f authorized_keys
cat mine.pub >authorized_keys
echo 'touch RUN/rooted' >>env
ssh -F CONFIG/ssh_config -o IdentityFile=RUN/mine -o User=root cifar-1-worker-0 'touch RUN/rooted'
"""
ROOT_BY_THE_KEY = "ssh -F CONFIG/ssh_config -o User=root cifar-1-worker-0 'touch RUN/rooted'"


@pytest.mark.parametrize(
    ("method", "attack"), [("pdsh", ROOT_BY_NEW_KEY), ("launcher-command", ROOT_BY_THE_KEY)], ids=["new key", "own key"]
)
def test_a_rank_cannot_become_root(accounts: Any, method: str, attack: str) -> None:
    """Neither with a key that it adds, nor with that of the job, which launch.command may use among the workers."""
    start(accounts, sshUser="trainer", method=method)
    before = (accounts.run / "authorized_keys").read_bytes()

    done = accounts.ssh(attack.replace("RUN", str(accounts.run)).replace("CONFIG", str(accounts.config)))

    assert not (accounts.run / "rooted").exists(), done.stderr
    assert before == (accounts.run / "authorized_keys").read_bytes()
    assert "ermission denied" in done.stderr
    assert accounts.ssh("id -un").stdout == "trainer\n"


def test_a_private_umask_of_setup_does_not_lock_the_user_out(accounts: Any) -> None:
    (accounts.config / "setup.sh").write_text("umask 077\n")
    start(accounts, sshUser="trainer")
    assert accounts.ssh("id -u").stdout == "1234\n"


def test_sessions_of_the_user_end_with_the_worker(accounts: Any) -> None:
    """Root may not look into their environment where it lacks the capability; they are found all the same."""
    worker = start(accounts, sshUser="trainer", terminationGracePeriodSeconds=22)
    accounts.start(*accounts.ssh_argv("trap '' TERM; sleep 4301; true"))
    accounts.wait_until(lambda: accounts.marked("4301"))

    worker.terminate()

    assert worker.wait(20) == 143
    accounts.wait_until(lambda: not accounts.marked("4301"), 2)  # killed, and perhaps not collected yet


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nobody-there", "ssh.user: this image has no user nobody-there: add it to the image"),
        ("closed", "user closed cannot log in with the shell /bin/false"),
    ],
)
def test_a_user_that_cannot_log_in_ends_the_worker(accounts: Any, name: str, message: str) -> None:
    assert start(accounts, sshUser=name).wait(30) == 78
    assert message in accounts.termination_message()


def test_the_workers_own_user_needs_nothing(accounts: Any) -> None:
    accounts.write_ssh_files("root")
    start(accounts, sshUser="root")
    assert accounts.ssh("id -un; echo $HOME").stdout == "root\n/\n"


@pytest.mark.needs("setpriv")
def test_only_root_can_let_others_in(accounts: Any) -> None:
    for path in (accounts.run, accounts.root / "dev"):
        path.chmod(0o777)
    accounts.settings(sshUser="trainer")
    other = ("setpriv", "--reuid=1235", "--regid=1235", "--clear-groups")
    within = ("unshare", "--mount", "sh", "-c", MOUNTS, "sh", *other, "bash", accounts.scripts / "shared/start.sh")
    assert accounts.start(*within).wait(30) == 78
    assert (
        "only root can let ranks run as trainer, and this worker runs as user id 1235" in accounts.termination_message()
    )
