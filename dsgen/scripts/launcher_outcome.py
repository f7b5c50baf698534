"""How one attempt of the training ended: a pure function over what was seen, as one table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Facts(NamedTuple):
    """What is known when the ranks of an attempt have ended.

    `code`: of the process that started them, 128 + n for a signal. `training_code`: of the rank or host that failed
    first (Output.failure), else `code`. `cut`: the event for which the launcher ended the ranks, "" where they ended by
    themselves, "follow" where one host had failed and the rest did not follow, "hung" where nothing happened any more.
    `lost`: at least one session ended without its closing line. `closed`: hosts with a closing line. `ranks`: distinct
    ranks that reported. `strangers`: those of them that were not seen connected with others, where that is expected.
    `world_is_wrong`: a rank reported another world size than was asked for.
    """

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


# An attempt that was cut for one of these ends as the event of that name, whatever its ranks did meanwhile.
CUTS = ("terminated", "lease-lost", "workers-failed", "deadline", "world-size")


def _ended_well(facts: Facts) -> bool:
    return facts.code == 0 and facts.cut == "" and facts.ranks == facts.expected_ranks and facts.closed == facts.hosts


def _succeeded(facts: Facts) -> bool:
    return _ended_well(facts) and facts.strangers == 0


def _may_restart(facts: Facts) -> bool:
    worth_it = not facts.restart_exit_codes or facts.training_code in facts.restart_exit_codes
    return worth_it and facts.restarts < facts.max_restarts


def _cut_for(event: str) -> Callable[[Facts], bool]:
    return lambda facts: facts.cut == event


# The first rule that holds names the event (a row of record.TRANSITIONS).
RULES: tuple[tuple[Callable[[Facts], bool], str], ...] = (
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


def decide(facts: Facts) -> str:
    """The event that the attempt's end is."""
    return next(event for holds, event in RULES if holds(facts))


class RunEnded(Exception):  # noqa: N818  # the ordinary way out, not an error
    """The launcher ends. `event` is a row of record.TRANSITIONS, or "ended" for a run that had ended before."""

    def __init__(self, event: str, message: str = "", training_code: int | None = None) -> None:
        super().__init__(message)
        self.event = event
        self.message = message
        self.training_code = training_code


class AttemptEnd(NamedTuple):
    """How an attempt ended: a row of record.TRANSITIONS, a message, the training's exit code where it is one."""

    event: str
    message: str
    code: int | None


def external_event(status: dict[str, Any], own_end: bool = False) -> str:
    """The event that status.json asks for, "" for none: what a process without a token cannot see.

    A row of record.TRANSITIONS, or "ended" for a run that had ended before this launcher. `own_end`: the workers end by
    themselves when the training has succeeded.
    """
    if status.get("ended"):
        return "ended"
    if status.get("lease") == "lost":
        return "lease-lost"
    if not status.get("known"):
        return ""  # the workers of a run that had ended are complete
    state = (status.get("workers") or {}).get("state", "active")
    if own_end and state == "complete":
        return "succeeded"
    return "" if state == "active" else "workers-failed"


def never_met(strangers: list[int], world: int) -> str:
    """The message of a run whose program ended well without having been one training."""
    named = ", ".join(map(str, strangers[:10])) + (", ..." if len(strangers) > 10 else "")
    return f"{len(strangers)} of {world} ranks never connected with the others: {named} (launch.expectWorld)"


def deadline_message(limit: int) -> str:
    """The message of a run that has used up its time."""
    return f"the training ran longer than lifecycle.activeDeadlineSeconds ({limit})"
