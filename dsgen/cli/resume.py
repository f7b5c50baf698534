"""`dsgen resume`: resume a suspended run."""

import click

from dsgen.cli._cluster import change_options, run_options
from dsgen.cli.suspend import suspend
from dsgen.cluster.runs import RunRef


@click.command("resume")
@run_options("-f", "--values")
@change_options
def command(ref: RunRef, yes: bool, force: bool) -> int:
    """Resume a suspended run.

    JOB is the name of a job, NAMESPACE/NAME, or its values file. A run in a queue of Kueue starts when
    its queue admits it.

    \b
    Examples:
      dsgen resume cifar
      dsgen resume training/cifar --yes
    """
    return suspend(ref, False, yes, force)
