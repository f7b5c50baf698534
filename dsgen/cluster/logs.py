"""Reads the log lines of a run's containers, each line once, also if connections break.

After a break, the log is requested from the second of the last line on, so lines of that second are received again and
skipped. Equal lines are distinguished by the timestamp of the kubelet.
"""

from __future__ import annotations

import queue
import re
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from dsgen.cluster.models import PodState, RunState, format_time, parse_pod
from dsgen.cluster.phase import ENDS
from dsgen.cluster.reader import MISSING, make_api_path
from dsgen.cluster.report import Report
from dsgen.cluster.requirements import ApiObject
from dsgen.cluster.runs import RunRef, report_run
from dsgen.errors import ApiError, DsgenError, NotFoundError
from dsgen.language.functions import list_launch_methods

if TYPE_CHECKING:
    from dsgen.cluster.client import Cluster

MANY_WORKERS = 16
BEGUN = ("running", "terminated")
STAMP = 19
"""The length of a timestamp without fractions of a second."""
TIMED = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
RANK = re.compile(rb"^(?:\[rank(\d+)\]:|\[dsgen\] rank (\d+) |(?:\[[^]]*\] )*\[Rank (\d+)\] )")
"""The beginning of a line of PyTorch, dsgen or DeepSpeed that names its rank."""
RETRY_SECONDS = 1
END_SECONDS = 30
"""How long the ends of the logs may take after the end of the run."""
NOT_YET = 400
"""The answer of the API server for a container that has not started."""
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


class LogLimits(NamedTuple):
    """How many lines of each container there may be at first, and how many seconds old."""

    tail: int | None = None
    seconds: float | None = None

    def compute_since(self, state: RunState) -> str:
        """The time from which on lines are wanted; empty for all."""
        return "" if self.seconds is None else format_time(state.now - self.seconds) or ""


class LogLine(NamedTuple):
    """A line of a container. `time`: that of its node, as RFC 3339; empty for a line of the record."""

    pod: str
    container: str
    time: str
    text: str


EVERYTHING, NO_LIMITS = LogChoice(), LogLimits()
LogOutput = tuple[LogSource, bytes] | str
"""A line of a container, with its timestamp; or a remark."""


def select_sources(state: RunState, choice: LogChoice) -> list[LogSource]:
    """The selected containers, oldest first. Raises NotFoundError if a rank cannot be told from the others."""
    if choice.rank is not None and state.uses_ssh and state.method not in list_launch_methods("pdsh"):
        raise NotFoundError(f"launch.method {state.method} does not show which rank wrote a line: leave out --rank")
    role, index = _choose_pods(state, choice)
    pods = sorted((one for one in state.pods if one.role == role), key=lambda one: one.created)
    if index is not None and role == "worker":
        pods = [one for one in pods if one.index == index]
    elif _count_left_out(state, choice):
        pods = [one for one in pods if one.index in (0, state.wanted - 1)]
    if choice.previous:
        newest = {one.name for one in state.list_pods(role)}
        pods = [one for one in pods if one.name not in newest]
    host = f"{state.job}-{state.run}-worker-{index}" if choice.rank is not None and state.uses_ssh else ""
    return [
        LogSource(pod.name, name, pod.name, host, choice.rank)
        for pod in pods
        for name in _choose_containers(pod, choice)
    ]


def remark_on_choice(state: RunState, choice: LogChoice) -> str:
    """A remark if some workers are left out, or if lines of other ranks are shown; otherwise empty."""
    if count := _count_left_out(state, choice):
        return f"{count} more workers: --worker N shows one"
    if choice.rank is not None and (count := _count_slots(state)) > 1:
        return (
            f"most lines show their worker, not their rank: these are the lines of its {count} ranks, except those that"
            " name another rank; training.rankLogs writes a file for each rank"
        )
    return ""


def _count_left_out(state: RunState, choice: LogChoice) -> int:
    """The number of workers whose logs are left out, because there are too many."""
    is_whole = _choose_pods(state, choice) == ("worker", None)
    return state.wanted - 2 if is_whole and state.wanted > MANY_WORKERS else 0


def _count_slots(state: RunState) -> int:
    return max(int(state.settings.get("slots", 1)), 1)


def _choose_pods(state: RunState, choice: LogChoice) -> tuple[str, int | None]:
    """The role of the pods with the lines, and the number of the worker if it is one."""
    if choice.launcher or choice.status:
        return "launcher", None
    if choice.worker is not None:
        return "worker", choice.worker
    index = None if choice.rank is None else choice.rank // _count_slots(state)
    return "launcher" if state.uses_ssh else "worker", index  # with ssh, the launcher has the lines of all ranks


