"""Reads the log lines of a run's containers, each line once, also if connections break.

After a break, the log is requested from the second of the last line on, so lines of that second are received again and
skipped. Equal lines are distinguished by the timestamp of the kubelet.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from dsgen.cluster.models import PodState, RunState, parse_pod
from dsgen.cluster.reader import MISSING, api_path
from dsgen.cluster.requirements import ApiObject
from dsgen.errors import ApiError

if TYPE_CHECKING:
    from dsgen.cluster.client import Cluster

WITHOUT_SSH = ("torchrun", "deepspeed-no-ssh", "worker-command")
"""Launch methods whose ranks write to the log of their worker; with the others, they write to that of the launcher."""
MANY_WORKERS = 16
LABELLED = ("pdsh", *WITHOUT_SSH)
"""Launch methods whose lines show their worker: each worker has its own log, or lines begin with the host."""
BEGUN = ("running", "terminated")
STAMP = 19
"""The length of a timestamp without fractions of a second."""
TIMED = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
RANK = re.compile(rb"^(?:\[rank(\d+)\]:|\[dsgen\] rank (\d+) |(?:\[[^]]*\] )*\[Rank (\d+)\] )")
"""The beginning of a line of PyTorch, dsgen or DeepSpeed that names its rank."""
LOST = b"unable to retrieve container logs"
"""The message of the kubelet for a removed container."""


class LogChoice(NamedTuple):
    """The selected lines. `worker` and `rank`: None for all. At most one of the first four is set."""

    launcher: bool = False
    status: bool = False
    worker: int | None = None
    rank: int | None = None
    init: bool = False
    previous: bool = False


class LogSource(NamedTuple):
    """A container. `label`: printed before its lines if there are several.

    `host`: only lines of this host. `rank`: no lines that name another rank.
    """

    pod: str
    container: str
    label: str
    host: str = ""
    rank: int | None = None


def select_sources(state: RunState, choice: LogChoice) -> list[LogSource]:
    """The selected containers, oldest first."""
    pods = sorted((one for one in state.pods if one.role == _role(state, choice)), key=lambda one: one.created)
    index = _index(state, choice)
    if index is not None and _role(state, choice) == "worker":
        pods = [one for one in pods if one.index == index]
    elif count_left_out(state, choice):
        pods = [one for one in pods if one.index in (0, state.wanted - 1)]
    if choice.previous:
        newest = {one.name for one in state.pods_of(_role(state, choice))}
        pods = [one for one in pods if one.name not in newest]
    host = f"{state.job}-{state.run}-worker-{index}" if choice.rank is not None and _ssh(state) else ""
    return [LogSource(one.name, name, one.name, host, choice.rank) for one in pods for name in _containers(one, choice)]


def count_left_out(state: RunState, choice: LogChoice) -> int:
    """The number of workers whose logs are left out, because there are too many."""
    if _role(state, choice) != "worker" or _index(state, choice) is not None:
        return 0
    return state.wanted - 2 if state.wanted > MANY_WORKERS else 0


def find_unclear_method(state: RunState, choice: LogChoice) -> str:
    """The launch method if it does not show which lines are those of the chosen rank; otherwise empty."""
    method = str(state.settings.get("method", "pdsh"))
    return method if choice.rank is not None and method not in LABELLED else ""


def count_ranks(state: RunState, choice: LogChoice) -> int:
    """The number of ranks of the worker if it has several, because most lines do not show their rank; else 0."""
    return _slots(state) if choice.rank is not None and _slots(state) > 1 else 0


def _slots(state: RunState) -> int:
    return max(int(state.settings.get("slots", 1)), 1)


def _ssh(state: RunState) -> bool:
    return state.settings.get("method", "pdsh") not in WITHOUT_SSH


def _role(state: RunState, choice: LogChoice) -> str:
    if choice.launcher or choice.status:
        return "launcher"
    if choice.worker is not None:
        return "worker"
    return "launcher" if _ssh(state) else "worker"


def _index(state: RunState, choice: LogChoice) -> int | None:
    if choice.rank is not None:
        return choice.rank // _slots(state)
    return choice.worker


def _containers(one: PodState, choice: LogChoice) -> list[str]:
    if choice.status:
        return ["status"]
    if choice.init:
        return [container.name for container in one.containers if container.kind == "init"]
    return [one.role]


def list_tails(record: ApiObject) -> Iterator[str]:
    """The last lines of the output in the record, for runs whose pods are deleted."""
    for number, attempt in enumerate(record.get("attempts", []), 1):
        if attempt.get("tail"):
            where = f", rank {attempt['rank']} on {attempt.get('host')}" if attempt.get("rank") is not None else ""
            yield f"attempt {number}, {attempt.get('reason')}{where}:"
            yield from attempt["tail"]


@dataclass
class LogLines:
    """The lines of one container since a time, from one or more connections."""

    cluster: Cluster
    namespace: str
    source: LogSource
    since: str = ""
    seen: Counter[bytes] = field(default_factory=Counter)

    @property
    def path(self) -> str:
        return api_path("pods", self.namespace, self.source.pod)

    def state(self) -> str:
        """The state of the container. Raises ApiError, with status 404 if the pod is deleted."""
        parsed = parse_pod(self.cluster.get(self.path))
        return next((one.state for one in parsed.containers if one.name == self.source.container), "")

    def connect(self, follow: bool, tail: str = "") -> Iterator[bytes]:
        """New lines, each with its timestamp, until the connection ends. Raises ApiError if it breaks.

        tail: the largest number of lines of the first connection.
        """
        query = {"container": self.source.container, "timestamps": "true"}
        query |= {"follow": "true"} if follow else {}
        query |= {"sinceTime": self.since} if self.since else {}
        query |= {"tailLines": tail} if tail and not self.seen else {}
        again = self.seen.copy()
        for line in self.cluster.lines(f"{self.path}/log", query, whole=follow):
            if not TIMED.match(line):  # a message of the kubelet
                raise ApiError(line.decode(errors="replace"), MISSING if LOST in line else 0)
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
        text, label = line.partition(b" ")[2], f"{self.source.host}: ".encode()
        if self.source.host:
            if not text.startswith(label):
                return False
            text = text[len(label) :]
        named = RANK.match(text) if self.source.rank is not None else None
        return not named or int(next(filter(None, named.groups()))) == self.source.rank
