"""A job: its names, and all of its problems at once."""

import pytest

from dsgen import values
from dsgen.problems import Position
from dsgen.values import Job, Release, SourceText
from tests.base import BASE

FINE = "image: {repository: registry.example.com/team/cifar, tag: v3}\ntraining: {python: train.py}\n"


def load(text: str, name: str = "", namespace: str = "") -> Job:
    return values.load([SourceText("v.yaml", text)], names=Release(name, namespace))


def ids(job: Job) -> list[str]:
    return sorted(problem.id for problem in job.problems())


@pytest.mark.parametrize(
    ("text", "id_"),
    [
        ("labels: {a: x, a: y}\n", "DS004"),
        ("workers: {replicas: 9007199254740993}\n", "DS008"),
        ("labels: {a: !x y}\n", "DS007"),
        ("labels: {null: x}\n", "DS010"),
        ("labels: {a: *b}\n", "DS009"),
        ("labels: {<<: *team}\n", "DS009"),
    ],
)
def test_missing_name_is_reported_with_reader_errors(text: str, id_: str) -> None:
    assert [id_, "DS901"] == ids(load(f"name: cifar\n{FINE}{text}"))


@pytest.mark.parametrize(
    ("text", "id_"),
    [
        ("null: x\n", "DS010"),
        ("<<: *names\n", "DS009"),
        ("<<: [{name: a}, x]\n", "DS005"),
        ("labels: [\n", "DS001"),
        ("---\nname: a\n", "DS006"),
    ],
)
def test_name_that_may_be_in_unread_text_is_not_reported_as_missing(text: str, id_: str) -> None:
    assert [id_] == ids(load(f"{FINE}{text}"))


@pytest.mark.parametrize("text", ["namespace:\n", "namespace: null\n"])
def test_a_name_without_a_value_is_one_problem(text: str) -> None:
    assert ["DS106"] == ids(load(f"name: cifar\n{FINE}{text}"))


@pytest.mark.parametrize("text", ["", 'name: ""\n', 'name: ""\nnamespace: ""\n'])
def test_names_of_the_command_line_count_where_the_file_leaves_them_open(text: str) -> None:
    job = load(f"{FINE}{text}", "cifar", "training")

    assert ([], Release("cifar", "training")) == (job.problems(), job.release)
    assert ("cifar", "training") == (job.data["name"], job.data["namespace"])
    assert Position("--name", 1, 1) == job.position(("name",))


def test_a_problem_of_a_name_stands_at_its_flag() -> None:
    job = load(f"namespace: training\n{FINE}", "a" * 60)

    [problem] = job.problems()
    assert ("DS204", Position("--name", 1, 1)) == (problem.id, problem.position)
    assert "a" * 60 == job.sources["--name"]


def test_errors_do_not_hide_what_the_names_of_the_command_line_do() -> None:
    job = load(f"{FINE}workers: {{slots: many}}\n", "a" * 60, "training")

    assert ["DS102", "DS204"] == ids(job)


def test_jobs_of_one_name_are_told_once_each() -> None:
    problems = list(values.find_twins([load(BASE), load(BASE), load(FINE, "mnist", "training"), load(FINE)]))

    assert ["DS902"] == [problem.id for problem in problems]
