"""An exception in one job is a problem of this job: the problems of the others are reported, too."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from dsgen import api
from dsgen.values import Job
from tests.cli.conftest import JOB, Cli, put

WRONG = JOB.replace("replicas: 2", "replicas: two")
DIGITS = "1" * 5000


@pytest.fixture
def broken(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three files: a bug of dsgen appears with the first one, the second one has an error, the third one is good."""
    problems = Job.problems

    def failing(job: Job, *options: bool) -> Sequence[object]:
        if job.file == "bug.yaml":
            raise ZeroDivisionError("by zero")
        return problems(job, *options)

    monkeypatch.setattr(Job, "problems", failing)
    put(folder / "bug.yaml", JOB.replace("cifar", "bug"))
    put(folder / "wrong.yaml", WRONG.replace("cifar", "wrong"))
    return folder


REPORT = "internal error, please report it: ZeroDivisionError: by zero (DSGEN_DEBUG=1 shows where)"


@pytest.mark.parametrize("command", ["validate", "render"])
def test_a_bug_in_one_job_hides_no_problem_of_another(cli: Cli, broken: Path, command: str) -> None:
    code, out, err = cli(command, "bug.yaml", "wrong.yaml", "cifar.yaml")

    assert broken
    assert (3, "") == (code, out)
    assert f"bug.yaml:1:1: error: {REPORT} [DS913]" in err.splitlines()
    assert "wrong.yaml:6:21: error: workers.replicas must be a whole number" in err
    assert "Traceback" not in err


@pytest.mark.parametrize("form", ["json", "sarif", "github"])
def test_every_form_has_it(cli: Cli, broken: Path, form: str) -> None:
    code, out, err = cli("validate", "wrong.yaml", "bug.yaml", "-o", form)

    assert broken
    assert (3, "") == (code, err)
    assert "DS913" in out
    assert "DS102" in out


def test_the_traceback_is_shown_on_request(cli: Cli, broken: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DSGEN_DEBUG", "1")

    err = cli("validate", "bug.yaml", "wrong.yaml").err

    assert broken
    assert err.startswith("Traceback (most recent call last):")
    assert "DS102" in err


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_file_that_cannot_be_read_hides_no_problem_of_another(cli: Cli, folder: Path, form: str) -> None:
    put(folder / "wrong.yaml", WRONG)

    code, out, err = cli("validate", "none.yaml", "wrong.yaml", "also-none.yaml", "-o", form)

    assert 3 == code
    assert "DS102" in (err if form == "text" else out)
    lines = [
        "dsgen: cannot read none.yaml: No such file or directory",
        "cannot read also-none.yaml: No such file or directory",
    ]
    assert lines == err.splitlines()[-2:]


def test_a_bug_while_rendering_names_the_folder(cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    render = api.render

    def failing(job: Job) -> object:
        if job.release.name == "mnist":
            raise ZeroDivisionError("by zero")
        return render(job)

    monkeypatch.setattr(api, "render", failing)

    code, out, err = cli("render", "cifar.yaml", "mnist.yaml", "-d", "out", "--keep-going")

    assert (1, True) == (code, out.startswith("out/cifar: job training/cifar, "))
    assert f"dsgen: out/mnist: {REPORT}\n" == err
    assert (folder / "out" / "cifar").is_dir()


NUMBERS = {
    "workers: {replicas: %s}": "workers.replicas must be a whole number, not a string",
    "workers: {sharedMemory: %sGi}": "workers.sharedMemory cannot be",
    "workers: {resources: {limits: {memory: %s}, requests: {memory: %s.5}}}": "resources.limits.memory cannot be",
    "run: {id: %s}": "run.id cannot be",
    "training: {python: t.py, deepspeed: {config: {train_batch_size: %s, fp16: %s.5}}}": "train_batch_size",
    "training: {python: t.py, deepspeed: {version: %s.1}}": "training.deepspeed.version",
    "storage: {a: {mountPath: /a, create: {size: %s}}}": "storage.a.create.size cannot be",
}


@pytest.mark.parametrize(
    "number", [DIGITS, "1" * 100_000, f"-{DIGITS}", "1_" * 3000 + "1", "+" + "0" * 5000 + "9"], ids=len
)
@pytest.mark.parametrize("text", NUMBERS)
def test_a_number_of_many_digits_is_a_problem_of_its_key(cli: Cli, folder: Path, text: str, number: str) -> None:
    head = [line for line in JOB.splitlines() if not line.startswith((text.partition(":")[0], "  "))]
    put(folder / "long.yaml", "\n".join([*head, text.replace("%s", number)]) + "\n")

    code, _, err = cli("validate", "long.yaml", "cifar.yaml")

    assert code in (0, 1)
    assert "internal error" not in err
    assert max(map(len, ["", *err.splitlines()])) < 10_000, "100,000 digits are not repeated"
    if number == DIGITS:
        assert NUMBERS[text] in err


@pytest.mark.parametrize("flag", ["--set", "--set-string", "--set-json"])
@pytest.mark.parametrize("number", [DIGITS, f"-{DIGITS}", "+" + "0" * 5000 + "1"], ids=len)
def test_a_flag_with_many_digits_is_a_problem_of_its_key(cli: Cli, flag: str, number: str) -> None:
    for key in ("workers.replicas", "labels.a", "training.args[1]"):
        code, _, err = cli("validate", "cifar.yaml", flag, f"{key}={number}")
        assert code in (0, 1, 2)
        assert "internal error" not in err
    assert 2 == cli("validate", "cifar.yaml", flag, f"training.args[{DIGITS}]=1").code
