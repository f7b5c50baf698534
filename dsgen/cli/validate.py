"""`dsgen validate`: find all problems of values files."""

import click

from dsgen.cli._console import echo
from dsgen.cli._loading import check_jobs
from dsgen.cli._options import Inputs, input_options, problem_format_option, quiet_option
from dsgen.errors import EXIT_OK


@click.command("validate")
@input_options()
@click.option(
    "--for",
    "target",
    type=click.Choice(["manifests", "chart"]),
    default="manifests",
    help="The use of the values; a chart needs no name and no namespace.  [default: manifests]",
)
@problem_format_option
@quiet_option
def command(inputs: Inputs, target: str, form: str, quiet: bool) -> int:
    """Find all problems of values files, without a cluster.

    Files and options are the same as for `dsgen render`. Every problem is shown with its place, file:line:column, and
    a hint; `dsgen explain ID` explains it.

    \b
    Examples:
      dsgen validate cifar.yaml
      dsgen validate cifar.yaml mnist.yaml -f prod.yaml --strict
      dsgen validate - -n training < cifar.yaml
      dsgen validate cifar.yaml --for chart
      dsgen validate cifar.yaml --format sarif
    """
    jobs, report = check_jobs(inputs, chart=target == "chart")
    if form != "text":
        report.output(form)
        report.end()
        return EXIT_OK
    report.show()
    for job in () if quiet else jobs:
        names = job.release.name if target == "chart" else f"{job.release.namespace}/{job.release.name}"
        echo([f"{job.file}: ok, {'chart' if target == 'chart' else 'job'} {names}".rstrip()])
    return EXIT_OK
