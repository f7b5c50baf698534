"""`dsgen wait`: wait for a state of a run."""

import re
import time
from collections.abc import Callable

import click

from dsgen.cli._cluster import RunRef, reported, run_options
from dsgen.cli._console import echo
from dsgen.cluster.format_text import format_line
from dsgen.cluster.models import RunState
from dsgen.cluster.phase import ACTIVE, ENDS
from dsgen.errors import EXIT_FINDINGS, EXIT_OK, UsageProblem

EXIT_TIMEOUT = 124  # as for the program `timeout`
WAITED_FOR: dict[str, Callable[[RunState, str], bool]] = {
    "end": lambda _, phase: phase in ENDS,
    "running": lambda _, phase: phase in ("Running", *ENDS),
    "admitted": lambda state, phase: phase in (*ACTIVE, *ENDS) or _is_admitted(state),
}
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
    for state in ref.looks(until):
        run_report = reported(state)
        if (run_report["phase"], run_report["reason"]) != before:
            echo([format_line(run_report, state)])
        before = run_report["phase"], run_report["reason"]
        if WAITED_FOR[what](state, run_report["phase"]):
            return EXIT_FINDINGS if run_report["phase"] in ("Failed", "Stopped") else EXIT_OK
    return EXIT_TIMEOUT


def _is_admitted(state: RunState) -> bool:
    """Whether both Jobs are admitted, so that they can have pods."""
    jobs = (state.launcher, state.worker)
    return all(job is not None and not job.suspended for job in jobs)


def seconds(text: str) -> float:
    """A duration such as 90s or 1h30m. Raises UsageProblem."""
    if not re.fullmatch(r"([0-9]+[smhd])+", text):
        raise UsageProblem(f"{text}: write a time as 90s, 30m, 24h or 1h30m")
    return sum(int(number) * UNITS[unit] for number, unit in re.findall(r"([0-9]+)([smhd])", text))
