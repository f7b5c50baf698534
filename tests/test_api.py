"""The Python API does what the command line does."""

import datetime
import inspect
import json
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType

import pytest

from dsgen import api
from tests.cli.conftest import Cli

WRONG = {"name": "cifar", "namespace": "training", "workers": {"replicas": "two", "slot": 8}}


def test_objects_are_those_of_the_command_line(cli: Cli) -> None:
    job = api.load("cifar.yaml", "prod.yaml", overrides=[api.Override("--set", "run.id=7")])

    shown = cli("render", "cifar.yaml", "-f", "prod.yaml", "--set", "run.id=7").out
    assert shown == "---\n".join(document.text for document in api.render(job))
    assert [] == api.runtime(job)
    shared = api.load("cifar.yaml", {"runtime": {"create": False, "name": "ours"}})
    shown = cli("runtime", "-n", "training", "--name", "ours").out
    assert shown == "---\n".join(document.text for document in api.runtime(shared))


@pytest.mark.parametrize("command", ["render", "chart"])
def test_files_are_those_of_the_command_line(cli: Cli, folder: Path, command: str) -> None:
    job = api.load("cifar.yaml")
    plan = api.manifests(job) if command == "render" else api.chart(job)
    cli(command, "cifar.yaml", "-d", "shown")

    changes = api.write(plan, "written")

    files = {path.relative_to("shown").as_posix(): path.read_bytes() for path in Path("shown").rglob("*.*")}
    assert files == {name: (folder / "written" / name).read_bytes() for name in files}
    assert {*changes.write} == {*plan.files} == {*files} - {".dsgen-index"}


def test_the_chart_without_a_job_is_the_one_of_the_command_line(cli: Cli) -> None:
    cli("chart", "-d", "shown")

    assert {name: Path("shown", name).read_text() for name in api.chart().files} == api.chart().files


def test_problems_are_those_of_the_command_line(cli: Cli, folder: Path) -> None:
    (folder / "wrong.yaml").write_text(json.dumps(WRONG))
    told = json.loads(cli("validate", "wrong.yaml", "-o", "json").out)

    problems = api.validate(api.load("wrong.yaml"))

    assert [(one["id"], one["message"]) for one in told["diagnostics"]] == [(one.id, one.message) for one in problems]
    assert len(problems) > 2


def test_plain_data_is_a_source_like_a_file(folder: Path) -> None:
    (folder / "wrong.yaml").write_text(json.dumps(WRONG, indent=2))

    plain, read = (api.validate(api.load(source)) for source in (WRONG, "wrong.yaml"))

    assert [(one.id, one.position and one.position.line) for one in read] == [
        (one.id, one.position and one.position.line) for one in plain
    ]


@pytest.mark.parametrize("make", [api.render, api.runtime, api.manifests, api.chart])
def test_a_job_with_errors_is_not_rendered(folder: Path, make: object) -> None:
    """Of the schema, or of what it cannot see."""
    assert folder
    assert callable(make)
    for wrong in ({"workers": {"replicas": 0}}, {"training": {"module": "train"}}):
        job = api.load("cifar.yaml", wrong)
        with pytest.raises(api.InvalidJobError, match=r"<values 2>:\d+:\d+: error: ") as caught:
            make(job)
        assert caught.value.problems == api.validate(job, for_chart=make is api.chart)


def test_names_count_where_the_sources_have_none(folder: Path) -> None:
    job = api.load({"image": {"repository": "a"}, "training": {"python": "a.py"}}, name="bert", namespace="research")

    assert folder
    assert api.Release("bert", "research") == job.release
    assert all('dsgen.dev/job: "bert"' in document.text for document in api.render(job))
    with pytest.raises(api.DsgenError, match=r"cifar\.yaml has namespace: training, but -n is research"):
        api.load("cifar.yaml", namespace="research")


JOB = {"name": "a", "namespace": "b", "image": {"repository": "c", "tag": "d"}, "training": {"python": "e"}}
SET = api.Override("--set", "run.id=2")
CYCLE: dict[str, object] = {}
CYCLE["a"] = CYCLE
DEEP: dict[str, object] = {}
for _ in range(100_000):
    DEEP = {"a": DEEP}
