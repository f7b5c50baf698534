"""The scripts that jobs of a repository share: those of all its runs, in the words of the release that wrote each."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from dsgen import __version__
from dsgen.generated.digest import SCRIPTS
from dsgen.writer import INDEX
from tests.cli.conftest import IMAGE, JOB, Cli, bytes_in, job, put
from tests.cli.upgrade.conftest import OLD, OLD_SCRIPTS, by, edit

FOLDER = "rendered/training/dsgen-runtime"


@pytest.fixture
def shared(release: Path, folder: Path) -> Path:
    """The folder of the scripts of two jobs, as the other release wrote it."""
    for path in folder.iterdir():
        path.unlink()
    put(folder / "dsgen.yaml", f"defaults:\n  {IMAGE}  runtime: {{create: false}}\n")
    for name in ("cifar", "mnist"):
        put(folder / f"jobs/{name}/values.yaml", job(name))
    by(release, folder, "render")
    return folder / FOLDER


def digests(folder: Path) -> set[str]:
    return {path.stem.rpartition("-")[2] for path in folder.glob("configmap-*")}


def begin_second_run(name: str) -> None:
    edit(Path("jobs", name, "values.yaml"), 'id: "1"', 'id: "2"')


def test_it_has_the_scripts_of_every_run_and_of_no_other(shared: Path, cli: Cli) -> None:
    before = bytes_in(shared)
    assert {OLD_SCRIPTS} == digests(shared)

    assert 0 == cli("render").code
    assert before == bytes_in(shared)

    begin_second_run("cifar")
    assert 0 == cli("render").code
    assert {OLD_SCRIPTS, SCRIPTS} == digests(shared)
    assert before.items() - bytes_in(shared).items() <= {(".dsgen-index", before[".dsgen-index"])}
    assert 0 == cli("render", "--check").code

    begin_second_run("mnist")
    assert 0 == cli("render", "jobs/mnist/values.yaml").code
    assert {OLD_SCRIPTS, SCRIPTS} == digests(shared), "one FILE adds scripts and removes none"
    assert f"not wanted: {FOLDER}/configmap-dsgen-runtime-shared-{OLD_SCRIPTS}.yaml" in cli("render", "--check").out

    assert 0 == cli("render").code
    assert {SCRIPTS} == digests(shared)


def test_scripts_of_a_run_that_nobody_can_write_again_are_not_given_up(shared: Path, cli: Cli) -> None:
    begin_second_run("cifar")
    path = shared / f"configmap-dsgen-runtime-worker-{OLD_SCRIPTS}.yaml"
    content = path.read_text()

    for spoil, words in (
        (lambda: path.write_text(content + "# mine\n"), "was edited since dsgen wrote it"),
        (path.unlink, "is missing"),
        (lambda: shutil.rmtree(shared), "is missing"),
    ):
        spoil()
        before = bytes_in(Path())
        code, _, err = cli("render")
        assert (1, True) == (code, words in err), err
        assert before == bytes_in(Path()), "nothing is written"


def test_a_folder_of_a_removed_job_needs_its_scripts_until_it_is_pruned(shared: Path, cli: Cli) -> None:
    begin_second_run("mnist")
    Path("jobs/cifar/values.yaml").unlink()

    assert 0 == cli("render").code
    assert {OLD_SCRIPTS, SCRIPTS} == digests(shared)
    assert 0 == cli("render", "--prune", "--yes").code
    assert {SCRIPTS} == digests(shared)


def test_a_repository_without_shared_scripts_switches_by_one_line(cli: Cli, shared: Path) -> None:
    edit(Path("dsgen.yaml"), "  runtime: {create: false}\n", "")
    shutil.rmtree("rendered")
    assert 0 == cli("render").code
    assert not shared.exists()
    assert {SCRIPTS} == {path.stem[-10:] for path in Path("rendered/training/cifar").glob("*-scripts-*")}
    first = bytes_in(Path("rendered"))

    edit(Path("dsgen.yaml"), IMAGE, f"{IMAGE}  runtime: {{create: false}}\n")
    begin_second_run("cifar")
    code, out, _ = cli("render")

    assert (0, True) == (code, FOLDER in out), out
    assert {SCRIPTS} == digests(shared)
    assert [] == list(Path("rendered/training/cifar").glob("*-scripts-*"))
    mnist = {path: content for path, content in first.items() if path.startswith("training/mnist/configmap")}
    assert mnist.items() <= bytes_in(Path("rendered")).items(), "a run keeps the scripts that it began with"


def test_the_next_run_is_a_small_change(cli: Cli) -> None:
    """The change of the scripts themselves is read once for a namespace."""
    file, index = Path("next/cifar.yaml"), Path("next/cifar", INDEX)
    put(file, f"{JOB}runtime: {{create: false}}\n")
    assert 0 == cli("render", file, "-d", "next/cifar").code
    put(index, index.read_text().replace(__version__, OLD))
    for path, content in bytes_in(Path("next")).items():
        put(Path("last", path), re.sub('(?<=[-/"])[0-9a-f]{10}(?=[."\\n])', OLD_SCRIPTS, content.decode()))
    edit(file, 'id: "1"', 'id: "2"')
    assert 0 == cli("render", file, "-d", "next/cifar").code

    command = ["git", "diff", "--no-index", "--find-renames", "--numstat", "last", "next"]
    lines = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
    counts = [int(count) for line in lines if "dsgen-runtime" not in line for count in line.split()[:2]]
    assert 2 * 9 == len(counts), "index, values and the objects of the run"
    assert sum(counts) <= 100, lines
