"""`dsgen list`: list the jobs of one or all namespaces."""

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from dsgen.cli._cluster import cluster_options, emit_data, form_option, reported
from dsgen.cli._printed import say
from dsgen.cluster import collect, report, views
from dsgen.cluster.facts import JOB, Facts, Job, Pod
from dsgen.cluster.parse import pod
from dsgen.cluster.words import PHASES
from dsgen.errors import EXIT_OK

if TYPE_CHECKING:
    from dsgen.cluster.api import Cluster

Name = tuple[str, str]
"""Namespace and job."""


@click.command("list")
@click.option("-n", "--namespace", default="", metavar="NAME", help="Namespace.  [default: that of the context]")
@click.option("-A", "--all-namespaces", is_flag=True, help="The jobs of all namespaces.")
@click.option("--all-runs", is_flag=True, help="All runs in the records, not only the newest.")
@click.option("--phase", type=click.Choice(PHASES), metavar="PHASE", help="Only runs in this phase, such as Running.")
@click.option("-l", "--selector", default="", metavar="LABELS", help="Only jobs that match this label selector.")
@form_option
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
    reports = [(facts, reported(facts)) for facts in runs(cluster, space, selector, all_runs)]
    chosen = [(facts, made) for facts, made in reports if phase in (None, made["phase"])]
    if form:
        emit_data([made for _, made in chosen], form)
        return EXIT_OK
    lines = [(made, views.span(report.duration(facts)), _age(facts)) for facts, made in chosen]
    text = views.listing(lines, all_namespaces) or f"no jobs in {space or 'any namespace'}"
    say(text.splitlines())
    return EXIT_OK


def runs(cluster: collect.Reader, space: str, selector: str, all_runs: bool) -> Iterator[Facts]:
    """The facts of each job's newest run, or of all its runs, from three list requests, and one for nodes if needed."""
    jobs: dict[Name, list[Job]] = defaultdict(list)
    for one in collect.jobs(cluster, space, selector):
        jobs[one.namespace, one.job].append(one)
    pods: dict[tuple[Name, str], list[Pod]] = defaultdict(list)
    for entry in cluster.items(collect.path("pods", space), labelSelector=JOB):
        worker_pod = pod(entry)
        pods[(entry["metadata"]["namespace"], entry["metadata"]["labels"][JOB]), worker_pod.run].append(worker_pod)
    records = collect.records(cluster, space, selector)
    nodes = (
        collect.nodes(cluster, []) if collect.depends_on_nodes(one for each in pods.values() for one in each) else None
    )
    for name in sorted(jobs.keys() | records.keys()):
        data = records.get(name)
        known = collect.runs(jobs[name], data or {})
        for run in known if all_runs else known[:1]:
            facts = Facts(name[1], name[0], run, cluster.now(), pods=pods[name, run], nodes=nodes)
            yield collect.with_record(collect.with_jobs(facts, jobs[name]), data)


def _age(facts: Facts) -> str:
    job = facts.launcher or facts.worker
    return views.span(facts.now - job.created if job else None)
