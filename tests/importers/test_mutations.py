"""Spoilt sources are refused with a reason, or converted without a lost scalar, a secret or values that are refused."""

from __future__ import annotations

from tests.importers.mutations import mutants, verdict

COUNT = 200
"""`make fuzz` takes more."""


def test_spoilt_sources() -> None:
    verdicts = [(source, *verdict(source)) for source in mutants(COUNT, seed=0)]

    assert [] == [f"{problems}\n{source.text}" for source, _, problems in verdicts if problems]
    assert COUNT / 4 < sum(what == "converted" for _, what, _ in verdicts) < COUNT
