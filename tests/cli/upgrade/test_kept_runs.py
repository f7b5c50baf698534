"""An upgrade does not change a run that another release wrote."""

import json
from pathlib import Path

import pytest
import yaml

from dsgen import __version__
from dsgen.writer import INDEX
from tests.cli.conftest import Cli, texts_in
from tests.cli.upgrade.conftest import FILES, JOBS, OLD, by, edit, of_identity, of_run


def test_the_releases_differ(upgraded: Path, cli: Cli) -> None:
    cli("render", *FILES, "-d", "new")
    old, new = of_run(texts_in(upgraded / "out")), of_run(texts_in(upgraded / "new"))

    assert [] == [path for path in old if old[path] == new.get(path)]


def test_an_upgrade_changes_no_run_refuses_nothing_and_a_new_job_is_written(upgraded: Path, cli: Cli) -> None:
    before = texts_in(upgraded / "out")
    new_job = (upgraded / "cifar.yaml").read_text().replace("cifar", "added")
    (upgraded / "added.yaml").write_text(new_job)

    code, out, err = cli("render", *FILES, "added.yaml", "-d", "out")
    after = texts_in(upgraded / "out")

    assert (0, "") == (code, err)
    assert [f"out/{name}: run 1 kept as dsgen {OLD} wrote it" for name in JOBS] == [
        line for line in out.splitlines() if "kept" in line
    ]
    assert of_run(before) == {path: text for path, text in of_run(after).items() if not path.startswith("added/")}
    assert "added/job-added-1-worker.yaml" in after
    kept = {**of_run(after), **of_identity(after)}
    assert [] == [path for path, text in after.items() if path not in kept and "another release" in text]


IDENTITY = ("role", "rolebinding", "serviceaccount")
BOARD = "monitoring: {tensorboard: {enabled: true, logDir: /checkpoints/logs}}\n"


def test_what_a_kept_run_needs_under_an_old_name_stays_until_the_next_run(upgraded: Path, cli: Cli) -> None:
    """The pods of the run use the ServiceAccount by its name; the release that renders the next run has another."""
    before = of_identity(texts_in(upgraded / "out" / "cifar"))
    assert {f"{kind}-cifar.old.yaml" for kind in IDENTITY} == before.keys()

    for _ in range(2):
        assert 0 == cli("render", *FILES, "-d", "out").code
        assert before == of_identity(texts_in(upgraded / "out" / "cifar"))
    assert 0 == cli("render", *FILES, "-d", "out", "--check").code
    assert {f"{kind}-cifar.launcher.yaml" for kind in IDENTITY} <= texts_in(upgraded / "out" / "cifar").keys()

    edit(upgraded / "cifar.yaml", 'id: "1"', 'id: "2"')
    assert 0 == cli("render", *FILES, "-d", "out").code
    assert {} == of_identity(texts_in(upgraded / "out" / "cifar"))


def test_what_the_user_removed_from_a_kept_job_is_removed(release: Path, upgraded: Path, cli: Cli) -> None:
    (upgraded / "cifar.yaml").write_text((upgraded / "cifar.yaml").read_text() + BOARD)
    by(release, upgraded, "render", "cifar.yaml", "-d", "board", "--replace")
    edit(upgraded / "cifar.yaml", BOARD, "")

    assert 0 == cli("render", "cifar.yaml", "-d", "board").code

    after = texts_in(upgraded / "board")
    assert [] == [path for path in after if "tensorboard" in path]
    assert {f"{kind}-cifar.old.yaml" for kind in IDENTITY} == of_identity(after).keys()


def test_afterwards_the_folder_is_up_to_date(upgraded: Path, cli: Cli) -> None:
    cli("render", *FILES, "-d", "out")
    before = {path: path.read_bytes() for path in upgraded.rglob(INDEX)}

    code, out, err = cli("render", *FILES, "-d", "out", "--check")
    assert (0, "") == (code, err)
    assert "".join(f"out/{name}: run 1 kept as dsgen {OLD} wrote it\n" for name in JOBS) == out
    assert 0 == cli("render", *FILES, "-d", "out").code
    assert before == {path: path.read_bytes() for path in upgraded.rglob(INDEX)}


