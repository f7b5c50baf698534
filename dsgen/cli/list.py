"""`dsgen list`: list the jobs of one or all namespaces."""

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from dsgen.cli._cluster import cluster_options, data_option, reported, write_data
from dsgen.cli._console import echo
from dsgen.cluster.format_text import format_duration, format_list
from dsgen.cluster.models import JOB, JobState, PodState, RunState, parse_pod
from dsgen.cluster.phase import PHASES
from dsgen.cluster.reader import (
    Reader,
    add_jobs,
    add_record,
    api_path,
    depends_on_nodes,
    list_jobs,
    list_nodes,
    list_records,
    list_runs,
)
from dsgen.cluster.report import measure_duration
from dsgen.errors import EXIT_OK

if TYPE_CHECKING:
    from dsgen.cluster.client import Cluster

Name = tuple[str, str]
"""Namespace and job."""


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
    selector = ",".join(part for part in (JOB, selector) if part)
    reports = [(state, reported(state)) for state in runs(cluster, space, selector, all_runs)]
    chosen = [(state, made) for state, made in reports if phase in (None, made["phase"])]
    if form:
        write_data([made for _, made in chosen], form)
        return EXIT_OK
    lines = [(made, format_duration(measure_duration(state)), _age(state)) for state, made in chosen]
    text = format_list(lines, all_namespaces) or f"no jobs in {space or 'any namespace'}"
    echo(text.splitlines())
    return EXIT_OK


def runs(cluster: Reader, space: str, selector: str, all_runs: bool) -> Iterator[RunState]:
    """The facts of each job's newest run, or of all its runs, from three list requests, and one for nodes if needed."""
    jobs: dict[Name, list[JobState]] = defaultdict(list)
    for one in list_jobs(cluster, space, selector):
        jobs[one.namespace, one.job].append(one)
    pods: dict[tuple[Name, str], list[PodState]] = defaultdict(list)
    for entry in cluster.items(api_path("pods", space), labelSelector=JOB):
        worker_pod = parse_pod(entry)
        pods[(entry["metadata"]["namespace"], entry["metadata"]["labels"][JOB]), worker_pod.run].append(worker_pod)
    records = list_records(cluster, space, selector)
    nodes = list_nodes(cluster, []) if depends_on_nodes(one for each in pods.values() for one in each) else None
    for name in sorted(jobs.keys() | records.keys()):
        data = records.get(name)
        known = list_runs(jobs[name], data or {})
        for run in known if all_runs else known[:1]:
            state = RunState(name[1], name[0], run, cluster.now(), pods=pods[name, run], nodes=nodes)
            yield add_record(add_jobs(state, jobs[name]), data)


def _age(state: RunState) -> str:
    job = state.launcher or state.worker
    return format_duration(state.now - job.created if job else None)
