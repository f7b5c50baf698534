"""A job's objects in a namespace of a real cluster, and a client with the rights of its launcher pod.

For tests that are marked `cluster`.
"""

import base64
import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from shared import settings
from status import api
from tests.scripts.trainings import settings_of

RULES = {
    "a": [("", "secrets", ["a-ssh"], ["get", "patch"]), ("", "configmaps", ["a-status"], ["get", "patch", "create"])],
    "a-1-watch": [("batch", "jobs", ["a-1-worker", "a-1-launcher"], ["get"]), ("", "pods", [], ["list"])],
}


class Job:
    """Job `a`, run `1`: service account, roles, an empty Secret and an empty record."""

    def __init__(self, namespace: str, folder: Path) -> None:
        from kubernetes import client, config

        config.load_kube_config()
        self.namespace = namespace
        self.folder = folder
        self.k8s = client
        self.core, self.batch, self.rbac = client.CoreV1Api(), client.BatchV1Api(), client.RbacAuthorizationV1Api()
        self.clients: list[api.Api] = []
        self.core.create_namespace({"metadata": {"name": namespace}})
        self.core.create_namespaced_service_account(namespace, {"metadata": {"name": "a"}})
        for name, rules in RULES.items():
            self.allow(name, rules)
        self.create("Secret", "a-ssh")
        self.create("ConfigMap", "a-status")
        self.client = self.service_account()

    def allow(self, name: str, rules: list[tuple[str, str, list[str], list[str]]]) -> None:
        names = ("apiGroups", "resources", "resourceNames", "verbs")
        listed = [
            dict(zip(names, ([group], [kind], objects, verbs), strict=True)) for group, kind, objects, verbs in rules
        ]
        self.rbac.create_namespaced_role(self.namespace, {"metadata": {"name": name}, "rules": listed})
        group = "rbac.authorization.k8s.io"
        binding = {
            "metadata": {"name": name},
            "roleRef": {"apiGroup": group, "kind": "Role", "name": name},
            "subjects": [{"kind": "ServiceAccount", "name": "a", "namespace": self.namespace}],
        }
        self.rbac.create_namespaced_role_binding(self.namespace, binding)

    def create(self, kind: str, name: str) -> None:
        make = {"Secret": self.core.create_namespaced_secret, "ConfigMap": self.core.create_namespaced_config_map}[kind]
        make(self.namespace, {"metadata": {"name": name}})

    def create_job(self, name: str, **spec: Any) -> None:
        """A Job that never gets pods of its own."""
        pod = {"restartPolicy": "Never", "nodeName": "none", "containers": [{"name": "main", "image": "none"}]}
        body = {"metadata": {"name": name}, "spec": {"template": {"spec": pod}, "suspend": True, **spec}}
        self.batch.create_namespaced_job(self.namespace, body)

    def service_account(self) -> api.Api:
        """A client with the token of the launcher's service account, as its pod has it."""
        token = self.core.create_namespaced_service_account_token("a", self.namespace, {"spec": {}}).status.token
        configuration = self.core.api_client.configuration
        (self.folder / "token").write_text(token)
        (self.folder / "ca.crt").write_bytes(Path(configuration.ssl_ca_cert).read_bytes())
        url = urlsplit(configuration.host)
        self.clients.append(api.Api(url.hostname or "", str(url.port or 443), self.folder))
        return self.clients[-1]

    def secret(self) -> dict[str, bytes]:
        data = self.core.read_namespaced_secret("a-ssh", self.namespace).data or {}
        return {key: base64.b64decode(text) for key, text in data.items()}

    def record(self) -> dict[str, str]:
        return dict(self.core.read_namespaced_config_map("a-status", self.namespace).data or {})

    def configured(self, **changes: Any) -> settings.Settings:
        """The run's settings."""
        given = {
            "job": "a",
            "run": "1",
            "namespace": self.namespace,
            "secret": "a-ssh",
            "record": "a-status",
            "run_name": "a-1",
            "workers": 2,
            "slots": 1,
            "start_timeout_seconds": 20,
            "status_interval_seconds": 1,
            "status_history": 20,
            **changes,
        }
        given = {"method": "pdsh", "autotuning": "none", **given}
        return settings_of(given)

    def remove(self) -> None:
        self.core.delete_namespace(self.namespace)
        for client in self.clients:
            client.close()
        for client in (self.core, self.batch, self.rbac):
            client.api_client.close()


@pytest.fixture
def job(tmp_path: Path) -> Iterator[Job]:
    if not os.environ.get("KUBECONFIG"):
        pytest.skip("they need a Kubernetes cluster: set KUBECONFIG")
    folder = tmp_path / "serviceaccount"
    folder.mkdir()
    made = Job(f"dsgen-l-{uuid.uuid4().hex[:8]}", folder)
    try:
        yield made
    finally:
        made.remove()
