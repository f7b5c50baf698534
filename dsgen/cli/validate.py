"""`dsgen validate`: all problems of values files."""

import click

from dsgen.cli._jobs import check_jobs
from dsgen.cli._printed import say
from dsgen.cli._shared import FORMS, Inputs, inputs
from dsgen.errors import EXIT_FINDINGS, EXIT_OK
from dsgen.problems.diagnostics import has_errors


@click.command("validate")
@inputs()
@click.option(
    "--for",
    "target",
    type=click.Choice(["manifests", "chart"]),
    default="manifests",
    help="What the values are for; a chart needs no name and no namespace.  [default: manifests]",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMS),
    default="text",
    help="How problems are told; all but text on standard output.  [default: text]",
)
@click.option("-q", "--quiet", is_flag=True, help="Say nothing about jobs that are right.")
def command(inputs: Inputs, target: str, form: str, quiet: bool) -> int:
    """Find all problems of values files, without a cluster.

    Files and options mean what they mean to `dsgen render`. Every problem has its place, file:line:column, and what to
    do about it; `dsgen explain ID` says more.

    \b
    Examples:
      dsgen validate cifar.yaml
      dsgen validate cifar.yaml mnist.yaml -f prod.yaml --strict
      dsgen validate - -n training < cifar.yaml
      dsgen validate cifar.yaml --for chart
      dsgen validate cifar.yaml --format sarif
    """
    targets, report = check_jobs(inputs, chart=target == "chart")
    if form != "text":
        report.tell(form)
        return EXIT_FINDINGS if has_errors(report.diagnostics) else EXIT_OK
    report.show()
    for job, _ in () if quiet else targets:
        names = job.release.name if target == "chart" else f"{job.release.namespace}/{job.release.name}"
        say([f"{job.file}: ok, {'chart' if target == 'chart' else 'job'} {names}".rstrip()])
    return EXIT_OK
