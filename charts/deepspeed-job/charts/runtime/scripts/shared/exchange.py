"""The files with which the containers of the launcher pod communicate.

Each container writes to its own volume, its /run/dsgen, and the others mount it read-only. The volume of another
container is not trusted, because training.setup runs in the launcher: no link is followed, only regular files are read,
up to a limit, and content that does not have the form below is ignored.

launcher.json (written by the launcher):
    {"version": 1, "sequence": 7, "phase": "Running", "reason": "", "message": "", "exitCode": null, "worldSize": 2,
     "terminated": false, "attempts": [ATTEMPT, ...]}
    `sequence` grows with every write; `terminated`: SIGTERM ended the launcher; `attempts`: of this pod only
    (shared/record.py has their shape, and that of `launcher`, which is there without ssh).
status.json (written by the sidecar):
    {"version": 1, "lease": "held", "holder": "1", "known": true, "recorded": 7, "ended": null, "earlier": TOTALS,
     "found": RECORD, "workers": {"suspended": false, "ready": 2, "failed": 0, "state": "active", "message": "",
     "problems": []}, "away": null, "offer": "10.0.0.7:40001/NONCE"}
    `lease`: "" (none yet), waiting, held, lost; `holder`: the run that has the lease; `known`: the record was read;
    `recorded`: the sequence whose content is in the record; `ended`: {"phase", "reason", "exitCode"} when the run had
    ended before this pod; `earlier`, `found`: sums and record of the pods before this one, for the launcher and for a
    sidecar that is started again; `workers`: null until the worker Job was seen; `ready`: pods that are ready or have
    succeeded; its state is active, failed or complete; `problems`: why its pods do not run, a line for each;
    `away`: since when (seconds since 1970) the API does not answer; null when it does; `offer`: where the launcher is
    to listen for workers without ssh, which is in the record already; `changed`: why its scripts are not those of the
    run, "" if they are.

Both are replaced atomically: a reader sees a whole file or none.

alive (made by the launcher): locked as long as the launcher lives.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from shared import record
from shared.record import TRANSITIONS

LAUNCHER = "launcher.json"
STATUS = "status.json"
ALIVE = "alive"
VERSION = 1
# O_NONBLOCK: do not wait for a FIFO or a lease on the file.
OPEN_UNTRUSTED = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
LIMIT_BYTES = 1 << 20  # parsed, such a file takes at most 25 MB
MESSAGE_CHARACTERS, LINE_CHARACTERS, NAME_CHARACTERS = 4096, 4096, 253
TAIL_LINES = 20
MOST_ATTEMPTS = 5000  # more than a record has room for; the sidecar goes through all of them every half second
BELOW = {bool: 2, int: 1 << 53, float: float("inf")}  # by the type of a value
UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def read_content(path: Path, limit: int = LIMIT_BYTES, start: int = 0) -> bytes | None:
    """The bytes of a regular file from `start` on, at most `limit`; otherwise None. Follows no link, and never waits.

    Only the last part of `path` is untrusted: the part before it is the mount point of the volume.
    """
    try:
        with _open_untrusted(path) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size - start > limit:
                return None
            file.seek(start)
            data = file.read(limit + 1)
    except OSError:
        return None
    return data if len(data) <= limit else None  # it has grown beyond the limit meanwhile


def _open_untrusted(path: Path) -> BinaryIO:
    return open(path, "rb", opener=lambda name, _: os.open(name, OPEN_UNTRUSTED))


def watch(folder: Path) -> None:
    """Have the kernel send SIGIO when a file is moved within the folder, as all are that are replaced atomically.

    Other containers and the kubelet may have moved it. Where the kernel cannot say so, or there is no such folder,
    whoever waits sees the file at the next look. The caller has blocked SIGIO, which otherwise ends the process.
    """
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)  # open as long as this process lives
        fcntl.fcntl(descriptor, fcntl.F_NOTIFY, fcntl.DN_RENAME | fcntl.DN_MULTISHOT)


def hold(path: Path) -> None:
    """Lock the file until this process ends, unless training.setup has put something else there."""
    with contextlib.suppress(OSError):
        descriptor = os.open(path, OPEN_UNTRUSTED | os.O_CREAT, 0o644)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def is_free(path: Path) -> bool:
    """Whether the process that has locked the file has ended. False without a regular file; never waits."""
    try:
        with _open_untrusted(path) as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return stat.S_ISREG(os.fstat(file.fileno()).st_mode)
    except OSError:
        return False


def write(path: Path, said: dict[str, Any]) -> None:
    """Replace the file by `said` as one line of JSON, with the version."""
    replace(path, json.dumps({"version": VERSION, **said}).encode() + b"\n")


def replace(path: Path, data: bytes, mode: int = 0o644) -> None:
    """Write a file atomically, replacing whatever is at its path."""
    temporary = path.with_name(f".{path.name}.{os.urandom(8).hex()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
    if path.is_dir() and not path.is_symlink():
        import shutil  # takes a tenth of the start of a worker, and is rarely needed

        shutil.rmtree(path, ignore_errors=True)
    temporary.replace(path)


def read(path: Path) -> dict[str, Any]:
    """The JSON object in the file; {} if there is none, or if it has another version."""
    said = record.parse((read_content(path) or b"").decode("utf-8", "replace"))
    return said if said.get("version") == VERSION else {}


def read_launcher(folder: Path) -> dict[str, Any]:
    """The valid fields of launcher.json, with long texts cut; {} if it does not have the form above."""
    try:
        return _check_fields(read(folder / LAUNCHER), LAUNCHER_FIELDS)
    except (TypeError, ValueError):
        return {}


def read_lines(path: Path) -> list[str] | None:
    """The first lines of a text file of another container; None if there is none."""
    data = read_content(path)
    if data is None:
        return None
    return [line(each) for each in data.decode("utf-8", "replace").splitlines()[: TAIL_LINES + 1]]


# Checks of fields. Each returns the value, cut if it is too long, or raises TypeError or ValueError.


def clean_text(value: Any, limit: int) -> str:
    """One line, without control characters and lone surrogates."""
    if not isinstance(value, str):
        raise TypeError(value)
    return UNPRINTABLE.sub(" ", value[:limit])


def text(limit: int, holds: Callable[[str], bool] = lambda _: True) -> Callable[[Any], str]:
    """The check of one line, of which only so many characters are taken."""

    def check(value: Any) -> str:
        cleaned = clean_text(value, limit)
        if not holds(cleaned):
            raise ValueError(value)
        return cleaned

    return check


def kind(*types: type) -> Callable[[Any], Any]:
    """The check of a number or flag of one of these types."""

    def check(value: Any) -> Any:
        if type(value) not in types:  # not isinstance: True is an int
            raise TypeError(value)
        if not abs(value) < BELOW[type(value)]:
            raise ValueError(value)
        return value

    return check


def optional(check: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else check(value)


def last_of(most: int, check: Callable[[Any], Any]) -> Callable[[Any], list[Any]]:
    """The check of a list, of which only so many of the last elements are taken."""

    def check_each(value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise TypeError(value)
        return [check(one) for one in value[-most:]]

    return check_each


def _check_fields(said: Any, checks: dict[str, Callable[[Any], Any]]) -> dict[str, Any]:
    """The known fields, checked."""
    if not isinstance(said, dict):
        raise TypeError(said)
    return {key: check(said[key]) for key, check in checks.items() if key in said}


line, name = text(LINE_CHARACTERS), text(NAME_CHARACTERS)
number, decimal, flag = kind(int), kind(int, float), kind(bool)
moment = text(NAME_CHARACTERS, lambda value: record.parse_time(value) is not None)
phase = text(NAME_CHARACTERS, {row.phase for row in TRANSITIONS.values()}.__contains__)
reason = text(NAME_CHARACTERS, {"Succeeded", *(row.reason for row in TRANSITIONS.values())}.__contains__)
ATTEMPT_FIELDS: dict[str, Callable[[Any], Any]] = {
    "startTime": optional(moment),
    "endTime": optional(moment),
    "reason": reason,
    "exitCode": optional(number),
    "host": name,
    "rank": number,
    "tail": last_of(TAIL_LINES, line),
    "counted": flag,
    "workers": number,
}
PROGRESS_FIELDS: dict[str, Callable[[Any], Any]] = {
    "step": number,
    "total": number,
    "loss": optional(decimal),
    "time": moment,
    "eta": moment,
    "checkpoint": moment,
    "secondsPerStep": decimal,
    "memory": number,
}
LAUNCHER_FIELDS: dict[str, Callable[[Any], Any]] = {
    "sequence": number,
    "phase": phase,
    "reason": reason,
    "message": text(MESSAGE_CHARACTERS),
    "exitCode": optional(number),
    "worldSize": optional(number),
    "launcher": name,
    "start": text(NAME_CHARACTERS, "record".__eq__),
    "terminated": flag,
    "progress": lambda value: _check_fields(value, PROGRESS_FIELDS),
    "attempts": last_of(MOST_ATTEMPTS, lambda value: _check_fields(value, ATTEMPT_FIELDS)),
}
