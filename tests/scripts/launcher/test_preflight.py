"""The network test: pairs, results, and real workers that exchange data over real sshd."""

import contextlib
import itertools
import os
import shutil
import signal
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from launcher import journal, preflight, workers
from shared import exchange, settings
from ssh import launch
from tests.scripts import conftest
from tests.scripts.trainings import settings_of
from worker import preflight as worker_preflight

FAST, SLOW = 1000.0, 50.0


def checked(hosts: int, rates: dict[int, float]) -> tuple[preflight.NetworkVerdict, list[list[tuple[int, int]]]]:
    """Verdict and rounds of a network in which these hosts have these rates, the others FAST; a pair has the lower."""
    rounds, made = preflight.Rounds(hosts), []
    while pairs := rounds.choose_pairs():
        made.append(pairs)
        for pair in pairs:
            rate = min(rates.get(index, FAST) for index in pair)
            rounds.add_result(pair, rate, ["", ""] if rate else ["timed out", "timed out"])
    return rounds.make_verdict(), made


@pytest.mark.parametrize("hosts", range(1, 9))
def test_good_hosts_meet_both_neighbours_and_none_is_blamed(hosts: int) -> None:
    verdict, made = checked(hosts, {})

    assert (verdict.slow, verdict.dead) == ({}, {})
    assert len(made) == {1: 0, 2: 1}.get(hosts, 2 + hosts % 2)
    assert {index for pairs in made for pair in pairs for index in pair} == (set() if hosts == 1 else set(range(hosts)))


@pytest.mark.parametrize(("hosts", "bad"), [(n, bad) for n in range(3, 9) for bad in range(n)])
@pytest.mark.parametrize("rate", [0.0, SLOW])
def test_one_bad_host_is_named_alone(hosts: int, bad: int, rate: float) -> None:
    verdict, made = checked(hosts, {bad: rate})

    assert verdict.dead == ({} if rate else {bad: "timed out"})
    assert verdict.slow == ({bad: SLOW} if rate else {})
    assert len(made) <= 3, "its neighbours did well, so it need not be tried with others"


@pytest.mark.parametrize("bad", list(itertools.combinations(range(7), 2)))
def test_two_bad_hosts_are_named_and_nobody_between_them(bad: tuple[int, int]) -> None:
    assert sorted(checked(7, dict.fromkeys(bad, 0.0))[0].dead) == sorted(bad)
    assert sorted(checked(7, dict.fromkeys(bad, SLOW))[0].slow) == sorted(bad)


def test_of_two_hosts_nobody_can_tell_which_is_bad() -> None:
    assert checked(2, {1: 0.0})[0].dead == {0: "timed out", 1: "timed out"}
    assert checked(2, {1: SLOW})[0].slow == {}


@pytest.mark.parametrize("hosts", [2, 5, 8, 101])
def test_no_host_is_in_two_pairs_of_one_round_and_no_pair_comes_twice(hosts: int) -> None:
    _, made = checked(hosts, dict.fromkeys(range(0, hosts, 3), 0.0))

    for pairs in made:
        members = [index for pair in pairs for index in pair]
        assert len(members) == len(set(members))
        assert all(mine != other for mine, other in pairs)
    every = [frozenset(pair) for pairs in made for pair in pairs]
    assert len(every) == len(set(every))
    assert len(made) <= 3 + preflight.FURTHER_ROUNDS


FULL = {"bytes": 64 << 20, "seconds": 0.5}


@pytest.mark.parametrize(
    ("reports", "expected"),
    [
        ([FULL, {"bytes": 64 << 20, "seconds": 2.0}], (32.0, ["", ""])),
        ([{"bytes": 1 << 20, "seconds": 20.0}, {"problem": "timed out"}], (0.05, ["", ""])),
        ([FULL, {}], (0.0, ["timed out", "no answer"])),
        ([{"problem": "Connection refused"}, {"problem": "timed out"}], (0.0, ["Connection refused", "timed out"])),
        ([{}, {}], (0.0, ["no answer"] * 2)),
    ],
)
def test_what_a_pair_reports(reports: list[dict[str, Any]], expected: tuple[float, str]) -> None:
    assert expected == preflight.compute_rate(reports)


def test_the_reason_why_a_host_could_not_begin_is_kept() -> None:
    rounds = preflight.Rounds(3)
    for pair, problems in (((0, 1), ["Address already in use", "timed out"]), ((2, 0), ["timed out", "timed out"])):
        rounds.add_result(pair, 0.0, problems)
    assert rounds.problems == {0: "Address already in use", 1: "timed out", 2: "timed out"}


