"""The place of a plan, and access to the files below it without following links, so that no path leads outside it.

Everything below the folder is opened relative to the descriptor of its parent, with O_NOFOLLOW. Windows has no such
calls: there, each part of a path is checked before its use, which does not detect a link created at the same moment.
"""

import contextlib
import errno
import os
import re
import stat
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from dsgen.errors import EXIT_FINDINGS, DsgenError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]  # tested before each use

BY_DESCRIPTOR = {os.open, os.stat, os.mkdir, os.rename, os.unlink, os.rmdir} <= os.supports_dir_fd
LARGEST = 64 * 2**20  # bytes of a file that is read; Kubernetes accepts objects up to about 1 MiB

# Do not follow links, and do not wait for the other end of a pipe. Flags that a system lacks are left out.
_CAREFULLY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL
_KINDS = {
    stat.S_IFLNK: "a link",
    stat.S_IFDIR: "a folder",
    stat.S_IFREG: "a file",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
}
_Handle = int | str  # a descriptor; without BY_DESCRIPTOR a path

DEEPEST, LONGEST = 8, 255
"""The parts of a path, not deeper than a chart, and the characters of a part."""
# Windows reserves these names, whatever follows the first dot, and Flux fails on a repository that contains one.
_DEVICES = re.compile(r"con|prn|aux|nul|com[0-9]|lpt[0-9]")
# What Git refuses to check out: its own folder, and the short name that Windows may give to it.
_OF_GIT = re.compile(r"\.git|git~[0-9]+")


@dataclass(frozen=True)
class Destination:
    """The place of a plan: the folder that the user named, which may be a link, and a path below it, without links."""

    root: Path
    below: str = ""

    @property
    def path(self) -> Path:
        """For messages."""
        return self.root / self.below


def name_folder(name: str) -> str:
    """The folder name for the name of a job or a namespace."""
    return f"{name}_" if _DEVICES.fullmatch(name) else name


def is_path(path: str) -> bool:
    """Whether a path, with `/`, is inside its folder and names the same place on every system."""
    parts = path.split("/")
    return path.isprintable() and len(parts) <= DEEPEST and all(map(_is_name, parts))


def _is_name(part: str) -> bool:
    """Whether a name is not empty, `.`, `..`, one of Git's, or another place on Windows.

    Windows drops dots and spaces at the end.
    """
    plain = part.lower()
    return (
        0 < len(part) <= LONGEST
        and part[-1] not in ". "
        and not re.search(r"[\\:]", part)
        and not _OF_GIT.fullmatch(plain)
        and not _DEVICES.fullmatch(plain.partition(".")[0].rstrip())
    )


class RefusedError(DsgenError):
    """Nothing was written, because a file would be lost or a run would change."""

    exit_code = EXIT_FINDINGS


