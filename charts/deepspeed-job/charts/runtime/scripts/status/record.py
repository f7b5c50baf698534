"""Reads and writes the record of this run in the ConfigMap of the job, and determines why a launcher was lost."""

from __future__ import annotations

import time
from typing import Any

from shared import exchange, record, settings
from shared.log import log
from shared.record import ENDS, TRANSITIONS
from status import api
from status.pods import Nodes

MANAGER = "dsgen-status"
MISSING_SECONDS = 30  # before a deleted record is created again
CHANGES_AT_ONCE = 8  # of the record, such as the phases of a start; further ones have the interval of the settings
# Files that say why the launcher was never started, named after the event, and the container in whose volume each lies.
# The first line is the reason, the rest are the last lines of what failed. The launcher's own comes last, because the
# user's code can write it.
FAILURES = {"code-failed": "code", "setup-failed": "launcher"}


class Allowance:
    """Allows something `most` times, and again once in so many seconds. Training code can write what causes it."""

    def __init__(self, most: int, seconds: float) -> None:
        self.most, self.seconds = most, seconds
        self.left, self.counted_at = float(most), time.monotonic()

    def take(self) -> bool:
        now = time.monotonic()
        self.left = min(self.left + (now - self.counted_at) / self.seconds, self.most)
        self.counted_at = now
        if self.left < 1:
            return False
        self.left -= 1
        return True


class RunRecord:
    """The last state of the ConfigMap, and the record of the run in it."""

    def __init__(self, configured: settings.Settings, client: api.Api) -> None:
        self.configured = configured
        self.client = client
        self.nodes = Nodes(configured, client)
        self.path = api.format_path("configmaps", configured.namespace, configured.record)
        self.begun = time.time()
        self.ended: float | None = None  # when the launcher's end was first seen
        self.earlier: dict[str, Any] | None = None  # what earlier pods recorded; None until the record was read
        self.ended_before: dict[str, Any] | None = None  # the end that earlier pods recorded: nothing is to be done
        self.data: dict[str, str] | None = None
        self.missing_since = 0.0  # when the ConfigMap was first not there
        self.written = ""
        self.sequence = 0  # of the launcher.json that is in the record
        self.changes = Allowance(CHANGES_AT_ONCE, configured.status_interval_seconds)
        self.kept: tuple[dict[str, Any], int] = {}, 0  # launcher.json and the failed workers that were written last

    def read(self) -> None:
        """Read the ConfigMap, or create it again. Raises ApiError."""
        try:
            self.data = self.client.get(self.path).get("data")
            self.missing_since = 0.0
        except api.ApiError as error:
            if error.status != 404 or not self.may_make():
                raise
            self.make()
        if self.earlier is not None and (self.data or {}).get(self.configured.run) != self.written:
            self.written = ""  # the record was made anew, or emptied: write it again

    def may_make(self) -> bool:
        """Whether to create the ConfigMap: it has been missing for a while, and the run was not deleted by a prune."""
        self.missing_since = self.missing_since or time.monotonic()
        if time.monotonic() - self.missing_since < MISSING_SECONDS:
            return False
        job = self.read_launcher_job()
        return job is not None and not job.get("metadata", {}).get("deletionTimestamp")

    def make(self) -> None:
        """Create the ConfigMap without data; the record of this pod follows."""
        name, labels = self.configured.record, {"dsgen.dev/job": self.configured.job}
        made = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": labels}}
        self.patch(made, api.APPLY_PATCH)
        log(f"created ConfigMap {name} again: it was deleted")

    def read_launcher_job(self) -> dict[str, Any] | None:
        """The launcher Job; None if it was deleted. After a prune the Role is deleted, too, so 403 means the same."""
        path = api.format_path("jobs", self.configured.namespace, self.configured.launcher_job)
        return self.client.get(path, absent=(403, 404)) or None

    def patch(self, patch: Any, content_type: str) -> None:
        """Change the ConfigMap. Raises ApiError."""
        self.data = self.client.patch(self.path, patch, content_type, MANAGER).get("data")

    def continue_from(self, holder: dict[str, Any]) -> None:
        """Continue the record of an earlier launcher pod of this run. `holder`: content of the lease."""
        if self.earlier is not None:
            return
        earlier = record.parse((self.data or {}).get(self.configured.run))
        if earlier.get("phase") in ENDS:
            self.ended_before = {key: earlier.get(key) for key in ("phase", "reason", "exitCode")}
            log(f"the run has already ended: {record.describe(earlier)}")
        last = holder.get("time") if holder.get("run") == self.configured.run else None
        self.earlier = record.take_over(earlier, str(last or record.format_time(time.time())))

    def keep(self, launcher: dict[str, Any], worker_job: dict[str, Any] | None, last: bool = False) -> None:
        """Write the record if it has changed and may change; the `last` state is always written."""
        failed = (worker_job or {}).get("failed", 0)
        if self.ended_before or self.earlier is None or not (self.may_change(launcher, failed) or last):
            return
        if launcher.get("phase") in ENDS and self.ended is None:
            self.ended = time.time()
        configured = self.configured
        launcher = dict(launcher, message=self.nodes.add_nodes(launcher.get("message", "")))
        workers = {"replicas": configured.workers, "slots": configured.slots, "failed": failed}
        content = record.compose(self.earlier, launcher, workers, self.begun, self.ended or time.time())
        line = record.format_line(content)
        if line != self.written:
            self.write(line)
            log(record.describe(content))
        self.sequence = launcher.get("sequence", 0)

    def may_change(self, launcher: dict[str, Any], failed: int) -> bool:
        """Whether this state may be written. All kubelets of the workers read each one; an end does not wait."""
        if (launcher, failed) != self.kept:
            ends = launcher.get("phase") in ENDS and self.kept[0].get("phase") not in ENDS
            if not ends and not self.changes.take():
                return False
            self.kept = launcher, failed
        return True

    def write(self, line: str) -> None:
        """Write the record of this run, and remove the oldest ended runs."""
        run, old = self.configured.run, self.data or {}
        data: dict[str, str | None] = {run: line}
        data.update(dict.fromkeys(record.list_dropped_runs(old, run, self.configured.status_history)))
        self.patch({"data": data}, api.MERGE_PATCH)
        self.written = line


