"""`dsgen run`: a job applied, followed to its end."""

import sys

import click

from dsgen.cli import stop
from dsgen.cli._apply import Applying, of_file
from dsgen.cli._printed import complain, tell
from dsgen.cli.logs import Following, Limits, Show, exit_code
from dsgen.cluster.logs import Choice
from dsgen.errors import EXIT_INTERRUPTED

LEAVE, STOP = "leave", "stop"


@click.command("run")
@of_file
def command(applying: Applying) -> int:
    """Apply a job, follow its log, and end with its exit code.

    As `dsgen apply`, then `dsgen logs --follow --exit-code`. Ctrl-C asks whether the run is left running or stopped; a
    second one leaves it.

    \b
    Examples:
      dsgen run cifar.yaml
      dsgen run cifar.yaml --bump --yes
    """
    applying.do()
    target = applying.target()
    try:
        return exit_code(Following(target, Choice(), Show(), Limits()).run())
    except KeyboardInterrupt:
        tell("\n")
        if _answer() == STOP:
            return stop.stop(target, target.facts())
        complain(f"{applying.title} goes on: dsgen logs {target.title} -f, dsgen stop {target.title}")
        return EXIT_INTERRUPTED


def _answer() -> str:
    """What becomes of the run; it is left where nobody can answer."""
    if sys.stdin is None or not sys.stdin.isatty():
        return LEAVE
    try:
        answer: str = click.prompt("The run goes on", type=click.Choice([LEAVE, STOP]), default=LEAVE, err=True)
    except click.Abort:
        return LEAVE
    return answer
