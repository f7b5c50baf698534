"""`dsgen help`, and the options for the amount of output: --quiet, progress, colour."""

import os
import sys
from pathlib import Path

import pexpect
import pytest

from dsgen.cli import COMMANDS, _console
from tests.cli.conftest import Cli

ROOT = Path(__file__).parents[2]


def test_help_lists_the_pages(cli: Cli) -> None:
    out = cli("help").out

    assert [] == [path.stem for path in (ROOT / "docs").glob("*.md") if f"\n  {path.stem} " not in out]


def test_help_shows_a_page(cli: Cli) -> None:
    assert (0, (ROOT / "docs" / "running.md").read_text(), "") == cli("help", "running")


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_is_what_the_command_shows(cli: Cli, name: str) -> None:
    assert cli(name, "--help") == cli("help", name)


@pytest.mark.parametrize(
    ("word", "rest"), [("runing", "did you mean running?"), ("qqqq", "dsgen help lists the pages")]
)
def test_help_of_something_else_is_wrong_usage(cli: Cli, word: str, rest: str) -> None:
    assert (2, "", f"dsgen: {word} is neither a command nor a page; {rest}\n") == cli("help", word)


@pytest.mark.parametrize(
    "arguments",
    [["render", "cifar.yaml", "-d", "out"], ["chart", "cifar.yaml", "-d", "out"], ["validate", "cifar.yaml"]],
)
def test_quiet_says_nothing(cli: Cli, folder: Path, arguments: list[str]) -> None:
    assert (0, "", "") == cli(*arguments, "--quiet")
    assert (folder / "out").is_dir() == ("-d" in arguments)


def test_quiet_still_tells_problems(cli: Cli) -> None:
    code, out, err = cli("validate", "cifar.yaml", "--set", "workers.replicas=0", "-q")

    assert (1, "") == (code, out)
    assert "workers.replicas" in err


def test_quiet_is_no_matter_of_a_folder(cli: Cli) -> None:
    assert cli("render", "cifar.yaml") == cli("render", "cifar.yaml", "-q")


# ---- on a terminal ----


def _read(code: str, *arguments: str, **environment: str) -> str:
    """What Python code writes to standard error when that is a terminal."""
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    command = [sys.executable, "-c", code, *arguments]
    with pexpect.spawn(
        "sh",
        ["-c", '"$@" >/dev/null', "sh", *command],
        env={**kept, "PYTHONPATH": str(ROOT), **environment},
        timeout=60,
    ) as session:
        written: bytes = session.read()
    return written.decode()


IMPATIENT = """
import sys
from dsgen.cli import _console, main
_console.PROGRESS_AFTER_SECONDS = float(sys.argv.pop(1))
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(("patience", "is_told"), [("0", True), ("60", False)])
def test_long_work_is_counted(folder: Path, patience: str, is_told: bool) -> None:
    assert folder
    written = _read(IMPATIENT, patience, "render", "cifar.yaml", "mnist.yaml", "-d", "out")

    assert is_told == ("\rchecked " in written and "\rcompared " in written)
    assert "" == written.rpartition("\r")[2]


def test_nothing_is_counted_for_a_file(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_console, "PROGRESS_AFTER_SECONDS", 0.0)

    assert [1, 2] == list(_console.show_progress("checked", [1, 2], 2))
    assert "" == capsys.readouterr().err


WRONG = ("validate", "cifar.yaml", "--set", "workers.replicas=0")


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, True),
        ({"NO_COLOR": "1"}, False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        ({"FORCE_COLOR": "1"}, True),
    ],
)
def test_colour_on_a_terminal(folder: Path, environment: dict[str, str], expected: bool) -> None:
    assert folder
    assert expected == ("\x1b[" in _read("from dsgen.__main__ import main; main()", *WRONG, **environment))


@pytest.mark.parametrize(("value", "expected"), [("", False), ("1", True)])
def test_colour_in_a_file(cli: Cli, monkeypatch: pytest.MonkeyPatch, value: str, expected: bool) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", value)

    assert expected == ("\x1b[" in cli(*WRONG).err)
