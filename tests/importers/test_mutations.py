"""Spoilt sources are refused with a reason, or converted without a lost scalar, a secret or values that are refused."""

from __future__ import annotations

import pytest

from tests.importers.mutations import mutants, verdict


@pytest.mark.parametrize("count", [60, pytest.param(200, marks=pytest.mark.slow)])  # `make fuzz` takes more
def test_spoilt_sources(count: int) -> None:
    verdicts = [(source, *verdict(source)) for source in mutants(count, seed=0)]

    assert [] == [f"{problems}\n{source.text}" for source, _, problems in verdicts if problems]
    assert count / 4 < sum(what == "converted" for _, what, _ in verdicts) < count
