"""The containers from which the lines of a run come; each line is printed once."""

import dataclasses
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from dsgen.cluster.logs import LogChoice, LogLines, LogSource, list_tails, remark_on_choice, select_sources
from dsgen.cluster.models import Container, PodState, RunState
from dsgen.errors import ApiError
from tests.cluster.test_phase import pod, state

STATES = {"image": "", "state": "running", "reason": "", "message": "", "exit_code": None, "restarts": 0}


def container(name: str, kind: str = "main") -> Container:
    return Container(name=name, kind=kind, started=None, finished=None, **STATES)  # type: ignore[arg-type]  # a table


def worker(index: int, name: str = "", created: float = 1) -> PodState:
    containers = (container("code", "init"), container("worker"))
    return pod("worker", name=name or f"worker-{index}", index=index, created=created, containers=containers)


def run_of(count: int, method: str = "torchrun", slots: int = 1) -> RunState:
    launcher = pod("launcher", name="launcher", containers=(container("status", "sidecar"), container("launcher")))
    settings = {"method": method, "slots": slots, "workers": count}
    return state("Running", settings=settings, pods=[launcher, *(worker(index) for index in range(count))])


@pytest.mark.parametrize(
    ("method", "choice", "expected"),
    [
        ("pdsh", LogChoice(), [("launcher", "launcher", "")]),
        ("torchrun", LogChoice(), [(f"worker-{index}", "worker", "") for index in range(3)]),
        ("torchrun", LogChoice(launcher=True), [("launcher", "launcher", "")]),
        ("torchrun", LogChoice(status=True), [("launcher", "status", "")]),
        ("pdsh", LogChoice(worker=1), [("worker-1", "worker", "")]),
        ("torchrun", LogChoice(worker=1, init=True), [("worker-1", "code", "")]),
        ("pdsh", LogChoice(rank=5), [("launcher", "launcher", "cifar-1-worker-2")]),
        ("torchrun", LogChoice(rank=5), [("worker-2", "worker", "")]),
        ("torchrun", LogChoice(worker=7), []),
    ],
)
def test_lines_come_from_where_the_method_writes_them(
    method: str, choice: LogChoice, expected: list[tuple[str, str, str]]
) -> None:
    selected = select_sources(run_of(3, method, slots=2), choice)

    assert expected == [(source.pod, source.container, source.host) for source in selected]


def test_of_many_workers_the_first_and_the_last_are_shown() -> None:
    many = run_of(17)

    assert ["worker-0", "worker-16"] == [source.pod for source in select_sources(many, LogChoice())]
    assert "15 more workers: --worker N shows one" == remark_on_choice(many, LogChoice())
    assert ("", "") == (remark_on_choice(run_of(16), LogChoice()), remark_on_choice(many, LogChoice(worker=3)))


def test_previous_pods_are_those_that_were_replaced() -> None:
    replaced = run_of(2)
    replaced.pods.append(worker(1, "worker-1-new", created=2))

    assert ["worker-1"] == [source.pod for source in select_sources(replaced, LogChoice(previous=True))]
    assert ["worker-0", "worker-1", "worker-1-new"] == [source.pod for source in select_sources(replaced, LogChoice())]


def test_the_record_keeps_the_last_lines() -> None:
    attempts = [{"reason": "Succeeded"}, {"reason": "TrainingFailed", "rank": 1, "host": "w-1", "tail": ["a", "b"]}]

    assert ["attempt 2, TrainingFailed, rank 1 on w-1:", "a", "b"] == list(list_tails({"attempts": attempts}))


# ---- connections that break ----


@dataclasses.dataclass
class Node:
    """A log as a kubelet gives it: from a second on, each connection up to a line."""

    log: list[bytes]
    connections: list[int]

    def read_lines(self, _: str, query: dict[str, str], **__: Any) -> Iterator[bytes]:
        since = query.get("sinceTime", "")
        yield from [line for line in self.log[: self.connections.pop(0)] if line[:19].decode() + "Z" >= since]


LOG = [
    b"2026-01-01T00:00:00.1Z one",
    b"2026-01-01T00:00:01.1Z same",
    b"2026-01-01T00:00:01.1Z same",
    b"2026-01-01T00:00:01.2Z two",
    b"2026-01-01T00:00:01.2Z \xff\xfe",
    b"2026-01-01T00:00:02.0Z three",
]


@pytest.mark.parametrize("first", range(len(LOG) + 1))
@pytest.mark.parametrize("second", range(len(LOG) + 1))
def test_no_line_is_lost_or_comes_twice(first: int, second: int) -> None:
    node = Node(LOG, [first, max(first, second), len(LOG)])
    lines = LogLines(node, "training", LogSource("pod", "worker", "pod"))  # type: ignore[arg-type]  # the part that is used

    assert LOG == [line for _ in range(3) for line in lines.connect(True)]


@pytest.mark.parametrize(
    ("said", "status"), [(b"unable to retrieve container logs for containerd://1", 404), (b"rpc error: none", 0)]
)
def test_what_the_kubelet_says_is_no_line(said: bytes, status: int) -> None:
    lines = LogLines(Node([LOG[0], said], [2]), "training", LogSource("pod", "worker", "pod"))  # type: ignore[arg-type]  # as above
    received = lines.connect(True)

    assert LOG[0] == next(received)
    with pytest.raises(ApiError, match=said.decode()) as raised:
        next(received)
    assert status == raised.value.status


