"""The API client: its connections, errors without a server, and the answers of a real API server to its patches."""

import http.server
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from status import api, lease
from tests.scripts import tls


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers with an empty object, in connections that stay open."""

    protocol_version = "HTTP/1.1"
    server: "Server"

    def setup(self) -> None:
        super().setup()
        self.server.accepted.append(self.connection)

    def do_GET(self) -> None:
        self.server.hosts.append(self.headers["Host"])
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: Any) -> None:
        """Quiet."""


class Server(http.server.ThreadingHTTPServer):
    """Keeps its connections, and the hosts that were asked for."""

    daemon_threads = True

    def __init__(self, address: str) -> None:
        self.address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        super().__init__((address, 0), Handler)
        self.accepted: list[socket.socket] = []
        self.hosts: list[str] = []


@pytest.fixture(params=["127.0.0.1"])
def server(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Server]:
    """An HTTPS server."""
    server = Server(request.param)
    tls.wrap(server, tmp_path / "ca.crt", request.param)
    (tmp_path / "token").write_text("t")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def client(server: Server, tmp_path: Path) -> Iterator[api.Api]:
    client = api.Api(str(server.server_address[0]), str(server.server_address[1]), tmp_path)
    yield client
    client.close()


def test_requests_share_a_connection(server: Server, client: api.Api) -> None:
    assert [client.get("/a"), client.get("/b"), client.get("/c")] == [{}, {}, {}]
    assert len(server.accepted) == 1


def test_a_connection_that_was_idle_for_long_is_not_used(
    server: Server, client: api.Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.get("/a")
    monkeypatch.setattr(api, "KEEP_SECONDS", 0)
    client.get("/b")

    assert len(server.accepted) == 2


def test_after_a_connection_was_cut_the_next_request_opens_another(server: Server, client: api.Api) -> None:
    client.get("/a")
    server.accepted[0].shutdown(2)

    with pytest.raises(api.ApiError) as caught:
        client.get("/b")
    assert caught.value.status == 0
    assert client.get("/b") == {}
    assert len(server.accepted) == 2


@pytest.mark.parametrize("server", ["::1"], indirect=True)
def test_the_server_may_have_an_ipv6_address(server: Server, client: api.Api) -> None:
    assert client.get("/a") == {}
    assert server.hosts == [f"[::1]:{server.server_address[1]}"]


@pytest.fixture
def nobody(tmp_path: Path) -> api.Api:
    """A client of a port where nobody listens."""
    (tmp_path / "token").write_text("t")
    (tmp_path / "ca.crt").write_text("")
    return api.Api("127.0.0.1", "1", tmp_path)


def test_without_an_answer_the_status_is_0(nobody: api.Api) -> None:
    with pytest.raises(api.ApiError) as caught:
        nobody.get("/api/v1/x")

    assert caught.value.status == 0
    assert "GET /api/v1/x" in str(caught.value)


def test_a_token_that_is_not_there_yet_is_no_crash(tmp_path: Path) -> None:
    with pytest.raises(api.ApiError) as caught:
        api.Api("127.0.0.1", "1", tmp_path).get("/api/v1/x")

    assert caught.value.status == 0


def test_paths() -> None:
    assert api.format_path("secrets", "ns", "a-ssh") == "/api/v1/namespaces/ns/secrets/a-ssh"
    assert api.format_path("configmaps", "ns", "a-status") == "/api/v1/namespaces/ns/configmaps/a-status"
    assert api.format_path("jobs", "ns", "a-1-worker") == "/apis/batch/v1/namespaces/ns/jobs/a-1-worker"


def status_of(call: Any) -> int:
    """The HTTP status that a call fails with."""
    with pytest.raises(api.ApiError) as caught:
        call()
    return caught.value.status


@pytest.mark.cluster
def test_the_role_allows_the_named_objects_alone(job: Any) -> None:
    client, namespace = job.client, job.namespace
    job.create("ConfigMap", "other")

    assert client.get(api.format_path("configmaps", namespace, "a-status"))["metadata"]["name"] == "a-status"
    assert status_of(lambda: client.get(api.format_path("configmaps", namespace, "other"))) == 403
    assert status_of(lambda: client.get(api.format_path("secrets", namespace, "other"))) == 403
    assert status_of(lambda: client.get(f"/api/v1/namespaces/{namespace}/secrets")) == 403


@pytest.mark.cluster
def test_a_wrong_token_is_refused(job: Any) -> None:
    (job.client.folder / "token").write_text("wrong")

    assert status_of(lambda: job.client.get(api.format_path("configmaps", job.namespace, "a-status"))) == 401


@pytest.mark.cluster
def test_a_secret_is_filled_once(job: Any) -> None:
    """The second of two that found it empty gets 422, and the first key stays."""
    path = api.format_path("secrets", job.namespace, "a-ssh")
    job.client.patch(path, api.make_patch_of_empty({"ssh-privatekey": "Zmlyc3Q="}), api.JSON_PATCH, "dsgen-keygen")

    second = api.make_patch_of_empty({"ssh-privatekey": "c2Vjb25k"})

    assert status_of(lambda: job.client.patch(path, second, api.JSON_PATCH, "dsgen-keygen")) == 422
    secret = job.client.get(path)
    assert secret["data"] == {"ssh-privatekey": "Zmlyc3Q="}
    assert [entry["manager"] for entry in secret["metadata"]["managedFields"]][-1] == "dsgen-keygen"


@pytest.mark.cluster
def test_the_three_forms_of_the_lease(job: Any) -> None:
    """On a record without data, without a lease, and over an old one; a taker that saw something else is refused."""
    path = api.format_path("configmaps", job.namespace, "a-status")

    def take(data: dict[str, str] | None, value: str) -> Any:
        return job.client.patch(path, lease.make_patch(data, value), api.JSON_PATCH, "dsgen-status")["data"]

    assert take(None, "1") == {"_lease": "1"}
    assert status_of(lambda: take(None, "stale")) == 422
    assert take({"_lease": "1"}, "2") == {"_lease": "2"}
    assert status_of(lambda: take({"_lease": "1"}, "stale")) == 422
    job.client.patch(path, {"data": {"_lease": None, "1": "r"}}, api.MERGE_PATCH, "dsgen-status")
    assert take({"1": "r"}, "3") == {"_lease": "3", "1": "r"}
    assert status_of(lambda: take({"1": "r"}, "stale")) == 422
