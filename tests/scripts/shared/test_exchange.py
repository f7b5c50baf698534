"""The two files between launcher and sidecar, and the content of launcher.json."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from launcher import journal
from shared import exchange, record


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


def test_the_journal_writes_changes_only(tmp_path: Path) -> None:
    path = tmp_path / exchange.LAUNCHER
    account = journal.LauncherState(path)

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
    account = journal.LauncherState(path)

    account.begin_attempt()
    account.end_attempt("WorkersLost", {})
    account.move("workers-lost", "lost: w-1")
    account.count_loss()
    account.count_loss()

    said = exchange.read(path)
    assert said["sequence"] == 2
    assert [(a["reason"], a["counted"]) for a in said["attempts"]] == [("WorkersLost", True)]
    assert record.compute_totals(account.attempts, {"replacements": 2})["replacements"] == 3


def test_the_journal_says_that_sigterm_ended_the_launcher(tmp_path: Path) -> None:
    account = journal.LauncherState(tmp_path / exchange.LAUNCHER)
    account.move("running")

    account.terminate()

    said = exchange.read(tmp_path / exchange.LAUNCHER)
    assert (said["phase"], said["terminated"]) == ("Running", True)


# What the other side may put into its volume.

GOOD: dict[str, Any] = {
    "version": 1,
    "sequence": 7,
    "phase": "Running",
    "reason": "",
    "message": "m",
    "exitCode": None,
    "worldSize": 2,
    "terminated": False,
    "attempts": [{"startTime": "2026-01-01T00:00:00Z", "host": "w-1", "rank": 1, "tail": ["a"], "counted": True}],
}


def said(folder: Path, text: str | None = None, **changes: Any) -> dict[str, Any]:
    (folder / exchange.LAUNCHER).write_text(text or json.dumps({**GOOD, **changes}))
    return exchange.read_launcher(folder)


def test_what_is_as_it_should_be_is_taken(tmp_path: Path) -> None:
    expected = {key: value for key, value in GOOD.items() if key != "version"}

    assert expected == said(tmp_path, unknown="dropped")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("sequence", value) for value in (True, "7", 1.5, None, 10**30)),
        *(("phase", value) for value in ("Cheated", ["Failed"], {}, None, 0)),
        *(("reason", value) for value in ("Cheated", [], None)),
        *(("message", value) for value in (None, 7, ["m"])),
        *(("exitCode", value) for value in ("3", 1.0, False, [], -(10**20))),
        *(("terminated", value) for value in (1, "yes", None)),
        *(("launcher", value) for value in (7, {})),
        *(("attempts", value) for value in (None, {}, "x", [[]], [None], [{"startTime": "x"}], [{"tail": "a"}])),
        *(("attempts", [{key: value}]) for key, value in (("rank", "1"), ("counted", 1), ("host", 3), ("tail", [1]))),
        *(("attempts", [{key: value}]) for key, value in (("reason", "Cheated"), ("endTime", 3), ("exitCode", {}))),
    ],
)
def test_a_file_of_another_form_says_nothing(tmp_path: Path, key: str, value: Any) -> None:
    assert {} == said(tmp_path, **{key: value})


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"a":' * 100_000,
        json.dumps({**GOOD, "exitCode": float("nan")}),
        json.dumps({**GOOD, "worldSize": float("inf")}),
        json.dumps(GOOD).replace('"worldSize": 2', '"worldSize": ' + "9" * 5000),
        json.dumps(GOOD).replace('"worldSize": 2', '"worldSize": 1e999'),
        json.dumps(GOOD) + " " * exchange.LIMIT_BYTES,
        json.dumps(GOOD) + "\0",
    ],
)
def test_hostile_json_says_nothing(tmp_path: Path, text: str) -> None:
    assert {} == said(tmp_path, text)


def test_texts_are_cut_and_hold_nothing_that_a_terminal_or_utf_8_takes_amiss(tmp_path: Path) -> None:
    content = said(
        tmp_path,
        message="\ud800\n\x1b[2J" + "m" * 10_000,
        attempts=[{"tail": [*map(str, range(100)), "a\r\nb" + "y" * 10_000], "host": "h" * 1000}],
    )

    assert content["message"] == ("   [2J" + "m" * 10_000)[: exchange.MESSAGE_CHARACTERS]
    (attempt,) = content["attempts"]
    assert (len(attempt["tail"]), attempt["tail"][0], attempt["tail"][-1][:5]) == (exchange.TAIL_LINES, "81", "a  by")
    assert (len(attempt["tail"][-1]), len(attempt["host"])) == (exchange.LINE_CHARACTERS, exchange.NAME_CHARACTERS)


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))


PLANTED: dict[str, Callable[[Path], Any]] = {
    "link": lambda path: path.symlink_to(path.with_name("token")),
    "endless link": lambda path: path.symlink_to("/dev/zero"),
    "circle": lambda path: path.symlink_to(path),
    "fifo": os.mkfifo,
    "folder": os.mkdir,
    "socket": _socket,
    "huge": _sparse,
}


@pytest.mark.parametrize("plant", PLANTED.values(), ids=list(PLANTED))
def test_nothing_but_a_regular_file_of_a_sensible_size_is_read(tmp_path: Path, plant: Callable[[Path], Any]) -> None:
    """And nothing of it is waited for."""
    path = tmp_path / exchange.LAUNCHER
    path.with_name("token").write_text(json.dumps(GOOD))
    plant(path)

    assert (None, {}, {}, None) == (
        exchange.read_content(path),
        exchange.read(path),
        exchange.read_launcher(tmp_path),
        exchange.read_lines(path),
    )


@pytest.mark.parametrize("plant", PLANTED.values(), ids=list(PLANTED))
def test_what_is_planted_is_replaced_and_not_written_through(tmp_path: Path, plant: Callable[[Path], Any]) -> None:
    path = tmp_path / exchange.STATUS
    path.with_name("token").write_text("t")
    plant(path)

    exchange.write(path, {"lease": "held"})

    assert ({"version": 1, "lease": "held"}, "t") == (exchange.read(path), path.with_name("token").read_text())
    assert {path, path.with_name("token")} == set(tmp_path.iterdir())


def test_the_journal_of_a_long_run_stays_readable(tmp_path: Path) -> None:
    """Of many restarts the last lines of the latest are kept; all of them count."""
    account = journal.LauncherState(tmp_path / exchange.LAUNCHER)
    for _ in range(500):
        account.begin_attempt()
        account.end_attempt("TrainingFailed", {"exitCode": 1, "tail": ["\x01" * 200] * 20, "host": "h" * 60, "rank": 1})
    account.move("failed")

    attempts = exchange.read_launcher(tmp_path)["attempts"]
    assert (500, journal.TAILS) == (len(attempts), sum("tail" in attempt for attempt in attempts))


@pytest.mark.parametrize("part", ["attempts", "tail"])
def test_only_so_much_of_a_list_is_taken(tmp_path: Path, part: str) -> None:
    """A file of the greatest size has room for 250,000 attempts, and the sidecar reads it every half second."""
    attempts = [{}] * 250_000 if part == "attempts" else [{"tail": ["x"] * 200_000}]

    content = said(tmp_path, attempts=[*attempts, GOOD["attempts"][0]])

    assert content["attempts"][-1] == GOOD["attempts"][0]
    assert len(content["attempts"]) <= exchange.MOST_ATTEMPTS
    assert max(len(attempt.get("tail", [])) for attempt in content["attempts"]) <= exchange.TAIL_LINES


HOLD = """
import pathlib, sys
from shared import exchange
exchange.hold(pathlib.Path(sys.argv[1]))
print(flush=True)
input()
"""


def test_a_lock_lasts_as_long_as_its_process(tmp_path: Path) -> None:
    alive = tmp_path / exchange.ALIVE
    assert not exchange.is_free(alive)
    environment = {"PYTHONPATH": str(Path(exchange.__file__).parents[1])}
    command = [sys.executable, "-c", HOLD, str(alive)]
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == b"\n"
        assert not exchange.is_free(alive)
        holder.kill()
        holder.wait()
    assert exchange.is_free(alive)


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda path: path.symlink_to("/etc/passwd")])
def test_what_is_no_file_is_never_free_and_ends_nothing(tmp_path: Path, make: Callable[[Path], object]) -> None:
    make(tmp_path / exchange.ALIVE)
    exchange.hold(tmp_path / exchange.ALIVE)
    assert not exchange.is_free(tmp_path / exchange.ALIVE)
