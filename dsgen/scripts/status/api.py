"""A small client of the Kubernetes API for pods with a token: GET and PATCH only."""

from __future__ import annotations

import json
import os
import ssl
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

TOKEN_FOLDER = Path("/var/run/secrets/dsgen")
TIMEOUT_SECONDS = 5
JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"  # JSON is YAML; creates missing objects


class ApiError(Exception):
    """A request failed. `status`: the HTTP status, 0 without an answer (connection, TLS, token file)."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Api:
    """Requests to one API server as the ServiceAccount whose token and ca.crt are in `folder`."""

    def __init__(self, host: str, port: str, folder: Path = TOKEN_FOLDER) -> None:
        address = f"[{host}]" if ":" in host else host
        self.base = f"https://{address}:{port}"
        self.folder = folder

    def get(self, path: str) -> dict[str, Any]:
        """The object at `path`. Raises ApiError."""
        return self._call("GET", path, None, "")

    def patch(self, path: str, body: Any, content_type: str, manager: str) -> dict[str, Any]:
        """Patch the object at `path` as field manager `manager` and return it. Raises ApiError."""
        return self._call("PATCH", f"{path}?fieldManager={manager}", json.dumps(body).encode(), content_type)

    def _call(self, method: str, path: str, body: bytes | None, content_type: str) -> dict[str, Any]:
        try:
            with self._open(method, path, body, content_type) as answer:
                content = json.load(answer)
        except urllib.error.HTTPError as error:
            raise ApiError(error.code, f"{method} {path}: {error.code} {_read_reason(error)}") from error
        except (OSError, ValueError) as error:
            raise ApiError(0, f"{method} {path}: {error}") from error
        if not isinstance(content, dict):
            raise ApiError(0, f"{method} {path}: the answer is no object")
        return content

    def _open(self, method: str, path: str, body: bytes | None, content_type: str) -> Any:
        # Token and CA are read for each call, because the kubelet renews them. Proxies of the image are not used.
        token = (self.folder / "token").read_text(encoding="utf-8").strip()
        context = ssl.create_default_context(cafile=str(self.folder / "ca.crt"))
        opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context)
        )
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = content_type
        request = urllib.request.Request(self.base + path, data=body, headers=headers, method=method)
        return opener.open(request, timeout=TIMEOUT_SECONDS)


def make_api() -> Api:
    """The API of the cluster of this pod, from variables that the kubelet sets."""
    host = os.environ.get("KUBERNETES_SERVICE_HOST", "kubernetes.default.svc")
    return Api(host, os.environ.get("KUBERNETES_SERVICE_PORT", "443"))


def format_secret_path(namespace: str, name: str) -> str:
    return f"/api/v1/namespaces/{namespace}/secrets/{name}"


def format_configmap_path(namespace: str, name: str) -> str:
    return f"/api/v1/namespaces/{namespace}/configmaps/{name}"


def format_job_path(namespace: str, name: str) -> str:
    return f"/apis/batch/v1/namespaces/{namespace}/jobs/{name}"


def format_pods_path(namespace: str, job: str, *indices: str) -> str:
    """The path of the pods of a Job, or only of those with these completion indices."""
    selector = f"batch.kubernetes.io/job-name={job}"
    if indices:
        selector += f",batch.kubernetes.io/job-completion-index in ({','.join(indices)})"
    return f"/api/v1/namespaces/{namespace}/pods?labelSelector={urllib.parse.quote(selector, safe='')}&limit=2000"


def _read_reason(error: urllib.error.HTTPError) -> str:
    """The message of the server, without the object that it may contain (such as a Secret)."""
    try:
        content = json.loads(error.read(65536))
        return str(content.get("reason") or error.reason)
    except (OSError, ValueError, AttributeError):
        return str(error.reason)
