"""Shared by the commands that change a run: confirmation, and refusal of changes that a tool would undo."""

import sys
from collections.abc import Callable

import click

from dsgen.cli._printed import say
from dsgen.cluster.actions import explain_refusal
from dsgen.cluster.models import RunState
from dsgen.cluster.ownership import find_owner
from dsgen.errors import EXIT_FINDINGS, DsgenError, UsageProblem

_OPTIONS = [
    click.option("--yes", is_flag=True, help="Do not ask for confirmation."),
    click.option("--force", is_flag=True, help="Proceed even if Argo CD, Flux or Helm applies the job."),
]


class Undone(DsgenError):  # noqa: N818 - the name describes what would happen
    """The change is refused, because a GitOps tool or Helm would undo it."""

    exit_code = EXIT_FINDINGS


def asking(command: Callable[..., int]) -> Callable[..., int]:
    """Add --yes and --force to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def refuse_what_comes_back(state: RunState, force: bool, what: str) -> None:
    """Raise Undone if a tool would undo the change, unless force is set. what: see `actions.refusal`."""
    reason = explain_refusal(find_owner(state.launcher or state.worker), what)
    if reason and not force:
        raise Undone(reason)


def agreed(words: str, yes: bool) -> bool:
    """Print what will happen, and ask for confirmation; without a terminal, --yes is required."""
    say(words.splitlines())
    if yes:
        return True
    if sys.stdin is None or not sys.stdin.isatty():
        raise UsageProblem("there is no terminal to ask for confirmation: use --yes")
    return click.confirm("Continue?")
