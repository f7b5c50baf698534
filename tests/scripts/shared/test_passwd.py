"""passwd.sh writes an entry with which ssh works, whatever the image and the container runtime wrote."""

import os
import shutil
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest

ME = f"{os.getuid()}:{os.getgid()}"
OTHERS = "root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534::/:/usr/sbin/nologin\n"
if os.getuid() == 0:
    OTHERS = OTHERS.partition("\n")[2]


def passwd(pod: Any, text: str) -> str:
    """The file that comes out of an image's /etc/passwd."""
    (pod.root / "etc/passwd").write_text(text)
    subprocess.run(["bash", pod.scripts / "shared/passwd.sh"], env=pod.environment, check=True, capture_output=True)
    return (pod.run / "passwd").read_text()


def entry(pod: Any) -> str:
    bash = subprocess.run(["bash", "-c", "command -v bash"], capture_output=True, text=True, check=True).stdout.strip()
    return f"dsgen:x:{ME}::{pod.run}/cache/home:{bash}\n"


@pytest.mark.parametrize("shell", ["/bin/bash", "/bin/sh", ""])
def test_a_good_entry_stays(pod: Any, shell: str) -> None:
    text = f"{OTHERS}me:x:{ME}:Me:{pod.root}:{shell}\n# not an entry"
    assert passwd(pod, text) == text


def test_an_unknown_user_gets_an_entry(pod: Any) -> None:
    assert passwd(pod, OTHERS) == entry(pod) + OTHERS


def test_a_last_line_without_newline_stays_a_line(pod: Any) -> None:
    assert passwd(pod, OTHERS.rstrip("\n")) == entry(pod) + OTHERS


@pytest.mark.parametrize(
    ("home", "shell"),
    [
        ("/", "/sbin/nologin"),
        ("ROOT", "/usr/sbin/nologin"),
        ("ROOT", "/bin/false"),
        ("ROOT", "/no/shell"),
        ("/no/home", "/bin/bash"),
    ],
)
def test_an_entry_without_shell_or_home_is_replaced(pod: Any, home: str, shell: str) -> None:
    line = f"1000650000:x:{ME}:of the runtime:{home.replace('ROOT', str(pod.root))}:{shell}\n"
    assert passwd(pod, OTHERS + line) == entry(pod) + OTHERS


def test_the_first_entry_counts(pod: Any) -> None:
    good = f"me:x:{ME}::{pod.root}:/bin/bash\n"
    bad = f"bad:x:{ME}::/:/sbin/nologin\n"
    assert passwd(pod, good + bad) == good + bad
    assert passwd(pod, bad + good) == entry(pod)


def test_all_may_read_the_file(pod: Any) -> None:
    previous = os.umask(0o077)
    try:
        passwd(pod, OTHERS)
    finally:
        os.umask(previous)
    assert stat.S_IMODE((pod.run / "passwd").stat().st_mode) == 0o644


def test_it_says_when_it_cannot_write(pod: Any) -> None:
    (pod.root / "etc/passwd").write_text(OTHERS)
    shutil.rmtree(pod.run)
    done = subprocess.run(
        ["bash", pod.scripts / "shared/passwd.sh"], env=pod.environment, capture_output=True, check=False
    )
    assert done.returncode == 78


@pytest.mark.needs("root", "unshare", "setpriv")
@pytest.mark.parametrize("line", ["", "1000650000:x:1000650000:0:runtime user:/:/sbin/nologin\n"])
def test_sshd_as_a_user_that_the_image_does_not_know(pod: Any, line: str) -> None:
    """The whole way: passwd file made by that user, mounted over /etc/passwd, sshd run by that user, a login."""
    (pod.root / "etc/passwd").write_text(Path("/etc/passwd").read_text() + line)
    for path in (pod.run, pod.root / "dev"):
        path.chmod(0o777)
    user = ["setpriv", "--reuid=1000650000", "--regid=0", "--clear-groups"]
    subprocess.run([*user, "bash", pod.scripts / "shared/passwd.sh"], env=pod.environment, check=True)
    assert (pod.run / "passwd").stat().st_uid == 1000650000
    pod.make_key()
    mount = 'mount --bind "$DSGEN_ROOT/run/dsgen/passwd" /etc/passwd && exec "$@"'
    pod.start("unshare", "--mount", "bash", "-c", mount, "bash", *user, "bash", pod.scripts / "shared/start.sh")
    pod.wait_until(pod.serves)
    assert pod.ssh("id -un; id -u", "-l", "dsgen").stdout.split() == ["dsgen", "1000650000"]
