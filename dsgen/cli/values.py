"""`dsgen values`: print the merged values of jobs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from dsgen import origins
from dsgen.cli._loading import load_values
from dsgen.cli._printed import emit
from dsgen.errors import EXIT_OK

if TYPE_CHECKING:
    from dsgen.cli._shared import Inputs


def command(inputs: Inputs, form: str) -> int:
    """Print the complete values of jobs, and the origin of each.

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
        emit("".join(json.dumps(job.data, indent=2) + "\n" for job in jobs))
    else:
        emit("---\n".join(map(origins.as_yaml, jobs)))
    return EXIT_OK
