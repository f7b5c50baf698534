"""`dsgen render`: values files to flat manifests."""

from pathlib import Path

from dsgen import api
from dsgen.cli._jobs import load_jobs
from dsgen.cli._output import deliver, folders
from dsgen.cli._printed import emit
from dsgen.cli._progress import counted
from dsgen.cli._shared import Delivery, Inputs
from dsgen.errors import EXIT_OK, UsageProblem


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
    if output is None and delivery.flags:
        raise UsageProblem(f"{delivery.flags} are about a folder: add -o DIR")
    jobs, report = load_jobs(inputs, delivery.form)
    if output is None:
        emit("---\n".join(document.text for job in counted("rendered", jobs) for document in api.render(job)))
        return EXIT_OK
    plans = [api.manifests(job) for job in counted("rendered", jobs)]
    return deliver(list(zip(folders(output, jobs), plans, strict=True)), delivery, report)
