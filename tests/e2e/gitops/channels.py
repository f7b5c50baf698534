"""Argo CD and Flux as channels of a job: access to the Git repository, and the state that the controllers report."""

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.e2e.cluster import kubectl, soon
from tests.e2e.conftest import unavailable
from tests.e2e.frozen import CHANGES, STATES, Deliver, Jobs, of

GIT = ("DSGEN_E2E_GIT_PUSH", "DSGEN_E2E_GIT_PULL")
ARGO, FLUX = "argocd", "flux-system"
CONTROLLERS = {ARGO: "applications.argoproj.io", FLUX: "kustomizations.kustomize.toolkit.fluxcd.io"}
HERE = "https://kubernetes.default.svc"
SECONDS = 180
"""In which a controller has taken up a change and said what became of it."""


def need(controller: str) -> None:
    """Skip where the cluster has no such controller, or no repository that it reads."""
    if missing := [name for name in GIT if not os.environ.get(name)]:
        unavailable(f"these tests need a Git repository: export {' and '.join(missing)} (tests/e2e/README.md)")
    if not kubectl("get", "crd", CONTROLLERS[controller], "--ignore-not-found", "--output", "name"):
        unavailable(f"this test needs the controllers of {controller} in the cluster (tests/e2e/README.md)")


@dataclass
class Repository:
    """A branch with the manifests of all jobs and changes, `CHANGE/STATE`, and the charts."""

    branch: str
    url: str


def pushed(jobs: Jobs, folder: Path) -> Repository:
    """Renders everything and pushes it as a branch of its own."""
    for change in CHANGES:
        for state in STATES:
            target = folder / change / state / "manifests.yaml"
            target.parent.mkdir(parents=True)
            target.write_text(jobs.manifests(state, change))
        shutil.copytree(jobs.chart(change), folder / f"chart-{change}")
    branch = jobs.space.name
    author = ["-c", "user.name=dsgen", "-c", "user.email=dsgen@example.com"]
    for command in (
        ["init", "--quiet", "--initial-branch", branch],
        ["add", "--all"],
        [*author, "commit", "--quiet", "--message", "Jobs"],
        ["push", "--quiet", os.environ["DSGEN_E2E_GIT_PUSH"], f"HEAD:{branch}"],
    ):
        subprocess.run(["git", *command], cwd=folder, check=True)
    return Repository(branch, os.environ["DSGEN_E2E_GIT_PULL"])


def apply(*made: dict[str, Any]) -> None:
    kubectl("apply", "--server-side", "--force-conflicts", "--filename", "-", text=yaml.safe_dump_all(made))


def argocd(*options: str, chart: bool = False) -> Callable[[Jobs, Repository], Deliver]:
    """An Application for each job, automated, with self-healing and pruning."""

    def way(jobs: Jobs, repository: Repository) -> Deliver:
        def deliver(state: str, change: str) -> str:
            name = f"{jobs.space.name}-{state}"
            source: dict[str, Any] = {"repoURL": repository.url, "targetRevision": repository.branch}
            if chart:
                values = yaml.safe_dump(jobs.values(state, change))
                source |= {"path": f"chart-{change}", "helm": {"releaseName": state, "values": values}}
            else:
                source |= {"path": f"{change}/{state}"}
            policy = {
                "automated": {"prune": True, "selfHeal": True},
                "syncOptions": list(options),
                "retry": {"limit": 1, "refresh": True, "backoff": {"duration": "1s"}},
            }
            spec = {"project": "default", "source": source, "syncPolicy": policy}
            spec["destination"] = {"server": HERE, "namespace": jobs.space.name}
            metadata = {
                "name": name,
                "namespace": ARGO,
                "finalizers": ["resources-finalizer.argocd.argoproj.io"],
            }
            apply({"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": metadata, "spec": spec})
            return soon(f"end of the sync of {name}", lambda: _synced(name, source), SECONDS)[0]

        return deliver

    return way


