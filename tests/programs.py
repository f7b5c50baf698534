"""The programs that some tests need, each with the Debian package that has it.

Where one is missing, those tests are skipped, and one line at the start of the run says what to install. In CI the run
fails instead. `root` is the user.
"""

import os
import shutil

import pytest

PACKAGES = {
    "cc": "gcc",
    "fish": "fish",
    "ip": "iproute2",
    "npm": "npm",
    "openssl": "openssl",
    "pdsh": "pdsh",
    "rsvg-convert": "librsvg2-bin",
    "setpriv": "util-linux",
    "ssh": "openssh-client",
    "ssh-keygen": "openssh-client",
    "sshd": "openssh-server",
    "unshare": "util-linux",
    "zsh": "zsh",
}


SBIN = "/usr/local/sbin:/usr/sbin:/sbin"
"""Where the programs of root are, which not everybody has on the PATH."""


def find(program: str) -> str | None:
    """The path of a program."""
    return shutil.which(program, path=f"{os.environ['PATH']}:{SBIN}")


def require(*programs: str) -> None:
    """Skip the calling test where a program is missing, or where nobody is root."""
    if "root" in programs and os.getuid() != 0:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("only root can run them")
    missing = [program for program in programs if program != "root" and not find(program)]
    if missing:
        pytest.skip(f"not installed: {' '.join(sorted({PACKAGES[program] for program in missing}))}")


def explain_missing() -> str:
    """One line about all that is missing, or an empty text."""
    missing = [program for program in PACKAGES if not find(program)]
    packages = " ".join(sorted({PACKAGES[program] for program in missing}))
    return f"the tests of {', '.join(missing)} are skipped; to run them: apt-get install {packages}" if missing else ""
