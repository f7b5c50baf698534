"""`render`, `validate`, `values` and `chart` without a FILE use the jobs of dsgen.yaml."""

import os
import re
from pathlib import Path

import pytest
import yaml

from dsgen.reading.nodes import SourceText
from dsgen.repository import BEGIN, settings
from dsgen.writer import INDEX
from tests.cli.conftest import IMAGE, JOB, Cli, job, put


def test_two_jobs_of_one_name_in_two_namespaces(cli: Cli, repository: Path) -> None:
    assert (0, "") == cli("render")[::2]
    assert ["rendered/research/cifar", "rendered/training/cifar"] == folders(repository)
    assert (0, "", "") == cli("render", "--check")
    assert "platform/deepspeed:v1" in (repository / "rendered/training/cifar/job-cifar-1-worker.yaml").read_text()


def folders(repository: Path) -> list[str]:
    """Those that have an index."""
    return sorted(path.parent.relative_to(repository).as_posix() for path in repository.rglob(INDEX))


def test_it_is_found_above(cli: Cli, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository / "jobs" / "a")

    assert "../../jobs/a/values.yaml: ok, job training/cifar\n" in cli("validate").out
    (repository / "jobs" / ".git").mkdir()
    assert (2, "") == cli("validate")[:2]


def test_values_name_the_line_of_the_settings(cli: Cli, repository: Path) -> None:
    put(repository / "prod.yaml", "workers: {replicas: 5}\n")
    overlays = "overlays:\n- jobs: [jobs/a/*]\n  files: [prod.yaml]\n  values: {labels: {team: a}}\n"
    put(repository / "dsgen.yaml", f"defaults:\n  {IMAGE}{overlays}")

    a, b = cli("values").out.split("---\n")

    assert "  repository: registry.example.com/platform/deepspeed  # dsgen.yaml:2\n" in a
    assert "  replicas: 5  # prod.yaml:1\n" in a
    assert "  team: a  # dsgen.yaml:6\n" in a
    assert "  replicas: 2  # jobs/b/values.yaml:5\n" in b
    assert "team: a" not in b


def test_every_claim_has_what_the_settings_say(cli: Cli, repository: Path) -> None:
    volumes = "{a: {mountPath: /a, create: {}}, b: {mountPath: /b, create: {storageClass: slow}}, c: %s}"
    text = job("cifar").partition("storage:")[0]
    put(repository / "jobs/a/values.yaml", f"{text}storage: {volumes % '{mountPath: /c, existingClaim: there}'}\n")
    put(repository / "dsgen.yaml", f"claims: {{storageClass: fast, size: 2Ti}}\ndefaults:\n  {IMAGE}")

    a, b = cli("values").out.split("---\n")

    assert 2 == a.count(" 2Ti  # dsgen.yaml:1\n")
    assert 1 == a.count(" fast  # dsgen.yaml:1\n") == a.count(" slow  # jobs/a/values.yaml:")
    assert (1, 1) == (b.count(" fast  # dsgen.yaml:1\n"), b.count(" 100Gi  # jobs/b/values.yaml:"))
    assert 0 == cli("render").code
    claims = sorted((repository / "rendered/training/cifar").glob("persistentvolumeclaim-*"))
    assert [("fast", "2Ti"), ("slow", "2Ti")] == [
        (spec["storageClassName"], spec["resources"]["requests"]["storage"])
        for spec in (yaml.safe_load(path.read_text())["spec"] for path in claims)
    ]


def test_a_matrix_makes_a_job_of_each_combination(cli: Cli, repository: Path) -> None:
    put(repository / "sweeps" / "sft.yaml", job("sft"))
    put(
        repository / "dsgen.yaml",
        f"jobs: [sweeps/*.yaml]\ndefaults:\n  {IMAGE}"
        "matrix:\n"
        "- jobs: [sweeps/sft.yaml]\n"
        "  variables: {lr: [1e-5, 3e-5], count: [2, 4]}\n"
        '  values: {name: "sft-{lr}-{count}", workers: {replicas: "{count}"}, labels: {a: "x{lr}{b}"}}\n',
    )

    assert "labels.a" in cli("validate").err  # what is no variable stays
    put(repository / "dsgen.yaml", (repository / "dsgen.yaml").read_text().replace("{b}", ""))
    names = ["sft-1e-5-2", "sft-1e-5-4", "sft-3e-5-2", "sft-3e-5-4"]
    assert [f"sweeps/sft.yaml: ok, job training/{name}" for name in names] == cli("validate").out.splitlines()
    assert "  replicas: 4  # dsgen.yaml:7\n" in cli("values").out
    put(repository / "dsgen.yaml", (repository / "dsgen.yaml").read_text().replace('x{lr}"', '{lr}"'))
    err = cli("validate").err
    assert "dsgen.yaml:6:20: error: labels.a must be a string" in err  # where quotes help
    assert 'hint: put it in quotes: "1e-5"' in err