class Folder:
    """An open folder, which may not exist yet; paths are relative to it, with `/`.

    Raises RefusedError for a path that is no regular file, DsgenError if reading fails, and OSError if writing fails.
    """

    advice = "{path} is in the way: it is {what}. Move it, or choose another folder"
    most_links = 1

    def __init__(self, place: Destination) -> None:
        self.place = place
        self._handles: dict[str, _Handle] = {}  # by path relative to the root
        self._made: list[str] = []
        self._made_above: list[Path] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for handle in self._handles.values():
            if isinstance(handle, int):
                os.close(handle)
        self._handles.clear()

    def read(self, path: str, largest: int = LARGEST) -> bytes | None:
        """The content of a file; None if it does not exist."""
        above, name = self._open_parent(path)
        try:
            status = None if above is None else _read_status(above, name)
            if above is None or status is None:
                return None
            self._refuse_other(path, status, largest)
            where, descriptor = _locate(above, name)
            opened = os.open(where, os.O_RDONLY | _CAREFULLY, dir_fd=descriptor)
            with open(opened, "rb", buffering=0) as stream:  # noqa: PTH123 - by its descriptor
                self._refuse_other(path, os.fstat(opened), largest)
                return stream.readall()
        except OSError as error:
            raise _make_read_error(self.place.path / path, error) from error

    def exists(self) -> bool:
        return self._open_folder(self.place.below) is not None

    def list_files(self, pattern: re.Pattern[str]) -> list[str]:
        """The names of the regular files directly in the folder that fully match the pattern, sorted."""
        names = sorted(entry.name for entry in self._list_entries("") if pattern.fullmatch(entry.name))
        try:
            return [name for name in names if self._is_plain(_read_status(self._open_existing(self.place.below), name))]
        except OSError as error:
            raise _make_read_error(self.place.path, error) from error

    def list_links(self, folder: str) -> list[str]:
        """The paths of all links directly in a folder below this one, which may not exist; "" for this one."""
        return [f"{folder}/{entry.name}".lstrip("/") for entry in self._list_entries(folder) if entry.is_symlink()]

    def _list_entries(self, folder: str) -> list[os.DirEntry[str]]:
        handle = self._open_folder(self._join_below(folder))
        try:
            with contextlib.nullcontext(()) if handle is None else os.scandir(handle) as entries:
                return list(entries)
        except OSError as error:
            raise _make_read_error(self.place.path / folder, error) from error

    def make(self, path: str = "") -> None:
        """Create this folder or one below it, with all missing parents."""
        if self._open_folder("") is None:
            root = self.place.root
            self._made_above = [each for each in (root, *root.parents) if not each.exists()]
            root.mkdir(parents=True, exist_ok=True)
        above = ""
        for part in filter(None, self._join_below(path).split("/")):
            folder = f"{above}/{part}".lstrip("/")
            if self._open_folder(folder) is None:
                name, descriptor = _locate(self._open_existing(above), part)
                with contextlib.suppress(FileExistsError):  # created by another process
                    os.mkdir(name, dir_fd=descriptor)
                    self._made.append(folder)
            above = folder

    def undo(self) -> None:
        """Remove the folders that `make` created, if they are empty."""
        for folder in reversed(self._made):
            self._delete(os.rmdir, folder, OSError)
        for path in self._made_above:
            with contextlib.suppress(OSError):
                path.rmdir()

    def read_mode(self, path: str) -> int:
        """The permissions of an existing file."""
        above, name = self._open_parent(path)
        status = None if above is None else _read_status(above, name)
        if status is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        self._refuse_other(path, status, LARGEST)
        return stat.S_IMODE(status.st_mode)

    def create(self, name: str, content: bytes, durable: bool = False, mode: int | None = None) -> None:
        """Write a new file directly in the folder; durable: it is synced to the disk before this returns."""
        where, descriptor = _locate(self._open_existing(self.place.below), name)
        stream = os.fdopen(os.open(where, _NEW | _CAREFULLY, 0o666, dir_fd=descriptor), "wb")
        try:
            with stream:
                if mode is not None:
                    os.chmod(stream.fileno() if os.chmod in os.supports_fd else where, mode)  # noqa: PTH101 - a descriptor
                stream.write(content)
                if durable:
                    stream.flush()
                    os.fsync(stream.fileno())
        except BaseException:  # also an interrupt must not leave a partial file
            os.unlink(where, dir_fd=descriptor)
            raise

    def rename(self, name: str, path: str) -> None:
        """Move a file that is directly in the folder to a path, replacing an existing file."""
        folder, _, new = self._join_below(path).rpartition("/")
        source, source_folder = _locate(self._open_existing(self.place.below), name)
        target, target_folder = _locate(self._open_existing(folder), new)
        os.replace(source, target, src_dir_fd=source_folder, dst_dir_fd=target_folder)

    def remove(self, path: str) -> None:
        """Remove a file; of a link, only the link."""
        self._delete(os.unlink, self._join_below(path), FileNotFoundError)

    def drop(self, path: str) -> None:
        """Remove a folder below this one if it is empty."""
        self._delete(os.rmdir, self._join_below(path), OSError)

    def _delete(self, call: Callable[..., None], path: str, accepted: type[OSError]) -> None:
        """Call a function that deletes for a path relative to the root, unless its folder does not exist."""
        folder, _, name = path.rpartition("/")
        above = self._open_folder(folder)
        if above is not None:
            where, descriptor = _locate(above, name)
            with contextlib.suppress(accepted):
                call(where, dir_fd=descriptor)

    def lock(self, wait: bool) -> bool:
        """Lock the folder until it is closed; whether the lock was obtained. Does nothing without flock."""
        handle = self._open_folder(self.place.below)
        if fcntl is not None and isinstance(handle, int):
            try:
                fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_SH | fcntl.LOCK_NB)
            except OSError as error:  # other errors: a file system without locks
                return not isinstance(error, BlockingIOError)
        return True

    def _join_below(self, path: str) -> str:
        return "/".join(part for part in (self.place.below, path) if part)

    def _open_parent(self, path: str) -> tuple[_Handle | None, str]:
        """The folder of a path, None if it does not exist, and the last part of the path."""
        folder, _, name = self._join_below(path).rpartition("/")
        return self._open_folder(folder), name

    def _open_existing(self, folder: str) -> _Handle:
        handle = self._open_folder(folder)
        if handle is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), folder)
        return handle

    def _open_folder(self, folder: str) -> _Handle | None:
        """Open a folder, relative to the root, and its parents; None if it does not exist."""
        if folder in self._handles:
            return self._handles[folder]
        if not folder:
            return self._open_root()
        above, _, name = folder.rpartition("/")
        parent = self._open_folder(above)
        shown = self.place.root / folder
        try:
            status = None if parent is None else _read_status(parent, name)
            if parent is None or status is None:
                return None
            if not stat.S_ISDIR(status.st_mode):
                raise self._make_refusal(shown, f"{_describe_kind(status)}, not a folder")
            where, descriptor = _locate(parent, name)
            opened = where if descriptor is None else os.open(where, _FOLDER | _CAREFULLY, dir_fd=descriptor)
        except OSError as error:
            raise _make_read_error(shown, error) from error
        return self._handles.setdefault(folder, opened)

    def _open_root(self) -> _Handle | None:
        """The folder that the user named; it may be a link, or below a link."""
        root = self.place.root
        try:
            if not root.is_dir():
                if blocking := _find_obstacle(root):
                    raise self._make_refusal(*blocking)
                return None
            return self._handles.setdefault("", os.open(root, _FOLDER) if BY_DESCRIPTOR else str(root))
        except OSError as error:
            raise _make_read_error(root, error) from error

    def _refuse_other(self, path: str, status: os.stat_result, largest: int) -> None:
        """Raise RefusedError unless this is a regular file without other hard links that is not too large."""
        if not self._is_plain(status):
            raise self._make_refusal(self.place.path / path, _describe_kind(status))
        if status.st_size > largest:
            raise self._make_refusal(self.place.path / path, f"larger than {largest >> 20} MiB")

    def _is_plain(self, status: os.stat_result | None) -> bool:
        """Whether this is a regular file without other hard links, which could be outside the folder.

        An open file without any link was replaced or removed by another process after it was opened.
        """
        return status is not None and stat.S_ISREG(status.st_mode) and status.st_nlink <= self.most_links

    def _make_refusal(self, path: Path, what: str) -> RefusedError:
        return RefusedError(self.advice.format(path=path, what=what))


