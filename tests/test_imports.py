"""What a run does not import: libraries that only the compiler and the tests need."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

GOOD = Path(__file__).parent.parent / "values-examples" / "minimal.yaml"
BAD = Path(__file__).parent / "cases" / "invalid" / "several-at-once.yaml"


COMPILER = {"jinja2", "markupsafe", "dsgen.compiler"}
FOR_OTHERS = {"jsonschema", "referencing", "kubernetes", "ruamel.yaml", "yamllint", "importlib.metadata"}
"""What is slow to import, and only files with errors or other commands need."""


def imported(*arguments: str | Path) -> tuple[int, set[str]]:
    """The status of a run, and the names of all modules that it imports."""
    command = [sys.executable, "-X", "importtime", "-m", "dsgen", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, set(re.findall(r"^import time:.*\| +(\S+)$", done.stderr, re.MULTILINE))


@pytest.mark.parametrize("command", ["render", "validate"])
@pytest.mark.parametrize(("file", "status", "unwanted"), [(GOOD, 0, COMPILER | FOR_OTHERS), (BAD, 1, COMPILER)])
def test_what_is_not_needed_is_not_imported(command: str, file: Path, status: int, unwanted: set[str]) -> None:
    found, modules = imported(command, file)

    assert (status, True) == (found, "dsgen.generated.checks" in modules)
    assert set() == unwanted & modules


def test_an_invalid_file_imports_jsonschema() -> None:
    """Otherwise the test above would look for a name that no run has."""
    assert "jsonschema" in imported("validate", BAD)[1]
