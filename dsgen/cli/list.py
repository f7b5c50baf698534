"""`dsgen list`: the jobs of a namespace, or of all."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from dsgen.cli._cluster import cluster_options, emit_data, form_option, told
from dsgen.cli._printed import say
from dsgen.cluster import collect, report, views
from dsgen.cluster.facts import JOB, Facts
from dsgen.cluster.parse import pod
from dsgen.cluster.words import PHASES
from dsgen.errors import EXIT_OK

if TYPE_CHECKING:
    from dsgen.cluster.api import Cluster


@click.command("list")
@click.option("-n", "--namespace", default="", metavar="NAME", help="Namespace.  [default: that of the context]")
@click.option("-A", "--all-namespaces", is_flag=True, help="The jobs of all namespaces.")
@click.option("--all-runs", is_flag=True, help="Every run that a record knows, not the newest alone.")
@click.option("--phase", type=click.Choice(PHASES), metavar="PHASE", help="Only runs in this phase, such as Running.")
@click.option(
    "-l", "--selector", default="", metavar="LABELS", help="Only jobs with these labels, as kubectl takes them."
)
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
    found = [(facts, report.report(facts, told(facts)[0])) for facts in _runs(cluster, space, selector, all_runs)]
    chosen = [(facts, made) for facts, made in found if phase in (None, made["phase"])]
    if form:
        emit_data([made for _, made in chosen], form)
        return EXIT_OK
    lines = [(made, views.span(report.duration(facts)), _age(facts)) for facts, made in chosen]
    text = views.listing(lines, all_namespaces) or f"no jobs in {space or 'any namespace'}"
    say(text.splitlines())
    return EXIT_OK


def _runs(cluster: "Cluster", space: str, selector: str, all_runs: bool) -> Iterator[Facts]:
    """The facts of each job's newest run, or of all its runs, in three lists."""
    jobs = collect.jobs(cluster, space, selector)
    pods = [(entry["metadata"], pod(entry)) for entry in cluster.items(collect.path("pods", space), labelSelector=JOB)]
    records = collect.records(cluster, space, selector)
    names = sorted({(one.namespace, one.job) for one in jobs} | records.keys())
    for namespace, name in names:
        mine = [one for one in jobs if (one.namespace, one.job) == (namespace, name)]
        data = records.get((namespace, name))
        runs = collect.runs(mine, data or {})
        for run in runs if all_runs else runs[:1]:
            facts = Facts(name, namespace, run, cluster.now())
            facts.pods = [
                one for meta, one in pods if (meta["namespace"], meta["labels"][JOB], one.run) == (namespace, name, run)
            ]
            yield collect.with_record(collect.with_jobs(facts, mine), data)


def _age(facts: Facts) -> str:
    job = facts.launcher or facts.worker
    return views.span(facts.now - job.created if job else None)
