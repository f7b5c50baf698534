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


def stamp(seconds: float) -> str:

  return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def seconds(text: str | None) -> float | None:

  try:
    return float(calendar.timegm(time.strptime(text or "", "%Y-%m-%dT%H:%M:%SZ")))
  except ValueError:
    return None


def parse(text: str | None) -> dict[str, Any]:

  try:
    content = json.loads(text or "", parse_constant=_refused)
  except (ValueError, RecursionError):
    return {}
  return content if isinstance(content, dict) else {}


def mounted(run: str) -> dict[str, Any]:

  try:
    return parse((settings.STATUS / run).read_text(encoding="utf-8"))
  except (OSError, ValueError):
    return {}


def mounted_end(run: str) -> str:

  phase = mounted(run).get("phase")
  return phase if phase in ENDS else ""


def _refused(word: str) -> None:
  raise ValueError(f"{word} is not JSON")


def close(attempts: list[dict[str, Any]], reason: str, end: str) -> list[dict[str, Any]]:

  if attempts and not attempts[-1].get("endTime"):
    start = attempts[-1].get("startTime") or ""
    return [*attempts[:-1], dict(attempts[-1], endTime=max(start, end), reason=reason)]
  if attempts and attempts[-1].get("reason") == reason:
    return attempts
  return [*attempts, {"startTime": None, "endTime": end, "reason": reason}]


def taken_over(recorded: dict[str, Any], end: str) -> dict[str, Any]:




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


def totals(attempts: list[dict[str, Any]], before: dict[str, Any] | None = None) -> dict[str, Any]:

  base = before or {}
  spent = sum((seconds(a.get("endTime")) or 0) - (seconds(a["startTime"]) or 0) for a in attempts if _timed(a))
  return {
    "attempts": base.get("attempts", 0) + len(attempts),
    "failures": base.get("failures", 0) + sum(a.get("reason") in FAILURES for a in attempts),
    "replacements": base.get("replacements", 0) + sum(bool(a.get("counted")) for a in attempts),
    "seconds": int(base.get("seconds", 0) + spent),
  }


def compose(
  earlier: dict[str, Any], launcher: dict[str, Any], workers: dict[str, Any], start: float, end: float
) -> dict[str, Any]:





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


def line(record: dict[str, Any], limit: int = LIMIT_BYTES) -> str:

  record = redacted_everywhere(record)
  attempts = list(record.get("attempts", []))
  for position, attempt in enumerate(attempts):
    if _size(record, attempts) <= limit:
      break
    attempts[position] = {key: value for key, value in attempt.items() if key != "tail"}
  while len(attempts) > 1 and _size(record, attempts) > limit:
    attempts.pop(0)
  whole = dict(record, attempts=attempts)
  excess = _size(record, attempts) - limit
  if excess > 0:
    whole["message"] = str(whole.get("message", ""))[: -excess - 3] + "..."
  return _text(whole)


def dropped_runs(data: dict[str, str], run: str, history: int) -> list[str]:

  runs = {key: parse(text) for key, text in data.items() if not key.startswith("_") and key != run}
  ended = sorted((r.get("endTime") or "", key) for key, r in runs.items() if r.get("phase") in ENDS)
  surplus = len(runs) + 1 - max(history, 1)
  return [key for _, key in ended[: max(surplus, 0)]]


def summary(record: dict[str, Any]) -> str:

  words = [str(record.get("phase", ""))]
  words += [str(record[key]) for key in ("reason", "message") if record.get(key)]
  return redacted(": ".join(words))


def _timed(attempt: dict[str, Any]) -> bool:
  return bool(attempt.get("startTime") and attempt.get("endTime"))


def _text(content: dict[str, Any]) -> str:

  return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def _size(record: dict[str, Any], attempts: list[dict[str, Any]]) -> int:
  return len(_text(dict(record, attempts=attempts)).encode("utf-8", "replace"))
