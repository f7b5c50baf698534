"""Shared by the commands on a cluster: selects the cluster, the job and the run, and reads its state."""

import gc
import os
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click
import yaml

from dsgen.cli._console import confirm, echo, write, write_json
from dsgen.cli._loading import get_only, load_values
from dsgen.cli._options import Decorator, Inputs, cluster_choice, combine, gather, value_options
from dsgen.errors import UsageError
from dsgen.language.functions import parse_duration

if TYPE_CHECKING:
    from dsgen.cluster.client import Cluster
    from dsgen.cluster.runs import RunRef

FILES = (".yaml", ".yml")
data_option = click.option(
    "-o", "--output", "form", type=click.Choice(["json", "yaml"]), help="Print data for programs."
)
change_options = combine(
    click.option("--yes", is_flag=True, help="Do not ask for confirmation."),
    click.option("--force", is_flag=True, help="Proceed even if Argo CD, Flux or Helm applies the job."),
)


raw_option = click.option("--raw", is_flag=True, help="Print lines unchanged, with their control characters.")


def connect(context: str, kubeconfig: str) -> "Cluster":
    from dsgen.cluster.client import Cluster  # imported late: `kubernetes` takes longer than all others together

    gc.freeze()  # modules stay until the end: no collection has to look at them
    gc.enable()  # some of these commands run for hours

    return Cluster(context, kubeconfig)


cluster_options = gather("cluster", connect, ("context", "kubeconfig"), cluster_choice)
"""The options --context and --kubeconfig; the command gets `cluster`."""


def run_options(*values_flags: str) -> Decorator:
    """The argument JOB and its options; the command gets `ref`. values_flags: of the option for more values files."""
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
    return gather("ref", _find_run, ("cluster", "job", "run", "overlays", "overrides", "namespace"), options)


def _find_run(cluster: "Cluster", job: str, run: str, **given: Any) -> "RunRef":
    from dsgen.cluster.runs import RunRef  # imported late: `dsgen apply` observes no run

    space, name, values = read_job(Inputs((job,), **given))
    return RunRef(cluster, space or cluster.namespace, name, run, values)


def read_job(given: Inputs) -> tuple[str, str, dict[str, Any] | None]:
    """Namespace and name of a job (`cifar`, `training/cifar` or its values file), and the values of a file."""
    job = given.files[0]
    if job == "-" or job.endswith(FILES) or os.path.isfile(job):  # noqa: PTH113 - it may not be a path
        how = "give its name instead of the file"
        read = get_only(given, load_values(given), "JOB is one job", how, "{0.namespace}/{0.name}")
        data = read.job.values or {}
        return str(data.get("namespace") or ""), str(data.get("name") or ""), data
    if given.overlays or given.overrides:
        raise UsageError("-f and --set need a values file, but JOB is the name of a job")
    from dsgen.cluster.runs import parse_job_name  # imported late, as above

    return *parse_job_name(job, given.namespace), None


def parse_seconds(text: str) -> float:
    """A duration such as 90s or 1h30m. Raises UsageError."""
    if not re.fullmatch(r"([0-9]{1,9}[smhd])+", text):
        raise UsageError(f"{text}: write a time as 90s, 30m, 24h or 1h30m")
    return parse_duration(text)


def confirm_change(words: str, yes: bool) -> bool:
    """Print what will happen, and ask for confirmation; without a terminal, --yes is required."""
    echo(words.splitlines())
    return yes or confirm([], "Continue?", "there is no terminal to ask for confirmation: use --yes")


def write_data(data: Any, form: str | None, lines: Iterable[str] = ()) -> None:
    """Print data for programs, or without a form the lines for people."""
    if not form:
        echo(lines)
    elif form == "json":
        write_json(data)
    else:
        text: str = yaml.dump(data, Dumper=_Dumper, sort_keys=False, width=float("inf"))
        write(text.replace("##", "#\\x23"))


class _Dumper(yaml.SafeDumper):
    """Writes texts that a CI system might take as a command in double quotes, in which they can be escaped."""


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    style = '"' if "##" in text or "::" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)
