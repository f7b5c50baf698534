"""The state of one run in the cluster, as small objects, and the functions that make them from objects of the API."""

from __future__ import annotations

import calendar
import json
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dsgen.cluster.requirements import ApiObject, Requirement, read_requirements, sum_requests
from dsgen.language.functions import list_launch_methods

JOB, RUN, ROLE = "dsgen.dev/job", "dsgen.dev/run", "dsgen.dev/role"
ACCELERATOR = re.compile(r"^[^/]*/(?!.*(?:mem|core|rdma|nic)).*(gpu|gaudi|neuron|ascend|npu|tpu|mlu|dcu|mig-)", re.I)
LEASE = "_lease"
INDEX = "batch.kubernetes.io/job-completion-index"
KUEUE_QUEUE = "kueue.x-k8s.io/queue-name"
GANG_LABEL, GANG_ANNOTATION = "scheduling.x-k8s.io/pod-group", "scheduling.k8s.io/group-name"
"""The label of scheduler-plugins and the annotation of Volcano."""
SCRIPTS = re.compile(r"-(?:launcher|local|shared|slurm|ssh|status|worker)-[0-9a-f]{10}$")
"""The end of the name of a ConfigMap with scripts."""
MOST_DIGITS = 10


@dataclass(frozen=True)
class Condition:
    """One condition of an object that is True or False."""

    status: str
    reason: str
    message: str
    since: float | None


@dataclass(frozen=True)
class Container:
    """A container of a pod. `state`: waiting, running, terminated, or empty before the kubelet reports one."""

    name: str
    kind: str  # init, sidecar or main
    image: str
    state: str
    reason: str
    message: str
    exit_code: int | None
    restarts: int
    started: float | None
    finished: float | None


@dataclass(frozen=True)
class PodState:
    """A pod of the run. `gone`: it has ended; `up`: its main container is running.

    gang: the name of its PodGroup. required: what the labels of its node must be.
    """

    name: str
    uid: str
    role: str
    run: str
    index: int
    node: str
    phase: str
    reason: str
    deleting: bool
    scheduler: str
    created: float
    ended: float | None
    conditions: Mapping[str, Condition]
    containers: tuple[Container, ...]
    requests: Mapping[str, str]
    gang: str
    required: tuple[Requirement, ...]

    @property
    def gone(self) -> bool:
        return self.phase in ("Succeeded", "Failed")

    @property
    def main(self) -> Container | None:
        return next((container for container in self.containers if container.name == self.role), None)

    @property
    def up(self) -> bool:
        return bool(self.main and self.main.state == "running" and not self.gone)

    @property
    def ready(self) -> bool:
        condition = self.conditions.get("Ready")
        return bool(condition and condition.status == "True")

    @property
    def restarts(self) -> int:
        return sum(container.restarts for container in self.containers)

    @property
    def scheduled(self) -> float | None:
        condition = self.conditions.get("PodScheduled")
        return condition.since if condition and condition.status == "True" else None


@dataclass(frozen=True)
class JobState:
    """The launcher Job or the worker Job of a run. marks: its labels and annotations; scripts: the shared ones."""

    name: str
    namespace: str
    uid: str
    role: str
    job: str
    run: str
    created: float
    suspended: bool
    suspended_by: str
    parallelism: int
    queue: str
    requests: Mapping[str, str]
    conditions: Mapping[str, Condition]
    marks: Mapping[str, str]
    managers: tuple[str, ...]
    scripts: tuple[str, ...] = ()

    @property
    def ended(self) -> str:
        """Complete or Failed; empty for a Job that has not ended."""
        return next((word for word in ("Complete", "Failed") if word in select_true_conditions(self.conditions)), "")


@dataclass(frozen=True)
class Event:
    """One event, about the object `kind`/`name`."""

    kind: str
    name: str
    uid: str
    reason: str
    message: str
    last: float
    count: int = 1


