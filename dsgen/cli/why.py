"""`dsgen why`: what keeps a run from going on."""

import click

from dsgen.cli._cluster import Target, emit_data, form_option, target, told
from dsgen.cli._printed import say
from dsgen.cluster import report, views
from dsgen.errors import EXIT_FINDINGS, EXIT_OK


@click.command("why")
@target
@form_option
def command(target: Target, form: str | None) -> int:
    """Say why a run does not go on, or has failed.

    JOB is the name of a job, NAMESPACE/NAME, or its values file. Pods, events, queue, claims and nodes are looked at.
    Of several causes the root comes first. Exit code 1 when something is wrong, 0 when nothing is.

    \b
    Examples:
      dsgen why cifar
      dsgen why training/cifar --run 2
      dsgen why cifar.yaml -o json
    """
    facts = target.facts(around=True)
    shown, causes = told(facts)
    found = report.report(facts, shown)
    if form:
        emit_data(views.why_report(found, causes), form)
    else:
        say(views.why(found, causes).splitlines())
    return EXIT_FINDINGS if causes else EXIT_OK
