"""The Python API does what the command line does."""

import json
from pathlib import Path

import pytest

from dsgen import api
from tests.cli.conftest import Cli

WRONG = {"name": "cifar", "namespace": "training", "workers": {"replicas": "two", "slot": 8}}


def test_objects_are_those_of_the_command_line(cli: Cli) -> None:
    job = api.load("cifar.yaml", "prod.yaml", overrides=[api.Override("--set", "run.id=7")])

    shown = cli("render", "cifar.yaml", "-f", "prod.yaml", "--set", "run.id=7").out
    assert shown == "---\n".join(document.text for document in api.render(job))


@pytest.mark.parametrize("command", ["render", "chart"])
def test_files_are_those_of_the_command_line(cli: Cli, folder: Path, command: str) -> None:
    job = api.load("cifar.yaml")
    plan = api.manifests(job) if command == "render" else api.chart(job)
    cli(command, "cifar.yaml", "-o", "shown")

    changes = api.write(plan, "written")

    files = {path.relative_to("shown").as_posix(): path.read_bytes() for path in Path("shown").rglob("*.*")}
    assert files == {name: (folder / "written" / name).read_bytes() for name in files}
    assert {*changes.write} == {*plan.files} == {*files} - {".dsgen-index"}


def test_the_chart_without_a_job_is_the_one_of_the_command_line(cli: Cli) -> None:
    cli("chart", "-o", "shown")

    assert {name: Path("shown", name).read_text() for name in api.chart().files} == api.chart().files


def test_problems_are_those_of_the_command_line(cli: Cli, folder: Path) -> None:
    (folder / "wrong.yaml").write_text(json.dumps(WRONG))
    told = json.loads(cli("validate", "wrong.yaml", "--format", "json").out)

    problems = api.validate(api.load("wrong.yaml"))

    assert [(one["id"], one["message"]) for one in told["diagnostics"]] == [(one.id, one.message) for one in problems]
    assert len(problems) > 2


def test_plain_data_is_a_source_like_a_file(folder: Path) -> None:
    (folder / "wrong.yaml").write_text(json.dumps(WRONG, indent=2))

    plain, read = (api.validate(api.load(source)) for source in (WRONG, "wrong.yaml"))

    assert [(one.id, one.position and one.position.line) for one in read] == [
        (one.id, one.position and one.position.line) for one in plain
    ]


@pytest.mark.parametrize("make", [api.render, api.manifests, api.chart])
def test_a_job_with_errors_is_not_rendered(folder: Path, make: object) -> None:
    """Of the schema, or of what it cannot see."""
    assert folder
    assert callable(make)
    for wrong in ({"workers": {"replicas": 0}}, {"training": {"module": "train"}}):
        job = api.load("cifar.yaml", wrong)
        with pytest.raises(api.Invalid, match=r"<values 2>:\d+:\d+: error: ") as caught:
            make(job)
        assert caught.value.problems == api.validate(job, for_chart=make is api.chart)


def test_names_count_where_the_sources_have_none(folder: Path) -> None:
    job = api.load({"image": {"repository": "a"}, "training": {"python": "a.py"}}, name="bert", namespace="research")

    assert folder
    assert api.Release("bert", "research") == job.release
    assert all('dsgen.dev/job: "bert"' in document.text for document in api.render(job))
    with pytest.raises(api.DsgenError, match=r"cifar\.yaml has namespace: training, but -n is research"):
        api.load("cifar.yaml", namespace="research")


def test_a_file_that_is_not_there(folder: Path) -> None:
    assert folder
    with pytest.raises(api.DsgenError, match=r"^cannot read none\.yaml: No such file or directory$"):
        api.load("none.yaml")


def test_everything_in_the_list_is_there_and_has_words() -> None:
    assert [] == [name for name in api.__all__ if not (getattr(api, name).__doc__ or "").strip()]
