"""`dsgen render`: values files to flat manifests."""

from dataclasses import replace
from pathlib import Path

import click

from dsgen import api
from dsgen.cli._jobs import load_jobs
from dsgen.cli._output import Delivery, deliver, folder_options, folders, output_option
from dsgen.cli._printed import emit
from dsgen.cli._progress import counted
from dsgen.cli._shared import Inputs, inputs
from dsgen.errors import EXIT_OK, UsageProblem


@click.command("render")
@inputs()
@output_option("Write one object per file into this folder.")
@folder_options
def command(inputs: Inputs, output: Path | None, delivery: Delivery) -> int:
    """Print the manifests of jobs, or write them into a folder.

    Each FILE is a job of its own, with all -f files laid over it; without a FILE, the -f files together are one job.
    `-` is standard input. With -o, several jobs get a folder each, named after the job.

    \b
    Examples:
      dsgen render cifar.yaml | kubectl apply -f -
      dsgen render cifar.yaml -f prod.yaml --set workers.replicas=4 -n training
      dsgen render cifar.yaml mnist.yaml -o manifests
      dsgen render cifar.yaml -o manifests/cifar --check
    """
    if output is None and replace(delivery, quiet=False) != Delivery():
        raise UsageProblem(f"{delivery.flags} are about a folder: add -o DIR")
    jobs, report = load_jobs(inputs, delivery.form)
    if output is None:
        emit("---\n".join(document.text for job in counted("rendered", jobs) for document in api.render(job)))
        return EXIT_OK
    plans = [api.manifests(job) for job in counted("rendered", jobs)]
    return deliver(list(zip(folders(output, jobs), plans, strict=True)), delivery, report)
