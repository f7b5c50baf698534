"""Shared by the commands on a cluster: selects the cluster, the job and the run, and reads its state."""

import functools
import gc
import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click
import yaml

from dsgen.cli._console import confirm, echo, write
from dsgen.cli._loading import load_values, refuse_several
from dsgen.cli._options import Decorator, Function, Inputs, cluster_choice, combine, value_options
from dsgen.cluster.runs import RunRef, parse_job_name
from dsgen.errors import UsageError

if TYPE_CHECKING:
    from dsgen.cluster.client import Cluster

FILES = (".yaml", ".yml")
data_option = click.option(
    "-o", "--output", "form", type=click.Choice(["json", "yaml"]), help="Print data for programs."
)
change_options = combine(
    click.option("--yes", is_flag=True, help="Do not ask for confirmation."),
    click.option("--force", is_flag=True, help="Proceed even if Argo CD, Flux or Helm applies the job."),
)


def connect(context: str, kubeconfig: str) -> "Cluster":
    """The cluster."""
    from dsgen.cluster.client import Cluster  # imported late: `kubernetes` takes longer than all others together

    gc.freeze()  # modules stay until the end: no collection has to look at them
    gc.enable()  # some of these commands run for hours

    return Cluster(context, kubeconfig)


def cluster_options(command: Function) -> Function:
    """Add --context and --kubeconfig to a command; it gets them as one `Cluster`."""

    @functools.wraps(command)
    def call(context: str, kubeconfig: str, **given: Any) -> int:
        return command(cluster=connect(context, kubeconfig), **given)

    return cluster_choice(call)


def run_options(*values_flags: str) -> Decorator:
    """Add the argument JOB and its options to a command; it gets them as one `RunRef`.

    values_flags: of the option for more values files.
    """
    options = combine(
        cluster_options,
        click.argument("job", metavar="JOB"),
        click.option("--run", default="", metavar="ID", help="Id of the run.  [default: the newest]"),
        value_options(*values_flags, over="the values file JOB"),
        click.option(
            "-n",
            "--namespace",
            default="",
            metavar="NAME",
            help="Namespace of JOB.  [default: that of the file, or of the context]",
        ),
    )

    def decorate(command: Function) -> Function:
        @functools.wraps(command)
        def call(cluster: "Cluster", job: str, run: str, namespace: str, **given: Any) -> int:
            inputs = Inputs((job,), given.pop("overlays"), given.pop("overrides"), "", namespace)
            values = read_values(job, inputs)
            space, name = read_names(values) if values is not None else parse_job_name(job, namespace)
            return command(ref=RunRef(cluster, space or cluster.namespace, name, run, values), **given)

        return options(call)

    return decorate


def read_values(job: str, given: Inputs) -> dict[str, Any] | None:
    """The values of JOB, if it is a values file; None if it is a name."""
    if job == "-" or job.endswith(FILES) or os.path.isfile(job):  # noqa: PTH113 - it may not be a path
        jobs = load_values(given)
        names = [f"{each.release.namespace}/{each.release.name}" for each in jobs]
        refuse_several(given, names, "JOB is one job", "give its name instead of the file")
        loaded = jobs[0].values
        return loaded.data if loaded else {}
    if given.overlays or given.overrides:
        raise UsageError("-f and --set need a values file, but JOB is the name of a job")
    return None


def read_names(values: Mapping[str, Any]) -> tuple[str, str]:
    """Namespace and name in values."""
    return str(values.get("namespace") or ""), str(values.get("name") or "")


def parse_job(job: str, namespace: str) -> tuple[str, str]:
    """Namespace and name of a job: `cifar`, `training/cifar` or the name of its values file."""
    values = read_values(job, Inputs((job,)))
    return parse_job_name(job, namespace) if values is None else read_names(values)


def confirm_change(words: str, yes: bool) -> bool:
    """Print what will happen, and ask for confirmation; without a terminal, --yes is required."""
    echo(words.splitlines())
    return yes or confirm([], "Continue?", "there is no terminal to ask for confirmation: use --yes")


def write_data(data: Any, form: str) -> None:
    """Print data for programs."""
    write(json.dumps(data, indent=2) + "\n" if form == "json" else _format_yaml(data))


def _format_yaml(data: Any) -> str:
    text: str = yaml.safe_dump(data, sort_keys=False)
    return text