WRONG = {
    "output: ../out\n": "dsgen.yaml:1:9: error: output is not the path of a folder below the folder of",
    "output: .git/{name}\n": "output is not the path",
    "output: git~1/{name}\n": "output is not the path",
    "output: con/{name}\n": "output is not the path",
    "output: .github/workflows\n": "output has the folder .github: Git, CI systems and editors run or read what is in",
    "charts: a/.husky/{name}\n": "charts has the folder .husky",
    "output: out/{nam}\n": "output has an unknown placeholder in braces [DS906]",
    "jobs: [../*.yaml]\n": "dsgen.yaml:1:8: error: ../*.yaml is not a path below the folder of dsgen.yaml [DS906]",
    "jobs: [/etc/*]\n": "/etc/* is not a path",
    "job: [a]\n": 'dsgen.yaml:1:1: error: "job" is not a key of dsgen.yaml [DS101]',
    "jobs:\n": "dsgen.yaml:1:6: error: jobs has no value [DS106]",
    "jobs: a\n": "jobs must be a list, not a string",
    "checks: {DS999: error}\n": "DS999 is not the id of a problem [DS906]",
    'checks: {DS050: "no"}\n': 'checks.DS050 cannot be "no" [DS103]',
    "defaults: {workers: {replica: 2}}\n": 'dsgen.yaml:1:22: error: "replica" is not a key of workers [DS101]',
    "claims: {storagClass: fast}\n": 'dsgen.yaml:1:10: error: "storagClass" is not a key of',
    "overlays: [{jobs: [jobs/**], files: [no.yaml]}]\n": "no.yaml cannot be read: No such file or directory [DS907]",
    "output: out/{name}\n": "output gives training/cifar and research/cifar the same folder, out/cifar [DS908]",
    "- a\n": "a values file is a map of keys, not a list [DS003]",
}


@pytest.mark.parametrize("text", WRONG)
def test_wrong_settings_have_their_place(text: str, cli: Cli, repository: Path) -> None:
    put(repository / "dsgen.yaml", text)
    put(repository / "jobs/a/values.yaml", JOB)
    put(repository / "jobs/b/values.yaml", JOB.replace("namespace: training", "namespace: research"))

    code, out, err = cli("render")

    assert (1, "") == (code, out)
    assert WRONG[text] in err
    assert "Traceback" not in err
    assert [] == folders(repository)


def test_a_pattern_without_files_is_a_warning(cli: Cli, repository: Path) -> None:
    put(repository / "dsgen.yaml", f"jobs: [none/*.yaml, jobs/*/values.yaml]\ndefaults:\n  {IMAGE}")

    code, _, err = cli("validate")

    assert (0, True) == (code, "warning: no file matches none/*.yaml [DS905]" in err)


def test_what_a_warning_counts_as(cli: Cli, repository: Path) -> None:
    put(repository / "jobs/a/values.yaml", job("cifar", ssh="{ user: yes }").replace("{ user: yes }", "{port: 022}"))
    report = cli("validate", "-o", "json").out
    assert '"id": "DS050"' in report

    put(repository / "dsgen.yaml", f"checks: {{DS050: error}}\ndefaults:\n  {IMAGE}")
    assert 1 == cli("validate").code
    put(repository / "dsgen.yaml", f"checks: {{DS050: ignore}}\ndefaults:\n  {IMAGE}")
    assert (0, "") == cli("validate")[::2]


