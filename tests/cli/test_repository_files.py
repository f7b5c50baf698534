"""A FILE of a repository is the job that dsgen.yaml makes of it, in every command."""

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from dsgen import api
from dsgen.cli._cluster import read_job
from dsgen.cli._options import Inputs
from dsgen.errors import UsageError
from dsgen.reading import find_places
from tests.cli.conftest import IMAGE, Cli, job, put

A, B = "jobs/a/values.yaml", "jobs/b/values.yaml"
SETTINGS = f"""
kustomization: true
checks: {{DS250: error}}
defaults:
  {IMAGE}
  workers: {{tolerations: [{{key: gpu, operator: Exists}}]}}
overlays:
- jobs: [jobs/a/*]
  files: [prod.yaml]
  values: {{labels: {{team: a}}}}
"""
SWEEP = """
matrix:
- jobs: [jobs/b/*]
  variables: {lr: ["1", "2"]}
  values: {name: "b-{lr}", training: {args: [--lr, "{lr}"]}}
"""


@pytest.fixture
def platform(repository: Path) -> Path:
    """A repository whose settings change its jobs: defaults, an overlay of the first job, a matrix of the second."""
    put(repository / "dsgen.yaml", SETTINGS + SWEEP)
    put(repository / "prod.yaml", "workers: {replicas: 5}\n")
    return repository


def test_a_folder_of_its_own_gets_the_same_files(cli: Cli, platform: Path) -> None:
    assert [0, 0] == [cli("render").code, cli("render", A, "-d", "out").code]
    folders = [platform / "rendered/training/cifar", platform / "out"]

    first, second = ({path.name: path.read_text() for path in folder.iterdir()} for folder in folders)

    assert first == second
    assert "kustomization.yaml" in first


def test_values_are_those_of_the_repository(cli: Cli, platform: Path) -> None:
    assert platform
    whole = cli("values").out.split("---\n")

    assert whole[0] == cli("values", A).out
    assert whole[1:] == cli("values", B).out.split("---\n")


def test_all_jobs_of_a_matrix(cli: Cli, platform: Path) -> None:
    assert platform
    expected = "".join(f"{B}: ok, job research/b-{lr}\n" for lr in (1, 2))

    assert (0, expected, "") == cli("validate", B)
    assert (0, expected + f"{A}: ok, job training/cifar\n", "") == cli("validate", B, A)
    assert 0 == cli("render", B, "-d", "out").code
    assert ["b-1", "b-2"] == sorted(path.name for path in (platform / "out").iterdir())


def test_a_name_chooses_one_job_of_a_matrix(cli: Cli, platform: Path) -> None:
    assert platform
    assert "name: b-2-2-config" not in cli("render", B, "--name", "b-1").out
    assert "\nname: b-2  #" in f"\n{cli('values', B, '--name', 'b-2').out}"

    code, out, err = cli("render", B, "--name", "b-3")

    assert (2, "") == (code, out)
    assert f"dsgen: --name b-3: {B} has no such job in dsgen.yaml; possible jobs: b-1, b-2\n" == err


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("graph", B), "the picture shows one job"),
        (("chart", B, "-d", "out"), "a chart is made from one job"),
    ],
)
def test_a_command_on_one_job_says_how_to_choose(cli: Cli, platform: Path, arguments: list[str], why: str) -> None:
    code, out, err = cli(*arguments)

    assert platform
    assert (2, "") == (code, out)
    assert f"dsgen: {why}, but {B} has 2 jobs in dsgen.yaml: choose one with --name; possible jobs: b-1, b-2\n" == err
    assert 0 == cli(*arguments, "--name", "b-2").code


def test_a_file_names_a_job_of_the_cluster(platform: Path) -> None:
    put(platform / "prod.yaml", "name: other\n")

    assert ("training", "other") == read_job(Inputs((A,)))[:2]
    with pytest.raises(UsageError, match=r"give its name instead of the file; .* research/b-1, research/b-2$"):
        read_job(Inputs((B,)))


