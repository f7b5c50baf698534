"""`dsgen wait`: wait for a state of a run."""

import re
import time

import click

from dsgen.cli._cluster import run_options
from dsgen.cli._console import echo
from dsgen.cluster.format_text import format_line
from dsgen.cluster.runs import WAITED_FOR, RunRef, report_run, wait_for
from dsgen.errors import EXIT_FINDINGS, EXIT_OK, EXIT_TIMEOUT, UsageError

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


@click.command("wait")
@run_options("-f", "--values")
@click.option(
    "--for", "what", type=click.Choice(list(WAITED_FOR)), default="end", help="State to wait for.  [default: end]"
)
@click.option(
    "--timeout",
    default="24h",
    metavar="TIME",
    help="Give up after this time, such as 90s, 30m, 24h or 7d.  [default: 24h]",
)
def command(ref: RunRef, what: str, timeout: str) -> int:
    """Wait until a run is admitted, runs, or has ended.

    JOB is the name of a job, NAMESPACE/NAME, or its values file. Each change of phase is printed as a line. The
    command tolerates an API server that is unavailable for a few minutes.

    \b
    Exit codes:
      0    the run has reached the state and has not failed
      1    the run has failed or was stopped
      2    wrong usage of the command line
      3    the API server cannot be reached
      124  the timeout has passed

    \b
    Examples:
      dsgen wait cifar
      dsgen wait cifar.yaml --for running --timeout 30m
    """
    until, before = time.monotonic() + seconds(timeout), None
    for state, is_reached in wait_for(ref, what, until):
        report = report_run(state)
        if (report["phase"], report["reason"]) != before:
            echo([format_line(report, state)])
        before = report["phase"], report["reason"]
        if is_reached:
            return EXIT_FINDINGS if report["phase"] in ("Failed", "Stopped") else EXIT_OK
    return EXIT_TIMEOUT


def seconds(text: str) -> float:
    """A duration such as 90s or 1h30m. Raises UsageError."""
    if not re.fullmatch(r"([0-9]+[smhd])+", text):
        raise UsageError(f"{text}: write a time as 90s, 30m, 24h or 1h30m")
    return sum(int(number) * UNITS[unit] for number, unit in re.findall(r"([0-9]+)([smhd])", text))
