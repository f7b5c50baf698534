"""dsgen's own log lines, and the termination message of a container."""

from pathlib import Path

import pytest

from shared import log as shared_log
from shared.log import Tail

SAID = "rank 1: no data at https://user:s3cret@data.invalid/x?token=s3cret"
SHOWN = "rank 1: no data at https://***@data.invalid/x?***"


def test_a_line_of_the_log_shows_no_password(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """A program's last words are in messages of the launcher, the worker and the sidecar."""
    shared_log.log(SAID)

    assert f"[dsgen] {SHOWN}\n".encode() == capfdbinary.readouterr().out


def test_the_termination_message_shows_no_password(tmp_path: Path) -> None:
    """It is in the status of the pod, which more people may read than logs."""
    shared_log.write_last_words(tmp_path / "termination-log", SAID + " \udcff" + "x" * 9000)

    text = (tmp_path / "termination-log").read_text()
    assert text.startswith(SHOWN)
    assert 4000 == len(text)


def test_a_container_without_a_termination_log_ends_as_it_would(tmp_path: Path) -> None:
    shared_log.write_last_words(tmp_path / "none/termination-log", SAID)

    assert [] == list(tmp_path.iterdir())


def test_a_tail_begins_with_the_report_of_a_lost_connection() -> None:
    """torchrun and accelerate print a long summary after it."""
    tail = Tail()
    for line in ("ConnectionError: Connection closed by peer", *map(str, range(500))):
        tail.add(f"{line}\n".encode())

    assert ["ConnectionError: Connection closed by peer", *map(str, range(481, 500))] == tail.list_lines()