@dataclass
class RunState:
    """Everything that was seen of one run. None: not asked for, or hidden.

    hidden: kinds that may not be read. malformed: what is wrong with the record. queued: the job of each Workload of
    the namespace, by the Workload's uid. lost_scripts: the shared ConfigMaps of the run that do not exist.
    """

    job: str
    namespace: str
    run: str
    now: float
    record: ApiObject = field(default_factory=dict)
    lease: ApiObject = field(default_factory=dict)
    settings: ApiObject = field(default_factory=dict)
    launcher: JobState | None = None
    worker: JobState | None = None
    pods: list[PodState] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    claims: Sequence[ApiObject] | None = None
    nodes: Sequence[ApiObject] | None = None
    workloads: Sequence[ApiObject] | None = None
    queued: Mapping[str, str] = field(default_factory=dict)
    gangs: Sequence[ApiObject] | None = None
    hidden: list[str] = field(default_factory=list)
    malformed: str = ""
    lost_scripts: Sequence[str] = ()

    def list_pods(self, role: str) -> list[PodState]:
        """The pods of a role; for each index only the newest, because older pods were lost."""
        newest = {pod.index: pod for pod in sorted(self.pods, key=lambda pod: pod.created) if pod.role == role}
        return [newest[index] for index in sorted(newest)]

    @property
    def launcher_pod(self) -> PodState | None:
        return next(iter(self.list_pods("launcher")), None)

    @property
    def workers(self) -> list[PodState]:
        return self.list_pods("worker")

    @property
    def wanted(self) -> int:
        """The number of worker pods in the settings of the run, otherwise in its Job."""
        if "workers" in self.settings:
            return int(self.settings["workers"]) + int(self.settings.get("spares", 0))
        return self.worker.parallelism if self.worker else int(self.record.get("workers", {}).get("replicas", 0))

    @property
    def method(self) -> str:
        """The launch method; the default of launch.method if the settings of the run are not known."""
        return str(self.settings.get("method", "pdsh"))

    @property
    def uses_ssh(self) -> bool:
        """Whether the launcher starts the ranks over ssh, and its log has their lines; else each worker has its own."""
        return self.method in list_launch_methods("ssh")

    @property
    def runs_command(self) -> bool:
        """Whether launch.command runs, of whose ranks the launcher does not know the connections."""
        return self.method in list_launch_methods("whole")

    @property
    def renewed_at(self) -> float | None:
        """The time at which the launcher pod of this run last renewed the lease."""
        return parse_time(self.lease.get("time")) if self.lease.get("run") == self.run else None


def select_true_conditions(conditions: Mapping[str, Condition]) -> dict[str, Condition]:
    return {name: condition for name, condition in conditions.items() if condition.status == "True"}


def parse_time(text: object) -> float | None:
    """A time of the API or of the record as seconds since 1970; None without a time."""
    try:
        return float(calendar.timegm(time.strptime(text[:19] if isinstance(text, str) else "", "%Y-%m-%dT%H:%M:%S")))
    except ValueError:
        return None


def format_time(moment: float | None) -> str | None:
    """A time in UTC as RFC 3339, as in the API."""
    return None if moment is None else time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))


Form = type[Any] | dict[str, Any] | list[Any]
"""The types of what is read of a value. A key with `?` may be null; all keys may be absent, and others are not read."""
LARGEST = 2**53
RECORD_FORM: Form = {
    "phase": str,
    **dict.fromkeys(("reason?", "message?", "startTime?", "endTime?"), str),
    **dict.fromkeys(("exitCode?", "worldSize?"), int),
    "workers": {"replicas": int},
    "attempts": [
        {
            **dict.fromkeys(("startTime?", "endTime?", "reason?", "host?"), str),
            **dict.fromkeys(("exitCode?", "rank?", "workers"), int),
            "tail?": [str],
        }
    ],
    "totals": dict.fromkeys(("attempts", "failures", "replacements", "seconds"), int),
    "progress?": {
        **dict.fromkeys(("step?", "total?"), int),
        **dict.fromkeys(("loss?", "secondsPerStep?", "memory?"), float),
        **dict.fromkeys(("time?", "eta?", "checkpoint?"), str),
    },
    "network?": dict.fromkeys(("median", "lowest"), int),
}
LEASE_FORM: Form = {"run?": str, "time?": str}
SETTINGS_FORM: Form = {**dict.fromkeys(("workers", "spares", "slots"), int), **dict.fromkeys(("method", "secret"), str)}


def read_map(text: str | None, form: Form) -> tuple[dict[str, Any], str]:
    """The map of a JSON text that others may write, and what is wrong with it; then the map is empty."""
    try:
        content = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}, "it is not JSON"
    wrong = find_malformed(content, form)
    return ({}, wrong) if wrong else (content, "")


def find_malformed(value: Any, form: Form, path: str = "") -> str:
    """The first part of a value that has another type than in the form, such as `totals is no map`; "" without one."""
    if isinstance(form, type):
        is_number = isinstance(value, (int, float) if form is float else form) and not isinstance(value, bool)
        is_right = isinstance(value, str) if form is str else is_number and abs(value) <= LARGEST
        return "" if is_right else f"{path} is no {'text' if form is str else 'number'}"
    inside: Any = value
    if not isinstance(value, type(form)):
        return f"{path or 'it'} is no {'map' if isinstance(form, dict) else 'list'}"
    if isinstance(form, list):
        parts = [(f"{path}[{index}]", one, form[0]) for index, one in enumerate(inside)]
    else:
        given = ((key.rstrip("?"), key, part) for key, part in form.items())
        parts = [
            (f"{path}.{name}".lstrip("."), inside[name], part)
            for name, key, part in given
            if name in inside and not (inside[name] is None and name != key)
        ]
    return next(filter(None, (find_malformed(one, part, where) for where, one, part in parts)), "")


def count_accelerators(requests: Mapping[str, str]) -> dict[str, int]:
    """Resource -> number of requested accelerators."""
    return {name: int(count) for name, count in requests.items() if ACCELERATOR.search(name) and str(count).isdigit()}


# Objects of the API


