# dsgen/scripts/status_lease.py without its comments.






from __future__ import annotations

import json
import time
from typing import Any, NamedTuple

import shared_api as api
import shared_record as record
from shared_log import log
from shared_transitions import ENDS
from status_record import RunRecord

KEY = "_lease"
RENEW_SECONDS = 60
DEAD_SECONDS = 180


class Seen(NamedTuple):


  text: str | None
  since: float


def watch(before, data, now):

  text = (data or {}).get(KEY)
  return before if before and before.text == text else Seen(text, now)


def holder(text):

  return record.parse(text)


def may_take(data, run, seen, now):

  if seen.text is None:
    return True
  other = holder(seen.text).get("run")
  ended = record.parse((data or {}).get(str(other))).get("phase") in ENDS
  return other == run or ended or now - seen.since >= DEAD_SECONDS


def state(before, data, run, seen, now):




  taken = seen.text is not None and holder(seen.text).get("run") != run
  if before == "lost" or (before == "held" and taken):
    return "lost"
  return "free" if may_take(data, run, seen, now) else "waiting"


def value(text, run, now):

  counter = holder(text).get("counter")
  return json.dumps({"run": run, "counter": counter + 1 if isinstance(counter, int) else 1, "time": now})


def patch(data, new):

  if data is None:
    return [
      {"op": "test", "path": "/data", "value": None},
      {"op": "add", "path": "/data", "value": {KEY: new}},
    ]
  path = f"/data/{KEY}"
  if KEY not in data:
    return [{"op": "test", "path": path, "value": None}, {"op": "add", "path": path, "value": new}]
  return [{"op": "test", "path": path, "value": data[KEY]}, {"op": "replace", "path": path, "value": new}]


class Lease:


  def __init__(self, run_record):
    self.record = run_record
    self.run = run_record.configured.run
    self.state = ""
    self.seen = Seen(None, 0)
    self.changed_at = float("-inf")

  def keep(self, interval):




    due = RENEW_SECONDS if self.state == "held" else interval
    if self.record.ended_before or time.monotonic() - self.changed_at < due:
      return
    self.read()
    if self.record.ended_before:
      return
    now = state(self.state, self.record.data, self.run, self.seen, time.monotonic())
    if now == "free":
      self.take()
    else:
      self.state = now
    self.changed_at = time.monotonic()

  def read(self):

    self.record.read()
    self.seen = watch(self.seen, self.record.data, time.monotonic())
    self.record.continue_from(holder(self.seen.text))

  def take(self):

    new = value(self.seen.text, self.run, record.stamp(time.time()))
    try:
      self.record.patch(patch(self.record.data, new), api.JSON_PATCH)
    except api.ApiError as error:
      if error.status != 422:
        raise
      log("another launcher wrote the lease at the same time")
      return
    self.seen = watch(self.seen, self.record.data, time.monotonic())
    if self.state != "held":
      log("took the lease")
    self.state = "held"
