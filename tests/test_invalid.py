"""Invalid values files with the complete output: tests/cases/invalid/X.yaml and X.out."""

from pathlib import Path

import pytest

from dsgen import values
from dsgen.problems import has_errors
from dsgen.problems.framing import as_text
from dsgen.reading.nodes import SourceText
from dsgen.values import Release

CASES = sorted((Path(__file__).parent / "cases" / "invalid").glob("*.yaml"))


def findings(path: Path) -> str:
    """What `dsgen validate` would print about the file."""
    source = SourceText.from_bytes(path.name, path.read_bytes())
    loaded = values.load([source])
    problems = loaded.diagnostics
    if loaded.values:
        names = Release(loaded.data["name"], loaded.data["namespace"])
        problems = [*problems, *values.check(loaded, names)]
    assert has_errors(problems)
    return as_text(problems, loaded.sources)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_all_problems_are_told_at_once(path: Path, update: bool) -> None:
    expected = path.with_suffix(".out")
    if update:
        expected.write_text(findings(path), encoding="utf-8")

    assert expected.read_text(encoding="utf-8") == findings(path)


def test_every_case_has_its_output_and_nothing_else_is_there() -> None:
    files = {path.name for path in CASES[0].parent.iterdir()}

    assert {f"{path.stem}{end}" for path in CASES for end in (".yaml", ".out")} == files
