"""`dsgen resume`: resume a suspended run."""

import click

from dsgen.cli._actions import asking
from dsgen.cli._cluster import Target, target
from dsgen.cli.suspend import suspend


@click.command("resume")
@target
@asking
def command(target: Target, yes: bool, force: bool) -> int:
    """Resume a suspended run.

    JOB is the name of a job, NAMESPACE/NAME, or its values file. A run in a queue of Kueue starts when
    its queue admits it.

    \b
    Examples:
      dsgen resume cifar
      dsgen resume training/cifar --yes
    """
    return suspend(target, False, yes, force)
