"""The status container: a native sidecar of the launcher pod that keeps lease and record, and watches the Jobs.

It is the last container to stop. After errors of the API it tries again, so that it never ends a training.
"""

from __future__ import annotations

import signal

if __name__ == "__main__":
    # Before the other imports, which take a second where the processor is short: the kernel drops a signal to process 1
    # that has no handler, unless it is blocked. The kubelet would wait in vain for the last state, and kill.
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGIO, signal.SIGTERM, signal.SIGINT))

import contextlib
import sys
import threading
import time
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.append(str(Path(__file__).parents[1]))  # the folder of the packages, behind those of Python

from shared import backoff, control, exchange, methods, record, settings
from shared.log import log, write_last_words
from shared.output import make_nonce
from shared.record import ENDS, TRANSITIONS
from status import api, lease
from status.pods import list_problems, read_pods
from status.record import Allowance, RunRecord, compose_after_loss, compose_never_started

TICK_SECONDS = 0.2  # between rounds
ROUNDS_AT_ONCE, ROUND_SECONDS = 20, 0.1  # for a launcher that writes without a pause
LOOK_SECONDS = 0.02  # between looks whether the launcher has ended, after its last state was recorded
AFTER_SECONDS = 0.05  # between the launcher's end and this one's: a sidecar that is seen to end before is started again
QUICK_SECONDS = 2  # between requests until the training runs
RETRY_SECONDS = 0.2, 2.0  # between tries after an error: the first and the longest
PODS_SECONDS = 20  # between looks at the pods of workers that are waited for
FINAL_SECONDS = 25  # for the last state; after SIGTERM of the pod the kubelet leaves about 10
STOPS = (signal.SIGTERM, signal.SIGINT)
WAKES = (signal.SIGIO, *STOPS)  # SIGIO: the launcher has written


