"""What the state of a run says: its phase, and the tool that applies it. The first row of a table that holds counts.

The launcher pod writes the record, so the record is not up to date before this pod starts and after it is lost. Jobs,
pods and the age of the lease show when the record is outdated. The tool (Argo CD, Flux, Helm or kubectl) is known by
labels, annotations and field managers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from dsgen.cluster.models import JobState, RunState, format_time, parse_time, select_true_conditions

RECORD_VERSION = 1
LIMIT_BYTES = 16 * 1024
DEAD_SECONDS = 180
"""Seconds without a renewal of the lease after which the launcher counts as dead or disconnected."""

ENDS = ("Succeeded", "Failed", "Stopped")
ACTIVE = ("Starting", "Running", "Restarting")
"""The phases in which a launcher must be alive."""
PHASES = ("Pending", "Queued", *ACTIVE, "Suspended", *ENDS, "Unknown")
"""The record never contains Unknown: it is shown if the lease has not been renewed for too long."""


class RunStatus(NamedTuple):
    """What is shown for a run. `since`: the time of the last change, if known."""

    phase: str
    reason: str = ""
    message: str = ""
    since: float | None = None


class PhaseRule(NamedTuple):
    """A description, a condition on the state, and the function that returns what is shown."""

    seen: str
    holds: Callable[[RunState], bool]
    shown: Callable[[RunState], RunStatus]


def describe_hidden(kinds: Sequence[str]) -> list[str]:
    """A line with the kinds that cannot be read; no line if all can be read."""
    return [f"not visible to you: {', '.join(kinds)}"] if kinds else []


def describe_malformed(state: RunState) -> list[str]:
    """A line with what is wrong with the record; no line if nothing is."""
    return [f"the record is malformed, and not read: {state.malformed}"] if state.malformed else []


def find_status(state: RunState) -> RunStatus:
    """The phase of a run, with its reason."""
    return next(row for row in PHASE_RULES if row.holds(state)).shown(state)


def list_notes(state: RunState) -> Iterator[str]:
    """Remarks in addition to the phase."""
    worker = state.worker
    if worker and state.settings and worker.parallelism != state.wanted:
        yield (
            f"the run was changed after it began: {worker.name} now has {worker.parallelism} workers, "
            f"but the run began with {state.wanted}. Change run.id instead"
        )
    listed, counted = len(state.record.get("attempts", [])), state.record.get("totals", {}).get("attempts", 0)
    if counted > listed:
        limit = f"the record is at its limit of {LIMIT_BYTES // 1024} KiB"
        yield f"{limit}: {counted - listed} older attempts are counted in its totals, but not listed"
    yield from describe_malformed(state)
    yield from describe_hidden(state.hidden)


# Conditions


def _read_phase(state: RunState) -> str:
    return str(state.record.get("phase", ""))


def _has_other_version(state: RunState) -> bool:
    return bool(state.record) and state.record.get("version") != RECORD_VERSION


def _lacks_jobs(state: RunState) -> bool:
    return state.launcher is None and state.worker is None


def _lacks_launcher(state: RunState) -> bool:
    return state.launcher_pod is None or state.launcher_pod.gone


def _is_silent(state: RunState) -> bool:
    """Whether a launcher that should be alive has not renewed the lease for too long."""
    if _read_phase(state) not in ACTIVE:
        return False
    heard = state.heard
    return _lacks_launcher(state) if heard is None else state.now - heard > DEAD_SECONDS


def _has_ended_silently(state: RunState) -> bool:
    return bool(state.launcher and state.launcher.ended)


def _is_suspended(job: JobState | None) -> bool:
    return bool(job and job.suspended)


def _was_just_admitted(state: RunState) -> bool:
    return _read_phase(state) == "Queued" or (_read_phase(state) == "Suspended" and state.launcher is not None)


def _waits_for_turn(state: RunState) -> bool:
    holder = state.lease.get("run")
    renewed = parse_time(state.lease.get("time"))
    fresh = renewed is not None and state.now - renewed <= DEAD_SECONDS
    return not state.record and bool(state.launcher_pod) and bool(holder) and holder != state.run and fresh


def _has_lost_launcher(state: RunState) -> bool:
    return _read_phase(state) in ACTIVE and _lacks_launcher(state)


# Results


def _report_recorded(state: RunState) -> RunStatus:
    record = state.record
    ended = parse_time(record.get("endTime"))
    attempts = record.get("attempts") or [{}]
    latest = attempts[-1].get("startTime") if record.get("phase") in ACTIVE else attempts[-1].get("endTime")
    since = ended or parse_time(latest) or parse_time(record.get("startTime"))
    return RunStatus(_read_phase(state), str(record.get("reason") or ""), str(record.get("message") or ""), since)


def _report_unknown_version(state: RunState) -> RunStatus:
    message = f"its record has version {state.record.get('version')}, but this dsgen reads version {RECORD_VERSION}"
    return RunStatus("Unknown", "RecordVersion", message)


def _report_silent(state: RunState) -> RunStatus:
    said = _report_recorded(state)
    heard = state.heard
    last = f"last heard from at {format_time(heard)}, " if heard else ""
    gone = ", and both its Jobs are gone" if _lacks_jobs(state) else ""
    return RunStatus("Unknown", "LauncherSilent", f"{last}when it was {said.phase}{gone}", heard or said.since)


def _report_end_without_record(state: RunState) -> RunStatus:
    assert state.launcher
    condition = select_true_conditions(state.launcher.conditions)[state.launcher.ended]
    phase = "Failed" if state.launcher.ended == "Failed" else "Unknown"
    message = f"{state.launcher.name} is {state.launcher.ended}, but the record contains no end: {condition.message}"
    return RunStatus(phase, condition.reason or "RecordUnavailable", message, condition.since)


def _report_gone(state: RunState) -> RunStatus:
    said = _report_recorded(state)
    message = f"both its Jobs are gone; its record says {said.phase or 'nothing'}"
    return RunStatus("Unknown", "JobsGone", message, said.since)


def _find_suspended_since(job: JobState | None) -> float | None:
    condition = job.conditions.get("Suspended") if job else None
    return condition.since if condition else None


def _report_suspended(state: RunState) -> RunStatus:
    by = state.launcher.suspended_by if state.launcher else ""
    message = f"lifecycle.suspend is true, or a user suspended it: by {by}" if by else "lifecycle.suspend is true"
    return RunStatus("Suspended", "JobSuspended", message, _find_suspended_since(state.launcher))


def _report_queued(state: RunState) -> RunStatus:
    worker = state.worker
    assert worker
    since = _find_suspended_since(worker)
    if worker.queue:
        return RunStatus("Queued", "WorkersSuspended", f"in the queue {worker.queue}", since)
    by = f" by {worker.suspended_by}" if worker.suspended_by else ""
    return RunStatus("Queued", "WorkersSuspended", f"{worker.name} was suspended{by}, and it is in no queue", since)


def _report_admitted(state: RunState) -> RunStatus:
    return RunStatus("Pending", "WaitingForWorkers", "the workers may start", _find_suspended_since(state.worker))


def _report_waiting(state: RunState) -> RunStatus:
    return RunStatus("Pending", "WaitingForTurn", f"run {state.lease.get('run')} has not ended yet")


def _report_lost(state: RunState) -> RunStatus:
    return RunStatus(
        "Pending", "LauncherLost", "the launcher pod is gone; its replacement will continue the run", state.heard
    )


def _report_unstarted(state: RunState) -> RunStatus:
    """The launcher pod, which writes the record, has not started."""
    created = state.launcher.created if state.launcher else None
    return RunStatus("Pending", "LauncherNotStarted", "the launcher has not started yet: dsgen why says more", created)


PHASE_RULES = (
    PhaseRule("a record that this dsgen does not read", _has_other_version, _report_unknown_version),
    PhaseRule("an end in the record", lambda state: _read_phase(state) in ENDS, _report_recorded),
    PhaseRule("a launcher said to be alive, silent for too long", _is_silent, _report_silent),
    PhaseRule("no Job", _lacks_jobs, _report_gone),
    PhaseRule("the launcher Job has ended, no end in the record", _has_ended_silently, _report_end_without_record),
    PhaseRule("the launcher Job is suspended", lambda state: _is_suspended(state.launcher), _report_suspended),
    PhaseRule("the worker Job is suspended", lambda state: _is_suspended(state.worker), _report_queued),
    PhaseRule("the record says queued or suspended, the Jobs are not", _was_just_admitted, _report_admitted),
    PhaseRule("no record, another run has the lease", _waits_for_turn, _report_waiting),
    PhaseRule("no record", lambda state: not state.record, _report_unstarted),
    PhaseRule("a launcher said to be alive, its pod gone", _has_lost_launcher, _report_lost),
    PhaseRule("a record that goes on", lambda _: True, _report_recorded),
)


ARGO_ID, ARGO_LABEL = "argocd.argoproj.io/tracking-id", "argocd.argoproj.io/instance"


class Owner(NamedTuple):
    """A tool: its title, how labels and annotations name it, and how to change and remove a job with it."""

    title: str
    name: Callable[[Mapping[str, str]], str]
    change: str
    removal: str


def _find_flux_name(prefix: str, marks: Mapping[str, str]) -> str:
    resource = marks.get(f"{prefix}/name", "")
    return f"{marks.get(f'{prefix}/namespace', '')}/{resource}" if resource else ""


CHANGE, REMOVAL = "{what} in the values file, render it and commit", "remove the job's folder and commit"
OWNERS = (
    Owner(
        "Argo CD application",
        lambda marks: marks.get(ARGO_ID, "").partition(":")[0] or marks.get(ARGO_LABEL, ""),
        CHANGE,
        REMOVAL,
    ),
    Owner(
        "Flux HelmRelease",
        partial(_find_flux_name, "helm.toolkit.fluxcd.io"),
        "{what} in the values of the HelmRelease and commit",
        "remove the HelmRelease and commit",
    ),
    Owner("Flux Kustomization", partial(_find_flux_name, "kustomize.toolkit.fluxcd.io"), CHANGE, REMOVAL),
    Owner(
        "Helm release",
        lambda marks: marks.get("meta.helm.sh/release-name", ""),
        "{what} in the values and run helm upgrade {name}",
        "run helm uninstall {name}",
    ),
)
"""Argo CD and Flux come first, because their objects may also have the annotations of Helm."""


def find_owner(marks: Mapping[str, str]) -> tuple[Owner, str] | None:
    """The tool that would undo a change of the object with these labels and annotations, and its name there."""
    owners = ((one, one.name(marks)) for one in OWNERS)
    return next(((one, name) for one, name in owners if name), None)


def name_manager(job: JobState | None) -> str:
    """The tool that created a Job, as text; empty if it is unknown."""
    if owned := find_owner(job.marks if job else {}):
        return f"{owned[0].title} {owned[1]}"
    managers = job.managers if job else ()
    if any(name.startswith("kubectl") for name in managers):
        return "kubectl"
    return "dsgen apply" if "dsgen" in managers else ""
