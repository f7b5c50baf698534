"""Shared by tests of the launcher: the lines of ranks, a training of one shell command, and settings of a job."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from launcher import journal, process, wait, workers
from shared import exchange, output, settings

HOSTS = ["cifar-1-worker-0.cifar-1", "cifar-1-worker-1.cifar-1"]
NONCE = "5f" * 16
LABEL = b"cifar-1-worker-1: "
RANK = LABEL + b'NONCE dsgen-rank {"host": "cifar-1-worker-1", "rank": 1, "worldSize": 2, "localRank": 0}\n'
FAILED = LABEL + b'NONCE dsgen-rank-end {"host": "cifar-1-worker-1", "rank": 1, "exitCode": 3, "tail": ["a", "b"]}\n'
PEER = FAILED.replace(b"worker-1", b"worker-0").replace(b'"rank": 1', b'"rank": 0')
CLOSED = LABEL + b'NONCE dsgen-session-end {"host": "cifar-1-worker-1", "exitCode": 3}\n'
SSH = b"pdsh@cifar-1-launcher-x: cifar-1-worker-1: ssh exited with exit code 3\n"
RANK_0 = RANK.replace(b"worker-1", b"worker-0").replace(b'"rank": 1', b'"rank": 0')
CLOSED_0 = CLOSED.replace(b"worker-1", b"worker-0")


def read(*lines: bytes) -> output.Output:
    seen = output.Output(HOSTS, NONCE, pdsh=True)
    for line in lines:
        process_line(seen, line)
    return seen


def process_line(seen: output.Output, line: bytes) -> bytes:
    """A line with the nonce of these ranks."""
    return seen.parse_line(line.replace(b"NONCE", seen.nonce))


def started(*lines: bytes, code: int, command: str = "") -> process.LaunchProcess:
    """A training of one shell command that prints these lines and ends with `code`."""
    printed = "".join(f"printf '{line.decode()}';" for line in lines).replace("\n", "\\n").replace("NONCE", NONCE)
    seen = output.Output(HOSTS, NONCE)
    return process.LaunchProcess(["sh", "-c", f"{printed} {command} exit {code}"], dict(os.environ), seen, set())


def settings_of(given: Mapping[str, Any]) -> settings.Settings:
    """Settings with these fields and no digests of scripts; a test that needs another one fails on its 0."""
    all_ = {"scripts": {}, **given}
    return settings.Settings(**{name: all_.get(name, 0) for name in settings.Settings._fields})


def configured(**changes: Any) -> settings.Settings:
    """Settings of a job with two workers."""
    given = {"workers": 2, "slots": 1, "master_port": 29500, "restart_exit_codes": [], "method": "pdsh"}
    return settings_of({**given, "autotuning": "none", "deepspeed_args": [], **changes})


def make_wait(given: settings.Settings, names: list[str]) -> wait.Wait:
    """The waits of a launcher of these workers."""
    account = journal.LauncherState(settings.RUN / exchange.LAUNCHER)
    external = journal.SidecarState(given.active_deadline_seconds)
    return wait.Wait(given, workers.Workers(names), account, external)


def tell(folder: Path, **said: Any) -> None:
    """The sidecar writes."""
    exchange.write(
        folder / exchange.STATUS, {"lease": "held", "known": True, "workers": {"state": "active", "failed": 0}, **said}
    )
