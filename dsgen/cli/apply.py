"""`dsgen apply`: a job brought into a cluster."""

import click

from dsgen.cli._apply import Applying, of_file
from dsgen.errors import EXIT_OK


@click.command("apply")
@of_file
@click.option("--dry-run", is_flag=True, help="Change nothing; the API server says what it would do.")
def command(applying: Applying, dry_run: bool) -> int:
    """Apply a job to a cluster, without Git.

    The objects that `dsgen render` prints are sent by server-side apply, as field manager dsgen. A run that is in the
    cluster keeps the values with which it began: where they differ, nothing is applied. When the new objects are
    there, those of the job's other runs are deleted. A job of Argo CD, Flux or Helm is refused.

    \b
    Examples:
      dsgen apply cifar.yaml
      dsgen apply cifar.yaml --dry-run
      dsgen apply cifar.yaml --bump --set training.args[1]=0.01
    """
    applying.do(dry_run)
    return EXIT_OK