def _choose_containers(one: PodState, choice: LogChoice) -> list[str]:
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
        return make_api_path("pods", self.namespace, self.source.pod)

    def read_state(self) -> str:
        """The state of the container. Raises ApiError, with status 404 if the pod is deleted."""
        parsed = parse_pod(self.cluster.get(self.path))
        return next((container.state for container in parsed.containers if container.name == self.source.container), "")

    def connect(self, follow: bool, tail: str = "") -> Iterator[bytes]:
        """New lines, each with its timestamp, until the connection ends. Raises ApiError if it breaks.

        tail: the largest number of lines of the first connection.
        """
        query = {"container": self.source.container, "timestamps": "true"}
        query |= {"follow": "true"} if follow else {}
        query |= {"sinceTime": self.since} if self.since else {}
        query |= {"tailLines": tail} if tail and not self.seen else {}
        again = self.seen.copy()
        for line in self.cluster.read_lines(f"{self.path}/log", query, whole=follow):
            if not TIMED.match(line):  # a message of the kubelet
                raise ApiError(line.decode(errors="replace"), MISSING if LOST in line else 0)
            if again[line]:
                again[line] -= 1
                continue
            second = line[:STAMP].decode("ascii", "replace") + "Z"
            if second > self.since:
                self.since = second
                self.seen.clear()
            self.seen[line] += 1
            if self._is_wanted(line):
                yield line

    def _is_wanted(self, line: bytes) -> bool:
        text, label = line.partition(b" ")[2], f"{self.source.host}: ".encode()
        if self.source.host:
            if not text.startswith(label):
                return False
            text = text[len(label) :]
        named = RANK.match(text) if self.source.rank is not None else None
        return not named or int(next(filter(None, named.groups()))) == self.source.rank


def read_logs(
    ref: RunRef, state: RunState, sources: Iterable[LogSource], limits: LogLimits = NO_LIMITS
) -> Iterator[LogOutput]:
    """The present lines of containers. Raises ApiError."""
    for source in sources:
        lines = LogLines(ref.cluster, ref.namespace, source, limits.compute_since(state))
        try:
            tail = "" if limits.tail is None else str(limits.tail)
            yield from ((source, line) for line in lines.connect(False, tail))
        except ApiError as error:
            if error.status not in (NOT_YET, MISSING):
                raise
            yield str(error)


def iterate_lines(ref: RunRef, choice: LogChoice, limits: LogLimits, follow: bool) -> Iterator[LogLine]:
    """The lines of a run without remarks; without containers, the last lines in the record."""
    if follow:
        yield from _parse_lines(LogFollower(ref, choice, limits).follow())
        return
    state = ref.read_state()
    if sources := select_sources(state, choice):
        yield from _parse_lines(read_logs(ref, state, sources, limits))
    else:
        yield from (LogLine("", "", "", text) for text in list_tails(state.record))


def _parse_lines(output: Iterable[LogOutput]) -> Iterator[LogLine]:
    for one in output:
        if isinstance(one, tuple):
            source, line = one
            time, _, text = line.decode(errors="replace").partition(" ")
            yield LogLine(source.pod, source.container, time, text)


class LogFollower:
    """Follows a run to its end: one thread watches it and starts a thread for each container.

    `has_several`: whether there are several containers. `report`: that of the ended run.
    """

    def __init__(self, ref: RunRef, choice: LogChoice = EVERYTHING, limits: LogLimits = NO_LIMITS) -> None:
        self.has_several = False
        self.report: Report | None = None
        self._ref, self._choice = ref, choice
        # no lines with --follow: those since now
        self._limits = limits._replace(tail=None, seconds=limits.seconds or 0) if limits.tail == 0 else limits
        self._output: queue.Queue[LogOutput | DsgenError | None] = queue.Queue(10_000)
        self._threads: dict[LogSource, threading.Thread] = {}
        self._remark = ""

    def follow(self) -> Iterator[LogOutput]:
        """The lines until the run has ended, and remarks while it waits. Raises NotFoundError, ApiError."""
        threading.Thread(target=self._watch, daemon=True).start()
        while (output := self._output.get()) is not None:
            if isinstance(output, DsgenError):
                raise output
            yield output

    def _watch(self) -> None:
        since: str | None = None
        try:
            for state in self._ref.watch_states():
                report = report_run(state)
                if since is None:
                    since = self._limits.compute_since(state)
                    if remark := remark_on_choice(state, self._choice):
                        self._output.put(remark)
                self._start(state, since)
                text = ": ".join(part for part in (report["phase"], report["reason"], report["message"]) if part)
                if text != self._remark and report["phase"] not in ("Running", "Starting"):
                    self._output.put(text)
                self._remark = text
                if report["phase"] in ENDS:
                    self._wait_for_ends(report)
                    return
        except DsgenError as error:
            self._output.put(error)

    def _start(self, state: RunState, since: str) -> None:
        """Follow the containers that have started since the last call."""
        sources = select_sources(state, self._choice)
        self.has_several = len({source.label for source in sources}) > 1
        for source in sources:
            if source not in self._threads:
                lines = LogLines(self._ref.cluster, self._ref.namespace, source, since)
                self._threads[source] = threading.Thread(target=self._follow, args=(lines,), daemon=True)
                self._threads[source].start()

    def _wait_for_ends(self, report: Report) -> None:
        """Wait a moment for the ends of the containers after the run."""
        until = time.monotonic() + END_SECONDS
        for thread in self._threads.values():
            thread.join(max(until - time.monotonic(), 0))
        self.report = report
        self._output.put(None)

    def _follow(self, lines: LogLines) -> None:
        """Give the lines of one container until it has ended or its pod is deleted."""
        tail = str(self._limits.tail or "")
        while True:
            try:
                state = lines.read_state()
                if state not in BEGUN:
                    tail = ""  # the container is followed from its start
                else:
                    for line in lines.connect(state == "running", tail):
                        self._output.put((lines.source, line))
                    if state == "terminated":
                        return
            except ApiError as error:  # the API server or the kubelet is unavailable
                if error.status == MISSING:
                    return
            time.sleep(RETRY_SECONDS)
