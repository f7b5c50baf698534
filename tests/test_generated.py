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


WARNING = "a.yaml:3:1: warning: the image has no fixed version [DS250]"
OLD = f"```console\n$ dsgen validate a.yaml\n{WARNING}\na.yaml: ok\n```\n"


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        (OLD, []),
        (OLD.replace("a.yaml:3:1", "b.yaml:7:9"), []),
        (OLD.replace("a.yaml: ok", "a.yaml:1:1: error: no image [DS201]"), []),
        (
            OLD.replace("the image", "the other image"),
            ["a.yaml:3:1: warning: the other image has no fixed version [DS250]"],
        ),
        (OLD.replace("a.yaml: ok", "dsgen: warning: x"), ["dsgen: warning: x"]),
        (2 * OLD.replace("a.yaml: ok", "dsgen: warning: x"), ["dsgen: warning: x"]),
    ],
)
def test_a_page_with_a_new_warning_is_found(new: str, expected: list[str]) -> None:
    assert expected == generate.new_warnings(OLD, new)


def test_such_a_page_is_not_written_until_it_is_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With nothing else to generate, in a folder of its own."""
    page, new = tmp_path / "page.md", OLD.replace("the image", "another image")
    page.write_text(OLD)
    for name in ("ROOT", "PYTHON"):
        monkeypatch.setattr(generate, name, tmp_path / "none" if name != "ROOT" else tmp_path)
    for name in ("compile_both", "texts"):
        monkeypatch.setattr(generate, name, dict)
    monkeypatch.setattr(generate, "files", list)
    monkeypatch.setattr(generate, "pages", lambda: {"page.md": new})
    monkeypatch.setattr("sys.argv", ["generate"])

    with pytest.raises(SystemExit, match=r"page[.]md would show a new warning: a[.]yaml:3:1: warning: another"):
        generate.main()
    assert OLD == page.read_text()

    monkeypatch.setattr("sys.argv", ["generate", generate.ACCEPT])
    generate.main()
    assert (new, "changed: page.md\n") == (page.read_text(), capsys.readouterr().out)
