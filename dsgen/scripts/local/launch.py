"""The steps of the launcher without ssh: it orders the workers to start and end their parts of the training.

If some workers cannot connect to the launcher, all of them start when the record says so, and there are no restarts:
the worker Job completes after all parts have succeeded, and fails with the first failed part.
"""

from __future__ import annotations

import re
import time
from typing import Any

from launcher.attempt import Attempt
from launcher.choice import SPARE_SECONDS, WorkerChoice, decide_size
from launcher.outcome import AttemptEnd, RunEndedError, explain_never_met
from launcher.resize import CheckpointPreparation
from launcher.wait import Wait
from shared import methods
from shared.log import log
from shared.record import TRANSITIONS

TICK_SECONDS = 0.1  # between looks at what has no common event: workers, clock and the files of the sidecar
CONNECT_SECONDS = 150  # a kubelet may need two minutes to update the record, with the launcher's address, in a pod
ISOLATED_SECONDS = 600  # the launcher uses only the API, and the workers continue meanwhile
# The message of the Job controller about the pod for which its podFailurePolicy ended the Job.
FAILED_POD = re.compile(r"Container worker for pod [^/ ]+/(\S+)-[^- ]+ failed with exit code (\d+)")


class WithoutSsh:
    """The steps of the launcher, in the order of the methods."""

    def __init__(self, wait: Wait) -> None:
        self.wait = wait
        self.configured = wait.configured
        self.external = wait.external
        self.journal = wait.journal
        self.control = wait.workers.control
        self.output = self.control.output
        self.whole = methods.choose_method(self.configured).whole
        self.free = False  # the workers start when the record says so
        self.number = 0  # of the attempt, counted over all launcher pods
        self.choice = WorkerChoice(self.configured, wait.workers)

    def prepare(self) -> None:
        """Listen for the workers. If the pod has no address, they start when the record says so."""
        try:
            self.journal.said["launcher"] = self.control.listen(str(self.external.read_status().get("offer") or ""))
        except OSError as error:
            log(f"this pod has no address to listen on: {error}")

    def wait_for_workers(self) -> None:
        """Wait until each worker has connected, or has been ready too long without a connection, or is done.

        Spares stand in for workers that have not connected a while after enough others have.
        """
        wanted, ready_at, enough_at = self.configured.workers, 0.0, 0.0
        while self.free or len(self.control.list_connected()) < len(self.control.members):
            enough = not self.free and len(self.control.list_connected()) >= wanted
            enough_at = (enough_at or time.monotonic()) if enough else 0.0
            if enough and time.monotonic() - enough_at >= SPARE_SECONDS:
                break
            ready = self.count_ready() >= wanted
            ready_at = (ready_at or time.monotonic()) if ready else 0.0
            if ready and (self.free or time.monotonic() - ready_at > CONNECT_SECONDS):
                break
            if not self.control.list_connected():
                self.wait.check_isolation()
            if not self.wait.has_time_for_workers():
                connected = len(self.control.list_connected())
                said = f"{self.count_ready()} of {wanted} workers were ready, {connected} had connected"
                raise RunEndedError("unreachable", self.wait.explain_too_late(said))
            self.control.wait(TICK_SECONDS)
        if len(self.control.list_connected()) < wanted and not self.free:
            log("not all workers can connect to this pod: they start when the record says so, and nothing is restarted")
        self.free = len(self.control.list_connected()) < wanted or any(m.free for m in self.control.members.values())
        if self.free:
            self.journal.said["start"] = "record"
        elif not self.list_training_hosts():
            self.choice.present = [
                name for name in self.wait.workers.names if self.control.find_member(name).connection
            ]
            decide_size(self.choice, self.wait)

    def list_training_hosts(self) -> list[str]:
        """The hosts that train already, for a launcher pod that takes over; [] if not all do."""
        at = {member.attempt for member in self.control.members.values()} - {0}
        hosts = [host for host in self.wait.workers.names if self.control.find_member(host).attempt]
        return hosts if not self.number and len(at) == 1 and len(hosts) == self.configured.workers else []

    def count_ready(self) -> int:
        """The number of ready or completed workers; 0 for a suspended Job, whose remaining pods are ending."""
        job = self.external.read_worker_job()
        return 0 if job.get("suspended") else int(job.get("ready", 0))

    def make_start(self) -> None:
        """None: the launcher starts nothing."""

    def make_attempt(self) -> Attempt | AttemptByRecord:
        """The next attempt; for a new launcher pod, the attempt that its workers are running."""
        if self.free:
            return AttemptByRecord(self)
        training = self.list_training_hosts()
        self.wait.workers.chosen = training or self.wait.workers.chosen
        at = [member.attempt for member in self.control.members.values()]
        self.number = max(self.number, *at) + (0 if training else 1)
        return Attempt(self.wait, self.number, bool(training))

    def make_run_end(self, event: str) -> RunEndedError:
        """The end of the run by an external event."""
        begun = self.wait.compute_totals()["attempts"] > 0
        return RunEndedError(*self.find_end(event)[0]) if begun else RunEndedError(event, self.external.explain(event))

    def find_end(self, event: str) -> tuple[AttemptEnd, dict[str, Any]]:
        """The end of the attempt for an event, and its facts for the record."""
        if event == "succeeded":
            return AttemptEnd(event, "", 0), {"exitCode": 0}
        failure = self.find_failure() if event == "workers-failed" else {}
        if self.output.world_sizes - {self.count_ranks()} and failure:
            sizes = ", ".join(map(str, sorted(self.output.world_sizes)))
            return AttemptEnd("world-size", f"world size reported: {sizes}; asked for: {self.count_ranks()}", None), {}
        if event == "workers-failed" and "rank" not in failure and self.list_strangers():
            return AttemptEnd("never-met", explain_never_met(self.list_strangers(), self.count_ranks()), None), {}
        if failure:
            seen = [
                *self.external.list_problems(),
                f"worker {failure['host']} ended with exit code {failure['exitCode']}",
            ]
            message = self.output.explain_failure() if "rank" in failure else seen[0]
            return AttemptEnd("failed", message, failure["exitCode"]), failure
        return AttemptEnd(event, self.external.explain(event), None), {}

    def find_failure(self) -> dict[str, Any]:
        """The first failure according to the reports of the ranks, otherwise to the Job controller."""
        match = FAILED_POD.search(self.external.explain("workers-failed"))
        by_job = {"host": match.group(1), "exitCode": int(match.group(2))} if match else {}
        return self.output.find_failure() or by_job

    def list_strangers(self) -> list[int]:
        """With expectWorld, the ranks that exited with 0 but never connected with others."""
        expected = self.configured.expect_world and self.count_ranks() > 1
        ended = {end["rank"] for end in self.output.ends if not end["exitCode"]}
        return [rank for rank in self.output.list_strangers() if rank in ended] if expected else []

    def count_ranks(self) -> int:
        """The number of ranks that report: one per worker for worker-command."""
        return self.configured.workers * (1 if self.whole else self.configured.slots)

    def announce_end(self, phase: str) -> None:
        """Announce the end to the connected workers; the others read the record."""
        self.control.tell(over=phase)


