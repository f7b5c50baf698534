"""`dsgen render --bump` writes the next run id into the user's file, and changes nothing else in it."""

from pathlib import Path

import pytest

from dsgen import api
from dsgen.runs import bump
from dsgen.values import SourceText
from tests.cli.conftest import IMAGE, Cli, job, put


def edit(folder: Path, old: str, new: str, file: str = "cifar.yaml") -> str:
    """Change a values file; returns its text."""
    path = folder / file
    text = path.read_bytes().decode()
    assert old in text
    path.write_bytes(text.replace(old, new, 1).encode())
    return text.replace(old, new, 1)


def test_a_run_that_would_change_gets_the_next_id(cli: Cli, folder: Path) -> None:
    cli("render", "cifar.yaml", "-o", "out")
    text = edit(folder, "replicas: 2", "replicas: 3")

    code, out, err = cli("render", "cifar.yaml", "-o", "out", "--bump")

    assert (0, "") == (code, err)
    assert out.startswith("cifar.yaml: run.id 1 -> 2\nout: job training/cifar, ")
    assert text.replace('{id: "1"}', '{id: "2"}') == (folder / "cifar.yaml").read_text()
    assert (0, "", "") == cli("render", "cifar.yaml", "-o", "out", "--check")
    again = cli("render", "cifar.yaml", "-o", "out", "--bump")
    assert (0, False) == (again.code, "run.id" in again.out)


def test_an_id_that_was_there_is_not_taken_again(cli: Cli, folder: Path) -> None:
    for id_ in ("2", "1"):
        cli("render", "cifar.yaml", "-o", "out", "--set-string", f"run.id={id_}")
    edit(folder, "replicas: 2", "replicas: 3")

    assert "run.id 1 -> 3\n" in cli("render", "cifar.yaml", "-o", "out", "--bump").out


def test_nothing_is_written_by_a_dry_run(cli: Cli, folder: Path) -> None:
    cli("render", "cifar.yaml", "-o", "out")
    text = edit(folder, "replicas: 2", "replicas: 3")

    out = cli("render", "cifar.yaml", "-o", "out", "--bump", "--dry-run").out

    assert out.startswith("would write cifar.yaml: run.id 1 -> 2\n")
    assert text == (folder / "cifar.yaml").read_text()


IDS = {"1": "2", "exp9": "exp10", "007": "008", "a": "a2", "a9z": "a9z2", "99": "100", "v1x09": "v1x10"}


@pytest.mark.parametrize("old", IDS)
def test_the_next_id(old: str) -> None:
    assert IDS[old] == bump.next_id(old, {old})


def test_the_next_id_is_none_of_the_known_ones() -> None:
    assert "4" == bump.next_id("1", {"1", "2", "3"})


HEAD = "name: cifar\nnamespace: training  # ours\n"
TAIL = "image: {repository: a.example.com/b, tag: v1}\ntraining: {python: t.py}\n"
TEXTS = {
    f'{HEAD}run: {{id: "1"}}  # c\n{TAIL}': f'{HEAD}run: {{id: "2"}}  # c\n{TAIL}',
    f"{HEAD}run:\n    # c\n    id:   '007' # d\n\n{TAIL}": f"{HEAD}run:\n    # c\n    id:   '008' # d\n\n{TAIL}",
    f"{HEAD}run: {{ id: 9 }}\n{TAIL}": f"{HEAD}run: {{ id: 10 }}\n{TAIL}",
    f"{HEAD}run: {{id: exp9}}\n{TAIL}": f"{HEAD}run: {{id: exp10}}\n{TAIL}",
    f"{HEAD}{TAIL}": f'{HEAD}run: {{id: "2"}}\n{TAIL}',
    f"{HEAD}run: {{}}\n{TAIL}": f'{HEAD}run: {{"id": "2"}}\n{TAIL}',
    f"{TAIL}{HEAD.rstrip()}": f'{TAIL}{HEAD.rstrip()}\nrun: {{id: "2"}}\n',
    f"\ufeff# BOM\n{HEAD}{TAIL}": f'\ufeff# BOM\n{HEAD}run: {{id: "2"}}\n{TAIL}',
    f"{HEAD}{TAIL}".replace("\n", "\r\n"): f'{HEAD}run: {{id: "2"}}\n{TAIL}'.replace("\n", "\r\n"),
    '{"name": "c", "namespace": "t", "image": {"repository": "a.b/c"}, "training": {"python": "t"}}\n': (
        '{"run": {"id": "2"}, "name": "c", "namespace": "t", "image": {"repository": "a.b/c"}, '
        '"training": {"python": "t"}}\n'
    ),
}


