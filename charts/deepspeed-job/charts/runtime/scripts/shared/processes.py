"""Descendants of this process: starts them, finds them in /proc, reaps and ends them. Ends this process, too."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

try:
    import ctypes
except ImportError:  # a Python without libffi: orphans are then found only by their process session
    ctypes = None  # type: ignore[assignment]  # mypy does not support optional modules

if TYPE_CHECKING:
    import pwd

# prctl(2)
SET_PDEATHSIG = 1
SET_CHILD_SUBREAPER = 36


class ProcessStat(NamedTuple):
    """Fields of /proc/PID/stat: process id, parent, process session, and the state letter."""

    pid: int
    parent: int
    session: int
    state: str


def call_prctl(option: int, argument: int) -> None:
    """Linux prctl(2), if this Python can call it."""
    if ctypes is not None:
        ctypes.CDLL(None).prctl(option, argument, 0, 0, 0)


def adopt_orphans() -> None:
    """Make orphaned descendants children of this process, whatever their group or session."""
    call_prctl(SET_CHILD_SUBREAPER, 1)


def open_wakeup_pipe() -> int:
    """The end of a pipe that can be read when a process has ended, or another signal with a handler has come."""
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    signal.set_wakeup_fd(write_end)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return read_end


def watch_signals(numbers: Iterable[int], note: Callable[[int], object]) -> None:
    """Call `note` with each of these signals that comes from now on, in a thread of its own.

    A handler is called by the main thread, between two steps of Python: a signal that comes just before a call that
    waits would be noticed after it only.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, numbers)

    def watch() -> None:
        while True:
            note(signal.sigwait(numbers))

    threading.Thread(target=watch, daemon=True).start()


def spawn(
    argv: list[str],
    *,
    output: int | None = None,
    new_session: bool = False,
    die_with_parent: bool = False,
    user: pwd.struct_passwd | None = None,
) -> int:
    """Start a program and return its process id; if it cannot be executed, it ends with 127 or 126 and a message.

    `output` becomes its standard output and error. With `die_with_parent`, the kernel kills it if this process dies.
    `user`: as whom root runs it.
    """
    parent = os.getpid()
    pid = os.fork()
    if pid:
        return pid
    try:
        if new_session:
            os.setsid()
        if output is not None:
            os.dup2(output, 1)
            os.dup2(output, 2)
        for name in (signal.SIGPIPE, signal.SIGXFSZ):  # which Python ignores
            signal.signal(name, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])  # callers block signals
        become(user)
        if die_with_parent:
            call_prctl(SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != parent:  # the parent died before the line above
                os._exit(128 + signal.SIGKILL)
        os.execvp(argv[0], argv)
    except OSError as error:
        os.write(2, explain_start_failure(argv[0], error).encode(errors="surrogateescape"))
        os._exit(127 if isinstance(error, FileNotFoundError) else 126)
    finally:
        os._exit(126)


def become(user: pwd.struct_passwd | None) -> None:
    """Go on as this user, if root is to."""
    if user:
        os.initgroups(user.pw_name, user.pw_gid)
        os.setgid(user.pw_gid)
        os.setuid(user.pw_uid)
        os.environ.update(HOME=user.pw_dir, USER=user.pw_name, LOGNAME=user.pw_name, SHELL=user.pw_shell)


def fork(function: Callable[[], int], user: pwd.struct_passwd | None = None) -> int:
    """Call a function in a child process, which then ends with the result as its exit code, and return its process id.

    This saves the start of another Python interpreter, and the import of what this process has imported already. The
    child has neither the descriptors of this process, except the standard streams, nor its blocked signals.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        for descriptor in [int(path.name) for path in Path("/proc/self/fd").iterdir()]:
            if descriptor > 2:
                with contextlib.suppress(OSError):  # of the listing itself
                    os.close(descriptor)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        become(user)
        code = function()
    except BaseException:  # the child must not go on as its parent
        sys.excepthook(*sys.exc_info())
    finally:
        leave(code)


def explain_start_failure(program: str, error: OSError) -> str:
    """Why a program did not start, and a hint."""
    hint = {
        FileNotFoundError: "no such file in the image, in PATH or on a volume",
        PermissionError: "it is a directory or is not executable (chmod +x)",
    }.get(type(error), "")
    if isinstance(error, FileNotFoundError) and Path(program).exists():
        hint = "the interpreter named in its first line is not in the image"
    if not hint:
        hint = "it is no program for this machine, or a script without a first line like #!/bin/bash"
    return f"[dsgen] cannot execute {program!r}: {error.strerror}: {hint}\n"


def reap() -> dict[int, int]:
    """The exit codes of children that have ended since the last call, by process id; 128 + n for signal n."""
    ended: dict[int, int] = {}
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if pid == 0:
            return ended
        ended[pid] = 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def list_processes() -> dict[int, ProcessStat]:
    """All processes by process id, except zombies."""
    living = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                # the name in parentheses may contain anything, also parentheses
                fields = Path(entry.path, "stat").read_bytes().rpartition(b")")[2].split()
            except OSError:  # the process has ended
                continue
            process = ProcessStat(int(entry.name), int(fields[1]), int(fields[3]), fields[0].decode())
            if process.state not in ("Z", "X"):
                living[process.pid] = process
    return living


def list_descendants(root: int, session: int | None = None) -> list[int]:
    """The process ids of all descendants of a process, and of all members of a process session."""
    processes = list_processes().values()
    children: dict[int, list[int]] = {}
    for process in processes:
        children.setdefault(process.parent, []).append(process.pid)
    descendants = {process.pid for process in processes if process.session == session}
    parents = [root]
    while parents:
        born = children.get(parents.pop(), [])
        descendants.update(born)
        parents.extend(born)
    return sorted(descendants - {root})


def send(pids: list[int], number: int) -> None:
    """Send a signal to each of them, except those that have ended or are of another user."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def kill_group(leader: int) -> None:
    """Kill a process group, if it exists. Its leader must be a child that has not been waited for."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


def end(root: int, session: int | None, seconds: float) -> None:
    """End all descendants of a process: with SIGTERM, and after so many seconds with SIGKILL."""
    told: set[int] = set()  # most of these are no children of this process, so nothing tells when they end
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        left = list_descendants(root, session)
        if not left:
            return
        send([pid for pid in left if pid not in told], signal.SIGTERM)  # also to processes that were started meanwhile
        told.update(left)
        time.sleep(0.1)
        reap()
    kill(lambda: list_descendants(root, session))


def kill(find: Callable[[], Iterable[int]], then: Callable[[], object] = reap) -> None:
    """Kill what `find` finds, until there is nothing. `then` is called after each time.

    Gives up after half a minute if SIGKILL does not end a process (for example because of a hanging NFS server).
    """
    until = time.monotonic() + 30
    while (left := sorted(find())) and time.monotonic() < until:
        send(left, signal.SIGKILL)
        time.sleep(0.1)
        then()


def leave(code: int) -> NoReturn:
    """End this process with `code`, after what it has printed.

    sys.exit waits for a thread that hangs in a name lookup, and frees all modules one by one: 5 ms of the 30 that a
    short program of a worker takes, at a time when all workers of a node end.
    """
    with contextlib.suppress(OSError):  # the reader of the output may have ended
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code & 0xFF)
