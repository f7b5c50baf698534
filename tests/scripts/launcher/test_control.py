"""Workers without ssh and their launcher: a real worker takes orders over its connection only."""

import contextlib
import json
import os
import resource
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from launcher import control, main, workers
from local.launch import WithoutSsh
from shared import control as connections
from shared.output import Output
from tests.scripts.trainings import HOSTS, settings_of, tell

# Ends with 5 in the first attempt; says its port.
PROGRAM = 'echo "port $MASTER_PORT"; [ $MASTER_PORT = 29500 ] && { echo last; exit 5; }; sleep 4401 & wait'

STARTED = "[dsgen] rank 1 of 2 started on"


@pytest.fixture
def worker(pod: Any) -> Iterator[Callable[..., Any]]:
    """Starts worker 1 of two, which finds the launcher in the record."""

    def start(address: str, *program: str) -> Any:
        pod.settings(method="worker-command", expectWorld=False, masterPort=29500)
        (pod.config / "hostfile").write_text("".join(f"{host} slots=1\n" for host in HOSTS))
        (pod.config / "command.json").write_text(json.dumps({"program": program, "arguments": []}))
        pod.record("Pending", launcher=address)
        return pod.start(JOB_COMPLETION_INDEX="1")

    yield start
    for pid in pod.marked("4401"):
        pod.kill(pid)


@pytest.mark.parametrize("closed", [True, False], ids=["killed", "without a network"])
def test_a_worker_runs_one_attempt_after_the_other_and_ends_with_the_run(
    closed: bool, pod: Any, worker: Callable[..., Any], capfd: pytest.CaptureFixture[str]
) -> None:
    """Each with a port of its own; what a rank reports reaches this launcher and the next; each prints it once."""
    made = control.ControlServer(HOSTS)
    process = worker(made.listen(), "bash", "-c", PROGRAM)
    member = made.members["cifar-1-worker-1"]
    pod.wait_until(lambda: member.connection)
    assert (member.attempt, "starting" in pod.log()) == (0, False)
    made.tell(attempt=1)
    pod.wait_until(lambda: member.code == 5)
    assert made.output.find_failure() == {"host": HOSTS[1], "rank": 1, "exitCode": 5, "tail": ["port 29500", "last"]}
    made.tell(attempt=2, signal="")
    pod.wait_until(lambda: pod.marked("4401"))
    assert "port 29501" in pod.log()
    printed: list[str] = []
    pod.wait_until(lambda: printed.append(capfd.readouterr().out) or "".join(printed).count(STARTED) == 2)

    after = control.ControlServer(HOSTS)  # another launcher pod
    pod.record("Running", launcher=after.listen())
    assert member.connection is not None
    if closed:
        member.connection.shutdown(socket.SHUT_RDWR)
    member = after.members["cifar-1-worker-1"]
    pod.wait_until(lambda: member.connection)
    assert (member.attempt, member.code) == (2, None)
    after.tell(attempt=2)
    pod.wait_until(lambda: after.output.ranks == {1})
    after.tell(signal="TERM")
    pod.wait_until(lambda: member.code is not None)
    after.tell(signal="KILL")
    pod.wait_until(lambda: not pod.marked("4401"))
    assert process.poll() is None
    after.tell(over="Failed")
    assert process.wait(20) == 1
    assert capfd.readouterr().out.count(STARTED) == 1


