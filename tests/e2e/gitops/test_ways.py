"""A job in each channel, from its first commit to its end: a run trains once, however often it is applied."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.e2e.cluster import Namespace
from tests.e2e.gitops import story, ways
from tests.e2e.gitops.channels import need
from tests.e2e.gitops.checkout import Checkout
from tests.e2e.gitops.table import Row
from tests.e2e.training import Job, merged, training_values

WAYS: dict[str, tuple[type[ways.Way], str]] = {
    "argocd-application": (ways.ArgoCD, "Argo CD, Application"),
    "argocd-applicationset": (ways.ApplicationSet, "Argo CD, ApplicationSet"),
    "argocd-chart": (ways.ArgoCDChart, "Argo CD, Application of a chart"),
    "flux-kustomization": (ways.Flux, "Flux, Kustomization"),
    "flux-complete": (ways.FluxComplete, "Flux, Kustomization, `readyWhen: complete`"),
    "flux-helmrelease": (ways.HelmRelease, "Flux, HelmRelease"),
    "kubectl": (ways.Kubectl, "`kubectl apply`"),
    "kubectl-server-side": (ways.KubectlServerSide, "`kubectl apply --server-side`"),
    "helm4": (ways.Helm, "Helm 4"),
    "helm3": (ways.Helm3, "Helm 3"),
}


SHARED = "-shared"
"""Behind the name of a way: the scripts are those of the namespace."""


@pytest.fixture(params=[*WAYS, *(f"{name}{SHARED}" for name in WAYS)])
def way(
    request: pytest.FixtureRequest, namespaces: Callable[..., Namespace], image: str, tmp_path: Path
) -> Iterator[ways.Way]:
    kind, _ = WAYS[request.param.removesuffix(SHARED)]
    if issubclass(kind, ways.ArgoCD | ways.Flux):
        need(kind.SPACE)
    space = namespaces(request.param)
    names = {"name": "digits", "namespace": space.name}
    values = merged(training_values(image, "--steps", str(story.STEPS)), names)
    made = kind(Checkout(tmp_path, space.name, values, kind.is_chart, request.param.endswith(SHARED)))
    try:
        yield made
    finally:
        made.delete()


@pytest.mark.by_turns("way")
def test_a_run_trains_once(
    way: ways.Way, request: pytest.FixtureRequest, record_row: Callable[[Row], None], live: Callable[[str], Namespace]
) -> None:
    job = Job(live(way.space), way.checkout.folder, way.checkout.values)
    name = request.node.callspec.params["way"]
    row = Row(f"{WAYS[name.removesuffix(SHARED)][1]}{', shared scripts' if way.checkout.is_shared else ''}")

    story.first_run(way, job, row)
    story.forced(way, job, row)
    story.changed_under_its_id(way, job, row)
    story.next_run(way, job, row)
    story.removed(way, job, row)
    record_row(row)


def test_the_folder_is_the_same_for_kustomize(image: str, tmp_path: Path) -> None:
    """`kubectl kustomize` gives the objects that Flux makes of the folder, and kubectl of its files."""
    names = {"name": "digits", "namespace": "somewhere"}
    checkout = Checkout(tmp_path, "x", merged(training_values(image), names), is_chart=False)
    checkout.write("1", "--kustomization")
    folder = tmp_path / checkout.job_folder

    built = subprocess.run(["kubectl", "kustomize", str(folder)], capture_output=True, text=True, check=True).stdout

    objects = {(each["kind"], each["metadata"]["name"]): each for each in _objects(built)}
    texts = [path.read_text() for path in folder.glob("*.yaml") if path.name != "kustomization.yaml"]
    assert objects == {(each["kind"], each["metadata"]["name"]): each for text in texts for each in _objects(text)}
    assert len(objects) > 10


def _objects(text: str) -> list[dict[str, Any]]:
    return [each for each in yaml.safe_load_all(text) if each]
