"""Every example and every file of tests/cases/valid gives the manifests in the folder of the same name.

`pytest tests/test_golden.py --update` writes them again. A change of them is a change of the next render of users.
"""

import textwrap
from pathlib import Path

import pytest

from dsgen import values
from dsgen.language.files import SHIPPED, digest
from dsgen.render import render
from dsgen.values import Release, SourceText

ROOT = Path(__file__).parent.parent
CASES = ROOT / "tests" / "cases" / "valid"
FILES = {path.stem: path for path in sorted([*(ROOT / "values-examples").glob("*.yaml"), *CASES.glob("*.yaml")])}


def manifests(file: Path) -> str:
    """What `dsgen render` prints for a file, without text and digest of the scripts, which have tests of their own."""
    loaded = values.load([SourceText(file.name, file.read_text())])
    assert loaded.values, loaded.diagnostics
    data = loaded.values.data
    release = Release(data["name"] or "release", data["namespace"] or "space")
    assert [] == [problem for problem in values.check(loaded, release) if problem.severity == "error"]
    printed = "---\n".join(document.text for document in render(data, release))
    for path, text in SHIPPED.texts.items():
        name = path.removeprefix("scripts/")
        block = f"  {name}: |\n" + textwrap.indent(text, "    ")
        assert 1 == printed.count(block), name
        printed = printed.replace(block, "")
    return printed.replace(f"-scripts-{digest(SHIPPED.texts, '*')}", "-scripts-DIGEST")


@pytest.mark.parametrize("name", FILES)
def test_manifests(name: str, update: bool) -> None:
    kept = CASES / name / "manifests.yaml"
    printed = manifests(FILES[name])
    if update:
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(printed)

    assert kept.read_text() == printed


def test_every_folder_has_its_file() -> None:
    assert {path.name for path in CASES.iterdir() if path.is_dir()} == set(FILES)
