"""Argo CD itself runs the health checks and templates of `dsgen gitops --notify`."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.e2e.cluster import Namespace, kubectl
from tests.e2e.conftest import unavailable
from tests.e2e.training import dsgen, training_values

sys.path.insert(0, str(Path(__file__).parents[3] / "dsgen" / "scripts"))

from shared import record

RECORD = {"dsgen.dev/job": "cifar", "app.kubernetes.io/component": "status"}
SAID = 'rank 1 says "no" and ended with exit code 9'
SUSPENDED_ONCE = {"conditions": [{"type": "Suspended", "status": "False"}]}
FAILED = {"conditions": [{"type": "Failed", "status": "True", "message": "BackoffLimitExceeded"}]}


def run(phase: str, start: str | None, message: str = "") -> str:
    """A run in a record, as its sidecar writes it."""
    said = {"phase": phase, "reason": "TrainingFailed" if phase == "Failed" else "", "message": message, "exitCode": 9}
    return record.format_line({**record.compose({}, said, {"replicas": 2}, 0, 0), "startTime": start})


@pytest.fixture
def patches(tmp_path: Path, image: str) -> Path:
    """The patches, each made a ConfigMap."""
    if not shutil.which("argocd"):
        unavailable("this test needs the program argocd on the PATH")
    values = {**training_values(image), "name": "cifar", "namespace": "training", "scheduling": {"queue": "team"}}
    (tmp_path / "cifar.yaml").write_text(yaml.safe_dump(values))
    source = ["--kind", "Application", "--repository", "https://git.example.com/jobs.git", "--notify", "webhook:team"]
    dsgen("gitops", str(tmp_path / "cifar.yaml"), "-d", str(tmp_path / "made"), *source)
    for path in (tmp_path / "made" / "patches").iterdir():
        labels = {"app.kubernetes.io/part-of": "argocd"}
        metadata = {"name": path.stem, "namespace": "argocd", "labels": labels}
        made = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, **yaml.safe_load(path.read_text())}
        (tmp_path / path.name).write_text(yaml.safe_dump(made))
    return tmp_path


def argocd(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["argocd", "admin", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout


@pytest.mark.parametrize(
    ("kind", "body", "health"),
    [
        ("ConfigMap", {"1": run("Succeeded", "2026-01-01T00:00:00Z")}, ("Healthy", "")),
        (
            "ConfigMap",
            {"1": run("Succeeded", "2026-01-01T00:00:00Z"), "2": run("Failed", "2026-01-02T00:00:00Z", SAID)},
            ("Degraded", f"TrainingFailed: {SAID}"),
        ),
        ("ConfigMap", {"1": run("Failed", "2026-01-01T00:00:00Z"), "2": run("Pending", None)}, ("Healthy", "")),
        ("ConfigMap", {}, ("Healthy", "")),
        ("Job", SUSPENDED_ONCE, ("Progressing", "running")),
        ("Job", FAILED, ("Degraded", "BackoffLimitExceeded")),
    ],
)
def test_the_health_of_a_record_and_of_a_queued_job(
    patches: Path, kind: str, body: dict[str, Any], health: tuple[str, str]
) -> None:
    metadata = {"name": "x", "namespace": "training", "labels": RECORD}
    content = {"apiVersion": "v1", "data": body} if kind == "ConfigMap" else {"apiVersion": "batch/v1", "status": body}
    (patches / "object.yaml").write_text(yaml.safe_dump({"kind": kind, "metadata": metadata, **content}))

    told = argocd(
        patches, "settings", "resource-overrides", "health", "object.yaml", "--argocd-cm-path", "argocd-cm.yaml"
    )

    assert f"STATUS: {health[0]}\nMESSAGE: {health[1]}\n" == told


def test_other_configmaps_have_no_health(patches: Path) -> None:
    made = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "namespace": "y"}, "data": {"a": "b"}}
    (patches / "object.yaml").write_text(yaml.safe_dump(made))

    told = argocd(
        patches, "settings", "resource-overrides", "health", "object.yaml", "--argocd-cm-path", "argocd-cm.yaml"
    )

    assert "STATUS: \nMESSAGE: \n" == told


def test_a_notification_has_the_reason_of_the_record(patches: Path, namespaces: Callable[..., Namespace]) -> None:
    space = namespaces("notify")
    seen = {"version": "v1", "kind": "ConfigMap", "name": "cifar-status", "namespace": "training"}
    application = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "training-cifar", "namespace": space.name, "labels": {"dsgen.dev/job": "cifar"}},
        "spec": {
            "project": "default",
            "source": {"repoURL": "https://git.example.com/jobs.git", "path": "x"},
            "destination": {"server": "https://kubernetes.default.svc", "namespace": "training"},
        },
        "status": {
            "health": {"status": "Degraded", "lastTransitionTime": "2026-01-01T00:00:00Z"},
            "resources": [{**seen, "health": {"status": "Degraded", "message": f"TrainingFailed: {SAID}"}}],
        },
    }
    kubectl("apply", "--filename", "-", text=json.dumps(application))
    files = ["--config-map", "argocd-notifications-cm.yaml", "--secret", ":empty", "--namespace", space.name]

    text = argocd(
        *(patches, "notifications", "template", "notify", "dsgen-failed", "training-cifar"),
        *("--recipient", "console:stdout", *files),
    )
    fired = argocd(patches, "notifications", "trigger", "run", "dsgen-failed", "training-cifar", *files)

    assert [
        "Training training/cifar has failed. TrainingFailed: " + SAID,
        "dsgen why training/cifar",
    ] == [line.strip() for line in text.splitlines() if "training/cifar" in line]
    assert "true" in fired
