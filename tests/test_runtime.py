"""The scripts that the jobs of a namespace share: their objects, in flat manifests and in charts."""

from pathlib import Path

import pytest

from dsgen.compiler.chart import make_chart_files, make_runtime_chart
from dsgen.generated.digest import SCRIPTS
from dsgen.render import render, render_runtime
from dsgen.values import Release
from tests.helm import MAJORS
from tests.parity import RELEASE, bare_chart, flat_objects, helm_objects, helm_run, load, objects, parsed, write_chart

FOLDERS = ("launcher", "local", "shared", "slurm", "ssh", "status", "worker")
CASE = """
image: {repository: registry.example.com/team/cifar, tag: v1}
launch: {method: slurm-script, command: [bash, train.sh]}
labels: {team: vision}
runtime: {create: false, name: ours}
"""
NAMES = [f"ours-{folder}-{SCRIPTS}" for folder in FOLDERS]

majors = pytest.mark.parametrize("major", MAJORS)


def shared(name: str = "ours") -> dict[str, str]:
    return objects("---\n".join(document.text for document in render_runtime(name, RELEASE.namespace)))


def mounted(text: str) -> list[str]:
    """The names of the ConfigMaps with scripts that a job mounts, sorted."""
    made = (parsed(document.text) for document in render(load(text), RELEASE))
    pods = [one["spec"]["template"]["spec"] for one in made if one["kind"] == "Job"]
    volumes = [one for pod in pods for one in pod["volumes"] if "projected" in one]
    found = {source.get("configMap", {}).get("name", "") for one in volumes for source in one["projected"]["sources"]}
    return sorted(name for name in found if name.endswith(SCRIPTS))


def test_a_job_without_its_own_scripts_refers_to_those_of_the_namespace() -> None:
    own = CASE.replace("create: false", "create: true")

    assert [name for name in NAMES if "-ssh-" not in name] == mounted(CASE)
    assert {f"ConfigMap/space/{name}" for name in mounted(own)} == flat_objects(own).keys() - flat_objects(CASE).keys()


@pytest.mark.parametrize(
    ("method", "folders"), [("slurm-script", "local slurm"), ("worker-command", "local"), ("launcher-command", "ssh")]
)
def test_a_job_has_and_mounts_the_scripts_that_its_method_needs(method: str, folders: str) -> None:
    job = CASE.replace("create: false", "create: true").replace("slurm-script", method)
    made = {key for key in flat_objects(job) if "-scripts-" in key}

    assert {f"ConfigMap/space/{name}" for name in mounted(job)} == made
    assert {key.split("-")[2] for key in made} == {"launcher", "shared", "status", "worker", *folders.split()}


def test_shared_scripts_belong_to_no_job() -> None:
    texts = [document.text for document in render_runtime("ours", "space")]

    assert NAMES == [parsed(text)["metadata"]["name"] for text in texts]
    assert [document.text for document in render_runtime("ours", "space")] == texts
    for thing in map(parsed, texts):
        assert not any(key.startswith("dsgen.dev/") for key in thing["metadata"]["labels"])
        assert thing["immutable"]
        assert {
            "argocd.argoproj.io/compare-options": "IgnoreExtraneous",
            "argocd.argoproj.io/sync-options": "Prune=false,Delete=false",
            "helm.sh/resource-policy": "keep",
            "kustomize.toolkit.fluxcd.io/prune": "disabled",
            "kustomize.toolkit.fluxcd.io/ssa": "IfNotPresent",
            "kustomize.toolkit.fluxcd.io/substitute": "disabled",
        } == thing["metadata"]["annotations"]


def test_shared_scripts_have_the_texts_of_a_jobs_own() -> None:
    own = [
        one
        for one in render(load(CASE.replace("create: false", "create: true")), RELEASE)
        if "scripts/" in one.template
    ]

    shared = zip(FOLDERS, render_runtime("ours", "space"), strict=True)

    assert [parsed(one.text)["data"] for one in own] == [
        parsed(one.text)["data"] for folder, one in shared if folder != "ssh"
    ]


@majors
def test_chart_without_scripts_has_the_same_objects(major: int, tmp_path: Path) -> None:
    (file := tmp_path / "values.yaml").write_text(CASE)
    files = make_chart_files(load(CASE), "job")
    chart = write_chart(tmp_path / "job", files)

    assert flat_objects(CASE) == helm_objects(major, bare_chart(), "--values", file)
    assert flat_objects(CASE) == helm_objects(major, chart)
    assert [] == [path for path in files if "runtime" in path]
    assert "runtime" in helm_run(major, chart, "--set", "runtime.create=true").stderr


@majors
def test_runtime_chart_has_the_same_objects(major: int, tmp_path: Path) -> None:
    assert shared() == helm_objects(major, write_chart(tmp_path, make_runtime_chart("ours")))


@majors
def test_an_umbrella_has_the_scripts_once(major: int, tmp_path: Path) -> None:
    (tmp_path / "Chart.yaml").write_text("{apiVersion: v2, name: all, version: 1.0.0}")
    write_chart(tmp_path / "charts" / "ours", make_runtime_chart("ours"))
    wanted = shared()
    for name in ("a", "b"):
        text = f"{CASE}name: {name}\n"
        write_chart(tmp_path / "charts" / name, make_chart_files(load(text), name))
        made = render(load(text), Release(name, RELEASE.namespace))
        wanted |= objects("---\n".join(document.text for document in made))

    assert wanted == helm_objects(major, tmp_path)
