"""Which workers answer, and in which order they train."""

import os
import time
from pathlib import Path

import pytest

from launcher import main, wait, workers
from shared import hostfile
from tests.scripts.conftest import program


def test_what_workers_print_is_kept_up_to_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a command runs on all workers; pdsh passes on what comes."""
    monkeypatch.setattr(workers, "HEARD_BYTES", 1 << 20)
    program(tmp_path / "bin/pdsh", "timeout 3 yes >&2")
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")

    said = workers.Workers(["w-0"])._log_in(["w-0"], 20, lambda: None)

    assert 1 << 20 == len(said)


def test_what_the_wait_raises_ends_it() -> None:
    """SIGTERM, say."""

    def raises() -> bool:
        raise main.RunEndedError("terminated")

    with pytest.raises(main.RunEndedError):
        workers.Workers(["a", "b"]).control.find_missing(["a", "b"], raises)


def test_the_hostfile_gives_the_workers_in_rank_order(tmp_path: Path) -> None:
    (tmp_path / "hostfile").write_text("w-1.s slots=2\nw-0.s slots=2\n")

    assert hostfile.read_hosts(tmp_path / "hostfile") == ["w-1.s", "w-0.s"]
    with pytest.raises(FileNotFoundError):
        hostfile.read_hosts(tmp_path / "absent")


def test_a_clock_stands_still_while_it_does_not_run() -> None:
    clock = wait.Clock(10)
    time.sleep(0.05)
    clock.tick(False)
    assert clock.left == 10
    time.sleep(0.05)
    assert 9.5 < clock.tick(True) < 9.96
