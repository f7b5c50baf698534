"""Workers without ssh test the network by order of the launcher, and spares stand in: three real workers."""

import itertools
import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from launcher import choice, main, preflight, workers
from local import launch as launcher_side
from shared import exchange
from tests.scripts.conftest import free_port
from tests.scripts.trainings import settings_of, tell

ADDRESSES = [f"127.0.0.{index + 1}" for index in range(3)]
HOSTS = [f"cifar-1-worker-{index}.cifar-1" for index in range(3)]
# Says its place in the world, and waits.
PROGRAM = "echo place $NODE_RANK of $NNODES, master $MASTER_ADDR; sleep 4402 & wait"


class Trio:
    """Three workers, of which two train, and their launcher."""

    def __init__(self, pods: list[Any]) -> None:
        self.port = free_port()  # other tests run beside this one, at the same addresses
        given = {"workers": 2, "spares": 1, "slots": 1, "method": "worker-command", "autotuning": "none"}
        given |= {"start_timeout_seconds": 60, "restart_exit_codes": [], "deepspeed_args": [], "master_port": self.port}
        configured = settings_of({**given, "preflight_network": True})
        self.launcher = main.Launcher(configured, workers.Workers(HOSTS))
        assert isinstance(self.launcher.side, launcher_side.WithoutSsh)
        self.side, self.pods = self.launcher.side, pods
        self.address = self.side.control.listen()

    def start(self, *indices: int) -> None:
        for index in indices:
            pod = self.pods[index]
            pod.settings(method="worker-command", expectWorld=False, masterPort=self.port, workers=2, spares=1)
            (pod.config / "hostfile").write_text("".join(f"{host} slots=1\n" for host in HOSTS))
            (pod.root / "job").mkdir()
            (pod.root / "job/hostfile").write_text("".join(f"{address} slots=1\n" for address in ADDRESSES))
            words = {"program": ["bash", "-c", PROGRAM], "arguments": []}
            (pod.config / "command.json").write_text(json.dumps(words))
            pod.record("Pending", launcher=self.address)
            pod.start(JOB_COMPLETION_INDEX=str(index))

    def begin(self) -> list[str]:
        """Begin an attempt; the workers that train."""
        self.side.wait_for_workers()
        self.side.make_attempt().launch()
        return [host.partition(".")[0] for host in self.side.wait.workers.chosen]


@pytest.fixture
def trio(pod: Any, run_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Trio]:
    tell(run_folder, workers={"state": "active", "failed": 0, "ready": 3, "message": ""}, earlier=None)
    monkeypatch.setattr(preflight, "SLOW", 0.2)  # all of them share one machine, with whatever else runs there
    monkeypatch.setattr(preflight, "CONNECT_SECONDS", 10)
    monkeypatch.setattr(preflight, "TRANSFER_SECONDS", 6)
    pods = [pod, *(type(pod)(Path(tempfile.mkdtemp(prefix="dsgen-pod-"))) for _ in range(2))]
    yield Trio(pods)
    for one in pods:
        for pid in one.marked("4402"):
            one.kill(pid)
        one.stop()
    for one in pods[1:]:
        shutil.rmtree(one.root)


def places(trio: Trio, *indices: int) -> list[str]:
    """What the programs of these workers say, once they say it."""

    def said(index: int) -> str:
        log = trio.pods[index].log()
        return next((line for line in log.splitlines() if line.startswith("place")), "")

    trio.pods[0].wait_until(lambda: all(said(index) for index in indices), 30)
    return [said(index) for index in indices]


