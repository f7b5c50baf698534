"""Formats reports as text. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dsgen.cluster.diagnosis import Cause
from dsgen.cluster.models import RunState, format_time, parse_time
from dsgen.cluster.report import TimelineEntry
from dsgen.estimate.quantities import format_range, format_seconds, format_size
from dsgen.language.text import align

MANY_WORKERS = 16
"""If there are more workers, only those with problems are listed."""
LAST_LINES = 10
GAP = "   "
Report = Mapping[str, Any]


def format_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in the style of kubectl; empty without rows."""
    lines = [head, *rows]
    return "".join(f"{line}\n" for line in align(lines, GAP)) if len(lines) > 1 else ""


def format_duration(moment: float | None) -> str:
    """A duration in the style of kubectl: its two largest units."""
    if moment is None:
        return "<unknown>"
    whole = int(max(moment, 0))
    days, hours, minutes = whole // 86400, whole // 3600, whole // 60
    if whole < 120:
        return f"{whole}s"
    if minutes < 10:
        return f"{minutes}m{whole % 60}s" if whole % 60 else f"{minutes}m"
    if hours < 3:
        return f"{minutes}m"
    if hours < 8:
        return f"{hours}h{minutes % 60}m" if minutes % 60 else f"{hours}h"
    return f"{hours}h" if hours < 48 else f"{days}d"


def format_status(report: Report, state: RunState) -> str:
    """The status of a run, from its phase to its workers."""
    parts = [
        _format_head(report, state),
        _format_failure(report),
        _format_attempts(report, state),
        _format_workers(report, state),
        format_table(("CLAIM", "STATE"), [(claim["name"], claim["phase"]) for claim in report["claims"] or []]),
    ]
    return "\n".join(part for part in [*parts, _format_notes(report)] if part)


def _format_head(report: Report, state: RunState) -> str:
    since = parse_time(report["since"])
    phase = report["phase"] + (f" ({report['reason']})" if report["reason"] else "")
    count = report["workers"]
    devices = ", ".join(f"{number} {name}" for name, number in report["accelerators"].items())
    hours = f"{report['acceleratorHours']}, of which {report['acceleratorHoursWaiting']} without training"
    lease = report["lease"]
    rows = [
        ("Job", f"{report['namespace']}/{report['job']}, run {report['run']}"),
        ("Phase", phase + (f", for {format_duration(state.now - since)}" if since else "")),
        ("Message", report["message"]),
        ("Workers", f"{count['ready']}/{count['wanted']} ready" + _format_fewer(report)),
        ("Accelerators", devices),
        ("GPU-hours", hours if devices else ""),
        ("World size", str(report["worldSize"] or "")),
        ("Progress", format_progress(report["progress"] or {}, state.now)),
        ("Network", format_network(report["network"] or {})),
        ("Exit code", "" if report["exitCode"] is None else str(report["exitCode"])),
        ("Started", report["startTime"] or ""),
        ("Ended", report["endTime"] or ""),
        ("Lease", f"run {lease['holder']}, renewed {lease['renewed']}" if lease and not report["endTime"] else ""),
        ("Managed by", report["managedBy"]),
    ]
    return "".join(f"{name + ':':<14}{value}\n" for name, value in rows if value)


def _format_fewer(report: Report) -> str:
    """With how many workers the present attempt trains, and since when, if these are not all."""
    last = report["attempts"][-1:]
    fewer = [one for one in last if "workers" in one and not one.get("endTime")]
    return "".join(f", {one['workers']} train since {one['startTime']}" for one in fewer)


def format_progress(reported: Mapping[str, Any], now: float) -> str:
    """The progress that the training reports; "" without one."""
    step, total, eta = reported.get("step"), reported.get("total"), parse_time(reported.get("eta"))
    if step is None:
        return f"checkpoint of {reported['checkpoint']}" if reported.get("checkpoint") else ""
    words = [f"step {step}" + (f" of {total} ({100 * step // total}%)" if total else "")]
    if "loss" in reported:
        words.append("loss NaN or infinite" if reported["loss"] is None else f"loss {reported['loss']:.6g}")
    words += [f"{reported['secondsPerStep']:g} s per step"] if reported.get("secondsPerStep") else []
    words += [f"at most {reported['memory'] / 2**30:.3g} GiB of an accelerator"] if reported.get("memory") else []
    words += [f"checkpoint of {reported['checkpoint']}"] if reported.get("checkpoint") else []
    words += [f"{format_duration(eta - now)} left"] if eta and eta > now and step != total else []
    return ", ".join(words)


def format_network(checked: Mapping[str, Any]) -> str:
    """What launch.preflight.network has measured, and what it means for a step if that is known; "" without it."""
    if not checked:
        return ""
    words = f"{checked['median']} MiB/s is the median of the workers, {checked['lowest']} the least of those that train"
    if "secondsPerStep" not in checked:
        return words
    sent = format_range(*(format_size(checked["bytesPerStep"][bound]) for bound in ("low", "high")))
    time = format_range(*(format_seconds(checked["secondsPerStep"][bound]) for bound in ("low", "high")))
    return f"{words}: a worker sends {sent} a step, which takes {time} at least"


