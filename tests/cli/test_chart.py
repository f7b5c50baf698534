"""`dsgen chart` writes a complete chart."""

import tarfile
from pathlib import Path

import pytest
import yaml

from dsgen.writer import INDEX
from tests.cli.conftest import Cli, texts_in
from tests.helm import MAJORS, helm, run_helm
from tests.parity import documents

CHART = Path(__file__).parents[2] / "charts" / "deepspeed-job"


def test_without_a_file_it_is_the_published_chart(cli: Cli, folder: Path) -> None:
    code, out, err = cli("chart", "-d", "out")

    assert (0, "") == (code, err)
    assert out.startswith("out: chart deepspeed-job, ")
    assert texts_in(CHART) == texts_in(folder / "out")


def test_with_a_file_it_is_named_after_the_job_and_has_its_values(cli: Cli, folder: Path) -> None:
    cli("chart", "cifar.yaml", "-f", "prod.yaml", "-d", "out")
    values = yaml.safe_load((folder / "out" / "values.yaml").read_text())

    assert "cifar" == yaml.safe_load((folder / "out" / "Chart.yaml").read_text())["name"]
    assert ("cifar", 4, "v3") == (values["name"], values["workers"]["replicas"], values["image"]["tag"])


def test_a_file_without_names_is_fine_for_a_chart(cli: Cli, folder: Path) -> None:
    (folder / "x.yaml").write_text("image: {repository: a, tag: b}\ntraining: {python: t.py}\n")

    assert 0 == cli("chart", "x.yaml", "-d", "out").code
    assert 0 == cli("chart", "x.yaml", "-d", "named", "--name", "mine").code
    assert "mine" == yaml.safe_load((folder / "named" / "Chart.yaml").read_text())["name"]


@pytest.mark.parametrize("major", MAJORS)
def test_names_of_the_command_line_are_the_charts(cli: Cli, folder: Path, major: int) -> None:
    text = (folder / "cifar.yaml").read_text().replace("name: cifar\n", "").replace("namespace: training\n", "")
    (folder / "bare.yaml").write_text(text)
    names = ("--name", "cifar", "-n", "training")

    assert 0 == cli("chart", "cifar.yaml", "-d", "chart").code
    assert 0 == cli("chart", "bare.yaml", *names, "-d", "named").code

    assert texts_in(folder / "chart") == texts_in(folder / "named")
    assert cli("render", "cifar.yaml") == cli("render", "bare.yaml", *names)
    done = run_helm(helm(major), "template", "cifar", "named", "--namespace", "training")
    made = {f"{one['metadata']['namespace']}/{one['metadata']['name']}" for one in documents(done.stdout) if one}
    assert {"training/cifar-1-launcher", "training/cifar-1-worker"} <= made
    assert [] == [name for name in made if not name.startswith("training/cifar")]


@pytest.mark.parametrize("major", MAJORS)
def test_a_release_for_another_job_is_refused(cli: Cli, folder: Path, major: int) -> None:
    """Also as Argo CD and Flux template it; what sets both values, and a parent chart, mean it."""
    cli("chart", "cifar.yaml", "-d", "parent/charts/cifar")
    (folder / "parent/Chart.yaml").write_text("{apiVersion: v2, name: parent, version: 1.0.0}\n")

    def template(name: str, namespace: str, *arguments: str, chart: str = "parent/charts/cifar") -> tuple[int, str]:
        done = run_helm(helm(major), "template", chart, "--name-template", name, "--namespace", namespace, *arguments)
        return done.returncode, done.stderr

    for name, namespace in (("other", "training"), ("cifar", "prod"), ("training-cifar", "training")):
        code, error = template(name, namespace)
        assert (1, True) == (code, "[DS372]\n  use the release name cifar and --namespace training (Argo" in error), (
            error
        )
    code, error = template("other", "prod", "--set", "name=another")
    assert (
        "the release is other in namespace prod, but the values are those of job another in namespace training" in error
    )

    assert (0, "") == template("cifar", "training")
    assert (0, "") == template("other", "prod", "--set", "name=other,namespace=prod")
    assert (0, "") == template("other", "prod", "--set", "name=,namespace=")
    assert (0, "") == template("other", "prod", chart="parent")
    assert 0 == run_helm(helm(major), "lint", "parent/charts/cifar").returncode


@pytest.mark.parametrize("names", [("--name", "foo"), ("-n", "training")], ids=["name", "namespace"])
def test_names_without_a_job_are_wrong_usage(cli: Cli, folder: Path, names: tuple[str, str]) -> None:
    code, out, err = cli("chart", *names, "-d", "out")

    assert (2, "") == (code, out)
    assert "--name and -n name the job of a values file: give one" in err
    assert not (folder / "out").exists()


def test_index_is_no_part_of_the_chart(cli: Cli) -> None:
    cli("chart", "cifar.yaml", "-d", "out")
    for major in MAJORS:
        program = helm(major)
        done = run_helm(program, "package", "out")
        assert (0, "") == (done.returncode, done.stderr)
        with tarfile.open(next(Path().glob("*.tgz"))) as archive:
            assert [] == [name for name in archive.getnames() if name.endswith(INDEX)]


def test_check_and_dry_run(cli: Cli, folder: Path) -> None:
    assert 1 == cli("chart", "-d", "out", "--check").code
    assert 0 == cli("chart", "-d", "out", "--dry-run").code
    assert not (folder / "out").exists()
    cli("chart", "-d", "out")

    assert (0, "", "") == cli("chart", "-d", "out", "--check")
