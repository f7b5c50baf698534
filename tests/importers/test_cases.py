"""Whole sources of every origin: the values and the report of each, and what holds for all of them.

`python -m pytest tests/importers/test_cases.py --update` writes the expected files anew; read what changes.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from dsgen.importers import ImportedJob, ImportOptions, SourceText, import_jobs
from dsgen.importers.comparison import fill_holes
from dsgen.importers.origins import ORIGINS, recognise
from tests.importers.imports import problems, unaccounted, unexplained, unfounded
from tests.parity import RELEASE, batch_objects, flat_objects

CASES = Path(__file__).parent / "cases"
NAMES = sorted(path.name for path in CASES.iterdir())
WARNED = {"DS250", "DS291", "DS308", "DS307", "DS306", "DS361", "DS239", "DS229", "DS437"}
"""Warnings about what the source itself says: a tag that moves, labels beside a queue, ..."""


def source(name: str) -> SourceText:
    """The source of a case."""
    (path,) = [one for one in (CASES / name).iterdir() if one.name not in ("expected.yaml", "report.txt")]
    return SourceText(path.name, path.read_text(encoding="utf-8"))


@cache
def job(name: str) -> ImportedJob:
    """The converted job of a case."""
    (one,) = import_jobs([source(name)], ImportOptions())
    return one


def report(one: ImportedJob) -> str:
    """What became of every part of a source, one line each."""
    lines = [
        f"{entry.fate:7} {entry.position.line}:{entry.position.column} {entry.source} -> {entry.to or entry.why}"
        for entry in one.entries
    ]
    return "\n".join([*lines, *(f"hole    {hole.key}: {hole.why}" for hole in one.holes)]) + "\n"


@pytest.mark.parametrize("name", NAMES)
def test_values_and_report(name: str, request: pytest.FixtureRequest) -> None:
    expected = {"expected.yaml": job(name).text, "report.txt": report(job(name))}
    for file, text in expected.items():
        path = CASES / name / file
        if request.config.getoption("--update"):
            path.write_text(text, encoding="utf-8")
        assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("name", NAMES)
def test_all_of_a_source_is_in_a_report_that_is_true_and_the_values_are_valid(name: str) -> None:
    assert [] == unaccounted(source(name).text, [job(name)], source(name).name)
    assert [] == unfounded(job(name))
    assert [] == [f"{one.id} {one.message}" for one in problems(job(name)) if one.id not in WARNED]
    assert [] == unexplained(job(name))


@pytest.mark.parametrize("major", [4, 3])
def test_flat_manifests_equal_the_chart(major: int, tmp_path: Path) -> None:
    texts = [
        json.dumps({**fill_holes(job(name)), "name": RELEASE.name, "namespace": RELEASE.namespace}) for name in NAMES
    ]

    assert [flat_objects(text) for text in texts] == batch_objects(major, tmp_path, texts)


def test_every_origin_has_a_case() -> None:
    found = {one.origin for name in NAMES for one in recognise(source(name))[0]}

    assert found == set(ORIGINS)


def test_no_secret_of_a_source_is_copied() -> None:
    for name in NAMES:
        for secret in ("0123456789abcdef0123456789abcdef01234567", "abcdef0123", "c2VjcmV0LWtleQ"):
            assert secret not in job(name).text
            assert secret not in report(job(name))
