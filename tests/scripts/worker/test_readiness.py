"""When a worker's pod is ready, and how it makes the kubelet bring what is mounted."""

import itertools
import json
import socket
import time
from collections.abc import Callable
from typing import Any

import pytest

from shared import settings
from ssh import sshd
from tests.scripts.conftest import program, run_config
from tests.scripts.trainings import HOSTS
from worker import readiness

ADDRESS = "10.0.0.7:40001/0123456789abcdef0123456789abcdef"


def start(pod: Any, method: str) -> None:
    pod.settings(method=method, expectWorld=False)
    (pod.config / "hostfile").write_text("".join(f"{host} slots=1\n" for host in HOSTS))
    pod.start()


def seen(ready: Callable[[], bool], seconds: float) -> list[bool]:
    """What the probe finds, in the order in which it changes."""
    found: list[bool] = []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if found[-1:] != [now := ready()]:
            found.append(now)
        time.sleep(0.05)
    return found


@pytest.mark.parametrize("method", ["pdsh", "worker-command"])
def test_readiness_changes_until_the_worker_has_what_it_waits_for(pod: Any, method: str) -> None:
    start(pod, method)

    assert len(seen(pod.ready, 10)) > 2

    if method == "pdsh":
        pod.make_key()
    else:
        pod.record("Pending", reason="WaitingForWorkers", launcher=ADDRESS)
    pod.wait_until(lambda: [True] == seen(pod.ready, 2.5), 30)
    assert [True] == seen(pod.ready, 4)


def test_a_worker_that_has_its_key_is_ready_before_sshd_listens(pod: Any) -> None:
    """Each probe that fails is an event, which the API server stores."""
    slow = program(pod.root / "programs/sshd", f'# OpenSSH_8.5p1\nsleep 3\nexec {sshd.find_sshd()} "$@"')
    pod.make_key()
    pod.start(PATH=f"{slow.parent}:{pod.environment['PATH']}")

    pod.wait_until(pod.ready)
    assert not pod.serves()
    assert [True] == seen(pod.ready, 4)
    assert pod.serves()


def test_the_record_of_a_launcher_that_is_starting_ends_no_wait(pod: Any) -> None:
    pod.record("Pending", reason="LauncherStarting")
    start(pod, "worker-command")

    assert {True, False} == {*seen(pod.ready, 8)}


def test_a_port_in_use_ends_the_worker_with_its_key(pod: Any) -> None:
    with socket.create_server(("", pod.readiness_port)):
        process = pod.start()
        assert process.wait(20) == 78

    assert f"port {pod.readiness_port} (workers.readinessPort): Address already in use" in pod.log()


@pytest.fixture
def make_readiness(pod: Any) -> Callable[[int], readiness.Readiness]:
    """Makes the port of one of so many workers, with the settings that are rendered for them."""

    def make(workers: int) -> readiness.Readiness:
        values = f"workers: {{replicas: {workers}}}, launch: {{method: torchrun}}"  # pdsh takes not as many
        rendered = json.loads(run_config(values)["settings.json"])
        pod.settings(workers=workers, probeSeconds=rendered["probeSeconds"])
        return readiness.Readiness(settings.load(pod.config / "settings.json"))

    return make


@pytest.mark.parametrize(("workers", "at_most"), [(2, 1.7), (48, 40), (1000, 100), (10000, 100)])
def test_the_load_on_the_api_server_is_bounded(
    workers: int, at_most: float, make_readiness: Callable[[int], readiness.Readiness], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Changes of all workers in a second: each is stored by the API server."""
    clock = [0.0]
    monkeypatch.setattr(readiness.time, "monotonic", lambda: clock[0])
    one = make_readiness(workers)
    changes: list[float] = []
    while clock[0] < 600:
        before = one.server
        if before is not None and not one.probed:  # more connections would slow down tests that go through all of them
            socket.create_connection(("127.0.0.1", one.port), timeout=5).close()
        one.change()
        if before is not one.server:
            changes.append(clock[0])
        clock[0] += 0.2
    one.withdraw()

    between = [after - before for before, after in itertools.pairwise(changes)]
    assert workers / min(between) <= at_most
    assert 2 * workers / sum(between[-2:]) <= max(workers / 8, 20)


def test_a_worker_stays_ready_until_it_is_probed(
    make_readiness: Callable[[int], readiness.Readiness], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A node that starts many containers probes late, and a change that no probe has seen would bring nothing."""
    clock = [0.0]
    monkeypatch.setattr(readiness.time, "monotonic", lambda: clock[0])
    one = make_readiness(2)
    for clock[0] in (0.0, 5.0, 50.0):
        one.change()
        assert one.server is not None
    socket.create_connection(("127.0.0.1", one.port), timeout=5).close()
    one.change()
    assert one.server is None


def test_the_port_is_open_before_most_modules_are_loaded(pod: Any) -> None:
    pod.patch("worker/checks.py", "import contextlib\n", "import contextlib, time\ntime.sleep(4)\n")
    pod.make_key()
    started = time.monotonic()
    pod.start()

    pod.wait_until(pod.ready, 3)
    assert "sshd" not in pod.log()
    pod.wait_until(pod.serves, 30)
    assert time.monotonic() - started > 4


def test_a_worker_that_is_busy_stays_ready(make_readiness: Callable[[int], readiness.Readiness]) -> None:
    """The kernel accepts the connections; a probe makes one every second."""
    one = make_readiness(2)
    one.show()
    for _ in range(2000):
        socket.create_connection(("127.0.0.1", one.port), timeout=5).close()
    for _ in range(3):
        one.drain()
    assert one.server is not None
    with pytest.raises(BlockingIOError):
        one.server.accept()
    one.withdraw()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", one.port), timeout=5)