def find_loss_event(launcher: dict[str, Any], job: dict[str, Any] | None) -> str:
    """The event (of TRANSITIONS) for a launcher that was lost before the end of the run.

    `job`: its Job, None if that was deleted, too.
    """
    if job is None or job.get("metadata", {}).get("deletionTimestamp"):
        return "stopped"
    if job.get("spec", {}).get("suspend"):
        return "suspended"
    if job.get("status", {}).get("failed", 0) >= job.get("spec", {}).get("backoffLimit", 6):
        return "last-launcher-lost"
    return "terminated" if launcher.get("terminated") else "launcher-lost"


def compose_never_started() -> dict[str, Any]:
    """The content of launcher.json for a launcher that was never started because another container failed; else {}."""
    for event, container in FAILURES.items():
        words = exchange.read_lines(settings.locate_volume(container) / event)
        if words is not None:
            row = TRANSITIONS[event]
            attempts = record.close([], row.reason, record.format_time(time.time()))
            attempts[0]["tail"] = words[1:]
            return {"phase": row.phase, "reason": row.reason, "message": " ".join(words[:1]), "attempts": attempts}
    return {}


def compose_after_loss(launcher: dict[str, Any], job: dict[str, Any] | None) -> dict[str, Any]:
    """The content of launcher.json after the launcher was lost before the end of the run."""
    row = TRANSITIONS[find_loss_event(launcher, job)]
    attempts = launcher.get("attempts", [])
    if not (launcher.get("terminated") and attempts):  # with SIGTERM the launcher has closed its attempt itself
        attempts = record.close(attempts, row.reason, record.format_time(time.time()))
    return dict(launcher, phase=row.phase, reason=row.reason, message="", attempts=attempts)
