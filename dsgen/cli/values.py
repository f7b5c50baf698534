"""`dsgen values`: print the merged values of jobs."""

import json

import click

from dsgen.cli._console import write
from dsgen.cli._loading import load_values
from dsgen.cli._options import Inputs, format_option, input_options
from dsgen.errors import EXIT_OK
from dsgen.language.readable import ReadableWriter
from dsgen.problems.diagnostics import KeyPath
from dsgen.problems.escaping import visible
from dsgen.values import Job

DEFAULT = "default"


@click.command("values")
@input_options(has_strict=False)
@format_option("yaml", "json", help="json has no comments.")
def command(inputs: Inputs, form: str) -> int:
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
    return "".join(f"{line}\n" for line in _Commented(job).lines(job.data))


class _Commented(ReadableWriter):
    def __init__(self, job: Job) -> None:
        self.root = job.root

    def comment(self, path: KeyPath) -> str:
        node, known = self.root.find(path)
        place = node.key or node.position
        if len(known) < len(path):
            return f" # {DEFAULT}"
        return f" # {visible(place.file)}" + ("" if place.file.startswith("-") else f":{place.line}")
