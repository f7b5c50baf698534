"""The status hook: a native sidecar of the launcher pod that keeps the record, the lease, and an eye on the two Jobs.

It is the last to stop in its pod. Whatever the API answers, it tries again: a training never ends because of it.
"""

from __future__ import annotations

import signal

if __name__ == "__main__":
    # Before the other imports, which take a second where the processor is short: the kernel drops a signal to process 1
    # that has no handler, unless it is blocked. The kubelet would wait in vain for the last state, and kill.
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM, signal.SIGINT))

import contextlib
import sys
import time
from types import FrameType
from typing import Any

import absent
import api
import exchange
import lease
import record
import settings
import webhook

MANAGER = "dsgen-status"
TICK_SECONDS = 0.5
QUICK_SECONDS = 2  # between looks until the training runs, and between tries after an error
FINAL_SECONDS = 25  # for the last state; after SIGTERM of the pod the kubelet leaves about 10


class Sidecar:
    """What the sidecar knows. Times named `*_at` are monotonic."""

    def __init__(self, configured: settings.Settings, client: api.Api) -> None:
        self.configured = configured
        self.client = client
        self.record_path = api.configmap_path(configured.namespace, configured.record)
        self.stopping = False
        self.begun = time.time()
        self.ended: float | None = None  # when the launcher's end was first seen
        self.earlier: dict[str, Any] | None = None  # what earlier pods recorded; None until the record was read
        self.over: dict[str, Any] | None = None  # the end that was found in the record: nothing is to be done
        self.data: dict[str, str] | None = None
        self.lease = ""
        self.seen = lease.Seen(None, 0)
        self.workers: dict[str, Any] | None = None
        self.written = ""
        self.sequence = 0  # of the launcher.json that is in the record
        self.looked_at = self.leased_at = self.failed_at = float("-inf")
        self.problem = ""

    def run(self) -> int:
        self.remember()
        while not self.stopping:
            self.step()
            time.sleep(TICK_SECONDS)
        return self.finish()

    def on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self.stopping = True

    def step(self) -> None:
        """One round; an error of the API ends it early, and the next one comes a little later."""
        if time.monotonic() - self.failed_at < QUICK_SECONDS:
            return
        try:
            self.keep_lease()
            self.look()
            self.keep_record(self.launcher())
            self.problem = ""
        except api.ApiError as error:
            self.note(error)
        self.tell()

    def note(self, error: api.ApiError) -> None:
        self.failed_at = time.monotonic()
        if str(error) != self.problem:
            log(f"{error}; trying again")
        self.problem = str(error)

    # The lease

    def keep_lease(self) -> None:
        """Take the lease when it is free, renew it while it is held, notice when it is lost."""
        due = lease.RENEW_SECONDS if self.lease == "held" else self.interval()
        if self.over or time.monotonic() - self.leased_at < due:
            return
        self.read_record()
        if self.over:
            return
        run = self.configured.run
        state = lease.state(self.lease, self.data, run, self.seen, time.monotonic())
        if state != "free":
            self.lease = state
        else:
            new = lease.value(self.seen.text, run, record.stamp(time.time()))
            self.patch_lease(lease.patch(self.data, new))
        self.leased_at = time.monotonic()

    def patch_lease(self, patch: list[dict[str, Any]]) -> None:
        try:
            self.data = self.client.patch(self.record_path, patch, api.JSON_PATCH, MANAGER).get("data")
        except api.ApiError as error:
            if error.status != 422:
                raise
            log("another launcher wrote the lease at the same time")  # the next round reads it
            return
        self.seen = lease.watch(self.seen, self.data, time.monotonic())
        if self.lease != "held":
            log("took the lease")
        self.lease = "held"

    def read_record(self) -> None:
        self.data = self.client.get(self.record_path).get("data")
        self.seen = lease.watch(self.seen, self.data, time.monotonic())
        if self.earlier is None:
            self.take_over(record.parse((self.data or {}).get(self.configured.run)))
        elif self.written and (self.data or {}).get(self.configured.run) != self.written:
            self.written = ""  # the record was made anew, or emptied: write it again

    def take_over(self, found: dict[str, Any]) -> None:
        """Go on from what an earlier launcher pod of this run has recorded."""
        if found.get("phase") in record.ENDS:
            self.over = {key: found.get(key) for key in ("phase", "reason", "exitCode")}
            log(f"the run has ended before: {record.summary(found)}")
        holder = lease.holder(self.seen.text)
        last = holder.get("time") if holder.get("run") == self.configured.run else None
        self.earlier = record.taken_over(found, str(last or record.stamp(time.time())))

    # The Jobs

    def look(self) -> None:
        """What becomes of the worker Job."""
        if time.monotonic() - self.looked_at >= self.interval():
            path = api.job_path(self.configured.namespace, self.configured.worker_job)
            self.workers = worker_job(self.client.get(path))
            self.looked_at = time.monotonic()

    def interval(self) -> float:
        running = self.launcher().get("phase") == record.TRANSITIONS["running"].phase
        return self.configured.status_interval_seconds if running else QUICK_SECONDS

    # The record

    def launcher(self) -> dict[str, Any]:
        return exchange.launcher(settings.written_by("launcher"))

    def keep_record(self, launcher: dict[str, Any]) -> None:
        """Write what has changed."""
        if self.over or self.earlier is None:
            return
        if launcher.get("phase") in record.ENDS and self.ended is None:
            self.ended = time.time()
        content = self.content(launcher)
        line = record.line(content)
        if line != self.written:
            self.write(line)
            log(record.summary(content))
        self.sequence = launcher.get("sequence", 0)

    def content(self, launcher: dict[str, Any]) -> dict[str, Any]:
        workers = {
            "replicas": self.configured.workers,
            "slots": self.configured.slots,
            "failed": (self.workers or {}).get("failed", 0),
        }
        return record.compose(self.earlier or {}, launcher, workers, self.begun, self.ended or time.time())

    def write(self, line: str) -> None:
        run, old = self.configured.run, self.data or {}
        data: dict[str, str | None] = {run: line}
        data.update(dict.fromkeys(record.dropped_runs(old, run, self.configured.status_history)))
        self.data = self.client.patch(self.record_path, {"data": data}, api.MERGE_PATCH, MANAGER).get("data")
        self.written = line

    # The other file

    def tell(self) -> None:
        """status.json, when it has changed."""
        said = {
            "lease": self.lease,
            "holder": lease.holder(self.seen.text).get("run"),
            "known": self.earlier is not None,
            "recorded": self.sequence,
            "ended": self.over,
            "earlier": (self.earlier or {}).get("totals"),
            "workers": self.workers,
            "found": self.earlier,
        }
        path = settings.RUN / exchange.STATUS
        if dict(said, version=exchange.VERSION) != exchange.read(path):
            exchange.write(path, said)

    def remember(self) -> None:
        """After a restart of this container alone, in the same pod: go on with what it had found."""
        before = exchange.read(settings.RUN / exchange.STATUS)
        if before.get("found") is not None:
            self.earlier, self.over = before["found"], before.get("ended")
            self.lease = "held" if before.get("lease") == "held" else ""

    # The end

    def finish(self) -> int:
        """Write the last state. The launcher has ended: with the run, or because its pod is going."""
        until = time.monotonic() + FINAL_SECONDS
        while time.monotonic() < until:
            try:
                self.write_last()
                self.notify(until - time.monotonic())
                return 0
            except api.ApiError as error:
                self.note(error)
            time.sleep(1)
        return 1

    def write_last(self) -> None:
        if self.earlier is None:
            self.read_record()
        launcher = self.launcher()
        if launcher.get("phase") not in record.ENDS and not self.over:
            launcher = absent.left() or absent.after_loss(launcher, self.launcher_job())
        self.keep_record(launcher)
        self.tell()
        with contextlib.suppress(OSError):
            settings.TERMINATION_LOG.write_text(record.summary(launcher)[:4000], encoding="utf-8")

    def notify(self, seconds: float) -> None:
        """Send the end that this pod has recorded to the webhook, if there is one."""
        url = webhook.address(self.configured)
        if url and not self.over and record.parse(self.written).get("phase") in record.ENDS:
            webhook.deliver(url, webhook.body(self.configured, self.written), log, min(seconds, webhook.BUDGET_SECONDS))

    def launcher_job(self) -> dict[str, Any] | None:
        """The launcher's Job; None when it is gone. So is the Role by then, in a prune: 403 means the same."""
        try:
            return self.client.get(api.job_path(self.configured.namespace, self.configured.launcher_job))
        except api.ApiError as error:
            if error.status in (403, 404):
                return None
            raise


