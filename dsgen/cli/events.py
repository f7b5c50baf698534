"""`dsgen events`: what happened to a run."""

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
    """Show what happened to a run, in order of time.

    JOB is the name of a job, NAMESPACE/NAME, or its values file. The list has the starts and ends of attempts, the
    conditions of the Jobs and of the queue, the lives of the pods, and the events of all these objects. The API server
    keeps events for an hour by default; the other lines stay as long as their objects.

    \b
    Examples:
      dsgen events cifar
      dsgen events training/cifar --run 2
      dsgen events cifar -o json
    """
    facts = target.facts(around=True)
    found = happened.happenings(facts)
    if form:
        emit_data(happened.as_data(facts, found), form)
    else:
        say([*happened.as_table(found).splitlines(), *not_visible(facts.hidden)])
    return EXIT_OK
