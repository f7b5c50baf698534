"""Which workers answer, in which order they train, and how the end is announced to them."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingTCPServer
from typing import Any

import pytest

from launcher import connections, main, wait
from shared import hostfile


class Banner(BaseRequestHandler):
    def handle(self) -> None:
        self.request.sendall(b"SSH-2.0-test\r\n")


class Mute(BaseRequestHandler):
    def handle(self) -> None:
        time.sleep(0.5)


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Iterator[int]:
    with ThreadingTCPServer(("127.0.0.1", 0), request.param) as listener:
        listener.daemon_threads = True
        threading.Thread(target=listener.serve_forever, daemon=True).start()
        yield listener.server_address[1]
        listener.shutdown()


def for_seconds(seconds: float) -> Any:
    until = time.monotonic() + seconds
    return lambda: time.monotonic() < until


@pytest.mark.parametrize("server", [Banner], indirect=True)
def test_workers_that_send_a_banner_are_there(server: int) -> None:
    """Two hundred that do not answer are more than are asked at a time."""
    names = [f"127.0.1.{i}" for i in range(1, 201)]

    assert connections.find_missing(["127.0.0.1"], server, for_seconds(10)) == []
    assert connections.find_missing(names, server, for_seconds(1)) == names


@pytest.mark.parametrize("server", [Mute], indirect=True)
def test_a_port_without_a_banner_is_no_worker(server: int) -> None:
    assert connections.find_missing(["127.0.0.1"], server, for_seconds(1)) == ["127.0.0.1"]


def test_what_the_wait_raises_ends_it() -> None:
    """SIGTERM, say."""

    def raises() -> bool:
        raise main.RunEndedError("terminated")

    with pytest.raises(main.RunEndedError):
        connections.find_missing(["127.0.0.1", "no-such-host.invalid"], 1, raises)


def test_the_hostfile_gives_the_workers_in_rank_order(tmp_path: Path) -> None:
    (tmp_path / "hostfile").write_text("w-1.s slots=2\nw-0.s slots=2\n")

    assert hostfile.read_hosts(tmp_path / "hostfile") == ["w-1.s", "w-0.s"]
    with pytest.raises(FileNotFoundError):
        hostfile.read_hosts(tmp_path / "absent")


def test_a_clock_stands_still_while_it_does_not_run() -> None:
    clock = wait.Clock(10)
    time.sleep(0.05)
    clock.tick(False)
    assert clock.left == 10
    time.sleep(0.05)
    assert 9.5 < clock.tick(True) < 9.96
