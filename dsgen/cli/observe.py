"""The commands that show runs, `dsgen list`, `status`, `why`, `events` and `wait`, and `dsgen top` for the cluster."""

import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from dsgen.cli._cluster import cluster_options, data_option, parse_seconds, read_job, run_options, write_data
from dsgen.cli._console import echo, is_terminal, write
from dsgen.cli._options import Inputs
from dsgen.cluster.capacity import QueuePosition, list_devices, list_places, list_shares, list_usage, sum_devices
from dsgen.cluster.diagnosis import diagnose
from dsgen.cluster.format_text import (
    format_causes,
    format_duration,
    format_line,
    format_list,
    format_status,
    format_table,
    format_timeline,
)
from dsgen.cluster.models import JOB
from dsgen.cluster.phase import ENDS, PHASES, describe_hidden, describe_malformed
from dsgen.cluster.reader import find_kueue, make_api_path, read_metrics, read_visible
from dsgen.cluster.report import list_entries, measure_duration, report_causes, report_timeline
from dsgen.cluster.runs import (
    HEAD_OF_MEASURES,
    WAITED_FOR,
    RunRef,
    add_traffic,
    compare_with_estimate,
    has_estimate,
    list_states,
    read_measures,
    report_run,
    wait_for,
)
from dsgen.errors import EXIT_FINDINGS, EXIT_OK, EXIT_TIMEOUT, NotFoundError, UsageError

if TYPE_CHECKING:
    from dsgen.cluster.client import Cluster

REDRAW = "\x1b[H\x1b[J"
VISIBILITY = "/apis/visibility.kueue.x-k8s.io"

namespace_option = click.option(
    "-n", "--namespace", default="", metavar="NAME", help="Namespace.  [default: that of the context]"
)


