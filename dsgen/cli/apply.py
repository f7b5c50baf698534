"""The commands that apply a job: `dsgen apply`, and `dsgen run`, which also follows it to its end."""

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from dsgen.cli._cluster import cluster_options, confirm_change, raw_option
from dsgen.cli._console import echo, echo_error, is_terminal, write_error
from dsgen.cli._loading import ReportedError, RequestedJob, load_only
from dsgen.cli._options import Inputs, combine, gather, input_options
from dsgen.cluster.apply import ChangedRunError, apply_objects, plan_apply, prune_objects, read_runs
from dsgen.errors import EXIT_INTERRUPTED, EXIT_OK
from dsgen.problems import Diagnostic
from dsgen.values import Override

if TYPE_CHECKING:
    from dsgen.cli._delivery import Edit
    from dsgen.cluster.client import Cluster

DRY_RUN = " (dry run)"


class Applying:
    """The job of a values file, and the cluster to which it is applied."""

    def __init__(self, cluster: "Cluster", inputs: Inputs, bump: bool, yes: bool, force: bool) -> None:
        self.cluster, self.yes, self.force = cluster, yes, force
        loaded, self.report = load_only(inputs, "one job is applied at a time")
        self.job = loaded.job
        self.runs = read_runs(cluster, self.job)
        self.edit: Edit | None = None
        is_known = self.run in self.runs.known
        if bump and (is_known or inputs.overrides):
            self._bump(loaded, inputs.overrides, is_known)

    def _bump(self, loaded: RequestedJob, flags: Sequence[Override], has_new_id: bool) -> None:
        """Use the job with the next run id and the values of the flags in its file. Raises ReportedError."""
        from dsgen.cli._delivery import Edit  # imported late, as the next: few calls write the file
        from dsgen.runs.bump import bump

        bumped = bump(self.job, self.runs.known, loaded.load, flags, has_new_id)
        if isinstance(bumped, Diagnostic):
            self.report.problems.append(bumped)
            self.report.show()
            raise ReportedError
        self.report.problems += [problem for problem in bumped.job.problems() if problem.severity == "error"]
        self.report.show()
        self.job = bumped.job
        if bumped.summary:
            self.edit = Edit(loaded, bumped)

    @property
    def run(self) -> str:
        return str(self.job.data["run"]["id"])

    @property
    def title(self) -> str:
        return f"{self.job.release.namespace}/{self.job.release.name}, run {self.run}"

    def apply_job(self, dry_run: bool = False) -> None:
        """Apply all objects, or only ask the API server (dry_run).

        If it raises IncompleteApplyError, some objects were changed; with any other DsgenError, none was.
        """
        try:
            plan = plan_apply(self.cluster, self.job, self.runs, self.force)
        except ChangedRunError as error:
            self.report.problems += error.problems
            self.report.show()
            raise ReportedError from error
        if not dry_run:
            words = f"apply {self.title}: ends run {', '.join(plan.ends)}, which has not ended\n"
            if plan.ends and not confirm_change(words, self.yes):
                raise ReportedError
            if self.edit:
                self.edit.write()
                echo([self.edit.summary])
        for one in apply_objects(self.cluster, plan, dry_run):
            echo([f"{one.name} {one.action}{DRY_RUN * dry_run}"])
        if plan.kept:
            echo([f"{self.title}: its objects are kept as {plan.kept} wrote them"])
        for one in prune_objects(self.cluster, plan, dry_run):
            echo([f"{one.name} {one.action}{DRY_RUN * dry_run}"])
        if end := self.runs.find_end(self.run):
            echo_error(f"{self.title} has ended ({end}) and does not train again; --bump starts the next run")


apply_options = gather(
    "applying",
    Applying,
    ("cluster", "inputs", "bump", "yes", "force"),
    combine(
        cluster_options,
        input_options(many=False, required=True),
        click.option(
            "--bump",
            is_flag=True,
            help="If the cluster has this run, write the next run.id into FILE; values of --set, too.",
        ),
        click.option("--yes", is_flag=True, help="Do not ask before a run that has not ended is replaced."),
        click.option("--force", is_flag=True, help="Take over objects and fields of other field managers and tools."),
    ),
)
"""The argument FILE and the options of applying; a command gets them as one `Applying`."""


@click.command("apply")
@apply_options
@click.option("--dry-run", is_flag=True, help="Change nothing; the API server says what it would do.")
def apply(applying: Applying, dry_run: bool) -> int:
    """Apply a job to a cluster, without Git.

    The objects that `dsgen render` prints are applied with server-side apply and the field manager dsgen. If the
    cluster has a run with this id and other values, nothing is applied. After the new objects are applied, those of
    the job's other runs are deleted. A job that Argo CD, Flux or Helm applies is refused.

    \b
    Examples:
      dsgen apply cifar.yaml
      dsgen apply cifar.yaml --dry-run
      dsgen apply cifar.yaml --bump --set training.args[1]=0.01
    """
    applying.apply_job(dry_run)
    return EXIT_OK


@click.command("run")
@apply_options
@raw_option
def run(applying: Applying, raw: bool) -> int:
    """Apply a job, follow its log, and exit with its exit code.

    This is `dsgen apply`, followed by `dsgen logs --follow --exit-code`. After Ctrl-C, dsgen asks whether to stop the
    run; a second Ctrl-C leaves it running.

    \b
    Examples:
      dsgen run cifar.yaml
      dsgen run cifar.yaml --bump --yes
    """
    # Imported late: `dsgen apply` neither follows a run nor ends it.
    from dsgen.cli.change import end_run
    from dsgen.cli.logs import Show, choose_exit_code, follow
    from dsgen.cluster.logs import EVERYTHING, NO_LIMITS
    from dsgen.cluster.runs import RunRef

    applying.apply_job()
    ref = RunRef(applying.cluster, applying.job.release.namespace, applying.job.release.name, applying.run)
    try:
        return choose_exit_code(follow(ref, EVERYTHING, Show(raw=raw), NO_LIMITS))
    except KeyboardInterrupt:
        write_error("\n")
        if _asks_to_stop():
            return end_run(ref, ref.read_state())
        echo_error(f"{applying.title} is still running: dsgen logs {ref.title} -f, dsgen stop {ref.title}")
        return EXIT_INTERRUPTED


def _asks_to_stop() -> bool:
    """Ask whether to stop the run; without a terminal, it is left running."""
    answer = "leave"
    with contextlib.suppress(click.Abort):
        if is_terminal("stdin"):
            choices = click.Choice(["leave", "stop"])
            answer = click.prompt("The run is still running", type=choices, default="leave", err=True)
    return answer == "stop"