def _format_failure(report: Report) -> str:
    failure = report["firstFailure"]
    if not failure:
        return ""
    rank = "" if failure["rank"] is None else f"rank {failure['rank']} on "
    how = failure["reason"] if failure["exitCode"] is None else f"exit code {failure['exitCode']}"
    head = f"First failure: {rank}{failure['host'] or 'the launcher'}, {how}\n"
    return head + "".join(f"  {line}\n" for line in (failure["tail"] or [])[-LAST_LINES:])


def _format_attempts(report: Report, state: RunState) -> str:
    attempts = report["attempts"]
    if len(attempts) < 2:
        return ""
    first = report["totals"].get("attempts", len(attempts)) - len(attempts) + 1
    rows = [
        (
            str(first + number),
            attempt.get("startTime") or "-",
            format_duration((parse_time(attempt.get("endTime")) or state.now) - began)
            if (began := parse_time(attempt.get("startTime")))
            else "-",
            attempt.get("reason") or "",
            "" if attempt.get("exitCode") is None else str(attempt["exitCode"]),
        )
        for number, attempt in enumerate(attempts)
    ]
    return format_table(("ATTEMPT", "STARTED", "DURATION", "REASON", "EXIT CODE"), rows)


def _format_workers(report: Report, state: RunState) -> str:
    pods = [pod for task in report["tasks"] for pod in task["status"]]
    ages = {pod.name: format_duration(state.now - pod.created) for pod in state.pods}
    shown = pods if len(pods) <= MANY_WORKERS + 1 else [pod for pod in pods if not _is_well(pod)]
    rows = [
        (
            pod["name"],
            _format_running(pod["containers"]),
            "Terminating" if pod["deleting"] else pod["phase"],
            "yes" if pod["ready"] else "no",
            str(pod["restarts"]),
            pod["reason"],
            ages[pod["name"]],
            pod["node"] or "<none>",
        )
        for pod in shown
    ]
    text = format_table(("POD", "RUNNING", "STATE", "READY", "RESTARTS", "REASON", "AGE", "NODE"), rows)
    left = len(pods) - len(shown)
    return text + (f"{left} more pods are well\n" if left else "")


def _format_running(containers: Sequence[Report]) -> str:
    """The number of running containers, and of those that have not completed."""
    going = [container for container in containers if container["exitCode"] != 0]
    return f"{sum(one['state'] == 'running' for one in going)}/{len(going)}"


def _is_well(pod: Report) -> bool:
    return pod["phase"] == "Succeeded" or bool(pod["ready"] and not pod["deleting"])


def _format_notes(report: Report) -> str:
    return "".join(f"{note}\n" for note in report["notes"])


def format_line(report: Report, state: RunState) -> str:
    words = [format_time(state.now) or "", report["phase"], report["reason"]]
    workers = f"{report['workers']['ready']}/{report['workers']['wanted']} workers ready"
    return "  ".join(word for word in [*words, workers, report["message"]] if word)


COLUMNS = (
    *("JOB", "RUN", "PHASE", "REASON", "WORKERS", "GPUS", "RESTARTS", "DURATION", "AGE", "GPU-HOURS", "WAITING"),
    "MANAGED BY",
)


def format_list(lines: Iterable[tuple[Report, str, str]], namespaces: bool) -> str:
    """A row for each run, from its report, its duration and its age."""
    rows = [
        (
            *([report["namespace"]] if namespaces else []),
            report["job"],
            report["run"],
            report["phase"],
            report["reason"],
            f"{report['workers']['ready']}/{report['workers']['wanted']}",
            str(sum(report["accelerators"].values())),
            str(max(report["totals"].get("attempts", 0) - 1, 0)),
            duration,
            age,
            str(report["acceleratorHours"]),
            str(report["acceleratorHoursWaiting"]),
            report["managedBy"] or "<unknown>",
        )
        for report, duration, age in lines
    ]
    return format_table((*(["NAMESPACE"] if namespaces else []), *COLUMNS), rows)


def format_causes(report: Report, causes: Sequence[Cause]) -> str:
    """The causes of a run, root causes first."""
    head = f"{report['namespace']}/{report['job']}, run {report['run']}: {report['phase']}"
    head += f" ({report['reason']})\n" if report["reason"] else "\n"
    if not causes:
        return f"{head}Nothing is wrong.\n{_format_notes(report)}"
    return head + "\n" + "\n".join(_format_cause(cause) for cause in causes) + _format_notes(report)


def _format_cause(cause: Cause) -> str:
    more = f" (and {cause.more} more)" if cause.more else ""
    lines = [f"{cause.reason}: {cause.message}{more}"]
    lines += [f"  seen at: {cause.about}"] if cause.about and cause.about not in cause.message else []
    lines += [f"  in the values file: {', '.join(cause.keys)}"] if cause.keys else []
    return "".join(f"{line}\n" for line in [*lines, f"  more: {cause.link}"])


def format_timeline(entries: list[TimelineEntry]) -> str:
    """What happened, as a table."""
    rows = [
        (
            format_time(entry.time) or "",
            entry.about,
            entry.reason,
            f"{entry.message}{f' (x{entry.times})' if entry.times > 1 else ''}",
        )
        for entry in entries
    ]
    return format_table(("TIME", "OBJECT", "REASON", "MESSAGE"), rows)