class Sidecar:
    """The loop of the container, with the last state of the worker Job. Times named `*_at` are monotonic."""

    def __init__(self, configured: settings.Settings, client: api.Api) -> None:
        self.configured = configured
        self.client = client
        self.record = RunRecord(configured, client)
        self.lease = lease.Lease(self.record)
        self.changed = settings.find_changed_scripts(configured)
        self.stopping = False
        self.rounds = Allowance(ROUNDS_AT_ONCE, ROUND_SECONDS)
        self.launcher: dict[str, Any] = {}  # the content of launcher.json
        self.offer = ""  # where the launcher will listen, see `offer_address`
        self.worker_job: dict[str, Any] | None = None
        self.looked_at = self.asked_at = self.failed_at = float("-inf")
        self.problem, self.delay = "", 0.0  # of the last error, and until the next try
        self.away_since: float | None = None  # since when the API does not answer, in seconds since 1970

    def run(self) -> int:
        exchange.watch(settings.locate_volume("launcher"))
        self.resume()
        if self.configured.makes_key:
            from ssh import keygen  # only with ssh: each import makes the start longer

            threading.Thread(target=keygen.provide, args=(self.client, self.configured), daemon=True).start()
        while not self.stopping and not self.is_over():
            seen = self.identify_launcher_file()
            self.step()
            self.rest(seen)
        time.sleep(AFTER_SECONDS)
        return self.finish()

    def rest(self, seen: tuple[int, ...]) -> None:
        """Wait until the launcher has written, or for TICK_SECONDS. `seen`: its file before the last round."""
        if not self.rounds.take():
            self.stopping = signal.sigtimedwait(STOPS, TICK_SECONDS) is not None
            return
        until = time.monotonic() + TICK_SECONDS
        while self.identify_launcher_file() == seen and not self.is_over() and not self.stopping:
            left = until - time.monotonic()
            if left <= 0:
                return
            received = signal.sigtimedwait(WAKES, LOOK_SECONDS if self.is_recorded() else left)
            self.stopping = received is not None and received.si_signo in STOPS

    def is_recorded(self) -> bool:
        """Whether the last state of the launcher is in the record."""
        return self.launcher.get("phase") in ENDS and self.record.sequence == self.launcher.get("sequence")

    def is_over(self) -> bool:
        """Whether the launcher has ended after its last state was recorded.

        The sidecar then ends as well, without SIGTERM: a kubelet looks only once a second which containers have ended.
        """
        return self.is_recorded() and exchange.is_free(settings.locate_volume("launcher") / exchange.ALIVE)

    def identify_launcher_file(self) -> tuple[int, ...]:
        """What differs when the launcher has replaced its file; () without one."""
        try:
            status = (settings.locate_volume("launcher") / exchange.LAUNCHER).lstat()
        except OSError:
            return ()
        return status.st_ino, status.st_mtime_ns

    def step(self) -> None:
        """One round, which an error of the API ends early. The lease comes first, whatever the launcher has written."""
        if time.monotonic() - self.failed_at < self.delay:
            return
        try:
            self.lease.keep(self.choose_interval())
            self.read_launcher()
            self.watch_workers()
            self.record.keep(self.launcher, self.worker_job)
            self.problem, self.away_since, self.delay = "", None, 0.0
        except Exception as error:  # also of a bug in dsgen, which must not end the lease
            self.note(error)
        self.write_status()

    def note(self, error: Exception) -> None:
        """Log an error once. An error of another kind is a bug, which must not end the lease."""
        self.failed_at = time.monotonic()
        self.delay = backoff.lengthen(self.delay, *RETRY_SECONDS)
        if isinstance(error, api.ApiError) and not error.status:
            self.away_since = self.away_since or time.time()
        said = str(error) if isinstance(error, api.ApiError) else repr(error)
        if said != self.problem:
            log(f"{said}; trying again")
        self.problem = said

    def read_launcher(self) -> None:
        offered = {"launcher": self.offer} if self.offer else {}
        self.launcher = {**offered, **exchange.read_launcher(settings.locate_volume("launcher"))}

    def choose_interval(self) -> float:
        """Seconds between requests."""
        running = self.launcher.get("phase") == TRANSITIONS["running"].phase
        return self.configured.status_interval_seconds if running else QUICK_SECONDS

    def watch_workers(self) -> None:
        """Read the worker Job if that is due, and the problems of its pods if the launcher waits for them."""
        if time.monotonic() - self.looked_at < self.choose_interval():
            return
        path = api.format_path("jobs", self.configured.namespace, self.configured.worker_job)
        seen = extract_job_state(self.client.get(path))
        failed = seen["state"] == "failed"
        waited = self.launcher.get("reason") == TRANSITIONS["waiting"].reason
        seen["problems"] = (self.worker_job or {}).get("problems", [])
        if failed or (waited and time.monotonic() - self.asked_at >= PODS_SECONDS):
            seen["problems"] = list_problems(read_pods(self.client, self.configured))
            self.asked_at = time.monotonic()
        self.worker_job, self.looked_at = seen, time.monotonic()

    def write_status(self) -> None:
        """Write status.json for the launcher if it has changed."""
        earlier = self.record.earlier
        said = {
            "lease": self.lease.state,
            "holder": record.parse(self.lease.text).get("run"),
            "known": earlier is not None,
            "recorded": self.record.sequence,
            "ended": self.record.ended_before,
            "earlier": (earlier or {}).get("totals"),
            "workers": self.worker_job,
            "found": earlier,
            "away": self.away_since,
            "offer": self.offer,
            "changed": self.changed,
        }
        path = settings.RUN / exchange.STATUS
        if dict(said, version=exchange.VERSION) != exchange.read(path):
            exchange.write(path, said)

    def resume(self) -> None:
        """Continue from status.json after a restart of only this container."""
        before = exchange.read(settings.RUN / exchange.STATUS)
        self.offer = str(before.get("offer") or offer_address(self.configured))
        if before.get("found") is not None:
            self.record.earlier, self.record.ended_before = before["found"], before.get("ended")
            self.lease.state = "held" if before.get("lease") == "held" else ""

    # The end

    def finish(self) -> int:
        """Write the last state after the launcher has ended, with the run or because its pod is deleted."""
        until = time.monotonic() + FINAL_SECONDS
        while time.monotonic() < until:
            try:
                self.write_last_state()
                self.notify(until - time.monotonic())
                return 0
            except Exception as error:  # also of a bug in dsgen: the last state may be written at the next try
                self.note(error)
            time.sleep(1)  # until the API server may answer again
        return 1

    def write_last_state(self) -> None:
        if self.record.earlier is None:
            self.lease.read()
        self.read_launcher()
        launcher = self.launcher
        if launcher.get("phase") not in ENDS and not self.record.ended_before:
            launcher = compose_never_started() or compose_after_loss(launcher, self.record.read_launcher_job())
        self.record.keep(launcher, self.worker_job, last=True)
        self.write_status()
        write_last_words(settings.TERMINATION_LOG, record.describe(launcher))

    def notify(self, seconds: float) -> None:
        """Send the end of the run to the webhook, if there is one and this pod has recorded the end."""
        if not (self.configured.webhook_url or settings.WEBHOOK.is_dir()):
            return
        from status import webhook  # few jobs have one: each import makes the start longer

        to, written = webhook.read_address(self.configured), self.record.written
        if to.url and not self.record.ended_before and record.parse(written).get("phase") in ENDS:
            webhook.deliver(to, webhook.make_body(self.configured, written), log, min(seconds, webhook.BUDGET_SECONDS))


def offer_address(configured: settings.Settings) -> str:
    """An address for the launcher, "" with ssh. Workers learn it from the record while the launcher is starting."""
    if methods.choose_method(configured).ssh:
        return ""
    try:
        address, server = control.open_pod_server()
    except OSError as error:
        log(f"this pod has no address: {error}")
        return ""
    with server:
        return f"{address}:{server.getsockname()[1]}/{make_nonce()}"


def extract_job_state(job: dict[str, Any]) -> dict[str, Any]:
    """The fields of the worker Job that the launcher needs."""
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


def main() -> int:
    with contextlib.closing(api.make_api()) as client:
        return Sidecar(settings.load(), client).run()


if __name__ == "__main__":
    sys.exit(main())
