"""An upgrade of dsgen under a run: what was released and what is made now, applied in turn.

The image is nowhere to be had, so the pods wait and the Jobs stay; what counts is what becomes of the Jobs.
"""

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.contract import golden
from tests.e2e.cluster import Namespace
from tests.helm import MAJORS, helm
from tests.parity import write_chart

pytestmark = pytest.mark.by_turns

JOBS = ("contract-1-launcher", "contract-1-worker")
PER_APPLICATION = 3
"""The golden files, the present output, and the golden files again, which is a rollback."""


@pytest.fixture
def space(namespaces: Callable[..., Namespace]) -> Namespace:
    return namespaces("contract")


def identities(space: Namespace) -> dict[str, tuple[str, int]]:
    """Uid and generation of every Job; the generation counts changes of the spec."""
    jobs = json.loads(space.kubectl("get", "jobs", "--output", "json"))["items"]
    return {job["metadata"]["name"]: (job["metadata"]["uid"], job["metadata"]["generation"]) for job in jobs}


def uids(space: Namespace) -> dict[str, str]:
    """Of all objects that outlive the run, too."""
    return {name: uid for name, (uid, _) in space.identities().items() if not name.startswith("Pod/")}


def released() -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in golden.GOLDEN.iterdir()}


def manifests(files: dict[str, str], space: Namespace) -> str:
    """The manifests of a golden folder, for a real namespace."""
    text = golden.with_scripts("---\n".join((files["name.yaml"], files["run.yaml"])))
    return text.replace(golden.RELEASE.namespace, space.name)


def by_kubectl(space: Namespace, tmp_path: Path) -> Iterator[str]:  # noqa: ARG001 - as by_helm
    for files in (released(), golden.present(), released()):
        yield space.kubectl("apply", "--filename", "-", text=manifests(files, space))


def chart_of(files: dict[str, str], space: Namespace, folder: Path) -> Path:
    """A chart with the objects of a golden folder. tests/test_parity.py compares dsgen's charts with manifests."""
    (folder / "templates").mkdir(parents=True)
    (folder / "Chart.yaml").write_text("{apiVersion: v2, name: deepspeed-job, version: 0.0.0}\n", encoding="utf-8")
    (folder / "objects.yaml").write_text(manifests(files, space), encoding="utf-8")
    (folder / "templates" / "objects.yaml").write_text('{{ .Files.Get "objects.yaml" }}\n', encoding="utf-8")
    return folder


def by_helm(major: int) -> Callable[[Namespace, Path], Iterator[str]]:
    """Installed with the golden objects, upgraded to the present chart, and back."""

    def apply(space: Namespace, tmp_path: Path) -> Iterator[str]:
        old, new = chart_of(released(), space, tmp_path / "released"), write_chart(tmp_path / "present", golden.chart())
        for chart in (old, new, old):
            command = [helm(major), "upgrade", "--install", golden.RELEASE.name, str(chart), "--namespace", space.name]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"
            yield done.stdout

    return apply


WAYS = {"kubectl": by_kubectl, **{f"helm{major}": by_helm(major) for major in MAJORS}}


@pytest.mark.parametrize("way", WAYS)
def test_no_job_is_refused_changed_or_made_anew(way: str, space: Namespace, tmp_path: Path) -> None:
    seen = [(identities(space), uids(space)) for _ in WAYS[way](space, tmp_path)]

    assert PER_APPLICATION == len(seen)
    first, objects = seen[0]
    assert sorted(JOBS) == sorted(first)
    for jobs, others in seen[1:]:
        assert first == jobs
        assert objects == {name: uid for name, uid in others.items() if name in objects}
