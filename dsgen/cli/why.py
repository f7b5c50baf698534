"""`dsgen why`: explain why a run waits or has failed."""

import click

from dsgen.cli._cluster import data_option, run_options, write_data
from dsgen.cli._console import echo
from dsgen.cluster.diagnosis import diagnose
from dsgen.cluster.format_text import format_causes
from dsgen.cluster.report import make_report, report_causes
from dsgen.cluster.runs import RunRef
from dsgen.errors import EXIT_FINDINGS, EXIT_OK


@click.command("why")
@run_options("-f", "--values")
@data_option
def command(ref: RunRef, form: str | None) -> int:
    """Explain why a run waits or has failed.

    JOB is the name of a job, NAMESPACE/NAME, or its values file. The command examines pods, events, the queue, claims
    and nodes, and shows the root cause first. The exit code is 1 if there is a cause, and 0 if nothing is wrong.

    \b
    Examples:
      dsgen why cifar
      dsgen why training/cifar --run 2
      dsgen why cifar.yaml -o json
    """
    state = ref.read_state(around=True)
    shown, causes = diagnose(state)
    run_report = make_report(state, shown)
    if form:
        write_data(report_causes(run_report, causes), form)
    else:
        echo(format_causes(run_report, causes).splitlines())
    return EXIT_FINDINGS if causes else EXIT_OK
