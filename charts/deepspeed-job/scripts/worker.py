"""Process 1 of a worker: serves the launcher's ssh logins until the run is over.

Exit codes: 0 the run is over (and only then), 75 no launcher for too long, 78 this image or key cannot work,
143 SIGTERM, 1 sshd does not stay up. With lifecycle.keepWorkers the worker of a run that is over stays, without sshd
and ranks, until it is deleted; it exits 0 even then, because its part is done and nothing must replace it.

`worker.py ready` is the readiness probe: exit code 0 when sshd serves.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NoReturn

import image
import keyfile
import processes
import settings
import tcp

DONE, FAILED, ORPHAN, CANNOT_WORK, TERMINATED = 0, 1, 75, 78, 143
WATCHED = (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT)

CONTACT = settings.RUN / "contact"  # touched by the supervisor of every session
OVER = settings.RUN / "over"  # made by the launcher over ssh; its first word is the phase
TERMINATING = settings.RUN / "terminating"
PRIVATE_KEY = settings.KEYS / keyfile.PRIVATE

RESERVED_SECONDS = 20  # of the grace period: what the ranks do not get
GRACE_SECONDS = 10.0  # for sessions that are left when the run is over or nobody needs it
LAST_WORD_SECONDS = 3.0  # for the session that says that the run is over
SSHD_STARTS, SSHD_STEADY_SECONDS, SSHD_DELAY_SECONDS = 5, 60.0, 1.0  # give up after so many starts none of which lasted
SWEEP_SECONDS = 5.0


class End(Exception):  # noqa: N818  # the ordinary way out, not an error
    """The worker has to stop."""

    def __init__(self, code: int, reason: str, phase: str = "") -> None:
        super().__init__(reason)
        self.code, self.reason, self.phase = code, reason, phase


def say(text: str) -> None:
    sys.stderr.write(f"[dsgen] {text}\n")
    sys.stderr.flush()


def record_phase(run: str) -> str:
    """The end phase of this run in the job's record; empty before the end, and when there is no record of it."""
    try:
        record = json.loads((settings.STATUS / run).read_text(encoding="utf-8"))
        return record["phase"] if record["phase"] in settings.END_PHASES else ""
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def told_phase() -> str:
    """The phase with which the launcher told the end; empty when it has told nothing."""
    try:
        return (OVER.read_text().split() or ["over"])[0]
    except OSError:
        return ""


class Contact:
    """Time since the last contact with the launcher, by this process's own clock."""

    def __init__(self) -> None:
        self.stamp, self.since = 0, time.monotonic()

    def age(self) -> float:
        stamp = CONTACT.stat().st_mtime_ns if CONTACT.exists() else 0
        if stamp != self.stamp:
            self.stamp, self.since = stamp, time.monotonic()
        return time.monotonic() - self.since


class Worker:
    """One worker pod's life."""

    def __init__(self, run: settings.Settings) -> None:
        self.run = run
        self.contact = Contact()
        self.sshd: int | None = None

    def live(self) -> int:
        """From start to end; the exit code."""
        phase = record_phase(self.run.run)
        if phase:
            say(f"the record says that this run is over ({phase}): nothing to do")
            return DONE
        signal.pthread_sigmask(signal.SIG_BLOCK, WATCHED)
        processes.adopt_orphans()
        try:
            self.serve(self.prepare())
        except End as end:
            return self.close(end)

    def prepare(self) -> list[str]:
        """Check the image, wait for the key and put it where sshd reads it; the command that starts sshd."""
        try:
            sshd = image.find_sshd()
            image.check_tools()
            image.check_user()
            stage(self.wait_for_key())
            return sshd_command(sshd)
        except image.UnusableImageError as error:
            raise End(CANNOT_WORK, str(error)) from None
        except keyfile.BadKey as error:
            raise End(CANNOT_WORK, f"secret {self.run.secret}: {error}") from None

    def wait_for_key(self) -> bytes:
        """The private key, once the kubelet has brought it: the launcher pod may make it after this worker started."""
        if not keyfile.first([PRIVATE_KEY]):
            say(f"waiting for the ssh key in secret {self.run.secret}")
        while True:
            key = keyfile.first([PRIVATE_KEY])
            if key:
                return key
            self.tick()

    def serve(self, command: list[str]) -> NoReturn:
        """Keep sshd up and sweep up what sessions left; ends only by raising End."""
        failures, started, sweep = 0, float("-inf"), 0.0
        while True:
            if self.sshd is None and time.monotonic() - started > SSHD_DELAY_SECONDS:
                failures = 0 if time.monotonic() - started > SSHD_STEADY_SECONDS else failures + 1
                if failures > SSHD_STARTS:
                    raise End(FAILED, f"sshd ended {SSHD_STARTS} times in a row; its log is above")
                started, self.sshd = time.monotonic(), processes.spawn(command)
                say(f"sshd started on port {self.run.ssh_port}")
            self.tick()
            if time.monotonic() > sweep:
                end_unsupervised(sessions())
                sweep = time.monotonic() + SWEEP_SECONDS

    def tick(self) -> None:
        """Wait a second or for a signal; raises End when the worker has to stop."""
        received = signal.sigtimedwait(WATCHED, 1)
        if self.sshd in processes.reap():
            self.sshd = None
        if received and received.si_signo != signal.SIGCHLD:
            raise End(TERMINATED, "told to stop by a signal")
        for source, phase in (("launcher", told_phase()), ("record", record_phase(self.run.run))):
            if phase:
                raise End(DONE, f"the {source} says that the run is over ({phase})", phase)
        limit = self.run.orphan_timeout_seconds
        if self.contact.age() > limit:
            raise End(ORPHAN, f"no contact with a launcher for {limit} s: nobody needs this worker")

    def close(self, end: End) -> int:
        """Stop sshd and end all sessions; the exit code."""
        say(f"{end.reason}; exit code {end.code}")
        patience = GRACE_SECONDS
        if end.code == TERMINATED:
            TERMINATING.touch()  # first: a session that ends from now on has not ended by itself
            patience = self.run.termination_grace_period_seconds - RESERVED_SECONDS
        elif end.code == DONE:
            wait_for_sessions(LAST_WORD_SECONDS)
        else:
            with contextlib.suppress(OSError):
                settings.TERMINATION_LOG.write_text(end.reason)
        if self.sshd is not None:
            processes.send([self.sshd], signal.SIGTERM)  # ends the listener, not the sessions
        end_sessions(patience)
        if end.code == DONE and self.keeps(end.phase):
            say("lifecycle.keepWorkers: this pod stays for a look at it until it is deleted")
            while signal.sigwait(WATCHED) == signal.SIGCHLD:
                processes.reap()
        return end.code

    def keeps(self, phase: str) -> bool:
        keep = self.run.keep_workers
        return keep == "always" or (keep == "failed" and phase == "Failed")


