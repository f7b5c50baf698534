"""A worker that serves ssh: its sshd, and the sessions that the launcher opens."""

from __future__ import annotations

import contextlib
import functools
import os
import pwd
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from shared import methods, processes, settings, tcp
from shared.log import log
from ssh import key as keyfile
from ssh import sshd
from worker.control import ControlFromLauncher
from worker.errand import Errands
from worker.exit import DONE, FAILED, ORPHAN, TERMINATED, Contact, WorkerExitError, compute_ranks_seconds

PRIVATE_KEY = settings.KEYS / keyfile.PRIVATE

GRACE_SECONDS = 10.0  # for remaining sessions after the end of the run or of the contact with a launcher
CLOSING_SECONDS = 3.0  # for sessions whose command has ended, or is about to
SSHD_STARTS, SSHD_STEADY_SECONDS, SSHD_DELAY_SECONDS = 5, 60.0, 1.0  # give up after so many starts none of which lasted
SWEEP_SECONDS = 5.0
LOOK_SECONDS = 0.1  # between looks whether sshd listens


class SshServer:
    """sshd, kept up until the run is over."""

    def __init__(self, run: settings.Settings) -> None:
        self.run = run
        self.control = ControlFromLauncher(run)
        self.serve = self.control.serve
        self.contact = Contact(lambda: self.control.orders)
        self.errands = Errands(run)
        self.attempt, self.signal, self.signalled = 0, "", ""  # signalled: what the ranks have got
        self.signalling = -1  # the process that sends them the signal
        self.user: pwd.struct_passwd | None = None  # of the ranks, if it is not that of this process
        self.listens = False  # sshd
        self.program = ""  # the path of sshd
        self.sshd: int | None = None
        self.state = "waits"  # for the key; then it serves, except from the end of sshd until it listens again
        self.failures, self.started, self.sweep = 0, float("-inf"), 0.0

    def prepare(self, tick: Callable[[], None]) -> None:
        """Check the image, wait for the key and put it where sshd reads it."""
        self.program = sshd.find_sshd()
        sshd.check_tools()
        self.user = self.errands.preflight.user = self.errands.resize.user = sshd.find_other_user(self.run.ssh_user)
        if self.user is None:
            sshd.check_user()
        sshd.stage(self.wait_for_key(tick), self.run.secret)
        if self.user:
            # Only a program of the user's own may want to go from worker to worker.
            sshd.share_files(self.user, key=methods.choose_method(self.run).whole)

    def wait_for_key(self, tick: Callable[[], None]) -> bytes:
        """The private key, once the kubelet has brought it: the launcher pod may make it after this worker started."""
        if not keyfile.read_first_content([PRIVATE_KEY]):
            log(f"waiting for the ssh key in secret {self.run.secret}")
        while not (key := keyfile.read_first_content([PRIVATE_KEY])):
            tick()
        self.state = "serves"
        return key

    def step(self) -> None:
        """Keep sshd up, sweep up what sessions left, and execute the orders of the launcher."""
        if self.sshd is None and time.monotonic() - self.started > SSHD_DELAY_SECONDS:
            self.start_sshd()
        if self.sshd is not None and not self.listens and tcp.has_listener(self.run.ssh_port):
            self.listens, self.state = True, "serves"
        if time.monotonic() > self.sweep:
            own = (self.signalling, self.errands.preflight.pid, self.errands.resize.pid)
            kill_orphaned_sessions([top for top in list_sessions() if top.pid not in own])
            self.sweep = time.monotonic() + SWEEP_SECONDS
        self.obey(self.control.exchange(self.collect_facts()))
        self.control.exchange(self.collect_facts())  # what has changed with the order

    def collect_facts(self) -> dict[str, Any]:
        own = {"attempt": self.attempt, "signal": self.signalled, "serves": self.listens, "met": settings.MET.exists()}
        return {**own, **self.errands.read_reports()}

    def obey(self, order: dict[str, Any]) -> None:
        """Do what is not done yet. Raises WorkerExitError when the run is over."""
        attempt, name = int(order.get("attempt", 0)), str(order.get("signal", ""))
        if order.get("over"):
            phase = str(order["over"])
            raise WorkerExitError(DONE, f"the launcher says that the run is over ({phase})", phase)
        self.errands.obey(order)
        if attempt > self.attempt:
            self.attempt, self.signal, self.signalled = attempt, "", ""
            settings.MET.unlink(missing_ok=True)
        if attempt == self.attempt and name not in ("", self.signal):
            from worker import end_ranks  # each import makes the start longer

            self.signal = name
            self.signalling = processes.fork(functools.partial(end_ranks.main, name), user=self.user)

    def start_sshd(self) -> None:
        """Raises WorkerExitError if sshd cannot start, or ends again and again."""
        self.failures = 0 if time.monotonic() - self.started > SSHD_STEADY_SECONDS else self.failures + 1
        if self.failures > SSHD_STARTS:
            raise WorkerExitError(FAILED, f"sshd ended {SSHD_STARTS} times in a row; its log is above")
        choose = sshd.find_tested_command if self.failures else sshd.choose_first_command
        command = choose(self.program, self.run)
        self.started, self.sshd = time.monotonic(), processes.spawn(command)
        log(f"sshd started on port {self.run.ssh_port}")

    def note_ended(self, ended: dict[int, int]) -> None:
        """These processes have ended."""
        if self.sshd in ended:
            self.sshd, self.listens, self.state = None, False, "fails"
        if self.signalling in ended:
            self.signalling, self.signalled = -1, self.signal
        self.errands.note_ended(ended)

    def choose_tick_seconds(self) -> float:
        """The seconds until the next step, if no signal comes."""
        return 1.0 if self.listens else LOOK_SECONDS

    def check(self) -> None:
        """Raises WorkerExitError after too long without a launcher: its orders, or sessions that it has opened."""
        limit = self.run.orphan_timeout_seconds
        if self.contact.compute_age() <= limit:
            return
        if not any(_is_supervisor(top.pid) for top in list_sessions()):
            raise WorkerExitError(ORPHAN, f"no contact with a launcher for {limit} s: nobody needs this worker")
        self.contact = Contact(lambda: self.control.orders)

    def close(self, end: WorkerExitError) -> None:
        """Stop sshd and end all sessions."""
        if end.code == TERMINATED:  # first: a session that ends from now on has not ended by itself
            settings.TERMINATING.touch()
        self.control.leave(self.collect_facts())
        if end.code == DONE:
            wait_for_sessions(CLOSING_SECONDS)
        if self.sshd is not None:
            processes.send([self.sshd], signal.SIGTERM)  # ends the listener, not the sessions
        # An interactive shell ends by this signal, and a supervisor ends its processes.
        processes.send([top.pid for top in list_sessions()], signal.SIGHUP)
        wait_for_sessions(compute_ranks_seconds(self.run) if end.code == TERMINATED else GRACE_SECONDS)
        processes.kill(
            lambda: [pid for top in list_sessions() for pid in (top.pid, *processes.list_descendants(top.pid))]
        )