class SourceFolder(Folder):
    """A folder from which files of the user are read, also hard links, which copies of a checkout may have."""

    advice = "{path} is {what}: dsgen reads only regular files of at most 16 MiB below the folder of a repository"

    most_links = sys.maxsize


def _find_obstacle(path: Path) -> tuple[Path, str] | None:
    """The first existing parent of a missing folder, and what it is; None if it is a folder."""
    there = next((each for each in (path, *path.parents) if os.path.lexists(each)), None)
    if there is None or there.is_dir():
        return None
    kind = _describe_kind(there.stat()) if there.exists() else "a link that leads nowhere"
    return there, f"{kind}, not a folder"


def _make_read_error(path: Path, error: OSError) -> DsgenError:
    return DsgenError(f"cannot read {path}: {error.strerror}")


def _describe_kind(status: os.stat_result) -> str:
    kind = _KINDS.get(stat.S_IFMT(status.st_mode), "a device")
    return "a file with a second name (a hard link)" if kind == "a file" and status.st_nlink > 1 else kind


def _locate(folder: _Handle, name: str) -> tuple[str, int | None]:
    """A name in a folder as arguments for functions of `os`: the path, and the descriptor to which it is relative."""
    if "/" in name or name in ("", ".", ".."):
        raise ValueError(f"not a name in a folder: {name!r}")
    return (name, folder) if isinstance(folder, int) else (str(Path(folder) / name), None)


def _read_status(folder: _Handle, name: str) -> os.stat_result | None:
    where, descriptor = _locate(folder, name)
    try:
        return os.stat(where, dir_fd=descriptor, follow_symlinks=False)
    except FileNotFoundError:
        return None