def stage(key: bytes) -> None:
    """Put the job's one key pair where sshd_config and ssh_config look for it: it is user key and host key alike."""
    keyfile.leave(settings.RUN / "id", key)
    public = keyfile.public_half(settings.RUN / "id")
    (settings.RUN / "authorized_keys").write_text(f"{public}\n")
    (settings.RUN / "known_hosts").write_text(f"{keyfile.HOST_ALIAS} {public}\n")


def sshd_command(sshd: str) -> list[str]:
    """sshd in the foreground with its log on standard error, once it has found its configuration good."""
    if os.getuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, parents=True, exist_ok=True)  # for Debian's sshd as root
    command = [sshd, "-D", "-e", "-f", str(settings.CONFIG / "sshd_config")]
    # From 9.8 on sshd holds off an address that connects without logging in, as a waiting launcher does. Older ones
    # do not know the option.
    newer = [*command, "-o", "PerSourcePenalties=no"]
    if subprocess.run([*newer, "-t"], capture_output=True).returncode == 0:
        return newer
    test = subprocess.run([*command, "-t"], capture_output=True, text=True)
    if test.returncode:
        raise image.UnusableImageError(f"sshd cannot start: {' '.join(test.stderr.split())}")
    return command


def sessions() -> list[processes.Process]:
    """The topmost process of each ssh session: what is below this process and has sshd's variable, first of its line.

    sshd's own processes do not have it, nor has what training.setup left running.
    """
    table = processes.table()
    inside = {pid for pid in processes.below(os.getpid()) if pid in table and _has_session_variable(pid)}
    return [table[pid] for pid in sorted(inside) if table[pid].parent not in inside]


def _has_session_variable(pid: int) -> bool:
    try:
        return b"\0SSH_CONNECTION=" in b"\0" + Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:  # ended in the meantime
        return False


def _is_supervisor(pid: int) -> bool:
    try:
        return b"/session." in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return True


def end_unsupervised(tops: list[processes.Process]) -> None:
    """Kill what this process had to adopt because the supervisor of its session was killed.

    An adopted supervisor is one whose sshd is gone: it ends its processes itself, and more gently.
    """
    for top in tops:
        if top.parent == os.getpid() and not _is_supervisor(top.pid):
            processes.send([top.pid, *processes.below(top.pid)], signal.SIGKILL)


def wait_for_sessions(seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while sessions() and time.monotonic() < deadline:
        time.sleep(0.1)
        processes.reap()


def end_sessions(seconds: float) -> None:
    """Have every session's supervisor end its processes, and kill those that are left after so many seconds."""
    processes.send([top.pid for top in sessions()], signal.SIGHUP)  # what an interactive shell ends by, too
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        tops = sessions()
        if not tops:
            return
        end_unsupervised(tops)
        time.sleep(0.2)
        processes.reap()
    for _ in range(10):
        for top in sessions():
            processes.send([top.pid, *processes.below(top.pid)], signal.SIGKILL)
        time.sleep(0.2)
        processes.reap()


def main(arguments: list[str]) -> int:
    run = settings.load()
    if arguments == ["ready"]:
        return 0 if tcp.listening(run.ssh_port) else 1
    return Worker(run).live()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
