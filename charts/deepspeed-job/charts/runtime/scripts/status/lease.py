"""The lease of a job: two runs of one job never train at the same time. It is the key `_lease` of the record.

The value is one line of JSON: {"run": "2", "counter": 17, "time": "2026-01-01T00:00:00Z"}. It is renewed every
RENEW_SECONDS and counts as dead when it has not changed for DEAD_SECONDS by the watcher's own monotonic clock, or when
the record says that its run has ended. The run that holds it takes it over at once (a new launcher pod).
"""

from __future__ import annotations

import json
import time
from typing import Any

from shared import record
from shared.log import log
from shared.record import ENDS
from status import api
from status.record import RunRecord

KEY = "_lease"
RENEW_SECONDS = 60
DEAD_SECONDS = 180


def decide_state(before: str, data: dict[str, str] | None, run: str, age: float) -> str:
    """What the lease is for `run` now: free (to be taken or renewed), waiting or lost; `before` may be "held", too.

    `age`: the seconds for which it has been seen so.
    Once another run has had it, it is lost for good, also when that one has ended meanwhile: both have trained.
    """
    text = (data or {}).get(KEY)
    holder = record.parse(text).get("run")
    taken = text is not None and holder != run
    if before == "lost" or (before == "held" and taken):
        return "lost"
    ended = record.parse((data or {}).get(str(holder))).get("phase") in ENDS
    return "waiting" if taken and not ended and age < DEAD_SECONDS else "free"


def make_value(text: str | None, run: str, now: str) -> str:
    """The next value of the lease: always another text than the last."""
    counter = record.parse(text).get("counter")
    return json.dumps({"run": run, "counter": counter + 1 if isinstance(counter, int) else 1, "time": now})


def make_patch(data: dict[str, str] | None, new: str) -> list[dict[str, Any]]:
    """The JSON patch that writes `new`, refused (422) by the API server when anybody wrote in between."""
    if data is None:
        return api.make_patch_of_empty({KEY: new})
    path = f"/data/{KEY}"  # "add" replaces what is there
    return [{"op": "test", "path": path, "value": data.get(KEY)}, {"op": "add", "path": path, "value": new}]


class Lease:
    """This pod's view of the lease. Its own changes are refused when anybody wrote the record in between."""

    def __init__(self, run_record: RunRecord) -> None:
        self.record = run_record
        self.run = run_record.configured.run
        self.state = ""  # none yet, waiting, held or lost
        self.text: str | None = None
        self.since = 0.0  # when (monotonic) the text was first seen so
        self.changed_at = float("-inf")

    def keep(self, interval: float) -> None:
        """Take the lease when it is free, renew it while it is held, notice when it is lost; every `interval` seconds.

        Reads the record. Does nothing for a run that has ended before.
        """
        due = RENEW_SECONDS if self.state == "held" else interval
        if self.record.ended_before or time.monotonic() - self.changed_at < due:
            return
        self.read()
        if self.record.ended_before:
            return
        now = decide_state(self.state, self.record.data, self.run, time.monotonic() - self.since)
        if now == "free":
            self.take()
        else:
            self.state = now
        self.changed_at = time.monotonic()

    def read(self) -> None:
        """Read the record and the lease in it."""
        self.record.read()
        self.observe()
        self.record.continue_from(record.parse(self.text))

    def observe(self) -> None:
        """Note the text, and when it was first seen."""
        text = (self.record.data or {}).get(KEY)
        if text != self.text:
            self.text, self.since = text, time.monotonic()

    def take(self) -> None:
        """Take or renew it."""
        new = make_value(self.text, self.run, record.format_time(time.time()))
        try:
            self.record.patch(make_patch(self.record.data, new), api.JSON_PATCH)
        except api.ApiError as error:
            if error.status != 422:
                raise
            log("another launcher wrote the lease at the same time")  # the next round reads it
            return
        self.observe()
        if self.state != "held":
            log("took the lease")
        self.state = "held"
