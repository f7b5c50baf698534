"""`dsgen status`: show the status of a run."""

import click

from dsgen.cli._cluster import data_option, run_options, write_data
from dsgen.cli._console import echo, stdout_is_terminal, write
from dsgen.cluster.format_text import format_line, format_status, format_table
from dsgen.cluster.measures import HEAD, compare, has_estimate, read_measures, with_traffic
from dsgen.cluster.phase import ENDS
from dsgen.cluster.runs import RunRef, report_run
from dsgen.errors import EXIT_OK, UsageError

REDRAW = "\x1b[H\x1b[J"


@click.command("status")
@run_options("-f", "--values")
@data_option
@click.option(
    "--watch", is_flag=True, help="Follow the run until it ends: redraw on a terminal, else print each change."
)
def command(ref: RunRef, form: str | None, watch: bool) -> int:
    """Show the status of a run: phase, reason, attempts and pods.

    JOB is the name of a job, NAMESPACE/NAME, or its values file. The status combines the record, the Jobs and the
    pods. If the launcher should be alive but has not renewed its lease for three minutes, the phase is Unknown.
    With a values file whose section `estimate` describes the model, what the run has measured is shown beside what was
    estimated.

    \b
    Examples:
      dsgen status cifar
      dsgen status training/cifar --run 2
      dsgen status cifar.yaml --watch
      dsgen status cifar -o json
    """
    if watch and form:
        raise UsageError("--watch and -o are mutually exclusive: programs can use dsgen wait, then dsgen status -o")
    if watch:
        _watch(ref)
        return EXIT_OK
    state = ref.read_state(around=True, thrifty=True)
    compared = compare(ref.values, read_measures(ref.cluster, state)) if has_estimate(ref.values) else []
    report = report_run(state)
    report["network"] = with_traffic(ref.values, state.run, report["network"])
    if form:
        forecast = {"forecast": [one.as_data() for one in compared]} if compared else {}
        write_data({**report, **forecast}, form)
    else:
        echo(format_status(report, state).splitlines())
        echo(["", *format_table(HEAD, [one.cells for one in compared]).splitlines()] if compared else [])
    return EXIT_OK


def _watch(ref: RunRef) -> None:
    """Show the run at each change until it has ended: redrawn on a terminal, otherwise one line."""
    redraw, before = stdout_is_terminal(), None
    for state in ref.watch_states():
        run_report = report_run(state)
        now = [run_report[key] for key in ("phase", "reason", "message", "workers")]
        if redraw:
            write(REDRAW)
            echo(format_status(run_report, state).splitlines())
        elif now != before:
            echo([format_line(run_report, state)])
        before = now
        if run_report["phase"] in ENDS:
            return
