"""The Kubernetes API with plain dicts: lists in pages, watches, logs; every failure is an ApiError with a message.

The library kubernetes provides authentication (kubeconfig, exec plugins, pod) and the connection. Its typed client is
not used: it creates an object with hundreds of fields for each pod, and it changes with every release.
"""

from __future__ import annotations

import json
import logging
import os
import re
import time
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import urllib3
import yaml
from kubernetes import client, config

from dsgen.errors import ApiError
from dsgen.problems.safe_text import redact_output

PAGE = 500
REBUILD_SECONDS = 20 * 60
"""Seconds after which the kubeconfig is read again: certificates and tokens in it are rotated."""
FRESH_SECONDS = 2
"""A login that is refused so soon after it was read is not valid."""
UNAUTHORIZED = 401
CONNECT_SECONDS, READ_SECONDS = 5, 60
WATCH_SECONDS = 240
LONGEST_COMPLAINT = 400
"""Characters that are shown of what a login command writes to standard error."""
IN_CLUSTER = Path("/var/run/secrets/kubernetes.io/serviceaccount")
JSON = "application/json"
MANAGER = "dsgen"
_CONNECTION = re.compile(r"^[^\s(]*Connection\(.*?\): ")


class Cluster:
    """A cluster: a context of a kubeconfig, or the cluster of the pod in which dsgen runs."""

    def __init__(self, context: str = "", kubeconfig: str = "") -> None:
        self.context, self.kubeconfig = context, kubeconfig
        self.namespace = "default"
        self.clock_offset = 0.0
        self._connect()

    def now(self) -> float:
        """The time of the API server, because the clock of this machine may be wrong."""
        return time.time() + self.clock_offset

    def get(self, path: str) -> dict[str, Any]:
        return self._request_json("GET", path, {})

    def patch(self, path: str, body: Any) -> dict[str, Any]:
        return self._request_json("PATCH", path, {"fieldManager": MANAGER}, body, "application/merge-patch+json")

    def apply(self, path: str, content: Any, dry_run: bool = False, force: bool = False) -> dict[str, Any]:
        """Server-side apply of one object; force: take over fields of other managers."""
        query = {"fieldManager": MANAGER, "force": "true" if force else "false"}
        query |= {"dryRun": "All"} if dry_run else {}
        return self._request_json("PATCH", path, query, content, "application/apply-patch+yaml")

    def delete(self, path: str) -> None:
        self._request_json("DELETE", path, {}, {"propagationPolicy": "Background"}, JSON)

    def list_items(self, path: str, accept: str = JSON, **query: str) -> Iterator[dict[str, Any]]:
        """All objects of a list, in pages; accept: the form of the answer. Raises ApiError."""
        token = ""
        while True:
            asked = {**query, "limit": str(PAGE), **({"continue": token} if token else {})}
            page = self._request_json("GET", path, asked, accept=accept)
            yield from page.get("items") or []
            token = page.get("metadata", {}).get("continue", "")
            if not token:
                return

    def watch(self, path: str, **query: str) -> Iterator[dict[str, Any]]:
        """Changes from now on, until the API server ends the watch or its version expires."""
        version = self._request_json("GET", path, {**query, "limit": "1"})["metadata"]["resourceVersion"]
        asked = {**query, "watch": "1", "resourceVersion": version, "timeoutSeconds": str(WATCH_SECONDS)}
        for line in self.read_lines(path, asked, WATCH_SECONDS + CONNECT_SECONDS, whole=True):
            event = json.loads(line)
            if event["type"] == "ERROR":
                return
            yield event

    def read_lines(
        self, path: str, query: dict[str, str], read_seconds: float = READ_SECONDS, whole: bool = False
    ) -> Iterator[bytes]:
        """The lines of a streamed answer, without line ends. Raises ApiError if the connection breaks or is silent.

        whole: leave out a last line without a line end, which a stopping API server or kubelet may send.
        """
        response = self._request("GET", path, query, read_seconds=read_seconds)
        rest = b""
        try:
            for chunk in response.stream(65536):
                *complete, rest = (rest + chunk).split(b"\n")
                yield from complete
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise ApiError(self._explain_unreachable(error)) from error
        finally:
            response.close()
        if rest and not whole:
            yield rest

    def _request_json(
        self,
        method: str,
        path: str,
        query: dict[str, str],
        body: Any = None,
        content_type: str = "",
        accept: str = JSON,
    ) -> dict[str, Any]:
        response = self._request(method, path, query, body, content_type, accept=accept)
        try:
            content: dict[str, Any] = json.loads(response.data)
        except (ValueError, urllib3.exceptions.HTTPError) as error:
            raise ApiError(f"{self.server} does not answer like a Kubernetes API server") from error
        return content

    def _request(
        self,
        method: str,
        path: str,
        query: dict[str, str],
        body: Any = None,
        content_type: str = "",
        read_seconds: float = READ_SECONDS,
        accept: str = JSON,
    ) -> urllib3.BaseHTTPResponse:
        def send() -> urllib3.BaseHTTPResponse:
            address = f"{self.server}{path}" + (f"?{urlencode(query)}" if query else "")
            login = self._configuration.auth_settings().get("BearerToken")
            try:
                response: urllib3.BaseHTTPResponse = self._pool.request(
                    method,
                    address,
                    body=json.dumps(body) if content_type else None,
                    # For each request, because the library renews expired tokens.
                    headers=headers | ({login["key"]: login["value"]} if login else {}),
                    preload_content=False,
                    retries=False,
                    timeout=urllib3.Timeout(connect=CONNECT_SECONDS, read=read_seconds),
                )
                return response
            except (urllib3.exceptions.HTTPError, OSError) as error:
                raise ApiError(self._explain_unreachable(error)) from error

        headers = {"Accept": accept, **({"Content-Type": content_type} if content_type else {})}
        if self._is_older_than(REBUILD_SECONDS):
            self._connect()
        response = send()
        if response.status == UNAUTHORIZED and self._is_older_than(FRESH_SECONDS):
            self._connect()  # the kubeconfig may have another login by now
            response = send()
        if date := response.headers.get("Date"):
            self.clock_offset = parsedate_to_datetime(date).timestamp() - time.time()
        if response.status >= 300:
            raise self._make_refusal(response, path)
        return response

    # The login

    def _connect(self) -> None:
        """Create the client from the kubeconfig or, without one, from the ServiceAccount of the pod."""
        complaints = _Complaints()
        logging.getLogger().addHandler(complaints)  # the library only logs errors of a login command
        try:
            self._configuration = self._configure()
        except (config.ConfigException, OSError, yaml.YAMLError) as error:
            raise ApiError(self._explain_unusable(error)) from error
        finally:
            logging.getLogger().removeHandler(complaints)
        if complaints.texts:
            said = redact_output(_join_lines(complaints.texts[0])[:LONGEST_COMPLAINT])
            raise ApiError(f"cannot log in with {self._name_user()}: {said}{self._find_login_command()}")
        self.server = self._configuration.host.rstrip("/")
        self._pool = client.ApiClient(self._configuration).rest_client.pool_manager
        self._made_at = time.monotonic()

    def _is_older_than(self, seconds: float) -> bool:
        return time.monotonic() - self._made_at > seconds

    def _configure(self) -> Any:
        configuration = client.Configuration()
        file = self.kubeconfig or _find_kubeconfig()
        has_kubeconfig = self.kubeconfig or any(map(os.path.exists, _split_paths(file)))
        if not (has_kubeconfig or self.context) and (IN_CLUSTER / "token").exists():
            config.load_incluster_config(configuration)
            self.namespace = (IN_CLUSTER / "namespace").read_text().strip()
            return configuration
        for path in _split_paths(file):
            if path.exists() and not path.is_file():  # reading a named pipe would wait for a writer
                raise config.ConfigException(f"{path} is not a regular file")
        contexts, active = config.list_kube_config_contexts(file)
        if self.context:
            active = next((context for context in contexts if context["name"] == self.context), None)
            if not active:
                known = ", ".join(sorted(one["name"] for one in contexts))
                raise config.ConfigException(f"there is no context {self.context}; possible: {known}")
        self.namespace = active["context"].get("namespace") or "default"
        config.load_kube_config(file, self.context or None, configuration, persist_config=False)
        return configuration

    def _explain_unusable(self, error: Exception) -> str:
        """What is wrong with the kubeconfig; if there is none, how to name one."""
        file = self.kubeconfig or _find_kubeconfig()
        if isinstance(error, PermissionError) or any(map(os.path.exists, _split_paths(file))):
            why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            return f"cannot use {self._name_user()}: {_join_lines(why)}"
        how = "set KUBECONFIG or use --kubeconfig FILE, and --context NAME for one of its contexts"
        return f"there is no kubeconfig: {file} does not exist; {how}"

    def _name_user(self) -> str:
        parts = [f"context {self.context}"] if self.context else []
        return " of ".join([*parts, self.kubeconfig or "the kubeconfig"])

    def _find_login_command(self) -> str:
        """The name of the kubeconfig's login command, for messages."""
        try:
            loader = config.kube_config._get_kube_config_loader(self.kubeconfig or _find_kubeconfig())
            loader.set_active_context(self.context or None)
            command = loader._user["exec"]["command"]
        except (AttributeError, KeyError, TypeError, config.ConfigException):
            return ""
        return f" (the login command is {command})"

    # Messages of failures

    def _explain_unreachable(self, error: Exception) -> str:
        reason = _CONNECTION.sub("", _join_lines(str(getattr(error, "reason", None) or error)))
        return f"cannot reach the API server {self.server} ({reason})"

    def _make_refusal(self, response: urllib3.BaseHTTPResponse, path: str) -> ApiError:
        try:
            said = _join_lines(json.loads(response.data).get("message", ""))
        except (ValueError, AttributeError, urllib3.exceptions.HTTPError):
            said = ""
        status = response.status
        if status == UNAUTHORIZED:
            return ApiError(f"{self.server} does not accept the login of {self._name_user()}: log in again", status)
        return ApiError(said or f"{self.server}{path}: HTTP {status}", status)


class _Complaints(logging.Handler):
    """Collects log messages."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage())


def _find_kubeconfig() -> str:
    """The present kubeconfig; the library keeps the one of its import."""
    return os.environ.get("KUBECONFIG") or "~/.kube/config"


def _split_paths(text: str) -> list[Path]:
    """The files of KUBECONFIG or --kubeconfig."""
    return [Path(part).expanduser() for part in text.split(os.pathsep) if part]


def _join_lines(text: str) -> str:
    return " ".join(text.split())
