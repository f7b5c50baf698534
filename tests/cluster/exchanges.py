"""Commands against the answers of a real API server: `Server` gives recorded answers to the requests of a command.

    python -m tests.cluster.exchanges stop -- stop training/cifar --yes

records a command on the cluster of $KUBECONFIG: all requests and answers, in their order, in tests/data/exchanges. What
the command does not look at is left out, as in tests/cluster/recorded.py, and events. A watch ends soon, without an
event, when it is recorded and when it is answered, so the command asks for the lists again.
"""

import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

import yaml

from dsgen.cli import main
from dsgen.cluster.client import Cluster
from tests.cluster.recorded import trim

FOLDER = Path(__file__).parent.parent / "data" / "exchanges"
LABEL = '"dsgen.dev/job": "digits"'
CHANGES = ("POST", "PUT", "PATCH", "DELETE")


class Answer(NamedTuple):
    """The answer of an API server; date: the header, by which dsgen knows the time there."""

    status: int
    date: str
    body: dict[str, Any]


class Request(NamedTuple):
    """A request that changes something."""

    method: str
    path: str
    body: Any


class Server(ThreadingHTTPServer):
    """An API server on a port of this machine. changes: the requests that would have changed something."""

    daemon_threads = True
    watch_seconds = 0.05

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.changes: list[Request] = []

    def answer(self, method: str, path: str, body: bytes, kind: str) -> Answer:
        """The answer to a request. kind: the type of the body."""
        raise NotImplementedError


class Replaying(Server):
    """Answers as it is recorded. To the same request, the answers follow in their order, and the last one repeats."""

    def __init__(self, name: str, labels: Mapping[str, str]) -> None:
        """labels: more labels of the objects of the job."""
        super().__init__()
        text = (FOLDER / f"{name}.json").read_text()
        assert LABEL in text
        recorded = json.loads(text.replace(LABEL, json.dumps({**labels, **json.loads(f"{{{LABEL}}}")})[1:-1]))
        self.answers: dict[str, list[Answer]] = defaultdict(list)
        for request, status, date, body in recorded["exchanges"]:
            self.answers[request].append(Answer(status, date, recorded["bodies"][body]))

    def answer(self, method: str, path: str, body: bytes, kind: str) -> Answer:  # noqa: ARG002 - that of the server
        answers = self.answers[f"{method} {path}"]
        return answers.pop(0) if len(answers) > 1 else answers[0]


class Recording(Server):
    """Asks the real API server, and keeps its answers."""

    watch_seconds = 2.0

    def __init__(self) -> None:
        super().__init__()
        self.cluster = Cluster()
        self.bodies: list[Any] = []
        self.exchanges: list[tuple[str, int, str, int]] = []

    def answer(self, method: str, path: str, body: bytes, kind: str) -> Answer:
        headers = {"Accept": "application/json", **self.cluster._login(), **({"Content-Type": kind} if kind else {})}
        given = self.cluster._pool.request(method, f"{self.cluster.server}{path}", body=body or None, headers=headers)
        content = json.loads(given.data)
        if "/events?" in path or path.endswith("limit=1"):
            content["items"] = []
        leave_out(content)
        if content not in self.bodies:
            self.bodies.append(content)
        date = given.headers["Date"]
        self.exchanges.append((f"{method} {path}", given.status, date, self.bodies.index(content)))
        return Answer(given.status, date, content)

    def write(self, name: str) -> None:
        FOLDER.mkdir(exist_ok=True)
        exchanges = ",\n".join(f"  {json.dumps(one)}" for one in self.exchanges)
        bodies = ",\n".join(f"  {json.dumps(one, sort_keys=True, ensure_ascii=False)}" for one in self.bodies)
        text = f'{{"exchanges": [\n{exchanges}\n],\n"bodies": [\n{bodies}\n]}}\n'
        (FOLDER / f"{name}.json").write_text(text)


class _Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    def handle_one_request(self) -> None:
        self.do_GET = self.do_PATCH = self.do_DELETE = self._do  # type: ignore[method-assign]  # all are the same
        super().handle_one_request()

    def _do(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.command in CHANGES:
            self.server.changes.append(Request(self.command, self.path, json.loads(body) if body else None))
        if "watch=1" in self.path:
            time.sleep(self.server.watch_seconds)
            self._send(Answer(200, self.date_time_string(), {}), b"")
        else:
            answer = self.server.answer(self.command, self.path, body, self.headers.get("Content-Type", ""))
            self._send(answer, json.dumps(answer.body).encode())

    def _send(self, answer: Answer, content: bytes) -> None:
        self.send_response_only(answer.status)
        self.send_header("Date", answer.date)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def leave_out(content: dict[str, Any]) -> None:
    """Remove from an answer what dsgen does not look at, and volumes."""
    for entry in content.get("items", [content]):
        if "metadata" in entry:
            trim(entry)
        spec = entry.get("spec", {})
        spec.get("template", {}).get("spec", spec).pop("volumes", None)


@contextmanager
def served(server: Server, folder: Path) -> Iterator[str]:
    """A kubeconfig in the folder for the server, which runs meanwhile."""
    Thread(target=server.serve_forever, daemon=True).start()
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "here",
        "contexts": [{"name": "here", "context": {"cluster": "here", "user": "me"}}],
        "clusters": [{"name": "here", "cluster": {"server": f"http://127.0.0.1:{server.server_port}"}}],
        "users": [{"name": "me", "user": {}}],
    }
    path = folder / "served-kubeconfig"
    path.write_text(yaml.safe_dump(content))
    try:
        yield str(path)
    finally:
        server.shutdown()
        server.server_close()


def record(name: str, arguments: Sequence[str], folder: Path) -> int:
    """Run a command on the real cluster; returns its exit code."""
    server = Recording()
    with served(server, folder) as kubeconfig:
        code = main([*arguments, "--kubeconfig", kubeconfig])
    server.write(name)
    return code


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as temporary:
        sys.exit(record(sys.argv[1], sys.argv[3:], Path(temporary)))
