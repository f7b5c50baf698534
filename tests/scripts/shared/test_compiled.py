"""shared/compiled.py: what is compiled once is not compiled again, and nothing is taken from another user."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

LOAD = """
import sys
sys.path.append({scripts!r})
from shared import compiled
compiled.use()
from shared import hostfile
import bisect
print(hostfile.__cached__, bisect.__cached__, sys.pycache_prefix)
"""


def load(pod: Any) -> str:
    program = LOAD.format(scripts=str(pod.scripts))
    done = subprocess.run(
        ["python3", "-ESs", "-c", program], env=pod.environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_modules_of_dsgen_are_compiled_once(pod: Any) -> None:
    """Those of Python stay where they are compiled already."""
    load(pod)
    folder = pod.run / "compiled"
    (made,) = folder.rglob("hostfile.*.pyc")
    before = made.stat().st_mtime_ns

    said = load(pod)

    assert before == made.stat().st_mtime_ns
    assert said.endswith(" None\n")
    assert [] == list(folder.rglob("bisect.*"))


@pytest.mark.parametrize("harm", ["writable", "link"])
def test_a_folder_that_others_could_have_written_is_not_used(pod: Any, tmp_path: Path, harm: str) -> None:
    folder = pod.run / "compiled"
    if harm == "link":
        (tmp_path / "elsewhere").mkdir(mode=0o777)
        folder.symlink_to(tmp_path / "elsewhere")
    else:
        folder.mkdir()
        folder.chmod(0o777)

    load(pod)

    assert [] == list(folder.rglob("*.pyc"))
