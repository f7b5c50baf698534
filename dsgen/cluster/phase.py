"""What the state of a run says: its phase, and the tool that applies it. The first that holds counts.

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


def describe_hidden(kinds: Sequence[str]) -> list[str]:
    """A line with the kinds that cannot be read; no line if all can be read."""
    return [f"not visible to you: {', '.join(kinds)}"] if kinds else []


def describe_malformed(state: RunState) -> list[str]:
    """A line with what is wrong with the record; no line if nothing is."""
    return [f"the record is malformed, and not read: {state.malformed}"] if state.malformed else []


def find_status(state: RunState) -> RunStatus:
    """The phase of a run, with its reason: the first that holds."""
    return next(one for find in (_find_in_record, _find_in_jobs, _find_at_start) for one in find(state))


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


def _find_in_record(state: RunState) -> Iterator[RunStatus]:
    """A record that this dsgen does not read, an end, or a launcher said to be alive that is silent for too long."""
    version = state.record.get("version")
    if state.record and version != RECORD_VERSION:
        message = f"its record has version {version}, but this dsgen reads version {RECORD_VERSION}"
        yield RunStatus("Unknown", "RecordVersion", message)
    said, renewed_at = _report_recorded(state), state.renewed_at
    if said.phase in ENDS:
        yield said
    is_silent = _lacks_launcher(state) if renewed_at is None else state.now - renewed_at > DEAD_SECONDS
    if said.phase in ACTIVE and is_silent:
        last = f"last heard from at {format_time(renewed_at)}, " if renewed_at else ""
        gone = ", and both its Jobs are gone" if state.launcher is None and state.worker is None else ""
        yield RunStatus("Unknown", "LauncherSilent", f"{last}when it was {said.phase}{gone}", renewed_at or said.since)


def _find_in_jobs(state: RunState) -> Iterator[RunStatus]:
    """No Job, a launcher Job that has ended without an end in the record, or a suspended Job."""
    launcher, worker = state.launcher, state.worker
    if launcher is None and worker is None:
        said = _report_recorded(state)
        message = f"both its Jobs are gone; its record says {said.phase or 'nothing'}"
        yield RunStatus("Unknown", "JobsGone", message, said.since)
    if launcher and launcher.ended:
        condition = select_true_conditions(launcher.conditions)[launcher.ended]
        phase = "Failed" if launcher.ended == "Failed" else "Unknown"
        message = f"{launcher.name} is {launcher.ended}, but the record contains no end: {condition.message}"
        yield RunStatus(phase, condition.reason or "RecordUnavailable", message, condition.since)
    if launcher and launcher.suspended:
        by = f", or a user suspended it: by {launcher.suspended_by}" if launcher.suspended_by else ""
        message = f"lifecycle.suspend is true{by}"
        yield RunStatus("Suspended", "JobSuspended", message, _find_suspended_since(launcher))
    if worker and worker.suspended:
        by = f" by {worker.suspended_by}" if worker.suspended_by else ""
        alone = f"{worker.name} was suspended{by}, and it is in no queue"
        message = f"in the queue {worker.queue}" if worker.queue else alone
        yield RunStatus("Queued", "WorkersSuspended", message, _find_suspended_since(worker))


def _find_at_start(state: RunState) -> Iterator[RunStatus]:
    """Jobs that were just admitted, no record yet, or a lost launcher; otherwise what the record says."""
    said, launcher = _report_recorded(state), state.launcher
    if said.phase == "Queued" or (said.phase == "Suspended" and launcher):
        yield RunStatus("Pending", "WaitingForWorkers", "the workers may start", _find_suspended_since(state.worker))
    holder, renewed = state.lease.get("run"), parse_time(state.lease.get("time"))
    is_held = holder and holder != state.run and renewed is not None and state.now - renewed <= DEAD_SECONDS
    if not state.record and state.launcher_pod and is_held:
        yield RunStatus("Pending", "WaitingForTurn", f"run {holder} has not ended yet")
    if not state.record:  # the launcher pod writes it
        created = launcher.created if launcher else None
        message = "the launcher has not started yet: dsgen why says more"
        yield RunStatus("Pending", "LauncherNotStarted", message, created)
    if said.phase in ACTIVE and _lacks_launcher(state):
        message = "the launcher pod is gone; its replacement will continue the run"
        yield RunStatus("Pending", "LauncherLost", message, state.renewed_at)
    yield said


def _lacks_launcher(state: RunState) -> bool:
    return state.launcher_pod is None or state.launcher_pod.gone


def _report_recorded(state: RunState) -> RunStatus:
    record = state.record
    ended = parse_time(record.get("endTime"))
    attempts = record.get("attempts") or [{}]
    latest = attempts[-1].get("startTime") if record.get("phase") in ACTIVE else attempts[-1].get("endTime")
    since = ended or parse_time(latest) or parse_time(record.get("startTime"))
    phase, reason, message = (str(record.get(key) or "") for key in ("phase", "reason", "message"))
    return RunStatus(phase, reason, message, since)


def _find_suspended_since(job: JobState | None) -> float | None:
    condition = job.conditions.get("Suspended") if job else None
    return condition.since if condition else None


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
