"""What a run does not import: libraries that only the compiler and the tests need."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

GOOD = Path(__file__).parent.parent / "values-examples" / "minimal.yaml"
BAD = Path(__file__).parent / "cases" / "invalid" / "several-at-once.yaml"


@pytest.mark.parametrize("command", ["render", "validate"])
@pytest.mark.parametrize(("file", "status"), [(GOOD, 0), (BAD, 1)])
def test_jinja_is_not_imported(command: str, file: Path, status: int) -> None:
    arguments = [sys.executable, "-X", "importtime", "-m", "dsgen", command, file]
    done = subprocess.run(arguments, capture_output=True, text=True)
    imported = set(re.findall(r"^import time:.*\| +(\S+)$", done.stderr, re.MULTILINE))

    assert (status, True) == (done.returncode, "dsgen.generated.checks" in imported)
    assert {"jinja2", "markupsafe", "dsgen.compiler"}.isdisjoint(imported)