def parse_conditions(entries: Iterable[ApiObject] | None) -> dict[str, Condition]:
    """Conditions by type."""
    return {
        entry["type"]: Condition(
            entry["status"],
            entry.get("reason") or "",
            entry.get("message") or "",
            parse_time(entry.get("lastTransitionTime")),
        )
        for entry in entries or []
    }


def parse_job(item: ApiObject) -> JobState:
    meta, spec, labels = item["metadata"], item["spec"], item["metadata"].get("labels", {})
    return JobState(
        name=meta["name"],
        namespace=meta["namespace"],
        uid=meta["uid"],
        role=spec["template"].get("metadata", {}).get("labels", {}).get(ROLE, ""),
        job=labels.get(JOB, ""),
        run=labels.get(RUN, ""),
        created=parse_time(meta.get("creationTimestamp")) or 0,
        suspended=bool(spec.get("suspend")),
        suspended_by=_find_suspender(meta),
        parallelism=spec.get("parallelism", 1),
        queue=labels.get(KUEUE_QUEUE, ""),
        requests=sum_requests(spec["template"]["spec"]),
        conditions=parse_conditions(item.get("status", {}).get("conditions")),
        marks={**labels, **meta.get("annotations", {})},
        managers=tuple(entry.get("manager", "") for entry in meta.get("managedFields", [])),
        scripts=tuple(_list_shared_scripts(spec["template"]["spec"], labels.get(JOB, ""))),
    )


def _list_shared_scripts(pod: ApiObject, job: str) -> Iterator[str]:
    """The ConfigMaps with shared scripts that a pod mounts."""
    for volume in pod.get("volumes") or []:
        for source in volume.get("projected", {}).get("sources") or []:
            name = source.get("configMap", {}).get("name", "")
            if SCRIPTS.search(name) and not name.startswith(f"{job}-scripts-"):
                yield name


def _find_suspender(meta: ApiObject) -> str:
    """The field manager that last wrote spec.suspend; empty if only the API server did."""
    writers = [
        (entry.get("time", ""), entry.get("manager", ""))
        for entry in meta.get("managedFields", [])
        if "f:suspend" in entry.get("fieldsV1", {}).get("f:spec", {}) and not entry.get("subresource")
    ]
    return max(writers)[1] if writers else ""


def parse_pod(item: ApiObject) -> PodState:
    meta, spec, status = item["metadata"], item["spec"], item.get("status", {})
    labels, annotations = meta.get("labels", {}), meta.get("annotations", {})
    index = annotations.get(INDEX, "")
    containers = tuple(_list_containers(spec, status))
    ends = [c.finished for c in containers if c.kind == "main" and c.finished]
    return PodState(
        name=meta["name"],
        uid=meta["uid"],
        role=labels.get(ROLE, ""),
        run=labels.get(RUN, ""),
        index=int(index) if index.isdecimal() and len(index) < MOST_DIGITS else 0,
        node=spec.get("nodeName", ""),
        phase=status.get("phase", ""),
        reason=status.get("reason", ""),
        deleting=bool(meta.get("deletionTimestamp")),
        scheduler=spec.get("schedulerName", ""),
        created=parse_time(meta.get("creationTimestamp")) or 0,
        ended=max(ends) if ends and status.get("phase") in ("Succeeded", "Failed") else None,
        conditions=parse_conditions(status.get("conditions")),
        containers=containers,
        requests=sum_requests(spec),
        gang=labels.get(GANG_LABEL) or annotations.get(GANG_ANNOTATION, ""),
        required=read_requirements(spec),
    )


def _list_containers(spec: ApiObject, status: ApiObject) -> Iterable[Container]:
    said = {s["name"]: s for key in ("initContainerStatuses", "containerStatuses") for s in status.get(key, [])}
    kinds = [(c, "sidecar" if c.get("restartPolicy") else "init") for c in spec.get("initContainers", [])]
    for container, kind in [*kinds, *((c, "main") for c in spec["containers"])]:
        reported = said.get(container["name"], {})
        state = next(iter(reported.get("state", {})), "")
        detail = reported.get("state", {}).get(state) or {}
        yield Container(
            name=container["name"],
            kind=kind,
            image=container.get("image", ""),
            state=state,
            reason=detail.get("reason", ""),
            message=detail.get("message", ""),
            exit_code=detail.get("exitCode"),
            restarts=reported.get("restartCount", 0),
            started=parse_time(detail.get("startedAt")),
            finished=parse_time(detail.get("finishedAt")),
        )


def parse_event(item: ApiObject) -> Event:
    """Convert an event, of either API group."""
    about = item.get("involvedObject", {})
    series = item.get("series") or {}
    last = series.get("lastObservedTime") or item.get("lastTimestamp") or item.get("eventTime")
    return Event(
        kind=about.get("kind", ""),
        name=about.get("name", ""),
        uid=about.get("uid", ""),
        reason=item.get("reason", ""),
        message=item.get("message", ""),
        last=parse_time(last) or 0,
        count=series.get("count") or item.get("count") or 1,
    )
