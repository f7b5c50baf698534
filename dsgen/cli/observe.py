"""The commands that show runs: `dsgen list`, `status`, `why`, `events` and `wait`."""

import re
import time
from typing import TYPE_CHECKING

import click

from dsgen.cli._cluster import cluster_options, data_option, run_options, write_data
from dsgen.cli._console import echo, stdout_is_terminal, write
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
from dsgen.cluster.models import RunState
from dsgen.cluster.phase import ENDS, PHASES, describe_hidden
from dsgen.cluster.report import list_entries, make_report, measure_duration, report_causes, report_timeline
from dsgen.cluster.runs import (
    HEAD_OF_MEASURES,
    WAITED_FOR,
    RunRef,
    compare_with_estimate,
    has_estimate,
    list_states,
    read_measures,
    report_run,
    wait_for,
    with_traffic,
)
from dsgen.errors import EXIT_FINDINGS, EXIT_OK, EXIT_TIMEOUT, UsageError

if TYPE_CHECKING:
    from dsgen.cluster.client import Cluster

REDRAW = "\x1b[H\x1b[J"
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
"""The seconds of each unit of a time."""


@click.command("list")
@click.option("-n", "--namespace", default="", metavar="NAME", help="Namespace.  [default: that of the context]")
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
    lines = [(made, format_duration(measure_duration(state)), _age(state)) for state, made in chosen]
    text = format_list(lines, all_namespaces) or f"no jobs in {space or 'any namespace'}"
    echo(text.splitlines())
    return EXIT_OK


def _age(state: RunState) -> str:
    job = state.launcher or state.worker
    return format_duration(state.now - job.created if job else None)


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
    report["network"] = with_traffic(ref.values, state.run, report["network"])
    if form:
        forecast = {"forecast": [one.as_data() for one in compared]} if compared else {}
        write_data({**report, **forecast}, form)
    else:
        echo(format_status(report, state).splitlines())
        echo(["", *format_table(HEAD_OF_MEASURES, [one.cells for one in compared]).splitlines()] if compared else [])
    return EXIT_OK


def _watch(ref: RunRef) -> None:
    """Show the run at each change until it has ended: redrawn on a terminal, otherwise one line."""
    redraw, before = stdout_is_terminal(), None
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
    run_report = make_report(state, shown)
    if form:
        write_data(report_causes(run_report, causes), form)
    else:
        echo(format_causes(run_report, causes).splitlines())
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
    if form:
        write_data(report_timeline(state, happenings), form)
    else:
        echo([*format_timeline(happenings).splitlines(), *describe_hidden(state.hidden)])
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
    until, before = time.monotonic() + seconds(timeout), None
    for state, is_reached in wait_for(ref, what, until):
        report = report_run(state)
        if (report["phase"], report["reason"]) != before:
            echo([format_line(report, state)])
        before = report["phase"], report["reason"]
        if is_reached:
            return EXIT_FINDINGS if report["phase"] in ("Failed", "Stopped") else EXIT_OK
    return EXIT_TIMEOUT


def seconds(text: str) -> float:
    """A duration such as 90s or 1h30m. Raises UsageError."""
    if not re.fullmatch(r"([0-9]+[smhd])+", text):
        raise UsageError(f"{text}: write a time as 90s, 30m, 24h or 1h30m")
    return sum(int(number) * UNITS[unit] for number, unit in re.findall(r"([0-9]+)([smhd])", text))