def test_a_chart_has_the_values_of_the_repository(cli: Cli, platform: Path) -> None:
    assert [0, 0] == [cli("chart").code, cli("chart", A, "-d", "out").code]

    assert (platform / "out/values.yaml").read_text() == (platform / "charts/training/cifar/values.yaml").read_text()


def test_a_picture_has_the_objects_of_the_repository(cli: Cli, platform: Path) -> None:
    put(platform / "prod.yaml", "storage: {of-the-platform: {mountPath: /x, existingClaim: platform-data}}\n")

    assert "platform-data" in cli("graph", A, "-o", "mermaid").out


def test_the_difference_of_one_job(cli: Cli, platform: Path) -> None:
    assert [0, 0] == [cli("render").code, cli("diff", A).code]
    put(platform / "prod.yaml", "run: {id: next}\nworkers: {replicas: 6}\n")

    code, out, _ = cli("diff", A)

    assert 1 == code
    assert out.startswith("rendered/training/cifar: job training/cifar, new run next\n")
    assert "research" not in out
    assert (0, "rendered/research/b-1", "rendered/research/b-2") == (
        (result := cli("diff", B)).code,
        *(line.partition(":")[0] for line in result.out.splitlines()),
    )
    assert 0 == cli("chart").code
    assert 0 == cli("diff", A, "--chart").code


def test_a_file_outside_has_no_folder_to_compare_with(cli: Cli, folder: Path) -> None:
    assert folder
    assert (2, "", "dsgen: -d is missing, the folder to compare with: cifar.yaml is not a job of dsgen.yaml\n") == cli(
        "diff", "cifar.yaml"
    )


def test_the_next_run_id_is_written_into_the_values_file(cli: Cli, platform: Path) -> None:
    assert 0 == cli("render", A, "-d", "out").code
    put(platform / "prod.yaml", "workers: {replicas: 6}\n")

    code, out, err = cli("render", A, "-d", "out", "--bump")

    assert (0, "") == (code, err)
    assert out.startswith(f"{A}: run.id 1 -> 2\n")
    assert 'run: {id: "2"}' in (platform / A).read_text()


def test_the_objects_of_argo_cd_name_the_folder_of_the_repository(cli: Cli, platform: Path) -> None:
    argocd = "argocd: {repository: 'https://git.example.com/jobs.git'}\noutput: out/{namespace}-{name}\n"
    put(platform / "dsgen.yaml", SETTINGS + argocd)

    assert 0 == cli("gitops", A, "--kind", "Application", "-d", "apps").code

    source = yaml.safe_load((platform / "apps/application-training-cifar.yaml").read_text())["spec"]["source"]
    assert ("https://git.example.com/jobs.git", "out/training-cifar") == (source["repoURL"], source["path"])


def test_severities_of_the_repository_apply(cli: Cli, platform: Path) -> None:
    put(platform / "prod.yaml", "image: {tag: latest}\n")

    code, _, err = cli("validate", A)

    assert 1 == code
    assert "prod.yaml:1:14: error: the image has no fixed version [DS250]" in err


def test_further_overlays_override_those_of_the_repository(cli: Cli, platform: Path) -> None:
    put(platform / "more.yaml", "workers: {replicas: 7}\n")

    assert "  replicas: 7  # more.yaml:1\n" in cli("values", A, "-f", "more.yaml").out
    assert "  replicas: 7  # -\n" not in cli("values", A, "-f", "-", stdin="workers: {replicas: 7}\n").out
    assert "  replicas: 7  # <stdin>:1\n" in cli("values", A, "-f", "-", stdin="workers: {replicas: 7}\n").out
    assert "  replicas: 8  # --set\n" in cli("values", A, "-f", "more.yaml", "--set", "workers.replicas=8").out
    assert "  replicas: 7  # more.yaml:1\n" in cli("values", "-f", A, "-f", "more.yaml").out
    assert "  team: a  # dsgen.yaml:" in cli("values", "-f", A, "-f", "more.yaml").out


