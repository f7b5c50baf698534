"""A mistake in a JSON file from which modules are written is reported with its place."""

from pathlib import Path

import pytest

from dsgen.compiler import CompileError, python
from dsgen.schema import SCHEMA_FILE


@pytest.fixture
def changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of values.json, which the compiler reads in its place."""
    path = tmp_path / "dsgen" / "schema" / "values.json"
    path.parent.mkdir(parents=True)
    path.write_text(Path(SCHEMA_FILE).read_text())
    monkeypatch.setattr(python, "SCHEMA_FILE", str(path))
    return path


def message() -> str:
    with pytest.raises(CompileError) as error:
        python.make_schema_files()
    return str(error.value)


def test_json_that_cannot_be_read(changed: Path) -> None:
    changed.write_text('{\n  "type": object\n}\n')

    assert "dsgen/schema/values.json:2:11: Expecting value" == message()


def test_a_keyword_that_dsgen_does_not_know(changed: Path) -> None:
    lines = changed.read_text().split("\n")
    changed.write_text("\n".join([lines[0], '  "minContains": 1,', *lines[1:]]))

    words = "dsgen/schema/violations.py does not know the keyword 'minContains'"
    assert f"dsgen/schema/values.json:2: {words}" == message()


def test_a_keyword_of_several_keys(changed: Path) -> None:
    """The line is not known."""
    text = changed.read_text()
    changed.write_text(text.replace('"default": ', '"minContains": 1, "default": ', 2))

    assert message().startswith("dsgen/schema/values.json: dsgen/schema/violations.py does not know the keyword")
