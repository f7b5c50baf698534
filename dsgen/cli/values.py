"""The commands that only read values files: `dsgen validate` and `dsgen values`."""

import json

import click

from dsgen.cli._console import echo, write
from dsgen.cli._loading import check_jobs, load_values
from dsgen.cli._options import Inputs, format_option, input_options, problem_format_option, quiet_option
from dsgen.errors import EXIT_OK
from dsgen.language.text import ReadableWriter
from dsgen.problems import KeyPath
from dsgen.problems.safe_text import escape_text
from dsgen.values import Job

DEFAULT = "default"


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
      dsgen validate cifar.yaml --format sarif
    """
    jobs, report = check_jobs(inputs, chart=target == "chart")
    if form != "text":
        report.print_all(form)
        report.end()
        return EXIT_OK
    report.show()
    for job in () if quiet else jobs:
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
      dsgen values cifar.yaml --format json
    """
    jobs = load_values(inputs)
    if form == "json":
        write("".join(json.dumps(job.data, indent=2) + "\n" for job in jobs))
    else:
        write("---\n".join(map(write_merged, jobs)))
    return EXIT_OK


def write_merged(job: Job) -> str:
    """The values of a job without errors; the comment after a key names the file and line, or the flag, that set it."""
    return "".join(f"{line}\n" for line in _Commented(job).write_lines(job.data))


class _Commented(ReadableWriter):
    def __init__(self, job: Job) -> None:
        self.root = job.root

    def write_comment(self, path: KeyPath) -> str:
        node, known = self.root.find(path)
        place = node.key or node.position
        if len(known) < len(path):
            return f" # {DEFAULT}"
        return f" # {escape_text(place.file)}" + ("" if place.file.startswith("-") else f":{place.line}")