def test_the_other_release_finds_its_run_again(release: Path, upgraded: Path, cli: Cli) -> None:
    cli("render", *FILES, "-d", "out")

    before = of_run(texts_in(upgraded / "out"))
    by(release, upgraded, "render", *FILES, "-d", "out")

    assert before == of_run(texts_in(upgraded / "out"))


@pytest.mark.parametrize("line", ["  suspend: true\n", ""], ids=["suspended", "not managed"])
def test_suspend_alone_changes_in_a_run_that_is_kept(upgraded: Path, cli: Cli, line: str) -> None:
    before = of_run(texts_in(upgraded / "out" / "cifar"))
    assert 2 == sum("  suspend: false\n" in text for text in before.values())
    edit(upgraded / "cifar.yaml", "  suspend: false\n", line or "  {}\n")

    assert 0 == cli("render", *FILES, "-d", "out").code

    assert {path: text.replace("  suspend: false\n", line) for path, text in before.items()} == of_run(
        texts_in(upgraded / "out" / "cifar")
    )
    if not line:  # and back again
        edit(upgraded / "cifar.yaml", "  {}\n", "  suspend: true\n")
        assert 0 == cli("render", *FILES, "-d", "out").code
        after = texts_in(upgraded / "out" / "cifar")
        specs = [yaml.safe_load(text)["spec"] for path, text in after.items() if path.startswith("job-")]
        assert [True, True] == [spec["suspend"] for spec in specs]


def test_refresh_writes_a_kept_run_anew(upgraded: Path, cli: Cli) -> None:
    assert 0 == cli("render", *FILES, "-d", "out", "--refresh").code
    assert (0, "", "") == cli("render", *FILES, "-d", "out", "--check")
    assert "another release" not in "".join(texts_in(upgraded / "out").values())

    code, _, err = cli("render", *FILES, "--set", "workers.replicas=4", "-d", "out", "--refresh")
    assert (1, True) == (code, "DS903" in err)


@pytest.mark.parametrize("name", ["job-cifar-1-worker.yaml", "role-cifar.old.yaml"], ids=["of the run", "needed by it"])
@pytest.mark.parametrize("what", ["edited", "deleted"])
def test_a_kept_file_that_is_not_as_it_was_is_refused(upgraded: Path, cli: Cli, what: str, name: str) -> None:
    path = upgraded / "out" / "cifar" / name
    path.write_text("mine") if what == "edited" else path.unlink()

    code, _, err = cli("render", *FILES, "-d", "out")

    assert (1, True) == (code, f"out/cifar/{name}" in err)
    assert f"only dsgen {OLD} can write it: restore it from version control" in err


def test_an_index_without_values_compares_bytes(upgraded: Path, cli: Cli) -> None:
    path = upgraded / "out" / "cifar" / INDEX
    path.write_text(json.dumps({key: part for key, part in json.loads(path.read_text()).items() if key != "values"}))

    code, _, err = cli("render", *FILES, "-d", "out")

    assert 1 == code
    assert "cifar.yaml:4:11: error:" in err
    assert "[DS903]" in err
    assert f"does not contain the values that dsgen {OLD} rendered" in err


def test_values_of_then_that_this_release_refuses_are_said(upgraded: Path, cli: Cli) -> None:
    path = upgraded / "out" / "cifar" / INDEX
    index = json.loads(path.read_text())
    index["values"]["workers"]["gone"] = 3
    path.write_text(json.dumps(index))

    code, _, err = cli("render", *FILES, "-d", "out")

    assert 1 == code
    assert 'run "1" would change: workers.gone: 3 -> not set' in err
    assert f"dsgen {OLD} accepted the old values, but dsgen {__version__} does not: " in err
