"""Some rows of the table of faults (docs/faults.md); `make faults` runs all of them."""

from pathlib import Path

import pytest

from tests.faults.run import run
from tests.faults.table import CASES


@pytest.mark.by_turns("name")
@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.method in case.row.in_ci])
def test_a_fault_ends_as_the_table_says(name: str, image: str, tmp_path: Path) -> None:
    """The record and the exit code are right, nothing is left, and no secret was shown."""
    assert [] == run(CASES[name], tmp_path, image).problems
