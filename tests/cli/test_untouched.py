"""An unchanged job is not rendered again, according to its index; `--check` renders every job."""

import json
from pathlib import Path

import pytest

from dsgen.writer import INDEX, compute_checksum
from tests.cli.conftest import Cli

WORKER = "job-cifar-1-worker.yaml"
DONE = "out: job training/cifar, 18 files (0 written, 0 removed, 18 unchanged)\n"
CALL = ("render", "cifar.yaml", "-d", "out")


@pytest.fixture
def out(cli: Cli, folder: Path) -> Path:
    """A folder that was written, with a change that its index knows: a render would take it back."""
    assert 0 == cli(*CALL).code
    path = folder / "out" / WORKER
    path.write_text(path.read_text().replace("parallelism: 2", "parallelism: 3"))
    index = json.loads((path.parent / INDEX).read_text())
    index["files"][WORKER]["sha256"] = compute_checksum(path.read_bytes())
    (path.parent / INDEX).write_text(json.dumps(index))
    return path.parent


@pytest.mark.parametrize("flags", [(), ("--dry-run",), ("--keep-going",), ("--bump",)])
def test_it_is_not_rendered(cli: Cli, out: Path, flags: tuple[str, ...]) -> None:
    before = {path: path.read_bytes() for path in out.iterdir()}

    done = cli(*CALL, *flags)

    assert (0, "out: nothing to do\n" if "--dry-run" in flags else DONE, "") == done
    assert before == {path: path.read_bytes() for path in out.iterdir()}


@pytest.mark.usefixtures("out")
def test_what_only_an_index_says_is_not_believed_by_a_check(cli: Cli) -> None:
    assert (1, f"differs: out/{WORKER}\n", "") == cli(*CALL, "--check")
    assert 1 == cli("diff", *CALL[1:]).code
    assert "1 written" in cli(*CALL, "--refresh").out
    assert (0, "", "") == cli(*CALL, "--check")


@pytest.mark.parametrize(
    "flags",
    [
        *(("--set-string", change) for change in ("image.tag=v4", "run.id=2", "name=other")),
        *(("--set", "lifecycle.suspend=true"), ("--kustomization",), ("other code",), ("no checksum",)),
    ],
)
def test_any_changed_input_triggers_a_render(
    cli: Cli, out: Path, monkeypatch: pytest.MonkeyPatch, flags: tuple[str, ...]
) -> None:
    if flags == ("other code",):
        monkeypatch.setattr("dsgen.runs.__version__", "9.9.9")
    if flags == ("no checksum",):
        index = json.loads((out / INDEX).read_text())
        (out / INDEX).write_text(json.dumps({key: part for key, part in index.items() if key != "madeOf"}))

    done = cli(*CALL, *(flag for flag in flags if " " not in flag))

    assert done.out != DONE
    assert done.code == 1 or "0 written" not in done.out


def test_files_are_looked_at(cli: Cli, out: Path) -> None:
    assert 0 == cli(*CALL, "--refresh").code
    lost, edited = out / "role-cifar.launcher.yaml", out / WORKER
    texts = {path: path.read_text() for path in (lost, edited)}

    lost.unlink()
    assert "(1 written, 0 removed, 17 unchanged)" in cli(*CALL).out
    edited.write_text("mine")
    done = cli(*CALL)
    assert (1, True) == (done.code, f"out/{WORKER} was edited since dsgen wrote it" in done.err)
    edited.write_text("")
    assert "(1 written, 0 removed, 17 unchanged)" in cli(*CALL).out
    edited.write_bytes(texts[edited].replace("\n", "\r\n").encode())
    assert cli(*CALL).out == DONE
    edited.unlink()
    edited.symlink_to("/etc/passwd")
    assert f"out/{WORKER} is in the way: it is a link" in cli(*CALL).err


def test_warnings_are_told_each_time(cli: Cli, folder: Path) -> None:
    """They are about the values, and --strict and dsgen.yaml may count them otherwise the next time."""
    (folder / "cifar.yaml").write_text((folder / "cifar.yaml").read_text().replace("tag: v3", "tag: latest"))
    first = cli(*CALL)

    assert "warning: " in first.err
    assert (0, DONE, first.err) == cli(*CALL)
    assert 1 == cli(*CALL, "--strict").code
