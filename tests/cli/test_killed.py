"""After a killed render, every file is old or new, `--check` reports the rest, and the next render removes it."""

import os
import subprocess
import sys
from pathlib import Path

from dsgen.writer import INDEX
from tests.cli.conftest import Cli

ROOT = Path(__file__).parents[2]
KILLS = os.environ.get("DSGEN_KILLS", "5")
JOBS = os.environ.get("DSGEN_KILLED_JOBS", "4")

LEFT = ".dsgen-0123456789abcdef.tmp"


def test_a_kill_leaves_old_files_and_new_ones_and_nothing_for_long(tmp_path: Path) -> None:
    """DSGEN_KILLS=200 DSGEN_KILLED_JOBS=20 takes its time."""
    command = [sys.executable, "-m", "tests.cli.killed", tmp_path, JOBS, KILLS, "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert 0 == done.returncode, done.stderr


def test_what_an_interrupted_write_has_left_is_told_and_removed(cli: Cli, folder: Path) -> None:
    cli("render", "cifar.yaml", "-d", "out")
    (folder / "out" / LEFT).write_text("half")

    checked = cli("render", "cifar.yaml", "-d", "out", "--check")
    tried = cli("render", "cifar.yaml", "-d", "out", "--dry-run")
    done = cli("render", "cifar.yaml", "-d", "out")

    assert (1, f"left by an interrupted write: out/{LEFT}\n", "") == checked
    assert (0, f"would remove out/{LEFT}, left by an interrupted write\n", "") == tried
    assert (0, "") == (done.code, done.err)
    assert done.out.endswith("(0 written, 0 removed, 18 unchanged); files of an interrupted write were removed\n")
    assert not (folder / "out" / LEFT).exists()
    assert (0, "", "") == cli("render", "cifar.yaml", "-d", "out", "--check")


def test_another_render_is_not_disturbed(cli: Cli, folder: Path) -> None:
    """What looks like a left-over belongs to a process that is writing: it holds the lock of the folder."""
    cli("render", "cifar.yaml", "-d", "out")
    (folder / "out" / LEFT).write_text("half")
    program = (
        "import fcntl, os, sys; fcntl.flock(os.open('out', os.O_RDONLY), fcntl.LOCK_EX); print(flush=True); input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdin
        assert other.stdout
        other.stdout.readline()

        assert (0, "", "") == cli("render", "cifar.yaml", "-d", "out", "--check")
        assert 0 == cli("render", "cifar.yaml", "-d", "out").code
        assert (folder / "out" / LEFT).exists()

        other.communicate("\n")
    assert 1 == cli("render", "cifar.yaml", "-d", "out", "--check").code


def test_of_an_interrupted_write_other_values_are_no_edit(cli: Cli, folder: Path) -> None:
    """The new index lies there whole: it says what the files are that have taken their places already."""
    out = folder / "out"
    cli("render", "cifar.yaml", "-d", "out")
    index = (out / INDEX).read_bytes()
    cli("render", "cifar.yaml", "--set-string", "run.id=2", "--set", "labels.a=b", "-d", "out")
    (out / INDEX).rename(out / ".dsgen-index-0123456789abcdef.tmp")
    (out / INDEX).write_bytes(index)

    assert 0 == cli("render", "cifar.yaml", "--set-string", "run.id=3", "-d", "out").code
    assert [] == [path.name for path in out.iterdir() if "cifar-2" in path.name or path.suffix == ".tmp"]
    assert (0, "", "") == cli("render", "cifar.yaml", "--set-string", "run.id=3", "-d", "out", "--check")


def test_of_an_interrupted_first_write_nothing_is_known_as_a_run(cli: Cli, folder: Path) -> None:
    out = folder / "out"
    cli("render", "cifar.yaml", "-d", "out")
    (out / INDEX).rename(out / ".dsgen-index-0123456789abcdef.tmp")
    (out / "service-cifar-1.yaml").unlink()

    assert 0 == cli("render", "cifar.yaml", "-f", "prod.yaml", "-d", "out").code
    assert (0, "", "") == cli("render", "cifar.yaml", "-f", "prod.yaml", "-d", "out", "--check")
