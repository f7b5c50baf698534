"""What the commands that change a run share: what will happen, a question, and a refusal where it would not last."""

import sys
from collections.abc import Callable

import click

from dsgen.cli._printed import say
from dsgen.cluster import actions
from dsgen.cluster.delivery import owner
from dsgen.cluster.facts import Facts
from dsgen.errors import EXIT_FINDINGS, DsgenError, UsageProblem

_OPTIONS = [
    click.option("--yes", is_flag=True, help="Do not ask."),
    click.option("--force", is_flag=True, help="Also where Argo CD, Flux or Helm may bring it back."),
]


class Undone(DsgenError):  # noqa: N818 - its message is shown as it is
    """It would not last."""

    exit_code = EXIT_FINDINGS


def asking(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command --yes and --force."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def refuse_what_comes_back(facts: Facts, force: bool, what: str) -> None:
    """Raise Undone when a tool would undo the change; with force nothing is refused. what: as in `actions.refusal`."""
    reason = actions.refusal(owner(facts.launcher or facts.worker), what)
    if reason and not force:
        raise Undone(reason)


def agreed(words: str, yes: bool) -> bool:
    """Say what will happen and ask; without a terminal only --yes agrees."""
    say(words.splitlines())
    if yes:
        return True
    if sys.stdin is None or not sys.stdin.isatty():
        raise UsageProblem("there is nobody to ask: --yes does it without a question")
    return click.confirm("Go on?")