def test_an_attempt_begins_without_the_shared_memory_of_the_one_before(pod: Any, worker: Callable[..., Any]) -> None:
    """DeepSpeed never removes its buffers, whose names have the port of the attempt. What is not theirs stays."""
    memory = pod.root / "dev/shm"
    memory.mkdir()
    own = f"deepspeed_allreduce_buffer_{os.getuid()}_{HOSTS[0]}"
    others = ["data", f"deepspeed_allreduce_buffer_{os.getuid()}_another_29500_0", f"x{own}_29500_0"]
    for name in others:
        (memory / name).touch()
    made = control.ControlServer(HOSTS)
    worker(
        made.listen(), "bash", "-c", f"touch {memory}/{own}_${{MASTER_PORT}}_0; ls {memory} >{pod.root}/at-$MASTER_PORT"
    )
    member = made.members["cifar-1-worker-1"]
    pod.wait_until(lambda: member.connection)

    for attempt, port in ((1, 29500), (2, 29501)):
        made.tell(attempt=attempt)
        pod.wait_until(lambda number=attempt: (member.attempt, member.code) == (number, 0))
        assert sorted([*others, f"{own}_{port}_0"]) == sorted((pod.root / f"at-{port}").read_text().split())


@pytest.mark.parametrize(("phase", "code"), [("Succeeded", 0), ("Failed", 1)])
def test_a_worker_that_has_ended_well_waits_for_the_end_of_the_run(
    pod: Any, worker: Callable[..., Any], phase: str, code: int
) -> None:
    made = control.ControlServer(HOSTS)
    process = worker(made.listen(), "true")
    member = made.members["cifar-1-worker-1"]
    pod.wait_until(lambda: member.connection)
    made.tell(attempt=1)
    pod.wait_until(lambda: member.code == 0)
    assert process.poll() is None
    made.tell(over=phase)
    assert process.wait(20) == code


def test_a_worker_that_is_told_to_stop_says_so(pod: Any, worker: Callable[..., Any]) -> None:
    made = control.ControlServer(HOSTS)
    process = worker(made.listen(), "bash", "-c", "sleep 4401 & wait")
    member = made.members["cifar-1-worker-1"]
    pod.wait_until(lambda: member.connection)
    made.tell(attempt=1)
    pod.wait_until(lambda: pod.marked("4401"))
    process.terminate()
    assert process.wait(20) == 143
    pod.wait_until(lambda: 1 in member.lost)


def test_a_worker_takes_no_orders_from_who_does_not_know_the_nonce(pod: Any, worker: Callable[..., Any]) -> None:
    """Another pod may have got the address of a launcher that is gone."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        process = worker(f"127.0.0.1:{server.getsockname()[1]}/{'5f' * 16}", "true")
        for _ in range(2):
            connection, _ = server.accept()
            with connection:
                word = connection.recv(65)
                connection.sendall(word + word + b'{"attempt": 1}\n{"over": "Failed"}\n')
                with contextlib.suppress(ConnectionError):
                    while connection.recv(100):
                        pass
        assert process.poll() is None
        assert "starting" not in pod.log()


def reached(address: str, source: str = "") -> socket.socket:
    """A connection to the launcher, from an address of this machine."""
    host, _, port = address.partition("/")[0].rpartition(":")
    where = "127.0.0.1" if source else host
    connection = socket.create_connection(
        (where, int(port)), timeout=10, source_address=(source, 0) if source else None
    )
    nowhere.append(connection)
    return connection


class Speaker:
    """A connection of who has proved to know the nonce."""

    def __init__(self, made: control.ControlServer, address: str, nonce: str = "", source: str = "") -> None:
        self.made, self.connection = made, reached(address, source)
        self.talk = connections.shake(self.connection, (nonce or made.nonce).encode(), "worker", 10)

    def say(self, content: dict[str, Any] | str) -> None:
        self.connection.sendall(self.talk.pack(content if isinstance(content, str) else json.dumps(content)))

    def is_heard(self) -> bool:
        """Whether the launcher takes what worker 1 says, and answers with its order."""
        self.say({"host": "cifar-1-worker-1", "life": "x", "attempt": 0, "code": None})
        return dict(json.loads(self.talk.unpack(self.connection.recv(1000)))) == self.made.order


def is_open(connection: socket.socket) -> bool:
    """Whether the launcher waits for the proof. It speaks first, and refuses by an end."""
    with contextlib.suppress(ConnectionError):
        return connection.recv(connections.WORD_BYTES) != b""
    return False


def test_a_neighbour_cannot_keep_workers_out() -> None:
    """Without the nonce, it holds few connections and threads, however many it begins."""
    made = control.ControlServer(HOSTS)
    address = made.listen()
    before = threading.active_count()

    held = [is_open(reached(address, "127.0.0.9")) for _ in range(100)]

    assert connections.STRANGERS_OF_ADDRESS == sum(held)
    assert before + connections.STRANGERS_OF_ADDRESS >= threading.active_count()
    assert Speaker(made, address, source="127.0.0.10").is_heard()


def test_many_neighbours_hold_so_many_connections_and_not_for_long(pod: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "STRANGERS", 20)
    monkeypatch.setattr(control, "SHAKE_SECONDS", 2)
    made = control.ControlServer(HOSTS)
    address = made.listen()

    held = [is_open(reached(address, f"127.0.1.{number % 10}")) for number in range(50)]

    assert 20 == sum(held)
    pod.wait_until(lambda: not made.strangers.counts)
    assert Speaker(made, address).is_heard()


def test_what_a_worker_reports_without_end_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Training code can read the nonce in the record."""
    monkeypatch.setattr(control, "HEARD_BYTES", 1 << 20)
    made = control.ControlServer(HOSTS)
    address = made.listen()
    for _ in range(2):
        speaker = Speaker(made, address)
        with contextlib.suppress(ConnectionError):
            for number in range(1000):
                speaker.say({"attempt": 0, "report": f"{number} {os.urandom(4).hex()} {'x' * 10_000}"})

    assert sum(len(text) for _, text in made.heard) <= 1 << 20
    made.begin(1, Output(HOSTS))
    assert 0 == made.heard_bytes


