"""Shared by the commands on a cluster: selects the cluster, the job and the run, and reads its state."""

import functools
import gc
import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click
import yaml

from dsgen.cli import completion
from dsgen.cli._console import confirm, echo, write
from dsgen.cli._loading import load_values, refuse_several
from dsgen.cli._options import Decorator, Function, Inputs, combined, value_options
from dsgen.cluster.actions import explain_refusal
from dsgen.cluster.diagnosis import diagnose
from dsgen.cluster.models import RunState
from dsgen.cluster.ownership import find_owner
from dsgen.cluster.reader import MISSING, add_surroundings, list_jobs, list_runs, read_run
from dsgen.cluster.report import make_report
from dsgen.cluster.watch import watch_changes
from dsgen.errors import EXIT_FINDINGS, ApiError, DsgenError, UsageProblem
from dsgen.schema.suggestions import closest, did_you_mean, possible

if TYPE_CHECKING:
    from dsgen.cluster.client import Cluster

FILES = (".yaml", ".yml")
REFUSALS: tuple[int, ...] = (401, 403)
PATIENCE_SECONDS = 300
"""How long a waiting command tolerates an API server that does not answer."""

data_option = click.option(
    "-o", "--output", "form", type=click.Choice(["json", "yaml"]), help="Print data for programs."
)
change_options = combined(
    click.option("--yes", is_flag=True, help="Do not ask for confirmation."),
    click.option("--force", is_flag=True, help="Proceed even if Argo CD, Flux or Helm applies the job."),
)


class NotFoundError(DsgenError):
    """The cluster has no such object."""

    exit_code = EXIT_FINDINGS


class RevertedError(DsgenError):
    """The change is refused, because a GitOps tool or Helm would undo it."""

    exit_code = EXIT_FINDINGS


@dataclass
class RunRef:
    """One run of one job in one cluster; `run` is empty for the newest."""

    cluster: "Cluster"
    namespace: str
    job: str
    run: str

    @property
    def title(self) -> str:
        return f"{self.namespace}/{self.job}"

    def state(self, around: bool = False, thrifty: bool = False) -> RunState:
        """The present facts of the run. around: with its surroundings; thrifty: see `collect`. Raises NotFoundError."""
        state = read_run(self.cluster, self.namespace, self.job, self.run, thrifty)
        if state is None:
            raise NotFoundError(self._missing())
        return add_surroundings(self.cluster, state, thrifty) if around else state

    def looks(self, until: float = float("inf")) -> Iterator[RunState]:
        """The facts now and after each change; a failing API server is asked again for a few minutes.

        A server that has just started may refuse requests that it allows a moment later.
        """
        answered, refusals = time.monotonic(), REFUSALS
        for _ in watch_changes(self.cluster, self.namespace, self.job, until):
            try:
                state = self.state()
            except ApiError as error:
                if error.status in refusals or time.monotonic() - answered > PATIENCE_SECONDS:
                    raise
                continue
            answered, refusals = time.monotonic(), ()
            self.run = state.run
            yield state

    def _missing(self) -> str:
        """The message for an unknown job or run, with a suggestion."""
        jobs = list_jobs(self.cluster, self.namespace)
        known = sorted({one.job for one in jobs})
        if self.job in known:
            runs = list_runs([one for one in jobs if one.job == self.job], {})
            return f"job {self.title} has no run {self.run}; {possible(runs, 'runs')}"
        try:
            self.cluster.get(f"/api/v1/namespaces/{self.namespace}")
        except ApiError as error:
            if error.status == MISSING:
                return f"the namespace {self.namespace} does not exist"
        hint = did_you_mean(closest(self.job, known)) or possible(known, "jobs") or "dsgen list -A shows all jobs"
        return f"namespace {self.namespace} has no run of a job {self.job}; {hint}"


def connect(context: str, kubeconfig: str) -> "Cluster":
    """The cluster."""
    from dsgen.cluster.client import Cluster  # imported late: `kubernetes` takes longer than all others together

    gc.freeze()  # modules stay until the end: no collection has to look at them
    gc.enable()  # some of these commands run for hours

    return Cluster(context, kubeconfig)


def cluster_options(command: Function) -> Function:
    """Add --context and --kubeconfig to a command; it gets them as one `Cluster`."""
    options = combined(
        click.option("--context", default="", metavar="NAME", help="Context of the kubeconfig."),
        click.option(
            "--kubeconfig",
            default="",
            metavar="FILE",
            shell_complete=completion.files,
            help="Kubeconfig to use instead of $KUBECONFIG or ~/.kube/config.",
        ),
    )

    @functools.wraps(command)
    def call(context: str, kubeconfig: str, **given: Any) -> int:
        return command(cluster=connect(context, kubeconfig), **given)

    return options(call)


def run_options(*values_flags: str) -> Decorator:
    """Add the argument JOB and its options to a command; it gets them as one `RunRef`.

    values_flags: of the option for more values files.
    """
    options = combined(
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
            space, name = named(job, namespace, inputs)
            return command(ref=RunRef(cluster, space or cluster.namespace, name, run), **given)

        return options(call)

    return decorate


def named(job: str, namespace: str, values: Inputs) -> tuple[str, str]:
    """Namespace and name of a job: `cifar`, `training/cifar` or the name of its values file."""
    if job == "-" or job.endswith(FILES) or os.path.isfile(job):  # noqa: PTH113 - it may not be a path
        jobs = load_values(values)
        names = [f"{each.release.namespace}/{each.release.name}" for each in jobs]
        refuse_several(values, names, "JOB is one job", "give its name instead of the file")
        loaded = jobs[0].values
        data = loaded.data if loaded else {}
        return str(data.get("namespace") or ""), str(data.get("name") or "")
    if values.overlays or values.overrides:
        raise UsageProblem("-f and --set need a values file, but JOB is the name of a job")
    space, _, name = job.rpartition("/")
    if not name or "/" in space or (space and namespace and space != namespace):
        raise UsageProblem(f"{job}: name a job as cifar, training/cifar or by its values file")
    return space or namespace, name


def refuse_reverted(state: RunState, force: bool, what: str) -> None:
    """Raise RevertedError if a tool would undo the change, unless force is set. what: see `explain_refusal`."""
    reason = explain_refusal(find_owner(state.launcher or state.worker), what)
    if reason and not force:
        raise RevertedError(reason)


def confirm_change(words: str, yes: bool) -> bool:
    """Print what will happen, and ask for confirmation; without a terminal, --yes is required."""
    echo(words.splitlines())
    return yes or confirm([], "Continue?", "there is no terminal to ask for confirmation: use --yes")


def reported(state: RunState) -> dict[str, Any]:
    """The report of a run."""
    return make_report(state, diagnose(state)[0])


def write_data(data: Any, form: str) -> None:
    """Print data for programs."""
    write(json.dumps(data, indent=2) + "\n" if form == "json" else _yaml(data))


def _yaml(data: Any) -> str:
    text: str = yaml.safe_dump(data, sort_keys=False)
    return text
