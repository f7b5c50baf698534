"""A run in a cluster: its state now and after each change, what it has measured, and the runs of a cluster.

Waiting takes hours: watches may end, versions expire, and the API be unavailable.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dsgen.cluster.diagnosis import diagnose
from dsgen.cluster.models import JOB, ROLE, RUN, JobState, PodState, RunState, parse_pod
from dsgen.cluster.phase import ACTIVE, ENDS
from dsgen.cluster.reader import (
    MISSING,
    add_jobs,
    add_record,
    add_surroundings,
    depends_on_nodes,
    list_jobs,
    list_nodes,
    list_records,
    list_runs,
    make_api_path,
    read_metrics,
    read_run,
)
from dsgen.cluster.report import Report, make_report
from dsgen.cluster.requirements import ApiObject
from dsgen.errors import ApiError, NotFoundError, UsageError
from dsgen.language.functions import parse_quantity
from dsgen.schema.suggestions import did_you_mean, find_closest, list_possible

if TYPE_CHECKING:
    from dsgen.cluster.client import Cluster
    from dsgen.estimate.measured import MeasuredValue

KINDS = ("configmaps", "jobs", "pods")
SETTLE_SECONDS = 0.3
"""Seconds to wait for further changes, which come in bursts."""
QUIET_SECONDS = 20
"""Seconds after which the state is read without a change, because a lease expires without one."""
RETRY_SECONDS = 2


REFUSALS: tuple[int, ...] = (401, 403)
PATIENCE_SECONDS = 300
"""How long a waiting command tolerates an API server that does not answer."""
WAITED_FOR: dict[str, Callable[[RunState, str], bool]] = {
    "end": lambda _, phase: phase in ENDS,
    "running": lambda _, phase: phase in ("Running", *ENDS),
    "admitted": lambda state, phase: (
        phase in (*ACTIVE, *ENDS)
        or all(job is not None and not job.suspended for job in (state.launcher, state.worker))
    ),
}
"""The states for which `dsgen wait` waits -> whether a run in a phase has reached it."""
MEASURED = "estimate.measured"
HEAD_OF_MEASURES = ("MEASURED", "VALUE", "ESTIMATED", "ERROR")
"""Of a table of comparisons."""


@dataclass
class RunRef:
    """One run of one job in one cluster; `run` is empty for the newest. values: of the file that names the job."""

    cluster: Cluster
    namespace: str
    job: str
    run: str = ""
    values: Mapping[str, Any] | None = None

    @property
    def title(self) -> str:
        return f"{self.namespace}/{self.job}"

    def read_state(self, around: bool = False, thrifty: bool = False) -> RunState:
        """The present state of the run. around: with its surroundings; thrifty: see `reader`. Raises NotFoundError."""
        state = read_run(self.cluster, self.namespace, self.job, self.run, thrifty)
        if state is None:
            raise NotFoundError(self._describe_missing())
        return add_surroundings(self.cluster, state, thrifty) if around else state

    def watch_states(self, until: float = float("inf")) -> Iterator[RunState]:
        """The state now and after each change; a failing API server is asked again for a few minutes.

        A server that has just started may refuse requests that it allows a moment later.
        """
        answered, refusals = time.monotonic(), REFUSALS
        for _ in watch_changes(self.cluster, self.namespace, self.job, until):
            try:
                state = self.read_state()
            except ApiError as error:
                if error.status in refusals or time.monotonic() - answered > PATIENCE_SECONDS:
                    raise
                continue
            answered, refusals = time.monotonic(), ()
            self.run = state.run
            yield state

    def _describe_missing(self) -> str:
        """The message for an unknown job or run, with a suggestion."""
        jobs = list_jobs(self.cluster, self.namespace)
        known = sorted({job.job for job in jobs})
        if self.job in known:
            runs = list_runs([one for one in jobs if one.job == self.job], {})
            return f"job {self.title} has no run {self.run}; {list_possible(runs, 'runs')}"
        try:
            self.cluster.get(f"/api/v1/namespaces/{self.namespace}")
        except ApiError as error:
            if error.status == MISSING:
                return f"the namespace {self.namespace} does not exist"
        hint = (
            did_you_mean(find_closest(self.job, known))
            or list_possible(known, "jobs")
            or "dsgen list -A shows all jobs"
        )
        return f"namespace {self.namespace} has no run of a job {self.job}; {hint}"


def parse_job_name(text: str, namespace: str = "") -> tuple[str, str]:
    """Namespace and name of a job that is written as cifar or training/cifar. Raises UsageError."""
    space, _, name = text.rpartition("/")
    if not name or "/" in space or (space and namespace and space != namespace):
        raise UsageError(f"{text}: name a job as cifar, training/cifar or by its values file")
    return space or namespace, name


def report_run(state: RunState) -> Report:
    """The report of a run: its phase and its parts, as data."""
    return make_report(state, diagnose(state)[0])


def wait_for(ref: RunRef, what: str, until: float) -> Iterator[tuple[RunState, bool]]:
    """Each state of a run until it is one of WAITED_FOR, and whether it is; ends at the monotonic time `until`."""
    for state in ref.watch_states(until):
        is_reached = WAITED_FOR[what](state, diagnose(state)[0].phase)
        yield state, is_reached
        if is_reached:
            return


def list_states(cluster: Cluster, namespace: str, selector: str = "", all_runs: bool = False) -> Iterator[RunState]:
    """The state of each job's newest run, or of all its runs, from three list requests, and one for nodes if needed.

    namespace: empty for all. selector: labels that the jobs must have.
    """
    selector = ",".join(part for part in (JOB, selector) if part)
    jobs: dict[tuple[str, str], list[JobState]] = defaultdict(list)
    for job in list_jobs(cluster, namespace, selector):
        jobs[job.namespace, job.job].append(job)
    pods: dict[tuple[tuple[str, str], str], list[PodState]] = defaultdict(list)
    for entry in cluster.list_items(make_api_path("pods", namespace), labelSelector=JOB):
        pod = parse_pod(entry)
        pods[(entry["metadata"]["namespace"], entry["metadata"]["labels"][JOB]), pod.run].append(pod)
    records = list_records(cluster, namespace, selector)
    needs_nodes = depends_on_nodes(one for each in pods.values() for one in each)
    nodes = list_nodes(cluster, []) if needs_nodes else None
    for name in sorted(jobs.keys() | records.keys()):
        data = records.get(name)
        known = list_runs(jobs[name], data or {})
        for run in known if all_runs else known[:1]:
            state = RunState(name[1], name[0], run, cluster.now(), pods=pods[name, run], nodes=nodes)
            yield add_record(add_jobs(state, jobs[name]), data)


def watch_changes(cluster: Cluster, namespace: str, job: str, until: float = float("inf")) -> Iterator[None]:
    """Yields at once, after each change, and after QUIET_SECONDS without one, until the monotonic time `until`."""
    seen: queue.SimpleQueue[str] = queue.SimpleQueue()
    stopped = threading.Event()
    for kind in KINDS:
        threading.Thread(target=_watch, args=(cluster, kind, namespace, job, seen, stopped), daemon=True).start()
    try:
        yield
        while (left := until - time.monotonic()) > 0:
            try:
                seen.get(timeout=min(left, QUIET_SECONDS))
                time.sleep(min(left, SETTLE_SECONDS))
                while not seen.empty():
                    seen.get()
            except queue.Empty:
                pass
            yield
    finally:
        stopped.set()


def _watch(
    cluster: Cluster, kind: str, namespace: str, job: str, seen: queue.SimpleQueue[str], stopped: threading.Event
) -> None:
    """One watch after the other. Changes between two watches are not lost, because everything is read again."""
    while not stopped.is_set():
        try:
            for _ in cluster.watch(make_api_path(kind, namespace), labelSelector=f"{JOB}={job}"):
                if stopped.is_set():
                    return
                seen.put(kind)
            seen.put(kind)
        except ApiError:
            stopped.wait(RETRY_SECONDS)


def read_measures(cluster: Cluster, state: RunState) -> dict[str, Any]:
    """Keys below MEASURED with what a run has measured; empty if it has measured nothing.

    Metrics are those of the present, so they are read only while the run goes on.
    """
    progress = state.record.get("progress") or {}
    found = {"secondsPerStep": progress.get("secondsPerStep"), "memory": progress.get("memory")}
    if state.record.get("phase") not in ENDS:
        selector = f"{JOB}={state.job},{RUN}={state.run},{ROLE}=worker"
        found["workerMemory"] = find_most_memory(read_metrics(cluster, state.namespace, selector, []) or [])
    known = {key: value for key, value in found.items() if value}
    return {"run": state.run, **known} if known else {}


def find_most_memory(metrics: Iterable[ApiObject]) -> int | None:
    """The bytes of the pod that uses most."""
    used = (sum(parse_quantity(one["usage"]["memory"]) for one in pod.get("containers") or []) for pod in metrics)
    return int(max(used, default=0)) or None


def has_estimate(values: Mapping[str, Any] | None) -> bool:
    """Whether the values describe a model, beside whose estimate a run can be shown."""
    return values is not None and values["estimate"]["model"].get("parameters") is not None


def add_traffic(values: Mapping[str, Any] | None, run: str, checked: dict[str, Any] | None) -> dict[str, Any] | None:
    """What the check of the network has measured, with the bytes and seconds of a step if the values describe them."""
    if not values or not checked or not has_estimate(values) or str(values["run"]["id"]) != run:
        return checked
    from dsgen.estimate import inputs, setup, traffic  # imported late: most jobs have no estimate

    sent = traffic.estimate_traffic(setup.make_setup(values, inputs.read_section(values["estimate"])))
    if not sent or not sent.per_worker[1] or not checked["lowest"]:
        return checked
    per_step = dict(zip(("low", "high"), sent.per_worker, strict=True))
    times = {bound: round(number / checked["lowest"] / 2**20, 3) for bound, number in per_step.items()}
    sizes = {bound: round(number) for bound, number in per_step.items()}
    return {**checked, "bytesPerStep": sizes, "secondsPerStep": times}


def compare_with_estimate(values: Mapping[str, Any] | None, measures: Mapping[str, Any]) -> list[MeasuredValue]:
    """What a run has measured beside its estimate; empty without one, or if the values are those of another run."""
    if not values or not has_estimate(values) or not measures or str(values["run"]["id"]) != measures["run"]:
        return []
    from dsgen.estimate import estimates, inputs, measured, setup  # imported late: most jobs have no estimate

    given = inputs.read_section({**values["estimate"], "measured": measures})
    return [*measured.compare(setup.make_setup(values, given), estimates.estimate_job(values, given), given)]
