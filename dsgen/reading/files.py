"""Reads files that the user names: regular files, and descriptors that are open already, such as /dev/fd/63."""

from __future__ import annotations

import errno
import os
import stat
import sys

MAX_BYTES = 16 << 20
"""The largest file with values."""
_DESCRIPTORS = ("/dev/fd/", "/proc/self/fd/", "/dev/stdin")
"""A shell passes the output of a command as such a name: -f <(sops decrypt secrets.yaml)."""
_KINDS = {stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket", stat.S_IFDIR: "a folder"}


def read_bytes(path: str | os.PathLike[str], largest: int = MAX_BYTES) -> bytes:
    """The content of a file. Raises OSError if it is not a regular file, cannot be read or is too large."""
    is_open = os.fspath(path).startswith(_DESCRIPTORS)
    # Without O_NONBLOCK, opening a named pipe waits for a writer.
    wait = 0 if is_open else getattr(os, "O_NONBLOCK", 0)
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | wait)) as file:
        kind = stat.S_IFMT(os.fstat(file.fileno()).st_mode)
        if kind != stat.S_IFREG and not is_open:
            what = _KINDS.get(kind, "a device")
            raise OSError(errno.EINVAL, f"it is {what}, but only regular files and standard input are read")
        content = file.read(largest + 1)
    check_size(content, largest)
    return content


def read_standard_input() -> bytes:
    """The content of standard input. Raises OSError if it is closed, cannot be read or is too large."""
    if sys.stdin is None:
        raise OSError(errno.EBADF, "it is closed")
    content = sys.stdin.buffer.read(MAX_BYTES + 1)
    check_size(content)
    return content


def check_size(content: bytes, largest: int = MAX_BYTES) -> None:
    """Raises OSError if a content has more bytes."""
    if len(content) > largest:
        raise OSError(errno.EFBIG, f"it has more than {largest >> 20} MiB, the limit for values")
