"""`dsgen run`: apply a job and follow it to its end."""

import sys

import click

from dsgen.cli import stop
from dsgen.cli._console import echo_error, write_error
from dsgen.cli.apply import Applying, apply_options
from dsgen.cli.logs import Show, exit_code, follow, with_raw
from dsgen.cluster.logs import EVERYTHING, NO_LIMITS
from dsgen.errors import EXIT_INTERRUPTED

LEAVE, STOP = "leave", "stop"


@click.command("run")
@apply_options
@with_raw
def command(applying: Applying, raw: bool) -> int:
    """Apply a job, follow its log, and exit with its exit code.

    This is `dsgen apply`, followed by `dsgen logs --follow --exit-code`. After Ctrl-C, dsgen asks whether to stop the
    run; a second Ctrl-C leaves it running.

    \b
    Examples:
      dsgen run cifar.yaml
      dsgen run cifar.yaml --bump --yes
    """
    applying.do()
    ref = applying.ref()
    try:
        return exit_code(follow(ref, EVERYTHING, Show(raw=raw), NO_LIMITS))
    except KeyboardInterrupt:
        write_error("\n")
        if _answer() == STOP:
            return stop.stop(ref, ref.read_state())
        echo_error(f"{applying.title} is still running: dsgen logs {ref.title} -f, dsgen stop {ref.title}")
        return EXIT_INTERRUPTED


def _answer() -> str:
    """Ask whether to stop the run; without a terminal, it is left running."""
    if sys.stdin is None or not sys.stdin.isatty():
        return LEAVE
    try:
        answer: str = click.prompt(
            "The run is still running", type=click.Choice([LEAVE, STOP]), default=LEAVE, err=True
        )
    except click.Abort:
        return LEAVE
    return answer