@click.command("list")
@namespace_option
@click.option("-A", "--all-namespaces", is_flag=True, help="The jobs of all namespaces.")
@click.option("--all-runs", is_flag=True, help="All runs in the records, not only the newest.")
@click.option("--phase", type=click.Choice(PHASES), metavar="PHASE", help="Only runs in this phase, such as Running.")
@click.option("-l", "--selector", default="", metavar="LABELS", help="Only jobs that match this label selector.")
@data_option
@cluster_options
def list_jobs(
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
    jobs = ((state, made, state.launcher or state.worker) for state, made in chosen)
    times = ((made, measure_duration(state), state.now - job.created if job else None) for state, made, job in jobs)
    lines = [(made, format_duration(taken), format_duration(age)) for made, taken, age in times]
    text = format_list(lines, all_namespaces) or f"no jobs in {space or 'any namespace'}"
    echo(text.splitlines())
    echo([f"{each.namespace}/{each.job}: {line}" for each, _ in chosen for line in describe_malformed(each)], err=True)
    return EXIT_OK


@click.command("status")
@run_options("-f", "--values")
@data_option
@click.option(
    "--watch", is_flag=True, help="Follow the run until it ends: redraw on a terminal, else print each change."
)
def status(ref: RunRef, form: str | None, watch: bool) -> int:
    """Show the status of a run: phase, reason, attempts and pods.

    JOB is the name of a job, NAMESPACE/NAME, or its values file. The status combines the record, the Jobs and the
    pods. If the launcher should be alive but has not renewed its lease for three minutes, the phase is Unknown.
    With a values file whose section `estimate` describes the model, what the run has measured is shown beside what was
    estimated.

    \b
    Examples:
      dsgen status cifar
      dsgen status training/cifar --run 2
      dsgen status cifar.yaml --watch
      dsgen status cifar -o json
    """
    if watch and form:
        raise UsageError("--watch and -o are mutually exclusive: programs can use dsgen wait, then dsgen status -o")
    if watch:
        _watch(ref)
        return EXIT_OK
    state = ref.read_state(around=True, thrifty=True)
    compared = compare_with_estimate(ref.values, read_measures(ref.cluster, state)) if has_estimate(ref.values) else []
    report = report_run(state)
    report["network"] = add_traffic(ref.values, state.run, report["network"])
    forecast = {"forecast": [one.as_data() for one in compared]} if compared else {}
    table = ["", *format_table(HEAD_OF_MEASURES, [one.cells for one in compared]).splitlines()] if compared else []
    write_data({**report, **forecast}, form, [*format_status(report, state).splitlines(), *table])
    return EXIT_OK


def _watch(ref: RunRef) -> None:
    """Show the run at each change until it has ended: redrawn on a terminal, otherwise one line."""
    redraw, before = is_terminal("stdout"), None
    for state in ref.watch_states():
        run_report = report_run(state)
        now = [run_report[key] for key in ("phase", "reason", "message", "workers")]
        if redraw:
            write(REDRAW)
            echo(format_status(run_report, state).splitlines())
        elif now != before:
            echo([format_line(run_report, state)])
        before = now
        if run_report["phase"] in ENDS:
            return


@click.command("why")
@run_options("-f", "--values")
@data_option
def why(ref: RunRef, form: str | None) -> int:
    """Explain why a run waits or has failed.

    JOB is the name of a job, NAMESPACE/NAME, or its values file. The command examines pods, events, the queue, claims
    and nodes, and shows the root cause first. The exit code is 1 if there is a cause, and 0 if nothing is wrong.

    \b
    Examples:
      dsgen why cifar
      dsgen why training/cifar --run 2
      dsgen why cifar.yaml -o json
    """
    state = ref.read_state(around=True)
    shown, causes = diagnose(state)
    report = report_causes(state, shown, causes)
    write_data(report, form, format_causes(report, causes).splitlines())
    return EXIT_FINDINGS if causes else EXIT_OK


@click.command("events")
@run_options("-f", "--values")
@data_option
def events(ref: RunRef, form: str | None) -> int:
    """Show what happened to a run, in chronological order.

    JOB is the name of a job, NAMESPACE/NAME, or its values file. The list contains the starts and ends of attempts and
    pods, the conditions of the Jobs and of the queue, and the events of all these objects. The API server keeps events
    for an hour by default; the other lines are available as long as their objects.

    \b
    Examples:
      dsgen events cifar
      dsgen events training/cifar --run 2
      dsgen events cifar -o json
    """
    state = ref.read_state(around=True)
    happenings = list_entries(state)
    lines = [*format_timeline(happenings).splitlines(), *describe_hidden(state.hidden)]
    write_data(report_timeline(state, happenings), form, lines)
    return EXIT_OK


@click.command("wait")
@run_options("-f", "--values")
@click.option(
    "--for", "what", type=click.Choice(list(WAITED_FOR)), default="end", help="State to wait for.  [default: end]"
)
@click.option(
    "--timeout",
    default="24h",
    metavar="TIME",
    help="Give up after this time, such as 90s, 30m, 24h or 7d.  [default: 24h]",
)
def wait(ref: RunRef, what: str, timeout: str) -> int:
    """Wait until a run is admitted, runs, or has ended.

    JOB is the name of a job, NAMESPACE/NAME, or its values file. Each change of phase is printed as a line. The
    command tolerates an API server that is unavailable for a few minutes.

    \b
    Exit codes:
      0    the run has reached the state and has not failed
      1    the run has failed or was stopped
      2    wrong usage of the command line
      3    the API server cannot be reached
      124  the timeout has passed

    \b
    Examples:
      dsgen wait cifar
      dsgen wait cifar.yaml --for running --timeout 30m
    """
    until, before = time.monotonic() + parse_seconds(timeout), None
    for state, is_reached in wait_for(ref, what, until):
        report = report_run(state)
        if (report["phase"], report["reason"]) != before:
            echo([format_line(report, state)])
        before = report["phase"], report["reason"]
        if is_reached:
            return EXIT_FINDINGS if report["phase"] in ("Failed", "Stopped") else EXIT_OK
    return EXIT_TIMEOUT


# -- dsgen top ---------------------------------------------------------------------------------------------------------


Answer = tuple[list[str], dict[str, Any]]
"""Lines for people, and data for programs, which may have notes of its own."""


@click.command("top")
@click.argument("what", type=click.Choice(["nodes", "queue", "job"]), default="nodes")
@click.argument("name", default="", metavar="[NAME]")
@namespace_option
@click.option("-A", "--all-namespaces", is_flag=True, help="The queues of all namespaces.")
@data_option
@cluster_options
def top(cluster: "Cluster", what: str, name: str, namespace: str, all_namespaces: bool, form: str | None) -> int:
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
    hidden: list[str] = []
    if what == "nodes":
        lines, data = _report_nodes(cluster, name, hidden)
    elif what == "queue":
        space = "" if all_namespaces else namespace or cluster.namespace
        lines, data = _report_queues(cluster, space, name, hidden)
    elif name:
        lines, data = _report_job(cluster, *read_job(Inputs((name,), namespace=namespace))[:2], hidden)
    else:
        raise UsageError("name the job, as in: dsgen top job training/cifar")
    notes = [line for kind in hidden for line in describe_hidden([kind])] + data.pop("notes", [])
    write_data({"version": 1, **data, "notes": notes}, form, [*lines, *notes])
    return EXIT_OK


def _report_nodes(cluster: "Cluster", name: str, hidden: list[str]) -> Answer:
    nodes = [node for node in cluster.list_items(make_api_path("nodes")) if name in ("", node["metadata"]["name"])]
    if name and not nodes:
        raise NotFoundError(f"the node {name} does not exist")
    going = "status.phase!=Succeeded,status.phase!=Failed"
    address = make_api_path("pods")
    pods = read_visible(hidden, "pods of all namespaces", lambda: [*cluster.list_items(address, fieldSelector=going)])
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
    return [*text.splitlines(), *said], {"nodes": [row._asdict() | {"free": row.free} for row in rows]}


def _format_counts(jobs: Mapping[str, int]) -> str:
    return ", ".join(f"{job} ({count} pods)" if count > 1 else job for job, count in jobs.items())


def _report_queues(cluster: "Cluster", space: str, name: str, hidden: list[str]) -> Answer:
    group = read_visible(hidden, "Kueue", lambda: find_kueue(cluster))
    if group is None:
        raise NotFoundError("the cluster has no Kueue")
    inside = f"/namespaces/{space}" if space else ""
    local = [one for one in cluster.list_items(f"{group}{inside}/localqueues") if name in ("", one["metadata"]["name"])]
    if not local:
        raise NotFoundError(f"{f'namespace {space}' if space else 'the cluster'} has no queue {name}".rstrip())
    behind = read_visible(hidden, "ClusterQueues", lambda: [*cluster.list_items(f"{group}/clusterqueues")])
    shares = [*list_shares(local, {one["metadata"]["name"]: one for one in behind or []})]
    places = [place for queue in local for place in _list_places(cluster, queue, hidden)]
    head = ("QUEUE", "CLUSTER QUEUE", "FLAVOR", "RESOURCE", "USED", "USED BY ALL", "NOMINAL", "BORROWED")
    texts = [
        format_table(
            (*head, "ADMITTED", "PENDING"), [[*row[:8], str(row.admitted), str(row.pending)] for row in shares]
        ),
        format_table(("QUEUE", "POSITION", "JOB", "PRIORITY"), [[str(cell) for cell in place] for place in places]),
    ]
    data = {"queues": [row._asdict() for row in shares], "pending": [row._asdict() for row in places]}
    return "\n".join(filter(None, texts)).splitlines(), data


def _list_places(cluster: "Cluster", queue: Mapping[str, Any], hidden: list[str]) -> Iterator[QueuePosition]:
    space, name = queue["metadata"]["namespace"], queue["metadata"]["name"]
    if not queue.get("status", {}).get("pendingWorkloads"):
        return

    def ask() -> dict[str, Any]:
        version = cluster.get(VISIBILITY)["preferredVersion"]["version"]
        return cluster.get(f"{VISIBILITY}/{version}/namespaces/{space}/localqueues/{name}/pendingworkloads")

    if summary := read_visible(hidden, f"the order in queue {name}", ask):
        yield from list_places(f"{space}/{name}", summary)


def _report_job(cluster: "Cluster", space: str, name: str, hidden: list[str]) -> Answer:
    space = space or cluster.namespace
    of_job = f"{JOB}={name}"
    pods = [*cluster.list_items(make_api_path("pods", space), labelSelector=of_job)]
    metrics = read_metrics(cluster, space, of_job, hidden)
    is_absent = metrics is None and not hidden
    notes = ["the cluster has no metrics API (metrics-server), so the use is unknown"] if is_absent else []
    rows = [*list_usage(pods, {metric["metadata"]["name"]: metric for metric in metrics or []})]
    if not rows:
        raise NotFoundError(f"no pod of a job {name} is on a node in namespace {space}")
    head = ("POD", "NODE", "CPU", "CPU REQUEST", "MEMORY", "MEMORY LIMIT", "ACCELERATORS")
    text = format_table(head, [[str(cell) or "-" for cell in row] for row in rows])
    return text.splitlines(), {"pods": [row._asdict() for row in rows], "notes": notes}
