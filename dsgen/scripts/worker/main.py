"""Process 1 of a worker: serves the launcher's ssh logins, or trains by itself, until the run is over.

Exit codes: 0 the run is over, or this worker's own part of it has ended well, 75 no launcher for too long, 78 this
image or key cannot work, 143 SIGTERM, 1 sshd does not stay up; without ssh also that of the rank that failed. With
lifecycle.keepWorkers the worker of a run that is over stays, without sshd and ranks, until it is deleted; it exits 0
even then, because its part is done and nothing must replace it.

Its pod is ready, except now and then while it waits for what is mounted (readiness.py), and while sshd has ended.
"""

from __future__ import annotations

import signal

if __name__ == "__main__":
    # Before the other imports: the kernel drops a signal to process 1 that has no handler, unless it is blocked.
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM, signal.SIGINT))

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if __name__ == "__main__":
    sys.path.append(str(Path(__file__).parents[1]))  # the folder of the packages, behind those of Python
    from shared import compiled

    compiled.use()
    from shared import settings
    from worker import readiness

    CONFIGURED = settings.load()
    OPENED = readiness.open_early(CONFIGURED.readiness_port)

from shared import exchange, methods, processes, record, settings
from shared.log import log, write_last_words
from worker import checks
from worker.exit import CANNOT_WORK, DONE, TERMINATED, WorkerExitError
from worker.readiness import Readiness

if TYPE_CHECKING:
    import socket

    from local.training import LocalTraining
    from ssh.server import SshServer

WAITING_SECONDS = 0.3  # between looks for what is mounted, where the kernel does not say that it has come
WATCHED = (signal.SIGCHLD, signal.SIGIO, signal.SIGTERM, signal.SIGINT)
EVENTS = (signal.SIGCHLD, signal.SIGIO)  # a process has ended; the launcher has said something, or a file has come


class Worker:
    """The main loop of a worker pod. `part`: its role, with or without ssh.

    The state of the part is `waits` (for what is mounted in its pod), `serves`, or `fails` (it cannot at present).
    """

    def __init__(
        self, run: settings.Settings, part: SshServer | LocalTraining, opened: socket.socket | None = None
    ) -> None:
        self.run = run
        self.part = part
        self.readiness = Readiness(run, part.serve, opened)

    def live(self) -> int:
        """Run until the end; returns the exit code."""
        phase = record.read_mounted_end(self.run.run)
        if phase:
            log(f"the record says that this run is over ({phase}): nothing to do")
            return DONE
        signal.pthread_sigmask(signal.SIG_BLOCK, WATCHED)
        for folder in (settings.STATUS, settings.KEYS):
            exchange.watch(folder)
        processes.adopt_orphans()
        try:
            self.show_state()  # before all else: a port in use ends the worker
            if changed := settings.find_changed_scripts(self.run):
                raise WorkerExitError(CANNOT_WORK, changed)
            checks.check_image(self.run)
            self.part.prepare(self.tick)
            while True:
                self.part.step()
                self.tick()
        except WorkerExitError as end:
            return self.close(end)

    def tick(self) -> None:
        """Wait for a moment or a signal; raises WorkerExitError if the worker must stop."""
        seconds = WAITING_SECONDS if self.part.state == "waits" else self.part.choose_tick_seconds()
        received = signal.sigtimedwait(WATCHED, seconds)
        if received and received.si_signo not in EVENTS:
            raise WorkerExitError(TERMINATED, "told to stop by a signal")
        self.part.note_ended(processes.reap())
        phase = record.read_mounted_end(self.run.run)
        if phase:
            raise WorkerExitError(DONE, f"the record says that the run is over ({phase})", phase)
        self.part.check()
        self.show_state()

    def show_state(self) -> None:
        """Make the pod ready or not ready, as the state of this worker has it."""
        try:
            if self.part.state == "waits":
                self.readiness.change()
            elif self.part.state == "fails":
                self.readiness.withdraw()
            else:
                self.readiness.show()
        except OSError as error:
            port = f"port {self.run.readiness_port} (workers.readinessPort): {error.strerror}"
            raise WorkerExitError(CANNOT_WORK, port) from None

    def close(self, end: WorkerExitError) -> int:
        """End the part of this worker; returns the exit code."""
        log(f"{end.reason}; exit code {end.code}")
        if end.code not in (DONE, TERMINATED):
            write_last_words(settings.TERMINATION_LOG, end.reason)
        self.part.close(end)
        keep = self.run.keep_workers
        if end.code == DONE and (keep == "always" or (keep == "failed" and end.phase == "Failed")):
            self.readiness.withdraw()
            log("lifecycle.keepWorkers: this pod stays until it is deleted")
            while signal.sigwait(WATCHED) in EVENTS:
                processes.reap()
        return end.code


def make_part(run: settings.Settings) -> SshServer | LocalTraining:
    """The part of this worker. Only its modules are loaded: a node starts many workers at once."""
    if methods.choose_method(run).ssh:
        from ssh.server import SshServer

        return SshServer(run)
    from local.training import LocalTraining

    return LocalTraining(run)


if __name__ == "__main__":
    processes.leave(Worker(CONFIGURED, make_part(CONFIGURED), OPENED).live())
