"""`dsgen chart`: write the Helm chart, with or without the values of a job as its defaults."""

from __future__ import annotations

from pathlib import Path

import click

from dsgen.cli._delivery import add_orphans, deliver, plan_chart, plan_charts
from dsgen.cli._loading import load_chart, load_jobs
from dsgen.cli._options import NO_PRUNE, Delivery, Inputs, delivery_options, input_options, output_option
from dsgen.errors import UsageError
from dsgen.writer import Destination


@click.command("chart")
@input_options(many=False)
@output_option("The folder of the chart.")
@delivery_options
def command(inputs: Inputs, output: Path | None, delivery: Delivery) -> int:
    """Write a Helm chart, with a job's values as its defaults.

    The chart is complete: `helm install` with it creates the same objects as `dsgen render`. It has the name of the
    job. Without a FILE, it is the chart deepspeed-job, whose releases provide the names, so --name and -n are not
    allowed. Without -o, the charts of all jobs in the nearest dsgen.yaml are written.

    \b
    Examples:
      dsgen chart -o charts/deepspeed-job
      dsgen chart cifar.yaml -o charts/cifar
      dsgen chart cifar.yaml -f prod.yaml -o charts/cifar-prod --dry-run
    """
    if output is None:
        if inputs.has_files:
            raise UsageError("-o is missing, the folder of the chart, as in: dsgen chart cifar.yaml -o charts/cifar")
        jobs, report = load_jobs(inputs, delivery.form)
        return deliver(add_orphans(plan_charts(jobs), "charts", delivery, report), delivery, report)
    if delivery.prune:
        raise UsageError(NO_PRUNE)
    job, report = load_chart(inputs, delivery.form)
    return deliver([plan_chart(Destination(output), job)], delivery, report)
