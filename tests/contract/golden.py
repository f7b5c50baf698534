"""What dsgen makes of values.yaml, and what the first release of each minor version made of it.

`python -m tests.contract.golden` writes the latter for the version of the source, once: what is there is never changed.
"""

import sys
from collections.abc import Mapping
from pathlib import Path

from dsgen import __version__, values
from dsgen.compiler import chart_files
from dsgen.problems.diagnostics import has_errors
from dsgen.reading.nodes import SourceText
from dsgen.render import Document, render
from dsgen.values import Release, Values

HERE = Path(__file__).parent
VALUES = HERE / "values.yaml"
RELEASE = Release("contract", "contract-space")
"""Names in the golden manifests; the tests on a cluster put that of a real namespace in place of the second."""
MINOR = ".".join(__version__.split(".")[:2])
GOLDEN = HERE / MINOR


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
    """What dsgen makes now, by its path in a golden folder: manifests, those of the run apart, and the chart."""
    made = documents()
    manifests = {
        f"{scope}.yaml": "---\n".join(document.text for document in made if document.scope == scope)
        for scope in ("name", "run")
    }
    chart = chart_files(loaded().data, "contract")
    return manifests | {f"chart/{path}": text for path, text in chart.items()}


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Writes a new folder. Raises FileExistsError when there is one."""
    folder.mkdir()
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def main() -> int:
    """The exit code: 0 written, 1 refused."""
    try:
        write(GOLDEN, present())
    except FileExistsError:
        print(f"{GOLDEN} is there, and what was released never changes: tests/contract/README.md says what to do")
        return 1
    print(f"written: {GOLDEN}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
