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
from dsgen.language.functions import SHIPPED, compute_digest
from dsgen.render import render
from dsgen.values import Release, SourceText

ROOT = Path(__file__).parent.parent
CASES = ROOT / "tests" / "cases" / "valid"
PATHS = sorted([*(ROOT / "values-examples").glob("*.yaml"), *CASES.glob("*.yaml")])
FILES = {path.stem: path for path in PATHS}


def is_needed(script: str, method: str) -> bool:
    """Whether a job with this launch method has a script."""
    with_ssh = method in ("launcher-command", "openmpi", "pdsh")
    needed = {"local": not with_ssh, "slurm": method == "slurm-script", "ssh": with_ssh}
    return needed.get(PurePosixPath(script).parent.name, True)


def manifests(file: Path) -> str:
    """What `dsgen render` prints for a file, without text and digest of the scripts, which have tests of their own."""
    loaded = values.load([SourceText(file.name, file.read_text())])
    data = loaded.data
    release = Release(data["name"] or "release", data["namespace"] or "space")
    assert [] == [problem for problem in values.check(loaded, release) if problem.severity == "error"]
    printed = "---\n".join(document.text for document in render(data, release))
    for path, text in SHIPPED.texts.items():
        block = f"  {PurePosixPath(path).name}: |\n" + textwrap.indent(text, "    ")
        assert is_needed(path, data["launch"]["method"]) == printed.count(block), path
        printed = printed.replace(block, "")
    return printed.replace(compute_digest(SHIPPED.texts, "**"), "DIGEST")


WHOLE = "minimal"
"""The file whose manifests are kept whole."""


def neutral(text: str) -> str:
    """Manifests with a placeholder for the name of the job."""
    name = re.escape(re.findall(r'^ +dsgen\.dev/job: "([a-z0-9-]+)"$', text, re.MULTILINE)[0])
    return re.sub(rf"(?<![\w-]){name}(?![A-Za-z0-9])", "JOB", text)


def difference(name: str) -> str:
    """The lines in which the manifests of a file differ from those that are kept whole, by object.

    The lines of an object that only these have are not shown, as in the output of `diff -r`. The order of objects is
    not shown either.
    """
    old, new = objects((CASES / WHOLE / "manifests.yaml").read_text()), objects(manifests(FILES[name]))
    changes = [changed_lines(title, old.get(title, ""), text) for title, text in new.items()]
    return "".join([*(f"Only in {WHOLE}: {title}\n" for title in old if title not in new), *changes])


def changed_lines(title: str, old: str, new: str) -> str:
    """The difference of an object, below the keys in which the lines are.

    Numbers of lines, and lines around them, would change whenever something is added there to all manifests. Only the
    place of a line among those of the same key is not seen.
    """
    before, after = old.splitlines(True), new.splitlines(True)
    shown = list[str]()
    for what, start, end, first, last in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if what != "equal":
            lines = [*(f"-{line}" for line in before[start:end]), *(f"+{line}" for line in after[first:last])]
            shown += [f"@@ {title} {around(after[: first + 1] if first < last else before[: start + 1])}@@\n", *lines]
    return "".join(shown)


def around(lines: list[str]) -> str:
    """The keys around the last of these lines, the outermost first."""
    keys, width = list[str](), indent(lines[-1])
    for line in reversed(lines):
        if indent(line) < width:
            keys, width = [line.strip(), *keys], indent(line)
    return "".join(f"{key} " for key in keys)


def indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def objects(text: str) -> dict[str, str]:
    """Kind and name -> text of each object."""
    found = dict[str, str]()
    for document in neutral(text).split("---\n"):
        kind, name = (re.search(rf"^{key}: (.*)$", document, re.MULTILINE) for key in ("kind", "  name"))
        assert kind
        assert name
        title = f"{kind[1]} {name[1]}"
        assert title not in found
        found[title] = document
    return found


@pytest.mark.parametrize("name", sorted(FILES, key=lambda name: (name != WHOLE, name)))
def test_manifests(name: str, update: bool) -> None:
    kept = CASES / name / ("manifests.yaml" if name == WHOLE else "manifests.diff")
    content = manifests(FILES[name]) if name == WHOLE else difference(name)
    if update:
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(content)

    assert kept.read_text() == content


def test_no_case_has_the_name_of_an_example() -> None:
    """It would take its place."""
    assert len(PATHS) == len(FILES)


def test_every_folder_has_its_file() -> None:
    assert {path.name for path in CASES.iterdir() if path.is_dir()} == set(FILES)
