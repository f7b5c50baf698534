"""`dsgen status`: how a run is."""

import sys
from collections.abc import Iterator

import click

from dsgen.cli._cluster import Target, emit_data, form_option, reported, target
from dsgen.cli._shared import emit
from dsgen.cluster import views
from dsgen.cluster.words import ENDS
from dsgen.errors import EXIT_OK

REDRAW = "\x1b[H\x1b[J"


@click.command("status")
@target
@form_option
@click.option("--watch", is_flag=True, help="Go on until the run ends: redrawn on a terminal, else a line per change.")
def command(target: Target, form: str | None, watch: bool) -> int:
    """Show how a run is: its phase and why, its attempts, its pods.

    JOB is the name of a job, NAMESPACE/NAME, or its values file. The answer is put together from the record, the Jobs
    and the pods: a run whose launcher has not been heard of for three minutes is Unknown, whatever its record says.

    \b
    Examples:
      dsgen status cifar
      dsgen status training/cifar --run 2
      dsgen status cifar.yaml --watch
      dsgen status cifar -o json
    """
    if watch:
        for text in _changes(target, form):
            emit(text)
        return EXIT_OK
    facts = target.facts(around=True)
    if form:
        emit_data(reported(facts), form)
    else:
        emit(views.status(reported(facts), facts))
    return EXIT_OK


def _changes(target: Target, form: str | None) -> Iterator[str]:
    """What is printed at each change, until the run has ended."""
    redraw, before = sys.stdout.isatty() and not form, None
    for facts in target.looks():
        found = reported(facts)
        now = (found["phase"], found["reason"], found["message"], found["workers"])
        if redraw:
            yield REDRAW + views.status(found, facts)
        elif now != before:
            yield views.line(found, facts)
        before = now
        if found["phase"] in ENDS:
            return
