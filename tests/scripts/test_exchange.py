"""The two files between launcher and sidecar, and the launcher's account of itself."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "dsgen" / "scripts"))

import exchange
import journal


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / exchange.STATUS

    exchange.write(path, {"lease": "held", "holder": "ä"})

    assert exchange.read(path) == {"version": 1, "lease": "held", "holder": "ä"}
    assert [path] == list(tmp_path.iterdir())


@pytest.mark.parametrize("text", ["", "{", "[]", '"x"', '{"version": 2}', "{}", "\x80"])
def test_what_cannot_be_read_is_empty(tmp_path: Path, text: str) -> None:
    """Half a file, another version: the reader waits for the next one."""
    path = tmp_path / exchange.LAUNCHER
    path.write_text(text, encoding="latin-1")

    assert exchange.read(path) == {}
    assert exchange.read(tmp_path / "absent") == {}


def test_a_failure_before_the_launcher(tmp_path: Path) -> None:
    exchange.fail(tmp_path / exchange.LAUNCHER, "KeygenFailed", "no ssh-keygen")

    said = exchange.read(tmp_path / exchange.LAUNCHER)

    assert (said["phase"], said["reason"], said["message"]) == ("Failed", "KeygenFailed", "no ssh-keygen")
    assert (said["sequence"], said["attempts"]) == (1, [])


def test_the_journal_writes_changes_only(tmp_path: Path) -> None:
    path = tmp_path / exchange.LAUNCHER
    account = journal.Journal(path)

    account.move("waiting", "for two")
    account.move("waiting", "for two")
    account.move("running", worldSize=2)

    assert json.loads(path.read_text()) == {
        "version": 1,
        "sequence": 2,
        "phase": "Running",
        "reason": "",
        "message": "",
        "exitCode": None,
        "worldSize": 2,
        "terminated": False,
        "attempts": [],
    }


def test_the_journal_keeps_the_attempts(tmp_path: Path) -> None:
    path = tmp_path / exchange.LAUNCHER
    account = journal.Journal(path)

    account.begin_attempt()
    account.end_attempt("WorkersLost", {})
    account.move("workers-lost", "lost: w-1")
    account.count_loss()
    account.count_loss()

    said = exchange.read(path)
    assert said["sequence"] == 2
    assert [(a["reason"], a["counted"]) for a in said["attempts"]] == [("WorkersLost", True)]
    assert account.totals({"replacements": 2})["replacements"] == 3


def test_the_journal_says_that_sigterm_ended_the_launcher(tmp_path: Path) -> None:
    account = journal.Journal(tmp_path / exchange.LAUNCHER)
    account.move("running")

    account.terminate()

    said = exchange.read(tmp_path / exchange.LAUNCHER)
    assert (said["phase"], said["terminated"]) == ("Running", True)
