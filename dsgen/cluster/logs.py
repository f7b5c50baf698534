"""Lines of a run's containers: which containers, and each line once, also over connections that break.

The kubelet is asked from the second of the last line on, so what was seen of that second comes again: those lines are
counted off. A line is told from its equal by the kubelet's timestamp.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from dsgen.cluster import collect
from dsgen.cluster.facts import Dict, Facts, Pod
from dsgen.cluster.parse import pod

if TYPE_CHECKING:
    from dsgen.cluster.api import Cluster

WITHOUT_SSH = ("torchrun", "deepspeed-no-ssh", "worker-command")
"""Launch methods whose ranks write to the log of their own worker; those of the others to the launcher's."""
MANY_WORKERS = 16
STAMP = 19
"""Length of a time up to its seconds."""


class Choice(NamedTuple):
    """Which lines are wanted. `worker` and `rank` are None where all are."""

    launcher: bool = False
    status: bool = False
    init: bool = False
    worker: int | None = None
    rank: int | None = None
    previous: bool = False


class Source(NamedTuple):
    """One container. `label` stands before its lines where there are several; `host` keeps only a host's lines."""

    pod: str
    container: str
    label: str
    host: str = ""


def sources(facts: Facts, choice: Choice) -> list[Source]:
    """The containers that were chosen, oldest first."""
    pods = sorted((one for one in facts.pods if one.role == _role(facts, choice)), key=lambda one: one.created)
    index = _index(facts, choice)
    if index is not None and _role(facts, choice) == "worker":
        pods = [one for one in pods if one.index == index]
    elif index is None and len({one.index for one in pods}) > MANY_WORKERS:
        last = max(one.index for one in pods)
        pods = [one for one in pods if one.index in (0, last)]
    if choice.previous:
        newest = {one.name for one in facts.pods_of(_role(facts, choice))}
        pods = [one for one in pods if one.name not in newest]
    host = f"{facts.job}-{facts.run}-worker-{index}" if choice.rank is not None and _ssh(facts) else ""
    return [Source(one.name, name, one.name, host) for one in pods for name in _containers(one, choice)]


def left_out(facts: Facts, choice: Choice) -> int:
    """How many workers' lines are not among the sources, because there are so many."""
    if _role(facts, choice) != "worker" or _index(facts, choice) is not None:
        return 0
    count = len({one.index for one in facts.pods if one.role == "worker"})
    return count - 2 if count > MANY_WORKERS else 0


def _ssh(facts: Facts) -> bool:
    return facts.settings.get("method", "pdsh") not in WITHOUT_SSH


def _role(facts: Facts, choice: Choice) -> str:
    if choice.launcher or choice.status:
        return "launcher"
    if choice.worker is not None:
        return "worker"
    return "launcher" if _ssh(facts) else "worker"


def _index(facts: Facts, choice: Choice) -> int | None:
    if choice.rank is not None:
        return choice.rank // max(int(facts.settings.get("slots", 1)), 1)
    return choice.worker


def _containers(one: Pod, choice: Choice) -> list[str]:
    if choice.status:
        return ["status"]
    if choice.init:
        return [container.name for container in one.containers if container.kind == "init"]
    return [one.role]


def tails(record: Dict) -> Iterator[str]:
    """What the record has kept of the output, for runs whose pods are gone."""
    for number, attempt in enumerate(record.get("attempts", []), 1):
        if attempt.get("tail"):
            where = f", rank {attempt['rank']} on {attempt.get('host')}" if attempt.get("rank") is not None else ""
            yield f"attempt {number}, {attempt.get('reason')}{where}:"
            yield from attempt["tail"]


@dataclass
class Lines:
    """The lines of one container, over as many connections as it takes."""

    cluster: Cluster
    namespace: str
    source: Source
    since: str = ""
    seen: Counter[bytes] = field(default_factory=Counter)

    @property
    def path(self) -> str:
        return collect.path("pods", self.namespace, self.source.pod)

    def begun(self) -> bool:
        """Whether the container has started. Raises ApiError."""
        return self._state() in ("running", "terminated")

    def done(self) -> bool:
        """Whether it has ended. Raises ApiError; 404 when its pod is gone."""
        return self._state() == "terminated"

    def _state(self) -> str:
        found = pod(self.cluster.get(self.path))
        return next((one.state for one in found.containers if one.name == self.source.container), "")

    def connect(self, follow: bool, tail: str = "", seconds: str = "") -> Iterator[bytes]:
        """New lines, each with its time before it, until the connection ends. Raises ApiError when it breaks."""
        query = {"container": self.source.container, "timestamps": "true"}
        query |= {"follow": "true"} if follow else {}
        query |= {"sinceTime": self.since} if self.since else {}
        query |= {"tailLines": tail} if tail and not self.since else {}
        query |= {"sinceSeconds": seconds} if seconds and not self.since else {}
        again = self.seen.copy()
        for line in self.cluster.lines(f"{self.path}/log", query, None if follow else 60):
            if again[line]:
                again[line] -= 1
                continue
            self._remember(line)
            if self._wanted(line):
                yield line

    def _remember(self, line: bytes) -> None:
        second = line[:STAMP].decode("ascii", "replace") + "Z"
        if second > self.since:
            self.since = second
            self.seen.clear()
        self.seen[line] += 1

    def _wanted(self, line: bytes) -> bool:
        if not self.source.host:
            return True
        return line.partition(b" ")[2].startswith(f"{self.source.host}: ".encode())