def test_all_are_good(trio: Trio, run_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The spare is idle, and ends with the run."""
    monkeypatch.setattr(preflight, "SLOW", 0.01)  # none is slow, however busy the machine is
    trio.start(0, 1, 2)

    assert ["cifar-1-worker-0", "cifar-1-worker-1"] == trio.begin()
    master = f"master {HOSTS[0]}"
    assert [f"place 0 of 2, {master}", f"place 1 of 2, {master}"] == places(trio, 0, 1)
    checked = trio.side.choice.compute_network_rates()
    assert checked == trio.side.journal.said["network"]
    assert 0 < checked["lowest"] <= 2 * checked["median"]
    assert "starting" not in trio.pods[2].log()
    trio.side.announce_end("Succeeded")
    assert 0 == trio.pods[2].started[0].wait(20)
    assert "Preflight" == exchange.read(run_folder / exchange.LAUNCHER)["reason"]


def test_a_slow_worker_is_named_and_replaced(trio: Trio) -> None:
    trio.pods[0].patch("worker/preflight.py", "self.send(chunk)", "time.sleep(0.5), self.send(chunk)")
    trio.start(0, 1, 2)

    assert ["cifar-1-worker-1", "cifar-1-worker-2"] == trio.begin()
    master = f"master {HOSTS[1]}"
    assert [f"place 0 of 2, {master}", f"place 1 of 2, {master}"] == places(trio, 1, 2)
    note = trio.side.journal.note
    assert note.startswith(f"network: {HOSTS[0]} is slow: ")
    assert note.endswith(f"; in their place: {HOSTS[2]}")
    assert "starting" not in trio.pods[0].log()


def test_a_worker_whose_check_ends_without_a_report_is_dead(trio: Trio) -> None:
    trio.pods[1].patch("worker/preflight.py", "def main(", "os._exit(1)\ndef main(")
    trio.start(0, 1, 2)

    assert ["cifar-1-worker-0", "cifar-1-worker-2"] == trio.begin()
    assert trio.side.journal.note.startswith(f"network: {HOSTS[1]} exchanges no data: it has ended")


def test_a_spare_stands_in_for_a_worker_that_never_connects(trio: Trio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launcher_side, "SPARE_SECONDS", 1)
    trio.start(1, 2)

    assert ["cifar-1-worker-1", "cifar-1-worker-2"] == trio.begin()
    assert f"{HOSTS[0]} is not reachable; in their place: {HOSTS[2]}" == trio.side.journal.note


def test_another_launcher_goes_on_with_those_that_train(trio: Trio) -> None:
    trio.pods[0].patch("worker/preflight.py", "self.send(chunk)", "time.sleep(0.5), self.send(chunk)")
    trio.start(0, 1, 2)
    trio.begin()
    places(trio, 1, 2)

    after = Trio(trio.pods)
    for pod in trio.pods:
        pod.record("Running", launcher=after.address)

    assert ["cifar-1-worker-1", "cifar-1-worker-2"] == after.begin()
    assert 1 == after.side.number
    assert 1 == sum(pod.log().count("starting:") for pod in trio.pods[1:2])


def test_what_the_wait_raises_ends_the_check(trio: Trio, monkeypatch: pytest.MonkeyPatch) -> None:
    """SIGTERM, say."""
    trio.pods[1].patch("worker/preflight.py", "token.encode()", "token[::-1].encode()")
    trio.start(0, 1, 2)
    calls, check = itertools.count(), preflight.exchange

    def wait() -> None:
        if next(calls) > 5:
            raise KeyboardInterrupt

    monkeypatch.setattr(preflight, "exchange", lambda *given: check(*given[:-1], wait))
    with pytest.raises(KeyboardInterrupt):
        trio.side.wait_for_workers()
    assert not any("check" in member.own for member in trio.side.control.members.values())


@pytest.mark.usefixtures("run_folder")
def test_without_spares_too_few_workers_end_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    configured = settings_of({"workers": 2, "spares": 0, "preflight_network": True})
    made = choice.WorkerChoice(configured, workers.Workers(HOSTS[:2]))
    launcher = main.Launcher(
        settings_of({"workers": 2, "method": "torchrun", "autotuning": "none", "preflight_network": True}), made.workers
    )
    verdict = preflight.NetworkVerdict({}, {0: "timed out", 1: "timed out"}, 0.0, {})

    monkeypatch.setattr(preflight, "check", lambda *_: verdict)

    with pytest.raises(main.RunEndedError) as caught:
        choice.decide_size(made, launcher.wait)

    assert "preflight-failed" == caught.value.event
    assert caught.value.message.startswith(f"network: {HOSTS[0]} exchanges no data: timed out")
