"""The commands that only read values files: `dsgen validate` and `dsgen values`."""

import click

from dsgen.cli._console import echo, write, write_json
from dsgen.cli._loading import check_jobs, load_values
from dsgen.cli._options import Inputs, format_option, input_options, problem_format_option, quiet_option
from dsgen.errors import EXIT_OK
from dsgen.problems import KeyPath
from dsgen.values import Job


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
def validate(inputs: Inputs, target: str, form: str, quiet: bool) -> int:
    """Find all problems of values files, without a cluster.

    Files and options are the same as for `dsgen render`. Every problem is shown with its place, file:line:column, and
    a hint; `dsgen explain ID` explains it.

    \b
    Examples:
      dsgen validate cifar.yaml
      dsgen validate cifar.yaml mnist.yaml -f prod.yaml --strict
      dsgen validate - -n training < cifar.yaml
      dsgen validate cifar.yaml --for chart
      dsgen validate cifar.yaml -o sarif
    """
    jobs, report = check_jobs(inputs, chart=target == "chart")
    report.show(form)
    for job in () if quiet or form != "text" else [each.job for each in jobs]:
        names = job.release.name if target == "chart" else f"{job.release.namespace}/{job.release.name}"
        echo([f"{job.file}: ok, {'chart' if target == 'chart' else 'job'} {names}".rstrip()])
    return EXIT_OK


@click.command("values")
@input_options(has_strict=False)
@format_option("yaml", "json", help="json has no comments.")
def print_values(inputs: Inputs, form: str) -> int:
    """Print the merged values of jobs, and where each was set.

    The comment after each key is the file and line, or the flag, that set it, or `default`. Files and options are the
    same as for `dsgen render`. The output is a values file for the same job. The values must match the schema;
    `dsgen validate` finds other problems. Passwords and keys are printed, too.

    \b
    Examples:
      dsgen values cifar.yaml
      dsgen values cifar.yaml -f prod.yaml --set workers.slots=8
      dsgen values cifar.yaml -o json
    """
    jobs = [each.job for each in load_values(inputs)]
    if form == "json":
        for job in jobs:
            write_json(job.data)
    else:
        write("---\n".join(map(write_merged, jobs)))
    return EXIT_OK


def write_merged(job: Job) -> str:
    """The values of a job without errors; the comment after a key names the file and line, or the flag, that set it."""
    from dsgen.editing import compare_text, write_values  # imported late: `validate` writes no values

    text = write_values(job.data, lambda path: _describe_place(job, path), {}, is_short=False)
    compare_text(text, job.data)
    return text


def _describe_place(job: Job, path: KeyPath) -> str:
    """Where a key was set; "" for an item of a list."""
    node, known = job.root.find(path)
    place = node.key or node.position
    if isinstance(path[-1], int):
        return ""
    return (
        "default" if len(known) < len(path) else place.file + ("" if place.file.startswith("-") else f":{place.line}")
    )
