"""Manifests and charts that the controllers read from a registry, as `dsgen gitops --repository oci://...` tells them.

What Flux makes of a folder, with its own kustomize, is what kubectl makes of it. The run is suspended, so that nothing
trains: what arrives in the cluster is the matter.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import pytest
import yaml

from dsgen.writer.plan import KUSTOMIZATION
from tests.e2e.cluster import Namespace, kubectl, soon
from tests.e2e.gitops import registry
from tests.e2e.gitops.channels import ARGO, FLUX, apply, need
from tests.e2e.gitops.checkout import CONTROL, Checkout
from tests.e2e.gitops.ways import SECONDS, looked_at
from tests.e2e.training import merged, training_values

pytestmark = pytest.mark.by_turns

JOBS = {"digits-1-launcher": True, "digits-1-worker": True}
"""Each with whether it is suspended."""


class Make(Protocol):
    def __call__(self, controller: str, is_chart: bool, *options: str) -> tuple[Namespace, Checkout, str]: ...


@pytest.fixture
def make(namespaces: Callable[..., Namespace], image: str, tmp_path: Path, request: pytest.FixtureRequest) -> Make:
    """Makes a folder of a suspended job, and a registry that has it."""

    def made(controller: str, is_chart: bool, *options: str) -> tuple[Namespace, Checkout, str]:
        need(controller)
        space = namespaces("oci")
        given = {"name": "digits", "namespace": space.name, "lifecycle": {"suspend": True}}
        checkout = Checkout(tmp_path, space.name, merged(training_values(image), given), is_chart)
        checkout.write("1", *options)
        there = registry.Registry(space, image)
        if is_chart:
            folder = tmp_path / checkout.job_folder
            version = yaml.safe_load((folder / "Chart.yaml").read_text())["version"]
            there.put("jobs/digits", version.replace("+", "_"), registry.packed(folder, "digits"), registry.HELM)
        else:
            kind = registry.LAYER if controller == ARGO else registry.FLUX
            there.put("jobs", "latest", registry.packed(tmp_path / "rendered", "rendered"), kind)
        here = f"{tmp_path / CONTROL}"
        request.addfinalizer(lambda: kubectl("delete", "--filename", here, "--ignore-not-found", "--wait=false"))
        return space, checkout, there.start()

    return made


def jobs(space: Namespace) -> dict[str, bool]:
    return {job.metadata.name: job.spec.suspend for job in space.batch.list_namespaced_job(space.name).items}


def insecure(source: str) -> None:
    """The registry of the test has no certificate, which is nothing that dsgen writes."""
    kubectl("-n", FLUX, "patch", "ocirepository", source, "--type=merge", '--patch={"spec": {"insecure": true}}')


def condition(kind: str, name: str) -> dict[str, Any]:
    conditions = looked_at(kind, name, FLUX).get("status", {}).get("conditions", [])
    return next((each for each in conditions if each["type"] == "Ready"), {})


@pytest.mark.parametrize(
    ("kind", "options"), [("Kustomization", ()), ("Kustomization", ("--kustomization",)), ("HelmRelease", ())]
)
def test_flux_reads_a_registry(make: Make, kind: str, options: tuple[str, ...]) -> None:
    space, checkout, url = make(FLUX, kind == "HelmRelease", *options)
    title = f"{space.name}-digits"
    source = title if checkout.is_chart else space.name
    checkout.control("--kind", kind, "--repository", f"{url}/jobs", "--source", space.name, "--ready-when", "applied")
    kubectl("apply", "--server-side", "--validate=strict", "--filename", str(checkout.folder / CONTROL))
    insecure(source)

    soon(f"Ready of {kind}", lambda: condition(kind.lower(), title).get("status") == "True", SECONDS)

    assert jobs(space) == JOBS
    assert "True" == condition("ocirepository", source)["status"]
    if kind == "Kustomization":
        check_same(checkout, looked_at("kustomization", title, FLUX)["status"]["inventory"]["entries"])


def check_same(checkout: Checkout, inventory: list[dict[str, str]]) -> None:
    """kubectl would apply the same objects, and no field of them would change or be somebody else's."""
    folder = checkout.folder / checkout.job_folder
    how = "--kustomize" if (folder / KUSTOMIZATION).exists() else "--filename"
    said = kubectl("apply", "--server-side", "--dry-run=server", "--field-manager=other", how, str(folder))
    assert len(inventory) == len(said.splitlines()) > 10
    assert "" == kubectl("diff", "--server-side", "--field-manager=other", how, str(folder))


def test_argocd_reads_a_registry(make: Make) -> None:
    space, checkout, url = make(ARGO, False)
    labels = {"argocd.argoproj.io/secret-type": "repository"}
    metadata = {"name": space.name, "namespace": ARGO, "labels": labels}
    data = {"type": "oci", "url": f"{url}/jobs", "insecureOCIForceHttp": "true"}
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": data}
    checkout.control("--kind", "Application", "--repository", f"{url}/jobs")
    (checkout.folder / CONTROL / "secret.yaml").write_text(yaml.safe_dump(secret))
    apply(secret)
    kubectl("apply", "--server-side", "--validate=strict", "--filename", str(checkout.folder / CONTROL))

    soon("sync", lambda: jobs(space) == JOBS, SECONDS)
    status = looked_at("application", f"{space.name}-digits", ARGO)["status"]
    soon(
        "Synced",
        lambda: looked_at("application", f"{space.name}-digits", ARGO)["status"]["sync"]["status"] == "Synced",
        SECONDS,
    )
    assert status["sync"]["revision"].startswith("sha256:")