def _synced(name: str, source: dict[str, Any]) -> tuple[str] | None:
    """What is wrong, or nothing, once this source is synced, or its sync has ended."""
    status = of("application", name, ARGO).get("status", {})
    sync, operation = status.get("sync", {}), status.get("operationState", {})
    if sync.get("status") == "Synced" and sync["comparedTo"]["source"] == source:
        return ("",)
    result = operation.get("syncResult", {})
    if operation.get("phase") not in ("Failed", "Error") or result.get("source") != source:
        return None
    failed = [entry["message"] for entry in result["resources"] if entry.get("status") == "SyncFailed"]
    return ("\n".join([operation["message"], *failed]),)


def kustomization(jobs: Jobs, repository: Repository) -> Deliver:
    """A Kustomization for each job, which prunes and does not wait."""

    def deliver(state: str, change: str) -> str:
        name = f"{jobs.space.name}-{state}"
        spec = {
            "interval": "30s",
            "prune": True,
            "wait": False,
            "path": f"./{change}/{state}",
            "sourceRef": {"kind": "GitRepository", "name": jobs.space.name},
        }
        apply(_git(jobs, repository), _flux("kustomize.toolkit.fluxcd.io/v1", "Kustomization", name, spec))
        return soon(f"end of Kustomization {name}", lambda: _ready("kustomization", name), SECONDS)[0]

    return deliver


def helmrelease(jobs: Jobs, repository: Repository) -> Deliver:
    """A HelmRelease for each job, which does not wait for it."""

    def deliver(state: str, change: str) -> str:
        name = f"{jobs.space.name}-{state}"
        source = {"kind": "GitRepository", "name": jobs.space.name}
        action = {"disableWait": True, "strategy": {"name": "RetryOnFailure", "retryInterval": "5m"}}
        spec = {
            "interval": "30s",
            "releaseName": state,
            "targetNamespace": jobs.space.name,
            "storageNamespace": jobs.space.name,
            "chart": {
                "spec": {"chart": f"./chart-{change}", "sourceRef": source, "reconcileStrategy": "Revision"},
            },
            "install": action,
            "upgrade": action,
            "rollback": {"disableWait": True},
            "values": jobs.values(state, change),
        }
        apply(_git(jobs, repository), _flux("helm.toolkit.fluxcd.io/v2", "HelmRelease", name, spec))
        return soon(f"end of HelmRelease {name}", lambda: _ready("helmrelease", name), SECONDS)[0]

    return deliver


def _git(jobs: Jobs, repository: Repository) -> dict[str, Any]:
    spec = {"interval": "30s", "url": repository.url, "ref": {"branch": repository.branch}}
    return _flux("source.toolkit.fluxcd.io/v1", "GitRepository", jobs.space.name, spec)


def _flux(version: str, kind: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": FLUX}, "spec": spec}


def _ready(kind: str, name: str) -> tuple[str] | None:
    """What is wrong, or nothing, once the controller has dealt with what was applied last."""
    thing = of(kind, name, FLUX)
    for condition in thing.get("status", {}).get("conditions", []):
        is_present = condition.get("observedGeneration") == thing["metadata"]["generation"]
        is_final = condition["status"] != "Unknown" and not condition["reason"].startswith(("Source", "Artifact"))
        if condition["type"] == "Ready" and is_present and is_final:
            return ("" if condition["status"] == "True" else condition["message"],)
    return None


def remove(jobs: Jobs) -> None:
    """Delete what the controllers have of these jobs; the jobs go with their namespace."""
    for space, kinds in ((ARGO, ("application",)), (FLUX, ("kustomization", "helmrelease", "gitrepository"))):
        for kind in kinds:
            for name in kubectl("--namespace", space, "get", kind, "--output", "name", "--ignore-not-found").split():
                if f"/{jobs.space.name}" in name:
                    kubectl("--namespace", space, "delete", name, "--wait=false", "--ignore-not-found")
