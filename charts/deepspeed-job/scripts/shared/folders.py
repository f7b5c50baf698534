"""Notices of the kernel that a file has come, instead of looks again and again."""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path


def watch(folder: Path) -> None:
    """Have the kernel send SIGIO when a file is moved within the folder, as all are that are replaced atomically.

    Other containers and the kubelet may have moved it. Where the kernel cannot say so, or there is no such folder,
    whoever waits sees the file at the next look. The caller has blocked SIGIO, which otherwise ends the process.
    """
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)  # open as long as this process lives
        fcntl.fcntl(descriptor, fcntl.F_NOTIFY, fcntl.DN_RENAME | fcntl.DN_MULTISHOT)
