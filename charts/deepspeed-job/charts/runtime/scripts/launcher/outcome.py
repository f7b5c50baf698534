"""Determines how an attempt ended: a pure function of the observed facts, as one table."""

from __future__ import annotations

from typing import NamedTuple


class AttemptFacts(NamedTuple):
    """The facts after the ranks of an attempt have ended.

    `code`: of the process that started them, 128 + n for a signal. `training_code`: of the rank or host that failed
    first (Output.find_failure), else `code`. `cut`: the event for which the launcher ended the ranks, "" if they ended
    without it, "follow" if one host had failed and the others did not end, "hung" if the training hung. `lost`: at
    least one session ended without its closing line. `whole`: each expected rank reported, and each host has a closing
    line. `strangers`: with expectWorld, ranks that never connected with others. `world_is_wrong`: a rank reported a
    wrong world size.
    """

    code: int
    training_code: int
    cut: str
    lost: bool
    whole: bool
    strangers: int
    world_is_wrong: bool
    restarts: int
    max_restarts: int
    restart_exit_codes: tuple[int, ...]


# An attempt that the launcher ended for one of these has this event, whatever its ranks reported.
CUTS = ("terminated", "lease-lost", "workers-failed", "deadline", "world-size", "growing")


def decide(facts: AttemptFacts) -> str:
    """The event of the attempt's end (a row of TRANSITIONS): of the first rule that applies."""
    ended = facts.code == 0 and facts.cut == ""
    whole = ended and facts.whole
    may_restart = facts.restarts < facts.max_restarts
    worth_it = not facts.restart_exit_codes or facts.training_code in facts.restart_exit_codes
    rules = (
        (facts.cut in CUTS, facts.cut),
        (facts.world_is_wrong, "world-size"),
        (whole and facts.strangers == 0, "succeeded"),
        (whole, "never-met"),
        (facts.lost, "workers-lost"),
        (facts.cut == "hung" and may_restart, "hung-restarting"),
        (facts.cut == "hung", "hung"),
        (ended, "world-size"),
        (worth_it and may_restart, "restarting"),
        (True, "failed"),
    )
    return next(event for holds, event in rules if holds)


class RunEndedError(Exception):
    """The run has ended. `event` is a row of TRANSITIONS, or "ended" for a run that had ended before."""

    def __init__(self, event: str, message: str = "", training_code: int | None = None) -> None:
        super().__init__(message)
        self.event = event
        self.message = message
        self.training_code = training_code


class InterruptedRunError(RunEndedError):
    """An external event ends a wait. `event`: see SidecarState.find_event."""


class AttemptEnd(NamedTuple):
    """How an attempt ended: a row of TRANSITIONS, a message, and the exit code of the training, if any."""

    event: str
    message: str
    code: int | None


def explain_never_met(strangers: list[int], world: int) -> str:
    """The message for ranks that exited with 0 but never connected with each other."""
    named = ", ".join(map(str, strangers[:10])) + (", ..." if len(strangers) > 10 else "")
    return f"{len(strangers)} of {world} ranks never connected with the others: {named} (launch.expectWorld)"