def test_the_note_stands_in_the_record_where_nothing_else_is_said(tmp_path: Path) -> None:
    made = journal.LauncherState(tmp_path / exchange.LAUNCHER)
    made.note = "network: w-1 is slow"
    for event, message in (("started", ""), ("running", ""), ("failed", "rank 0 failed")):
        made.move(event, message)
        assert exchange.read(tmp_path / exchange.LAUNCHER)["message"] == (message or made.note)


def test_the_words_for_the_record() -> None:
    verdict = preflight.NetworkVerdict({1: 41.2}, {2: "timed out"}, 812.4, {})
    expected = "network: w-2 exchanges no data: timed out; w-1 is slow: 41 MiB/s, median 812"
    assert expected == verdict.describe_bad_workers(["w-0", "w-1", "w-2"])
    assert preflight.NetworkVerdict({}, {}, 812.4, {}).describe_bad_workers([]) == ""


NAMES = [f"w-{index}" for index in range(4)]


def configured(**changes: Any) -> settings.Settings:
    given = {"workers": 2, "spares": 2, "slots": 1, "master_port": 29500, **changes}
    return settings_of(given)


@pytest.mark.parametrize(
    ("present", "slow", "dead", "enough", "chosen", "note"),
    [
        ([0, 1, 2, 3], {}, {}, True, [0, 1], ""),
        ([0, 1, 2, 3], {}, {0: "x"}, True, [1, 2], "network: w-0 exchanges no data: x; in their place: w-2"),
        ([0, 1, 2], {0: 9.0}, {1: "x"}, True, [0, 2], "in their place: w-2"),
        ([0, 1, 2, 3], {0: 9.0, 1: 8.0, 2: 7.0}, {}, True, [0, 3], "in their place: w-3"),
        ([1, 2, 3], {}, {}, True, [1, 2], "w-0 is not reachable; in their place: w-2"),
        ([0, 1, 2], {}, {0: "x", 2: "x"}, False, [1], "network: w-0 exchanges no data: x; w-2 exchanges no data: x"),
    ],
)
def test_who_trains(
    present: list[int], slow: dict[int, float], dead: dict[int, str], enough: bool, chosen: list[int], note: str
) -> None:
    made = launch.SshWorkerChoice(configured(), workers.Workers(NAMES))
    made.present = [NAMES[index] for index in present]
    made.verdict = preflight.NetworkVerdict(slow, dead, 100.0, {})

    assert made.choose() is enough
    assert made.workers.chosen == [NAMES[index] for index in chosen]
    assert made.explain_choice().endswith(note)


