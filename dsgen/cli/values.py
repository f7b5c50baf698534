"""`dsgen values`: print the merged values of jobs."""

import json

import click

from dsgen import provenance
from dsgen.cli._console import write
from dsgen.cli._loading import load_values
from dsgen.cli._options import Inputs, format_option, input_options
from dsgen.errors import EXIT_OK


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
        write("---\n".join(map(provenance.as_yaml, jobs)))
    return EXIT_OK
