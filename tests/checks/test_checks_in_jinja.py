"""The generated functions of the rows report the same problems as Jinja2, also if some values are unknown."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from dsgen import checks, values
from dsgen.checks import Watch, evaluate_rows
from dsgen.checks.row import Check
from dsgen.reading.nodes import SourceText
from tests import jinja_checks
from tests.base import RIGHT, WRONG, job
from tests.fuzz import broken
from tests.parity import RELEASE

ROOT = Path(__file__).parent.parent.parent
FILES = [path for folder in ("values-examples", "tests/cases") for path in sorted((ROOT / folder).rglob("*.yaml"))]
SPOILT = 150


class Both:
    """Both ways in one, which counts the problems of each row and keeps what only one of them found."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.different: list[Any] = []

    def evaluate_rows(
        self, rows: Sequence[Check], tree: Mapping[str, Any], release: Mapping[str, str], watch: Watch
    ) -> Iterator[tuple[Check, Any, str]]:
        generated = list(evaluate_rows(rows, tree, release, watch))
        other = list(jinja_checks.evaluate_rows(rows, tree, release, watch))
        self.counts.update(row.id for row, _, _ in generated)
        self.different += [one for one in generated if one not in other] + [
            one for one in other if one not in generated
        ]
        return iter(generated)


@pytest.fixture
def both(monkeypatch: pytest.MonkeyPatch) -> Both:
    made = Both()
    monkeypatch.setattr(checks, "evaluate_rows", made.evaluate_rows)
    return made


def look(text: str) -> None:
    """Runs the checks, also of values with errors."""
    loaded = values.load([SourceText("v.yaml", text)])
    if loaded.values:
        values.check(loaded, RELEASE)


def test_every_case(both: Both) -> None:
    for _, case in (*WRONG, *RIGHT):
        values.check(job(case), RELEASE)
    values.check(job({"name": ""}), values.Release("A", "x"))

    assert [] == both.different
    assert {row.id for row in checks.CHECKS} <= both.counts.keys()


def test_every_file(both: Both) -> None:
    for file in FILES:
        look(SourceText.from_bytes(file.name, file.read_bytes()).text)

    assert [] == both.different
    assert len(both.counts) > 50


def test_spoilt_files(both: Both) -> None:
    for case in broken.cases(SPOILT, 3):
        look(case.text)

    assert [] == both.different
    assert both.counts


def test_a_difference_is_noticed(both: Both, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dsgen.generated.checks.ROWS", (lambda *_: iter(()),) * len(checks.CHECKS))
    look("image: {}\n")

    assert "DS201" in {row.id for row, _, _ in both.different}
