"""What the commands that look at a cluster share: which cluster, which job and run, and what is known of it."""

import functools
import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click
import yaml

from dsgen.cli import _completion
from dsgen.cli._clicked import decorated
from dsgen.cli._jobs import load_values
from dsgen.cli._options import NAMESPACE, SETS, VALUES, Option, overlays
from dsgen.cli._printed import emit
from dsgen.cli._shared import Inputs, overrides
from dsgen.cluster import causes, changes, collect, report, story
from dsgen.cluster.facts import Facts
from dsgen.cluster.words import Shown
from dsgen.errors import EXIT_FINDINGS, ApiError, DsgenError, UsageProblem
from dsgen.schema.suggestions import closest, did_you_mean, possible

if TYPE_CHECKING:
    from dsgen.cluster.api import Cluster

FILES = (".yaml", ".yml")
UNEXPLAINED = ("", "LauncherNotStarted", "WaitingForWorkers", "WorkersLost")
"""Reasons of Pending that say less than the first cause."""
REFUSALS: tuple[int, ...] = (401, 403)
PATIENCE_SECONDS = 300
"""How long a command that waits goes on asking an API server that does not answer."""

_WHERE = [
    click.option("--context", default="", metavar="NAME", help="Context of the kubeconfig."),
    click.option(
        "--kubeconfig",
        default="",
        metavar="FILE",
        shell_complete=_completion.files,
        help="Kubeconfig to use instead of $KUBECONFIG or ~/.kube/config.",
    ),
]
_RUN = click.option("--run", "run", default="", metavar="ID", help="Id of the run.  [default: the newest]")
_FORM = click.option("-o", "--output", "form", type=click.Choice(["json", "yaml"]), help="Print data for programs.")


class NotThere(DsgenError):  # noqa: N818 - its message is shown as it is
    """The cluster has no such job or run."""

    exit_code = EXIT_FINDINGS


@dataclass
class Target:
    """One run of one job in one cluster; `run` is empty for the newest."""

    cluster: "Cluster"
    namespace: str
    job: str
    run: str

    @property
    def title(self) -> str:
        return f"{self.namespace}/{self.job}"

    def facts(self, around: bool = False, thrifty: bool = False) -> Facts:
        """What is known of the run now, with what is around it; thrifty as in `collect`. Raises NotThere."""
        found = collect.run_facts(self.cluster, self.namespace, self.job, self.run, thrifty)
        if found is None:
            raise NotThere(self._missing())
        return collect.surroundings(self.cluster, found, thrifty) if around else found

    def looks(self, until: float = float("inf")) -> Iterator[Facts]:
        """The facts now and after each change; an API server that is away is asked again for a while.

        One that has just started may refuse what it allows a moment later.
        """
        answered, refusals = time.monotonic(), REFUSALS
        for _ in changes.changes(self.cluster, self.namespace, self.job, until):
            try:
                found = self.facts()
            except ApiError as error:
                if error.status in refusals or time.monotonic() - answered > PATIENCE_SECONDS:
                    raise
                continue
            answered, refusals = time.monotonic(), ()
            self.run = found.run
            yield found

    def _missing(self) -> str:
        """Why there is no such job or run, with the one that may be meant."""
        found = collect.jobs(self.cluster, self.namespace)
        known = sorted({one.job for one in found})
        if self.job in known:
            runs = collect.runs([one for one in found if one.job == self.job], {})
            return f"job {self.title} has no run {self.run}; {possible(runs)}"
        try:
            self.cluster.get(f"/api/v1/namespaces/{self.namespace}")
        except ApiError as error:
            if error.status == collect.MISSING:
                return f"there is no namespace {self.namespace}"
        hint = did_you_mean(closest(self.job, known)) or possible(known) or "dsgen list -A shows all jobs"
        return f"namespace {self.namespace} has no run of a job {self.job}; {hint}"


def connect(context: str, kubeconfig: str) -> "Cluster":
    """The cluster. The library for it is imported only here: it costs more than most commands."""
    from dsgen.cluster.api import Cluster

    return Cluster(context, kubeconfig)


def cluster_options(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command --context and --kubeconfig, as one `Cluster`."""

    @functools.wraps(command)
    def call(context: str, kubeconfig: str, **rest: Any) -> int:
        return command(connect(context, kubeconfig), **rest)

    for option in reversed(_WHERE):
        call = option(call)
    return call


def target(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command the argument JOB and what says where it is, as one `Target`."""
    return _with_target(command, VALUES)


def target_of_logs(command: Callable[..., int]) -> Callable[..., int]:
    """The same for a command whose -f follows: more values files are --values there."""
    return _with_target(command, [overlays("--values"), *SETS])


def _with_target(command: Callable[..., int], values: Sequence[Option]) -> Callable[..., int]:
    @functools.wraps(command)
    def call(cluster: "Cluster", job: str, run: str, namespace: str, overlays: tuple[str, ...], **rest: Any) -> int:
        sets, rest = overrides(rest)
        space, name = named(job, namespace, Inputs((job,), overlays, sets, "", namespace))
        return command(Target(cluster, space or cluster.namespace, name, run), **rest)

    return cluster_options(click.argument("job", metavar="JOB")(_RUN(decorated(call, [*values, NAMESPACE]))))


def named(job: str, namespace: str, values: Inputs) -> tuple[str, str]:
    """Namespace and name of a job: `cifar`, `training/cifar` or the name of its values file."""
    if job == "-" or job.endswith(FILES) or os.path.isfile(job):  # noqa: PTH113 - it may be no path at all
        data = load_values(values)[0].values
        found = data.data if data else {}
        return str(found.get("namespace") or ""), str(found.get("name") or "")
    if values.overlays or values.overrides:
        raise UsageProblem("-f and --set belong to a values file, and JOB is none")
    space, _, name = job.rpartition("/")
    if not name or "/" in space or (space and namespace and space != namespace):
        raise UsageProblem(f"{job}: name a job as cifar, training/cifar or by its values file")
    return space or namespace, name


def form_option(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command -o."""
    return _FORM(command)


def told(facts: Facts) -> tuple[Shown, list[causes.Cause]]:
    """Phase and causes of a run. A phase that says no reason of its own gets that of its first cause."""
    shown = story.tell(facts)
    found = causes.find(facts, shown)
    if shown.phase == "Pending" and shown.reason in UNEXPLAINED and found:
        shown = shown._replace(reason=found[0].reason, message=found[0].message)
    return shown, found


def reported(facts: Facts) -> dict[str, Any]:
    """The report of a run."""
    return report.report(facts, told(facts)[0])


def emit_data(data: Any, form: str) -> None:
    """Print data for programs."""
    emit(json.dumps(data, indent=2) + "\n" if form == "json" else _yaml(data))


def _yaml(data: Any) -> str:
    text: str = yaml.safe_dump(data, sort_keys=False)
    return text