def test_who_speaks_slowly_has_one_limit_for_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not one for each byte."""
    monkeypatch.setattr(control, "SHAKE_SECONDS", 1)
    made = control.ControlServer(HOSTS)
    connection = reached(made.listen())
    sent = 0
    with contextlib.suppress(ConnectionError):
        while sent < connections.WORD_BYTES:
            connection.sendall(b"5")
            sent += 1
            time.sleep(0.3)

    assert sent < 10


def test_a_worker_waits_no_longer_for_who_speaks_slowly() -> None:
    """Another pod may have got the address of a launcher that is gone."""
    here, there = socket.socketpair()
    ended = threading.Event()

    def drip() -> None:
        with contextlib.suppress(OSError):
            while not ended.wait(0.3):
                there.sendall(b"5")

    thread = threading.Thread(target=drip)
    thread.start()
    with here, pytest.raises(OSError, match="timed out"):
        connections.shake(here, b"5f" * 16, "worker", 1)
    ended.set()
    thread.join()
    there.close()


def test_the_launcher_goes_on_when_no_thread_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pod has a limit of processes."""
    made = control.ControlServer(HOSTS)
    address = made.listen()
    start, refused = threading.Thread.start, []

    def begin(thread: threading.Thread) -> None:
        if not refused:
            refused.append(thread)
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", begin)

    assert not is_open(reached(address))
    assert Speaker(made, address).is_heard()
    assert not made.strangers.counts


@pytest.mark.parametrize(
    "said", ["[" * 5000, '{"host": "cifar-1-worker-1", "life": 1, "attempt": Infinity, "code": 0}', "7"]
)
def test_only_the_connection_ends_on_which_rubbish_arrives(pod: Any, said: str) -> None:
    made = control.ControlServer(HOSTS)
    address = made.listen()
    speaker = Speaker(made, address)
    assert speaker.is_heard()
    member = made.members["cifar-1-worker-1"]

    speaker.say(said)

    assert speaker.connection.recv(10) == b""
    pod.wait_until(lambda: member.connection is None)
    assert Speaker(made, address).is_heard()


