"""`dsgen apply`: apply a job to a cluster."""

import click

from dsgen.cli._apply import Applying, of_file
from dsgen.errors import EXIT_OK


@click.command("apply")
@of_file
@click.option("--dry-run", is_flag=True, help="Change nothing; the API server says what it would do.")
def command(applying: Applying, dry_run: bool) -> int:
    """Apply a job to a cluster, without Git.

    The objects that `dsgen render` prints are applied with server-side apply and the field manager dsgen. If the
    cluster has a run with this id and other values, nothing is applied. After the new objects are applied, those of
    the job's other runs are deleted. A job that Argo CD, Flux or Helm applies is refused.

    \b
    Examples:
      dsgen apply cifar.yaml
      dsgen apply cifar.yaml --dry-run
      dsgen apply cifar.yaml --bump --set training.args[1]=0.01
    """
    applying.do(dry_run)
    return EXIT_OK