@pytest.mark.parametrize("text", TEXTS)
def test_only_the_id_changes_in_the_text(text: str) -> None:
    bumped = bump.bump(api.load(SourceText("cifar.yaml", text)), ())

    assert isinstance(bumped, bump.Bump)
    assert TEXTS[text] == bumped.text
    assert bumped.new == str(bumped.job.data["run"]["id"])


REFUSED = {
    f"{HEAD}run: &r {{id: '1'}}\nglobal: {{x: *r}}\n{TAIL}": "the text cannot be changed without changing other values",
    f"{HEAD}run: {{id: &r '1'}}\nglobal: {{x: *r}}\n{TAIL}": "line 3 has an anchor",
    f"global: {{x: &r '1'}}\n{HEAD}run: {{id: *r}}\n{TAIL}": "line 4 has an anchor, an alias",
    f"global: &g {{run: {{id: '1'}}}}\n<<: *g\n{HEAD}{TAIL}": "it has << at the top",
    f"{HEAD}run: {{id: {'9' * 20}}}\n{TAIL}".replace("9" * 20, f"'{'9' * 20}'"): "no id of at most 20 characters",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_not_changed(text: str) -> None:
    refused = bump.bump(api.load(SourceText("cifar.yaml", text)), ())

    assert isinstance(refused, api.Diagnostic)
    assert REFUSED[text] in refused.message


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("cifar.yaml", "-f", "run.yaml"), "run.yaml:1:12: error: --bump cannot write run.id into cifar.yaml"),
        (("cifar.yaml", "--set-string", "run.id=1"), "run.id is set in --set-string"),
        (("-",), "standard input"),
    ],
)
def test_an_id_that_is_not_in_the_file(arguments: tuple[str, ...], said: str, cli: Cli, folder: Path) -> None:
    put(folder / "run.yaml", 'run: {id:  "1"}\n')
    text = (folder / "cifar.yaml").read_text()
    cli("render", *arguments, "-o", "out", stdin=text)
    edit(folder, "replicas: 2", "replicas: 3")

    code, out, err = cli("render", *arguments, "-o", "out", "--bump", stdin=text.replace("replicas: 2", "replicas: 3"))

    assert (1, "") == (code, out)
    assert said in err
    assert "[DS903]" in err


def test_a_repository(cli: Cli, repository: Path) -> None:
    cli("render")
    edit(repository, "replicas: 2", "replicas: 3", "jobs/a/values.yaml")
    (repository / "jobs/a/values.yaml").chmod(0o640)

    out = cli("render", "--bump").out

    assert "jobs/a/values.yaml: run.id 1 -> 2\n" in out
    assert "jobs/b" not in out
    assert 0o640 == (repository / "jobs/a/values.yaml").stat().st_mode & 0o777
    assert (0, "", "") == cli("render", "--check")


def test_one_file_of_several_jobs(cli: Cli, repository: Path) -> None:
    put(repository / "sweep.yaml", job("sft"))
    head = f"jobs: [sweep.yaml]\ndefaults:\n  {IMAGE}matrix:\n- jobs: [sweep.yaml]\n  variables: {{n: [1, 2]}}\n"
    values = '  values: {{name: "sft{{n}}", workers: {{replicas: {}}}}}\n'
    put(repository / "dsgen.yaml", (head + values.format(2)).replace("n:", '"n":'))
    assert 0 == cli("render").code
    put(repository / "dsgen.yaml", (head + values.format(3)).replace("n:", '"n":'))

    code, _, err = cli("render", "--bump")

    assert (1, True) == (code, "it is the file of 2 jobs [DS909]" in err)
