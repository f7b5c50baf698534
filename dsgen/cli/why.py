"""`dsgen why`: explain why a run waits or has failed."""

import click

from dsgen.cli._cluster import Target, emit_data, form_option, phase_and_causes, target
from dsgen.cli._printed import say
from dsgen.cluster import report, views
from dsgen.errors import EXIT_FINDINGS, EXIT_OK


@click.command("why")
@target
@form_option
def command(target: Target, form: str | None) -> int:
    """Explain why a run waits or has failed.

    JOB is the name of a job, NAMESPACE/NAME, or its values file. The command examines pods, events, the queue, claims
    and nodes, and shows the root cause first. The exit code is 1 if there is a cause, and 0 if nothing is wrong.

    \b
    Examples:
      dsgen why cifar
      dsgen why training/cifar --run 2
      dsgen why cifar.yaml -o json
    """
    facts = target.facts(around=True)
    shown, causes = phase_and_causes(facts)
    run_report = report.report(facts, shown)
    if form:
        emit_data(views.why_report(run_report, causes), form)
    else:
        say(views.why(run_report, causes).splitlines())
    return EXIT_FINDINGS if causes else EXIT_OK
