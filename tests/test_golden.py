"""Every example and every file of tests/cases/valid gives the manifests in the folder of the same name.

The manifests of `minimal` are kept whole, of the others the difference from these, so that a change of all manifests is
a small change here. `pytest tests/test_golden.py --update` writes them again. A change of them is a change of the next
render of users.
"""

import difflib
import re
import textwrap
from pathlib import Path, PurePosixPath

import pytest

from dsgen import values
from dsgen.language.files import SHIPPED, digest
from dsgen.render import render
from dsgen.values import Release, SourceText

ROOT = Path(__file__).parent.parent
CASES = ROOT / "tests" / "cases" / "valid"
PATHS = sorted([*(ROOT / "values-examples").glob("*.yaml"), *CASES.glob("*.yaml")])
FILES = {path.stem: path for path in PATHS}


def manifests(file: Path) -> str:
    """What `dsgen render` prints for a file, without text and digest of the scripts, which have tests of their own."""
    loaded = values.load([SourceText(file.name, file.read_text())])
    assert loaded.values, loaded.diagnostics
    data = loaded.values.data
    release = Release(data["name"] or "release", data["namespace"] or "space")
    assert [] == [problem for problem in values.check(loaded, release) if problem.severity == "error"]
    printed = "---\n".join(document.text for document in render(data, release))
    for path, text in SHIPPED.texts.items():
        block = f"  {PurePosixPath(path).name}: |\n" + textwrap.indent(text, "    ")
        assert 1 == printed.count(block), path
        printed = printed.replace(block, "")
    return printed.replace(digest(SHIPPED.texts, "**"), "DIGEST")


WHOLE = "minimal"
"""The file whose manifests are kept whole."""
HUNK = re.compile(r"^@@ -(\d+).*$", re.MULTILINE)


def neutral(text: str) -> str:
    """Manifests with a placeholder for the name of the job."""
    name = re.escape(re.findall(r'^ +dsgen\.dev/job: "([a-z0-9-]+)"$', text, re.MULTILINE)[0])
    return re.sub(rf"(?<![\w-]){name}(?![A-Za-z0-9])", "JOB", text)


def difference(name: str) -> str:
    """The lines in which the manifests of a file differ from those that are kept whole."""
    old, new = neutral((CASES / WHOLE / "manifests.yaml").read_text()), neutral(manifests(FILES[name]))
    objects = titles(old)
    numbered = "".join(difflib.unified_diff(old.splitlines(True), new.splitlines(True), WHOLE, name, n=1))
    return HUNK.sub(lambda hunk: f"@@ {objects[max(int(hunk[1]), 1) - 1]} @@", numbered)


def titles(text: str) -> list[str]:
    """For each line of manifests its object, which, unlike its number, stays when lines above are added."""
    found = list[str]()
    for document in text.split("---\n"):
        kind, name = (re.search(rf"^{key}: (.*)$", document, re.MULTILINE) for key in ("kind", "  name"))
        assert kind
        assert name
        found += [f"{kind[1]} {name[1]}"] * (document.count("\n") + 1)
    return found


@pytest.mark.parametrize("name", sorted(FILES, key=lambda name: (name != WHOLE, name)))
def test_manifests(name: str, update: bool) -> None:
    kept = CASES / name / ("manifests.yaml" if name == WHOLE else "manifests.diff")
    content = manifests(FILES[name]) if name == WHOLE else difference(name)
    if update:
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(content)

    assert kept.read_text() == content


def test_a_change_of_any_manifest_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = (CASES / "amd" / "manifests.diff").read_text()
    text = manifests(FILES["amd"])
    monkeypatch.setitem(globals(), "manifests", lambda _: text.replace("amd.com/gpu", "amd.com/gpus", 1))

    assert kept != difference("amd")


def test_no_case_has_the_name_of_an_example() -> None:
    """It would take its place."""
    assert len(PATHS) == len(FILES)


def test_every_folder_has_its_file() -> None:
    assert {path.name for path in CASES.iterdir() if path.is_dir()} == set(FILES)