def test_a_rank_has_the_lines_of_its_host() -> None:
    log = [b"2026-01-01T00:00:00.1Z cifar-1-worker-1: a", b"2026-01-01T00:00:00.1Z cifar-1-worker-10: b"]
    lines = LogLines(Node(log, [2]), "training", LogSource("pod", "launcher", "pod", "cifar-1-worker-1"))  # type: ignore[arg-type]  # as above

    assert log[:1] == list(lines.connect(False))


MARKED = [
    b"[rank5]: Traceback (most recent call last):",
    b"[rank5]:[W1122 18:00:00.123456 ProcessGroupNCCL.cpp:1250] Warning",
    b"[2026-11-22 18:00:00,123] [INFO] [logging.py:107:log_dist] [Rank 5] step=10, skipped=0",
    b"[dsgen] rank 5 of 8 started on cifar-1-worker-1",
    b"[epoch 5] [Rank of a matrix] [rank5] loss 1",
]


@pytest.mark.parametrize("host", ["", "cifar-1-worker-1"])
@pytest.mark.parametrize(("rank", "expected"), [(5, 5), (4, 1), (55, 1)])
def test_lines_that_name_another_rank_are_left_out(host: str, rank: int, expected: int) -> None:
    label = f"{host}: ".encode() if host else b""
    log = [b"2026-01-01T00:00:00.1Z " + label + line for line in MARKED]
    lines = LogLines(Node(log, [9]), "training", LogSource("pod", "worker", "pod", host, rank))  # type: ignore[arg-type]  # as above

    assert log[-expected:] == list(lines.connect(False))


def test_without_a_rank_all_lines_are_shown() -> None:
    log = [b"2026-01-01T00:00:00.1Z " + line for line in MARKED]
    lines = LogLines(Node(log, [9]), "training", LogSource("pod", "worker", "pod"))  # type: ignore[arg-type]  # as above

    assert log == list(lines.connect(False))


@pytest.mark.parametrize(
    ("slots", "choice", "expected"),
    [(4, LogChoice(rank=5), ["its 4 ranks"]), (4, LogChoice(worker=1), []), (1, LogChoice(rank=1), [])],
)
def test_a_worker_with_several_ranks_mixes_their_lines(slots: int, choice: LogChoice, expected: list[str]) -> None:
    assert expected == re.findall(r"its \d+ ranks", remark_on_choice(run_of(3, slots=slots), choice))


SHOW = """
from dsgen.cli.logs import LogSource, Show
shown = Show({timestamps}, raw={raw})
shown.labels = {labels}
source = LogSource("pod", "worker", "pod")
shown.write_line(source, b"2026-01-01T00:00:00Z \\x1b[31m::set-output name=a::b\\x1b[2J\\xff")
"""
RED, CLEAR = b"\x1b[31m", b"\x1b[2J"
COMMAND = b"::set-output name=a::b"


def shown(terminal: bool, raw: bool = False, timestamps: bool = False, labels: bool = False, **variables: str) -> bytes:
    """What a line of a training looks like in a pipe, or on a real terminal."""
    kept = {name: value for name, value in os.environ.items() if name not in ("CI", "NO_COLOR", *variables)}
    here, there = os.openpty() if terminal else os.pipe()
    program = SHOW.format(raw=raw, timestamps=timestamps, labels=labels)
    subprocess.run([sys.executable, "-c", program], stdout=there, env={**kept, **variables}, check=True)
    text = os.read(here, 1000)
    for descriptor in (here, there):
        os.close(descriptor)
    return text.removesuffix(b"\n").removesuffix(b"\r")


def test_a_pipe_gets_neither_colors_nor_commands() -> None:
    assert b"\\x3a:set-output name=a::b\\x1b[2J\\xff" == shown(terminal=False)


def test_a_terminal_gets_colors_and_nothing_else_that_it_obeys() -> None:
    assert RED + COMMAND + b"\\x1b[2J\\xff\x1b[m" == shown(terminal=True)


@pytest.mark.parametrize("variable", ["CI", "TF_BUILD", "TEAMCITY_VERSION", "JENKINS_URL"])
def test_a_terminal_of_a_ci_system_is_no_person(variable: str) -> None:
    assert b"\\x3a:set-output name=a::b\\x1b[2J\\xff" == shown(terminal=True, **{variable: "True"})
    assert shown(terminal=True) == shown(terminal=True, **{variable: "false"})


@pytest.mark.parametrize("terminal", [True, False])
def test_who_asks_for_it_gets_what_the_training_printed(terminal: bool) -> None:
    assert RED + COMMAND + CLEAR + b"\xff" == shown(terminal, raw=True)


def test_a_command_is_one_behind_a_time_and_a_label_too() -> None:
    """A CI system may show the columns of a log apart."""
    line = b"2026-01-01T00:00:00Z \\x3a:set-output name=a::b\\x1b[2J\\xff"

    assert b"pod " + line == shown(terminal=False, timestamps=True, labels=True)
