# dsgen/scripts/launcher_outcome.py without its comments.

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Facts(NamedTuple):










  code: int
  training_code: int
  cut: str
  lost: bool
  hosts: int
  closed: int
  expected_ranks: int
  ranks: int
  strangers: int
  world_is_wrong: bool
  restarts: int
  max_restarts: int
  restart_exit_codes: tuple[int, ...]



CUTS = ("terminated", "lease-lost", "workers-failed", "deadline", "world-size")


def _ended_well(facts):
  return facts.code == 0 and facts.cut == "" and facts.ranks == facts.expected_ranks and facts.closed == facts.hosts


def _succeeded(facts):
  return _ended_well(facts) and facts.strangers == 0


def _may_restart(facts):
  worth_it = not facts.restart_exit_codes or facts.training_code in facts.restart_exit_codes
  return worth_it and facts.restarts < facts.max_restarts


def _cut_for(event):
  return lambda facts: facts.cut == event



RULES = (
  *((_cut_for(event), event) for event in CUTS),
  (lambda facts: facts.world_is_wrong, "world-size"),
  (_succeeded, "succeeded"),
  (_ended_well, "never-met"),
  (lambda facts: facts.lost, "workers-lost"),
  (lambda facts: facts.cut == "hung" and facts.restarts < facts.max_restarts, "hung-restarting"),
  (_cut_for("hung"), "hung"),
  (lambda facts: facts.code == 0 and facts.cut == "", "world-size"),
  (_may_restart, "restarting"),
  (lambda _: True, "failed"),
)


def decide(facts):

  return next(event for holds, event in RULES if holds(facts))


class RunEnded(Exception):


  def __init__(self, event, message = "", training_code = None):
    super().__init__(message)
    self.event = event
    self.message = message
    self.training_code = training_code


class AttemptEnd(NamedTuple):


  event: str
  message: str
  code: int | None


def external_event(status, own_end = False):





  if status.get("ended"):
    return "ended"
  if status.get("lease") == "lost":
    return "lease-lost"
  if not status.get("known"):
    return ""
  state = (status.get("workers") or {}).get("state", "active")
  if own_end and state == "complete":
    return "succeeded"
  return "" if state == "active" else "workers-failed"


def never_met(strangers, world):

  named = ", ".join(map(str, strangers[:10])) + (", ..." if len(strangers) > 10 else "")
  return f"{len(strangers)} of {world} ranks never connected with the others: {named} (launch.expectWorld)"


def deadline_message(limit):

  return f"the training ran longer than lifecycle.activeDeadlineSeconds ({limit})"
