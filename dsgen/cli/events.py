"""`dsgen events`: show what happened to a run."""

import click

from dsgen.cli._cluster import data_option, run_options, write_data
from dsgen.cli._console import echo
from dsgen.cluster.phase import describe_hidden
from dsgen.cluster.runs import RunRef
from dsgen.cluster.timeline import format_timeline, list_entries, report_timeline
from dsgen.errors import EXIT_OK


@click.command("events")
@run_options("-f", "--values")
@data_option
def command(ref: RunRef, form: str | None) -> int:
    """Show what happened to a run, in chronological order.

    JOB is the name of a job, NAMESPACE/NAME, or its values file. The list contains the starts and ends of attempts and
    pods, the conditions of the Jobs and of the queue, and the events of all these objects. The API server keeps events
    for an hour by default; the other lines are available as long as their objects.

    \b
    Examples:
      dsgen events cifar
      dsgen events training/cifar --run 2
      dsgen events cifar -o json
    """
    state = ref.read_state(around=True)
    happenings = list_entries(state)
    if form:
        write_data(report_timeline(state, happenings), form)
    else:
        echo([*format_timeline(happenings).splitlines(), *describe_hidden(state.hidden)])
    return EXIT_OK