class AttemptByRecord:
    """An attempt of workers that start when the record says so, as observed by the launcher."""

    def __init__(self, side: WithoutSsh) -> None:
        self.side = side
        self.configured = side.configured
        self.external, self.journal = side.external, side.journal
        self.before = side.wait.compute_totals()
        self.conversion = CheckpointPreparation(side.wait)  # cannot be ordered

    def run(self) -> AttemptEnd:
        """Watch until an event ends the run or the workers are lost. The launcher does not affect the training."""
        self.journal.begin_attempt()
        self.journal.move("started")
        started = time.monotonic()
        while True:
            self.side.wait.workers.reap()
            self.side.wait.check_isolation(ISOLATED_SECONDS)
            event = self.find_cut(time.monotonic() - started)
            if event:
                return self.close(event)
            if self.runs(time.monotonic() - started):
                self.journal.move("running", worldSize=self.find_world_size())
            time.sleep(TICK_SECONDS)

    def find_cut(self, seconds: float) -> str:
        """The event that ends an attempt after so many seconds, or ""."""
        event = self.external.find_event(self.before["seconds"] + seconds)
        return event or ("workers-lost" if self.external.read_worker_job().get("suspended") else "")

    def runs(self, seconds: float) -> bool:
        """Whether all ranks have reported, or should have: the network may block reports."""
        return self.is_world_there() or seconds > self.configured.start_timeout_seconds

    def is_world_there(self) -> bool:
        return len(self.side.output.ranks) == self.side.count_ranks()

    def find_world_size(self) -> int | None:
        """The world size, if all ranks reported that they are connected."""
        expected = self.side.count_ranks()
        met = expected == 1 or len(self.side.output.met) == expected
        return expected if met and not self.side.whole else None

    def close(self, event: str) -> AttemptEnd:
        end, facts = self.side.find_end(event)
        if end.event == "succeeded":
            checked = self.configured.expect_world and not self.side.whole  # by each worker, before it exits with 0
            self.journal.said["worldSize"] = self.side.count_ranks() if checked else self.find_world_size()
        self.journal.end_attempt(TRANSITIONS[end.event].reason or "Succeeded", facts)
        return end
