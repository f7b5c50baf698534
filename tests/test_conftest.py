"""Options and output of the test runs of this repository."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
TESTS = """
import pytest

@pytest.mark.parametrize("number", range(3))
def test_login(number: int) -> None:
    pytest.skip("sshd missing: install openssh-server")

def test_root() -> None:
    pytest.skip("only root can run them")
"""


def test_each_reason_is_one_line_with_a_count(tmp_path: Path) -> None:
    (tmp_path / "test_skips.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "--quiet", "-c", tmp_path / "none.ini", "-p", "tests.conftest", tmp_path]
    (tmp_path / "none.ini").write_text("[pytest]\n")

    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()

    assert "3 tests skipped: sshd missing: install openssh-server" in printed
    assert "1 test skipped: only root can run them" in printed


def test_golden_files_are_not_written_by_several_processes() -> None:
    command = [sys.executable, "-m", "pytest", "tests/test_golden.py", "--update", "--numprocesses", "2"]

    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert (4, "ERROR: --update writes files that other tests read: leave out -n") == (
        done.returncode,
        done.stderr.strip(),
    )
