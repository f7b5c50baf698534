"""An API server with the recorded objects of a real one (tests/data/cluster), which keeps the requests to change them.

Its clock stands at the time of the records. It knows labels, and removes a Job with its pods; it runs nothing.
"""

import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import yaml

from dsgen.cluster.models import format_time
from tests.cluster import recorded

REQUIREMENT = re.compile(r"([^=!, ]+)(?: in \(([^)]*)\)|(!?=)([^,]*))?(?:,|$)")
LIST = re.compile(r"/(?:api/v1|apis/[^/]+/[^/]+)(?:/namespaces/[^/]+)?/[a-z]+")
WATCH_SECONDS = 0.2
"""The length of a watch, which has no events: after it, dsgen reads everything again."""
RUNS = {"training/cifar": "running", "research/llama": "NoNodeBigEnough"}
"""The jobs of the server, and the records that they are made of."""


class RecordedServer:
    """The server; `changes`: method, path and body of each request that is no reading one."""

    def __init__(self, runs: dict[str, str] | None = None) -> None:
        self.objects: dict[str, dict[str, Any]] = {}
        self.changes: list[tuple[str, str, Any]] = []
        self.now = 0.0
        for job, name in (RUNS if runs is None else runs).items():
            self._load(*job.split("/"), name)
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    def _load(self, namespace: str, job: str, name: str) -> None:
        text = (recorded.FOLDER / f"{name}.json").read_text()
        was = json.loads(text)
        content = json.loads(text.replace(was["namespace"], namespace).replace(was["job"], job))
        self.now = max(self.now, content["now"])
        for key, answer in content["answers"].items():
            for item in answer if isinstance(answer, list) else ():
                self.objects[f"{key.partition(' ')[0]}/{item['metadata']['name']}"] = item
        self.objects[f"/api/v1/namespaces/{namespace}"] = {"metadata": {"name": namespace}}

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    def write_kubeconfig(self, path: Path) -> Path:
        """A kubeconfig for this server, with the namespace `training`."""
        server = f"http://127.0.0.1:{self._http.server_port}"
        content = {
            "current-context": "recorded",
            "contexts": [{"name": "recorded", "context": {"cluster": "c", "user": "u", "namespace": "training"}}],
            "clusters": [{"name": "c", "cluster": {"server": server}}],
            "users": [{"name": "u", "user": {}}],
        }
        path.write_text(yaml.safe_dump(content))
        return path

    def answer(self, method: str, path: str, query: dict[str, str], body: Any) -> Any:
        """The answer to a request; None for 404."""
        if method != "GET":
            is_apply = "force" in query
            if is_apply:
                made = {"metadata": {"uid": path, "creationTimestamp": format_time(self.now)}}
                body = merge(made, merge(self.objects.get(path, {}), body))
            if query.get("dryRun"):
                return body
            self.changes.append((method, path, body))
            return self._change(method, path, body, is_apply)
        if not LIST.fullmatch(path):
            return self.objects.get(path)
        pattern = re.compile(
            re.sub(r"^(/api/v1|/apis/[^/]+/[^/]+)/(?!namespaces/)", r"\1/(?:namespaces/[^/]+/)?", path)
        )
        items = [item for key, item in self.objects.items() if pattern.fullmatch(key.rpartition("/")[0])]
        chosen = [item for item in items if matches(query.get("labelSelector", ""), item["metadata"].get("labels", {}))]
        return {"metadata": {"resourceVersion": "1"}, "items": chosen}

    def _change(self, method: str, path: str, body: Any, is_apply: bool) -> Any:
        if path not in self.objects and not is_apply:
            return None
        if method == "DELETE":
            uid = self.objects.pop(path)["metadata"]["uid"]
            owned = [key for key, item in self.objects.items() if uid in _owners(item)]
            for key in owned:
                del self.objects[key]
            return {"status": "Success"}
        self.objects[path] = merge(self.objects.get(path), body)
        return self.objects[path]


def matches(selector: str, labels: dict[str, str]) -> bool:
    """Whether labels fulfil a selector."""
    for key, several, operator, value in REQUIREMENT.findall(selector):
        is_one = labels.get(key) in several.split(",") if several else labels.get(key) == value
        if (not operator and not several and key not in labels) or (
            (operator or several) and is_one == (operator == "!=")
        ):
            return False
    return True


def merge(old: Any, new: Any) -> Any:
    """An object after a merge patch."""
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return new
    return {**old, **{key: merge(old.get(key), value) for key, value in new.items()}}


def _owners(item: dict[str, Any]) -> Iterator[str]:
    yield from (owner["uid"] for owner in item["metadata"].get("ownerReferences", []))


def _handler(server: RecordedServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            parts = urlsplit(self.path)
            length = int(self.headers.get("Content-Length", 0))
            body = json.loads(self.rfile.read(length) or "null")
            query = dict(parse_qsl(parts.query))
            if "watch" in query:
                time.sleep(WATCH_SECONDS)
            answer = server.answer(self.command, parts.path, query, body)
            status = 404 if answer is None else 200
            content = json.dumps({"message": "not found"} if answer is None else answer).encode()
            content = b"" if "watch" in query else content
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            with suppress(BrokenPipeError):  # dsgen has ended in the middle of a watch
                self.end_headers()
                self.wfile.write(content)

        do_GET = do_PATCH = do_DELETE = _answer  # noqa: N815  # as the base class names them

        def date_time_string(self, timestamp: float | None = None) -> str:
            return formatdate(server.now if timestamp is None else timestamp, usegmt=True)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # as in the base class
            """Print nothing."""

    return Handler
