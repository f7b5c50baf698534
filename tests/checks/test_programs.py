"""The frameworks that tests/e2e/test_programs.py trains: nothing is said of a job that trains."""

from pathlib import Path

import pytest
import yaml

from tests.cli.conftest import Cli
from tests.e2e.programs import FRAMEWORKS, OWN, values_of


@pytest.mark.parametrize("is_second", [False, True])
@pytest.mark.parametrize("row", [*OWN, *FRAMEWORKS, "torchtitan"])
def test_a_job_that_trains_has_no_problems(row: str, is_second: bool, cli: Cli, tmp_path: Path) -> None:
    values = {"name": row, "namespace": "x", **values_of(row, "a/b:1", is_second=is_second)}
    (tmp_path / "a.yaml").write_text(yaml.safe_dump(values))

    code, _, said = cli("validate", "--strict", str(tmp_path / "a.yaml"))

    assert (0, "") == (code, said)
