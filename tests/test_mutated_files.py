"""Mutated values files cause problems, never a traceback, and no wrong value reaches the manifests."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dsgen import values
from dsgen.errors import DsgenError
from dsgen.problems import has_errors
from dsgen.problems.framing import as_text
from dsgen.reading.nodes import SourceText
from dsgen.reading.set_values import Override
from dsgen.render import render
from dsgen.values import Release
from tests.fuzz.reading import SCALARS

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
CASES = [
    *sorted((ROOT / "tests" / "cases" / "invalid").glob("*.yaml")),
    *sorted((ROOT / "values-examples").glob("*.yaml")),
]
TEXTS = [path.read_text(encoding="utf-8", errors="surrogateescape") for path in CASES]
PIECES = (
    *SCALARS,
    *("- ", "? ", ": ", "\udcff", "\n", "  ", "<< x >>", "{{", "create: {}", "mountPath: /job", "name: ", "workers:"),
    *("storage: ", "training: {env: {A: "),
)
pieces = st.sampled_from(PIECES) | st.text(max_size=3)
edits = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 6), pieces), min_size=1, max_size=4)


def mutated(text: str, changes: list[tuple[float, int, str]]) -> str:
    """The text with pieces put over it at relative places."""
    for place, length, piece in changes:
        start = int(place * len(text))
        text = text[:start] + piece + text[start + length :]
    return text


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(TEXTS), edits)
def test_a_mutated_file_gets_an_answer(text: str, changes: list[tuple[float, int, str]]) -> None:
    source = SourceText("v.yaml", mutated(text, changes))
    loaded = values.load([source])
    problems = loaded.diagnostics
    if loaded.values:
        problems = [*problems, *values.check(loaded, Release("cifar", "training"))]

    assert bool(loaded.values) != has_errors(loaded.diagnostics)
    assert as_text(problems, loaded.sources).replace("\n", "").isprintable()
    assert all(one.position for one in problems)
    if loaded.values and not has_errors(problems):
        assert render(loaded.data, Release("cifar", "training"))


@settings(max_examples=100)
@given(
    st.sampled_from(["--set", "--set-string", "--set-json"]),
    st.text(alphabet="ab.[]{}=,\\0123 \"':nule-é", max_size=12),
)
def test_any_override_gets_an_answer(flag: str, text: str) -> None:
    try:
        loaded = values.load([SourceText("v.yaml", "name: a\n")], [Override(flag, text)])
    except DsgenError as error:
        loaded, said = None, str(error)

    assert said.startswith(flag) if loaded is None else bool(loaded.values) != has_errors(loaded.diagnostics)


@pytest.mark.parametrize("text", TEXTS)
def test_a_file_cut_anywhere_gets_an_answer(text: str) -> None:
    for end in range(0, len(text), 17):
        assert values.load([SourceText("v.yaml", text[:end])]) is not None
