"""`dsgen events`: show what happened to a run."""

import click

from dsgen.cli._cluster import Target, emit_data, form_option, target
from dsgen.cli._printed import say
from dsgen.cluster import happened
from dsgen.cluster.words import not_visible
from dsgen.errors import EXIT_OK


@click.command("events")
@target
@form_option
def command(target: Target, form: str | None) -> int:
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
    facts = target.facts(around=True)
    happenings = happened.happenings(facts)
    if form:
        emit_data(happened.as_data(facts, happenings), form)
    else:
        say([*happened.as_table(happenings).splitlines(), *not_visible(facts.hidden)])
    return EXIT_OK
