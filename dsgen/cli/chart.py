"""`dsgen chart`: the Helm chart, with or without a job's values as its defaults."""

from pathlib import Path

import click

from dsgen.cli._jobs import load_chart
from dsgen.cli._output import deliver, folder_options, output_option
from dsgen.cli._shared import Inputs, inputs
from dsgen.compiler import chart_files
from dsgen.writer import Place, Plan

NAME = "deepspeed-job"


@click.command("chart")
@inputs(many=False)
@output_option("The folder of the chart.", required=True)
@folder_options
def command(inputs: Inputs, output: Path, check: bool, dry_run: bool) -> int:
    """Write a Helm chart, with a job's values as its defaults.

    The chart is complete: `helm install` with it creates the same objects as `dsgen render`. It has the name of the
    job. Without values of a job it is the chart deepspeed-job, and --name and -n are wrong usage: its releases give
    the names.

    \b
    Examples:
      dsgen chart -o charts/deepspeed-job
      dsgen chart cifar.yaml -o charts/cifar
      dsgen chart cifar.yaml -f prod.yaml -o charts/cifar --dry-run
    """
    job = load_chart(inputs)
    name = (job and job.release.name) or NAME
    files = chart_files(job.data if job else None, name)
    return deliver([(Place(output), Plan(f"chart {name}", files))], check, dry_run)
