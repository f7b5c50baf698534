"""Reads values files and `--set` flags as Helm does, and keeps the place of every value.

Other packages get the text of a file that the user names with `read_source`, and read it with `read`. Regular
files are read, and descriptors that are open already, such as /dev/fd/63. `find_root` and `find_places` find the
repository of jobs to which a file belongs.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator

from dsgen.errors import DsgenError
from dsgen.reading.nodes import SourceText
from dsgen.reading.yaml_reader import read as read

SETTINGS_FILE = "dsgen.yaml"
"""At the root of a repository."""
MAX_BYTES = 16 << 20
"""The largest file with values."""
_DESCRIPTORS = ("/dev/fd/", "/proc/self/fd/", "/dev/stdin")
"""A shell passes the output of a command as such a name: -f <(sops decrypt secrets.yaml)."""
_KINDS = {stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket", stat.S_IFDIR: "a folder"}


def read_bytes(path: str | os.PathLike[str], largest: int = MAX_BYTES) -> bytes:
    """The content of a file. Raises OSError if it is not a regular file, cannot be read or is too large."""
    is_open = os.fspath(path).startswith(_DESCRIPTORS)
    if not is_open and _leaves_repository(os.fspath(path)):
        raise OSError(errno.EINVAL, "it is a link to a file outside of this Git repository")
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


def _leaves_repository(path: str) -> bool:
    """Whether links lead from a Git working copy to a file that is not part of it.

    Who commits a link chooses its target, and messages show lines of the file.
    """
    target, root = os.path.realpath(path), os.path.dirname(os.path.abspath(path))
    while not os.path.lexists(os.path.join(root, ".git")):
        root, below = os.path.dirname(root), root
        if root == below:
            return False
    inside = os.path.join(os.path.realpath(root), "")
    return not target.startswith(inside) or target.startswith(os.path.join(inside, ".git", ""))


def read_standard_input() -> bytes:
    """The content of standard input. Raises OSError if it is closed, cannot be read or is too large."""
    if sys.stdin is None:
        raise OSError(errno.EBADF, "it is closed")
    content = sys.stdin.buffer.read(MAX_BYTES + 1)
    check_size(content)
    return content


def read_source(path: str | None, shown: str) -> SourceText:
    """The text of a file, without a path of standard input. Raises DsgenError if it cannot be read."""
    try:
        return SourceText.from_bytes(shown, read_standard_input() if path is None else read_bytes(path))
    except OSError as error:
        raise DsgenError(f"cannot read {shown}: {error.strerror}") from error


def check_size(content: bytes, largest: int = MAX_BYTES) -> None:
    """Raises OSError if a content has more bytes."""
    if len(content) > largest:
        raise OSError(errno.EFBIG, f"it has more than {largest >> 20} MiB, the limit for values")


def find_root(folder: str) -> str | None:
    """The nearest folder with a dsgen.yaml: this one, or a parent up to the root of a Git working copy."""
    return next(find_roots(folder), None)


def find_roots(folder: str) -> Iterator[str]:
    """All these folders, the nearest first."""
    here, below = os.path.realpath(folder), ""
    while here != below:
        if _has_settings(here):
            yield here
        below, here = here, here if os.path.lexists(os.path.join(here, ".git")) else os.path.dirname(here)


def find_places(file: str) -> list[tuple[str, str]]:
    """The places of a file in repositories: the root of each, and the path below it, with `/`.

    For a link, the first place is that of the link, the second that of its target.
    """
    if not os.path.isfile(file):
        return []
    folder, name = os.path.split(file)
    paths = (os.path.join(os.path.realpath(folder or "."), name), os.path.realpath(file))
    found = ((find_root(os.path.dirname(path)), path) for path in dict.fromkeys(paths))
    return [(root, os.path.relpath(path, root).replace(os.sep, "/")) for root, path in found if root]


def _has_settings(folder: str) -> bool:
    """Whether a folder has a dsgen.yaml; that of another user does not count where all users may create files."""
    settings = os.path.join(folder, SETTINGS_FILE)
    if not os.path.lexists(settings):
        return False
    mode = os.stat(folder).st_mode
    is_shared = mode & stat.S_ISVTX and mode & stat.S_IWOTH
    return not is_shared or os.lstat(settings).st_uid == os.geteuid()
