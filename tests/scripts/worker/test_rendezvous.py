"""When a rank counts as connected with the others: its connections to the master port."""

import socket
from typing import Any

import pytest

from tests.scripts.trainings import NONCE
from tests.scripts.worker.test_rank import python, run, start

ELSEWHERE = "cifar-1-worker-1.cifar-1"
CONNECT = "import socket, sys, time; c = socket.create_connection(({host!r}, {port})); time.sleep({seconds})"


def connecting(host: str, port: int, seconds: float = 2.0) -> tuple[str, ...]:
    return python(CONNECT.format(host=host, port=port, seconds=seconds))


def met(lines: list[str]) -> bool:
    reports = [line for line in lines if " dsgen-rank-met " in line]
    assert reports in ([], [f'{NONCE} dsgen-rank-met {{"host": "cifar-1-worker-0", "rank": 1}}'])
    return bool(reports)


@pytest.mark.parametrize(
    ("address", "master", "expected"),
    [
        ("127.0.0.2", ELSEWHERE, True),
        ("127.0.0.1", ELSEWHERE, False),
        ("::1", ELSEWHERE, False),
        ("127.0.0.1", "cifar-1-worker-0.cifar-1", True),
        ("::1", "cifar-1-worker-0.cifar-1", True),
    ],
)
def test_a_rank_has_met_the_others_when_it_is_connected_with_the_master(
    pod: Any, address: str, master: str, expected: bool
) -> None:
    """Of a rank that is not on the master's worker, a connection with itself says nothing."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.create_server((address, 0), family=family) as server:
        port = server.getsockname()[1]
        _, _, lines = run(pod, *connecting(address, port), MASTER_ADDR=master, MASTER_PORT=str(port))

    assert expected == met(lines)


def test_the_rank_that_others_connect_to_has_met_them(pod: Any) -> None:
    """Rank 0 of torch.distributed holds the store that they connect to."""
    serve = (
        "import socket; socket.setdefaulttimeout(30); socket.create_server(('127.0.0.2', {port})).accept()[0].recv(1)"
    )
    with socket.create_server(("127.0.0.2", 0)) as server:
        port = server.getsockname()[1]
    process = start(pod, *python(serve.format(port=port)), MASTER_ADDR=ELSEWHERE, MASTER_PORT=str(port))
    client = pod.wait_until(lambda: connection(port), 10)
    lines = list[str]()
    while not met(lines) and (line := process.stderr.readline()):
        lines.append(line.decode().rstrip())
    client.close()

    process.communicate(timeout=20)
    assert met(lines)


def connection(port: int) -> socket.socket | None:
    try:
        return socket.create_connection(("127.0.0.2", port), timeout=1)
    except OSError:
        return None


def test_a_connection_of_somebody_else_is_no_evidence(pod: Any) -> None:
    """With hostNetwork all connections of the node are seen."""
    with socket.create_server(("127.0.0.2", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("127.0.0.2", port)):
            _, _, lines = run(pod, "sleep", "0.5", MASTER_ADDR=ELSEWHERE, MASTER_PORT=str(port))

    assert not met(lines)


def test_a_launcher_inside_the_program_may_choose_another_port(pod: Any) -> None:
    """Its children have that port in their environment, as those of torchrun do."""
    with socket.create_server(("127.0.0.2", 0)) as server:
        port = server.getsockname()[1]
        starter = ("sh", "-c", f'export MASTER_PORT={port}; exec python3 -c "$X"')
        connect = connecting("127.0.0.2", port, 3)[-1]
        _, _, lines = run(pod, *starter, MASTER_ADDR=ELSEWHERE, MASTER_PORT="1", X=connect)

    assert met(lines)


@pytest.mark.parametrize("change", [{"expectWorld": False}, {}])
def test_where_nobody_is_to_be_met_nobody_looks(pod: Any, change: dict[str, Any]) -> None:
    with socket.create_server(("127.0.0.2", 0)) as server:
        port = server.getsockname()[1]
        size = {} if change else {"WORLD_SIZE": "1"}
        _, _, lines = run(
            pod, *connecting("127.0.0.2", port), changes=change, MASTER_ADDR=ELSEWHERE, MASTER_PORT=str(port), **size
        )

    assert not met(lines)
