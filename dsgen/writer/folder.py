"""Files below one folder, reached so that nothing in the folder leads outside it.

The folder that the user named is opened once; everything below it is reached from the descriptor of the folder above
it, without following a link. So a link changes nothing, even one that is put there after dsgen has looked. Where the
system has no such calls, on Windows, each part of a path is looked at before it is used; that protects from links that
are there already, not from a process that replaces a folder by a link at the same moment.
"""

import contextlib
import errno
import os
import re
import stat
from pathlib import Path
from typing import Self

from dsgen.errors import EXIT_FINDINGS, DsgenError
from dsgen.writer.paths import Place

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]  # what uses it asks first

BY_DESCRIPTOR = {os.open, os.stat, os.mkdir, os.rename, os.unlink, os.rmdir} <= os.supports_dir_fd
LARGEST = 64 * 2**20  # bytes of a file that is read; Kubernetes takes no object of more than about 1 MiB

# Never through a link, never waiting for the other end of a pipe. Flags that a system has not are left out.
_CAREFULLY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL
_NO_NAMES = ("", ".", "..")
_KINDS = {
    stat.S_IFLNK: "a link",
    stat.S_IFDIR: "a folder",
    stat.S_IFREG: "a file",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFBLK: "a device",
    stat.S_IFCHR: "a device",
}
_Handle = int | str  # a descriptor; without BY_DESCRIPTOR a path


class Refused(DsgenError):  # noqa: N818 - its message is shown as it is
    """Nothing was written, because something in the folder would be lost or a run would change."""

    exit_code = EXIT_FINDINGS


class Folder:
    """An open folder, which need not exist yet; paths are relative to it, with `/`.

    Raises Refused when something is in the way of a path, DsgenError when something cannot be read, and OSError when
    something cannot be written.
    """

    advice = "{path} is in the way: it is {what}. Move it, or choose another folder"

    def __init__(self, place: Place) -> None:
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
        """The content of a file; None when there is nothing."""
        above, name = self._above(path)
        try:
            found = None if above is None else _status(above, name)
            if above is None or found is None:
                return None
            self._refuse_other(path, found, largest)
            where, descriptor = _at(above, name)
            opened = os.open(where, os.O_RDONLY | _CAREFULLY, dir_fd=descriptor)
            with open(opened, "rb", buffering=0) as stream:  # noqa: PTH123 - by its descriptor
                self._refuse_other(path, os.fstat(opened), largest)
                return stream.readall()
        except OSError as error:
            raise _unreadable(self.place.path / path, error) from error

    def files(self, pattern: re.Pattern[str]) -> list[str]:
        """The names of all regular files directly in the folder that the pattern matches whole, sorted."""
        handle = self._handle(self.place.below)
        if handle is None:
            return []
        try:
            names = sorted(name for name in os.listdir(handle) if pattern.fullmatch(name))  # noqa: PTH208 - a descriptor
            return [name for name in names if _is_plain(_status(handle, name))]
        except OSError as error:
            raise _unreadable(self.place.path, error) from error

    def make(self, path: str = "") -> None:
        """Make a folder below this one, or this one, and those above it, where they are missing."""
        if self._handle("") is None:
            root = self.place.root
            self._made_above = [each for each in (root, *root.parents) if not each.exists()]
            root.mkdir(parents=True, exist_ok=True)
        above = ""
        for part in filter(None, self._full(path).split("/")):
            folder = f"{above}/{part}".lstrip("/")
            if self._handle(folder) is None:
                name, descriptor = _at(self._there(above), part)
                with contextlib.suppress(FileExistsError):  # another render made it
                    os.mkdir(name, dir_fd=descriptor)
                    self._made.append(folder)
            above = folder

    def undo(self) -> None:
        """Remove the folders that `make` has made, where they are empty."""
        for folder in reversed(self._made):
            above, _, name = folder.rpartition("/")
            where, descriptor = _at(self._there(above), name)
            with contextlib.suppress(OSError):
                os.rmdir(where, dir_fd=descriptor)
        for path in self._made_above:
            with contextlib.suppress(OSError):
                path.rmdir()

    def mode(self, path: str) -> int:
        """The permissions of a file that is there."""
        above, name = self._above(path)
        found = None if above is None else _status(above, name)
        if found is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        self._refuse_other(path, found, LARGEST)
        return stat.S_IMODE(found.st_mode)

    def create(self, name: str, content: bytes, durable: bool = False, mode: int | None = None) -> None:
        """Write a new file directly in the folder; durable: it is on the disk when this returns."""
        where, descriptor = _at(self._there(self.place.below), name)
        stream = open(os.open(where, _NEW | _CAREFULLY, 0o666, dir_fd=descriptor), "wb")  # noqa: PTH123, SIM115
        try:
            with stream:
                if mode is not None:
                    os.chmod(stream.fileno() if os.chmod in os.supports_fd else where, mode)  # noqa: PTH101 - a descriptor
                stream.write(content)
                if durable:
                    stream.flush()
                    os.fsync(stream.fileno())
        except BaseException:  # an interrupt, too, must not leave half a file
            os.unlink(where, dir_fd=descriptor)
            raise

    def rename(self, name: str, path: str) -> None:
        """Move a file that is directly in the folder to a path, over what may be there."""
        folder, _, new = self._full(path).rpartition("/")
        source, source_folder = _at(self._there(self.place.below), name)
        target, target_folder = _at(self._there(folder), new)
        os.replace(source, target, src_dir_fd=source_folder, dst_dir_fd=target_folder)

    def remove(self, path: str) -> None:
        """Remove a file; a link itself, not what it leads to."""
        above, name = self._above(path)
        if above is not None:
            where, folder = _at(above, name)
            with contextlib.suppress(FileNotFoundError):
                os.unlink(where, dir_fd=folder)

    def drop(self, path: str) -> None:
        """Remove a folder below this one if it is empty."""
        above, name = self._above(path)
        if above is not None:
            where, folder = _at(above, name)
            with contextlib.suppress(OSError):
                os.rmdir(where, dir_fd=folder)

    def lock(self, wait: bool) -> bool:
        """Keep other writers out until the folder is closed; whether nobody else is in it. Nothing without flock."""
        handle = self._handle(self.place.below)
        if fcntl is not None and isinstance(handle, int):
            try:
                fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            except OSError:  # a file system without locks
                return True
        return True

    def shown(self, path: str) -> str:
        """A path as the user would write it."""
        return str(self.place.path / path)

    def _full(self, path: str) -> str:
        return "/".join(part for part in (self.place.below, path) if part)

    def _above(self, path: str) -> tuple[_Handle | None, str]:
        """The folder of a path, None when there is none, and the last part of the path."""
        folder, _, name = self._full(path).rpartition("/")
        return self._handle(folder), name

    def _there(self, folder: str) -> _Handle:
        """A folder that dsgen has just seen or made."""
        handle = self._handle(folder)
        if handle is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), folder)
        return handle

    def _handle(self, folder: str) -> _Handle | None:
        """Opens a folder, given relative to the root, and those above it; None when it is not there."""
        if folder in self._handles:
            return self._handles[folder]
        if not folder:
            return self._root()
        above, _, name = folder.rpartition("/")
        parent = self._handle(above)
        shown = self.place.root / folder
        try:
            found = None if parent is None else _status(parent, name)
            if parent is None or found is None:
                return None
            if not stat.S_ISDIR(found.st_mode):
                raise self._refusal(shown, f"{_kind(found)}, not a folder")
            where, descriptor = _at(parent, name)
            opened = where if descriptor is None else os.open(where, _FOLDER | _CAREFULLY, dir_fd=descriptor)
        except OSError as error:
            raise _unreadable(shown, error) from error
        return self._handles.setdefault(folder, opened)

    def _root(self) -> _Handle | None:
        """The folder that the user named: it may be a link, and lie below one."""
        root = self.place.root
        if not root.is_dir():
            if found := _no_folder(root):
                raise self._refusal(*found)
            return None
        try:
            return self._handles.setdefault("", os.open(root, _FOLDER) if BY_DESCRIPTOR else str(root))
        except OSError as error:
            raise _unreadable(root, error) from error

    def _refuse_other(self, path: str, found: os.stat_result, largest: int) -> None:
        """Raises Refused for everything but a regular file of one name and not too large."""
        if not self._is_plain(found):
            raise self._refusal(self.place.path / path, _kind(found))
        if found.st_size > largest:
            raise self._refusal(self.place.path / path, f"larger than {largest >> 20} MiB")

    def _is_plain(self, found: os.stat_result) -> bool:
        return _is_plain(found)

    def _refusal(self, path: Path, what: str) -> Refused:
        return Refused(self.advice.format(path=path, what=what))


