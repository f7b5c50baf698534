"""The state of one run in the cluster, as small objects. Pure functions."""

from __future__ import annotations

import calendar
import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Dict = Mapping[str, Any]
JOB, RUN, ROLE = "dsgen.dev/job", "dsgen.dev/run", "dsgen.dev/role"
ACCELERATOR = re.compile(r"^[^/]*/(?!.*(?:mem|core|rdma|nic)).*(gpu|gaudi|neuron|ascend|npu|tpu|mlu|dcu|mig-)", re.I)
LEASE = "_lease"


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
    ready: bool
    started: float | None
    finished: float | None


class Requirement(NamedTuple):
    """What a label of a node must be: In, NotIn, Exists, DoesNotExist, Gt or Lt."""

    key: str
    operator: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Pod:
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
    message: str
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
class Job:
    """The launcher Job or the worker Job of a run."""

    name: str
    namespace: str
    uid: str
    role: str
    job: str
    run: str
    created: float
    deleting: bool
    suspended: bool
    suspended_by: str
    parallelism: int
    completions: int | None
    active: int
    failed: int
    queue: str
    account: str
    requests: Mapping[str, str]
    conditions: Mapping[str, Condition]
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    managers: tuple[str, ...]

    @property
    def ended(self) -> str:
        """Complete or Failed; empty for a Job that has not ended."""
        return next((word for word in ("Complete", "Failed") if word in true(self.conditions)), "")


@dataclass(frozen=True)
class Event:
    """One event, about the object `kind`/`name`."""

    kind: str
    name: str
    uid: str
    type: str
    reason: str
    message: str
    last: float
    count: int = 1


@dataclass
class Facts:
    """Everything that was seen of one run. None: not asked for, or hidden.

    hidden: kinds that may not be read. queued: the job of each Workload of the namespace, by the Workload's uid.
    """

    job: str
    namespace: str
    run: str
    now: float
    record: Dict = field(default_factory=dict)
    record_bytes: int = 0
    record_seen: bool = False
    lease: Dict = field(default_factory=dict)
    settings: Dict = field(default_factory=dict)
    launcher: Job | None = None
    worker: Job | None = None
    pods: list[Pod] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    claims: Sequence[Dict] | None = None
    nodes: Sequence[Dict] | None = None
    workloads: Sequence[Dict] | None = None
    queued: Mapping[str, str] = field(default_factory=dict)
    gangs: Sequence[Dict] | None = None
    hidden: list[str] = field(default_factory=list)

    def pods_of(self, role: str) -> list[Pod]:
        """The pods of a role; for each index only the newest, because older pods were lost."""
        newest = {pod.index: pod for pod in sorted(self.pods, key=lambda pod: pod.created) if pod.role == role}
        return [newest[index] for index in sorted(newest)]

    @property
    def launcher_pod(self) -> Pod | None:
        return next(iter(self.pods_of("launcher")), None)

    @property
    def workers(self) -> list[Pod]:
        return self.pods_of("worker")

    @property
    def wanted(self) -> int:
        """The number of worker pods in the settings of the run, otherwise in its Job."""
        if "workers" in self.settings:
            return int(self.settings["workers"]) + int(self.settings.get("spares", 0))
        return self.worker.parallelism if self.worker else int(self.record.get("workers", {}).get("replicas", 0))

    @property
    def heard(self) -> float | None:
        """The time at which the launcher pod of this run last renewed the lease."""
        return seconds(self.lease.get("time")) if self.lease.get("run") == self.run else None


def true(conditions: Mapping[str, Condition]) -> dict[str, Condition]:
    """The conditions with status True."""
    return {name: condition for name, condition in conditions.items() if condition.status == "True"}


def seconds(text: str | None) -> float | None:
    """A time of the API or of the record as seconds since 1970; None without a time."""
    try:
        return float(calendar.timegm(time.strptime((text or "")[:19], "%Y-%m-%dT%H:%M:%S")))
    except ValueError:
        return None


def stamp(moment: float | None) -> str | None:
    """A time in UTC as RFC 3339, as in the API."""
    return None if moment is None else time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))


def parsed(text: str | None) -> dict[str, Any]:
    """The map of a JSON text; empty if it is not a map."""
    try:
        content = json.loads(text or "")
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def accelerators(requests: Mapping[str, str]) -> dict[str, int]:
    """Resource -> number of requested accelerators."""
    return {name: int(count) for name, count in requests.items() if ACCELERATOR.search(name) and str(count).isdigit()}