def ways(repository: Path) -> Iterator[tuple[Path, str]]:
    """Working folders, each with a name of the values file of the first job."""
    (repository / "link").symlink_to("jobs/a")
    elsewhere = repository.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "job.yaml").symlink_to(repository / A)
    (elsewhere / "whole").symlink_to(repository)
    yield repository, A
    yield repository, f"./jobs//a/../../{A}"
    yield repository, str(repository / A)
    yield repository, "link/values.yaml"
    yield repository / "jobs" / "a", "values.yaml"
    yield elsewhere, f"../{repository.name}/{A}"
    yield elsewhere, "job.yaml"
    yield elsewhere, f"whole/{A}"


def test_it_is_the_same_job_by_any_name(cli: Cli, platform: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = cli("render", A).out
    for place, name in ways(platform):
        monkeypatch.chdir(place)

        assert (name, 0, expected, "") == (name, *cli("render", name))
        assert expected == "---\n".join(one.text for one in api.render(api.load(Path(name))))
        assert f"{name}: ok, job training/cifar\n" == cli("validate", name).out
        assert cli("values", name).out.startswith(f"name: cifar  # {name}:2\n")


def test_python_loads_the_job_of_the_command_line(cli: Cli, platform: Path) -> None:
    put(platform / "more.yaml", "workers: {replicas: 7}\n")
    put(platform / "alone.yaml", job("alone", image="{repository: r.example.com/x, tag: v1}"))

    for flag, sources in {"-f": (B, "more.yaml"), "--set": (B,)}.items():
        flags = [flag, "more.yaml" if flag == "-f" else "run.id=7"]
        overrides = [api.Override("--set", "run.id=7")] * (flag == "--set")
        loaded = api.load(*sources, overrides=overrides, name="b-2")
        assert cli("render", B, "--name", "b-2", *flags).out == "---\n".join(one.text for one in api.render(loaded))
    with pytest.raises(UsageError, match="has 2 jobs"):
        api.load(B)
    with pytest.raises(UsageError, match="no such job"):
        api.load(B, name="b-3")
    assert ["DS911"] == [one.id for one in api.validate(api.load("alone.yaml"))]
    assert [] == api.validate(api.load(api.read("alone.yaml")))
    put(platform / "dsgen.yaml", "jobs: [none/*.yaml]\noutput: ../x\n")
    spoilt = api.load(A)
    assert cli("validate", A).err == api.as_text(api.validate(spoilt), spoilt.sources)


@pytest.mark.parametrize("nearer", ["jobs", "jobs/a"])
@pytest.mark.parametrize("is_job", [True, False])
def test_two_settings_above_a_file_are_an_error(cli: Cli, platform: Path, nearer: str, is_job: bool) -> None:
    put(platform / nearer / "dsgen.yaml", f"jobs: ['{'**/values.yaml' if is_job else 'none.yaml'}']\n")
    expected = f"{nearer}/dsgen.yaml and dsgen.yaml are both above the same files"

    for command in ("validate", "render", "values", "estimate", "diff"):
        code, out, err = cli(command, A)
        assert (1, "") == (code, out)
        assert expected in err
    assert expected in str(api.as_text(api.validate(api.load(A)), {}))
    assert f"dsgen.yaml and {nearer}/dsgen.yaml are both above" in cli("validate").err


def test_a_folder_as_file_means_its_jobs(cli: Cli, platform: Path) -> None:
    put(platform / "dsgen.yaml", f"jobs: ['*.yaml']\ndefaults:\n  {IMAGE}")
    put(platform / "c.yaml", job("c"))
    (platform / "prod.yaml").unlink()

    assert (0, "./c.yaml: ok, job training/c\n", "") == cli("validate", ".")


def test_a_link_that_a_pattern_matches_is_refused(cli: Cli, platform: Path) -> None:
    """As without FILE: a pull request may add a link to any file of the machine."""
    put(platform.parent / "secret.yaml", "password: hunter2\n")
    (platform / "jobs/c").mkdir()
    (platform / "jobs/c/values.yaml").symlink_to(platform.parent / "secret.yaml")

    code, _, err = cli("validate", "jobs/c/values.yaml")

    assert 1 == code
    assert "jobs/c/values.yaml is a link: dsgen reads only regular files here [DS907]" in err
    assert "hunter2" not in err


def test_a_file_that_is_not_listed_is_used_as_it_is(cli: Cli, platform: Path) -> None:
    put(platform / "scratch.yaml", job("scratch", image="{repository: r.example.com/x, tag: v1}"))

    code, out, err = cli("render", "scratch.yaml")

    assert 0 == code
    assert "scratch-1-worker" in out
    assert '"key": "gpu"' not in out
    assert 1 == err.count("[DS911]")
    message = "dsgen.yaml does not list this file, so its defaults and overlays do not apply"
    assert err.startswith(f"scratch.yaml:1:1: warning: {message} [DS911]\n")
    assert 1 == cli("validate", "scratch.yaml", "--strict").code
    assert (0, "") == cli("render", "-", stdin=(platform / "scratch.yaml").read_text())[::2]
    put(platform / "dsgen.yaml", f"{SETTINGS}\n".replace("DS250: error", "DS911: ignore"))
    assert "" == cli("render", "scratch.yaml").err


def test_each_file_that_is_not_listed_is_named_once(cli: Cli, platform: Path) -> None:
    for name in ("x.yaml", "y.yaml"):
        put(platform / name, job(name[0], image="{repository: r.example.com/x, tag: v1}"))

    report = json.loads(cli("validate", "x.yaml", A, "y.yaml", "-o", "json").out)

    assert ["x.yaml", "y.yaml"] == [each["file"] for each in report["diagnostics"] if each["id"] == "DS911"]


def test_an_overlay_stands_for_the_jobs_below_it(cli: Cli, platform: Path) -> None:
    """A hook gets the names of changed files, also of overlays and of dsgen.yaml."""
    assert platform
    assert (0, f"{A}: ok, job training/cifar\n", "") == cli("validate", "prod.yaml")
    assert cli("validate") == cli("validate", "dsgen.yaml")
    assert cli("validate") == cli("validate", "dsgen.yaml", "prod.yaml", A)


def test_settings_with_errors_are_reported_and_no_job_is_rendered(cli: Cli, platform: Path) -> None:
    put(platform / "dsgen.yaml", "output: ../out\n")

    code, out, err = cli("render", A, B)

    assert (1, "") == (code, out)
    assert 1 == err.count("error")
    assert "dsgen.yaml:1:9: error: output is not the path of a folder" in err


def test_jobs_of_two_repositories(cli: Cli, platform: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has the settings of its own; the search ends at the root of a Git working copy."""
    other = tmp_path / "other"
    put(other / "dsgen.yaml", "overlays: [{jobs: ['**'], values: {name: renamed}}]\n")
    put(other / A, job("x", "research", image="{repository: r.example.com/x, tag: v1}"))
    (other / ".git").mkdir()
    (other / "alone" / ".git").mkdir(parents=True)
    put(other / "alone" / "job.yaml", (other / A).read_text())

    code, out, err = cli("validate", A, f"other/{A}", "other/alone/job.yaml")

    assert platform
    assert (0, "") == (code, err)
    names = ["training/cifar", "research/renamed", "research/x"]
    assert names == [line.rpartition(" ")[2] for line in out.splitlines()]
    monkeypatch.chdir(other / "jobs")
    assert f"{other}/dsgen.yaml is above this folder" in cli("init", "--repository").err


def test_settings_of_another_user_in_a_folder_of_all_users_do_not_count(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(folder / "dsgen.yaml", "jobs: ['*.yaml']\noverlays: [{jobs: ['*'], values: {training: {setup: evil}}}]\n")
    assert "evil" in cli("values", "cifar.yaml").out
    folder.chmod(0o777 | stat.S_ISVTX)
    assert "evil" in cli("values", "cifar.yaml").out

    monkeypatch.setattr(os, "geteuid", lambda: folder.stat().st_uid + 1)

    assert "evil" not in cli("values", "cifar.yaml").out
    assert [] == find_places("cifar.yaml")
    folder.chmod(0o777)
    assert "evil" in cli("values", "cifar.yaml").out