class SourceFolder(Folder):
    """A folder that the user's files are read from; one with a second name too, which copies of a checkout have."""

    advice = "{path} is {what}: dsgen reads only plain files below the folder of a repository"

    def _is_plain(self, found: os.stat_result) -> bool:
        return stat.S_ISREG(found.st_mode)


def _no_folder(path: Path) -> tuple[Path, str] | None:
    """What stands in the place of this folder or of one above and is none; None where nothing does."""
    there = next((each for each in (path, *path.parents) if os.path.lexists(each)), None)
    if there is None or there.is_dir():
        return None
    kind = _kind(there.stat()) if there.exists() else "a link that leads nowhere"
    return there, f"{kind}, not a folder"


def _unreadable(path: Path, error: OSError) -> DsgenError:
    return DsgenError(f"cannot read {path}: {error.strerror}")


def _kind(found: os.stat_result) -> str:
    kind = _KINDS.get(stat.S_IFMT(found.st_mode), "something else")
    return "a file with a second name (a hard link)" if kind == "a file" and found.st_nlink > 1 else kind


def _is_plain(found: os.stat_result | None) -> bool:
    """Whether this is a regular file of one name: a second one could be anywhere."""
    return found is not None and stat.S_ISREG(found.st_mode) and found.st_nlink == 1


def _at(folder: _Handle, name: str) -> tuple[str, int | None]:
    """How a call of `os` names something in a folder: a path, and the descriptor that it is relative to."""
    if "/" in name or name in _NO_NAMES:
        raise ValueError(f"not a name in a folder: {name!r}")
    return (name, folder) if isinstance(folder, int) else (str(Path(folder) / name), None)


def _status(folder: _Handle, name: str) -> os.stat_result | None:
    where, descriptor = _at(folder, name)
    try:
        return os.stat(where, dir_fd=descriptor, follow_symlinks=False)
    except FileNotFoundError:
        return None
