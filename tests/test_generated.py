"""Committed files are equal to the output of `make generate`."""

from pathlib import Path

import pytest

from dsgen.compiler import CompileError, programs
from dsgen.compiler.frontend import Unit
from tools import generate

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    """Every generated file as it should be; pages are for test_docs.py."""
    try:
        return generate.texts()
    except CompileError as error:
        pytest.fail(generate.located(str(error)), pytrace=False)


def test_generated_files_are_up_to_date(texts: dict[str, str]) -> None:
    committed = {name: (ROOT / name).read_text() for name in texts if (ROOT / name).exists()}

    assert [] == [name for name in texts if texts[name] != committed.get(name)]


def test_there_are_no_other_files(texts: dict[str, str]) -> None:
    assert [] == generate.stale(texts, generate.files())


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("<< values.name | upper >>", "unknown filter 'upper'; there are "),
        ("<< values.nope >>", "no key 'nope' here; there are name"),
        ("<< values. >>", "expected name or number"),
        ("a: <% if values.name %>", "a tag must be alone on its line"),
    ],
)
def test_a_mistake_in_a_template_is_one_line_with_its_place(
    line: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    units = programs.read_template_units()
    name = "workers/job.yaml"
    text = units[name].text.split("\n")
    wrong = Unit(name, "\n".join([*text[:19], line, *text[19:]]))
    monkeypatch.setattr(programs, "read_template_units", lambda: {**units, name: wrong})
    programs.make_program.cache_clear()

    with pytest.raises(SystemExit) as raised:
        generate.main()
    assert str(raised.value).startswith(f"dsgen/templates/workers/job.yaml:20: {message}")