def test_the_launcher_hears_no_worker_that_does_not_know_the_nonce() -> None:
    made = control.ControlServer(HOSTS)
    address = made.listen()

    with pytest.raises(ConnectionError):
        Speaker(made, address, nonce="5f" * 16)
    for said in ('{"host": "another", "life": "x", "attempt": 1, "code": 3}', '{"over"'):
        speaker = Speaker(made, address)
        speaker.say(said)
        assert speaker.connection.recv(10) == b""
    unsigned = Speaker(made, address).connection
    unsigned.sendall(b'{"host": "cifar-1-worker-1", "life": "x", "attempt": 1, "code": 3}\n')
    assert unsigned.recv(10) == b""
    assert [member.attempt for member in made.members.values()] == [0, 0]


@pytest.fixture(autouse=True)
def run_folder(run_folder: Path) -> Iterator[Path]:
    """With workers that are ready; connections of a test end with it."""
    tell(run_folder, workers={"state": "active", "failed": 0, "ready": 2, "message": ""}, earlier=None)
    yield run_folder
    while nowhere:
        nowhere.pop().close()


nowhere: list[socket.socket] = []


def side(**changes: Any) -> WithoutSsh:
    """The launcher's part for two workers that are connected."""
    given = {"workers": 2, "slots": 1, "method": "torchrun", "autotuning": "none", "start_timeout_seconds": 60}
    given |= {"restart_exit_codes": [], "deepspeed_args": [], "master_port": 29500, "expect_world": True, **changes}
    configured = settings_of(given)
    made = main.Launcher(configured, workers.Workers(HOSTS))
    assert isinstance(made.side, WithoutSsh)
    for index, member in enumerate(made.side.control.members.values()):
        member.connection = socket.socket()
        nowhere.append(member.connection)
        member.life = str(index)
    return made.side


def says(launcher_side: WithoutSsh, index: int, attempt: int, code: int | None = None, **more: Any) -> None:
    member = list(launcher_side.control.members.values())[index]
    member.update({"life": str(index), "attempt": attempt, "code": code, **more})


def ranks(launcher_side: WithoutSsh, attempt: int, *kinds: str) -> None:
    for index in (0, 1):
        facts = {"host": f"cifar-1-worker-{index}", "rank": index, "worldSize": 2, "localRank": 0, "exitCode": 0}
        for kind in ("rank", *kinds):
            launcher_side.control._take_report(f"dsgen-{kind} {json.dumps({**facts, 'tail': []})}", attempt)


def end_of(launcher_side: WithoutSsh, act: Callable[[], None]) -> tuple[str, str]:
    """Event and message of an attempt in which this happens once it has begun."""
    attempt = launcher_side.make_attempt()

    def later() -> None:
        while not launcher_side.journal.attempts or launcher_side.control.order["attempt"] != launcher_side.number:
            time.sleep(0.01)
        act()

    thread = threading.Thread(target=later)
    thread.start()
    end = attempt.run()
    thread.join()
    return end.event, end.message


def test_attempts_end_as_they_do_over_ssh() -> None:
    launcher_side = side(max_restarts=1)

    def fails() -> None:
        ranks(launcher_side, 1)
        failed = {"host": "cifar-1-worker-1", "rank": 1, "exitCode": 9, "tail": ["x"]}
        launcher_side.control._take_report(f"dsgen-rank-end {json.dumps(failed)}", 1)
        says(launcher_side, 1, 1, 1)
        says(launcher_side, 0, 1, 1)

    def succeeds() -> None:
        launcher_side.control._take_report(
            'dsgen-rank-end {"host": "cifar-1-worker-1", "rank": 1, "exitCode": 9, "tail": []}', 1
        )
        ranks(launcher_side, 2, "rank-met")
        for index in (0, 1):
            says(launcher_side, index, 2, 0)

    assert end_of(launcher_side, fails) == ("restarting", f"rank 1 on {HOSTS[1]} ended with exit code 9")
    assert launcher_side.control.order["signal"] == ""
    assert end_of(launcher_side, succeeds) == ("succeeded", "")
    assert launcher_side.journal.said["worldSize"] == 2


