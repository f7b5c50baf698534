"""Committed files are equal to the output of `make generate`."""

from pathlib import Path

import pytest

from tools import generate

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    """Every generated file as it should be; pages are for test_docs.py."""
    return generate.texts()


def test_generated_files_are_up_to_date(texts: dict[str, str]) -> None:
    committed = {name: (ROOT / name).read_text() for name in texts if (ROOT / name).exists()}

    assert [] == [name for name in texts if texts[name] != committed.get(name)]


def test_there_are_no_other_files(texts: dict[str, str]) -> None:
    assert [] == generate.stale(texts, generate.files())
