"""What dsgen makes of values.yaml, and what each minor version makes of it.

`make contract` writes the latter for the version of the source, as often as needed until that minor version is
released. After that it is never changed.
"""

import hashlib
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
from dsgen.values import Job, Release

HERE = Path(__file__).parent
VALUES = HERE / "values.yaml"
CHANGELOG = HERE.parent.parent / "CHANGELOG.md"
RELEASE = Release("contract", "contract-space")
"""Names in the golden manifests; the tests on a cluster put that of a real namespace in place of the second."""
MINOR = ".".join(__version__.split(".")[:2])
GOLDEN = HERE / MINOR
SCRIPT = re.compile(r"^(  [\w.]+:) \|\n((?: {4}.*\n|\n)*)", re.MULTILINE)


class ReleasedError(Exception):
    """The output of a released version was to be written again."""


def loaded() -> Job:
    """The job, which has no errors."""
    job = values.load([SourceText(VALUES.name, VALUES.read_text(encoding="utf-8"))])
    assert job.values, job.diagnostics
    assert not has_errors(values.check(job, RELEASE))
    return job


def documents() -> list[Document]:
    """The manifests that dsgen makes now."""
    return render(loaded().data, RELEASE)


def present() -> dict[str, str]:
    """What dsgen makes now, by its file in a golden folder: the objects of the job, and those of the run."""
    made = documents()
    return {
        f"{scope}.yaml": "---\n".join(with_digests(document.text) for document in made if document.scope == scope)
        for scope in ("name", "run")
    }


def with_digests(text: str) -> str:
    """A manifest with the digest of each script in its place; the text is that of dsgen/scripts of the same version."""
    if "app.kubernetes.io/component: scripts\n" not in text:
        return text
    return SCRIPT.sub(_with_digest, text)


def with_scripts(text: str) -> str:
    """Manifests with digests, in which each script that dsgen has now is a text again, as clusters want it."""
    scripts = {_with_digest(script): script[0] for made in documents() for script in SCRIPT.finditer(made.text)}
    return re.sub(r"^  [\w.]+: sha256:.*\n", lambda line: scripts.get(line[0], line[0]), text, flags=re.MULTILINE)


def _with_digest(script: re.Match[str]) -> str:
    return f"{script[1]} sha256:{hashlib.sha256(script[2].encode()).hexdigest()}\n"


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
