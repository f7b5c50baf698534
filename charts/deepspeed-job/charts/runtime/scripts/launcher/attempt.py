"""One attempt of the training: starts the ranks, ends them if necessary, and determines the result."""

from __future__ import annotations

import signal
import time
from typing import Any

from launcher import outcome
from launcher.choice import Growth
from launcher.outcome import AttemptEnd
from launcher.process import LaunchProcess, WorkerProcesses
from launcher.progress import Progress, as_record_field, explain_hang, report
from launcher.resize import CheckpointPreparation
from launcher.wait import Wait
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
STACKS_SECONDS = 20  # for an order to all workers, and again for the reports of their ranks
OBEY_SECONDS = 20  # until all workers are at the attempt
MET_SECONDS = 5  # until a worker says that its processes have met those of others, once they have ended


class Attempt:
    """One start of the training, from the first rank to the last one's end."""

    def __init__(self, wait: Wait, number: int = 0, goes_on: bool = False) -> None:
        """`number`: 0 for the next one; `goes_on`: its ranks were started by another launcher."""
        self.configured, self.journal, self.external = wait.configured, wait.journal, wait.external
        self.workers, self.control = wait.workers, wait.workers.control
        self.method = methods.choose_method(self.configured)
        chosen, slots = self.workers.chosen, self.configured.slots
        if self.method.ssh:
            used = hostfile.count_active_slots(chosen, slots, self.configured.deepspeed_args)
        else:
            used = dict.fromkeys(chosen, 1 if self.method.whole else slots)
        self.hosts, self.goes_on = list(used), goes_on
        self.progress = Progress(self.configured)
        alone = self.method.ssh and self.method.whole  # no rank.py reports, and none reads the files
        self.progress.source = Source(self.configured, files=True) if alone else None
        self.heard = Output([] if alone else self.hosts, pdsh=self.method.pdsh, progress=self.progress)
        # Without expectWorld, reports are not evaluated: the exit code of the command is the result.
        self.output = self.heard if self.method.ranks else Output([])
        self.world = sum(used.values()) if self.method.ranks else 0
        self.before = wait.compute_totals()
        self.number = number or self.before["attempts"] + 1
        self.cut_message = self.hang = ""
        self.conversion = CheckpointPreparation(wait)
        self.growth = Growth(self.configured, self.workers, self.progress)
        self.abandoned = False  # the program that started the ranks was ended here, because it waited for lost workers
        self.alone: list[str] = []  # hosts on which no process of launch.command connected with others

    def run(self) -> AttemptEnd:
        """Train. After the return, no rank runs on a reachable worker."""
        fewer = len(self.workers.chosen) < self.configured.workers
        self.journal.begin_attempt(**({"workers": len(self.workers.chosen)} if fewer else {}))
        host = self.hosts[0].partition(".")[0]
        if not self.goes_on and (end := self.conversion.run(self.number, self.world, host)):
            return end
        self.journal.move("started")
        process = self.launch()
        try:
            cut = self.watch(process)
            if cut:
                self.heard.ending = True
            # Without ssh, the next launcher continues the attempt of one that is stopped.
            if cut and (self.method.ssh or not self.external.terminated):
                self.end_ranks(process)
            lost = self.find_lost_hosts(process, cut)
        finally:
            process.kill()
        process.finish()
        if self.output.list_unclosed_hosts() and cut != "terminated":
            self.control.signal("KILL", KILL_SECONDS)
        code = process.poll() or (KILLED if not cut and self.has_starter_died(process) else 0)
        return self.close(code, cut, lost)

    def launch(self) -> LaunchProcess | WorkerProcesses:
        """Start the ranks."""
        if not self.method.ssh:
            self.control.choose(self.hosts)
            self.control.begin(self.number, self.output, self.conversion.configuration)
            return WorkerProcesses(self.control, self.number, self.output)
        start = self.make_start()
        self.control.choose(self.workers.names)
        self.control.begin(self.number, self.heard)
        if methods.meets_in_sessions(self.configured):  # with the order, a worker forgets who met in the last attempt
            self.control.wait_for_obedience(OBEY_SECONDS)
        environment = self.method.environment(start)
        if not self.method.whole:
            environment[reports.NONCE] = self.heard.nonce.decode()  # ssh passes it to the sessions
        return LaunchProcess(self.method.command(start), environment, self.heard, self.workers.children)

    def make_start(self) -> methods.Start:
        """The start, with the hostfile of the ConfigMap or, if not all workers train, one of those that do."""
        path = methods.HOSTFILE
        if self.workers.chosen != self.workers.names:
            path = hostfile.write(settings.RUN / "hostfile", self.workers.chosen, self.configured.slots)
        return methods.Start(self.configured, self.hosts, hostfile=path, configuration=self.conversion.configuration)

    def watch(self, process: LaunchProcess | WorkerProcesses) -> str:
        """Wait until the training has ended; returns the reason to end it before, or ""."""
        started, wrong_since = time.monotonic(), 0.0
        while process.poll() is None:
            self.workers.reap()
            now = time.monotonic()
            wrong_since = wrong_since or (now if self.output.has_failed_host() else 0.0)
            cut = self.find_cut(now - started, now - wrong_since if wrong_since else 0)
            if cut and not (cut == "world-size" and process.has_unread_output()):
                if cut == "hung":
                    self.ask_for_stacks(process)
                self.cut_message = self.explain_end(cut, None, [])
                return cut
            if self.method.waits and self.output.has_started() and process.count_seconds_alone() > FOLLOW_SECONDS:
                log("all sessions have ended, but not the program that started them: ending it")
                self.abandoned = True
                process.kill()
                return ""
            if self.is_world_there():
                report(self.progress, self.journal, self.find_world_size())
            process.wait(TICK_SECONDS)
        return ""

    def ask_for_stacks(self, process: LaunchProcess | WorkerProcesses) -> None:
        """Make all programs write their stacks to the log, and wait for the reports of the ranks."""
        self.hang = self.progress.describe_hang()
        log(f"the training hangs: {self.hang}; the stacks of all ranks:")

        def is_done() -> bool:
            return process.poll() is not None or len(self.progress.stacks) >= max(self.world, 1)

        self.control.signal("STACKS", STACKS_SECONDS, is_done)
        until = time.monotonic() + STACKS_SECONDS
        while self.world and not is_done() and time.monotonic() < until:
            time.sleep(TICK_SECONDS)

    def find_cut(self, seconds: float, wrong_seconds: float) -> str:
        """The first reason to end the attempt. `seconds`: its duration; `wrong_seconds`: since the first failure."""
        late = seconds > self.configured.start_timeout_seconds
        reasons = (
            (self.external.find_event(self.before["seconds"] + seconds), True),
            ("world-size", self.is_world_wrong() or (late and not self.is_world_there())),
            ("follow", wrong_seconds > FOLLOW_SECONDS),
            ("hung", bool(self.progress.describe_hang())),
            ("growing", self.growth.is_due()),
        )
        found = next((event for event, holds in reasons if event and holds), "")
        return "" if found == "succeeded" else found  # the next wait for workers reports a complete worker Job

    def end_ranks(self, process: LaunchProcess | WorkerProcesses) -> None:
        """Send SIGTERM, then SIGKILL to the ranks, within the grace period. Sessions stay open for their reports."""
        patience = max(self.configured.termination_grace_period_seconds - RESERVED_SECONDS, 10)
        for name, seconds in (("TERM", patience), ("KILL", KILL_SECONDS)):
            if process.poll() is None:
                log(f"ending the ranks with SIG{name}")
                until = time.monotonic() + seconds
                self.control.signal(name, seconds, lambda: process.poll() is not None)
                while process.poll() is None and time.monotonic() < until:
                    process.wait(TICK_SECONDS)

    def find_lost_hosts(self, process: LaunchProcess | WorkerProcesses, cut: str) -> list[str]:
        """Hosts whose workers are lost, except those that the launcher itself disconnects."""
        code = process.poll()
        if code is None or not self.method.ssh:
            return self.output.list_lost_hosts()
        process.finish()
        if process.was_signalled():  # it was killed itself, and hosts have ended because of that
            self.heard.failures = [end for end in self.heard.failures if "rank" in end]
        if self.output.has_started():
            return [] if self.has_starter_died(process) else self.output.list_unclosed_hosts()
        if cut or code == 0:
            return []
        until = time.monotonic() + PROBE_SECONDS
        missing = self.control.find_missing(self.workers.chosen, lambda: time.monotonic() < until)
        refused = {} if missing else self.workers.find_refusals(self.workers.chosen, lambda: None)
        for name, words in refused.items():
            log(f"{name} refused the login: {words}")
        return missing or list(refused)

    def has_starter_died(self, process: LaunchProcess | WorkerProcesses) -> bool:
        """Whether a signal ended pdsh, after which deepspeed exits with 0, or mpirun."""
        code = process.poll() or 0  # of mpirun, a code above 128 may also mean a lost worker
        signalled = code == 0 or code >= 128 if self.method.pdsh else process.was_signalled()
        ended = self.abandoned or self.output.closed or self.output.ssh_ended
        return signalled and self.output.has_started() and not ended

    def close(self, code: int, cut: str, lost: list[str]) -> AttemptEnd:
        """Close the attempt in the journal, and name the event."""
        failed = self.heard.find_failure().get("exitCode", 0)
        if not code and not self.method.ranks:  # the autotuner ignores the exit code of its last experiment
            code = failed
        training_code = failed or code
        if not code and not cut and methods.meets_in_sessions(self.configured):
            self.alone = self.find_alone_hosts()
        event = outcome.decide(self.collect_facts(code, training_code, cut, bool(lost)))
        known = training_code if event in ("succeeded", "failed", "restarting") else None
        facts = self.find_failure(event, cut, lost)
        if known is not None:
            facts["exitCode"] = known
        self.journal.end_attempt(TRANSITIONS[event].reason or "Succeeded", facts)
        self.journal.said.update(worldSize=self.find_world_size(), **as_record_field(self.progress))
        message = (event in (cut, f"{cut}-restarting") and self.cut_message) or self.explain_end(event, known, lost)
        return AttemptEnd(event, message, known)

    def find_alone_hosts(self) -> list[str]:
        """The hosts on which no process of launch.command connected with another worker's."""
        until = time.monotonic() + MET_SECONDS
        while True:
            alone = [host for host in self.hosts if not self.control.find_member(host).met]
            if not alone or time.monotonic() > until:
                return alone
            self.control.wait(TICK_SECONDS)

    def find_failure(self, event: str, cut: str, lost: list[str]) -> dict[str, Any]:
        """The rank or host that caused the end, for the record; not a rank that was ended by the launcher."""
        failed = {} if cut in outcome.CUTS else self.heard.find_failure()
        if cut == "hung":
            return {key: fact for key, fact in self.progress.find_suspect().items() if key != "why"}
        return {"host": lost[0]} if event == "workers-lost" and failed.get("host") not in lost else failed

    def collect_facts(self, code: int, training_code: int, cut: str, lost: bool) -> outcome.AttemptFacts:
        return outcome.AttemptFacts(
            code=code,
            training_code=training_code,
            cut=cut,
            lost=lost,
            whole=(len(self.output.ranks), len(self.output.closed)) == (self.world, len(self.output.hosts)),
            strangers=len(self.list_strangers()) + len(self.alone),
            world_is_wrong=self.is_world_wrong(),
            restarts=self.before["failures"],
            max_restarts=self.configured.max_restarts,
            restart_exit_codes=tuple(self.configured.restart_exit_codes),
        )

    def explain_end(self, event: str, code: int | None, lost: list[str]) -> str:
        """The message of the record."""
        if event in ("failed", "restarting"):
            return (
                self.heard.explain_failure()
                if self.heard.find_failure()
                else f"the training ended with exit code {code}"
            )
        if event in ("hung", "hung-restarting"):
            return explain_hang(self.hang, self.progress.find_suspect())
        if event == "never-met" and self.alone:
            return f"no process met another worker's on {' '.join(self.alone[:10])} (launch.expectWorld)"
        if event == "never-met":
            return outcome.explain_never_met(self.list_strangers(), self.world)
        if event == "workers-lost":
            return f"lost: {' '.join(lost[:10])}"
        if event == "world-size":
            sizes = ", ".join(str(size) for size in sorted(self.output.world_sizes)) or "none"
            return f"{len(self.output.ranks)} of {self.world} ranks started; world size reported: {sizes}"
        if event == "growing":
            return f"all {self.configured.workers} workers answer, and go on from the newest checkpoint"
        return self.external.explain(event)

    def list_strangers(self) -> list[int]:
        """With expectWorld, the ranks that never connected with others."""
        return self.output.list_strangers() if self.configured.expect_world and self.world > 1 else []

    def find_world_size(self) -> int | None:
        """The world size, if there is evidence for it; None for launch.command, whose world is unknown."""
        met = (self.world == 1 or len(self.output.met) == self.world) and not self.method.whole
        return self.world if met and self.is_world_there() and self.world else None

    def is_world_there(self) -> bool:
        return len(self.output.ranks) == self.world and self.output.world_sizes == {self.world} - {0}

    def is_world_wrong(self) -> bool:
        return bool(self.output.world_sizes - {self.world})
