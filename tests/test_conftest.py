"""Options and output of the test runs of this repository."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
TESTS = """
import pytest

@pytest.mark.parametrize("number", range(3))
@pytest.mark.needs("sshd", "ssh")
def test_login(number: int) -> None:
    raise AssertionError

def test_root() -> None:
    pytest.skip("only root can run them")
"""


def run(folder: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    """A run of TESTS on a machine with git alone."""
    (folder / "bin").mkdir()
    (folder / "bin/git").symlink_to(shutil.which("git"))
    (folder / "test_skips.py").write_text(TESTS)
    (folder / "none.ini").write_text("[pytest]\nmarkers = needs(programs)\n")
    code = (
        "import pytest; from tests import programs; programs.SBIN = ''; "
        f"raise SystemExit(pytest.main(['-c', '{folder}/none.ini', '-p', 'tests.conftest', '{folder}']))"
    )
    kept = {name: value for name, value in os.environ.items() if name != "CI"}
    command = [sys.executable, "-c", code]
    environment = {**kept, "PATH": str(folder / "bin"), **environment}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_in_ci_no_program_is_missing(tmp_path: Path) -> None:
    done = run(tmp_path, CI="true")

    assert (4, True) == (done.returncode, "apt-get install " in done.stderr)