@pytest.mark.parametrize("what", ["file", "folder", "settings", "overlay"])
def test_no_link_is_followed(what: str, cli: Cli, repository: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside")
    put(outside / "values.yaml", "secret\n")
    place = {
        "file": repository / "jobs/c/values.yaml",
        "folder": repository / "jobs/c",
        "settings": repository / "dsgen.yaml",
        "overlay": repository / "over.yaml",
    }[what]
    place.unlink(missing_ok=True)
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(outside if what == "folder" else outside / "values.yaml")
    if what == "overlay":
        put(repository / "dsgen.yaml", f"defaults:\n  {IMAGE}overlays: [{{jobs: [jobs/**], files: [over.yaml]}}]\n")

    code, out, err = cli("render")

    assert (1, "") == (code, out)
    assert "is a link: dsgen reads only regular files" in err
    assert "secret" not in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("render", "-d", "out"), "its `output` sets the folders"),
        (("render", "--name", "x"), "write `name` into each"),
        (("chart", "jobs/a/values.yaml"), "-d is missing"),
    ],
)
def test_usage(arguments: tuple[str, ...], said: str, cli: Cli, repository: Path) -> None:  # noqa: ARG001 - its files
    code, _, err = cli(*arguments)

    assert (2, True) == (code, said in err)


# ---- a job that left ----


def test_a_job_that_left_is_listed_and_pruned(cli: Cli, repository: Path) -> None:
    cli("render")
    (repository / "jobs/b/values.yaml").unlink()
    left = "rendered/research/cifar"

    code, _, err = cli("render")
    assert (0, True) == (code, f"warning: {left} is the folder of job research/cifar" in err)
    code, _, err = cli("render", "--check")
    assert (1, True) == (code, f"error: {left} is the folder of job research/cifar" in err)
    assert f"would remove {left}/job-cifar-1-worker.yaml\n" in cli("render", "--prune", "--dry-run").out
    assert (repository / left / INDEX).exists()

    put(repository / left / "mine.yaml", "mine\n")
    code, out, err = cli("render", "--prune")
    assert (0, "") == (code, err)
    assert re.search(f"{left}: job research/cifar, 0 files .0 written, [0-9]+ removed", out)
    assert ["mine.yaml"] == [path.name for path in (repository / left).iterdir()]
    assert (0, "", "") == cli("render", "--check")


def test_an_edited_file_is_not_pruned(cli: Cli, repository: Path) -> None:
    cli("render")
    (repository / "jobs/b/values.yaml").unlink()
    edited = repository / "rendered/research/cifar/job-cifar-1-worker.yaml"
    put(edited, edited.read_text() + "# mine\n")

    code, _, err = cli("render", "--prune")

    assert (1, True) == (code, "job-cifar-1-worker.yaml was edited since dsgen wrote it" in err)
    assert (edited.parent / INDEX).exists()


def test_a_folder_that_moved_is_pruned(cli: Cli, repository: Path) -> None:
    cli("render")
    put(repository / "dsgen.yaml", f"output: rendered/{{namespace}}-{{name}}\ndefaults:\n  {IMAGE}")

    assert 0 == cli("render", "--prune").code
    assert ["rendered/research-cifar", "rendered/training-cifar"] == folders(repository)


def test_not_everything_is_pruned(cli: Cli, repository: Path) -> None:
    cli("render")
    put(repository / "dsgen.yaml", "jobs: [none/*.yaml]\n")

    assert 2 == cli("render", "--prune").code
    assert 2 == len(folders(repository))


# ---- a repository to begin with ----


def test_a_repository_to_begin_with(cli: Cli, repository: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    os.chdir(tmp_path_factory.mktemp("new"))

    code, out, _ = cli("init", "--repository", "--name", "bert")

    assert (0, True) == (code, "jobs/bert/values.yaml: written; it is a first job" in out)
    assert (0, "jobs/bert/values.yaml: ok, job training/bert\n", "") == cli("validate")
    assert 0 == cli("render").code
    assert ["rendered/training/bert", "rendered/training/dsgen-runtime"] == folders(Path.cwd())
    code, _, err = cli("init", "--repository")
    assert (1, True) == (code, "dsgen.yaml exists already" in err)
    os.chdir(repository)


def test_every_line_of_the_settings_to_begin_with_is_valid() -> None:
    text = re.sub(r"^# (?=[ a-z]*:| +-)", "", BEGIN.read_text(), flags=re.MULTILINE)
    settings_ = settings.read_settings(SourceText("dsgen.yaml", text), Path())

    assert {"jobs", "output", "defaults", "overlays", "matrix", "checks"} == settings_.tree.root.as_data().keys()
    assert () == settings_.diagnostics
