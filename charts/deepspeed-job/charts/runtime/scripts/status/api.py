"""A small client of the Kubernetes API for pods with a token: GET and PATCH only."""

from __future__ import annotations

import http.client
import json
import os
import ssl
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

TOKEN_FOLDER = Path("/var/run/secrets/dsgen")
TIMEOUT_SECONDS = 5
KEEP_SECONDS = 10  # for which a connection without requests is used again, before something on the way may drop it
JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"  # JSON is YAML; creates missing objects


class ApiError(Exception):
    """A request failed. `status`: the HTTP status, 0 without an answer (connection, TLS, token file)."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Api:
    """Requests to one API server as the ServiceAccount whose token and ca.crt are in `folder`.

    Two threads may use it at once.
    """

    def __init__(self, host: str, port: str, folder: Path = TOKEN_FOLDER) -> None:
        self.host = host
        self.port = int(port)
        self.folder = folder
        self._idle: list[tuple[http.client.HTTPSConnection, float]] = []  # and since when (monotonic)

    def get(self, path: str, absent: Sequence[int] = ()) -> dict[str, Any]:
        """The object at `path`; {} for an answer with one of these statuses. Raises ApiError."""
        try:
            return self._call("GET", path, None, "")
        except ApiError as error:
            if error.status in absent:
                return {}
            raise

    def patch(self, path: str, body: Any, content_type: str, manager: str) -> dict[str, Any]:
        """Patch the object at `path` as field manager `manager` and return it. Raises ApiError."""
        return self._call("PATCH", f"{path}?fieldManager={manager}", json.dumps(body).encode(), content_type)

    def close(self) -> None:
        """Close the connections."""
        while self._idle:
            self._idle.pop()[0].close()

    def _call(self, method: str, path: str, body: bytes | None, content_type: str) -> dict[str, Any]:
        try:
            status, text = self._ask(method, path, body, content_type)
            if status >= 300:  # the server sends no redirections
                raise ApiError(status, f"{method} {path}: {status} {_read_reason(status, text)}")
            content = json.loads(text)
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise ApiError(0, f"{method} {path}: {error}") from error
        if not isinstance(content, dict):
            raise ApiError(0, f"{method} {path}: the answer is no object")
        return content

    def _ask(self, method: str, path: str, body: bytes | None, content_type: str) -> tuple[int, bytes]:
        """The HTTP status and the content of the answer."""
        # The kubelet renews the token, so it is read for each request.
        token = (self.folder / "token").read_text(encoding="utf-8").strip()
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = content_type
        connection = self._take_connection()
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            text = answer.read()
        except BaseException:
            connection.close()
            raise
        self._idle.append((connection, time.monotonic()))
        return answer.status, text

    def _take_connection(self) -> http.client.HTTPSConnection:
        """A connection that no other thread uses. If the server has closed it after its answer, it is opened again."""
        while self._idle:
            connection, since = self._idle.pop()
            if time.monotonic() - since < KEEP_SECONDS:
                return connection
            connection.close()
        context = ssl.create_default_context(cafile=str(self.folder / "ca.crt"))
        # Without the proxies of the image, which urllib would use.
        return http.client.HTTPSConnection(self.host, self.port, timeout=TIMEOUT_SECONDS, context=context)


def make_api() -> Api:
    """The API of the cluster of this pod, from variables that the kubelet sets."""
    host = os.environ.get("KUBERNETES_SERVICE_HOST", "kubernetes.default.svc")
    return Api(host, os.environ.get("KUBERNETES_SERVICE_PORT", "443"))


def format_path(kind: str, namespace: str, name: str) -> str:
    """The path of an object; `kind` is secrets, configmaps or jobs."""
    return f"/{'apis/batch' if kind == 'jobs' else 'api'}/v1/namespaces/{namespace}/{kind}/{name}"


def make_patch_of_empty(data: dict[str, str]) -> list[dict[str, Any]]:
    """The JSON patch that fills an object only if it has no data; otherwise the API server refuses it (422)."""
    return [{"op": "test", "path": "/data", "value": None}, {"op": "add", "path": "/data", "value": data}]


def _read_reason(status: int, text: bytes) -> str:
    """The reason that the server names, without the object that its answer may contain (such as a Secret)."""
    try:
        reason = json.loads(text).get("reason")
    except (ValueError, AttributeError):
        reason = ""
    return str(reason or http.client.responses.get(status, ""))
