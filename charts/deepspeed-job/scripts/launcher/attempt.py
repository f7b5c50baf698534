"""One attempt of the training over ssh: starts the ranks, ends them if necessary, and determines the result."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from typing import Any

from launcher import outcome, resize, workers
from launcher.choice import Growth
from launcher.journal import External, Journal
from launcher.outcome import AttemptEnd
from launcher.process import LaunchProcess, Ranks
from launcher.progress import Progress, hang_message, recorded, report
from shared import hostfile, methods, reports, settings
from shared.log import log
from shared.output import Output
from shared.progress import Source
from shared.record import TRANSITIONS

TICK_SECONDS = 0.5  # between looks at what has no common event: ranks, clock and the files of the sidecar
FOLLOW_SECONDS = 20  # after a host has failed, the others have so long to end before they are ended
RESERVED_SECONDS = 20  # of the grace period that the ranks do not get; 10 of them are for the sidecar
KILL_SECONDS = 5
PROBE_SECONDS = 6
KILLED = 128 + signal.SIGKILL
STACKS_SECONDS = 20  # for a login to all workers, and again for the reports of their ranks


class Attempt:
    """One start of the training, from the first rank to the last one's end."""

    def __init__(
        self, configured: settings.Settings, reached: workers.Workers, journal: Journal, external: External
    ) -> None:
        self.configured = configured
        self.workers = reached
        self.journal, self.external = journal, external
        self.method = methods.of(configured)
        used = hostfile.active(reached.chosen, configured.slots, hostfile.options(configured.deepspeed_args))
        self.hosts = list(used)
        self.progress = Progress(configured)
        self.progress.source = Source(configured, files=True) if self.method.whole else None
        self.heard = Output([] if self.method.whole else self.hosts, pdsh=self.method.pdsh, progress=self.progress)
        # Without expectWorld, reports are not evaluated: the exit code of the command is the result.
        self.output = self.heard if self.method.ranks else Output([])
        self.world = sum(used.values()) if self.method.ranks else 0
        self.before = journal.totals(external.earlier())
        self.cut_message = self.hang = ""
        self.conversion = resize.Conversion(configured, journal, external, self.before["seconds"])
        self.growth = Growth(configured, reached, self.progress)
        self.abandoned = False  # the program that started the ranks was ended here, because it waited for lost workers
        self.alone: list[str] = []  # hosts on which no process of launch.command connected with others

    def run(self) -> AttemptEnd:
        """Train. After the return, no rank runs on a reachable worker."""
        fewer = len(self.workers.chosen) < self.configured.workers
        self.journal.begin_attempt(**({"workers": len(self.workers.chosen)} if fewer else {}))
        if end := self.conversion.run(self.ask_to_resize, self.hosts):
            return end
        self.journal.move("started")
        process = self.launch()
        try:
            cut = self.watch(process)
            if cut:
                self.heard.ending = True
                self.end_ranks(process)
            lost = self.gone(process, cut)
        finally:
            process.kill()
        process.finish()
        if self.output.unclosed() and cut != "terminated":
            self.signal("KILL", KILL_SECONDS)
        code = process.code() or (KILLED if not cut and self.starter_died(process) else 0)
        return self.judge(code, cut, lost)

    def launch(self) -> Ranks:
        """Start the ranks."""
        start = self.start()
        if self.before["attempts"] and methods.meets_in_sessions(self.configured):
            self.workers.everywhere(workers.forget_meeting(), workers.COMMAND_SECONDS)
        environment = self.method.environment(start)
        if not self.method.whole:
            environment[reports.NONCE] = self.heard.nonce.decode()  # ssh passes it to the sessions
        return LaunchProcess(self.method.command(start), environment, self.heard, self.workers.children)

    def signal(self, name: str, seconds: float, until: Callable[[], bool] = lambda: False) -> None:
        """Send TERM, KILL or STACKS to all ranks, for at most so many seconds or until `until` is true."""
        self.workers.everywhere(workers.signal_ranks(name), seconds, until)

    def start(self) -> methods.Start:
        """The start, with the hostfile of the ConfigMap or, if not all workers train, one of those that do."""
        path = methods.HOSTFILE
        if self.workers.chosen != self.workers.names:
            path = hostfile.write(settings.RUN / "hostfile", self.workers.chosen, self.configured.slots)
        return methods.Start(self.configured, self.hosts, hostfile=path, configuration=self.conversion.configuration)

    def ask_to_resize(self) -> dict[str, Any]:
        return resize.over_ssh(self.workers, self.hosts[0], self.world, self.conversion)

    def watch(self, process: Ranks) -> str:
        """Wait until the training has ended; returns the reason to end it before, or ""."""
        started, wrong_since = time.monotonic(), 0.0
        while process.code() is None:
            self.workers.reap()
            if self.workers.chosen != self.workers.names:  # the others have no session, and would count as orphans
                self.workers.keep_contact()
            now = time.monotonic()
            wrong_since = wrong_since or (now if self.output.any_failed() else 0.0)
            cut = self.why_cut(now - started, now - wrong_since if wrong_since else 0)
            if cut and not (cut == "world-size" and process.behind()):
                if cut == "hung":
                    self.ask_for_stacks(process)
                self.cut_message = self.message(cut, None, [])
                return cut
            if self.waits_for_lost(process):
                log("all sessions have ended, but not the program that started them: ending it")
                self.abandoned = True
                process.kill()
                return ""
            if self.world_is_there():
                report(self.progress, self.journal, self.met_world())
            process.wait(TICK_SECONDS)
        return ""

    def waits_for_lost(self, process: Ranks) -> bool:
        """Whether all sessions have ended, but not the program that started them, see Method.waits."""
        return self.method.waits and self.output.any_started() and process.alone_seconds() > FOLLOW_SECONDS

    def ask_for_stacks(self, process: Ranks) -> None:
        """Make all programs write their stacks to the log, and wait for the reports of the ranks."""
        self.hang = self.progress.hang()
        log(f"the training hangs: {self.hang}; the stacks of all ranks:")

        def done() -> bool:
            return process.code() is not None or len(self.progress.stacks) >= max(self.world, 1)

        self.signal("STACKS", STACKS_SECONDS, done)
        until = time.monotonic() + STACKS_SECONDS
        while self.world and not done() and time.monotonic() < until:
            time.sleep(TICK_SECONDS)

    def why_cut(self, seconds: float, wrong_seconds: float) -> str:
        """The first reason to end the attempt. `seconds`: its duration; `wrong_seconds`: since the first failure."""
        limit, start = self.configured.active_deadline_seconds, self.configured.start_timeout_seconds
        reasons = (
            (self.external.event(), True),
            ("deadline", 0 < limit < self.before["seconds"] + seconds),
            ("world-size", self.world_is_wrong() or (seconds > start and not self.world_is_there())),
            ("follow", wrong_seconds > FOLLOW_SECONDS),
            ("hung", bool(self.progress.hang())),
            ("growing", self.growth.is_due()),
        )
        return next((event for event, holds in reasons if event and holds), "")

    def end_ranks(self, process: Ranks) -> None:
        """Send SIGTERM, then SIGKILL to the ranks, within the grace period. Sessions stay open for their reports."""
        patience = max(self.configured.termination_grace_period_seconds - RESERVED_SECONDS, 10)
        for name, seconds in (("TERM", patience), ("KILL", KILL_SECONDS)):
            if process.code() is None:
                log(f"ending the ranks with SIG{name}")
                until = time.monotonic() + seconds
                self.signal(name, seconds, lambda: process.code() is not None)
                while process.code() is None and time.monotonic() < until:
                    process.wait(TICK_SECONDS)

    def gone(self, process: Ranks, cut: str) -> list[str]:
        """Hosts whose workers are lost, except those that the launcher itself disconnects."""
        code = process.code()
        if code is None:
            return self.output.lost()
        process.finish()
        if process.signalled():  # it was killed itself, and hosts have ended because of that
            self.heard.failures = [end for end in self.heard.failures if "rank" in end]
        if self.output.any_started():
            return [] if self.starter_died(process) else self.output.unclosed()
        if cut or code == 0:
            return []
        until = time.monotonic() + PROBE_SECONDS
        missing = self.workers.missing(self.workers.chosen, lambda: time.monotonic() < until)
        return missing or self.refusing()

    def refusing(self) -> list[str]:
        """Hosts whose workers refuse the launcher's login."""
        refused = self.workers.refusals(self.workers.chosen, lambda: None)
        for name, words in refused.items():
            log(f"{name} refused the login: {words}")
        return list(refused)

    def starter_died(self, process: Ranks) -> bool:
        """Whether a signal ended pdsh, after which deepspeed exits with 0, or mpirun."""
        code = process.code() or 0  # of mpirun, a code above 128 may also mean a lost worker
        signalled = code == 0 or code >= 128 if self.method.pdsh else process.signalled()
        return (
            signalled
            and not self.abandoned
            and self.output.any_started()
            and not self.output.closed
            and not self.output.ssh_ended
        )

    def judge(self, code: int, cut: str, lost: list[str]) -> AttemptEnd:
        """Close the attempt in the journal, and name the event."""
        failed = self.heard.failure().get("exitCode", 0)
        if not code and not self.method.ranks:  # the autotuner ignores the exit code of its last experiment
            code = failed
        training_code = failed or code
        if not code and not cut and methods.meets_in_sessions(self.configured):
            met = self.workers.met()
            self.alone = [host for host in self.hosts if host.partition(".")[0] not in met]
        event = outcome.decide(self.facts(code, training_code, cut, bool(lost)))
        known = training_code if event in ("succeeded", "failed", "restarting") else None
        facts = self.failure(event, cut, lost)
        if known is not None:
            facts["exitCode"] = known
        self.journal.end_attempt(TRANSITIONS[event].reason or "Succeeded", facts)
        self.journal.said.update(worldSize=self.met_world(), **recorded(self.progress))
        message = (event in (cut, f"{cut}-restarting") and self.cut_message) or self.message(event, known, lost)
        return AttemptEnd(event, message, known)

    def failure(self, event: str, cut: str, lost: list[str]) -> dict[str, Any]:
        """The rank or host that caused the end, for the record; not a rank that was ended by the launcher."""
        failed = {} if cut in outcome.CUTS else self.heard.failure()
        if cut == "hung":
            return {key: fact for key, fact in self.progress.suspect().items() if key != "why"}
        return {"host": lost[0]} if event == "workers-lost" and failed.get("host") not in lost else failed

    def facts(self, code: int, training_code: int, cut: str, lost: bool) -> outcome.Facts:
        return outcome.Facts(
            code=code,
            training_code=training_code,
            cut=cut,
            lost=lost,
            hosts=len(self.output.hosts),
            closed=len(self.output.closed),
            expected_ranks=self.world,
            ranks=len(self.output.ranks),
            strangers=len(self.strangers()) + len(self.alone),
            world_is_wrong=self.world_is_wrong(),
            restarts=self.before["failures"],
            max_restarts=self.configured.max_restarts,
            restart_exit_codes=tuple(self.configured.restart_exit_codes),
        )

    def message(self, event: str, code: int | None, lost: list[str]) -> str:
        """The message of the record."""
        if event in ("failed", "restarting"):
            return self.heard.blame() if self.heard.failure() else f"the training ended with exit code {code}"
        if event in ("hung", "hung-restarting"):
            return hang_message(self.hang, self.progress.suspect())
        if event == "never-met" and self.alone:
            return f"no process met another worker's on {' '.join(self.alone[:10])} (launch.expectWorld)"
        if event == "never-met":
            return outcome.never_met(self.strangers(), self.world)
        if event == "workers-lost":
            return f"lost: {' '.join(lost[:10])}"
        if event == "world-size":
            sizes = ", ".join(str(size) for size in sorted(self.output.world_sizes)) or "none"
            return f"{len(self.output.ranks)} of {self.world} ranks started; world size reported: {sizes}"
        if event == "growing":
            return f"all {self.configured.workers} workers answer, and go on from the newest checkpoint"
        if event == "deadline":
            return outcome.deadline_message(self.configured.active_deadline_seconds)
        return self.external.explain(event)

    def strangers(self) -> list[int]:
        """With expectWorld, the ranks that never connected with others."""
        return self.output.strangers() if self.configured.expect_world and self.world > 1 else []

    def met_world(self) -> int | None:
        """The world size, if there is evidence for it."""
        met = self.world == 1 or len(self.output.met) == self.world
        return self.world if met and self.world_is_there() and self.world else None

    def world_is_there(self) -> bool:
        return len(self.output.ranks) == self.world and self.output.world_sizes == {self.world} - {0}

    def world_is_wrong(self) -> bool:
        return bool(self.output.world_sizes - {self.world})
