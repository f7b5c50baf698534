"""The launcher: waits for its lease and its workers, runs the training, and exits with the result of the run.

It is process 1 of its container.
"""

from __future__ import annotations

import signal

if __name__ == "__main__":
    # Before the other imports: a signal to process 1 without a handler is dropped, unless it is blocked.
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM, signal.SIGINT))

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if __name__ == "__main__":
    sys.path.append(str(Path(__file__).parents[1]))  # the folder of the packages, behind those of Python

from launcher import workers
from launcher.journal import LauncherState, SidecarState
from launcher.outcome import InterruptedRunError, RunEndedError
from launcher.wait import Wait
from shared import exchange, hostfile, methods, processes, record, settings
from shared.log import log, write_last_words
from shared.record import TRANSITIONS, choose_exit_code, repeat_exit_code

if TYPE_CHECKING:
    from local.launch import WithoutSsh
    from ssh.launch import WithSsh

CONFIRM_SECONDS = 900  # to record the end, if the API is unavailable; the workers end before
CONFIRM_TICK_SECONDS = 0.05  # between looks at the file of the sidecar
SAY_SECONDS = 10


class Launcher:
    """The steps of one launcher pod."""

    def __init__(self, configured: settings.Settings, reached: workers.Workers) -> None:
        self.configured = configured
        self.workers = reached
        self.journal = LauncherState(settings.RUN / exchange.LAUNCHER)
        self.external = SidecarState(
            configured.active_deadline_seconds, own_end=not methods.choose_method(configured).ssh
        )
        self.wait = Wait(configured, reached, self.journal, self.external)
        self.side = make_side(self.wait)

    def run(self) -> int:
        """Run all steps; return the exit code."""
        try:
            if changed := settings.find_changed_scripts(self.configured):
                raise RunEndedError("changed", changed)
            self.side.prepare()
            self.wait.wait_for_lease()
            self.wait.clock = self.wait.make_clock()
            while True:
                self.side.wait_for_workers()
                if self.configured.debug:
                    raise self.debug()
                self.train()
        except InterruptedRunError as interrupted:
            return self.end(self.side.make_run_end(interrupted.event))
        except RunEndedError as ended:
            return self.end(ended)
        except Exception:  # a bug in dsgen: the run ends and is recorded
            import traceback  # takes a tenth of the start of a launcher, and is needed only here

            print(traceback.format_exc(), file=sys.stderr, flush=True)
            return self.end(RunEndedError("bug", traceback.format_exc().strip().splitlines()[-1]))

    def train(self) -> None:
        """Make one attempt; return to wait for workers again or to restart, or raise RunEndedError."""
        self.wait.failures_before = self.external.count_failures()
        attempt = self.side.make_attempt()
        end = attempt.run()
        row = TRANSITIONS[end.event]
        if row.exit is not None:
            raise RunEndedError(*end)
        log(f"{row.reason}: {end.message}")
        # The clock is reset only after an attempt in which all ranks met: otherwise attempts might fail forever.
        restarts = row.phase == "Restarting"
        if attempt.is_world_there() or attempt.conversion.begun or restarts:
            self.wait.clock = self.wait.make_clock()
        self.wait.reason = ("workers-lost", end.message) if end.event == "workers-lost" else ("waiting", "")
        self.journal.move(end.event, end.message)
        if restarts:
            self.wait.pause(self.configured.restart_delay_seconds)
            self.wait.clock = self.wait.make_clock()

    def debug(self) -> RunEndedError:
        """lifecycle.debug instead of the training: idle, or run the command until it ends."""
        from shared import debug  # most runs train

        self.journal.move("debug")
        debug.print_instructions(self.configured, self.side.make_start())
        limit = self.configured.active_deadline_seconds
        children = self.workers.children
        return RunEndedError(*debug.run_or_idle(self.configured.debug_command, limit, self.wait.check, children))

    def end(self, ended: RunEndedError) -> int:
        """Record the end, announce it to the workers, and return the exit code."""
        row = TRANSITIONS.get(ended.event)
        if row is None:
            before = self.external.read_status().get("ended") or {}
            log(f"the run has already ended: {before.get('phase')}; choose another run.id to train again")
            return repeat_exit_code(before)
        code = choose_exit_code(row, ended.training_code)
        words = record.describe({"phase": row.phase, "reason": row.reason, "message": ended.message})
        log(f"{words}; exit {code}")
        write_last_words(settings.TERMINATION_LOG, words)
        if ended.event == "terminated":
            self.journal.terminate()
            return code
        self.journal.move(ended.event, ended.message, exitCode=ended.training_code)
        if ended.event != "workers-failed":
            self.side.announce_end(row.phase)
        if ended.event != "no-record":  # for which the launcher has waited already
            self.wait_for_sidecar()
        return code

    def wait_for_sidecar(self) -> None:
        """Wait until the end is in the record: API, permissions or record may be unavailable for minutes."""
        begun, said = time.monotonic(), False
        while time.monotonic() - begun < CONFIRM_SECONDS and not self.external.terminated:
            if self.external.read_status().get("recorded", 0) >= self.journal.sequence:
                return
            if not said and time.monotonic() - begun > SAY_SECONDS:
                said = True
                log(f"the end is not in the record yet; waiting for it for up to {CONFIRM_SECONDS} s")
            time.sleep(CONFIRM_TICK_SECONDS)


def make_side(wait: Wait) -> WithSsh | WithoutSsh:
    """The steps with or without ssh. Only their modules are loaded: GPUs wait for this process."""
    if methods.choose_method(wait.configured).ssh:
        from ssh.launch import WithSsh

        return WithSsh(wait)
    from local.launch import WithoutSsh

    return WithoutSsh(wait)


def main() -> int:
    configured = settings.load()
    exchange.hold(settings.RUN / exchange.ALIVE)
    names = hostfile.read_hosts(settings.CONFIG / "hostfile")
    launcher = Launcher(configured, workers.Workers(names))
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, launcher.external.note_signal)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGTERM, signal.SIGINT))
    return launcher.run()


if __name__ == "__main__":
    processes.leave(main())
