"""`dsgen validate`: all problems of values files."""

import click

from dsgen.cli._jobs import load_jobs
from dsgen.cli._shared import Inputs, emit, inputs
from dsgen.errors import EXIT_OK


@click.command("validate")
@inputs()
def command(inputs: Inputs) -> int:
    """Find all problems of values files, without a cluster.

    Files and options mean what they mean to `dsgen render`. Every problem has its place, file:line:column, and what to
    do about it.

    \b
    Examples:
      dsgen validate cifar.yaml
      dsgen validate cifar.yaml mnist.yaml -f prod.yaml
      dsgen validate - -n training < cifar.yaml
    """
    for job in load_jobs(inputs):
        emit(f"{job.file}: ok, job {job.release.namespace}/{job.release.name}\n")
    return EXIT_OK
