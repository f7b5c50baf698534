"""A cluster with recorded objects, for the tests of commands and of the Python API."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cluster.server import RecordedServer


@pytest.fixture
def make_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., RecordedServer]]:
    """Start a server with these jobs, and make its kubeconfig that of this process."""
    servers: list[RecordedServer] = []

    def make(**runs: str) -> RecordedServer:
        servers.append(RecordedServer({f"training/{job}": name for job, name in runs.items()} or None))
        monkeypatch.setenv("KUBECONFIG", str(servers[-1].write_kubeconfig(tmp_path / "kubeconfig")))
        return servers[-1]

    yield make
    for server in servers:
        server.close()


@pytest.fixture
def server(make_server: Callable[..., RecordedServer]) -> RecordedServer:
    """A server with a job that runs, training/cifar, and one that waits, research/llama."""
    return make_server()