class Pods:
    """Workers that meet on the addresses 127.0.0.1, .2, ... of this machine, with one key, each with its own files."""

    def __init__(
        self, make: Callable[[Path], Any], count: int, dial: conftest.Dial, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.pods = [make(Path(tempfile.mkdtemp(prefix="dsgen-pod-"))) for _ in range(count)]
        self.pods[0].make_key()
        for pod in self.pods:
            pod.root.chmod(0o755)
            if pod is not self.pods[0]:
                shutil.copy2(self.pods[0].keys / "ssh-privatekey", pod.keys)
            (pod.root / "job").mkdir()
            (pod.root / "job/hostfile").write_text("".join(f"127.0.0.{place + 1} slots=1\n" for place in range(count)))
            self.start(pod)
        config = self.pods[0].root / "client"
        hosts = [f"Host cifar-1-worker-{place}.*\n  Port {pod.port}\n" for place, pod in enumerate(self.pods)]
        config.write_text("".join(hosts) + (self.pods[0].config / "ssh_config").read_text())
        monkeypatch.setenv("PDSH_SSH_ARGS_APPEND", f"-F {config}")
        self.reached = dial(*self.pods)
        self.names, self.control = self.reached.names, self.reached.control

    def start(self, pod: Any) -> None:
        pod.start(JOB_COMPLETION_INDEX=str(self.pods.index(pod)))

    def wait(self) -> None:
        """Until all serve."""
        conftest.wait_for_workers(self.reached)

    def check(self, port: int) -> preflight.NetworkVerdict:
        self.wait()
        return preflight.check(self.control, self.names, self.names, port, lambda: None)


@pytest.fixture
def pods(pod: Any, monkeypatch: pytest.MonkeyPatch, dial: conftest.Dial) -> Iterator[Callable[[int], Pods]]:
    monkeypatch.setattr(preflight, "SLOW", 0.2)  # all of them share one machine, with whatever else runs there
    monkeypatch.setattr(preflight, "CONNECT_SECONDS", 10)
    monkeypatch.setattr(preflight, "TRANSFER_SECONDS", 6)
    made: list[Pods] = []

    def make(count: int) -> Pods:
        made.append(Pods(type(pod), count, dial, monkeypatch))
        return made[-1]

    yield make
    for one in [one for group in made for one in group.pods]:
        one.stop()
        shutil.rmtree(one.root)


def test_workers_exchange_data(pods: Callable[[int], Pods]) -> None:
    made = pods(3)

    verdict = made.check(conftest.free_port())

    assert (verdict.slow, verdict.dead) == ({}, {})
    assert verdict.median > 0


def test_one_so_slow_that_time_runs_out_is_slow_and_not_dead(pods: Callable[[int], Pods]) -> None:
    made = pods(3)
    made.pods[1].patch("worker/preflight.py", "self.send(chunk)", "time.sleep(1), self.send(chunk)")

    verdict = made.check(conftest.free_port())

    assert (list(verdict.slow), verdict.dead) == ([1], {})
    assert 0 < verdict.slow[1] < 3


def test_a_worker_whose_port_is_taken_is_dead(pods: Callable[[int], Pods]) -> None:
    """The first listens in each of its pairs."""
    made = pods(3)
    port = conftest.free_port()
    with socket.create_server(("127.0.0.1", port)):
        verdict = made.check(port)

    assert (verdict.slow, list(verdict.dead)) == ({}, [0])
    said = verdict.describe_bad_workers(made.names)
    assert said.startswith(f"network: {made.names[0]} exchanges no data: Address already in use")


def test_nobody_else_is_taken_for_the_other_worker(pods: Callable[[int], Pods]) -> None:
    made = pods(2)
    made.pods[1].patch("worker/preflight.py", "token.encode()", "token[::-1].encode()")

    verdict = made.check(conftest.free_port())

    assert sorted(verdict.dead) == [0, 1]


def test_a_spare_stands_in_for_a_worker_that_is_missing(
    pods: Callable[[int], Pods], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once the others have waited for it for a while."""
    monkeypatch.setattr(launch, "SPARE_SECONDS", 1)
    monkeypatch.setattr(launch, "SLICE_SECONDS", 0.5)
    made = pods(3)
    made.wait()
    os.kill(made.pods[1].started[0].pid, signal.SIGTERM)
    made.pods[1].started[0].wait(20)
    gathered = launch.SshWorkerChoice(configured(spares=1), made.reached)

    assert gathered.wait_for_workers(lambda: True) == {}

    assert made.reached.chosen == [made.names[0], made.names[2]]
    too_few = launch.SshWorkerChoice(configured(spares=0, workers=3), made.reached)
    assert too_few.wait_for_workers(lambda: False) == {made.names[1]: ""}


CONNECTING = "import socket, time; c = socket.create_connection(('127.0.0.{other}', {port})); time.sleep({seconds})"


@pytest.mark.parametrize("meets", [True, False])
def test_a_command_of_the_launcher_has_met_where_its_sessions_have(pods: Callable[[int], Pods], meets: bool) -> None:
    """The other end of the connection may be in a session of its own, or in none: here it is this test."""
    made = pods(2)
    port = conftest.free_port()
    for one in made.pods:
        one.settings(method="launcher-command", masterPort=port)
    made.wait()
    first = made.control.find_member(made.names[0])
    with socket.create_server(("127.0.0.2", port)):
        code = CONNECTING.format(other=2 if meets else 1, port=port, seconds=2)
        made.pods[0].ssh(f'python3 -c "{code}"')
        if meets:
            made.pods[0].wait_until(lambda: first.met)

    assert (made.pods[0].run / "met").exists() is meets
    assert not (made.pods[1].run / "met").exists()
    made.control.begin(1, made.control.output)
    made.control.wait_for_obedience(20)
    assert (first.attempt, first.met, (made.pods[0].run / "met").exists()) == (1, False, False)


@pytest.mark.parametrize(
    ("patience", "sources", "count", "said"),
    [
        # Another pod can connect to the port, too, and only the pair knows the token.
        (0.2, [1], 3, b""),
        (0.2, [1], 3, b"0"),
        # Connections of other addresses are not waited for: they would take more than the time of the pair.
        (60, range(2, 202), 400, b""),
    ],
)
def test_silent_strangers_do_not_make_a_pair_fail(
    patience: float, sources: Sequence[int], count: int, said: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_preflight, "GREETING_SECONDS", patience)
    ends = [worker_preflight.PeerConnection(), worker_preflight.PeerConnection()]
    port, token = conftest.free_port(), b"5f" * 16
    for end in ends:
        end.allow(20)
    listening = threading.Thread(target=ends[0].listen, args=("127.0.0.1", "127.0.0.1", port, token))
    listening.start()
    strangers: list[socket.socket] = []
    while len(strangers) < count:
        source = f"127.0.0.{sources[len(strangers) % len(sources)]}"
        with contextlib.suppress(ConnectionRefusedError):
            strangers.append(socket.create_connection(("127.0.0.1", port), source_address=(source, 0)))
            strangers[-1].sendall(said)

    ends[1].connect("127.0.0.1", port, token)

    listening.join()
    for each in (*strangers, *(end.socket for end in ends)):
        each.close()
