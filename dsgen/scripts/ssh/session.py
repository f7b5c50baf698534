"""Supervises the command of one ssh session on a worker.

ssh does not end a remote command when the connection ends, so ranks would keep their GPUs. So the command runs in its
own process session, and all its descendants are ended with it, or after the end of sshd's session or of the
connection.
"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from shared import methods, processes, reports, settings, tcp
from shared.settings import MET, TERMINATING
from worker import stacks
from worker.rendezvous import Rendezvous

WATCHED = (signal.SIGCHLD, signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
GRACE_SECONDS = 10.0


def is_sshd_there() -> bool:
    """Whether the parent is still sshd's process of this login, and not a process that adopts orphans."""
    try:
        return Path(f"/proc/{os.getppid()}/comm").read_text().startswith("sshd")
    except OSError:
        return False


def watch(command: int, meeting: Rendezvous | None) -> int | None:
    """Wait for the command: its exit code, or None if the session was lost or ended.

    `meeting`: the check for connections; after its success, the file MET is created for the launcher.
    """
    looks, next_look = 0, 0.0
    while True:
        received = signal.sigtimedwait(WATCHED, meeting.interval if meeting and not meeting.seen else 1)
        if meeting and meeting.look():
            MET.touch()
        code = processes.reap().get(command)
        if code is not None:
            return code
        if received and received.si_signo != signal.SIGCHLD:
            return None
        if time.monotonic() < next_look:
            continue
        # A new connection has not stalled, and to look for it, the kernel goes through those of the whole node.
        if not is_sshd_there() or (looks % 5 == 4 and tcp.has_stalled(os.environ["SSH_CONNECTION"])):
            return None
        looks, next_look = looks + 1, time.monotonic() + 1


def main(_: list[str]) -> int:
    command = os.environ.pop("SSH_ORIGINAL_COMMAND")
    signal.pthread_sigmask(signal.SIG_BLOCK, WATCHED)
    if TERMINATING.exists():
        return reports.LOST
    processes.adopt_orphans()
    run = settings.load()
    if run.hang_timeout_seconds and methods.choose_method(run).whole:  # else rank.py does it
        stacks.prepare(os.environ)
    child = processes.spawn(["bash", "-c", command], new_session=True)
    # Both ends of the rendezvous have a connection with another address.
    meeting = Rendezvous(run.master_port, at_master=False) if methods.meets_in_sessions(run) else None
    code = watch(child, meeting)
    # a worker that is being stopped gives its ranks longer, and kills what is left itself
    processes.end(os.getpid(), child, float("inf") if TERMINATING.exists() else GRACE_SECONDS)
    if code is None or TERMINATING.exists():
        return reports.LOST
    if methods.choose_method(run).ranks:
        reports.Reporter(run).send("session-end", {"exitCode": code})
    return code
