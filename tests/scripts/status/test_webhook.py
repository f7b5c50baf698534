"""The webhook, with a real HTTP server that accepts the record, refuses it, or does not answer."""

import base64
import contextlib
import json
import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from shared import settings
from status import webhook
from tests.scripts import tls
from tests.scripts.trainings import settings_of

RECORD = {"version": 1, "phase": "Failed", "reason": "TrainingFailed", "message": "caf\u00e9", "attempts": []}
LINE = json.dumps(RECORD, ensure_ascii=False)


class Receiver(BaseHTTPRequestHandler):
    """Answers with the codes of `answers`, the last one for ever."""

    def do_POST(self) -> None:
        server: Any = self.server
        body = self.rfile.read(int(self.headers["Content-Length"]))
        server.requests.append((self.command, self.path, dict(self.headers), body))
        code = server.answers.pop(0) if len(server.answers) > 1 else server.answers[0]
        time.sleep(server.slow)
        server.answered += 1
        self.send_response(code)
        if server.location:
            self.send_header("Location", server.location)
        self.end_headers()

    def do_GET(self) -> None:
        self.do_POST()

    def log_message(self, *_: Any) -> None:
        """Quiet."""


@pytest.fixture
def server() -> Iterator[Any]:
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    server.daemon_threads = True
    server.requests, server.answers, server.answered, server.location, server.slow = [], [204], 0, "", 0
    server.place = f"127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture(autouse=True)
def _quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhook, "DELAYS", (0.1, 0.1))
    monkeypatch.setattr(settings, "WEBHOOK", tmp_path)


def configured(**changes: Any) -> settings.Settings:
    given = {"namespace": "training", "job": "cifar", "run": "1", "webhook_url": "", **changes}
    return settings_of(given)


def deliver(url: str, budget: float = 10) -> tuple[bool, list[str]]:
    said: list[str] = []
    return webhook.deliver(webhook.Address(url), webhook.make_body(configured(), LINE), said.append, budget), said


def test_the_record_arrives_with_the_names_of_its_run(server: Any) -> None:
    assert deliver(f"http://{server.place}/hook?token=t0ken") == (True, ["webhook: http://127.0.0.1 took the record"])

    ((command, path, headers, body),) = server.requests
    assert (command, path, headers["Content-Type"]) == ("POST", "/hook?token=t0ken", "application/json")
    assert json.loads(body) == {"namespace": "training", "job": "cifar", "run": "1", **RECORD}


def test_a_login_in_the_address_is_sent_as_a_header(server: Any) -> None:
    assert deliver(f"http://me:p%40ss@{server.place}/hook")[0]
    assert server.requests[0][2]["Authorization"] == "Basic " + base64.b64encode(b"me:p@ss").decode()


@pytest.mark.parametrize(
    ("answers", "taken", "requests"),
    [
        ([500, 503, 200], True, 3),
        ([429, 204], True, 2),
        ([404], False, 1),
        ([500], False, 3),
    ],
)
def test_what_may_change_is_tried_again(server: Any, answers: list[int], taken: bool, requests: int) -> None:
    server.answers = answers
    assert deliver(f"http://{server.place}/hook")[0] is taken
    assert len(server.requests) == requests


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_no_redirection_is_followed(server: Any, code: int) -> None:
    server.answers, server.location = [code], f"http://{server.place}/elsewhere"
    expected = [f"webhook: http://127.0.0.1: answered {code}: redirections are not followed"]
    assert deliver(f"http://{server.place}/hook") == (False, expected)
    assert [path for _, path, *_ in server.requests] == ["/hook"]


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://127.0.0.1:1/t0ken", "webhook: http://127.0.0.1: Connection refused"),
        ("http://no-such-host.invalid/t0ken", "webhook: http://no-such-host.invalid: "),
        ("http://127.0.0.1:1/t0ken\n", "webhook: http://127.0.0.1: "),
        ("http://127.0.0.1:1/a b t0ken", "webhook: http://127.0.0.1: "),
        ("http://127.0.0.1:99999/t0ken", "webhook: nothing is sent: the address is not one of https or http"),
        ("http://[::1/t0ken", "webhook: nothing is sent: the address is not one of https or http"),
        ("ftp://127.0.0.1/t0ken", "webhook: nothing is sent: the address is not one of https or http"),
        ("t0ken", "webhook: nothing is sent: the address is not one of https or http"),
        ("http://me:t0ken@127.0.0.1:1/", "webhook: http://127.0.0.1: "),
        ("http://\u00e9t0ken.invalid:1/\ud800", "webhook: "),
    ],
)
def test_a_failure_says_no_more_of_the_address_than_its_host(url: str, said: str) -> None:
    taken, lines = deliver(url)
    assert (taken, lines[0][: len(said)]) == (False, said)
    assert ("t0ken" in " ".join(lines)) == ("t0ken.invalid" in url)


def test_a_receiver_that_does_not_answer_costs_no_more_than_the_budget(server: Any) -> None:
    server.slow = 60
    assert not deliver(f"http://{server.place}/hook", budget=1)[0]
    assert server.answered == 0


@pytest.mark.parametrize("answer", [b"HTTP/1.1 100 Continue\r\n\r\n", b"H", b"HTTP/1.1 200 OK\r\nX: y"])
def test_a_receiver_that_never_ends_its_answer_costs_no_more_than_the_budget(answer: bytes) -> None:
    """Each byte that comes begins the time limit of the socket anew."""
    ended = threading.Event()

    def drip(connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection:
            connection.sendall(answer)
            while not ended.wait(0.05):
                connection.sendall(answer if b"100" in answer else b"T")

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=drip, args=(server.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=serve, daemon=True).start()
        url, results = f"http://127.0.0.1:{server.getsockname()[1]}/", []
        delivering = threading.Thread(target=lambda: results.append(deliver(url, budget=1)), daemon=True)
        delivering.start()
        delivering.join(20)
        ended.set()

    assert [(False, ["webhook: http://127.0.0.1: timed out"])] == results


def test_proxies_of_the_environment_are_not_asked(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    assert deliver(f"http://{server.place}/hook")[0]


def test_a_certificate_is_checked_against_the_ca_of_the_secret(server: Any, tmp_path: Path) -> None:
    tls.wrap(server, tmp_path / "cert")

    taken, said = deliver(f"https://{server.place}/hook")
    (tmp_path / "cert").rename(tmp_path / "ca.crt")

    assert (taken, said[0]) == (
        False,
        "webhook: https://127.0.0.1: its certificate is not trusted: self-signed certificate",
    )
    assert deliver(f"https://{server.place}/hook")[0]


def test_the_address_is_of_the_values_or_of_the_secret(tmp_path: Path) -> None:
    assert webhook.read_address(configured()).url == ""
    (tmp_path / "url").write_text("https://a.example/t\n")
    assert webhook.read_address(configured()).url == "https://a.example/t"
    assert webhook.read_address(configured(webhook_url="https://b.example/t")).url == "https://b.example/t"


def test_an_address_of_the_secret_must_be_one_of_https(server: Any, tmp_path: Path) -> None:
    """The launcher's container can lead the name to another host, which would get the token. The values have none."""
    url = f"http://{server.place}/t0ken"
    (tmp_path / "url").write_text(url)
    said: list[str] = []

    assert not webhook.deliver(webhook.read_address(configured()), b"{}", said.append)
    assert (["webhook: nothing is sent: the address is not one of https"], []) == (said, server.requests)
    assert webhook.deliver(webhook.read_address(configured(webhook_url=url)), b"{}", said.append)