def test_a_pod_that_comes_in_the_middle_waits_for_the_next_attempt() -> None:
    """Its predecessor is lost, whatever the others say, and they are ended."""
    launcher_side = side(max_restarts=0)
    member = launcher_side.control.members["cifar-1-worker-1"]

    def replaced() -> None:
        ranks(launcher_side, 1)
        says(launcher_side, 1, 1)
        member.update({"life": "another", "attempt": 0, "code": None})
        says(launcher_side, 0, 1, 1)

    assert end_of(launcher_side, replaced) == ("workers-lost", f"lost: {HOSTS[1]}")
    assert launcher_side.control.order["signal"] == "KILL"
    assert launcher_side.control._make_order(member)["attempt"] == 0


@pytest.mark.parametrize(("at", "number"), [((0, 0), 1), ((3, 3), 3), ((3, 0), 4), ((2, 3), 4)])
def test_a_launcher_that_takes_over_goes_on_with_the_attempt_of_its_workers(at: tuple[int, int], number: int) -> None:
    launcher_side = side()
    for index, attempt in enumerate(at):
        says(launcher_side, index, attempt)
    launcher_side.make_attempt()

    assert launcher_side.number == number
    launcher_side.make_attempt()
    assert launcher_side.number == number + 1


def test_an_attempt_that_ended_before_a_launcher_took_over_counts(capfd: pytest.CaptureFixture[str]) -> None:
    """Its workers have reported all of it, and that they have ended, when they connect; each report is printed once."""
    launcher_side = side(max_restarts=0)
    ranks(launcher_side, 1, "rank-met", "rank-end")
    for index in (0, 1):
        says(launcher_side, index, 1, 0)

    assert end_of(launcher_side, lambda: ranks(launcher_side, 1, "rank-met", "rank-end")) == ("succeeded", "")
    assert (launcher_side.number, launcher_side.journal.said["worldSize"]) == (1, 2)
    printed = [line for line in capfd.readouterr().out.splitlines() if line.startswith("[dsgen] rank ")]
    assert 6 == len(printed) == len(set(printed))


def test_where_workers_cannot_connect_they_start_by_the_record(monkeypatch: pytest.MonkeyPatch) -> None:
    launcher_side = side()
    launcher_side.wait_for_workers()
    assert (launcher_side.free, "start" in launcher_side.journal.said) == (False, False)
    launcher_side.control.members["cifar-1-worker-1"].connection = None
    monkeypatch.setattr("local.launch.CONNECT_SECONDS", 0.1)
    launcher_side.wait_for_workers()

    assert (launcher_side.free, launcher_side.journal.said["start"]) == (True, "record")
    ranks(launcher_side, 1, "rank-met", "rank-beat")
    assert launcher_side.output.met == {0, 1}
    assert len(launcher_side.control.heard) == 4, "what grows with time is not kept"


def test_a_launcher_holds_more_connections_than_the_soft_limit_of_descriptors(pod: Any) -> None:
    names = [f"cifar-1-worker-{index}" for index in range(40)]
    made = control.ControlServer(names)
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len([*Path("/proc/self/fd").iterdir()]) + 20, limits[1]))
    try:
        address = made.listen()
        for name in names:
            state = {"host": name, "life": "1", "attempt": 0, "code": None}
            Speaker(made, address).say(state)
        assert pod.wait_until(lambda: len(made.list_connected()) == len(names), 5)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def test_the_launcher_listens_where_the_sidecar_has_said() -> None:
    address, server = connections.open_pod_server()
    offered = f"{address}:{server.getsockname()[1]}/{'a' * 32}"
    server.close()

    assert offered == control.ControlServer(HOSTS).listen(offered)


def test_a_launcher_whose_port_is_taken_listens_elsewhere() -> None:
    address, server = connections.open_pod_server()
    with server:
        offered = f"{address}:{server.getsockname()[1]}/{'a' * 32}"
        listens = control.ControlServer(HOSTS).listen(offered)

    assert listens.startswith(f"{address}:")
    assert listens != offered
