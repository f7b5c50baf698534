# dsgen/scripts/shared_record.py without its comments.





















from __future__ import annotations

import calendar
import json
import time
from typing import Any

import shared_settings as settings
from shared_log import redacted, redacted_everywhere
from shared_transitions import ENDS, TRANSITIONS

VERSION = 1
LIMIT_BYTES = 16 * 1024
FAILURES = ("TrainingFailed", "Hung")
FIELDS = ("phase", "reason", "message", "exitCode", "worldSize", "launcher", "start", "progress")


def stamp(seconds):

  return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def seconds(text):

  try:
    return float(calendar.timegm(time.strptime(text or "", "%Y-%m-%dT%H:%M:%SZ")))
  except ValueError:
    return None


def parse(text):

  try:
    content = json.loads(text or "", parse_constant=_refused)
  except (ValueError, RecursionError):
    return {}
  return content if isinstance(content, dict) else {}


def mounted(run):

  try:
    return parse((settings.STATUS / run).read_text(encoding="utf-8"))
  except (OSError, ValueError):
    return {}


def mounted_end(run):

  phase = mounted(run).get("phase")
  return phase if phase in ENDS else ""


def _refused(word):
  raise ValueError(f"{word} is not JSON")


def close(attempts, reason, end):

  if attempts and not attempts[-1].get("endTime"):
    start = attempts[-1].get("startTime") or ""
    return [*attempts[:-1], dict(attempts[-1], endTime=max(start, end), reason=reason)]
  if attempts and attempts[-1].get("reason") == reason:
    return attempts
  return [*attempts, {"startTime": None, "endTime": end, "reason": reason}]


def taken_over(recorded, end):




  orderly = {TRANSITIONS[event].reason for event in ("terminated", "launcher-lost", "suspended")}
  if not recorded or recorded.get("reason") in orderly:
    return recorded
  attempts = recorded.get("attempts", [])
  closed = close(attempts, TRANSITIONS["launcher-lost"].reason, end)
  before = dict(recorded.get("totals") or {})
  changed = closed[-1:] if closed != attempts else []
  if len(closed) == len(attempts):
    before["attempts"] = before.get("attempts", 0) - len(changed)
  return dict(recorded, attempts=closed, totals=totals(changed, before))


def totals(attempts, before = None):

  base = before or {}
  spent = sum((seconds(a.get("endTime")) or 0) - (seconds(a["startTime"]) or 0) for a in attempts if _timed(a))
  return {
    "attempts": base.get("attempts", 0) + len(attempts),
    "failures": base.get("failures", 0) + sum(a.get("reason") in FAILURES for a in attempts),
    "replacements": base.get("replacements", 0) + sum(bool(a.get("counted")) for a in attempts),
    "seconds": int(base.get("seconds", 0) + spent),
  }


def compose(
  earlier, launcher, workers, start, end
):





  row = TRANSITIONS["begun"]
  said = {"phase": row.phase, "reason": row.reason, "message": "", "exitCode": None, "worldSize": None}
  said.update({field: launcher[field] for field in FIELDS if field in launcher})
  attempts = launcher.get("attempts", [])
  return {
    "version": VERSION,
    **said,
    "startTime": earlier.get("startTime") or stamp(start),
    "endTime": stamp(end) if said["phase"] in ENDS else None,
    "workers": workers,
    "attempts": earlier.get("attempts", []) + attempts,
    "totals": totals(attempts, earlier.get("totals")),
  }


def line(record, limit = LIMIT_BYTES):

  record = redacted_everywhere(record)
  room = limit - _size(dict(record, attempts=[]))
  whole = dict(record, attempts=_fitted(record.get("attempts", []), room))
  excess = _size(whole) - limit
  if excess > 0:
    whole["message"] = str(whole.get("message", ""))[: -excess - 3] + "..."
  return _text(whole)


def _fitted(attempts, room):

  kept = list(attempts)
  sizes = [_size(attempt) + 1 for attempt in attempts]
  excess = sum(sizes) - 1 - room
  for position, attempt in enumerate(attempts):
    if excess <= 0:
      return kept
    kept[position] = {key: value for key, value in attempt.items() if key != "tail"}
    shorter = _size(kept[position]) + 1
    excess += shorter - sizes[position]
    sizes[position] = shorter
  first = 0
  while excess > 0 and first < len(kept) - 1:
    excess -= sizes[first]
    first += 1
  return kept[first:]


def dropped_runs(data, run, history):

  runs = {key: parse(text) for key, text in data.items() if not key.startswith("_") and key != run}
  ended = sorted((r.get("endTime") or "", key) for key, r in runs.items() if r.get("phase") in ENDS)
  surplus = len(runs) + 1 - max(history, 1)
  return [key for _, key in ended[: max(surplus, 0)]]


def summary(record):

  words = [str(record.get("phase", ""))]
  words += [str(record[key]) for key in ("reason", "message") if record.get(key)]
  return redacted(": ".join(words))


def _timed(attempt):
  return bool(attempt.get("startTime") and attempt.get("endTime"))


def _text(content):

  return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def _size(content):
  return len(_text(content).encode("utf-8", "replace"))
