"""The launcher connects to workers with ssh: a real worker, and the launcher's own code."""

import contextlib
import os
import socket
import time
from typing import Any

import pytest

from shared import control
from tests.scripts.conftest import Dial, wait_for_workers


@pytest.mark.parametrize("phase", ["Succeeded", "Failed", "Stopped"])
def test_a_worker_ends_when_the_launcher_says_so(pod: Any, dial: Dial, phase: str) -> None:
    process = pod.serve()
    reached = dial(pod)
    wait_for_workers(reached)

    reached.control.tell(over=phase)

    assert 0 == process.wait(20)
    assert f"the launcher says that the run is over ({phase})" in pod.log()


def test_a_worker_serves_once_it_has_its_key_and_sshd_listens(pod: Any, dial: Dial) -> None:
    pod.patch("ssh/server.py", "60.0, 1.0", "60.0, 4.0")  # long enough to be seen between two starts of sshd
    pod.make_key()
    key = (pod.keys / "ssh-privatekey").rename(pod.root / "kept")
    pod.start()
    reached = dial(pod, key=key.read_bytes())
    pod.wait_until(pod.ready)
    assert reached.names == reached.control.find_missing(reached.names, lambda: False)

    key.rename(pod.keys / "ssh-privatekey")

    wait_for_workers(reached)
    assert pod.ssh("true").returncode == 0
    pod.kill(pod.sshd())
    pod.wait_until(lambda: reached.control.find_missing(reached.names, lambda: False))
    wait_for_workers(reached)


def test_the_ranks_get_a_signal_once_in_an_attempt(pod: Any, dial: Dial) -> None:
    pod.serve()
    told = pod.root / "told"
    program = f"trap 'echo got >>{told}' TERM; while :; do sleep 4501 & wait; done"
    pod.start(*pod.ssh_argv(f'bash -c "{program}" rank {pod.scripts}/worker/rank.py'))
    pod.wait_until(lambda: pod.marked("4501"))
    reached = dial(pod)
    wait_for_workers(reached)
    server = reached.control
    member = server.find_member(server.hosts[0])

    server.begin(1, server.output)
    for _ in range(2):
        server.signal("TERM", 20)
        assert (1, "TERM") == (member.attempt, member.signal)
    pod.wait_until(told.exists)
    server.tell(signal="")
    server.signal("KILL", 20)

    pod.wait_until(lambda: not pod.marked("4501"))
    assert "got\n" == told.read_text()
    server.begin(2, server.output)
    server.wait_for_obedience(20)
    assert (2, "") == (member.attempt, member.signal)


def test_orders_are_contact_with_the_launcher(pod: Any, dial: Dial) -> None:
    pod.settings(orphanTimeoutSeconds=7)
    process = pod.serve()
    reached = dial(pod)
    wait_for_workers(reached)
    server = reached.control
    orders: list[object] = []
    member, answer = server.find_member(server.hosts[0]), server._send

    def listen_in(told: Any) -> None:
        orders.append(told)
        answer(told)

    server._send = listen_in  # type: ignore[method-assign]  # what it sends is what this test looks at

    pod.wait_until(lambda: len(orders) >= 3, 30)

    assert (member.connection is not None, process.poll()) == (True, None)


@pytest.mark.parametrize(
    ("others", "index", "refused"),
    [
        ({"key": b"another"}, 0, "it does not have the key of this run"),
        ({"run_name": "cifar-2"}, 0, "it does not have the key of this run"),
        ({}, 1, "its address is that of cifar-1-worker-1"),
    ],
)
def test_only_the_launcher_of_the_run_is_heard(
    pod: Any, dial: Dial, others: dict[str, Any], index: int, refused: str
) -> None:
    """Nor has it to do with a worker that has got the address of another one."""
    process = pod.serve(JOB_COMPLETION_INDEX=str(index))
    reached = dial(pod, **others)
    until = time.monotonic() + 2

    assert reached.names == reached.control.find_missing(reached.names, lambda: time.monotonic() < until)
    assert refused == reached.control.find_member(reached.names[0]).refused
    reached.control.tell(over="Failed")
    for words in (b"\xff" * 100, b"5f" * 32 + b"\n" + b"5f" * 32 + b"\n", b'{"over": "Failed"}\n' * 20):
        with socket.create_connection(("127.0.0.1", pod.readiness_port), timeout=10) as connection:
            assert control.WORD_BYTES == len(connection.recv(1000))
            connection.sendall(words)
            with contextlib.suppress(OSError):  # it is closed already
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(1000):
                    pass

    assert (pod.ready(), process.poll(), "is over" in pod.log()) == (True, None, False)


def test_silent_connections_keep_neither_the_probe_nor_the_launcher_away(pod: Any, dial: Dial) -> None:
    process = pod.serve()
    address = ("127.0.0.1", pod.readiness_port)
    silent = [socket.create_connection(address, timeout=10, source_address=("127.0.0.2", 0)) for _ in range(100)]
    try:
        assert pod.ready()
        reached = dial(pod)
        wait_for_workers(reached)
        closed = sum(connection.recv(control.WORD_BYTES) == b"" for connection in silent)
        assert [b""] * 3 == [connection.recv(1) for connection in silent[:3]], "the first ones have had their time"
        reached.control.tell(over="Failed")
        assert 0 == process.wait(20)
    finally:
        for connection in silent:
            connection.close()
    assert closed >= 30


def test_a_line_is_valid_once_in_its_place_and_from_its_side() -> None:
    words = control.make_word(), control.make_word()

    def pair(secret: bytes = b"secret", launcher: str = words[0]) -> tuple[control.Conversation, control.Conversation]:
        here = control.Conversation(secret, "launcher", launcher, words[1])
        return here, control.Conversation(b"secret", "worker", words[1], words[0])

    launcher, worker = pair()
    first, second = launcher.pack("a"), launcher.pack("b")
    assert ["a", "b"] == [worker.unpack(first), worker.unpack(second)]
    assert "c" == launcher.unpack(worker.pack("c"))
    for line, (_, other) in ((first, (None, worker)), (second, pair()), (first.replace(b"a\n", b"b\n"), pair())):
        with pytest.raises(ConnectionError):
            other.unpack(line)
    for maker, reader in (pair(secret=b"other"), pair(launcher=os.urandom(32).hex()), (worker, pair()[1])):
        with pytest.raises(ConnectionError):
            reader.unpack(maker.pack("a"))
