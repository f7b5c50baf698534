"""Tests that are skipped because a tool is missing are counted at the end, with the tool to install."""

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