def worker_job(job: dict[str, Any]) -> dict[str, Any]:
    """What the launcher needs to know of the worker Job."""
    conditions = {c.get("type"): c for c in job.get("status", {}).get("conditions", []) if c.get("status") == "True"}
    # FailureTarget comes first; Failed follows when the last pod is gone.
    failed = conditions.get("FailureTarget") or conditions.get("Failed")
    complete = conditions.get("SuccessCriteriaMet") or conditions.get("Complete")
    ended = failed or complete or {}
    status = job.get("status", {})
    return {
        "suspended": bool(job.get("spec", {}).get("suspend")),
        "ready": status.get("ready", 0) + status.get("succeeded", 0),
        "failed": status.get("failed", 0),
        "state": "failed" if failed else "complete" if complete else "active",
        "message": ": ".join(str(ended[key]) for key in ("reason", "message") if ended.get(key)),
    }


def log(text: str) -> None:
    sys.stdout.buffer.write(f"[dsgen] {text}\n".encode("utf-8", "replace"))
    sys.stdout.buffer.flush()


def main() -> int:
    sidecar = Sidecar(settings.load(), api.in_cluster())
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, sidecar.on_signal)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGTERM, signal.SIGINT))
    return sidecar.run()


if __name__ == "__main__":
    sys.exit(main())
