"""`dsgen list`: list the jobs of one or all namespaces."""

from typing import TYPE_CHECKING

import click

from dsgen.cli._cluster import cluster_options, data_option, write_data
from dsgen.cli._console import echo
from dsgen.cluster.format_text import format_duration, format_list
from dsgen.cluster.models import RunState
from dsgen.cluster.phase import PHASES
from dsgen.cluster.report import measure_duration
from dsgen.cluster.runs import list_states, report_run
from dsgen.errors import EXIT_OK

if TYPE_CHECKING:
    from dsgen.cluster.client import Cluster


@click.command("list")
@click.option("-n", "--namespace", default="", metavar="NAME", help="Namespace.  [default: that of the context]")
@click.option("-A", "--all-namespaces", is_flag=True, help="The jobs of all namespaces.")
@click.option("--all-runs", is_flag=True, help="All runs in the records, not only the newest.")
@click.option("--phase", type=click.Choice(PHASES), metavar="PHASE", help="Only runs in this phase, such as Running.")
@click.option("-l", "--selector", default="", metavar="LABELS", help="Only jobs that match this label selector.")
@data_option
@cluster_options
def command(
    cluster: "Cluster",
    namespace: str,
    all_namespaces: bool,
    all_runs: bool,
    phase: str | None,
    selector: str,
    form: str | None,
) -> int:
    """List jobs with their newest runs.

    \b
    Examples:
      dsgen list
      dsgen list -A --phase Running
      dsgen list -n training -l team=vision --all-runs
      dsgen list -o json
    """
    space = "" if all_namespaces else namespace or cluster.namespace
    reports = [(state, report_run(state)) for state in list_states(cluster, space, selector, all_runs)]
    chosen = [(state, made) for state, made in reports if phase in (None, made["phase"])]
    if form:
        write_data([made for _, made in chosen], form)
        return EXIT_OK
    lines = [(made, format_duration(measure_duration(state)), _age(state)) for state, made in chosen]
    text = format_list(lines, all_namespaces) or f"no jobs in {space or 'any namespace'}"
    echo(text.splitlines())
    return EXIT_OK


def _age(state: RunState) -> str:
    job = state.launcher or state.worker
    return format_duration(state.now - job.created if job else None)
