"""`dsgen top`: show capacity and use of nodes, queues and jobs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from dsgen.cli._cluster import cluster_options, data_option, parse_job, write_data
from dsgen.cli._console import echo
from dsgen.cluster.capacity import QueuePosition, list_devices, list_places, list_shares, list_usage, sum_devices
from dsgen.cluster.format_text import format_table
from dsgen.cluster.models import JOB
from dsgen.cluster.phase import describe_hidden
from dsgen.cluster.reader import api_path, find_kueue, read_metrics, read_visible
from dsgen.errors import EXIT_OK, NotFoundError, UsageError

if TYPE_CHECKING:
    from dsgen.cluster.client import Cluster

VISIBILITY = "/apis/visibility.kueue.x-k8s.io"


class Answer(NamedTuple):
    """Tables for people, data for programs, and notes."""

    tables: Sequence[str]
    data: Mapping[str, Any]
    notes: Sequence[str] = ()


@click.command("top")
@click.argument("what", type=click.Choice(["nodes", "queue", "job"]), default="nodes")
@click.argument("name", default="", metavar="[NAME]")
@click.option("-n", "--namespace", default="", metavar="NAME", help="Namespace.  [default: that of the context]")
@click.option("-A", "--all-namespaces", is_flag=True, help="The queues of all namespaces.")
@data_option
@cluster_options
def command(cluster: "Cluster", what: str, name: str, namespace: str, all_namespaces: bool, form: str | None) -> int:
    """Show the accelerators of nodes, the queues, or what a job uses.

    nodes: for each node and accelerator resource, the total, requested and free number, and the runs that use them.
    queue [NAME]: the queues of Kueue in the namespace, with quota and use, and the runs that wait in them. job NAME:
    CPU and memory of the pods of a job, from the metrics API if the cluster has it.

    \b
    Examples:
      dsgen top
      dsgen top queue -n training
      dsgen top job training/cifar
      dsgen top nodes -o json
    """
    if what == "nodes":
        answer = _nodes(cluster, name)
    elif what == "queue":
        answer = _queues(cluster, "" if all_namespaces else namespace or cluster.namespace, name)
    elif name:
        answer = _job(cluster, *parse_job(name, namespace))
    else:
        raise UsageError("name the job, as in: dsgen top job training/cifar")
    if form:
        write_data({"version": 1, **answer.data}, form)
    else:
        lines = [line for text in answer.tables if text for line in ("", *text.splitlines())][1:]
        echo([*lines, *answer.notes])
    return EXIT_OK


def _notes(hidden: Sequence[str]) -> list[str]:
    return [line for kind in hidden for line in describe_hidden([kind])]


def _nodes(cluster: "Cluster", name: str) -> Answer:
    nodes = [node for node in cluster.items(api_path("nodes")) if name in ("", node["metadata"]["name"])]
    if name and not nodes:
        raise NotFoundError(f"the node {name} does not exist")
    hidden: list[str] = []
    going = "status.phase!=Succeeded,status.phase!=Failed"
    address = api_path("pods")
    pods = read_visible(hidden, "pods of all namespaces", lambda: [*cluster.items(address, fieldSelector=going)])
    rows = list_devices(nodes, pods or [])
    text = format_table(
        ("NODE", "STATUS", "RESOURCE", "TOTAL", "REQUESTED", "FREE", "RUNS"),
        [
            (row.node, row.state, row.resource or "<none>", str(row.total))
            + (("?", "?", "?") if pods is None else (str(row.requested), str(row.free), _format_counts(row.jobs)))
            for row in rows
        ],
    )
    sums = sum_devices(rows)
    said = [] if pods is None else [f"{name}: {used} of {total} requested" for name, (used, total) in sums.items()]
    notes = _notes(hidden)
    data = {"nodes": [row._asdict() | {"free": row.free} for row in rows], "notes": notes}
    return Answer([text], data, [*said, *notes])


def _format_counts(jobs: Mapping[str, int]) -> str:
    return ", ".join(f"{job} ({count} pods)" if count > 1 else job for job, count in jobs.items())


def _queues(cluster: "Cluster", space: str, name: str) -> Answer:
    hidden: list[str] = []
    group = read_visible(hidden, "Kueue", lambda: find_kueue(cluster))
    if group is None:
        raise NotFoundError("the cluster has no Kueue")
    inside = f"/namespaces/{space}" if space else ""
    local = [one for one in cluster.items(f"{group}{inside}/localqueues") if name in ("", one["metadata"]["name"])]
    if not local:
        raise NotFoundError(f"{f'namespace {space}' if space else 'the cluster'} has no queue {name}".rstrip())
    cluster_queues = read_visible(hidden, "ClusterQueues", lambda: [*cluster.items(f"{group}/clusterqueues")]) or []
    shares = [*list_shares(local, {one["metadata"]["name"]: one for one in cluster_queues})]
    places = [place for queue in local for place in _places(cluster, queue, hidden)]
    head = ("QUEUE", "CLUSTER QUEUE", "FLAVOR", "RESOURCE", "USED", "USED BY ALL", "NOMINAL", "BORROWED")
    texts = [
        format_table(
            (*head, "ADMITTED", "PENDING"), [[*row[:8], str(row.admitted), str(row.pending)] for row in shares]
        ),
        format_table(("QUEUE", "POSITION", "JOB", "PRIORITY"), [[str(cell) for cell in place] for place in places]),
    ]
    notes = _notes(hidden)
    data = {"queues": [row._asdict() for row in shares], "pending": [row._asdict() for row in places]}
    return Answer(texts, data | {"notes": notes}, notes)


def _places(cluster: "Cluster", queue: Mapping[str, Any], hidden: list[str]) -> Iterator[QueuePosition]:
    space, name = queue["metadata"]["namespace"], queue["metadata"]["name"]
    if not queue.get("status", {}).get("pendingWorkloads"):
        return

    def ask() -> dict[str, Any]:
        version = cluster.get(VISIBILITY)["preferredVersion"]["version"]
        return cluster.get(f"{VISIBILITY}/{version}/namespaces/{space}/localqueues/{name}/pendingworkloads")

    if summary := read_visible(hidden, f"the order in queue {name}", ask):
        yield from list_places(f"{space}/{name}", summary)


def _job(cluster: "Cluster", space: str, name: str) -> Answer:
    space = space or cluster.namespace
    of_job = f"{JOB}={name}"
    pods = [*cluster.items(api_path("pods", space), labelSelector=of_job)]
    hidden: list[str] = []
    metrics = read_metrics(cluster, space, of_job, hidden)
    notes = _notes(hidden)
    if metrics is None and not hidden:
        notes.append("the cluster has no metrics API (metrics-server), so the use is unknown")
    rows = [*list_usage(pods, {one["metadata"]["name"]: one for one in metrics or []})]
    if not rows:
        raise NotFoundError(f"no pod of a job {name} is on a node in namespace {space}")
    head = ("POD", "NODE", "CPU", "CPU REQUEST", "MEMORY", "MEMORY LIMIT", "ACCELERATORS")
    text = format_table(head, [[str(cell) or "-" for cell in row] for row in rows])
    return Answer([text], {"pods": [row._asdict() for row in rows], "notes": notes}, notes)