def list_sessions() -> list[processes.ProcessStat]:
    """The topmost process of each ssh session: what is below this process and has sshd's variable, first of its line.

    sshd's own processes do not have it, nor has what training.setup left running.
    """
    table = processes.list_processes()
    inside = {pid for pid in processes.list_descendants(os.getpid()) if pid in table and _has_session_variable(pid)}
    return [table[pid] for pid in sorted(inside) if table[pid].parent not in inside]


def _has_session_variable(pid: int) -> bool:
    try:
        return b"\0SSH_CONNECTION=" in b"\0" + Path(f"/proc/{pid}/environ").read_bytes()
    except PermissionError:  # of ssh.user: root may not look into it. sshd's own process of the session is one, too
        with contextlib.suppress(OSError):
            return not Path(f"/proc/{pid}/comm").read_text().startswith("sshd")
    except OSError:  # ended in the meantime
        pass
    return False


def _is_supervisor(pid: int) -> bool:
    try:
        return b"/ssh/session." in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return True


def kill_orphaned_sessions(tops: list[processes.ProcessStat]) -> None:
    """Kill what this process had to adopt because the supervisor of its session was killed.

    An adopted supervisor is one whose sshd is gone: it ends its processes itself, and more gently.
    """
    for top in tops:
        if top.parent == os.getpid() and not _is_supervisor(top.pid):
            processes.send([top.pid, *processes.list_descendants(top.pid)], signal.SIGKILL)


def wait_for_sessions(seconds: float) -> None:
    deadline = time.monotonic() + seconds  # sessions are children of sshd, so nothing tells when they end
    while (tops := list_sessions()) and time.monotonic() < deadline:
        kill_orphaned_sessions(tops)
        time.sleep(0.1)
        processes.reap()
