"""`dsgen validate` reports all problems of all files at once."""

import os
from pathlib import Path

import pytest

from tests.cli.conftest import Cli


def test_says_of_every_file_that_it_is_good(cli: Cli) -> None:
    expected = "cifar.yaml: ok, job training/cifar\nmnist.yaml: ok, job training/mnist\n"

    assert (0, expected, "") == cli("validate", "cifar.yaml", "mnist.yaml")


def test_shows_all_problems_of_all_files(cli: Cli, folder: Path) -> None:
    (folder / "a.yaml").write_text("name: a\nimage: {repository: r}\nworkerz: {}\nworkers: {replicas: two}\n")
    (folder / "b.yaml").write_text("name: b\nnamespace: x: y\n")

    code, out, err = cli("validate", "a.yaml", "cifar.yaml", "b.yaml")

    places = [line.partition(": error:")[0] for line in err.splitlines() if ": error:" in line]
    assert (1, "") == (code, out)
    assert ["a.yaml:1:1", "a.yaml:1:1", "a.yaml:3:1", "a.yaml:4:21", "b.yaml:2:13"] == places


def test_a_problem_in_an_overlay_is_shown_once(cli: Cli, folder: Path) -> None:
    (folder / "prod.yaml").write_text("workers: {replicas: two}\n")

    err = cli("validate", "cifar.yaml", "mnist.yaml", "-f", "prod.yaml").err

    assert 1 == err.count("prod.yaml:1:21: error:")


def test_missing_names_hide_no_other_problem(cli: Cli) -> None:
    alone, named = [cli("validate", "-", *names, stdin="{}\n") for names in ((), ("-n", "t", "--name", "x"))]

    assert [2, 1, 1] == [alone.err.count(f"[{id_}]") for id_ in ("DS901", "DS201", "DS202")]
    assert [0, 1, 1] == [named.err.count(f"[{id_}]") for id_ in ("DS901", "DS201", "DS202")]


@pytest.mark.parametrize("text", ["", "# name: cifar\n", "---\n", "---\n\n  # name: cifar\n...\n"])
def test_an_empty_file_is_one_problem(cli: Cli, folder: Path, text: str) -> None:
    (folder / "empty.yaml").write_text(text)
    said = (
        "empty.yaml:1:1: error: the file is empty: it has no values [DS113]\n  hint: write the values of a job into it;"
    )

    code, out, err = cli("validate", "empty.yaml")

    assert (1, "", 2) == (code, out, err.count("\n"))
    assert err.startswith(said)
    assert (1, True) == (cli("render", "empty.yaml").code, cli("chart", "empty.yaml", "-d", "x").err.startswith(said))
    assert 0 == cli("validate", "empty.yaml", "-f", "cifar.yaml").code


def test_a_folder_is_its_yaml_files(cli: Cli, folder: Path) -> None:
    (folder / "jobs" / "below.yaml").mkdir(parents=True)
    for name in ("b.yaml", "a.yml", "c.txt"):
        text = (folder / "cifar.yaml").read_text().replace("name: cifar", f"name: {name[0]}")
        (folder / "jobs" / name).write_text(text)
    (folder / "empty").mkdir()

    a, b = f"jobs{os.sep}a.yml", f"jobs{os.sep}b.yaml"
    assert (0, f"{a}: ok, job training/a\n{b}: ok, job training/b\n", "") == cli("validate", "jobs")
    assert cli("render", a, b) == cli("render", "jobs")
    assert (2, "", "dsgen: the folder empty has no *.yaml file\n") == cli("validate", "empty")
    assert (
        cli("chart", "jobs", "-d", "x").err
        == "dsgen: a chart is made from one job, but jobs has 2 files: name one of them\n"
    )
    assert cli("graph", "jobs").err == "dsgen: the picture shows one job, but jobs has 2 files: name one of them\n"


def test_an_overlay_as_file_is_one_problem(cli: Cli, folder: Path) -> None:
    (folder / "prod.yaml").write_text("namespace: prod\nworkers: {replicas: 4}\n")

    code, _, err = cli("validate", "cifar.yaml", "prod.yaml")

    assert 1 == code
    assert [
        "prod.yaml:1:1: error: prod.yaml has no name, image or training, so it is not a whole job [DS912]",
        "  hint: give an overlay after the file of its job: FILE -f prod.yaml",
    ] == [line for line in err.splitlines() if not line.startswith("    ")]
    assert 0 == cli("validate", "cifar.yaml", "-f", "prod.yaml").code


@pytest.mark.parametrize("text", ["name: a\nworkers: {replicas: 4}\n", "imag: {}\nworkers: {replicas: 4}\n", "{}\n"])
def test_a_job_that_lacks_something_is_no_overlay(cli: Cli, folder: Path, text: str) -> None:
    (folder / "prod.yaml").write_text(text)

    assert "DS912" not in cli("validate", "prod.yaml").err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("cifar.yaml", "--set", "training.args=--epochs", "training.args=3"),
            "training.args=3 is not a file; quote values for the shell: --set 'training.args={--epochs,3}'",
        ),
        (
            ("cifar.yaml", "--set=training.args=a", "training.args=b", "training.args=c"),
            "training.args=b is not a file; quote values for the shell: --set 'training.args={a,b,c}'",
        ),
        (
            ("cifar.yaml", "workers.replicas=3"),
            "workers.replicas=3 is not a file; quote values for the shell: --set 'workers.replicas=3'",
        ),
        (
            ('{"name": "x"}',),
            "values are no file name: write them to a file, pass them on standard input as -, or use --set-json",
        ),
        (("name: x",), "values are no file name: "),
        (("a=b.yaml/c",), "cannot read a=b.yaml/c: No such file or directory"),
    ],
)
def test_values_in_place_of_a_file(cli: Cli, arguments: tuple[str, ...], message: str) -> None:
    code, out, err = cli("validate", *arguments)

    assert (2 if "cannot read" not in message else 3, "") == (code, out)
    assert err.startswith(f"dsgen: {message}")
