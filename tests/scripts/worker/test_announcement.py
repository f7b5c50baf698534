"""The launcher announces the end of the run to workers with ssh: a real worker, and the launcher's own code."""

import socket
import time
from typing import Any

import pytest

from launcher import connections
from shared import control

NOBODY = ["no-such-host.invalid"]


@pytest.mark.parametrize("phase", ["Succeeded", "Failed", "Stopped"])
def test_a_worker_ends_when_the_end_is_announced(pod: Any, phase: str) -> None:
    process = pod.serve()
    key = (pod.run / "id").read_bytes()

    assert NOBODY == connections.announce(["127.0.0.1", *NOBODY], pod.readiness_port, key, phase)
    assert 0 == process.wait(20)
    assert f"the launcher says that the run is over ({phase})" in pod.log()


def test_only_the_key_of_the_job_ends_a_worker(pod: Any) -> None:
    """Nor does the answer to another challenge, or something else."""
    process = pod.serve()
    key, address = (pod.run / "id").read_bytes(), ("127.0.0.1", pod.readiness_port)

    connections.announce(["127.0.0.1"], pod.readiness_port, key.replace(b"A", b"B"), "Succeeded")
    heard = []
    for words in (
        control.make_answer(key, bytes(control.CHALLENGE_BYTES), "Failed"),
        b"Succeeded\n",
        b"\xff" * 100,
    ):
        with socket.create_connection(address, timeout=10) as connection:
            heard.append(connection.recv(control.CHALLENGE_BYTES))
            connection.sendall(words)
            assert b"" == connection.recv(1)

    assert 3 == len(set(heard)), "each connection has its own challenge"
    assert pod.ready()
    assert process.poll() is None
    assert "is over" not in pod.log()


def test_silent_connections_do_not_keep_the_probe_away(pod: Any) -> None:
    pod.serve()
    address = ("127.0.0.1", pod.readiness_port)
    silent = [socket.create_connection(address, timeout=10) for _ in range(100)]

    try:
        assert pod.ready()
        closed = sum(connection.recv(control.CHALLENGE_BYTES) == b"" for connection in silent)
        began = time.monotonic()
        assert [b""] * 3 == [connection.recv(1) for connection in silent[:3]], "the first ones have had their time"
    finally:
        for connection in silent:
            connection.close()
    assert closed >= 30
    assert time.monotonic() - began < 9


def test_the_signature_is_of_challenge_and_phase() -> None:
    key, challenge = b"key", control.make_challenge()
    line = control.make_answer(key, challenge, "Failed")

    assert "Failed" == control.read_answer(key, challenge, line)
    assert "" == control.read_answer(key, challenge, line.replace(b"Failed", b"Succeeded"))
    assert "" == control.read_answer(key, control.make_challenge(), line)
    assert "" == control.read_answer(b"other", challenge, line)
    assert "" == control.read_answer(key, challenge, control.make_answer(key, challenge, "Running"))
    assert len(line) <= control.ANSWER_BYTES
