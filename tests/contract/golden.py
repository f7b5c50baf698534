"""What dsgen makes of values.yaml, and what each minor version makes of it.

`make contract` writes the latter for the version of the source, as often as needed until that minor version is
released. After that it is never changed.
"""

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

from dsgen import __version__, values
from dsgen.compiler import make_chart_files
from dsgen.problems import has_errors
from dsgen.reading.nodes import SourceText
from dsgen.render import Document, render
from dsgen.values import Release, Values

HERE = Path(__file__).parent
VALUES = HERE / "values.yaml"
CHANGELOG = HERE.parent.parent / "CHANGELOG.md"
RELEASE = Release("contract", "contract-space")
"""Names in the golden manifests; the tests on a cluster put that of a real namespace in place of the second."""
MINOR = ".".join(__version__.split(".")[:2])
GOLDEN = HERE / MINOR


class ReleasedError(Exception):
    """The output of a released version was to be written again."""


def loaded() -> Values:
    """The values, which have no errors."""
    job = values.load([SourceText(VALUES.name, VALUES.read_text(encoding="utf-8"))])
    assert job.values, job.diagnostics
    assert not has_errors(values.check(job, RELEASE))
    return job.values


def documents() -> list[Document]:
    """The manifests that dsgen makes now."""
    return render(loaded().data, RELEASE)


def present() -> dict[str, str]:
    """What dsgen makes now, by its file in a golden folder: the objects of the job, and those of the run."""
    made = documents()
    return {
        f"{scope}.yaml": "---\n".join(document.text for document in made if document.scope == scope)
        for scope in ("name", "run")
    }


def chart() -> dict[str, str]:
    """The chart that dsgen makes now, with these values as its defaults: texts by their path in it."""
    return make_chart_files(loaded().data, "contract")


def is_released(minor: str, changelog: str) -> bool:
    """Whether the changelog has the first version of `minor` with its date, such as `## [0.1.0] - 2026-11-23`."""
    return bool(re.search(rf"^## \[{re.escape(minor)}\.0\] - \d{{4}}-\d\d-\d\d$", changelog, re.MULTILINE))


def write(minor: str, files: Mapping[str, str], changelog: str, root: Path) -> None:
    """Writes or renews the folder of a minor version below `root`.

    Raises ReleasedError if that version is released and the folder is there.
    """
    folder = root / minor
    if folder.exists() and is_released(minor, changelog):
        how = "tests/contract/README.md says what to do"
        raise ReleasedError(f"{minor}.0 is released, and what was released never changes: {how}")
    folder.mkdir(exist_ok=True)
    for path, text in files.items():
        (folder / path).write_text(text, encoding="utf-8")


def main(root: Path = HERE, changelog: Path = CHANGELOG) -> int:
    """The exit code: 0 written, 1 refused."""
    try:
        write(MINOR, present(), changelog.read_text(encoding="utf-8"), root)
    except ReleasedError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"written: {os.path.relpath(root / MINOR)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
