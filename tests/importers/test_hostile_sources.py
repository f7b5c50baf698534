"""Sources that would take long, much memory, or a traceback: each is converted, or refused with a sentence.

The work is counted, so that no test measures time.
"""

from __future__ import annotations

import json

import pytest

from dsgen.importers import TOO_MUCH, ImportedJob, ImportRefusedError, SourceText, import_jobs, texts
from tests.importers.imports import value
from tests.importers.test_comments_are_safe import OBJECT, with_container

SIZE = 120 << 10
BIG = f"A={'x' * 40_000}\n"
HEAD, END = "#!/bin/bash\n", "\ntorchrun --nproc_per_node 2 train.py\n"


def repeated(unit: str, size: int = SIZE) -> str:
    return unit * (size // len(unit))


def nested(levels: int) -> str:
    return "[" * levels + "]" * levels


def with_labels(count: int) -> str:
    labels = {f"a{number}": "b" for number in range(count)}
    return json.dumps({**OBJECT, "metadata": {"name": "a", "labels": labels}})


REFUSED = {
    "array": "A=(a b c d)\n" + 'A=("${A[@]}" "${A[@]}")\n' * 40,
    "a long value": BIG + "B=$A\n" * 5000,
    "exports of a long value": BIG + "".join(f"export B{number}=$A\n" for number in range(3000)),
    "assignments": repeated("A=1\n"),
    "commands": repeated("a;"),
    "variables": f"A={repeated('$A')}",
    "pipelines": BIG + "B=$(echo $A | tr a b)\n" * 200,
    "here documents": BIG + "cat > f <<E\n" + "$A\n" * 1000 + "E\n",
    "files": repeated("echo aaaaaaaaaaaaaaaaaaaa >> f\n"),
}


def unlimited(text: str, name: str = "run.sh") -> ImportedJob:
    (job,) = import_jobs([SourceText(name, text)])
    return job


@pytest.fixture(params=[8, pytest.param(1, marks=pytest.mark.slow)])
def limit(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A part of the work that is allowed, which all operations of a script count against, or the whole."""
    monkeypatch.setattr(texts, "MOST_WORK", texts.MOST_WORK // request.param)


@pytest.mark.usefixtures("limit")
@pytest.mark.parametrize("name", [*REFUSED])
def test_a_script_that_takes_too_much_work_is_refused(name: str) -> None:
    with pytest.raises(ImportRefusedError, match=f"^run.sh:1:1: {TOO_MUCH}$|a value in the script has no end"):
        unlimited(HEAD + REFUSED[name] + END)


@pytest.mark.usefixtures("limit")
@pytest.mark.parametrize("option", ["--lr 1 ", "--nnodes=2 ", "x "])
@pytest.mark.parametrize("launcher", ["torchrun", "srun", "deepspeed"])
def test_too_many_options_are_refused(launcher: str, option: str) -> None:
    with pytest.raises(ImportRefusedError):
        unlimited(f"{HEAD}{launcher} {repeated(option)} train.py\n")


@pytest.mark.parametrize(
    "text",
    [
        "a: " + nested(50_000),
        repeated("- "),
        repeated("- - - - -\n"),
        repeated("---\na: b\n"),
        "kind: List\nitems:\n" + repeated("- {}\n"),
        "{kind: List, items: [" * 40 + ",".join([json.dumps(OBJECT)] * 150) + "]}" * 40,
        with_labels(800),
        pytest.param(with_labels(8000), marks=pytest.mark.slow),
        with_container(env=[{"name": f"A{number}", "value": "x"} for number in range(4000)]),
        with_container(args=["--a"] * 15_000),
        with_container(command=["bash", "-c", REFUSED["a long value"][:100_000]]),
    ],
    ids=range(11),
)
def test_objects_that_take_too_much_work_are_refused_or_read(text: str) -> None:
    try:
        result = unlimited(text, "a.yaml").text
    except ImportRefusedError as error:
        result = error.message

    assert result


@pytest.mark.parametrize(
    "config",
    [
        f'{{"a": {nested(190)}}}',
        '{"a":' * 190 + "1" + "}" * 190,
        f'{{"a": {nested(900)}}}',
        f'{{"{"k" * 2000}": 1}}',
        '{"a": 1e999}',
        f'{{"a": {"9" * 5000}}}',
        '{"a": NaN}',
        "{" + ",".join(f'"a{number}": {number}' for number in range(5000)) + "}",
    ],
    ids=range(8),
)
def test_a_configuration_that_no_values_file_can_have_stays_a_file(config: str) -> None:
    job = unlimited(f"{HEAD}cat > ds.json <<'E'\n{config}\nE\ndeepspeed train.py --deepspeed_config ds.json\n")

    assert value(job, "training.deepspeed.config") is None
    assert json.dumps(config)[1:-1] in json.dumps(value(job, "training.files")) or job.lost


def test_an_ordinary_script_takes_a_small_part_of_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "".join(f"export NAME_{number}=$HOME/data/{number}\nmkdir -p $NAME_{number}\n" for number in range(10))
    monkeypatch.setattr(texts, "MOST_WORK", texts.MOST_WORK // 20)

    assert unlimited(f"{HEAD}{lines}{END}").data["training"]["python"] == "train.py"
