# dsgen/scripts/status_record.py without its comments.

from __future__ import annotations

import time
from typing import Any

import shared_api as api
import shared_exchange as exchange
import shared_record as record
import shared_settings as settings
from shared_log import log
from shared_transitions import ENDS, TRANSITIONS
from status_pods import Nodes

MANAGER = "dsgen-status"
MISSING_SECONDS = 30



FAILURES = {"no-key-made": "keygen", "code-failed": "code", "setup-failed": "launcher"}


class RunRecord:


  def __init__(self, configured, client):
    self.configured = configured
    self.client = client
    self.nodes = Nodes(configured, client)
    self.path = api.configmap_path(configured.namespace, configured.record)
    self.begun = time.time()
    self.ended = None
    self.earlier = None
    self.ended_before = None
    self.data = None
    self.missing_since = 0.0
    self.written = ""
    self.sequence = 0

  def read(self):

    try:
      self.data = self.client.get(self.path).get("data")
      self.missing_since = 0.0
    except api.ApiError as error:
      if error.status != 404 or not self.may_make():
        raise
      self.make()
    if self.earlier is not None and (self.data or {}).get(self.configured.run) != self.written:
      self.written = ""

  def may_make(self):

    self.missing_since = self.missing_since or time.monotonic()
    if time.monotonic() - self.missing_since < MISSING_SECONDS:
      return False
    job = self.launcher_job()
    return job is not None and not job.get("metadata", {}).get("deletionTimestamp")

  def make(self):

    name, labels = self.configured.record, {"dsgen.dev/job": self.configured.job}
    made = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": labels}}
    self.patch(made, api.APPLY_PATCH)
    log(f"created ConfigMap {name} again: it was deleted")

  def launcher_job(self):

    try:
      return self.client.get(api.job_path(self.configured.namespace, self.configured.launcher_job))
    except api.ApiError as error:
      if error.status in (403, 404):
        return None
      raise

  def patch(self, patch, content_type):

    self.data = self.client.patch(self.path, patch, content_type, MANAGER).get("data")

  def continue_from(self, holder):

    if self.earlier is not None:
      return
    earlier = record.parse((self.data or {}).get(self.configured.run))
    if earlier.get("phase") in ENDS:
      self.ended_before = {key: earlier.get(key) for key in ("phase", "reason", "exitCode")}
      log(f"the run has already ended: {record.summary(earlier)}")
    last = holder.get("time") if holder.get("run") == self.configured.run else None
    self.earlier = record.taken_over(earlier, str(last or record.stamp(time.time())))

  def keep(self, launcher, worker_job):

    if self.ended_before or self.earlier is None:
      return
    if launcher.get("phase") in ENDS and self.ended is None:
      self.ended = time.time()
    configured = self.configured
    launcher = dict(launcher, message=self.nodes.named(launcher.get("message", "")))
    failed = (worker_job or {}).get("failed", 0)
    workers = {"replicas": configured.workers, "slots": configured.slots, "failed": failed}
    content = record.compose(self.earlier, launcher, workers, self.begun, self.ended or time.time())
    line = record.line(content)
    if line != self.written:
      self.write(line)
      log(record.summary(content))
    self.sequence = launcher.get("sequence", 0)

  def write(self, line):

    run, old = self.configured.run, self.data or {}
    data = {run: line}
    data.update(dict.fromkeys(record.dropped_runs(old, run, self.configured.status_history)))
    self.patch({"data": data}, api.MERGE_PATCH)
    self.written = line


def meaning_of_loss(launcher, job):




  if job is None or job.get("metadata", {}).get("deletionTimestamp"):
    return "stopped"
  if job.get("spec", {}).get("suspend"):
    return "suspended"
  if job.get("status", {}).get("failed", 0) >= job.get("spec", {}).get("backoffLimit", 6):
    return "last-launcher-lost"
  return "terminated" if launcher.get("terminated") else "launcher-lost"


def never_started():

  for event, container in FAILURES.items():
    words = exchange.words(settings.written_by(container) / event)
    if words is not None:
      row = TRANSITIONS[event]
      attempt = {"startTime": None, "endTime": record.stamp(time.time()), "reason": row.reason, "tail": words[1:]}
      said = {"phase": row.phase, "reason": row.reason, "message": " ".join(words[:1])}
      return {**said, "attempts": [attempt]}
  return {}


def after_loss(launcher, job):

  row = TRANSITIONS[meaning_of_loss(launcher, job)]
  attempts = launcher.get("attempts", [])
  if not (launcher.get("terminated") and attempts):
    attempts = record.close(attempts, row.reason, record.stamp(time.time()))
  return dict(launcher, phase=row.phase, reason=row.reason, message="", attempts=attempts)