BAD_ARGUMENTS: list[tuple[str, Callable[[], object]]] = [
    (
        "the flag of an Override must be .* not \"?'--sett",
        lambda: api.load(JOB, overrides=[api.Override("--sett", "a=b")]),
    ),
    ("an override must be an Override, .* not str", lambda: api.load(JOB, overrides=["run.id=2"])),
    ("overrides must be a list, .* not str", lambda: api.load(JOB, overrides="run.id=2")),
    ("overrides must be a list, .* not Override", lambda: api.load(JOB, overrides=SET)),
    ("overrides must be a list, .* not NoneType", lambda: api.load(JOB, overrides=None)),
    ("the text of an Override must be str, not int", lambda: api.load(JOB, overrides=[api.Override("--set", 5)])),
    ("the flag of an Override must be", lambda: api.load(JOB, overrides=[api.Override(None, "a=b")])),
    ("a source must be the name of a file, .* not NoneType", lambda: api.load(None)),
    ("a source must be the name of a file, .* not list", lambda: api.load([JOB])),
    ("a source must be the name of a file, .* not bytes", lambda: api.load(b"x")),
    ("a source must be the name of a file, .* not int", lambda: api.load(5)),
    ("a map must be plain data: set is not a type of JSON", lambda: api.load({"a": {1}})),
    ("a map must be plain data: date is not", lambda: api.load({"a": datetime.date(2026, 1, 1)})),
    ("a map must be plain data: keys must be str", lambda: api.load({("a", "b"): 1})),
    ("a map must be plain data: Circular", lambda: api.load(CYCLE)),
    ("a map must be plain data: ", lambda: api.load(DEEP)),
    ("the name of a SourceText must be str", lambda: api.load(api.SourceText(None, ""))),
    ("the text of a SourceText must be str", lambda: api.load(api.SourceText("a", b""))),
    ("name must be str, not int", lambda: api.load(JOB, name=5)),
    ("namespace must be str, not NoneType", lambda: api.load(JOB, namespace=None)),
    ("name cannot be", lambda: api.load({}, name="Not A Name")),
    ("path must be a path, not ''", lambda: api.read("")),
    ("folder must be a path, not ''", lambda: api.write(api.chart(), "")),
    ("cannot read", lambda: api.load("/")),
    ("path must be a path, not 'a", lambda: api.read("a\0b")),
    ("path must be a path, not int", lambda: api.read(0)),
    ("path must be a path, not bytes", lambda: api.read(b"a")),
    ("name must be str", lambda: api.read("a", name=5)),
    ("job must be Job, not str", lambda: api.validate("cifar.yaml")),
    ("job must be Job, not dict", lambda: api.render(JOB)),
    ("job must be Job, not dict", lambda: api.runtime(JOB)),
    ("job must be Job, not NoneType", lambda: api.manifests(None)),
    ("job must be Job, not str", lambda: api.chart("")),
    ("job must be Job, not str", lambda: api.estimate("cifar.yaml")),
    ("config must be a map, not int", lambda: api.estimate(api.load(JOB), 5)),
    ("plan must be Plan, not str", lambda: api.write("plan", "out")),
    ("folder must be a path, not NoneType", lambda: api.write(api.chart(), None)),
    ("folder must be a path, not 'a", lambda: api.write(api.chart(), "a\0b")),
    ("mode must be keep, refresh or replace, not 'all'", lambda: api.write(api.chart(), "out", "all")),
    ("problems must be list or tuple, not str", lambda: api.as_text("DS101", {})),
    ("each item of problems must be Diagnostic", lambda: api.as_text(["DS101"], {})),
    ("sources must be dict", lambda: api.as_text([], None)),
    ("path must be list or tuple, not str", lambda: api.path_text("a.b")),
    ("each key of a path must be str or int", lambda: api.path_text((None,))),
    ("job must be a name or a loaded job, not int", lambda: api.status(3)),
    ("a/b/c: name a job as cifar, training/cifar", lambda: api.status("a/b/c")),
    ("run must be str, not int", lambda: api.why("cifar", run=1)),
    ("context must be str, not int", lambda: api.status("cifar", context=1)),
    ("kubeconfig must be str, not PosixPath", lambda: api.list_jobs(kubeconfig=Path("a"))),
    ("state must be end, running, admitted, not 'off'", lambda: api.wait("cifar", "off")),
    ("timeout must be int or float, not str", lambda: api.wait("cifar", timeout="1h")),
    ("worker must not be negative, but it is -1", lambda: api.logs("cifar", worker=-1)),
    ("tail must be int or NoneType, not str", lambda: api.logs("cifar", tail="5")),
    ("worker and rank are mutually exclusive", lambda: api.logs("cifar", worker=0, rank=0)),
    ("selector must be str, not NoneType", lambda: api.list_jobs(selector=None)),
    ("job must be Job, not str", lambda: api.apply("cifar")),
    ("for_chart must be bool, not list", lambda: api.validate(api.load(JOB), for_chart=[])),
    ("dry_run must be bool, not NoneType", lambda: api.apply(api.load(JOB), dry_run=None)),
    ("all_runs must be bool, not str", lambda: api.list_jobs(all_runs="no")),
    ("follow must be bool, not str", lambda: api.logs("cifar", follow="no")),
    ("state must be str, not list", lambda: api.wait("cifar", [])),
    ("mode must be str, not list", lambda: api.write(api.chart(), "out", [])),
    ("each text of sources must be str, not NoneType", lambda: api.as_text([], {"a": None})),
    ("path must be a path, not '.ud800'", lambda: api.load("\ud800")),
    ("folder must be a path, not '.ud800'", lambda: api.write(api.chart(), "\ud800")),
    ("there is no kubeconfig", lambda: api.list_jobs(kubeconfig="a" * 5000)),
]


@pytest.mark.parametrize(("words", "call"), BAD_ARGUMENTS, ids=[words for words, _ in BAD_ARGUMENTS])
def test_a_bad_argument_is_an_error_of_dsgen(words: str, call: Callable[[], object], folder: Path) -> None:
    assert folder
    with pytest.raises(api.DsgenError, match=words):
        call()


def test_maps_of_other_types_are_data_too() -> None:
    job = api.load(MappingProxyType({**JOB, "training": MappingProxyType({"python": "e"})}))

    assert [] == api.validate(job)


def test_every_function_has_a_case_of_a_bad_argument() -> None:
    functions = [name for name in api.__all__ if inspect.isfunction(getattr(api, name))]
    called = {name for _, call in BAD_ARGUMENTS for name in call.__code__.co_names}

    assert set() == set(functions) - called


def test_everything_in_the_list_is_there_and_has_words() -> None:
    assert [] == [name for name in api.__all__ if not (getattr(api, name).__doc__ or "").strip()]


def test_the_old_name_of_list_jobs_is_deprecated() -> None:
    with pytest.warns(DeprecationWarning, match=r"^api\.list is now api\.list_jobs"):
        assert api.list_jobs is getattr(api, "list")  # noqa: B009  # type checkers refuse the name

    assert "list" not in api.__all__
